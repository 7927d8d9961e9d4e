export { acknowledge, listAlerts, listMails } from './acts/alerts.ts';
export { exportLedger } from './acts/audit-export.ts';
export type { ExportScope } from './acts/audit-for-reader.ts';
export { type HistoryLine, ledgerHistory } from './acts/audit-log.ts';
export {
  approveRelease,
  declineRelease,
  inspectQuarantine,
  proposeRelease,
  type QuarantineView,
} from './acts/audit-quarantine.ts';
export { listSetAside, showSetAside } from './acts/audit-set-aside.ts';
export { type AuditReport, type GivenTrust, verifyLedger } from './acts/audit.ts';
export * from './acts/database.ts';
export { PRIVATE_TARGETS, runRouter, startDocketRouter } from './acts/docket-router.ts';
export type { Finding } from './acts/installation-ledger.ts';
export { listInbox } from './acts/inbox.ts';
export type { InboxItem } from './acts/inbox-item.ts';
export { inspectInstallation } from './acts/installation.ts';
export {
  approveKeyRotation,
  listKeys,
  proposeKeyRotation,
  rotateSigningKeys,
  type TwoPersonLevel,
} from './acts/keys.ts';
export { laneOutcome, type LaneOutcome, planRehearsal } from './acts/rehearsal.ts';
export { holdData, releaseData, retentionStatus, runRetention } from './acts/retention.ts';
export { addOwnKey, enrollUser, listUserKeys, replaceKey, revokeKey } from './acts/user-keys.ts';
export { approveUser, refuseUser, userProposals } from './acts/user-proposals.ts';
export {
  addUser,
  changeRoles,
  disableUser,
  enableUser,
  foundUser,
  listUsers,
} from './acts/users.ts';
export { whoami } from './acts/whoami.ts';
export { serveWitness } from './acts/witness.ts';
export { openWorker, runJobsOnce, startJobs } from './acts/worker.ts';
export { type JobsOptions, runBackgroundWorkOnce, startBackgroundWork } from './jobs.ts';
export { askWitnesses } from './witnessing.ts';
export { askForStamp } from './stamping.ts';
