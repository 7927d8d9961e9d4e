/** What closed periods have counted for awards, booking by booking; and what of it can still come back. */
import { optional, sql, text } from '../../postgres/index.ts';
import type { LinePlace } from './matches.ts';
import type { StageRun } from './stage.ts';

// An award that came in place of another one has what that one has received.
const COUNTED = sql('grants-awards-counted')`
with recursive record(award, of) as (
  select k, k from unnest($2::text[]) k
  union all
  select w.award, r.of from record r join grant_award_end w on w.tenant = $1 and w.by_award = r.award)
select r.of as award, sum(p.cents)::text as cents, bool_or(p.goods_cents > 0) as goods from record r
join grant_match_part p on p.tenant = $1 and p.award = r.award group by r.of`;

/** What closed periods have counted for an award: money, and whether its goods were counted with it. */
export interface CountedAward {
  readonly cents: number;
  readonly hasGoods: boolean;
}

/** Those of some awards of which a closed period has counted anything. */
export async function countedAwards(
  at: StageRun,
  awards: readonly string[],
): Promise<ReadonlyMap<string, CountedAward>> {
  const rows = await at.run(COUNTED, [at.tenant, awards]);
  return new Map(
    rows.map((row) => [
      text(row['award']),
      { cents: Number(row['cents']), hasGoods: row['goods'] === true },
    ]),
  );
}

// Payments that nothing was taken back of yet, with what they brought to each award; once, however many returns fit one.
const PAYMENTS = sql('grants-closed-payments')`
select l.feed, l.ordinal, json_agg(json_build_object('award', p.award, 'cents', p.cents, 'feeCents', p.fee_cents)
  order by p.award) as shares
from (
  select distinct l.tenant, l.feed, l.ordinal from unnest($2::text[], $3::bigint[], $4::date[]) w(account, cents, day)
  join grant_line l on l.tenant = $1 and l.account = w.account and l.cents = w.cents and l.direction = 'credit'
    and l.booked_on between w.day - $5::int and w.day) l
join grant_match_line x on x.tenant = l.tenant and x.feed = l.feed and x.ordinal = l.ordinal
join grant_match m on m.tenant = x.tenant and m.id = x.match and m.status = 'matched'
join grant_match_part p on p.tenant = m.tenant and p.match = m.id and p.feed = l.feed and p.ordinal = l.ordinal
where not exists (select 1 from grant_match_part b where b.tenant = l.tenant and b.takes_back = l.feed || '#' || l.ordinal)
group by l.feed, l.ordinal`;

interface StoredPayment extends LinePlace {
  readonly shares: readonly {
    readonly award: string;
    readonly cents: number;
    readonly feeCents: number;
  }[];
}

/** Money in of closed periods that could be what these entries take back: the same account and amount, days before. */
export async function closedPayments(
  at: StageRun,
  wanted: readonly { readonly account: string; readonly cents: number; readonly on: string }[],
  daysMax: number,
): Promise<readonly StoredPayment[]> {
  const rows = await at.run(PAYMENTS, [
    at.tenant,
    wanted.map(({ account }) => account),
    wanted.map(({ cents }) => cents),
    wanted.map(({ on }) => on),
    daysMax,
  ]);
  const byPlace = new Map(
    rows.map((row) => [
      `${text(row['feed'])}#${Number(row['ordinal'])}`,
      {
        feed: text(row['feed']),
        ordinal: Number(row['ordinal']),
        // Built by the statement.
        shares: row['shares'] as StoredPayment['shares'],
      },
    ]),
  );
  return [...byPlace.values()];
}

const OVERDRAWN = sql('grants-awards-overdrawn')`
with recursive named(award) as (
  select distinct p.award from grant_match_part p join grant_match m on m.tenant = p.tenant and m.id = p.match
  where m.tenant = $1 and m.period = $2 and p.cents < 0),
record(award, of) as (
  select award, award from named
  union all
  select w.award, r.of from record r join grant_award_end w on w.tenant = $1 and w.by_award = r.award)
select r.of as award from record r join grant_match_part p on p.tenant = $1 and p.award = r.award
group by r.of having sum(p.cents) < 0 limit 1`;

/** An award of which a period takes back more than all periods have counted. */
export async function overdrawnAward(at: StageRun, period: string): Promise<string | undefined> {
  const [row] = await at.run(OVERDRAWN, [at.tenant, period]);
  return optional(row?.['award'], text);
}
