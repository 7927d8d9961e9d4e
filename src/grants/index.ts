export { fileDuty, openDutyProof } from './acts/duties.ts';
export { ledgerOfFile, ledgerOfLane, readingLane } from './acts/lane-sources.ts';
export {
  awardEntries,
  awardObligations,
  isAsked,
  type ListedObligation,
  oneList,
} from './acts/obligations.ts';
export { type AwardTable, isAwardTable, openAwardTable } from './acts/award-table.ts';
export { type BankTable, isBankTable, openBankTable } from './acts/bank-table.ts';
export { openGrants } from './acts/open.ts';
export { readPaidGrants } from './acts/paid-grants.ts';
export {
  columnsOf,
  exportDocument,
  figureView,
  reportOf,
  reportTable,
  traceTable,
} from './acts/report-tables.ts';
export { awardFile, awardPath, feedFile } from './acts/sources.ts';
export { readAwardSpending, readFederalSpending, readSubawards } from './acts/spending.ts';
export type {
  AwardView,
  CloseReport,
  ClosingPreview,
  ExceptionSummary,
  ExceptionView,
  FeedReport,
  FetchReport,
  GrantorLedger,
  ReleaseReport,
  IngestionReport,
  LineView,
  Organization,
  Pipeline,
  ReportKind,
  ReportRequest,
  Resolution,
  RulesReport,
  VerificationReport,
  WithdrawalView,
} from './pipeline/contracts.ts';
export { laneDocuments } from './pipeline/lane-documents.ts';
export { answerOf, evaluateGrantsCase, type GrantsAnswer } from './rules/evaluate.ts';
export { readFeed } from './rules/feeds/read-feed.ts';
export { grantsLawFrom } from './rules/law.ts';
export { AWARD_STATES, LINE_STATES } from './rules/list-states.ts';
export { type BankLine } from './rules/matching/bank-line.ts';
export {
  type DatasetLibrary,
  type MatchDataset,
  readBankEvents,
  readLedger,
  readPolicy,
} from './rules/matching/dataset.ts';
export { linesOfFeed } from './rules/matching/from-feed.ts';
export { type AwardHolder } from './rules/obligations/award-terms.ts';
export { type FigurePart } from './rules/reporting/figure.ts';
export { type ReportRow, reportRows, scheduleCounts } from './rules/reporting/report-rows.ts';
export { readAssistanceListings } from './rules/reporting/sefa.ts';
export { comparedGrants } from './store/compared-rows.ts';
