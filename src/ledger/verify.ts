import { CompactRange } from './compact-range.ts';
import { EntryChain, type EntryFault } from './entry-chain.ts';
import { FilingHistory, type HistoryFault } from './filing-history.ts';
import { leafHash, sameBytes } from './hashes.ts';

/** A tree head whose signature somebody else has checked, or that was kept from earlier. */
export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

export type HeadFault = 'ROLLBACK' | 'SIZE_MISMATCH' | 'ROOT_MISMATCH' | 'INCONSISTENT_WITH_PINNED';
export type VerifyFault = HeadFault | EntryFault | HistoryFault;

export interface VerifyRequest {
  readonly origin: string;
  /** The head the entries must add up to; without one, only the entries are checked among themselves. */
  readonly head?: TreeHead;
  /** A head trusted earlier, which the log must still contain. */
  readonly pinned?: TreeHead;
  /** Also replay the state machine of filings (only for logs that hold filings); false unless told. */
  readonly states?: boolean;
}

export type VerifyOutcome =
  | {
      readonly ok: true;
      readonly size: number;
      readonly root: Uint8Array;
      /** Time of the last entry; absent in an empty log. */
      readonly lastTs?: string;
    }
  | VerifyFailure;

export interface VerifyFailure {
  readonly ok: false;
  readonly reason: VerifyFault;
  /** The place of the entry, where the failure is one entry's. */
  readonly seq?: number;
  readonly message: string;
}

/**
 * Checks a whole log in one pass, in memory that grows by some tens of bytes for each entry.
 *
 * The first failure in the order of ledger format 1, § 9 wins. A stream shows its root only at its end, so the
 * first failure of an entry is remembered, and a wrong size or root found later takes its place.
 */
export async function verifyEntries(
  entries: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  request: VerifyRequest,
): Promise<VerifyOutcome> {
  const { origin, head, pinned } = request;
  if (head !== undefined && pinned !== undefined && head.size < pinned.size)
    return rollback(head, pinned);

  const range = CompactRange.empty();
  const chain = new EntryChain(origin);
  const history = request.states === true ? new FilingHistory() : undefined;
  let inconsistent =
    pinned !== undefined && isAt(range, pinned) ? againstPinned(range, pinned) : undefined;
  let entryFailure: VerifyFailure | undefined;
  let historyFailure: VerifyFailure | undefined;

  for await (const bytes of entries) {
    const seq = range.size;
    if (head !== undefined && seq === head.size) return tooMany(head);
    const leaf = leafHash(bytes);
    range.append(leaf);
    if (pinned !== undefined && isAt(range, pinned)) inconsistent = againstPinned(range, pinned);
    // After one broken entry the chain has nothing to compare with; the rest counts only for the root.
    if (entryFailure !== undefined) continue;

    const checked = chain.next(bytes, leaf);
    if (!checked.ok) {
      entryFailure = entryFailed(checked.reason, seq, checked.found);
      // No head can outrank it then, so the rest need not be read.
      if (head === undefined && pinned === undefined) return entryFailure;
    } else if (historyFailure === undefined) {
      const reason = history?.check(checked.entry);
      if (reason !== undefined) historyFailure = entryFailed(reason, seq, HISTORY_MEANING[reason]);
    }
  }

  const { size } = range;
  if (pinned !== undefined && size < pinned.size && head === undefined)
    return rollback({ size }, pinned);
  const root = range.root();
  const failure =
    (head === undefined ? undefined : againstHead({ size, root }, head)) ??
    inconsistent ??
    entryFailure ??
    historyFailure;
  if (failure !== undefined) return failure;
  return { ok: true, size, root, ...(size > 0 ? { lastTs: chain.lastTs } : {}) };
}

const HISTORY_MEANING: Readonly<Record<HistoryFault, string>> = {
  ILLEGAL_TRANSITION: 'it changes a filing in a way the state machine does not allow',
  SUBMIT_AFTER_ACCEPT: 'it announces a send of a filing that is already accepted',
  FALLOUT_WITHOUT_ENVELOPE: 'a filing leaves automation without an envelope for a person',
};

function isAt(range: CompactRange, head: TreeHead): boolean {
  return range.size === head.size;
}

function againstHead(found: TreeHead, head: TreeHead): VerifyFailure | undefined {
  if (found.size !== head.size) {
    return failed('SIZE_MISMATCH', `Expected ${head.size} entries, found ${found.size}.`);
  }
  if (!sameBytes(found.root, head.root)) {
    return failed(
      'ROOT_MISMATCH',
      'Expected entries that add up to the root of the tree head; they do not.',
    );
  }
  return undefined;
}

function againstPinned(range: CompactRange, pinned: TreeHead): VerifyFailure | undefined {
  if (sameBytes(range.root(), pinned.root)) return undefined;
  return failed(
    'INCONSISTENT_WITH_PINNED',
    `Expected the first ${pinned.size} entries to be those of the pinned tree head; they are not.`,
  );
}

function rollback(found: { readonly size: number }, pinned: TreeHead): VerifyFailure {
  return failed(
    'ROLLBACK',
    `Expected a log of at least ${pinned.size} entries, as pinned earlier; this one has ${found.size}.`,
  );
}

function tooMany(head: TreeHead): VerifyFailure {
  return failed('SIZE_MISMATCH', `Expected ${head.size} entries, found more.`);
}

function failed(reason: HeadFault, message: string): VerifyFailure {
  return { ok: false, reason, message };
}

function entryFailed(reason: EntryFault | HistoryFault, seq: number, found: string): VerifyFailure {
  return {
    ok: false,
    reason,
    seq,
    message: `Expected entry ${seq} to follow from those before it, but ${found}.`,
  };
}
