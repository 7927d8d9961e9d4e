/**
 * One log of the database, verified in one pass over its entries, believing nothing that lies beside them: keys count only
 * with the tenant key's code, heads only where signature, spine, copies outside and remembered heads agree, tiles only
 * where the entries give the same hashes.
 */
import { FilewrightError } from '../../core/index.ts';
import type { TenantKey } from '../tenant-key.ts';
import { checkCheckpoint, type TreeHead } from '../checkpoint.ts';
import type { LedgerEntry } from '../entry-type.ts';
import { KeyChain } from '../key-chain.ts';
import { LogVerifier } from '../log-verifier.ts';
import type { TrustPolicy } from '../trust-policy.ts';
import {
  type CheckpointArchive,
  checkpointsFrom,
  type StoredCheckpoint,
} from '../store/checkpoints.ts';
import { type FoundLog, ledgerEntries } from '../store/ledger-entries.ts';
import type { LogOutline } from '../store/ledger-outline.ts';
import { authenticKeys, type SigningKey, trustOf } from '../store/signing-keys.ts';
import type { Session } from '../../postgres/index.ts';
import { HeadWatch } from './head-watch.ts';
import { headsOf, type PinnedHead } from './log-heads.ts';
import { TileWatch } from './tile-watch.ts';

interface StoredLog {
  readonly tenant: string;
  readonly boundary: string;
  readonly origin: string;
  readonly found: FoundLog;
  /** As it was before the sequencer was asked to do anything. */
  readonly before: LogOutline | undefined;
  /** Sizes of the copies outside, listed before the log was read. */
  readonly copies: readonly number[];
  /** The largest size that is known to have had its copy. */
  readonly copiedUpTo: number;
  /** What the spine says of it. */
  readonly spine: Iterable<TreeHead>;
  /** Whether a checkpoint that the spine does not name is a fault: not for the spine, nor while heads are on their way. */
  readonly mustBeInSpine: boolean;
  /** Heads from outside that it must have. */
  readonly pinned: readonly PinnedHead[];
  /** Whom to believe instead of the keys in the database. */
  readonly policy: TrustPolicy | undefined;
}

interface StoredLogDeps {
  readonly session: Session;
  readonly tenantKey: TenantKey;
  readonly archive: CheckpointArchive;
  /** Hears of each entry, in the same pass. */
  readonly entry: (entry: LedgerEntry) => void;
}

export type StoredVerdict =
  | {
      readonly ok: true;
      /** The newest signed head. */
      readonly signed: TreeHead | undefined;
      /** The verifier key that signed first; undefined before the first head. */
      readonly firstKey: string | undefined;
      /** Keys that no earlier key has signed for, because of a quarantine. */
      readonly unsignedKeys: readonly string[];
      /** From which size on heads have no copy outside yet; undefined where all have theirs. */
      readonly uncopied: number | undefined;
    }
  | {
      readonly ok: false;
      readonly reason: string;
      readonly message: string;
      readonly seq?: number;
    };

export async function verifyStoredLog(deps: StoredLogDeps, log: StoredLog): Promise<StoredVerdict> {
  const { found, origin } = log;
  if (found.head === undefined) {
    return fail(
      'HEAD_MISSING',
      `Expected a head of ${origin}, which has entries or signed heads; it is missing or unreadable.`,
    );
  }
  const keys = await keysOrFault(deps, log);
  if ('reason' in keys) return keys;
  const policy = log.policy ?? {
    logs: trustOf(keys.keys),
    witnesses: [],
    groups: [],
    quorum: 'none',
  };
  const newest = newestHead(log, policy);
  if ('reason' in newest) return newest;
  return verifyPass(deps, log, { head: found.head, signed: newest.head, keys: keys.keys, policy });
}

async function keysOrFault(
  deps: StoredLogDeps,
  log: StoredLog,
): Promise<{ readonly keys: readonly SigningKey[] } | Extract<StoredVerdict, { ok: false }>> {
  try {
    return { keys: await authenticKeys(deps.session, log, deps.tenantKey) };
  } catch (error) {
    if (!(error instanceof FilewrightError) || typeof error.details['reason'] !== 'string')
      throw error;
    return fail(error.details['reason'], error.message);
  }
}

