/** How many filings a lane has, and in which state. */
import type { BatchId } from '../../core/index.ts';
import { optional, type Session, sql, text, when } from '../../postgres/index.ts';

export interface LaneCounts {
  readonly lane: string;
  readonly pending: number;
  readonly submitted: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly fallout: number;
  /** In a worker's hands right now. */
  readonly held: number;
  /** Open, in nobody's hands and not queued: two people have to approve that they are sent. */
  readonly unapproved: number;
  /** When the first of the queued ones has its turn; undefined when none is queued. */
  readonly nextAt: number | undefined;
  /** The least time left to a last safe moment among the open ones; undefined when none is open. */
  readonly leastSlackMs: number | undefined;
}

const COUNTS = sql('batch-counts')`
select f.lane,
  count(*) filter (where f.status = 'pending') as pending,
  count(*) filter (where f.status = 'submitted') as submitted,
  count(*) filter (where f.status = 'accepted') as accepted,
  count(*) filter (where f.status = 'rejected') as rejected,
  count(*) filter (where f.status = 'fallout') as fallout,
  count(*) filter (where f.status in ('pending', 'submitted') and f.next_at is null and f.holder is null
    and (f.status = 'pending' or f.step->>'action' <> 'send')) as unapproved,
  count(f.holder) as held, min(f.next_at) as next_at,
  extract(epoch from min(f.last_safe) filter (where f.status in ('pending', 'submitted')) - now()) * 1000 as slack_ms
from envelope e join filing f on f.tenant = e.tenant and f.id = e.id
where e.tenant = $1 and ($2::uuid is null or e.batch = $2) and not e.withdrawn
group by f.lane order by f.lane`;

/** Counts per lane of one batch, or of everything. */
export async function laneCounts(
  session: Pick<Session, 'run'>,
  tenant: string,
  id: BatchId | undefined,
): Promise<LaneCounts[]> {
  const rows = await session.run(COUNTS, [tenant, id ?? null]);
  return rows.map((row) => ({
    lane: text(row['lane']),
    pending: Number(row['pending']),
    submitted: Number(row['submitted']),
    accepted: Number(row['accepted']),
    rejected: Number(row['rejected']),
    fallout: Number(row['fallout']),
    held: Number(row['held']),
    unapproved: Number(row['unapproved']),
    nextAt: optional(row['next_at'], when),
    leastSlackMs: optional(row['slack_ms'], Number),
  }));
}
