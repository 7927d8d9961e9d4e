/**
 * Keeps a process able to open what it reads while the tenant's key is turned. Every wrapped key comes out of the database as
 * a column of a row, so the session asks here before it shows rows: what is wrapped under a key that this process does not
 * know leads to a look at the key first. So no caller ever holds a key that it cannot open, and none has to try again.
 */
import type { TenantKey } from '../tenant-key.ts';
import { bytes, type Row, sql } from '../../postgres/index.ts';

/** As statements call a wrapped key; `under` is the label alone, of whoever is about to add one. */
const COLUMNS = ['key_wrapped', 'wrapped', 'under'] as const;

/** Under which key the next one is to be wrapped. Reading it is enough: the session looks again where it is another. */
export const UNDER = sql(
  'tenant-key-under',
)`select label as under from ledger_tenant_key where tenant = $1`;

/**
 * Who reads a signing key and writes it again waits for a turn that is going on, and keeps the next one waiting: what it wrote
 * under the former key would open no more. To be taken before the key is read.
 */
export const LOCK_KEYS = {
  change: { name: '', text: 'lock table ledger_signing_key in row exclusive mode' },
  turn: { name: '', text: 'lock table ledger_dek, ledger_signing_key in exclusive mode' },
} as const;

/** For a session; undefined where there is nothing to wait for, which is always but after a turn. */
export function watchKeys(
  tenantKey: TenantKey,
): (rows: readonly Row[]) => Promise<void> | undefined {
  return (rows) => {
    const [first] = rows;
    const column = first === undefined ? undefined : COLUMNS.find((name) => name in first);
    return column === undefined ? undefined : tenantKey.prepare(wrappedIn(rows, column));
  };
}

function* wrappedIn(rows: readonly Row[], column: string): Generator<Uint8Array> {
  for (const row of rows) {
    const value = row[column];
    if (value !== null && value !== undefined) yield bytes(value);
  }
}
