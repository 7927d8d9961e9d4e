import type { CheckpointFault, TreeHead } from './checkpoint.ts';
import { CompactRange } from './compact-range.ts';
import { EntryChain, type EntryFault } from './entry-chain.ts';
import { FilingHistory, type HistoryFault } from './filing-history.ts';
import type { LedgerEntry } from './entry-type.ts';
import { leafHash, sameBytes } from './hashes.ts';
import type { TreeNode } from './proof-plan.ts';

export type HeadFault = 'ROLLBACK' | 'SIZE_MISMATCH' | 'ROOT_MISMATCH' | 'INCONSISTENT_WITH_PINNED';
export type VerifyFault = CheckpointFault | HeadFault | EntryFault | HistoryFault;

export interface VerifyRequest {
  readonly origin: string;
  /** The head the entries must add up to; without one, only the entries are checked among themselves. */
  readonly head?: TreeHead;
  /** A head trusted earlier, which the log must still contain. */
  readonly pinned?: TreeHead;
  /** Also replay the state machine of filings (only for logs that hold filings); false unless told. */
  readonly states?: boolean;
  /** Hears of each entry that follows from those before it: what the entries say is looked at in the same pass. */
  readonly entry?: (entry: LedgerEntry) => void;
  /** Hears of each leaf and subtree, smallest first, as `CompactRange.append` tells it. */
  readonly completed?: (node: TreeNode, hash: Uint8Array) => void;
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
 * Checks a whole log in one pass, in memory that grows by some tens of bytes for each entry: `push` every entry until
 * it answers false, then ask `finish`. It reads nothing itself, so it serves streams and arrays alike.
 *
 * The first failure in the order of ledger format 1, § 9 wins. A stream shows its root only at its end, so the
 * first failure of an entry is remembered, and a wrong size or root found later takes its place.
 */
export class LogVerifier {
  readonly #head: TreeHead | undefined;
  readonly #pinned: TreeHead | undefined;
  readonly #range = CompactRange.empty();
  readonly #chain: EntryChain;
  readonly #history: FilingHistory | undefined;
  readonly #entry: VerifyRequest['entry'];
  readonly #completed: VerifyRequest['completed'];
  // Each is the first of its kind; which of them is told, `finish` decides.
  #headFailure: VerifyFailure | undefined;
  #pinnedFailure: VerifyFailure | undefined;
  #entryFailure: VerifyFailure | undefined;
  #historyFailure: VerifyFailure | undefined;

  constructor({ origin, head, pinned, states, entry, completed }: VerifyRequest) {
    this.#entry = entry;
    this.#completed = completed;
    this.#head = head;
    this.#pinned = pinned;
    this.#chain = new EntryChain(origin);
    this.#history = states === true ? new FilingHistory() : undefined;
    if (head !== undefined && pinned !== undefined && head.size < pinned.size) {
      this.#headFailure = rollback(head.size, pinned);
    }
    this.#comparePinned();
  }

  /** How many entries it has taken. */
  get size(): number {
    return this.#range.size;
  }

  /** The root over the entries so far: at any size, from the one pass. */
  root(): Uint8Array {
    return this.#range.root();
  }

  /** False when no further entry can change the answer. */
  get wantsMore(): boolean {
    if (this.#headFailure !== undefined) return false;
    const isAlone = this.#head === undefined && this.#pinned === undefined;
    return !(isAlone && this.#entryFailure !== undefined);
  }

  /** Takes the next entry; answers whether another one is wanted. */
  push(bytes: Uint8Array): boolean {
    const seq = this.#range.size;
    if (this.#head !== undefined && seq === this.#head.size) {
      this.#headFailure ??= failed(
        'SIZE_MISMATCH',
        `Expected ${this.#head.size} entries, found more.`,
      );
      return false;
    }
    const leaf = leafHash(bytes);
    this.#range.append(leaf, this.#completed);
    this.#comparePinned();
    // After one broken entry the chain has nothing to compare with; the rest counts only for the root.
    if (this.#entryFailure !== undefined) return true;

    const checked = this.#chain.next(bytes, leaf);
    if (!checked.ok) {
      this.#entryFailure = entryFailed(checked.reason, seq, checked.found);
      return this.wantsMore;
    }
    this.#entry?.(checked.entry);
    if (this.#historyFailure === undefined) {
      const reason = this.#history?.check(checked.entry);
      if (reason !== undefined) {
        this.#historyFailure = entryFailed(reason, seq, HISTORY_MEANING[reason]);
      }
    }
    return this.wantsMore;
  }

  finish(): VerifyOutcome {
    const { size } = this.#range;
    const root = this.#range.root();
    const failure =
      this.#headFailure ??
      this.#compareHead(size, root) ??
      this.#pinnedFailure ??
      this.#entryFailure ??
      this.#historyFailure;
    if (failure !== undefined) return failure;
    return { ok: true, size, root, ...(size > 0 ? { lastTs: this.#chain.lastTs } : {}) };
  }

  #compareHead(size: number, root: Uint8Array): VerifyFailure | undefined {
    const [head, pinned] = [this.#head, this.#pinned];
    if (head === undefined) {
      const isShrunk = pinned !== undefined && size < pinned.size;
      return isShrunk ? rollback(size, pinned) : undefined;
    }
    if (size !== head.size) {
      return failed('SIZE_MISMATCH', `Expected ${head.size} entries, found ${size}.`);
    }
    if (sameBytes(root, head.root)) return undefined;
    return failed(
      'ROOT_MISMATCH',
      'Expected entries that add up to the root of the tree head; they do not.',
    );
  }

  // The root of the first m entries is at hand only at the moment when m of them have passed.
  #comparePinned(): void {
    const pinned = this.#pinned;
    if (pinned === undefined || this.#range.size !== pinned.size) return;
    if (sameBytes(this.#range.root(), pinned.root)) return;
    this.#pinnedFailure = failed(
      'INCONSISTENT_WITH_PINNED',
      `Expected the first ${pinned.size} entries to be those of the pinned tree head; they are not.`,
    );
  }
}

const HISTORY_MEANING: Readonly<Record<HistoryFault, string>> = {
  ILLEGAL_TRANSITION: 'it changes a filing in a way the state machine does not allow',
  SUBMIT_AFTER_ACCEPT: 'it announces a send of a filing that is already accepted',
  FALLOUT_WITHOUT_ENVELOPE: 'a filing leaves automation without an envelope for a person',
  REVISION_MISMATCH: 'its key or payload hash is not that of the revision of the filing',
};

function rollback(found: number, pinned: TreeHead): VerifyFailure {
  return failed(
    'ROLLBACK',
    `Expected a log of at least ${pinned.size} entries, as pinned earlier; this one has ${found}.`,
  );
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
