/**
 * The way back of portals as a person sees and moves it. The checks themselves are run by workers. Here and not with the
 * lanes, because who starts one proposes it, and a second person approves that.
 */
import { type Actor, allow } from '../../access/index.ts';
import {
  checkReason,
  checkSecondPerson,
  type LaneRecovery,
  type LaneState,
  notFound,
  ruledOut,
  toRfc3339,
} from '../../core/index.ts';
import { changeTogether, isBeforeApproval, lanes } from '../../lanes/index.ts';
import { type Installation, partiesOf, sequenceAll } from '../../ledger/index.ts';
import { approveChangeIn, proposeChangeIn } from '../../people/index.ts';

export async function recoveringLanes(
  app: Installation,
  actor: Actor,
): Promise<readonly LaneState[]> {
  allow(actor, 'recovery.status');
  const states = (await lanes(app)).map(({ state }) => state);
  return states.filter(({ recovery }) => recovery !== undefined);
}

/** Asks for the next check now, as far as the cool-down allows; somebody else then approves at the end. */
export async function hurryLane(app: Installation, actor: Actor, code: string): Promise<LaneState> {
  allow(actor, 'recovery.run');
  const lane = await changeTogether(app, actor, code, async (run, before) => {
    const recovery = requireRecovering(before);
    // One start is one proposal, whoever else wants it meanwhile.
    if (recovery.hurriedBy.length === 0 && isBeforeApproval(recovery)) {
      const { reason, since } = recovery;
      await proposeChangeIn(run, app, actor, {
        kind: 'recovery',
        subject: subjectOf(before.code, recovery),
        terms: { lane: before.code, reason, code: recovery.code, since: toRfc3339(since) },
        reason: `the next check of lane ${before.code} was started by hand`,
      });
    }
    return { kind: 'hurried', by: actor.id };
  });
  await sequenceAll(app);
  return lane;
}

/** Lets a lane that waits for a person go on. Not by who hurried it: that needs a second one. */
export async function approveLane(
  app: Installation,
  actor: Actor,
  approval: { readonly lane: string; readonly reason: string },
): Promise<LaneState> {
  allow(actor, 'recovery.approve');
  const why = checkReason('--reason', approval.reason);
  const lane = await changeTogether(app, actor, approval.lane, async (run, before) => {
    const recovery = requireRecovering(before);
    if (recovery.run.state !== 'awaiting_approval') {
      throw ruledOut(
        `The recovery of "${before.code}" is ${recovery.run.state} and needs no approval; see recovery status`,
      );
    }
    const { hurriedBy } = recovery;
    if (hurriedBy.length > 0) {
      const parties = await partiesOf(run, app.tenant, [actor.id, ...hurriedBy]);
      checkSecondPerson(`The recovery of "${before.code}"`, actor.id, hurriedBy, parties);
      const subject = subjectOf(before.code, recovery);
      await approveChangeIn(run, app, actor, { kind: 'recovery', subject });
    }
    return { kind: 'approved', why };
  });
  await sequenceAll(app);
  return lane;
}

/** As the guard of the lane composes it (guard_lane_recovery). */
function subjectOf(code: string, { since }: LaneRecovery): string {
  return `${code}/${since}`;
}

function requireRecovering(lane: LaneState): LaneRecovery {
  if (lane.recovery === undefined) {
    throw notFound(`"${lane.code}" has no recovery in progress`);
  }
  if (lane.pause.kind === 'held' && lane.pause.reason === 'person') {
    throw ruledOut(
      `Lane ${lane.code} was paused by a person, and so was its recovery; use lane resume ${lane.code} first`,
    );
  }
  return lane.recovery;
}
