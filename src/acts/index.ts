export { approvalTerms, type Expectation, totalCents } from './approvals.ts';
export { type AuditReport, type LogReport, verifyLedger } from './audit.ts';
export { approve, importFile, readBatchId, runBatch } from './batches.ts';
export { sequenceAll } from './sequence.ts';
export { eventConsumers } from './consumers.ts';
export {
  type BlocksDiagnosis,
  type ConflictsDiagnosis,
  diagnoseBlocks,
  diagnoseConflicts,
} from './diagnose.ts';
export { diagnosePayload, type PayloadDiagnosis } from './diagnose-payload.ts';
export { diagnoseSessions, type SessionsDiagnosis } from './diagnose-sessions.ts';
export { acknowledge, alertSomebody, listAlerts, listMails } from './alerts.ts';
export {
  addWebhook,
  changeRecipientOf,
  changeWebhook,
  resend,
  rotateWebhook,
  setMailServer,
  testMail,
  type TestOutcome,
  testWebhook,
} from './events.ts';
export {
  addPortal,
  changeLane,
  lanes,
  type LaneWithProfile,
  profilesByLane,
  requireLane,
} from './lanes.ts';
export { knownProfiles } from './known-profiles.ts';
export { personOf } from './people.ts';
export { addUser, disableUser } from './users.ts';
export {
  bodyOf,
  openException,
  type OpenedException,
  openReview,
  type ReviewFile,
} from './reviews.ts';
export {
  acceptFiling,
  type Evidence,
  handOnFiling,
  rejectFiling,
} from './reviews-closing.ts';
export { type FieldEdit, shippedLawGates } from './reviews-correction.ts';
export { proposalHash } from './reviews-hash.ts';
export {
  approveReview,
  type OpenedProposal,
  openProposal,
  proposeBulkReplay,
  type Proposed,
  type ProposedCorrection,
  proposeCorrection,
  proposeReplay,
  withdrawReview,
} from './reviews-proposals.ts';
export { checkReason } from './reviews-rules.ts';
export { sendGate } from './send-gate.ts';
export type { Wait } from './waits.ts';
export {
  type ExportedLog,
  exportLedger,
  type ExportReport,
  type ExportScope,
} from './audit-export.ts';
export { type HistoryLine, ledgerHistory, type LedgerHistory } from './audit-log.ts';
export {
  readBoundary,
  signedLogs,
  type SignedLog,
  signNow,
} from './audit-heads.ts';
export { type OfflineReport, verifyFolder } from './audit-offline.ts';
export { confirmQuarantine, inspectQuarantine } from './audit-quarantine.ts';
export {
  listSetAside,
  type SetAsideLine,
  showSetAside,
  type ShownFact,
} from './audit-set-aside.ts';
export { opensslLines } from './audit-texts.ts';
export { defendFiling, type DefencePack } from './defence.ts';
export {
  holdData,
  releaseData,
  type RetentionRun,
  retentionStatus,
  type RetentionStatus,
  runRetention,
} from './retention.ts';
export { forecastFilings, type Forecasting, type Scope } from './forecast.ts';
export {
  laneOutcome,
  type LaneOutcome,
  planRehearsal,
  type RehearsalPlan,
} from './rehearsal.ts';
export {
  readDuration,
  readThresholds,
  unfiledOf,
  warnOfSlack,
  warnOfUnfiled,
} from './slack-alerts.ts';
export { checkInLane } from './portal-check.ts';
