import { PgError, UNIQUE_VIOLATION } from './pg-error.ts';

/** What a change of a row must not be; `before` is undefined for a new one. */
export type Guard<Row> = (before: Row | undefined, after: Row) => void;

/** The committed rows of one table, in the order in which they came, with its unique keys. */
export class Table<Row extends object> {
  readonly name: string;
  readonly keyOf: (row: Row) => string;
  readonly guard: Guard<Row>;
  /** Beside the primary key; undefined where a row is not in the index. */
  readonly uniques: readonly (readonly [string, (row: Row) => string | undefined])[];
  readonly rows = new Map<string, Row>();
  /** How often a commit has changed it. */
  version = 0;

  constructor(
    name: string,
    keyOf: (row: Row) => string,
    guard: Guard<Row>,
    uniques: Readonly<Record<string, (row: Row) => string | undefined>> = {},
  ) {
    this.name = name;
    this.keyOf = keyOf;
    this.guard = guard;
    this.uniques = Object.entries(uniques);
  }

  apply(writes: ReadonlyMap<string, Row>): void {
    for (const [key, row] of writes) this.rows.set(key, row);
    this.version += 1;
  }

  violation(unique: string): PgError {
    return new PgError(
      UNIQUE_VIOLATION,
      `duplicate key value violates "${unique}" of ${this.name}`,
    );
  }
}
