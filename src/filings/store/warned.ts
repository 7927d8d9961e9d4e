/** Of whom somebody was told, one by one, and under which threshold at the lowest. */
import { type Instant, toRfc3339 } from '../../core/index.ts';
import { type Run, sql, text, when } from '../../postgres/index.ts';
import { IS_OWED } from './forecast.ts';

/** Rows in one statement. */
const PAGE_MAX = 10_000;

const WARNED = sql('warned-filings')`
select subject, threshold_ms from warned where tenant = $1 and kind = 'slack' and subject = any ($2)`;

const REMEMBER = sql('warned-remember')`insert into warned (tenant, kind, subject, threshold_ms)
    select $1, 'slack', n.subject, n.threshold_ms from unnest($2::text[], $3::bigint[]) n(subject, threshold_ms)
    on conflict (tenant, kind, subject) do update set threshold_ms = excluded.threshold_ms`;

const FORGET = sql('warned-forget')`
delete from warned w where w.tenant = $1 and w.kind = 'slack' and not exists (
  select 1 from filing f where f.tenant = w.tenant and f.id = w.subject::uuid and ${IS_OWED})`;

export interface NearFiling {
  readonly id: string;
  readonly batch: string;
  readonly lane: string;
  readonly lastSafe: Instant;
  /** The lowest threshold under which somebody was told of it; infinite: nobody was. */
  readonly toldMs: number;
}

const NEAR = sql('warned-near')`select f.id, f.lane, f.last_safe, w.threshold_ms from envelope e
    join filing f on f.tenant = e.tenant and f.id = e.id
    left join warned w on w.tenant = f.tenant and w.kind = 'slack' and w.subject = f.id::text
    where e.tenant = $1 and e.batch = $2 and f.last_safe < $3 and f.status in ('pending', 'submitted')`;

/** Open filings of a batch whose last safe moment is before `until`. */
export async function filingsNear(
  run: Run,
  tenant: string,
  batch: string,
  until: Instant,
): Promise<readonly NearFiling[]> {
  const rows = await run(NEAR, [tenant, batch, toRfc3339(until)]);
  return rows.map((row) => ({
    id: text(row['id']),
    batch,
    lane: text(row['lane']),
    lastSafe: when(row['last_safe']),
    toldMs: row['threshold_ms'] === null ? Number.POSITIVE_INFINITY : Number(row['threshold_ms']),
  }));
}

/** Of these, whoever somebody was told of, with the lowest threshold. */
export async function filingsWarned(
  run: Run,
  tenant: string,
  filings: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await run(WARNED, [tenant, filings]);
  return new Map(rows.map((row) => [text(row['subject']), Number(row['threshold_ms'])]));
}

export async function rememberWarned(
  run: Run,
  tenant: string,
  filings: ReadonlyMap<string, number>,
): Promise<void> {
  // In one order everywhere: two that remember the same filings wait for one another, and not each for the other.
  const all = [...filings].sort(([a], [b]) => (a < b ? -1 : 1));
  for (let from = 0; from < all.length; from += PAGE_MAX) {
    const page = all.slice(from, from + PAGE_MAX);
    await run(REMEMBER, [tenant, page.map(([id]) => id), page.map(([, ms]) => ms)]);
  }
}

/** Of filings that have come to their end. */
export async function forgetEnded(run: Run, tenant: string): Promise<void> {
  await run(FORGET, [tenant]);
}
