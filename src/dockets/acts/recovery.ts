/** Recovery as a person sees and moves it. The checks themselves are run by routers. */
import { docketId, targetId } from '../../core/index.ts';
import { type Actor, allow } from '../../access/index.ts';
import { type Installation, sequenceAll } from '../../ledger/index.ts';
import { unknownDocket } from '../rules/access/visible.ts';
import type { BreakerView, RecoveryView } from '../routing/views.ts';
import {
  approveRun,
  listBreakers,
  moveRecovery,
  recoveriesSeenBy,
} from '../routing/recovery-acts.ts';
import {
  type DifferenceFilter,
  openDifferences,
  reviewDocketDifferences,
  reviewOpenDifferences,
} from '../routing/differences.ts';
import type { StoredDifference } from '../store/differences.ts';
import { actorOf, routingDeps } from './deps.ts';
import { requireKnown } from './privilege.ts';
import { shownRun } from './recovery-shown.ts';
import { viewerFor } from './sight.ts';

export interface RecoveryStatus {
  readonly breakers: readonly BreakerView[];
  readonly runs: readonly RecoveryView[];
}

export async function recoveryStatus(
  app: Installation,
  person: Actor,
  filter: { readonly all: boolean; readonly target?: string },
): Promise<RecoveryStatus> {
  allow(person, 'recovery.status');
  const deps = routingDeps(app);
  const viewer = await viewerFor(app, person);
  const { target } = filter;
  const found = await recoveriesSeenBy(
    deps,
    viewer,
    target === undefined ? {} : { target: targetId(target) },
  );
  const isOver = ({ state }: RecoveryView): boolean =>
    state.state === 'closed' || state.state === 'abandoned';
  return {
    // A closed one counts failures of handoffs, of which some may be hidden; it is as if it had never been touched.
    breakers: (await listBreakers(deps)).filter(({ breaker }) => breaker.state !== 'closed'),
    runs: found.filter((run) => filter.all || !isOver(run)).map(shownRun),
  };
}

export async function runRecovery(
  app: Installation,
  person: Actor,
  target: string,
): Promise<RecoveryStatus> {
  allow(person, 'recovery.run');
  await requireKnown(app, person, 'Changing a recovery');
  await moveRecovery(routingDeps(app), targetId(target), actorOf(person));
  await sequenceAll(app);
  return recoveryStatus(app, person, { all: false, target });
}

export async function approveRecovery(
  app: Installation,
  person: Actor,
  approval: { readonly target: string; readonly reason: string },
): Promise<RecoveryStatus> {
  allow(person, 'recovery.approve');
  const { target, reason } = approval;
  await requireKnown(app, person, 'Changing a recovery');
  await approveRun(routingDeps(app), targetId(target), actorOf(person), { reason });
  await sequenceAll(app);
  return recoveryStatus(app, person, { all: false, target });
}

/** Says that a person has looked at what a recovery found about a docket. */
export async function reviewDifferences(
  app: Installation,
  person: Actor,
  id: string,
): Promise<number> {
  allow(person, 'recovery.review');
  const deps = routingDeps(app);
  const viewer = await viewerFor(app, person);
  const docket = docketId(id);
  const count = await reviewDocketDifferences(deps, viewer, docket);
  // Nothing to review, hidden and unknown are one answer.
  if (count === 0) throw unknownDocket(docket);
  await sequenceAll(app);
  return count;
}

export type DifferenceQuestion = Omit<DifferenceFilter, 'docket'>;

/** Open differences that this person may see, the most urgent first. */
export async function listRecoveryDifferences(
  app: Installation,
  person: Actor,
  filter: DifferenceQuestion,
): Promise<readonly StoredDifference[]> {
  allow(person, 'recovery.differences');
  return openDifferences(routingDeps(app), await viewerFor(app, person), filter);
}

/** The same for all that a filter names. Nothing to review is an answer, and no error: something may be hidden. */
export async function reviewFiltered(
  app: Installation,
  person: Actor,
  filter: DifferenceQuestion,
): Promise<{ readonly reviewed: number; readonly dockets: number }> {
  allow(person, 'recovery.review-many');
  await requireKnown(app, person, 'Reviewing differences');
  const viewer = await viewerFor(app, person);
  const done = await reviewOpenDifferences(routingDeps(app), viewer, filter);
  await sequenceAll(app);
  return done;
}
