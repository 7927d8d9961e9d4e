/** From a calendar file to a calendar that answers at once: days are laid out when they are first asked for. */
import { FilewrightError } from '../core/index.ts';
import type { CalendarFile, CoverageSpan, DatedClosing } from './calendar-file.ts';
import { addDays, civilOf, type Day, dayOf, weekdayOf } from './day.ts';
import { holidaysOf } from './holidays.ts';
import type { ClosedDay, OfficeCalendar } from './office-calendar.ts';

export interface CompiledCalendar extends OfficeCalendar {
  /** What the file says about its knowledge of that day; undefined where it says nothing. */
  coverageNoteOf(day: Day): string | undefined;
  /** Closings of that year apart from weekends, in order of days. */
  closingsOf(year: number): readonly ClosedDay[];
  readonly weekendSource: string;
  /** Whether no day of the week closes the office as far as is known. */
  readonly openWeekends: boolean;
  /** Saturdays and Sundays that are declared working days: a period that ends there does not roll. */
  readonly workingDays: ReadonlySet<Day>;
}

/** Days are laid out in blocks, so that a day finds its own with one division. A power of two, for the mask. */
const BLOCK_DAYS = 256;

interface Block {
  readonly closed: (ClosedDay | undefined)[];
  readonly extent: Extent[];
}

type Extent = ReturnType<OfficeCalendar['coverageOf']>;

const WEEKEND = { 0: 'Sunday', 6: 'Saturday' } as const;

/** `base` is the calendar that the file extends. */
export function compileCalendar(
  file: CalendarFile,
  base: CompiledCalendar | undefined,
): CompiledCalendar {
  if ((file.extends === undefined) !== (base === undefined)) {
    throw new FilewrightError(
      'CALENDAR_FILE_INVALID',
      `calendar ${file.code} extends ${file.extends ?? 'nothing'}, which is not loaded: load that calendar first`,
    );
  }
  const weekendSource = file.weekendSource ?? base?.weekendSource ?? '';
  const workingDays = workingDaysOf(file, base);
  const openWeekends = file.openWeekends || base?.openWeekends === true;
  const closings = new Map<number, readonly ClosedDay[]>();
  const blocks = new Map<number, Block>();

  const closingsOf = (year: number): readonly ClosedDay[] => {
    let found = closings.get(year);
    if (found === undefined) {
      found = layClosings(file, base, year);
      closings.set(year, found);
    }
    return found;
  };
  const blockOf = (day: Day): Block => {
    const number = Math.floor(day / BLOCK_DAYS);
    const known = blocks.get(number);
    if (known !== undefined) return known;
    const block = layBlock(number, {
      weekendSource,
      openWeekends,
      workingDays,
      extentOf,
      closingsOf,
    });
    blocks.set(number, block);
    return block;
  };
  const extentOf = (day: Day): Block['extent'][number] =>
    file.coverage === undefined
      ? (base?.coverageOf(day) ?? 'none')
      : (spanOf(day)?.extent ?? 'none');
  const spanOf = (day: Day): CoverageSpan | undefined =>
    file.coverage?.find((span) => day >= span.from && day <= span.to);

  return {
    code: file.code,
    title: file.title,
    version: base === undefined ? file.version : `${file.version}+${base.code}@${base.version}`,
    zone: file.zone,
    weekendSource,
    openWeekends,
    workingDays,
    closingsOf,
    // The remainder of a negative day number is negative; the mask is not.
    closedOn: (day) => blockOf(day).closed[day & (BLOCK_DAYS - 1)],
    coverageOf: (day) => blockOf(day).extent[day & (BLOCK_DAYS - 1)] ?? 'none',
    coverageNoteOf: (day) =>
      file.coverage === undefined ? base?.coverageNoteOf(day) : spanOf(day)?.note,
  };
}

function layBlock(
  number: number,
  from: {
    readonly weekendSource: string;
    readonly openWeekends: boolean;
    readonly workingDays: ReadonlySet<Day>;
    readonly extentOf: (day: Day) => Block['extent'][number];
    readonly closingsOf: (year: number) => readonly ClosedDay[];
  },
): Block {
  const block: Block = { closed: [], extent: [] };
  // Between the first and the last day of the block, counted in days.
  const first = (number * BLOCK_DAYS) as Day;
  const last = (first + BLOCK_DAYS - 1) as Day;
  for (let index = 0; index < BLOCK_DAYS; index += 1) {
    const day = (first + index) as Day;
    const weekday = weekdayOf(day);
    // Weekends are closed whatever else is written about the day, unless it is declared a working day.
    block.closed.push(
      (weekday === 0 || weekday === 6) && !from.openWeekends && !from.workingDays.has(day)
        ? { day, reason: WEEKEND[weekday], standing: 'verified', source: from.weekendSource }
        : undefined,
    );
    block.extent.push(from.extentOf(day));
  }
  for (let { year } = civilOf(first); year <= civilOf(last).year; year += 1) {
    for (const closed of from.closingsOf(year)) {
      if (closed.day >= first && closed.day <= last) block.closed[closed.day - first] ??= closed;
    }
  }
  return block;
}

function layClosings(
  file: CalendarFile,
  base: CompiledCalendar | undefined,
  year: number,
): ClosedDay[] {
  const days = new Map<Day, ClosedDay>();
  const add = (closed: ClosedDay): void => {
    const there = days.get(closed.day);
    // A reason that is less sure must not hide a surer one of the same day.
    if (there === undefined || isSurer(closed, there)) days.set(closed.day, closed);
  };
  for (const inherited of base?.closingsOf(year) ?? []) {
    add(file.inheritsAs === 'projected' ? { ...inherited, standing: 'projected' } : inherited);
  }
  // An observed day may lie in the year before its holiday (31 December for 1 January) or after it.
  for (const holidayYear of [year - 1, year, year + 1]) {
    for (const holiday of holidaysOf(file.rules, holidayYear)) {
      if (civilOf(holiday.day).year === year) add(holiday);
    }
  }
  const first = dayOf(year, 1, 1);
  const last = dayOf(year, 12, 31);
  for (const dated of file.dates) {
    for (let day = Math.max(dated.from, first); day <= Math.min(dated.to, last); day += 1) {
      // Between two days, counted in days.
      setDated(days, day as Day, dated);
    }
  }
  return [...days.values()].sort((a, b) => a.day - b.day);
}

/** A day named in the file itself overrules what rules and the extended calendar say about it. */
function setDated(days: Map<Day, ClosedDay>, day: Day, dated: DatedClosing): void {
  if (dated.standing === 'open' || dated.standing === 'working') {
    days.delete(day);
    return;
  }
  const where = dated.sites.length === 0 ? '' : ` (${dated.sites.join(', ')})`;
  days.set(day, {
    day,
    reason: `${dated.reason}${where}`,
    standing: dated.standing,
    source: dated.source,
  });
}

const SURENESS: Readonly<Record<ClosedDay['standing'], number>> = {
  projected: 0,
  unconfirmed: 1,
  secondary: 2,
  verified: 3,
};

function isSurer(one: ClosedDay, other: ClosedDay): boolean {
  return SURENESS[one.standing] > SURENESS[other.standing];
}

/** A later file that closes such a day, or takes it back, overrules the calendar below. */
function workingDaysOf(file: CalendarFile, base: CompiledCalendar | undefined): ReadonlySet<Day> {
  const working = new Set(base?.workingDays);
  for (const dated of file.dates) {
    for (let day = dated.from; day <= dated.to; day = addDays(day, 1)) {
      if (dated.standing === 'working') working.add(day);
      else working.delete(day);
    }
  }
  return working;
}
