/** How full queues are: our own, as the table of dockets shows it, and the last reading of each other one. */
import type { Trigger } from '../rules/routing/triggers.ts';
import { type Instant, targetId, type TargetId } from '../../core/index.ts';
import { optional, type Session, sql, text, when } from '../../postgres/index.ts';
import { jsonText } from './docket-rows.ts';

const OWN = sql('docket-queue-own')`select count(*) as backlog, min(next_at) as oldest from docket
    where tenant = $1 and next_at <= now() and ($2::text is null or target = $2)`;

/** All that is due, or what is due at one target. */
export async function ownQueue(
  session: Pick<Session, 'run'>,
  tenant: string,
  target?: TargetId,
): Promise<{ readonly backlog: number; readonly oldestDueAt: Instant | undefined }> {
  const [row] = await session.run(OWN, [tenant, target ?? null]);
  return { backlog: Number(row?.['backlog']), oldestDueAt: optional(row?.['oldest'], when) };
}

interface QueueReading {
  readonly queue: string;
  /** The target that the queue leads to; undefined for our own and for intakes. */
  readonly target: TargetId | undefined;
  readonly backlog: number | undefined;
  readonly lagMs: number | undefined;
  readonly evidence: object;
  /** What of it is over a threshold. */
  readonly triggers: readonly Trigger[];
}

const NOTE = sql('queue-reading-note')`
insert into queue_reading (tenant, queue, target, backlog, lag_ms, evidence, triggers)
    values ($1, $2, $3, $4, $5, $6, $7)
    on conflict (tenant, queue) do update set target = excluded.target, at = now(), backlog = excluded.backlog,
      lag_ms = excluded.lag_ms, evidence = excluded.evidence, triggers = excluded.triggers`;

export async function noteReading(
  session: Pick<Session, 'run'>,
  tenant: string,
  reading: QueueReading,
): Promise<void> {
  const { queue, target, backlog, lagMs, evidence, triggers } = reading;
  await session.run(NOTE, [
    tenant,
    queue,
    target ?? null,
    backlog ?? null,
    lagMs === undefined ? null : Math.round(lagMs),
    jsonText(evidence),
    jsonText(triggers),
  ]);
}

const READ = sql('queue-readings')`
select queue, target, at, backlog, lag_ms, evidence, triggers from queue_reading where tenant = $1 order by queue`;

export async function queueReadings(
  session: Pick<Session, 'run'>,
  tenant: string,
): Promise<(QueueReading & { readonly at: Instant })[]> {
  return (await session.run(READ, [tenant])).map((row) => ({
    queue: text(row['queue']),
    target: optional(row['target'], (id) => targetId(text(id))),
    at: when(row['at']),
    backlog: optional(row['backlog'], Number),
    lagMs: optional(row['lag_ms'], Number),
    // Written only here, from an object and a list.
    evidence: row['evidence'] as object,
    triggers: row['triggers'] as readonly Trigger[],
  }));
}
