/** Verifying a log as it is handed to a stranger: entries, a signed checkpoint, and the keys to believe. */
import { checkCheckpoint, checkPinned, type Trust } from './checkpoint.ts';
import type { LedgerEntry } from './entry-type.ts';
import { entryBytes } from './entry.ts';
import {
  LogVerifier,
  type VerifyFailure,
  type VerifyFault,
  type VerifyOutcome,
} from './log-verifier.ts';

type Entry = string | Uint8Array;

export interface LogRequest extends Trust {
  /** The exact texts of the entries, from the first to the last. */
  readonly entries: Iterable<Entry>;
  /** The signed note that vouches for them. */
  readonly checkpoint: string | Uint8Array;
  /** A checkpoint of the same log that was trusted earlier: the log must still begin with it. */
  readonly pinnedCheckpoint?: string | Uint8Array | null | undefined;
  /** Also replay the state machine of filings; false unless told. */
  readonly states?: boolean;
  /** Hears of each entry that follows from those before it: `KeyChain.push`, `SpineHeads.push`. */
  readonly entry?: (entry: LedgerEntry) => void;
}

export interface LogStreamRequest extends Omit<LogRequest, 'entries'> {
  readonly entries: AsyncIterable<Entry>;
}

export type LogVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: VerifyFault };

/**
 * Whether a log is whole, in order and signed; if not, the first reason in the order of ledger format 1, § 9.
 * Entries that come from an async iterable are checked as they come, and the verdict is a promise. Throws only for
 * what the caller configured: a verifier key that is not one.
 */
export function verifyLog(request: LogRequest): LogVerdict;
export function verifyLog(request: LogStreamRequest): Promise<LogVerdict>;
export function verifyLog(
  request: LogRequest | LogStreamRequest,
): LogVerdict | Promise<LogVerdict> {
  return isStream(request)
    ? inspectLogStream(request).then(verdictOf)
    : verdictOf(inspectLog(request));
}

/** `verifyLog` with the place and the meaning of a failure, and with size and root of a log that holds. */
export function inspectLog(request: LogRequest): VerifyOutcome {
  const verifier = startOf(request);
  if (!(verifier instanceof LogVerifier)) return verifier;
  if (verifier.wantsMore) {
    for (const entry of request.entries) if (!verifier.push(entryBytes(entry))) break;
  }
  return verifier.finish();
}

/** `inspectLog` for entries that come one after the other; memory grows by some tens of bytes for each. */
export async function inspectLogStream(request: LogStreamRequest): Promise<VerifyOutcome> {
  const verifier = startOf(request);
  if (!(verifier instanceof LogVerifier)) return verifier;
  if (verifier.wantsMore) {
    for await (const entry of request.entries) if (!verifier.push(entryBytes(entry))) break;
  }
  return verifier.finish();
}

// Steps 1 to 3 of § 9 need no entry, so a forged checkpoint costs nobody the reading of a million of them.
function startOf(request: LogRequest | LogStreamRequest): LogVerifier | VerifyFailure {
  const { origin, pinnedCheckpoint, states, entry } = request;
  const opened = checkCheckpoint(request.checkpoint, request);
  if (!opened.ok) return opened;
  // Null comes from requests that were read as JSON.
  const hasPinned = pinnedCheckpoint !== undefined && pinnedCheckpoint !== null;
  const pinned = hasPinned ? checkPinned(pinnedCheckpoint, request) : undefined;
  if (pinned?.ok === false) {
    return { ...pinned, message: `Of the pinned checkpoint: ${pinned.message}` };
  }
  return new LogVerifier({
    origin,
    head: opened.checkpoint,
    ...(pinned === undefined ? {} : { pinned: pinned.checkpoint }),
    ...(states === undefined ? {} : { states }),
    ...(entry === undefined ? {} : { entry }),
  });
}

function isStream(request: LogRequest | LogStreamRequest): request is LogStreamRequest {
  return Symbol.asyncIterator in request.entries;
}

function verdictOf(outcome: VerifyOutcome): LogVerdict {
  return outcome.ok ? { ok: true } : { ok: false, reason: outcome.reason };
}
