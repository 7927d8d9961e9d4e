export { ledgerOfFile, ledgerOfLane, readingLane } from './acts/lane-sources.ts';
export {
  awardEntries,
  awardObligations,
  isAsked,
  type ListedObligation,
  oneList,
} from './acts/obligations.ts';
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
  CloseReport,
  ExceptionSummary,
  ExceptionView,
  FeedReport,
  FetchReport,
  GrantorLedger,
  ReleaseReport,
  IngestionReport,
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
export { awardCalendar, fiscalYearEnds } from './rules/award-calendar.ts';
export { interimPeriodEnds } from './rules/award-reports.ts';
export { retainedUntil } from './rules/award-retention.ts';
export type {
  Award,
  AwardCalendar,
  AwardObligation,
  AwardTerms,
  CharityRegistration,
  ReportingFrequency,
  UndatedObligation,
} from './rules/award.ts';
export { charityState } from './rules/charity.ts';
export {
  type Crossing,
  type Release,
  releaseAfter,
  type MeasuredAmount,
  MONTHS_BEFORE_YEAR,
  type RegistrationCheck,
  registrationCrossing,
  registrationTasks,
  singleAuditCrossing,
} from './rules/crossings.ts';
export { answerOf, evaluateGrantsCase, GRANTS_KINDS, type GrantsAnswer } from './rules/evaluate.ts';
export {
  checkContinuity,
  type Continuity,
  type ContinuityFinding,
  type FollowingStatement,
  type PreviousClosing,
} from './rules/feeds/continuity.ts';
export { detectFormat } from './rules/feeds/detect-format.ts';
export {
  type Balance,
  type EndEvent,
  FEED_FORMATS,
  type FeedEvent,
  type FeedFormat,
  type FeedPlace,
  type LineDetail,
  type LineEvent,
  type StatementEndEvent,
  type StatementEvent,
} from './rules/feeds/feed-events.ts';
export { readFeed } from './rules/feeds/read-feed.ts';
export { type FiscalYear, fiscalYearsBetween, readYearEnd } from './rules/fiscal-year.ts';
export {
  AWARD_FORMATS,
  type AwardFormat,
  type AwardRecord,
  isNonDeterministic,
  type Violation,
  type ViolationCode,
  VIOLATIONS,
} from './rules/intake/award-record.ts';
export {
  AWARD_FIELDS,
  type AwardPayload,
  FUNDER_TYPES,
  validateAward,
} from './rules/intake/award-schema.ts';
export {
  checkEnvelope,
  type ExceptionEnvelope,
  exceptionEnvelope,
  type TriedOnce,
} from './rules/intake/exception-envelope.ts';
export {
  type BoundaryFailure,
  classifyFailure,
  type FailureVerdict,
} from './rules/intake/failures.ts';
export {
  type AcceptedAward,
  contradicts,
  ingestAward,
  type Ingested,
  type IngestionContext,
  type RefusedAward,
} from './rules/intake/ingest.ts';
export { mapAward, type Mapped, type Mapping990 } from './rules/intake/mapping990.ts';
export {
  appendMetadata,
  type Boundary,
  brokenAt,
  type ComplianceMetadata,
  type ComplianceState,
  metadataHash,
  type Stamp,
  stampMetadata,
} from './rules/intake/metadata.ts';
export { readAwards } from './rules/intake/read-awards.ts';
export { seenAgain, type SeenDocument } from './rules/intake/same-document.ts';
export { type GrantsLaw, grantsLawFrom, type LawLibrary } from './rules/law.ts';
export {
  AGE_BUCKETS,
  type AgeBucket,
  type AgedEntry,
  agedUnmatched,
} from './rules/matching/aged.ts';
export {
  checkBalance,
  type KnownBalance,
  type LawAnswer,
  type LawQuestion,
  type Period,
} from './rules/matching/balance-law.ts';
export {
  AMOUNT_CENTS_MAX,
  type BankLine,
  type Direction,
  type ExpectedPayment,
  isHint,
  type LinePayment,
  postingDay,
  type SourcePlace,
} from './rules/matching/bank-line.ts';
export { type IsBusinessDay, isWeekday } from './rules/matching/business-days.ts';
export {
  accountMoney,
  type Candidate,
  type ClosedPayment,
  doubtfulReturn,
  mayReturnClosed,
  paymentsTakenBack,
  returnOutcome,
  type TakenBack,
} from './rules/matching/closed-returns.ts';
export {
  type DatasetLibrary,
  type MatchDataset,
  readBankEvents,
  readLedger,
  readPolicy,
} from './rules/matching/dataset.ts';
export {
  Deliveries,
  type Folded,
  type IsToldTwice,
} from './rules/matching/deliveries/deliveries.ts';
export { HeldLines } from './rules/matching/deliveries/held-lines.ts';
export { entryKey, sameEntries } from './rules/matching/deliveries/same-entry.ts';
export { Tellings } from './rules/matching/deliveries/tellings.ts';
export { toldOutcome } from './rules/matching/deliveries/told-outcomes.ts';
export {
  fieldsOfLine,
  type LineFields,
  lineOfFields,
} from './rules/matching/entries/entry-codec.ts';
export {
  ListedEntries,
  type OpenEntries,
  PackedEntries,
} from './rules/matching/entries/open-entries.ts';
export { bankLineOf, coverOf, linesOfFeed, type ReadFeed } from './rules/matching/from-feed.ts';
export {
  BATCH_ENTRIES,
  matchEach,
  type MatchInput,
  type MatchOptions,
  matchExpectedPayments,
} from './rules/matching/match.ts';
export { OutcomeList } from './rules/matching/outcome-list.ts';
export {
  type FoundOutcome,
  MATCH_RULES,
  type MatchOutcome,
  type MatchReason,
  type MatchRule,
  type MatchStatus,
  type OutcomePart,
} from './rules/matching/outcome.ts';
export { partsOf, withParts } from './rules/matching/parts.ts';
export {
  chainOfPeriod,
  checkFrozen,
  type ClosedPeriod,
  closePeriod,
  type Closing,
  type ClosingQuestion,
  lockedBy,
  missingStatements,
  OutcomeFigures,
  type PeriodTotals,
  totalsOf,
  touches,
} from './rules/matching/period.ts';
export { type DateWindow, MATCH_POLICY, type MatchPolicy } from './rules/matching/policy.ts';
export {
  type AfterAnswer,
  afterAnswer,
  type Heard,
  QUESTION_RETRY,
  RETRY_EXHAUSTED,
  type TriedQuestion,
} from './rules/matching/retry.ts';
export { type StatementCover, statementKey } from './rules/matching/statement-chain.ts';
export {
  feedEntriesOf,
  type GrantObligation,
  grantObligations,
  inOrderOfDates,
  registrationObligations,
  type WithdrawnAward,
  withdrawnObligations,
} from './rules/obligations/award-obligations.ts';
export {
  type AwardHolder,
  awardOf,
  missingForCalendar,
  subawardTermsOf,
} from './rules/obligations/award-terms.ts';
export type { Evaluation, Reason, Statement } from './rules/reasoning.ts';
export {
  nameOf,
  type OpenAward,
  remainderRemarks,
  returnRemarks,
} from './rules/reporting/bookings.ts';
export {
  type Cells,
  figureRows,
  type ReportDocument,
  reportDocument,
  traceRows,
} from './rules/reporting/export.ts';
export {
  type BankTrace,
  type Figure,
  figureOf,
  type FigurePart,
  inDollars,
  roundingOf,
  totalOf,
  tracedCents,
  traceDocument,
  traceOf,
  type TraceStep,
} from './rules/reporting/figure.ts';
export {
  amountsOf,
  footingFaults,
  type Form990Report,
  form990Report,
  type PaidGrant,
} from './rules/reporting/form990-report.ts';
export { type DaySpan, type MissingDays, missingDays } from './rules/reporting/released-days.ts';
export { goodsOf, type ReceivedMoney, receivedMoney } from './rules/reporting/received.ts';
export {
  type ReportRow,
  reportRows,
  scheduleCounts,
  type Schedules,
  sefaTotalFigures,
} from './rules/reporting/report-rows.ts';
export {
  type Contributor,
  type ScheduleB,
  scheduleB,
  scheduleBRows,
  type ScheduleBRule,
} from './rules/reporting/schedule-b.ts';
export {
  individualsOf,
  type IndividualsRow,
  type PaidToIndividuals,
} from './rules/reporting/schedule-i-individuals.ts';
export {
  type GrantPaidOut,
  type ScheduleI,
  scheduleI,
  type ScheduleIRow,
} from './rules/reporting/schedule-i.ts';
export {
  type FederalExpenditure,
  filledFrom,
  readAssistanceListings,
  type Sefa,
  sefaReport,
  type SefaRow,
  type SefaTotals,
} from './rules/reporting/sefa.ts';
export {
  indirectRate,
  missingItems,
  type Sf425Item,
  sf425Items,
} from './rules/reporting/sf425-items.ts';
export { type Sf425, type Sf425Input, sf425Report } from './rules/reporting/sf425.ts';
export {
  checkSubawards,
  type Subaward,
  type SubawardAnswer,
  type SubawardQuestion,
  type SubawardTerms,
} from './rules/subawards.ts';
