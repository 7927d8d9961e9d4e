/** What reconciliation releases to rules and reporting: money received, once every threshold has its check. */
import type { PeriodId, PersonId } from '../../core/index.ts';
import { hex, optional, sql, text } from '../../postgres/index.ts';
import { refusedByRule } from '../../people/index.ts';
import type { StageRun } from './stage.ts';

// One booking of one award, one row: on its own day, with what the bank kept of it and the goods that came with it. A
// return names the payment that it takes back.
const matchedIn = (periods: string): string => `
select p.award, m.rule, a.payload_sha256,
  -- What came when its own period was closed counts in the one that has it: what was closed and reported stays.
  case when l.late then greatest(l.booked_on, d.from_day) else l.booked_on end as received_on, p.cents + p.goods_cents as cents, p.fee_cents,
  p.goods_cents, l.feed, l.ordinal, p.takes_back,
  jsonb_build_array(jsonb_build_object('line', l.feed || '#' || l.ordinal, 'nativeId', l.native_id,
    'bookedOn', l.booked_on::text, 'cents', case when l.direction = 'credit' then l.cents else -l.cents end, 'feed', l.feed,
    'place', l.place)) as bank
from grant_match m
join grant_period d on d.tenant = m.tenant and d.id = m.period
join grant_match_part p on p.tenant = m.tenant and p.match = m.id
join grant_award a on a.tenant = p.tenant and a.key = p.award
join grant_line l on l.tenant = p.tenant and l.feed = p.feed and l.ordinal = p.ordinal
where m.tenant = $1 and m.status = 'matched' and ${periods}`;

const ADD_RECEIVED = sql('grants-received-add')`
with added as (
  insert into grant_received (tenant, award, period, received_on, cents, rule, payload_sha256, bank, feed, ordinal, fee_cents,
    goods_cents, takes_back)
  select $1, s.award, $2, s.received_on, s.cents, s.rule, s.payload_sha256, s.bank, s.feed, s.ordinal, s.fee_cents,
    s.goods_cents, s.takes_back from (${matchedIn('m.period = $2')}) s
  returning award, cents)
select count(distinct award)::int as n, coalesce(sum(cents), 0)::text as cents from added`;

// All money of a year that is closed: whoever releases periods in another order than they were closed, or forgets one,
// must not slip below a threshold by it.
const MEASURED = sql('grants-measured')`
select award, received_on::text as received_on, cents from grant_received
where tenant = $1 and received_on between $2::date and $3::date
union all
select s.award, s.received_on::text, s.cents from (${matchedIn(`not exists (
  select 1 from grant_release h where h.tenant = m.tenant and h.period = m.period)`)}) s
where s.received_on between $2::date and $3::date`;

const KEYS_OF_PERIOD = sql('grants-received-keys')`
select distinct award from grant_received r where tenant = $1 and period = $2 and award > $3
  -- The first booking of an award says that it was reconciled; the later ones find it said.
  and not exists (select 1 from grant_metadata d where d.tenant = r.tenant and d.key = r.award and d.n = 2)
order by award limit 1000`;

const ADD_RELEASE = sql('grants-release-add')`
insert into grant_release (tenant, period, received, cents) values ($1, $2, $3, $4)`;

const RECEIVED = sql('grants-received')`
select award, period, received_on::text as received_on, cents, rule, payload_sha256, bank, feed, ordinal, fee_cents, goods_cents,
  takes_back from grant_received
where tenant = $1 and received_on between $2::date and $3::date and (award, period, feed, ordinal) > ($4, $5::uuid, $6, $7::int)
order by award, period, feed, ordinal limit 2000`;

/** One booking of one award. */
export interface ReceivedRow {
  readonly award: string;
  readonly receivedOn: string;
  /** With what the bank kept and what came as goods; below zero where it was taken back. */
  readonly cents: number;
  readonly feeCents: number;
  /** Undefined in what was released before bookings were told apart. */
  readonly goodsCents: number | undefined;
  /** The line of the payment that this one takes back. */
  readonly takesBack: string | undefined;
  readonly rule: string;
  readonly payloadSha256: string;
  readonly bank: readonly ReleasedLine[];
}

