/** Lanes: adding a portal by its profile, pausing, resuming and changing the ceiling while everything runs. */
import { type Actor, allow, type PersonActor } from '../../access/index.ts';
import {
  type LaneCode,
  laneCode,
  type LaneState,
  type LedgerFact,
  notFound,
  type Profile,
  ruledOut,
  userFact,
} from '../../core/index.ts';
import { laneAfter, type LaneEvent } from '../rules/lane-rules.ts';
import { destinationOf } from '../rules/destination.ts';
import { laneFacts } from '../rules/lane-facts.ts';
import type { Installation } from '../../ledger/index.ts';
import type { Run } from '../../postgres/index.ts';
import { readProfile } from '../profile/read-profile.ts';
import { addLane, changeLaneByPerson, changeLockedLane, storedLanes } from '../store/lanes.ts';
import { laneCounts } from '../store/lane-counts.ts';

export interface LaneWithProfile {
  readonly state: LaneState;
  readonly profile: Profile;
}

/** A portal that is new. False where the lane exists: another profile for it needs a second person. */
export async function addPortal(
  app: Installation,
  actor: Actor,
  profile: Profile,
  onAdded?: (run: Run) => Promise<void>,
): Promise<{ readonly added: boolean }> {
  allow(actor, 'lane.add');
  return addLane(app.session, app.tenant, profile, profiledFact(app, actor, profile), onAdded);
}

export function profiledFact(
  app: Pick<Installation, 'ids'>,
  actor: PersonActor,
  profile: Profile,
): LedgerFact {
  const { profile_sha256, origin } = destinationOf(profile);
  return userFact(app, 'lane.profiled', actor, {
    lane: profile.code,
    ceiling: profile.ceiling,
    automation: profile.automation,
    effect: profile.effect,
    profile_sha256,
    origin,
  });
}

export async function lanes(
  app: Pick<Installation, 'session' | 'tenant'>,
): Promise<readonly LaneWithProfile[]> {
  const stored = await storedLanes(app.session, app.tenant);
  return stored.map(({ state, profile }) => ({
    state,
    // Read with the schema again: the row may come from an older version, and everything below trusts it.
    profile: readProfile(profile, `lane ${state.code}`),
  }));
}

interface ListedLane extends LaneWithProfile {
  /** Filings that are not at their end. */
  readonly open: number;
}

/** Every lane with its backlog. */
export async function listLanes(app: Installation, actor: Actor): Promise<readonly ListedLane[]> {
  allow(actor, 'lane.list');
  const counts = await laneCounts(app.session, app.tenant, undefined);
  const open = new Map(counts.map((one) => [one.lane, one.pending + one.submitted]));
  return (await lanes(app)).map((lane) => ({ ...lane, open: open.get(lane.state.code) ?? 0 }));
}

/** An empty answer about a lane that does not exist would read as "nothing is open there". */
export function requireLane(all: readonly LaneWithProfile[], code: string): LaneWithProfile {
  const found = all.find(({ state }) => state.code === code);
  if (found !== undefined) return found;
  throw notFound(`No lane is named ${code}; see lane list`);
}

export async function profilesByLane(app: Installation): Promise<ReadonlyMap<LaneCode, Profile>> {
  return new Map((await lanes(app)).map(({ state, profile }) => [state.code, profile]));
}

export async function changeLane(
  app: Installation,
  actor: Actor,
  code: string,
  event: LaneEvent & { kind: 'paused_by_person' | 'resumed_by_person' | 'ceiling' },
): Promise<LaneState> {
  allow(actor, 'lane.change');
  return changeByPerson(app, actor, code, (before) => {
    if (event.kind === 'resumed_by_person') requireTheirs(before);
    return event;
  });
}

/** What a portal did is not undone by a word alone: nobody presses a blind reset. */
function requireTheirs(lane: LaneState): void {
  if (lane.recovery === undefined || lane.pause.kind !== 'held') return;
  if (lane.pause.reason === 'person') return;
  throw ruledOut(
    `Lane ${lane.code} is stopped because of its portal (${lane.pause.reason}) and resumes after its checks; see recovery status, start the next check with recovery run ${lane.code}, and where a person is needed, use recovery approve ${lane.code}`,
  );
}

/** The profile is what two people agreed to; one alone may ask less of the portal, never more. */
function requireWithin(event: LaneEvent, profile: Profile | undefined): void {
  if (event.kind !== 'ceiling' || profile === undefined || event.ceiling <= profile.ceiling) return;
  throw ruledOut(
    `The profile of lane ${profile.code} allows a ceiling of at most ${profile.ceiling}; propose a profile with a higher one with lane add`,
  );
}

/** `eventFor` may refuse; it is asked again where the lane has changed meanwhile. */
async function changeByPerson(
  app: Installation,
  actor: PersonActor,
  code: string,
  eventFor: (lane: LaneState) => LaneEvent,
): Promise<LaneState> {
  const lane = laneCode(code);
  const profile = (await profilesByLane(app)).get(lane);
  return changeLaneByPerson(app.session, app.tenant, lane, (before) =>
    changeOf(app, actor, profile, before, eventFor(before)),
  );
}

/** What `eventFor` writes is committed together with the change, or not at all. */
export async function changeTogether(
  app: Installation,
  actor: PersonActor,
  code: string,
  eventFor: (run: Run, lane: LaneState) => Promise<LaneEvent>,
): Promise<LaneState> {
  const lane = laneCode(code);
  const profile = (await profilesByLane(app)).get(lane);
  return changeLockedLane(app.session, app.tenant, lane, async (run, before) =>
    changeOf(app, actor, profile, before, await eventFor(run, before)),
  );
}

function changeOf(
  app: Installation,
  actor: PersonActor,
  profile: Profile | undefined,
  before: LaneState,
  event: LaneEvent,
): { readonly after: LaneState; readonly facts: readonly LedgerFact[] } {
  requireWithin(event, profile);
  const now = app.clock.now();
  const after = profile === undefined ? before : laneAfter(before, event, profile, now);
  return { after, facts: laneFacts(before, after, app.ids, now, { kind: 'user', id: actor.id }) };
}
