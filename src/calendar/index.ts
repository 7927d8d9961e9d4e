export { addMonths, japanesePeriodEnd, monthEndToMonthEnd, sameNumberDay } from './arithmetic.ts';
export {
  type CalendarFile,
  type CoverageSpan,
  type DatedClosing,
  type HolidayPlace,
  type HolidayRule,
  type MonthDay,
  type Observance,
  OBSERVANCES,
  readCalendarFile,
  type Standing,
} from './calendar-file.ts';
export { type CalendarSet, compileCalendars, type NamedText } from './calendar-set.ts';
export { type CalendarChange, compareCalendars, type DayChange } from './compare-calendars.ts';
export { compileCalendar, type CompiledCalendar } from './compile-calendar.ts';
export {
  addDays,
  type CivilDate,
  civilOf,
  clampedDay,
  type Day,
  DAY_EXPECTED,
  dayOf,
  daysInMonth,
  formatDay,
  isLeapYear,
  isWeekend,
  lastDayOfMonth,
  monthAfter,
  MONTHS,
  nthWeekday,
  parseDay,
  type WeekdayNumber,
  weekdayOf,
  YEAR_MAX,
  YEAR_MIN,
} from './day.ts';
export {
  type Confidence,
  type DateGrade,
  leastConfidence,
  lesserGrade,
  type MonthArithmetic,
  type SkippedDay,
  type Step,
  type StepAct,
} from './explanation.ts';
export { type IcsEvent, type IcsState, readIcsState } from './ics-state.ts';
export { holidaysOf } from './holidays.ts';
export { icsCalendar, type IcsCalendar, type IcsEntry } from './ics.ts';
export {
  type LawDocumentSource,
  type LawFileFault,
  LawNode,
  readLawDocument,
} from './law-document.ts';
export {
  daysBeyondSafeguard,
  deemedDelivery,
  type NotificationRegime,
  regimeOf,
} from './notification.ts';
export {
  type ClosedDay,
  type OfficeCalendar,
  type Rolled,
  rollForward,
} from './office-calendar.ts';
export { dateAtOffice, endOfDay, isZone, parseInstant } from './office-time.ts';
export {
  type Duration,
  type OnePeriod,
  parseDuration,
  parsePeriod,
  type Period,
  periodEnd,
} from './period.ts';
export {
  parsePeriodChoice,
  type PeriodChoice,
  type PeriodFrom,
  startsOf,
} from './period-choice.ts';
export {
  readReliefFile,
  type Relief,
  type ReliefFile,
  reliefFor,
  type ReliefQuestion,
} from './relief.ts';
export { replaySteps } from './replay.ts';
