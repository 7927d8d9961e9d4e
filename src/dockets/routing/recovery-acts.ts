/** What people do with recovery: look, hurry, approve, review. Hidden dockets do not show in any of it. */
import {
  checkReason,
  checkSecondPerson,
  CLOSED,
  nextTurnOf,
  notFound,
  personId,
  type RecoveryState,
  ruledOut,
  type TargetId,
} from '../../core/index.ts';
import { isPastApproval } from '../rules/recovery.ts';
import { maySee, type Viewer } from '../rules/access/visible.ts';
import { evidenceOf, listRuns, openRun, type StoredRun } from '../store/recovery.ts';
import { findDocket } from '../store/dockets.ts';
import { listDifferences, type StoredDifference } from '../store/differences.ts';
import { partiesOf } from '../../ledger/index.ts';
import { readTargetLanes } from '../../lanes/index.ts';
import { approveChangeIn, proposeChangeIn } from '../../people/index.ts';
import type { Session } from '../../postgres/index.ts';
import type { Actor, RoutingDeps } from './deps.ts';
import { addToRun, type RecoveryOptions, recoveryPolicy } from './recovery.ts';
import { loadRouting } from './setup.ts';
import type { BreakerView, RecoveryView } from './views.ts';

export async function listBreakers({ session, tenant }: RoutingDeps): Promise<BreakerView[]> {
  const rows = await readTargetLanes((statement, values) => session.run(statement, values), tenant);
  return rows.map(({ target, breaker, changedAt }) => ({ target, breaker, changedAt }));
}

/** Open runs first; all evidence of each. */
export async function recoveriesSeenBy(
  deps: RoutingDeps,
  viewer: Viewer,
  filter: { readonly target?: TargetId; readonly limit?: number } = {},
): Promise<RecoveryView[]> {
  const { session, tenant } = deps;
  const breakers = new Map((await listBreakers(deps)).map((one) => [one.target, one.breaker]));
  const runs = await listRuns(session, tenant, filter.limit ?? 20);
  const views: RecoveryView[] = [];
  for (const run of runs) {
    if (filter.target !== undefined && run.target !== filter.target) continue;
    const { id, target, startedAt, mode } = run;
    views.push({
      run: id,
      target,
      startedAt,
      mode,
      nextAt: nextTurnOf(run.state),
      state: run.state,
      breaker: breakers.get(target) ?? CLOSED,
      evidence: (await evidenceOf(session, tenant, id)).map((one) => withoutCounts(one)),
      differences: await visibleDifferences(deps, viewer, run),
    });
  }
  return views;
}

/** Totals over dockets tell that some are hidden; the list of differences says all that the viewer may know. */
function withoutCounts<Evidence extends { readonly step: string; readonly evidence: object }>(
  one: Evidence,
): Evidence {
  return one.step === 'reconciliation' ? { ...one, evidence: {} } : one;
}

async function visibleDifferences(
  { session, tenant }: RoutingDeps,
  viewer: Viewer,
  run: StoredRun,
): Promise<StoredDifference[]> {
  const visible: StoredDifference[] = [];
  for (const difference of await listDifferences(session, tenant, { run: run.id })) {
    const row = await findDocket(session, tenant, difference.docket);
    if (row !== undefined && maySee(row.docket, viewer)) visible.push(difference);
  }
  return visible;
}

/** Asks for the next check now, as far as the cool-down allows, and for a person's approval at the end. */
export async function moveRecovery(
  deps: RoutingDeps,
  target: TargetId,
  actor: Actor,
  options: RecoveryOptions = {},
): Promise<RecoveryState> {
  const run = await requireRun(deps, target);
  return add(deps, run, options, {
    happening: { kind: 'hurried' },
    evidence: { step: 'approval', verdict: 'wait', by: actor.id, evidence: { act: 'run' } },
    actor,
    agree: (query, locked) => proposedStart(deps, query, actor, locked),
  });
}

/** Lets a run that waits for a person go on to its synthetic transaction. Not by who hurried it: that needs a second one. */
export async function approveRun(
  deps: RoutingDeps,
  target: TargetId,
  actor: Actor,
  approval: { readonly reason: string; readonly options?: RecoveryOptions },
): Promise<RecoveryState> {
  const run = await requireRun(deps, target);
  if (run.phase !== 'awaiting_approval') {
    throw ruledOut(
      `The recovery of "${target}" is ${run.phase.replaceAll('_', ' ')} and needs no approval; see recovery status`,
    );
  }
  const { session, tenant } = deps;
  const reason = checkReason('--reason', approval.reason);
  const hurries = (await evidenceOf(session, tenant, run.id)).filter(isHurry);
  const hurriedBy = hurries.map(({ by }) => by);
  if (hurriedBy.length > 0) {
    const parties = await partiesOf(session.run.bind(session), tenant, [actor.id, ...hurriedBy]);
    checkSecondPerson(`The recovery of "${target}"`, actor.id, hurriedBy, parties);
  }
  const reasons = run.state.state === 'awaiting_approval' ? run.state.reasons : [];
  return add(deps, run, approval.options ?? {}, {
    happening: { kind: 'approved' },
    evidence: {
      step: 'approval',
      verdict: 'good',
      by: actor.id,
      evidence: { act: 'approve', reason, over: reasons },
    },
    actor,
    agree: (query, locked) => approvedStart(deps, query, actor, locked),
  });
}

/** One start is one proposal, whoever else wants it meanwhile. None where nobody is asked any more. */
async function proposedStart(
  deps: RoutingDeps,
  query: Session['run'],
  { id }: Actor,
  run: StoredRun,
): Promise<StoredRun['mode']> {
  if (run.mode === 'by_hand' || isPastApproval(run.state)) return run.mode;
  await proposeChangeIn(
    query,
    deps,
    { id: personId(id) },
    {
      kind: 'recovery',
      subject: run.id,
      terms: { target: run.target, run: run.id },
      reason: `the next check of ${run.target} was started by hand`,
    },
  );
  return 'by_hand';
}

/** What two people have agreed to is used once: should a later check fail, it comes back as any other does. */
async function approvedStart(
  deps: RoutingDeps,
  query: Session['run'],
  { id }: Actor,
  run: StoredRun,
): Promise<StoredRun['mode']> {
  if (run.mode === 'automatic' || run.state.state !== 'awaiting_approval') return run.mode;
  const by = { id: personId(id) };
  await approveChangeIn(query, deps, by, { kind: 'recovery', subject: run.id });
  return 'automatic';
}

function isHurry({ step, evidence }: { readonly step: string; readonly evidence: object }) {
  return step === 'approval' && 'act' in evidence && evidence.act === 'run';
}

async function add(
  deps: RoutingDeps,
  run: StoredRun,
  options: RecoveryOptions,
  addition: Parameters<typeof addToRun>[3],
): Promise<RecoveryState> {
  const routing = await loadRouting(deps);
  const isAutomatic = (options.automatic ?? true) && run.mode === 'automatic';
  const at = { policy: recoveryPolicy(routing, options), isAutomatic };
  const next = await addToRun(deps, routing, run, addition, at);
  if (next === undefined) throw new Error('an act of a person needs no lease');
  return next;
}

async function requireRun({ session, tenant }: RoutingDeps, target: TargetId): Promise<StoredRun> {
  const run = await openRun(session, tenant, target);
  if (run === undefined) {
    throw notFound(`"${target}" has no recovery in progress`);
  }
  return run;
}
