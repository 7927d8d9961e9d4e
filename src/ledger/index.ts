export { CompactRange } from './compact-range.ts';
export {
  buildEntry,
  ENTRY_BYTES_MAX,
  type EntryPlace,
  genesisPrev,
  type IntakeEntry,
  LEDGER_BOUNDARIES,
  type LedgerActor,
  type LedgerBoundary,
  type LedgerClass,
  type LedgerEntry,
  type LedgerSubject,
  logOrigin,
  type SealedBody,
} from './entry.ts';
export { type EntryFault, parseEntry } from './entry-chain.ts';
export { type HistoryFault } from './filing-history.ts';
export { leafHash, nodeHash } from './hashes.ts';
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
  type HeadFault,
  type TreeHead,
  verifyEntries,
  type VerifyFailure,
  type VerifyFault,
  type VerifyOutcome,
  type VerifyRequest,
} from './verify.ts';
export { type BodyCheck, type BodyOutcome, verifyBody } from './verify-body.ts';
export { KeyVault } from './vault.ts';
