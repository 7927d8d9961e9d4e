/**
 * The store's ports on a `MemoryDatabase`: one instance for each simulated process, or one for all. A contract suite
 * (test/store-contract) holds it to what PostgreSQL does.
 */
import {
  type Admission,
  type AttemptRecord,
  type BatchId,
  type Claim,
  type DeliveryStore,
  type FilingId,
  type IntakeStore,
  invariant,
  type Instant,
  type LaneCode,
  type LaneState,
  type LedgerFact,
  type NewFiling,
  type SequencerStore,
  type SlotRef,
  type Survey,
  type TickAnswer,
  type TickInput,
  type WorkerId,
  type WrappedKey,
} from '../core/index.ts';
import type { MemoryDatabase } from './memory/database.ts';

/**
 * How a call reaches the database. `work` is the whole transaction: it may be run now, later, twice or never, and its
 * answer may be lost, which is every way in which a database can fail a caller.
 */
export type StoreCall = <T>(method: string, work: () => T) => Promise<T>;

/** Effect at once, answer on a later turn. */
const direct: StoreCall = async (_method, work) => work();

export class MemoryStore implements DeliveryStore, SequencerStore, IntakeStore {
  readonly #database: MemoryDatabase;
  readonly #call: StoreCall;

  constructor(database: MemoryDatabase, call: StoreCall = direct) {
    this.#database = database;
    this.#call = call;
  }

  registerWorker(
    input: Parameters<DeliveryStore['registerWorker']>[0],
  ): ReturnType<DeliveryStore['registerWorker']> {
    return this.#call('registerWorker', () => this.#database.registerWorker(input));
  }

  beat(worker: WorkerId): ReturnType<DeliveryStore['beat']> {
    return this.#call('beat', () => this.#database.beat(worker));
  }

  endWorker(worker: WorkerId): Promise<void> {
    return this.#call('endWorker', () => this.#database.endWorker(worker));
  }

  survey(): Promise<Survey> {
    return this.#call('survey', () => this.#database.survey());
  }

  acquireSlots(
    worker: WorkerId,
    wants: Parameters<DeliveryStore['acquireSlots']>[1],
  ): ReturnType<DeliveryStore['acquireSlots']> {
    return this.#call('acquireSlots', () => this.#database.acquireSlots(worker, wants));
  }

  releaseSlots(
    worker: WorkerId,
    slots: Parameters<DeliveryStore['releaseSlots']>[1],
  ): Promise<void> {
    return this.#call('releaseSlots', () => this.#database.releaseSlots(worker, slots));
  }

  tick(input: TickInput): Promise<TickAnswer> {
    return this.#call('tick', () => this.#database.tick(input));
  }

  adopt(worker: WorkerId, known: readonly FilingId[]): Promise<readonly Claim[]> {
    return this.#call('adopt', () => this.#database.adopt(worker, known));
  }

  takeOrphans(worker: WorkerId, limit: number): Promise<readonly Claim[]> {
    return this.#call('takeOrphans', () => this.#database.takeOrphans(worker, limit));
  }

  takeLate(worker: WorkerId, limit: number): Promise<readonly Claim[]> {
    return this.#call('takeLate', () => this.#database.takeLate(worker, limit));
  }

  changeLane(expected: LaneState, next: LaneState, facts: readonly LedgerFact[]): Promise<boolean> {
    return this.#call('changeLane', () => this.#database.changeLane(expected, next, facts));
  }

  leaseProbe(worker: WorkerId, lane: LaneCode): Promise<SlotRef | undefined> {
    return this.#call('leaseProbe', () => this.#database.leaseProbe(worker, lane));
  }

  openQuestions(lane: LaneCode, since: Instant): Promise<number> {
    return this.#call('openQuestions', () => this.#database.openQuestions(lane, since));
  }

  receiptOwner(lane: LaneCode, number: string): Promise<FilingId | undefined> {
    return this.#call('receiptOwner', () => this.#database.receiptOwner(lane, number));
  }

  /** Nobody is there to be told; the filing's own state says it all. */
  reportFault(): Promise<void> {
    return Promise.resolve();
  }

  history(filing: FilingId): Promise<readonly AttemptRecord[]> {
    return this.#call('history', () => this.#database.history(filing));
  }

  async dataKey(subject: string, month: string, make: () => WrappedKey): Promise<WrappedKey> {
    const keys = await this.dataKeys([subject], month, make);
    const key = keys.get(subject);
    invariant(key !== undefined, 'A data key is made on first use', { subject });
    return key;
  }

  dataKeys(
    subjects: readonly string[],
    month: string,
    make: () => WrappedKey,
  ): Promise<ReadonlyMap<string, WrappedKey>> {
    return this.#call('dataKeys', () => this.#database.dataKeys(subjects, month, make));
  }

  openBatch(input: Parameters<IntakeStore['openBatch']>[0]): Promise<void> {
    return this.#call('openBatch', () => this.#database.openBatch(input));
  }

  admit(filings: readonly NewFiling[]): Promise<readonly Admission[]> {
    return this.#call('admit', () => this.#database.admit(filings));
  }

  preview(filings: Parameters<IntakeStore['preview']>[0]): Promise<readonly Admission[]> {
    return this.#call('preview', () => this.#database.preview(filings));
  }

  closeBatch(batch: BatchId, fact: LedgerFact): ReturnType<IntakeStore['closeBatch']> {
    return this.#call('closeBatch', () => this.#database.closeBatch(batch, fact));
  }

  sequence(limit: number): Promise<number> {
    return this.#call('sequence', () => this.#database.sequence(limit));
  }
}
