/**
 * Filings that nobody sent and nobody will: the row of a withdrawal, and what it says in the ledger. What the row does to the
 * filing is in sql/0005_filings.sql, under the lock that a claim needs too.
 */
import type { PersonActor } from '../../access/index.ts';
import { type BatchId, type FilingId, filingId, type Ids, userFact } from '../../core/index.ts';
import { factJson } from '../../ledger/index.ts';
import { refusedByRule } from '../../people/index.ts';
import { hex, type Row, type Run, sql, text } from '../../postgres/index.ts';
import { IS_UNCLAIMED } from './intake-store.ts';

interface Withdrawal {
  readonly by: PersonActor;
  readonly reason: string;
  /** Approved by a second person; undefined where one is enough. */
  readonly proposal?: string;
}

/** Enough to be quick; a batch of any size is withdrawn in pages of one transaction. */
const PAGE_MAX = 1_000;

const WITHDRAW = sql('withdrawal-add')`
insert into withdrawal (tenant, filing, by_person, reason, proposal, replaced_by, covered)
select $1, w.filing, $3, $4, $5, w.replaced_by, false
from unnest($2::uuid[], $6::uuid[]) w(filing, replaced_by) order by w.filing
returning filing`;

// Read after the triggers of the rows above have changed them.
const WITHDRAWN = sql('withdrawal-done')`
select f.id, f.ver, e.key, e.payload_sha256, w.covered, w.replaced_by from withdrawal w
join filing f on f.tenant = w.tenant and f.id = w.filing
join envelope e on e.tenant = w.tenant and e.id = w.filing
where w.tenant = $1 and w.filing = any ($2::uuid[]) order by f.id`;

const RECORD = sql('withdrawal-record')`
insert into ledger_intake
  (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data)
select $1, 'filing', id, now(), type, 'filing', filing, ver, actor_kind, actor_id, trace, data
from json_to_recordset($2::json) as f(
  id uuid, type text, filing text, ver int, actor_kind text, actor_id text, trace text, data jsonb)`;

const UNCLAIMED = sql('withdrawal-unclaimed')`
select f.id from envelope e join filing f on f.tenant = e.tenant and f.id = e.id
where e.tenant = $1 and e.batch = $2 and not e.withdrawn and ${IS_UNCLAIMED} order by f.id limit ${PAGE_MAX}`;

const LEFT = sql('withdrawal-left')`
select count(*)::int as n from envelope where tenant = $1 and batch = $2 and not withdrawn`;

interface Deps {
  readonly tenant: string;
  readonly ids: Ids;
}

export async function withdrawFilings(
  run: Run,
  { tenant, ids }: Deps,
  filings: readonly { readonly id: FilingId; readonly replacedBy?: FilingId }[],
  { by, reason, proposal }: Withdrawal,
): Promise<void> {
  const wanted = filings.map(({ id }) => id);
  const replaced = filings.map(({ replacedBy }) => replacedBy ?? null);
  const values = [tenant, wanted, by.id, reason, proposal ?? null, replaced];
  await run(WITHDRAW, values).catch(refusedByRule);
  const facts = (await run(WITHDRAWN, [tenant, wanted])).map((row: Row) => {
    const replacedBy = row['replaced_by'];
    const fact = userFact({ ids }, 'filing.state', by, {
      from: 'pending',
      to: 'rejected',
      cause: 'withdraw',
      reason,
      key: text(row['key']),
      payload_sha256: hex(row['payload_sha256']),
      covered: row['covered'] === true,
      ...(proposal === undefined ? {} : { proposal }),
      ...(typeof replacedBy === 'string' ? { replaced_by: replacedBy } : {}),
    });
    return { ...factJson(fact), filing: text(row['id']), ver: Number(row['ver']) };
  });
  await run(RECORD, [tenant, JSON.stringify(facts)]);
}

/** Everything of a batch that nobody has claimed. Returns how many. */
export async function withdrawAll(
  run: Run,
  deps: Deps,
  batch: BatchId,
  withdrawal: Withdrawal,
): Promise<number> {
  let withdrawn = 0;
  for (;;) {
    const rows = await run(UNCLAIMED, [deps.tenant, batch]);
    const page = rows.map((row) => ({ id: filingId(text(row['id'])) }));
    if (page.length === 0) return withdrawn;
    await withdrawFilings(run, deps, page, withdrawal);
    withdrawn += page.length;
  }
}

/** How many filings of the batch are not withdrawn. */
export async function leftIn(run: Run, tenant: string, batch: BatchId): Promise<number> {
  const [row] = await run(LEFT, [tenant, batch]);
  return Number(row?.['n']);
}
