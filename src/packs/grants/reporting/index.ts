export {
  type Cells,
  figureRows,
  type ReportDocument,
  reportDocument,
  traceRows,
} from './export.ts';
export {
  type BankTrace,
  type Figure,
  type FigurePart,
  figureOf,
  inDollars,
  roundingOf,
  totalOf,
  traceDocument,
  tracedCents,
  traceOf,
  type TraceStep,
} from './figure.ts';
export {
  amountsOf,
  footingFaults,
  type Form990Report,
  form990Report,
  type PaidGrant,
} from './form990-report.ts';
export { nameOf, type OpenAward, remainderRemarks, returnRemarks } from './bookings.ts';
export { type DaySpan, type MissingDays, missingDays } from './handed-days.ts';
export { goodsOf, type ReceivedMoney, receivedMoney } from './received.ts';
export {
  type ReportRow,
  reportRows,
  scheduleCounts,
  type Schedules,
  sefaTotalFigures,
} from './report-rows.ts';
export {
  type Contributor,
  type ScheduleB,
  scheduleB,
  type ScheduleBRule,
  scheduleBRows,
} from './schedule-b.ts';
export { type GrantPaidOut, type ScheduleI, scheduleI, type ScheduleIRow } from './schedule-i.ts';
export {
  type IndividualsRow,
  individualsOf,
  type PaidToIndividuals,
} from './schedule-i-individuals.ts';
export {
  type FederalExpenditure,
  filledFrom,
  readAssistanceListings,
  type Sefa,
  sefaReport,
  type SefaRow,
  type SefaTotals,
} from './sefa.ts';
export { type Sf425, type Sf425Input, sf425Report } from './sf425.ts';
export { indirectRate, missingItems, type Sf425Item, sf425Items } from './sf425-items.ts';