/** A line of the bank, as `matchedIn` builds it. */
interface ReleasedLine {
  readonly line: string;
  readonly nativeId: string | null;
  readonly bookedOn: string;
  readonly cents: number;
  readonly feed: string;
  readonly place: number;
}

/** Writes down what a closed period has received; says how many awards and how many cents. */
export async function addReceived(
  at: StageRun,
  period: PeriodId,
): Promise<{ readonly received: number; readonly cents: bigint }> {
  const [row] = await at.run(ADD_RECEIVED, [at.tenant, period]);
  return { received: Number(row?.['n']), cents: BigInt(text(row?.['cents'])) };
}

interface Measured {
  readonly award: string;
  readonly receivedOn: string;
  readonly cents: number;
}

/** Money of a year in closed periods, whether they are released or not. */
export async function measuredMoney(
  at: StageRun,
  days: { readonly from: string; readonly to: string },
): Promise<readonly Measured[]> {
  const rows = await at.run(MEASURED, [at.tenant, days.from, days.to]);
  return rows.map((row) => ({
    award: text(row['award']),
    receivedOn: text(row['received_on']),
    cents: Number(row['cents']),
  }));
}

/** Awards that a period has released, in pages. */
export async function* receivedKeys(
  at: StageRun,
  period: PeriodId,
): AsyncGenerator<readonly string[]> {
  for (let after = ''; ; ) {
    const rows = await at.run(KEYS_OF_PERIOD, [at.tenant, period, after]);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map((row) => text(row['award']));
    after = text(last['award']);
  }
}

// Beyond the seven years that every key is kept: only an award's own rule does that to a key of this contract.
const HAS_LONGER = sql('grants-kept-longer')`
select exists (select 1 from ledger_dek where tenant = $1 and subject like 'award/%'
  and retain_until > ((month || '-01')::date + interval '1 month' - interval '1 day' + interval '7 years')::date) as longer`;

/** Whether any award must be kept longer than the policy asks; mostly none, and then nobody need look for it. */
export async function hasLongerKeptAwards(at: StageRun): Promise<boolean> {
  const [row] = await at.run(HAS_LONGER, [at.tenant]);
  return row?.['longer'] === true;
}

const FEEDS_OF_AWARDS = sql('grants-feeds-of-awards')`
select distinct p.award, p.feed from grant_match m join grant_match_part p on p.tenant = m.tenant and p.match = m.id
where m.tenant = $1 and m.period = $2 and m.status = 'matched'`;

/** The feeds that prove what a period received, by award. */
export async function feedsOfAwards(
  at: StageRun,
  period: PeriodId,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const feeds = new Map<string, string[]>();
  for (const row of await at.run(FEEDS_OF_AWARDS, [at.tenant, period])) {
    const award = text(row['award']);
    feeds.set(award, [...(feeds.get(award) ?? []), text(row['feed'])]);
  }
  return feeds;
}

/** The database refuses it while a registration check is missing. */
export async function addRelease(
  at: StageRun,
  release: { readonly period: PeriodId; readonly received: number; readonly cents: bigint },
): Promise<void> {
  const { period, received, cents } = release;
  await at.run(ADD_RELEASE, [at.tenant, period, received, String(cents)]).catch(refusedByRule);
}

const IS_RELEASED = sql('grants-released')`
select received from grant_release where tenant = $1 and period = $2`;

/** How many awards a period has released; undefined while it has not. */
export async function released(at: StageRun, period: PeriodId): Promise<number | undefined> {
  const [row] = await at.run(IS_RELEASED, [at.tenant, period]);
  return row === undefined ? undefined : Number(row['received']);
}

