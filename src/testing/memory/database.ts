/**
 * The database of a simulation: one for all simulated processes. Every method is one transaction, takes effect at once
 * and is synchronous; `MemoryStore` puts the asynchronous ports on top.
 */
import type {
  Admission,
  AttemptRecord,
  BatchId,
  Claim,
  DeliveryStore,
  FilingId,
  Instant,
  IntakeStore,
  LaneCode,
  LaneState,
  LedgerFact,
  NewFiling,
  SealedPayload,
  Sha256Hex,
  SlotRef,
  Survey,
  TickAnswer,
  TickInput,
  WorkerId,
  WrappedKey,
} from '../../core/index.ts';
import * as admissions from './admissions.ts';
import * as claims from './claims.ts';
import * as lanes from './lanes.ts';
import * as leases from './leases.ts';
import { type MemoryBoundary, MemoryLedger } from './ledger.ts';
import { history, receiptName } from './outcomes.ts';
import type {
  AttemptRow,
  BatchRow,
  ExceptionRow,
  FilingRow,
  LaneRow,
  OutboxRow,
  OutcomeRow,
  SlotRow,
  WorkerRow,
} from './rows.ts';
import { Tables } from './tables.ts';

export interface MemoryDatabaseOptions {
  /** The database's clock, by which all leases are judged. */
  readonly now: () => Instant;
  readonly tenant?: string;
  /** First part of the ledger's origins. */
  readonly instance?: string;
  /** As `LEASE_MS` of src/lanes/store/slots.ts unless told. */
  readonly leaseMs?: number;
}

const LEASE_MS = 5_000;

export class MemoryDatabase {
  readonly #tables: Tables;

  constructor(options: MemoryDatabaseOptions) {
    this.#tables = new Tables({
      now: options.now,
      leaseMs: options.leaseMs ?? LEASE_MS,
      ledger: new MemoryLedger(options.instance ?? 'ledger.example.org', options.tenant ?? 'acme'),
    });
  }

  // Delivery ----------------------------------------------------------------------------------------------------------

  registerWorker(input: Parameters<DeliveryStore['registerWorker']>[0]): {
    readonly id: WorkerId;
    readonly now: Instant;
  } {
    return leases.registerWorker(this.#tables, input);
  }

  beat(worker: WorkerId): { readonly alive: boolean; readonly now: Instant } {
    return leases.beat(this.#tables, worker);
  }

  endWorker(worker: WorkerId): void {
    leases.endWorker(this.#tables, worker);
  }

  survey(): Survey {
    return leases.survey(this.#tables);
  }

  acquireSlots(
    worker: WorkerId,
    wants: Parameters<DeliveryStore['acquireSlots']>[1],
  ): readonly SlotRef[] {
    return leases.acquireSlots(this.#tables, worker, wants);
  }

  releaseSlots(worker: WorkerId, slots: Parameters<DeliveryStore['releaseSlots']>[1]): void {
    leases.releaseSlots(this.#tables, worker, slots);
  }

  tick(input: TickInput): TickAnswer {
    return claims.tick(this.#tables, input);
  }

  adopt(worker: WorkerId, known: readonly FilingId[]): readonly Claim[] {
    return claims.adopt(this.#tables, worker, known);
  }

  takeOrphans(worker: WorkerId, limit: number): readonly Claim[] {
    return claims.takeOrphans(this.#tables, worker, limit);
  }

  takeLate(worker: WorkerId, limit: number): readonly Claim[] {
    return claims.takeLate(this.#tables, worker, limit);
  }

  changeLane(expected: LaneState, next: LaneState, facts: readonly LedgerFact[]): boolean {
    return lanes.changeLane(this.#tables, expected, next, facts);
  }

  leaseProbe(worker: WorkerId, lane: LaneCode): SlotRef | undefined {
    return leases.leaseProbe(this.#tables, worker, lane);
  }

  openQuestions(lane: LaneCode, since: Instant): number {
    return claims.openQuestions(this.#tables, lane, since);
  }

  receiptOwner(lane: LaneCode, number: string): FilingId | undefined {
    return this.#tables.receipts.get(receiptName(lane, number));
  }

  history(filing: FilingId): readonly AttemptRecord[] {
    return history(this.#tables, filing);
  }

  dataKeys(
    subjects: readonly string[],
    month: string,
    make: () => WrappedKey,
  ): ReadonlyMap<string, WrappedKey> {
    return admissions.dataKeys(this.#tables, subjects, month, make);
  }

  // Intake ------------------------------------------------------------------------------------------------------------

  openBatch(input: Parameters<IntakeStore['openBatch']>[0]): void {
    admissions.openBatch(this.#tables, input);
  }

  admit(filings: readonly NewFiling[]): readonly Admission[] {
    return admissions.admit(this.#tables, filings);
  }

  preview(filings: Parameters<IntakeStore['preview']>[0]): readonly Admission[] {
    return admissions.preview(this.#tables, filings);
  }

  closeBatch(
    batch: BatchId,
    fact: LedgerFact,
  ): { readonly count: number; readonly sha256: Sha256Hex } {
    return admissions.closeBatch(this.#tables, batch, fact);
  }

  /** Approves a frozen batch and queues its filings; the fact, if any, goes to the log of access. */
  release(batch: BatchId, fact?: LedgerFact): void {
    admissions.release(this.#tables, batch, fact);
  }

  addLane(lane: lanes.NewLane, fact?: LedgerFact): void {
    lanes.addLane(this.#tables, lane, fact);
  }

  // Sequencer ---------------------------------------------------------------------------------------------------------

  sequence(limit: number): number {
    return this.#tables.ledger.sequence(limit, this.#tables.now());
  }

  // For checkers: what is stored, in the order in which it was written ---------------------------------------------------

  origin(boundary: MemoryBoundary = 'filing'): string {
    return this.#tables.ledger.log(boundary).origin;
  }

  entries(boundary: MemoryBoundary = 'filing'): readonly Uint8Array[] {
    return this.#tables.ledger.log(boundary).entries;
  }

  /** Facts that are committed and not yet in the log. */
  waiting(boundary: MemoryBoundary = 'filing'): number {
    return this.#tables.ledger.log(boundary).intake.size;
  }

  workers(): readonly WorkerRow[] {
    return [...this.#tables.workers.values()];
  }

  lanes(): readonly LaneRow[] {
    return [...this.#tables.lanes.values()];
  }

  slots(): readonly SlotRow[] {
    return [...this.#tables.slots.values()].flat();
  }

  batches(): readonly BatchRow[] {
    return [...this.#tables.batches.values()];
  }

  filings(): readonly FilingRow[] {
    return [...this.#tables.filings.values()];
  }

  filing(id: FilingId): FilingRow {
    return this.#tables.filing(id);
  }

  attempts(filing?: FilingId): readonly AttemptRow[] {
    return rowsOf(this.#tables.attempts, filing);
  }

  outcomes(filing?: FilingId): readonly OutcomeRow[] {
    return rowsOf(this.#tables.outcomes, filing);
  }

  exceptions(): readonly ExceptionRow[] {
    return this.#tables.exceptions;
  }

  outbox(): readonly OutboxRow[] {
    return this.#tables.outbox;
  }

  /** A sealed body by its name. */
  sealed(ct: string): SealedPayload {
    return this.#tables.sealed(ct);
  }
}

function rowsOf<T>(table: ReadonlyMap<FilingId, readonly T[]>, filing?: FilingId): readonly T[] {
  return filing === undefined ? [...table.values()].flat() : (table.get(filing) ?? []);
}
