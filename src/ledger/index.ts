export { BodyCollector, type FoundBody, shreddedByEntries } from './acts/audit-bodies.ts';
export {
  readBoundary,
  signedLog,
  type SignedLog,
  signedLogs,
  signNow,
} from './acts/audit-heads.ts';
export { writePack, writeWholeLog, type WrittenLog } from './acts/audit-pack.ts';
export { opensslLines, readmeText, VERIFIERS, verifierScript } from './acts/audit-texts.ts';
export { sequenceAll } from './acts/sequence.ts';
export {
  type JudgedLedger,
  type JudgedLog,
  type LedgerTrust,
  lookFirst,
  verifyWholeLedger,
  writeLateCopies,
} from './audit/whole-ledger.ts';
export { CompactRange } from './compact-range.ts';
export { parseEntry } from './entry-chain.ts';
export type { IntakeEntry, LedgerEntry, LedgerSubject } from './entry-type.ts';
export { buildEntry, genesisPrev, logOrigin } from './entry.ts';
export { leafHash } from './hashes.ts';
export { type OfflineReport, verifyFolder } from './offline/audit-offline.ts';
export {
  type CheckpointArchive,
  type CheckpointCopies,
  checkpointsFrom,
  latestCheckpoint,
  type StoredCheckpoint,
} from './store/checkpoints.ts';
export {
  addCosignature,
  afterHead,
  cosignedHead,
  growthProof,
  lastCosigned,
  witnessedHead,
} from './store/cosignatures.ts';
export { actName } from './rows/filing-sayings.ts';
export { differenceText, RowComparison, type RowDifference } from './rows/row-comparison.ts';
export {
  LOGS_IN_ORDER,
  rowLine,
  ROWS_PER_FILE,
  rowsFile,
  UNSIGNED_FILE,
  unsignedLine,
} from './rows/rows-file.ts';
export { DESTROYED, type FoundRow, type RowKind } from './rows/saying.ts';
export { comparedLedger, waitingFacts } from './store/compared-rows.ts';
export { payloadOwner } from './payload-owner.ts';
export { bodyAad, isOwned, openBody } from './seal.ts';
export { dataKey, dataKeys } from './store/data-keys.ts';
export { factJson, recordFact } from './store/facts.ts';
export type { Installation } from './store/installation.ts';
export { countSetAside, openSetAside, setAsideFacts } from './store/kept-facts.ts';
export { type KeyRow, keyRows } from './store/key-rows.ts';
export {
  hasTenantKey,
  localRootKey,
  openTenantKey,
  rootKeyOpens,
  rotateRootKey,
  rotateTenantKey,
} from './store/key-tree.ts';
export { ledgerEntries, ledgerWaiting } from './store/ledger-entries.ts';
export {
  entriesBetween,
  entriesOfFiling,
  type FiledEntry,
  firstSeqSince,
  ledgerCounts,
  type LogCounts,
} from './store/ledger-export.ts';
export { namedHead } from './store/named-heads.ts';
export { compareCopies } from './store/contradictions.ts';
export { partiesOf } from './store/parties.ts';
export {
  leaveQuarantine,
  mayTakePart,
  type Quarantine,
  readQuarantine,
  settleQuarantine,
} from './store/quarantine.ts';
export { type Alert, ALERT, alertOf, raiseAlertRow, type Severity } from './store/raise-alert.ts';
export { type SequencerThread, startSequencerThread } from './store/sequencer-thread.ts';
export { PostgresSequencer } from './store/sequencer.ts';
export { retireSigningKey, rotateSigningKey, trustedLogs } from './store/signing-keys.ts';
export { parseTrustPolicy } from './trust-policy-file.ts';
export type { TrustedLog, TrustedWitness, TrustPolicy } from './trust-policy.ts';
export { addStamp, lastStamp, stampsFrom } from './store/timestamps.ts';
export { type JudgedStamps, judgeStamps, type StampTrust } from './audit/stored-stamps.ts';
export {
  checkStamp,
  openResponse,
  readAuthorities,
  STAMP_BYTES_MAX,
} from './stamp/check-stamp.ts';
export type { StampCertificate } from './stamp/certificates.ts';
export { imprintOf, NONCE_BYTES, nonceOf, stampRequest } from './stamp/request.ts';
export { watchKeys } from './store/watch-keys.ts';
export { type KnownKeys, TenantKey } from './tenant-key.ts';
export { KeyVault } from './vault.ts';
export { parseVerifierKey } from './verifier-key.ts';
export { verifyBody } from './verify-body.ts';
export { ADD_CHECKPOINT_BYTES_MAX, writeAddCheckpoint } from './witness/add-checkpoint.ts';
export { readCosignature } from './witness/cosignature.ts';
export { createWitness } from './witness/witness.ts';