/** Money that was released and received between two days, in pages. */
export async function* receivedBetween(
  at: StageRun,
  days: { readonly from: string; readonly to: string },
): AsyncGenerator<readonly ReceivedRow[]> {
  for (let after: readonly unknown[] = ['', NO_PERIOD, '', 0]; ; ) {
    const rows = await at.run(RECEIVED, [at.tenant, days.from, days.to, ...after]);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map((row) => ({
      award: text(row['award']),
      receivedOn: text(row['received_on']),
      cents: Number(row['cents']),
      feeCents: Number(row['fee_cents']),
      goodsCents: optional(row['goods_cents'], Number),
      takesBack: optional(row['takes_back'], text),
      rule: text(row['rule']),
      payloadSha256: hex(row['payload_sha256']),
      bank: row['bank'] as readonly ReleasedLine[],
    }));
    after = [last['award'], last['period'], last['feed'], last['ordinal']];
  }
}

/** Before every other. */
const NO_PERIOD = '00000000-0000-0000-0000-000000000000';

const SUMS = sql('grants-received-sums')`
select award, sum(cents)::text as cents from grant_received
where tenant = $1 and received_on <= $2::date and award = any ($3::text[]) group by award`;

/** What some awards have received up to a day, goods included. */
export async function receivedUntil(
  at: StageRun,
  day: string,
  awards: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await at.run(SUMS, [at.tenant, day, awards]);
  return new Map(rows.map((row) => [text(row['award']), BigInt(text(row['cents']))]));
}

const ADD_CROSSING = sql('grants-crossing-add')`
insert into grant_crossing (tenant, jurisdiction, fiscal_year_end, measure, on_day, by_award, document)
values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning jurisdiction`;

const CROSSINGS = sql('grants-crossings')`
select document from grant_crossing where tenant = $1 and on_day <= $2::date order by on_day, jurisdiction`;

interface StoredCrossing {
  readonly jurisdiction: string;
  readonly fiscalYearEnd: string;
  readonly measure: string;
  readonly on: string;
  readonly by: string;
  /** As `crossingsUntil` gives it back. */
  readonly document: object;
}

/** False when it is known already: the first crossing of a year counts. */
export async function addCrossing(at: StageRun, crossing: StoredCrossing): Promise<boolean> {
  const { jurisdiction, fiscalYearEnd, measure, on, by, document } = crossing;
  const values = [jurisdiction, fiscalYearEnd, measure, on, by, JSON.stringify(document)];
  return (await at.run(ADD_CROSSING, [at.tenant, ...values])).length > 0;
}

/** Documents as `addCrossing` was given them. */
export async function crossingsUntil<Document extends object>(
  at: StageRun,
  day: string,
): Promise<readonly Document[]> {
  return (await at.run(CROSSINGS, [at.tenant, day])).map((row) => row['document'] as Document);
}

const ADD_CHECK = sql('grants-check-add')`
insert into grant_check (tenant, id, jurisdiction, checked_on, evidence, attached_by) values ($1, $2, $3, $4, $5, $6)`;

const CHECKS = sql('grants-checks')`
select jurisdiction, checked_on::text as checked_on, evidence from grant_check where tenant = $1 order by attached_at, id`;

interface StoredCheck {
  readonly jurisdiction: string;
  readonly checkedOn: string;
  readonly evidence: string;
}

export async function addCheck(
  at: StageRun,
  check: StoredCheck & { readonly id: string; readonly by: PersonId },
): Promise<void> {
  const { id, jurisdiction, checkedOn, evidence, by } = check;
  await at.run(ADD_CHECK, [at.tenant, id, jurisdiction, checkedOn, evidence, by]);
}

export async function attachedChecks(at: StageRun): Promise<readonly StoredCheck[]> {
  return (await at.run(CHECKS, [at.tenant])).map((row) => ({
    jurisdiction: text(row['jurisdiction']),
    checkedOn: text(row['checked_on']),
    evidence: text(row['evidence']),
  }));
}
