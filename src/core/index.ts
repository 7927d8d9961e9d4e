export * from './approval.ts';
export { type Backoff, fractionIn, fractionOf, nextDelayMs } from './backoff.ts';
export { LEDGER_BOUNDARIES, type LedgerBoundary } from './boundary.ts';
export * from './breaker.ts';
export { canonicalBytes, canonicalText, JSON_DEPTH_MAX, type JsonValue } from './canonical-json.ts';
export { caseFields, refuseUnknown } from './case-fields.ts';
export { contentTypeFault } from './content-type.ts';
export { csvLine, neutralCell, originalCell } from './csv/cells.ts';
export { quoteField, splitFields } from './csv/fields.ts';
export { findDelimiter, headOfCsv, type HeadRecord } from './csv/head.ts';
export { columnLetters, type CsvHeader, headings, readNames } from './csv/header.ts';
export * from './csv/input-row.ts';
export { COLUMNS_MAX, CUT_BYTES, LINE_BYTES_MAX, RECORD_BYTES_MAX } from './csv/limits.ts';
export { BYTE_ORDER_MARK, type LinePart, LineSplitter, withoutLineEnd } from './csv/lines.ts';
export { openCsv } from './csv/open-csv.ts';
export type { Delimiter } from './csv/quotes.ts';
export { type CsvRow, StrictCsv } from './csv/strict-csv.ts';
export { isDatabaseAway } from './database-away.ts';
export type { Decision, Unsettled } from './decision.ts';
export { editDistance } from './edit-distance.ts';
export { type ErrorCode, ERRORS, EXIT, FilewrightError } from './errors.ts';
export * from './exchange.ts';
export { boundedFact, holdsNul } from './fact-bounds.ts';
export { BREAKER_FACT, checkFact, type FactDataOf, type FactType } from './facts/catalogue.ts';
export { snakeCase, snakeNames } from './facts/snake-names.ts';
export { factWriters } from './facts/writers.ts';
export {
  type Envelope,
  type Filing,
  FILING_STATUSES,
  type FilingStatus,
  isLegalTransition,
  type Step,
  type StepAction,
} from './filing.ts';
export { Heap } from './heap.ts';
export { keyOf, obligationKey } from './identity.ts';
export {
  attemptId,
  type AttemptId,
  type BatchId,
  batchId,
  entryId,
  type EntryId,
  type FilingId,
  awardId,
  type AwardId,
  docketId,
  type DocketId,
  partyId,
  type PartyId,
  entityId,
  type EntityId,
  obligationId,
  type ObligationId,
  periodId,
  type PeriodId,
  targetId,
  type TargetId,
  filingId,
  idempotencyKey,
  isUuid,
  laneCode,
  type LaneCode,
  type PersonId,
  personId,
  type Sha256Hex,
  sha256Hex,
  uuidV7,
  type WorkerId,
  workerId,
} from './ids.ts';
export { invariant } from './invariant.ts';
export { changesBetween, type JsonChange } from './json-changes.ts';
export { decodeJson, isPlainText, pointer, textAt } from './json-pointer.ts';
export type {
  HoldReason,
  LaneRecovery,
  LaneState,
  Pause,
  SlotRef,
  WorkerView,
} from './lane.ts';
export { type Letters, lettersOf } from './letters.ts';
export { misspelledNames } from './misspelled-name.ts';
export { newFact, userFact } from './new-fact.ts';
export { isLinearPattern, patternOf } from './patterns.ts';
export { readPersonName } from './person-name.ts';
export { plain, plainJson, plainLines } from './plain.ts';
export { readStep } from './read-step.ts';
export { trimEndOf } from './trim-end.ts';
export * from './ports.ts';
export type {
  AnswerRule,
  BreakerPolicy,
  Echo,
  FiledKind,
  FormField,
  FormRule,
  OpeningHours,
  PayloadLimits,
  PaymentRule,
  Profile,
  RegistryRule,
  RetryPolicy,
  SessionRule,
  StatusRule,
  Weekday,
} from './profile.ts';
export { effectOfFilings } from './profile.ts';
export { receiptSpelling } from './receipt-spelling.ts';
export { nextTurnOf, type RecoveryState, type RecoveryStep } from './recovery.ts';
export { backoffMs } from './retry.ts';
export { sameJson } from './same-json.ts';
export { sha256Of } from './sha256.ts';
export { hasStamp, retryAfterMs, stampWaitMs } from './stamp.ts';
export { byStatus, statusMeaning, type StatusRules } from './status-code.ts';
export { parseStrictJson } from './strict-json.ts';
export { addMs, type Instant, instant, parseRfc3339, toRfc3339 } from './time.ts';
export { cannotListen } from './unlistenable.ts';
export { whyUnreadable } from './unreadable.ts';
export { cannotWrite } from './unwritable.ts';
export type { Receipt, StatusAnswer, Throttle, Verdict } from './verdict.ts';
export { VERSION } from './version.ts';
export { badCase, badInput, errorOf, misuse, notFound, overLimit, ruledOut } from './refusals.ts';
export { shownDollars } from './shown-money.ts';
export {
  shownDay,
  shownMoment,
  shownTime,
} from './shown-time.ts';
export { zoneFormats } from './zone-format.ts';
