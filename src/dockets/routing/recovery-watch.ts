/** What every turn of recovery looks at first: breakers without a run, dockets that wait for a target, clocks that ran out. */
import { type BreakerState, nextProbeAt, type TargetId } from '../../core/index.ts';
import { isClean } from '../rules/routing/breakers.ts';
import { overdueDifferences } from '../store/differences.ts';
import { raiseAlertRow } from '../../ledger/index.ts';
import { readTargetLanes } from '../../lanes/index.ts';
import { recordDocketFacts } from '../store/docket-facts.ts';
import { wakeManualDockets } from '../store/manual.ts';
import { openRecovery } from './open-recovery.ts';
import type { RoutingDeps } from './deps.ts';
import type { ActiveRouting } from './setup.ts';

const OVERDUE_AT_ONCE = 100;

/** A breaker that is not closed always has a run: one that was abandoned begins anew when its target is back. */
export async function followBreakers(deps: RoutingDeps, { matrix }: ActiveRouting): Promise<void> {
  const { session, tenant } = deps;
  const rows = await readTargetLanes((statement, values) => session.run(statement, values), tenant);
  const broken = rows.filter(
    ({ target, breaker }) => breaker.state !== 'closed' && matrix.targets.has(target),
  );
  // Nobody has acted on what waits with people, and its target is well again: it hears the clock.
  const breakers = new Map(rows.map((row) => [row.target, row.breaker]));
  const clean = rows.flatMap(({ target }) => (isClean(breakers, target) ? [target] : []));
  await wakeManualDockets(session, tenant, clean);
  for (const { target, breaker } of broken) await follow(deps, target, breaker);
}

async function follow(
  { session, tenant, ids }: RoutingDeps,
  target: TargetId,
  breaker: BreakerState,
): Promise<void> {
  const at =
    breaker.state === 'open'
      ? breaker.since
      : breaker.state === 'half_open'
        ? breaker.nextProbeAt
        : undefined;
  const until = nextProbeAt(breaker);
  if (at === undefined || until === undefined) return;
  const opened = { state: 'open', since: at, until } as const;
  try {
    await session.transaction(async (run) => {
      const fact = await openRecovery({ tenant, ids }, run, { target, opened });
      if (fact === undefined) return;
      // Whoever closed the breaker meanwhile ended its run too, and that is why there was room for another. Looked at
      // after the insert: no run can end between the two unseen, because the insert would have met it.
      const rows = await readTargetLanes(run, tenant);
      const isOpen = rows.some((row) => row.target === target && row.breaker.state !== 'closed');
      if (!isOpen) throw new ClosedMeanwhile();
      await recordDocketFacts(run, tenant, [fact]);
    });
  } catch (error) {
    if (!(error instanceof ClosedMeanwhile)) throw error;
  }
}

/** Takes the insert back. */
class ClosedMeanwhile extends Error {}

/** MANUAL_ESCALATION_REQUIRED is told again each time its clock runs out. */
export async function tellOverdue(deps: RoutingDeps, clockMs: number): Promise<void> {
  const { session, tenant, ids } = deps;
  await session.transaction(async (run) => {
    const overdue = await overdueDifferences(run, tenant, { clockMs, count: OVERDUE_AT_ONCE });
    for (const { docket, kind, flag } of overdue) {
      await raiseAlertRow(run, tenant, {
        id: ids.next(),
        kind: 'recovery_difference_overdue',
        subject: docket,
        docket,
        severity: 'critical',
        recipient: undefined,
        text: `${flag}: no one has reviewed in time that docket ${docket} is "${kind}" after a recovery.`,
        dedup: `recovery_difference/${docket}`.slice(0, 200),
      });
    }
  });
}
