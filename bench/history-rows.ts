/** Rows as two years of work leave them behind, made by the database itself. Foreign keys are not asked: it would take hours. */
import type { Session } from '../src/postgres/session.ts';

/** Tries of a filing; each is an attempt and an outcome. */
const TRIES = 3;
/** Entries of a filing in the log. */
const ENTRIES = 4;
export const ROWS_OF_FILING = 2 * TRIES + ENTRIES;
/** In one statement: some seconds. */
const FILINGS_AT_ONCE = 50_000;
/** Whose entries are in the way: the log of the tenant that works must be one that verifies. */
export const PAST = 'past';

// Ids begin with their moment, as those of the product do.
const MADE = `
  select g, at, lane, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(g::text), 1, 3) ||
    '8' || substr(md5(g::text), 4, 15))::uuid as id
  from (select g, now() - (1 - g::float8 / $4) * interval '730 days' as at,
    (select min(code) from lane where tenant = $1) as lane from generate_series($2::int, $3::int) g) made`;

const FILING_ROWS = [
  `insert into envelope (tenant, id, batch, lane, jurisdiction, effect, entity_id, filing_kind, period, revision, key, obligation,
      payload_sha256, payload_ct, not_before, due, last_safe, created_at)
    select $1, id, (select min(id::text)::uuid from batch where tenant = $1), lane, 'US-DE', 'filing', 'US-DE/H' || g,
      'annual_report', '2025', 1, 'fwk1-' || md5('k' || g), 'fwo1-' || md5('o' || g), sha256(id::text::bytea),
      sha256(('c' || id)::bytea), at, at + interval '2 days', at + interval '1 day', at from (${MADE}) m`,
  `insert into filing (tenant, id, lane, last_safe, status, attempt, receipt)
    select $1, id, lane, at + interval '1 day', 'accepted', ${TRIES}, 'R' || g from (${MADE}) m`,
  `insert into attempt (tenant, filing, no, id, action, holder, intent_at)
    select $1, id, no, gen_random_uuid(), 'send', 1, at + no * interval '1 minute' from (${MADE}) m, generate_series(1, ${TRIES}) no`,
  `insert into outcome (tenant, filing, no, holder, verdict, code, at, counted)
    select $1, id, no, 1, case no when ${TRIES} then 'accepted' else 'throttled' end, 'X',
      at + no * interval '1 minute' + interval '80 milliseconds', true from (${MADE}) m, generate_series(1, ${TRIES}) no`,
];

const ENTRY_ROWS = `insert into ledger_entry (tenant, boundary, seq, id, bytes, leaf)
  select '${PAST}', 'filing', n, gen_random_uuid(), decode(repeat(md5(n::text), 8), 'hex'), sha256(n::text::bytea)
  from generate_series($1::bigint, $2::bigint) n`;

/** `session` must be allowed to leave the foreign keys aside. */
export async function writeHistory(
  session: Session,
  tenant: string,
  filings: number,
): Promise<void> {
  const run = (text: string, values: readonly unknown[] = []) =>
    session.run({ name: '', text }, values);
  await run(`insert into tenant (id, instance) values ('${PAST}', 'past.example.org')`);
  await run(`set session_replication_role = replica`);
  // These walls stand in a replica too: nothing joins an approved batch.
  await run('alter table envelope disable trigger envelope_joins_open');
  await run('set synchronous_commit = off');
  for (let from = 1; from <= filings; from += FILINGS_AT_ONCE) {
    const to = Math.min(from + FILINGS_AT_ONCE - 1, filings);
    for (const text of FILING_ROWS) await run(text, [tenant, from, to, filings]);
    await run(ENTRY_ROWS, [(from - 1) * ENTRIES, to * ENTRIES - 1]);
  }
  await run('alter table envelope enable always trigger envelope_joins_open');
  await run('vacuum analyze');
}
