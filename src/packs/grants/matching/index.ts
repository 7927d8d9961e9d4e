export { AGE_BUCKETS, type AgeBucket, type AgedEntry, agedUnmatched } from './aged.ts';
export {
  AMOUNT_CENTS_MAX,
  type BankLine,
  type Direction,
  type ExpectedReceipt,
  isHint,
  postingDay,
  type SourcePlace,
  type LinePayment,
} from './bank-line.ts';
export {
  checkBalance,
  type KnownBalance,
  type LawAnswer,
  type Period,
  type LawQuestion,
} from './balance-law.ts';
export { type IsBusinessDay, isWeekday } from './business-days.ts';
export {
  type DatasetLibrary,
  type MatchDataset,
  readBankEvents,
  readLedger,
  readPolicy,
} from './dataset.ts';
export {
  fieldsOfLine,
  type LineFields,
  lineOfFields,
} from './entries/entry-codec.ts';
export { ListedEntries, type OpenEntries, PackedEntries } from './entries/open-entries.ts';
export {
  BATCH_ENTRIES,
  matchEach,
  type MatchInput,
  type MatchOptions,
  matchReceipts,
} from './match.ts';
export {
  type FoundOutcome,
  MATCH_RULES,
  type MatchOutcome,
  type MatchReason,
  type MatchRule,
  type MatchStatus,
  type OutcomePart,
} from './outcome.ts';
export {
  accountMoney,
  type Candidate,
  type ClosedPayment,
  doubtfulReturn,
  mayReturnClosed,
  paymentsTakenBack,
  returnOutcome,
  type TakenBack,
} from './closed-returns.ts';
export { OutcomeList } from './outcome-list.ts';
export { partsOf, withParts } from './parts.ts';
export { type DateWindow, MATCH_POLICY, type MatchPolicy } from './policy.ts';
export {
  Deliveries,
  entryKey,
  type Folded,
  HeldLines,
  type IsToldTwice,
  sameEntries,
  Tellings,
  toldOutcome,
} from './deliveries/index.ts';
export { bankLineOf, coverOf, linesOfFeed, type ReadFeed } from './from-feed.ts';
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
} from './period.ts';
export {
  type AfterAnswer,
  afterAnswer,
  type Heard,
  QUESTION_RETRY,
  RETRY_EXHAUSTED,
  type TriedQuestion,
} from './retry.ts';
export { type StatementCover, statementKey } from './statement-chain.ts';
