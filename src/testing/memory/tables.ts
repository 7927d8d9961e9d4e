/**
 * The tables and their constraints. Everything here is synchronous and deterministic: time comes from the given clock,
 * Maps keep the order of insertion, and the queue is sorted as the database's index is.
 */
import {
  type BatchId,
  entryId,
  type FilingId,
  type Instant,
  invariant,
  isLegalTransition,
  type LaneCode,
  type LedgerFact,
  type SealedPayload,
  type WorkerId,
  type WrappedKey,
} from '../../core/index.ts';
import type { MemoryLedger } from './ledger.ts';
import type {
  AttemptRow,
  BatchRow,
  BlobRow,
  ExceptionRow,
  FilingRow,
  LaneRow,
  OutboxRow,
  OutcomeRow,
  SlotRow,
  WorkerRow,
} from './rows.ts';

export class Tables {
  readonly now: () => Instant;
  readonly leaseMs: number;
  readonly ledger: MemoryLedger;
  readonly workers = new Map<WorkerId, WorkerRow>();
  readonly lanes = new Map<LaneCode, LaneRow>();
  /** Each lane's slots, the place in the array being the slot's number. */
  readonly slots = new Map<LaneCode, SlotRow[]>();
  slotFence = 0;
  readonly batches = new Map<BatchId, BatchRow>();
  readonly filings = new Map<FilingId, FilingRow>();
  readonly obligations = new Map<string, FilingId>();
  readonly keys = new Map<string, FilingId>();
  readonly attempts = new Map<FilingId, AttemptRow[]>();
  readonly outcomes = new Map<FilingId, OutcomeRow[]>();
  readonly exceptions: ExceptionRow[] = [];
  /** By lane and number. */
  readonly receipts = new Map<string, FilingId>();
  readonly outbox: OutboxRow[] = [];
  readonly blobs = new Map<string, BlobRow>();
  readonly dataKeys = new Map<string, WrappedKey & { readonly subject: string }>();
  /** Queued filings of each lane by (last safe moment, id). */
  readonly #queues = new Map<LaneCode, FilingRow[]>();
  readonly #held = new Set<FilingId>();

  constructor(options: {
    readonly now: () => Instant;
    readonly leaseMs: number;
    readonly ledger: MemoryLedger;
  }) {
    this.now = options.now;
    this.leaseMs = options.leaseMs;
    this.ledger = options.ledger;
  }

  filing(id: FilingId): FilingRow {
    const row = this.filings.get(id);
    invariant(row !== undefined, 'The filing exists', { filing: id });
    return row;
  }

  lane(code: LaneCode): LaneRow {
    const row = this.lanes.get(code);
    invariant(row !== undefined, 'The lane exists', { lane: code });
    return row;
  }

  isAlive(worker: WorkerId): boolean {
    const row = this.workers.get(worker);
    return row !== undefined && row.endedAt === undefined && row.expiresAt > this.now();
  }

  /** Writes a filing and its places in the queue, after the checks that the database makes. */
  putFiling(next: FilingRow): void {
    const { id, lane } = next.envelope;
    const before = this.filings.get(id);
    assertFiling(before, next);
    if (before?.nextAt !== undefined) removeSorted(this.#queue(lane), before);
    if (next.nextAt !== undefined) insertSorted(this.#queue(lane), next);
    if (next.holder === undefined) this.#held.delete(id);
    else this.#held.add(id);
    this.filings.set(id, next);
  }

  /** In the order of the last safe moment. */
  queued(lane: LaneCode): readonly FilingRow[] {
    return this.#queue(lane);
  }

  held(): readonly FilingRow[] {
    return Array.from(this.#held, (id) => this.filing(id)).sort(byLastSafe);
  }

  addBlob(fact: LedgerFact): void {
    if (fact.body === undefined) return;
    const { sealed, blob } = fact.body;
    if (this.blobs.has(sealed.ct)) return;
    this.blobs.set(sealed.ct, {
      ct: sealed.ct,
      entry: entryId(fact.id),
      key: sealed.key,
      bytes: Uint8Array.from(blob),
    });
  }

  payload({ envelope, payloadCt }: FilingRow): SealedPayload {
    return { ...this.sealed(payloadCt), owner: { filing: envelope.id, key: envelope.key } };
  }

  sealed(ct: string): SealedPayload {
    const blob = this.blobs.get(ct);
    invariant(blob !== undefined, 'The sealed body exists', { ct });
    const key = this.dataKeys.get(blob.key);
    invariant(key !== undefined, 'The data key exists', { key: blob.key });
    return {
      blob: blob.bytes,
      entry: blob.entry,
      key: { id: key.id, month: key.month, wrapped: key.wrapped },
    };
  }

  #queue(lane: LaneCode): FilingRow[] {
    const queue = this.#queues.get(lane) ?? [];
    this.#queues.set(lane, queue);
    return queue;
  }
}

export function byLastSafe(a: FilingRow, b: FilingRow): number {
  if (a.envelope.lastSafe !== b.envelope.lastSafe) return a.envelope.lastSafe - b.envelope.lastSafe;
  return a.envelope.id < b.envelope.id ? -1 : a.envelope.id > b.envelope.id ? 1 : 0;
}

/** The check constraints and the trigger of sql/0005_filings.sql. */
export function assertFiling(before: FilingRow | undefined, after: FilingRow): void {
  const from = before?.status ?? null;
  const { status, step, envelope } = after;
  const details = { filing: envelope.id };
  invariant(
    from === status || isLegalTransition(from, status),
    `A filing may not go from ${from ?? 'nothing'} to ${status}`,
    details,
  );
  invariant(
    after.holder === undefined || after.nextAt === undefined,
    'A filing that is held is not queued',
    details,
  );
  const isEnd = status === 'accepted' || status === 'rejected' || status === 'fallout';
  invariant(isEnd === (step === undefined), 'Exactly an end state has no step', details);
  invariant(
    status !== 'accepted' || after.receipt !== undefined,
    'An accepted filing has a receipt',
    details,
  );
}

/** Where `row` is, or belongs. */
function placeOf(queue: readonly FilingRow[], row: FilingRow): number {
  let low = 0;
  let high = queue.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = queue[middle];
    if (other !== undefined && byLastSafe(other, row) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function insertSorted(queue: FilingRow[], row: FilingRow): void {
  queue.splice(placeOf(queue, row), 0, row);
}

function removeSorted(queue: FilingRow[], row: FilingRow): void {
  queue.splice(placeOf(queue, row), 1);
}
