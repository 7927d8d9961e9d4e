/** The way back of portals as a person sees and moves it. The checks themselves are run by workers. */
import { type Actor, allow, type PersonActor } from '../../access/index.ts';
import {
  checkReason,
  checkSecondPerson,
  type LaneRecovery,
  type LaneState,
  notFound,
  type Parties,
  ruledOut,
} from '../../core/index.ts';
import { type Installation, partiesOf } from '../../ledger/index.ts';
import { changeByPerson, lanes } from './lanes.ts';

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
  return changeByPerson(app, actor, code, (lane) => {
    requireRecovering(lane);
    return { kind: 'hurried', by: actor.id };
  });
}

/** Lets a lane that waits for a person go on. Not by who hurried it: that needs a second one. */
export async function approveLane(
  app: Installation,
  actor: Actor,
  approval: { readonly lane: string; readonly reason: string },
): Promise<LaneState> {
  allow(actor, 'recovery.approve');
  const why = checkReason('--reason', approval.reason);
  const parties = await hurriedParties(app, actor, approval.lane);
  return changeByPerson(app, actor, approval.lane, (lane) => {
    const { run, hurriedBy } = requireRecovering(lane);
    if (run.state !== 'awaiting_approval') {
      throw ruledOut(
        `The recovery of "${lane.code}" is ${run.state} and needs no approval; see recovery status`,
      );
    }
    checkSecondPerson(`The recovery of "${lane.code}"`, actor.id, hurriedBy, parties);
    return { kind: 'approved', why };
  });
}

/** Of who hurried it so far; one who does so meanwhile is unknown here, and the approval is refused. */
async function hurriedParties(
  app: Installation,
  actor: PersonActor,
  code: string,
): Promise<Parties> {
  const lane = (await lanes(app)).find(({ state }) => state.code === code);
  const people = [actor.id, ...(lane?.state.recovery?.hurriedBy ?? [])];
  return partiesOf(app.session.run.bind(app.session), app.tenant, people);
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
