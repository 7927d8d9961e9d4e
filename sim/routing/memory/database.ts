/**
 * A twin of the database for what routing does with it. Statements are known by their names, and one that is not known is
 * an error: a new statement in `src` needs its twin before it can run in a simulation. `test/dockets/memory-contract.test.ts`
 * holds the twin against PostgreSQL.
 */
import { ABORTED, DEADLOCK, PgError, SHUTDOWN, STATEMENT_TIMEOUT } from './pg-error.ts';
import { Query, type Rows, type Work } from './query.ts';
import { STATEMENTS } from './statements.ts';
import { makeTables, type Tables } from './tables.ts';
import { Locks, Transaction, type Wait } from './transaction.ts';

/** As PostgreSQL looks for circles, and as `Session` has its statements cut off. */
const DEADLOCK_MS = 1_000;
const STATEMENT_MS_MAX = 60_000;

export interface Timer {
  cancel(): void;
}

export interface DatabaseOptions {
  /** All rows are this tenant's. */
  readonly tenant: string;
  /** Milliseconds since the epoch, with a fraction where the caller wants one. */
  readonly now: () => number;
  readonly after: (ms: number, act: () => void) => Timer;
  readonly newId: () => string;
  /** Told of every transaction that committed something. */
  readonly onCommit?: (transaction: Transaction) => void;
  /** Told of every statement that ran to its end. */
  readonly onStatement?: (name: string) => void;
}

export class MemoryDatabase {
  readonly tables: Tables = makeTables();
  readonly locks = new Locks();
  readonly options: DatabaseOptions;

  constructor(options: DatabaseOptions) {
    this.options = options;
  }

  /** The server's side of a connection. */
  connect(name: string): Backend {
    return new Backend(this, name);
  }
}

type Answer = (error: unknown, rows: Rows) => void;

export class Backend {
  readonly #database: MemoryDatabase;
  readonly #name: string;
  #transaction: Transaction | undefined;
  #stop: (() => void) | undefined;
  /** A statement outside of any transaction is under way. */
  #isAlone = false;
  /** One of its ends is gone. */
  isClosed = false;

  constructor(database: MemoryDatabase, name: string) {
    this.#database = database;
    this.#name = name;
  }

  get isWaiting(): boolean {
    return (this.#transaction?.waitsFor.length ?? 0) > 0;
  }

  get hasWritten(): boolean {
    return this.#transaction?.hasWritten ?? false;
  }

  /** Answers once, now or when what it waits for is over. */
  execute(name: string, values: readonly unknown[], answer: Answer): void {
    switch (name) {
      case 'begin':
        // In a transaction it is a warning and no more.
        this.#transaction ??= this.#begin();
        answer(undefined, []);
        return;
      case 'commit':
      case 'rollback':
        this.#end(name);
        answer(undefined, []);
        return;
      default:
        this.#run(name, values, answer);
    }
  }

  /**
   * The client is gone, and an open transaction comes to nothing. A single statement that waits for a lock is brought to its
   * end all the same: a server looks for its client only when it has something to tell.
   */
  cut(): void {
    this.isClosed = true;
    if (this.#isAlone) return;
    this.crash();
  }

  /** The server is gone. */
  crash(): void {
    this.isClosed = true;
    this.#stop?.();
    this.#end('rollback');
  }

  #begin(): Transaction {
    return new Transaction(this.#database.options.now(), this.#name);
  }

  #end(how: 'commit' | 'rollback'): void {
    const transaction = this.#transaction;
    this.#transaction = undefined;
    if (transaction !== undefined && !transaction.isOver) this.#finish(transaction, how);
  }

  #finish(transaction: Transaction, how: 'commit' | 'rollback'): void {
    const { locks, options } = this.#database;
    if (how === 'commit' && transaction.hasWritten) options.onCommit?.(transaction);
    transaction.end(how, locks);
  }

  #run(name: string, values: readonly unknown[], answer: Answer): void {
    const isAlone = this.#transaction === undefined;
    const transaction = this.#transaction ?? this.#begin();
    if (transaction.isOver) {
      answer(new PgError(ABORTED, 'current transaction is aborted'), []);
      return;
    }
    // So that a wait and a crash find a single statement, too.
    this.#transaction = transaction;
    this.#isAlone = isAlone;
    const over = (error: unknown, rows: Rows): void => {
      transaction.waitsFor = [];
      this.#stop = undefined;
      this.#isAlone = false;
      // Locks go with the error, and not only with the rollback that the client will ask for.
      if (error !== undefined) this.#finish(transaction, 'rollback');
      else this.#database.options.onStatement?.(name);
      if (isAlone) this.#end('commit');
      answer(error, rows);
    };
    try {
      const work = this.#workOf(name, values, transaction);
      if (Array.isArray(work)) over(undefined, work);
      else this.#advance(work, transaction, over);
    } catch (error) {
      over(error, []);
    }
  }

  #workOf(name: string, values: readonly unknown[], transaction: Transaction): Work | Rows {
    const { tables, locks, options } = this.#database;
    const work = STATEMENTS.get(name);
    if (work === undefined) throw new Error(`The twin of the database has no statement "${name}"`);
    if (values.length > 0 && values[0] !== options.tenant) {
      throw new Error(`"${name}" asks for another tenant than ${options.tenant}`);
    }
    const { now: clock, newId } = options;
    return work(new Query({ tables, locks, transaction, clock, newId }), values);
  }

  #advance(work: Work, transaction: Transaction, over: Answer): void {
    const { after } = this.#database.options;
    const limit = { timer: undefined as Timer | undefined, isOver: false };
    const end: Answer = (error, rows) => {
      limit.timer?.cancel();
      limit.isOver = true;
      over(error, rows);
    };
    this.#stop = () => end(new PgError(SHUTDOWN, 'terminating connection'), []);
    const step = (): void => {
      if (limit.isOver) return;
      transaction.waitsFor = [];
      let turn: IteratorResult<Wait, Rows>;
      try {
        turn = work.next();
      } catch (error) {
        end(error, []);
        return;
      }
      if (turn.done === true) {
        end(undefined, turn.value);
        return;
      }
      limit.timer ??= after(STATEMENT_MS_MAX, () =>
        end(new PgError(STATEMENT_TIMEOUT, 'canceling statement due to statement timeout'), []),
      );
      this.#await(turn.value, transaction, { step, end, isOver: () => limit.isOver });
    };
    step();
  }

  /** Goes on when one of those is over; in a circle, whoever has waited long enough gives up. */
  #await(
    others: Wait,
    transaction: Transaction,
    way: { readonly step: () => void; readonly end: Answer; readonly isOver: () => boolean },
  ): void {
    transaction.waitsFor = others;
    let isAwake = false;
    const timer = this.#database.options.after(DEADLOCK_MS, () => {
      if (isAwake || way.isOver() || !transaction.isInCircle()) return;
      isAwake = true;
      way.end(new PgError(DEADLOCK, 'deadlock detected'), []);
    });
    const wake = (): void => {
      if (isAwake) return;
      isAwake = true;
      timer.cancel();
      way.step();
    };
    for (const other of others) other.onEnd(wake);
  }
}
