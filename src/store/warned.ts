/** Of whom somebody was told, one by one, and under which threshold at the lowest. */
import { text } from './rows.ts';
import type { Session, Statement } from './session.ts';

type Run = Session['run'];

/** Rows in one statement. */
const PAGE_MAX = 10_000;

const WARNED: Statement = {
  name: 'warned-filings',
  text: `select subject, threshold_ms from warned where tenant = $1 and kind = 'slack' and subject > $2
    order by subject limit ${PAGE_MAX}`,
};

const REMEMBER: Statement = {
  name: 'warned-remember',
  text: `insert into warned (tenant, kind, subject, threshold_ms)
    select $1, 'slack', n.subject, n.threshold_ms from unnest($2::text[], $3::bigint[]) n(subject, threshold_ms)
    on conflict (tenant, kind, subject) do update set threshold_ms = excluded.threshold_ms`,
};

const FORGET: Statement = {
  name: 'warned-forget',
  text: `delete from warned where tenant = $1 and kind = 'slack' and subject = any ($2)`,
};

/** Filings of which somebody was told. */
export async function filingsWarned(run: Run, tenant: string): Promise<Map<string, number>> {
  const warned = new Map<string, number>();
  for (let after = ''; ; ) {
    const rows = await run(WARNED, [tenant, after]);
    for (const row of rows) warned.set(text(row['subject']), Number(row['threshold_ms']));
    if (rows.length < PAGE_MAX) return warned;
    after = text(rows.at(-1)?.['subject']);
  }
}

export async function rememberWarned(
  run: Run,
  tenant: string,
  filings: ReadonlyMap<string, number>,
): Promise<void> {
  const all = [...filings];
  for (let from = 0; from < all.length; from += PAGE_MAX) {
    const page = all.slice(from, from + PAGE_MAX);
    await run(REMEMBER, [tenant, page.map(([id]) => id), page.map(([, ms]) => ms)]);
  }
}

/** Of filings that have come to their end. */
export async function forgetWarned(
  run: Run,
  tenant: string,
  filings: readonly string[],
): Promise<void> {
  for (let from = 0; from < filings.length; from += PAGE_MAX) {
    await run(FORGET, [tenant, filings.slice(from, from + PAGE_MAX)]);
  }
}