/** The newest checkpoint, which the head of the log must name; undefined before the first. */
function newestHead(
  { origin, found }: StoredLog,
  policy: TrustPolicy,
): { readonly head: TreeHead | undefined } | Extract<StoredVerdict, { ok: false }> {
  const { checkpoint, signedSize } = found;
  if (checkpoint === undefined) {
    if (signedSize === 0) return { head: undefined };
    return fail(
      'CHECKPOINT_MISSING',
      `Expected the checkpoint of size ${signedSize} of ${origin}; no checkpoint is stored.`,
    );
  }
  const read = checkCheckpoint(checkpoint, { origin, policy });
  if (!read.ok) return read;
  return { head: read.checkpoint };
}

async function verifyPass(
  deps: StoredLogDeps,
  log: StoredLog,
  by: {
    readonly head: TreeHead;
    readonly signed: TreeHead | undefined;
    readonly keys: readonly SigningKey[];
    readonly policy: TrustPolicy;
  },
): Promise<StoredVerdict> {
  const { session } = deps;
  const { tenant, boundary, origin } = log;
  const chain = new KeyChain();
  const tiles = new TileWatch((statement, values) => session.run(statement, values), log);
  const heads = headWatchOf(deps, log, by);
  const verifier = new LogVerifier({
    origin,
    head: by.head,
    ...(by.signed === undefined ? {} : { pinned: by.signed }),
    states: boundary === 'filing',
    entry: (entry) => {
      chain.push(entry);
      deps.entry(entry);
    },
    completed: (node, hash) => tiles.completed(node, hash),
  });
  await heads.start();
  for await (const bytes of ledgerEntries(session, tenant, boundary, by.head.size)) {
    if (!verifier.push(bytes)) break;
    if (verifier.size === heads.wanted) await heads.compare(verifier.root());
    if (tiles.isDue) await tiles.compare();
  }
  await heads.finish(verifier.size);
  await tiles.compare();
  const outcome = verifier.finish();
  if (!outcome.ok) return outcome;
  const fault = heads.fault ?? newestFault(log, by.signed) ?? tiles.fault ?? tileCountFault(log);
  if (fault !== undefined) return fail(fault.reason, fault.message);
  const pinnedKeys = new Set((log.policy?.logs ?? []).map(({ key }) => key.text));
  const chained = chain.check(by.keys, heads.signed, pinnedKeys);
  if (!chained.ok) return chained;
  const [first] = by.keys;
  return {
    ok: true,
    signed: by.signed,
    firstKey: first?.vkey,
    unsignedKeys: chained.unsigned,
    uncopied: heads.uncopied,
  };
}

function headWatchOf(
  deps: StoredLogDeps,
  log: StoredLog,
  by: { readonly head: TreeHead; readonly policy: TrustPolicy },
): HeadWatch {
  const { origin, before, mustBeInSpine } = log;
  const heads = headsOf({
    checkpoints: upTo(checkpointsFrom(deps.session, log), by.head.size),
    copies: log.copies,
    spine: log.spine,
    pinned: log.pinned,
  });
  return new HeadWatch(heads, {
    origin,
    policy: by.policy,
    copies: deps.archive,
    spineUpTo: mustBeInSpine ? (before?.signedSize ?? 0) : 0,
    copiedUpTo: log.copiedUpTo,
  });
}

/** Others go on signing while this reads: what is later than the head that was read is not looked at. */
async function* upTo(
  checkpoints: AsyncIterable<StoredCheckpoint>,
  size: number,
): AsyncGenerator<StoredCheckpoint> {
  for await (const checkpoint of checkpoints) {
    if (checkpoint.size > size) return;
    yield checkpoint;
  }
}

/** The head says which size was signed last: a newer checkpoint that was taken away shows there. */
function newestFault(
  { found, origin }: StoredLog,
  signed: TreeHead | undefined,
): { readonly reason: string; readonly message: string } | undefined {
  if (signed === undefined || signed.size === found.signedSize) return undefined;
  const message = `Expected the newest checkpoint of ${origin} to be of size ${found.signedSize}, as its head says; found ${signed.size}.`;
  return { reason: 'CHECKPOINT_MISSING', message };
}

/** Counted before the sequencer started: it makes the last tiles anew where they are missing. */
function tileCountFault({ origin, before }: StoredLog): ReturnType<typeof newestFault> {
  if (before === undefined || before.tiles >= before.tilesExpected) return undefined;
  const message = `Expected ${before.tilesExpected} stored tiles of ${origin}, found ${before.tiles}.`;
  return { reason: 'TILE_MISSING', message };
}

function fail(reason: string, message: string): Extract<StoredVerdict, { ok: false }> {
  return { ok: false, reason, message };
}
