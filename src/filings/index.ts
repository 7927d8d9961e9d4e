export { approvalTerms, type Expectation, totalCents } from './acts/approvals.ts';
export {
  approve,
  batchStatus,
  importFile,
  countBatches,
  listBatches,
  proposeAgain,
  readBatchId,
  runBatch,
} from './acts/batches.ts';
export {
  approveCancel,
  cancelBatch,
  refuseBatch,
  refuseCancel,
  withdrawFromBatch,
} from './acts/batch-changes.ts';
export { correctInBatch } from './acts/batch-correct.ts';
export { answerAboutBatch, askAboutBatch } from './acts/batch-questions.ts';
export {
  type BatchReview,
  reviewBatch,
  type ReviewedFiling,
  reviewPage,
} from './acts/batch-review.ts';
export { type BatchQuestion, openQuestions } from './store/batch-questions.ts';
export { exceptionsOnDesk } from './store/desk-exceptions.ts';
export { batchesComeBack, batchesToApprove, type BatchToApprove } from './store/waiting-batches.ts';
export { defendFiling } from './acts/defense.ts';
export { diagnosePayload, type PayloadDiagnosis } from './acts/diagnose-payload.ts';
export { diagnoseSessions, type SessionsDiagnosis } from './acts/diagnose-sessions.ts';
export {
  type BlocksDiagnosis,
  type ConflictsDiagnosis,
  diagnoseBlocks,
  diagnoseConflicts,
} from './acts/diagnose.ts';
export * from './acts/lane-profiles.ts';
export { addByHandLanes, type ByHandLanes } from './acts/by-hand-lanes.ts';
export {
  listHand,
  type ListedByHand,
  renewTaking,
  takeFiling,
} from './acts/hand.ts';
export * from './acts/hand-corrections.ts';
export { openEvidence } from './acts/hand-evidence.ts';
export { handSheet } from './acts/hand-sheet.ts';
export { sheetPdf, sheetText } from './acts/hand-sheet-text.ts';
export { readConfirmation, readHandTime } from './acts/hand-file.ts';
export { importOutcomes } from './acts/hand-outcomes.ts';
export { readDollars } from './rules/confirmation.ts';
export { type HandSaying, type Said, sayInHand } from './acts/hand-say.ts';
export type { HandState } from './rules/hand.ts';
export { attemptWord, carriedBy } from './rules/left.ts';
export {
  countFilings,
  listFilings,
  officeZones,
  openPayload,
  showFiling,
} from './acts/filings.ts';
export { forecastFilings, readOutlook, type Scope } from './acts/forecast.ts';
export { approveLane, hurryLane, recoveringLanes } from './acts/lane-recovery.ts';
export { createBatch, type ObligationBatch } from './acts/register-batch.ts';
export { nextObligation } from './acts/register-completion.ts';
export { acceptFiling, type Evidence, assignFiling, rejectFiling } from './acts/reviews-closing.ts';
export type { FieldEdit } from './acts/reviews-correction.ts';
export * from './acts/reviews-proposals.ts';
export { bodyOf, countReviews, listReviews, openReview, type ReviewFile } from './acts/reviews.ts';
export { sendGate } from './acts/send-gate.ts';
export * from './acts/slack-alerts.ts';
export * from './rules/thresholds.ts';
export type { Wait } from './acts/waits.ts';
export type { FilingEngine, RunningDeps } from './delivery/engine.ts';
export { DEFAULT_SETTINGS } from './delivery/settings.ts';
export { Worker, type WorkerPorts } from './delivery/worker.ts';
export { OpenSpans } from './rules/forecast-hours.ts';
export {
  type BacklogFiling,
  forecast,
  type LaneForecast,
  serviceMsOf,
  SLACK_THRESHOLDS_MS,
} from './rules/forecast.ts';
export { type ApprovalTerms, type Batch, unfinishedBatches } from './store/batches.ts';
export { comparedFilings, comparedItems } from './store/compared-rows.ts';
export { PostgresDeliveryStore } from './store/delivery-store.ts';
export type { DiagnosedLaneEvent } from './store/diagnose.ts';
export { type FilingView, findFiling } from './store/filings.ts';
export { PostgresIntakeStore } from './store/intake-store.ts';
export { REVIEW_FILTERS, type ReviewFilter } from './store/reviews.ts';
export { warnOnArrival } from './watch/arrival-warning.ts';
export { watchApprovals } from './watch/approval-watch.ts';
export { watchHand } from './watch/hand-watch.ts';
export { queueDigest } from './watch/digest.ts';
export { registeredAgentNotice } from './watch/registered-agent-notice.ts';
export { watchSessions } from './watch/session-watch.ts';
export { watchSlack } from './watch/slack-watch.ts';
export { watchUnfiled } from './watch/unfiled-watch.ts';
