/** Bank lines by day, page by page, with what a closed period says of them. */
import type { MatchReason, MatchStatus } from '../rules/matching/outcome.ts';
import { optional, type Row, sql, text } from '../../postgres/index.ts';
import type { StageRun } from './stage.ts';

const LIST = sql('grants-line-list')`
select l.feed, l.ordinal, l.booked_on::text as booked_on, f.format, m.rule, m.status, m.reason, array(
  select distinct p.award from grant_match_part p
  where p.tenant = m.tenant and p.match = m.id and p.feed = l.feed and p.ordinal = l.ordinal) as awards
from grant_line l
join grant_feed f on f.tenant = l.tenant and f.id = l.feed
left join grant_match_line x on x.tenant = l.tenant and x.feed = l.feed and x.ordinal = l.ordinal
left join grant_match m on m.tenant = x.tenant and m.id = x.match
where l.tenant = $1 and ($2::text is null or l.account = $2)
  and ($3::date is null or l.booked_on >= $3) and ($4::date is null or l.booked_on <= $4)
  and ($5::date is null or (l.booked_on, l.feed, l.ordinal) > ($5, $6, $7::int))
order by l.booked_on, l.feed, l.ordinal limit $8`;

const CURSOR = sql('grants-line-cursor')`
select feed, ordinal, booked_on::text as booked_on from grant_line
where tenant = $1 and feed || '#' || ordinal = $2`;

interface LineCursor {
  readonly feed: string;
  readonly ordinal: number;
  readonly bookedOn: string;
}

export interface ListedLine extends LineCursor {
  readonly format: string;
  /** Undefined while its period is open. */
  readonly closed:
    | {
        readonly rule: string;
        readonly status: MatchStatus;
        readonly reason: MatchReason;
        readonly ledger: readonly string[];
      }
    | undefined;
}

export async function lineCursor(at: StageRun, id: string): Promise<LineCursor | undefined> {
  const [row] = await at.run(CURSOR, [at.tenant, id]);
  return row === undefined ? undefined : cursorOf(row);
}

export async function listedLines(
  at: StageRun,
  wanted: {
    readonly account?: string;
    readonly from?: string;
    readonly to?: string;
    readonly after: LineCursor | undefined;
    readonly limit: number;
  },
): Promise<readonly ListedLine[]> {
  const { account, from, to, after, limit } = wanted;
  const days = [account ?? null, from ?? null, to ?? null];
  const place = [after?.bookedOn ?? null, after?.feed ?? null, after?.ordinal ?? null];
  return (await at.run(LIST, [at.tenant, ...days, ...place, limit])).map((row) => ({
    ...cursorOf(row),
    format: text(row['format']),
    closed: optional(row['rule'], (rule) => ({
      rule: text(rule),
      // Written from MatchOutcome.
      status: row['status'] as MatchStatus,
      reason: row['reason'] as MatchReason,
      ledger: row['awards'] as string[],
    })),
  }));
}

function cursorOf(row: Row): LineCursor {
  return {
    feed: text(row['feed']),
    ordinal: Number(row['ordinal']),
    bookedOn: text(row['booked_on']),
  };
}
