/**
 * What a person or a program can ask and do. Every act takes the installation, then its actor, and asks `access` first;
 * the rest are readers of arguments and the types of the answers.
 */
export { acknowledge, listAlerts, listMails } from './alerts.ts';
export { approvalTerms, type Expectation, totalCents } from './approvals.ts';
export { type AuditReport, type LogReport, verifyLedger } from './audit.ts';
export {
  type ExportedLog,
  exportLedger,
  type ExportReport,
  type ExportScope,
} from './audit-export.ts';
export { readBoundary, signedLogs, type SignedLog, signNow } from './audit-heads.ts';
export { type HistoryLine, ledgerHistory, type LedgerHistory } from './audit-log.ts';
export { type OfflineReport, verifyFolder } from './audit-offline.ts';
export { confirmQuarantine, inspectQuarantine } from './audit-quarantine.ts';
export {
  listSetAside,
  type SetAsideLine,
  showSetAside,
  type ShownFact,
} from './audit-set-aside.ts';
export { opensslLines } from './audit-texts.ts';
export {
  approve,
  batchStatus,
  importFile,
  listBatches,
  readBatchId,
  runBatch,
} from './batches.ts';
export { sequenceAll } from './sequence.ts';
export {
  backupDatabase,
  databaseStatus,
  restoreDatabase,
  startDatabase,
  stopDatabase,
} from './database.ts';
export { defendFiling, type DefencePack } from './defence.ts';
export {
  type BlocksDiagnosis,
  type ConflictsDiagnosis,
  diagnoseBlocks,
  diagnoseConflicts,
} from './diagnose.ts';
export { diagnosePayload, type PayloadDiagnosis } from './diagnose-payload.ts';
export { diagnoseSessions, type SessionsDiagnosis } from './diagnose-sessions.ts';
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
export { listEvents, listWebhooks, mailSettings, webhookLog } from './events-shown.ts';
export { type FilingDetail, listFilings, openPayload, showFiling } from './filings.ts';
export { forecastFilings, type Forecasting, type Scope } from './forecast.ts';
export { inspectInstallation } from './installation.ts';
export type { Finding } from './installation-ledger.ts';
export { knownProfiles } from './known-profiles.ts';
export {
  addPortal,
  changeLane,
  type ListedLane,
  listLanes,
  type LaneWithProfile,
} from './lanes.ts';
export { actorOf, personOf, requirePerson } from './people.ts';
export { addUser, disableUser, listUsers } from './users.ts';
export { checkInLane } from './portal-check.ts';
export {
  laneOutcome,
  type LaneOutcome,
  planRehearsal,
  type RehearsalPlan,
} from './rehearsal.ts';
export {
  holdData,
  releaseData,
  type RetentionRun,
  retentionStatus,
  type RetentionStatus,
  runRetention,
} from './retention.ts';
export {
  bodyOf,
  type ListedException,
  listReviews,
  type OpenedException,
  openReview,
  type ReviewFile,
} from './reviews.ts';
export { acceptFiling, type Evidence, handOnFiling, rejectFiling } from './reviews-closing.ts';
export { type FieldEdit, shippedLawGates } from './reviews-correction.ts';
export {
  approveReview,
  listProposals,
  type OpenedProposal,
  openProposal,
  proposeBulkReplay,
  type Proposed,
  type ProposedCorrection,
  proposeCorrection,
  proposeReplay,
  withdrawReview,
} from './reviews-proposals.ts';
export { sendGate } from './send-gate.ts';
export {
  readDuration,
  readThresholds,
  unfiledOf,
  warnOfSlack,
  warnOfUnfiled,
} from './slack-alerts.ts';
export type { Wait } from './waits.ts';
export { openWorker, runJobsOnce, startJobs } from './worker.ts';
export { type ConformanceReport, readProfile } from '../portals/index.ts';
export {
  type Batch,
  type DiagnosedLaneEvent,
  DIFFERENCE_KINDS,
  type DifferenceKind,
  type FilingView,
  type LaneCounts,
  type NoticeView,
  packageRoot,
  type Quarantine,
  REVIEW_FILTERS,
  type ReviewFilter,
} from '../store/index.ts';
export type { ApprovalTerms } from '../store/register/index.ts';
