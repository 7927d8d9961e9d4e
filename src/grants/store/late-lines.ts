/** Lines that came when their period was closed: known from what was closed, or new. */
import { sql, text } from '../../postgres/index.ts';
import type { StageRun } from './stage.ts';

// Of each kind of money on a day there may be as many as were closed; a hint is known by its number.
const LATE = sql('grants-lines-late')`
with here as (
  select statement, account, booked_on, cents, currency, direction, announced or status <> 'booked' as hint,
    case when announced or status <> 'booked' then native_id end as native_id, count(*) as n, min(place) as place
  from grant_line where tenant = $1 and feed = $2 and late group by 1, 2, 3, 4, 5, 6, 7, 8),
closed as (
  select l.account, l.booked_on, l.cents, l.currency, l.direction, l.native_id
  from grant_line l
  join grant_match_line x on x.tenant = l.tenant and x.feed = l.feed and x.ordinal = l.ordinal
  join grant_match m on m.tenant = x.tenant and m.id = x.match
  where l.tenant = $1 and m.repeats is null and l.status = 'booked' and not l.announced
    and (l.account, l.booked_on) in (select account, booked_on from here))
select h.account, h.booked_on::text as day, h.place, h.hint, h.n - (
  select count(*) from closed c where c.account = h.account and c.booked_on = h.booked_on and c.cents = h.cents
    and c.currency = h.currency and c.direction = h.direction
    and (h.native_id is null or c.native_id is not distinct from h.native_id)) as new
from here h order by h.place`;

const ALL_LATE = sql('grants-lines-all-late')`
select not exists (select 1 from grant_line where tenant = $1 and feed = $2 and not late) as all_late`;

interface LateLines {
  readonly account: string;
  readonly day: string;
  /** Line of the feed. */
  readonly place: number;
  /** How many of them were not there when the period was closed. */
  readonly count: number;
  readonly isHint: boolean;
}

/** Lines of a feed that a closed period should have had, and whether the feed has no others. */
export async function newLateLines(
  at: StageRun,
  feed: string,
): Promise<{ readonly lines: readonly LateLines[]; readonly isAllLate: boolean }> {
  const rows = (await at.run(LATE, [at.tenant, feed])).filter((row) => Number(row['new']) > 0);
  if (rows.length === 0) return { lines: [], isAllLate: false };
  const [all] = await at.run(ALL_LATE, [at.tenant, feed]);
  const lines = rows.map((row) => ({
    account: text(row['account']),
    day: text(row['day']),
    place: Number(row['place']),
    count: Number(row['new']),
    isHint: row['hint'] === true,
  }));
  return { lines, isAllLate: all?.['all_late'] === true };
}
