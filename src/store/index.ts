export { laneCounts, type LaneCounts } from './lane-counts.ts';
export { dataKeys } from './data-keys.ts';
export {
  acknowledgeAlert,
  alertPages,
  digestFigures,
  type DigestFigures,
  dueAlerts,
  everRaised,
  findAlerts,
  listAlerts,
  markTold,
  quietSettledAlerts,
} from './alerts.ts';
export { type Alert, raiseAlertRow, SEVERITIES, type Severity } from './raise-alert.ts';
export type { Installation } from './installation.ts';
export {
  approveBatch,
  assertResumable,
  type Batch,
  findBatch,
  listBatches,
  releaseBatch,
  unfinishedBatches,
} from './batches.ts';
export {
  type CheckpointCopies,
  checkpointCovering,
  checkpointsFrom,
  latestCheckpoint,
  type StoredCheckpoint,
} from './checkpoints.ts';
export { history, PostgresDeliveryStore } from './delivery-store.ts';
export {
  type DiagnosedAttempt,
  diagnosedAttempts,
  type DiagnosedLaneEvent,
  diagnosedLaneEvents,
  type DiagnosedPayload,
  diagnosedPayloads,
  type DiagnosedScope,
  diagnosedScope,
} from './diagnose.ts';
export * from './dockets/index.ts';
export * from './embedded/index.ts';
export * from './grants/index.ts';
export {
  type ExceptionView,
  type FilingFilter,
  type FilingView,
  findException,
  findFiling,
  findPayload,
  lastSentAt,
  listExceptions,
  listFilings,
} from './filings.ts';
export { type Hold, listHolds, placeHold, releaseHold } from './holds.ts';
export { PostgresIntakeStore } from './intake-store.ts';
export {
  hasTenantKey,
  localRootKey,
  openTenantKey,
  type RootKey,
  rotateRootKey,
  rotateTenantKey,
  type TenantKey,
} from './key-tree.ts';
export {
  addLane,
  changedProfiles,
  changeLaneByPerson,
  type LaneView,
  listLanes,
} from './lanes.ts';
export {
  dataKeyStates,
  findLogs,
  type FoundLog,
  ledgerBlobs,
  ledgerEntries,
  ledgerHeads,
  ledgerWaiting,
  type LogHead,
  type StoredBlob,
} from './ledger-entries.ts';
export {
  entriesBetween,
  entriesOfFiling,
  firstSeqSince,
  type FiledEntry,
  ledgerCounts,
  type LogCounts,
  logTiles,
} from './ledger-export.ts';
export { explainingRights } from './login-rights.ts';
export { migrate, readMigrations } from './migrate.ts';
export {
  addMailNotice,
  addWebhookNotice,
  type ClaimedNotice,
  claimNotices,
  listNotices,
  type NewMailNotice,
  type NoticeOutcome,
  type NoticeView,
  recordNotice,
  resendEvent,
} from './notices.ts';
export {
  consumeDue,
  type DomainEvent,
  keepEvent,
  listEvents,
  type NewEvent,
  publishEvent,
  recordConsumptionFailure,
  registerConsumer,
  takeEvents,
  wakeTargets,
} from './outbox.ts';
export { packageRoot } from './package-root.ts';
export { addPerson, disablePerson, findPerson, listPeople, type Person } from './people.ts';
export {
  type Comparison,
  compareCopies,
  type Contradiction,
  leaveQuarantine,
  mayTakePart,
  type Quarantine,
  readQuarantine,
} from './quarantine.ts';
export {
  extendRetention,
  type MayHold,
  type RetainedKey,
  retainedKeys,
  shredDue,
  type Shredding,
} from './retention.ts';
export {
  assumeRole,
  dropRoles,
  ROLE_NAMES,
  type RoleName,
  rolesState,
  type RolesState,
} from './roles.ts';
export { endReview, type ReviewDecision, runReview } from './review-approval.ts';
export {
  correctionPayloads,
  findProposal,
  type FormerRevision,
  formerRevisions,
  listProposals,
  type NewReview,
  proposalItems,
  type ProposalView,
  proposeReview,
  reviewHash,
  type ReviewItem,
} from './review-proposals.ts';
export {
  acceptAsFiled,
  assignedPeople,
  handOn,
  rejectByReview,
  REVIEW_FILTERS,
  type ReviewCandidate,
  reviewCandidates,
  type ReviewFilter,
} from './reviews.ts';
export { PostgresSequencer, type SequencerOptions } from './sequencer.ts';
export {
  countSetAside,
  type KeptFact,
  type OpenedFact,
  openSetAside,
  setAsideFacts,
} from './kept-facts.ts';
export { type SequencerThread, startSequencerThread } from './sequencer-thread.ts';
export { describeServer } from './server.ts';
export { type ConnectionTarget, databaseFailure, Session, type SessionOptions } from './session.ts';
export {
  retireSigningKey,
  rotateSigningKey,
  type SigningKey,
  signingKeys,
  type SigningMeans,
  trustedLogs,
} from './signing-keys.ts';
export { LEASE_MS } from './slots.ts';
// For the test of its query plan.
export { PLANNER } from './planner.ts';
export { TICK, tickValues } from './tick.ts';
export { consistencyProofAt, inclusionProofAt, type LogName, rootAt } from './tree-store.ts';
export {
  addSubscription,
  changeRecipient,
  changeSubscription,
  findMail,
  findSubscription,
  listRecipients,
  listSubscriptions,
  type MailSetting,
  type Recipient,
  RECIPIENT_ROLES,
  type RecipientRole,
  recipientsOf,
  type SealedSecret,
  setMail,
  type Subscription,
  type SubscriptionChange,
  subscriptionSecrets,
} from './subscriptions.ts';
export {
  backlogPages,
  filingsDueBefore,
  lanesOwing,
  measuredServiceMs,
} from './forecast.ts';
export {
  filingsNear,
  filingsWarned,
  forgetWarned,
  type NearFiling,
  rememberWarned,
} from './warned.ts';
