/**
 * Data keys: one per subject and month, wrapped, made on first use by whoever comes first. A key that has sealed its
 * share gets a successor for the same subject and month.
 */
import type { WrappedKey } from '../../core/index.ts';
import { bytes, type Row, type Session, sql, text } from '../../postgres/index.ts';
import { LABEL_BYTES } from '../tenant-key.ts';
import { UNDER } from './watch-keys.ts';

/**
 * NIST SP 800-38D allows 2^32 uses of a key with random nonces; the ledger's own bound is 2^20. Bodies are counted by
 * sample (log-group.ts), so a key is left a sixteenth earlier: four times the spread of such a count.
 */
const BODIES_MAX = 2 ** 20 - 2 ** 16;
/** One for what was wrapped under a key that is turned just then; keys are turned by people, so hardly ever a second. */
const TURNS_MAX = 4;

const FIND = sql('dek-find')`
select distinct on (subject) subject, id, month, wrapped from ledger_dek
where tenant = $1 and month = $2 and subject = any ($3::text[]) and state = 'live' and bodies < ${BODIES_MAX}
order by subject, part desc`;

// After the last key that is used up: one that another process has just made has the same number, and counts.
const ADD = sql('dek-add')`
insert into ledger_dek (tenant, month, subject, part, id, wrapped)
select $1, $2, d.subject, coalesce((
    select max(k.part) from ledger_dek k where k.tenant = $1 and k.subject = d.subject and k.month = $2
      and (k.state <> 'live' or k.bodies >= ${BODIES_MAX})), 0) + 1,
  d.id, decode(d.wrapped, 'hex')
from unnest($3::text[], $4::text[], $5::text[]) d(subject, id, wrapped)
-- Made under a key that was turned meanwhile: nobody could open it.
where not exists (select 1 from ledger_tenant_key t
  where t.tenant = $1 and t.label is distinct from substring(decode(d.wrapped, 'hex') for ${LABEL_BYTES}))
on conflict on constraint ledger_dek_subject do nothing
returning subject, id, month, wrapped`;

export async function dataKeys(
  session: Pick<Session, 'run'>,
  where: { readonly tenant: string; readonly month: string },
  subjects: readonly string[],
  make: () => WrappedKey,
): Promise<Map<string, WrappedKey>> {
  const keys = new Map<string, WrappedKey>();
  const keep = (rows: readonly Row[]): void => {
    for (const row of rows) {
      keys.set(text(row['subject']), {
        id: text(row['id']),
        month: text(row['month']),
        wrapped: bytes(row['wrapped']),
      });
    }
  };
  // Sorted, so that two imports with the same subjects wait for each other and never in a circle.
  const missing = (): string[] =>
    [...new Set(subjects)].filter((subject) => !keys.has(subject)).sort();
  keep(await session.run(FIND, [where.tenant, where.month, subjects]));
  for (let turn = 0; turn < TURNS_MAX && missing().length > 0; turn += 1) {
    const wanted = missing();
    // The session sees to it that this process knows the key under which these must be wrapped.
    if (turn > 0) await session.run(UNDER, [where.tenant]);
    const made = wanted.map(make);
    keep(
      await session.run(ADD, [
        where.tenant,
        where.month,
        wanted,
        made.map((key) => key.id),
        made.map((key) => Buffer.from(key.wrapped).toString('hex')),
      ]),
    );
    // Another process was faster for these: its key counts.
    const beaten = missing();
    if (beaten.length > 0) keep(await session.run(FIND, [where.tenant, where.month, beaten]));
  }
  return keys;
}

export async function dataKey(
  session: Pick<Session, 'run'>,
  where: { readonly tenant: string; readonly subject: string; readonly month: string },
  make: () => WrappedKey,
): Promise<WrappedKey> {
  const keys = await dataKeys(session, where, [where.subject], make);
  const key = keys.get(where.subject);
  if (key === undefined) throw new Error(`no data key for ${where.month}`);
  return key;
}
