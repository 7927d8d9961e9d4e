/** What can be shown of the keys: ids, ages and what each holds. Wrapped keys stay where they are. */
import type { Instant } from '../../core/index.ts';
import { optional, type Session, sql, text, when } from '../../postgres/index.ts';

export interface KeyRow {
  readonly level: 'root' | 'tenant' | 'data' | 'signing';
  readonly id: string;
  /** Since when it is in use. */
  readonly since: Instant | undefined;
  readonly state: string;
  /** What depends on it, in words. */
  readonly holds: string;
  /** Of a signing key: its log and its public half. */
  readonly log?: string;
  readonly vkey?: string;
}

const TENANT = sql('key-rows-tenant')`
select k.id, k.rotated_at, k.created_at, (select count(*) from ledger_dek d where d.tenant = k.tenant and d.state = 'live') as data_keys,
  (select min(d.created_at) from ledger_dek d where d.tenant = k.tenant and d.state = 'live') as oldest,
  (select count(*) from ledger_signing_key s where s.tenant = k.tenant) as signing_keys
from ledger_tenant_key k where k.tenant = $1`;

const SIGNING = sql('key-rows-signing')`
select boundary, id, vkey, first_size, last_size, created_at from ledger_signing_key
  where tenant = $1 order by boundary, created_at, id`;

export async function keyRows(
  session: Pick<Session, 'run'>,
  tenant: string,
): Promise<readonly KeyRow[]> {
  const rows: KeyRow[] = [];
  for (const row of await session.run(TENANT, [tenant])) {
    rows.push(
      {
        level: 'tenant',
        id: text(row['id']),
        since: optional(row['rotated_at'], when) ?? when(row['created_at']),
        state: 'in use',
        holds: `${text(row['data_keys'])} data keys, ${text(row['signing_keys'])} signing keys`,
      },
      {
        level: 'data',
        id: `${text(row['data_keys'])} keys`,
        since: optional(row['oldest'], when),
        state: 'in use',
        holds: 'one subject and month each',
      },
    );
  }
  for (const row of await session.run(SIGNING, [tenant])) {
    const last = optional(row['last_size'], text);
    rows.push({
      level: 'signing',
      id: text(row['id']),
      since: when(row['created_at']),
      state: last === undefined ? 'in use' : 'retired',
      holds: `sizes ${text(row['first_size'])} to ${last ?? 'now'} of ${text(row['boundary'])}`,
      log: text(row['boundary']),
      vkey: text(row['vkey']),
    });
  }
  return rows;
}
