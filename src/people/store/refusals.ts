/** How often each actor was refused each act: what no entry told yet is kept here. */
import { afterRefusal } from '../../access/index.ts';
import { type Run, sql, when } from '../../postgres/index.ts';

// Made where it is missing, so that there is a row to lock for whoever is second.
const BEGIN = sql('refusal-begin')`
insert into refusal (tenant, actor, act) values ($1, $2, $3) on conflict do nothing`;

const LOCK = sql('refusal-lock')`
select since, times, told, now() as now from refusal where tenant = $1 and actor = $2 and act = $3 for update`;

const KEEP = sql('refusal-keep')`
update refusal set since = to_timestamp($4::double precision / 1000), times = $5, told = $6
  where tenant = $1 and actor = $2 and act = $3`;

/** Counts one more; how many an entry tells of now, or undefined where there is none to be. */
export async function countRefusal(
  run: Run,
  tenant: string,
  { actor, act }: { readonly actor: string; readonly act: string },
): Promise<number | undefined> {
  const place = [tenant, actor, act];
  await run(BEGIN, place);
  const [row] = await run(LOCK, place);
  const times = Number(row?.['times']);
  const before =
    times === 0 ? undefined : { since: when(row?.['since']), times, told: Number(row?.['told']) };
  const { count, tells } = afterRefusal(before, when(row?.['now']));
  await run(KEEP, [...place, count.since, count.times, count.told]);
  return tells;
}
