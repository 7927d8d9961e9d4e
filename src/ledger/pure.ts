export {
  checkCheckpoint,
  type Checkpoint,
  type CheckpointFault,
  type CheckpointOutcome,
  checkpointText,
  checkPinned,
  openCheckpoint,
  signCheckpoint,
  type TreeHead,
  type Trust,
} from './checkpoint.ts';
export { LEDGER_BOUNDARIES, type LedgerBoundary } from '../core/index.ts';
export { CompactRange } from './compact-range.ts';
export { buildEntry, ENTRY_BYTES_MAX, entryBytes, genesisPrev, logOrigin } from './entry.ts';
export { type EntryFault, parseEntry } from './entry-chain.ts';
export {
  type EntryPlace,
  type IntakeEntry,
  type LedgerActor,
  type LedgerClass,
  type LedgerEntry,
  type LedgerSubject,
  type SealedBody,
} from './entry-type.ts';
export { type HistoryFault } from './filing-history.ts';
export { leafHash, nodeHash } from './hashes.ts';
export { type ChainVerdict, KeyChain, type KeyFault, SignedHeads } from './key-chain.ts';
export {
  type HeadFault,
  type VerifyFailure,
  type VerifyFault,
  type VerifyOutcome,
  type VerifyRequest,
} from './log-verifier.ts';
export { type OpenedNote, openNote, type VerifiedSignature, type VerifierKeys } from './note.ts';
export {
  addSignature,
  logSigner,
  type NoteSigner,
  signNote,
  witnessSigner,
} from './note-signer.ts';
export { canonicalBytes, canonicalBytesRfc8785, parseStrict } from './plain-json.ts';
export {
  assembleProof,
  assembleRoot,
  consistencyPlan,
  inclusionPlan,
  nodesOf,
  type ProofPlan,
  type ProofSource,
  rootPlan,
  type TreeNode,
} from './proof-plan.ts';
export {
  type BodyPlace,
  openBody,
  type RandomBytes,
  sealBody,
  type SealFault,
  unwrapKey,
  wrapKey,
} from './seal.ts';
export {
  decodeBundle,
  decodeTile,
  encodeBundle,
  type HashRow,
  hashRow,
  parseTilePath,
  TILE_WIDTH,
  type TileName,
  tilePath,
  tilesOfPlan,
  tilesOfTree,
  tileSource,
} from './tile.ts';
export { SpineHeads } from './spine-heads.ts';
export { TileBuilder, type TileFile, tileFiles } from './tile-builder.ts';
export {
  parseTlogProof,
  type TlogProof,
  type TlogProofFault,
  type TlogProofOutcome,
  verifyTlogProof,
  writeTlogProof,
} from './tlog-proof.ts';
export { consistencyProof, inclusionProof, rootHash } from './tree.ts';
export {
  type SizeRange,
  type TrustedLog,
  type TrustedWitness,
  type TrustPolicy,
  type WitnessGroup,
} from './trust-policy.ts';
export { parseTrustPolicy, writeTrustPolicy } from './trust-policy-file.ts';
export { TenantKey } from './tenant-key.ts';
export { KeyVault } from './vault.ts';
export { type KeyRole, parseVerifierKey, verifierKey, type VerifierKey } from './verifier-key.ts';
export { verifyEntries } from './verify.ts';
export { type BodyCheck, type BodyOutcome, verifyBody } from './verify-body.ts';
export {
  inspectLog,
  inspectLogStream,
  type LogRequest,
  type LogStreamRequest,
  type LogVerdict,
  verifyLog,
} from './verify-log.ts';
export {
  type ConsistencyClaim,
  type InclusionClaim,
  verifyConsistency,
  verifyInclusion,
} from './verify-proof.ts';
