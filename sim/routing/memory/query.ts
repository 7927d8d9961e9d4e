/** What a statement of the twin can do with tables: look, lock, change, insert. */
import { FOREIGN_KEY_VIOLATION, PgError } from './pg-error.ts';
import type { Table } from './table.ts';
import type { Tables } from './tables.ts';
import type { LockMode, Locks, Transaction, Waiting } from './transaction.ts';

export type Rows = Record<string, unknown>[];
export type Work = Waiting<Rows>;

/** What a statement does with its values; one that never waits may answer at once. */
export type StatementWork = (query: Query, values: readonly unknown[]) => Work | Rows;

/** The values have the types that its caller in `src` gives them. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as the statement declares its parameters
export function statement<Values extends readonly unknown[]>(
  work: (query: Query, values: Values) => Work | Rows,
): StatementWork {
  return (query, values) => work(query, values as unknown as Values);
}

type Inserted<Row> =
  | { readonly kind: 'inserted' }
  | { readonly kind: 'conflict'; readonly unique: string; readonly row: Row };

interface QueryParts {
  readonly tables: Tables;
  readonly locks: Locks;
  readonly transaction: Transaction;
  readonly clock: () => number;
  readonly newId: () => string;
}

export class Query {
  readonly tables: Tables;
  readonly newId: () => string;
  readonly #transaction: Transaction;
  readonly #locks: Locks;
  readonly #clock: () => number;

  constructor(parts: QueryParts) {
    this.tables = parts.tables;
    this.newId = parts.newId;
    this.#transaction = parts.transaction;
    this.#locks = parts.locks;
    this.#clock = parts.clock;
  }

  /** `now()` */
  get now(): number {
    return this.#transaction.startedAt;
  }

  /** `clock_timestamp()` */
  get clock(): number {
    return this.#clock();
  }

  all<Row extends object>(table: Table<Row>): Row[] {
    return this.#transaction.all(table);
  }

  find<Row extends object>(table: Table<Row>, key: string): Row | undefined {
    return this.#transaction.read(table, key);
  }

  /** Waits for whoever has the row, and gives it as it is then. */
  *lock<Row extends object>(
    table: Table<Row>,
    key: string,
    mode: LockMode = 'update',
  ): Waiting<Row | undefined> {
    yield* this.#locked(lockKey(table, key), mode);
    return this.find(table, key);
  }

  *lockName(name: string): Waiting<void> {
    yield* this.#locked(`named ${name}`, 'update');
  }

  /** `for update skip locked`: undefined where somebody else has it. */
  tryLock<Row extends object>(table: Table<Row>, key: string): Row | undefined {
    const name = lockKey(table, key);
    if (this.#locks.against(name, this.#transaction, 'update').length > 0) return undefined;
    this.#locks.take(name, this.#transaction, 'update');
    return this.find(table, key);
  }

  /** An update: locks the row, asks again whether it is still meant, and writes it. */
  *change<Row extends object>(
    table: Table<Row>,
    before: Row,
    isMeant: (row: Row) => boolean,
    edit: (row: Row) => Partial<Row>,
  ): Waiting<Row | undefined> {
    const row = yield* this.lock(table, table.keyOf(before), 'change');
    if (row === undefined || !isMeant(row)) return undefined;
    const next = { ...row, ...edit(row) };
    this.#transaction.write(table, next);
    return next;
  }

  /** Every row that is meant when the statement begins; what becomes so while it waits is not. */
  *changeAll<Row extends object>(
    table: Table<Row>,
    isMeant: (row: Row) => boolean,
    edit: (row: Row) => Partial<Row>,
  ): Waiting<Row[]> {
    const changed: Row[] = [];
    for (const row of this.all(table).filter(isMeant)) {
      const next = yield* this.change(table, row, isMeant, edit);
      if (next !== undefined) changed.push(next);
    }
    return changed;
  }

  /**
   * Waits for an insert of the same key by somebody else, and for an update that may free the key. The key that `on
   * conflict` names is asked first: where it is taken, the others are not asked.
   */
  *insert<Row extends object>(table: Table<Row>, row: Row, named = ''): Waiting<Inserted<Row>> {
    const keys = [['', table.keyOf] as const, ...table.uniques];
    keys.sort(([a], [b]) => Number(b === named) - Number(a === named));
    for (const [unique, of] of keys) {
      const value = of(row);
      if (value === undefined) continue;
      for (;;) {
        const found = this.#holderOf(table, unique, value, of);
        const movers = found === undefined ? [] : this.#movers(table, found);
        if (movers.length > 0) {
          yield movers;
          continue;
        }
        if (found !== undefined) return { kind: 'conflict', unique, row: found };
        const name = `insert ${table.name} ${unique} ${value}`;
        const others = this.#locks.against(name, this.#transaction, 'update');
        if (others.length === 0) {
          this.#locks.take(name, this.#transaction, 'update');
          break;
        }
        yield others;
      }
    }
    this.#locks.take(lockKey(table, table.keyOf(row)), this.#transaction, 'change');
    this.#transaction.write(table, row);
    return { kind: 'inserted' };
  }

  /** An insert without `on conflict`. */
  *add<Row extends object>(table: Table<Row>, row: Row): Waiting<void> {
    const done = yield* this.insert(table, row);
    if (done.kind === 'conflict') throw table.violation(done.unique);
  }

  /** A foreign key needs the row that it leads to, and holds it. */
  *refer<Row extends object>(table: Table<Row>, key: string): Waiting<void> {
    yield* this.#locked(lockKey(table, key), 'share');
    if (this.find(table, key) === undefined) {
      throw new PgError(FOREIGN_KEY_VIOLATION, `there is no ${key} in ${table.name}`);
    }
  }

  *#locked(name: string, mode: LockMode): Waiting<void> {
    for (;;) {
      const others = this.#locks.against(name, this.#transaction, mode);
      if (others.length === 0) break;
      yield others;
    }
    this.#locks.take(name, this.#transaction, mode);
  }

  #holderOf<Row extends object>(
    table: Table<Row>,
    unique: string,
    value: string,
    of: (row: Row) => string | undefined,
  ): Row | undefined {
    if (unique === '') return this.find(table, value);
    return this.all(table).find((one) => of(one) === value);
  }

  /** A row that somebody else is changing may be in the way or not; one that is only locked is. */
  #movers<Row extends object>(table: Table<Row>, row: Row): readonly Transaction[] {
    const key = table.keyOf(row);
    return this.#locks
      .against(lockKey(table, key), this.#transaction, 'update')
      .filter((other) => other.hasPending(table, key));
  }
}

function lockKey<Row extends object>(table: Table<Row>, key: string): string {
  return `${table.name} ${key}`;
}
