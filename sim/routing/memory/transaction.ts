/**
 * Transactions of the twin, at the level READ COMMITTED: what was committed when a statement looks, and what this
 * transaction wrote itself; row locks until its end; whoever meets one waits, and looks at the row again afterward.
 */
import { PgError } from './pg-error.ts';
import type { Table } from './table.ts';

/** `share` of a foreign key, `change` of an update, `update` of `for update`. */
export type LockMode = 'share' | 'change' | 'update';

const CONFLICTS: Readonly<Record<LockMode, readonly LockMode[]>> = {
  share: ['update'],
  change: ['change', 'update'],
  update: ['share', 'change', 'update'],
};

const STRENGTH: Readonly<Record<LockMode, number>> = { share: 0, change: 1, update: 2 };

/** A statement that cannot go on hands out whom it waits for. */
export type Wait = readonly Transaction[];
/** A step of a statement, which may have to wait. */
export type Waiting<Result> = Generator<Wait, Result, void>;

export class Locks {
  readonly #held = new Map<string, Map<Transaction, LockMode>>();

  /** Who keeps `own` from having it. */
  against(key: string, own: Transaction, mode: LockMode): readonly Transaction[] {
    const holders = this.#held.get(key);
    if (holders === undefined) return [];
    return [...holders].flatMap(([holder, held]) =>
      holder !== own && CONFLICTS[mode].includes(held) ? [holder] : [],
    );
  }

  take(key: string, own: Transaction, mode: LockMode): void {
    const holders = this.#held.get(key) ?? new Map<Transaction, LockMode>();
    const held = holders.get(own);
    if (held === undefined || STRENGTH[held] < STRENGTH[mode]) holders.set(own, mode);
    this.#held.set(key, holders);
    own.locked.add(key);
  }

  release(own: Transaction): void {
    for (const key of own.locked) {
      const holders = this.#held.get(key);
      holders?.delete(own);
      if (holders?.size === 0) this.#held.delete(key);
    }
    own.locked.clear();
  }
}

export class Transaction {
  /** `now()` of all its statements. */
  readonly startedAt: number;
  readonly name: string;
  readonly locked = new Set<string>();
  /** Also after an error: then only a rollback is taken. */
  isOver = false;
  /** Whom its statement waits for at the moment. */
  waitsFor: Wait = [];
  // By table; each map has rows of its own table alone.
  readonly #writes = new Map<Table<object>, Map<string, object>>();
  readonly #enders: (() => void)[] = [];

  constructor(startedAt: number, name: string) {
    this.startedAt = startedAt;
    this.name = name;
  }

  get hasWritten(): boolean {
    return this.#writes.size > 0;
  }

  read<Row extends object>(table: Table<Row>, key: string): Row | undefined {
    return this.#own(table)?.get(key) ?? table.rows.get(key);
  }

  all<Row extends object>(table: Table<Row>): Row[] {
    const own = this.#own(table);
    if (own === undefined) return [...table.rows.values()];
    return [...new Map([...table.rows, ...own]).values()];
  }

  hasPending<Row extends object>(table: Table<Row>, key: string): boolean {
    return this.#own(table)?.has(key) ?? false;
  }

  /** The caller holds the lock. */
  write<Row extends object>(table: Table<Row>, row: Row): void {
    const key = table.keyOf(row);
    table.guard(this.read(table, key), row);
    const own = this.#own(table) ?? new Map<string, Row>();
    own.set(key, row);
    this.#writes.set(table as unknown as Table<object>, own);
  }

  /** Before its commit: each row as it will be, and as it is for everybody else. */
  written<Row extends object>(
    table: Table<Row>,
  ): readonly { readonly before: Row | undefined; readonly after: Row }[] {
    const own = this.#own(table);
    if (own === undefined) return [];
    return [...own].map(([key, after]) => ({ before: table.rows.get(key), after }));
  }

  onEnd(act: () => void): void {
    this.#enders.push(act);
  }

  /** Whoever waited goes on afterward, in the order of waiting. */
  end(how: 'commit' | 'rollback', locks: Locks): void {
    if (this.isOver) throw new PgError('XX000', 'a transaction ends once');
    this.isOver = true;
    if (how === 'commit') for (const [table, rows] of this.#writes) table.apply(rows);
    locks.release(this);
    for (const act of this.#enders.splice(0)) act();
  }

  /** Whether it waits for itself, over others. */
  isInCircle(): boolean {
    const seen = new Set<Transaction>();
    const open = [...this.waitsFor];
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      if (one === this) return true;
      if (seen.has(one) || one.isOver) continue;
      seen.add(one);
      open.push(...one.waitsFor);
    }
    return false;
  }

  #own<Row extends object>(table: Table<Row>): Map<string, Row> | undefined {
    // Written by `write` alone, under the same table.
    return this.#writes.get(table as unknown as Table<object>) as Map<string, Row> | undefined;
  }
}
