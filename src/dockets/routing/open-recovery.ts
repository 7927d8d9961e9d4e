/** The way back begins in the transaction that opens the breaker, with the queues as they were last seen. */
import type { Baseline } from '../rules/recovery.ts';
import { type BreakerState, type TargetId, toRfc3339 } from '../../core/index.ts';
import { startRecovery } from '../../lanes/index.ts';
import type { DocketFact } from '../store/docket-facts.ts';
import { queueReadings } from '../store/queues.ts';
import type { Session } from '../../postgres/index.ts';
import { startRun } from '../store/recovery.ts';
import { factOf } from './facts.ts';
import { ROUTER, type RoutingDeps } from './deps.ts';

/** Undefined when a run for the target is open already. */
export async function openRecovery(
  { tenant, ids }: Pick<RoutingDeps, 'tenant' | 'ids'>,
  run: Session['run'],
  {
    target,
    opened,
  }: { readonly target: TargetId; readonly opened: BreakerState & { readonly state: 'open' } },
): Promise<DocketFact | undefined> {
  const readings = await queueReadings({ run }, tenant);
  const id = ids.next();
  const baseline: Baseline = {
    openedAt: opened.since,
    queues: readings.map(({ queue, backlog, lagMs }) => ({ queue, backlog, lagMs })),
  };
  const isStarted = await startRun(run, tenant, {
    id,
    target,
    mode: 'automatic',
    phase: 'probing',
    nextAt: opened.until,
    baseline,
    state: startRecovery(opened.until),
  });
  if (!isStarted) return undefined;
  const fact = factOf(ids, 'recovery.started', ROUTER, {
    target,
    opened_at: toRfc3339(baseline.openedAt),
    queues: baseline.queues.map(({ queue, backlog, lagMs }) => ({ queue, backlog, lag_ms: lagMs })),
  });
  return { boundary: 'filing', kind: 'recovery', id, ver: 1, fact };
}
