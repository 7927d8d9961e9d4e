/** Apart from the room's main door, because reading law loads time zones, which most commands never need. */
export type { AwardHolder } from '../../packs/grants/index.ts';
export type {
  CloseReport,
  ExceptionSummary,
  ExceptionView,
  FeedReport,
  FetchReport,
  GrantorLedger,
  HandoffReport,
  IngestionReport,
  Organization,
  Pipeline,
  ReportFigures,
  ReportKind,
  ReportRequest,
  Resolution,
  RulesReport,
  VerificationReport,
  WithdrawalView,
} from '../../pipeline/index.ts';
export { sequenceAll } from '../sequence.ts';
export { laneDocuments } from '../../pipeline/index.ts';
export { ledgerOfFile, ledgerOfLane, readingLane } from './lane-sources.ts';
export {
  awardEntries,
  awardObligations,
  isAsked,
  type ListedObligation,
  type ObligationQuestion,
  oneList,
} from './obligations.ts';
export { openGrants } from './open.ts';
export { type PaidGrantRow, readPaidGrants } from './paid-grants.ts';
export {
  columnsOf,
  exportDocument,
  figureView,
  type FigureView,
  reportOf,
  reportTable,
  traceTable,
} from './report-tables.ts';
export { type ReportRow, reportRows, scheduleCounts } from '../../packs/grants/index.ts';
export {
  type FederalSpending,
  readAwardSpending,
  readFederalSpending,
  readSubawards,
} from './spending.ts';
export { awardFile, awardPath, feedFile } from './sources.ts';
