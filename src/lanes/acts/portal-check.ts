/** `portal check` as one more user of a portal: where a lane leads to it, the check runs in slots of that lane. */
import { type Actor, allow } from '../../access/index.ts';
import type { Installation } from '../../ledger/index.ts';
import type { LaneAccess } from '../live/lane-reader.ts';
import { checkPortal, type ConformanceReport } from '../conformance/conformance.ts';
import { lanes, type LaneWithProfile } from './lanes.ts';

type CheckOptions = Omit<Parameters<typeof checkPortal>[0], 'slots'>;

/** Two sessions at once are needed to see whether they are two. */
const SLOTS_FOR_SESSIONS = 2;

/** `app`: undefined where there is nothing installed, so that nobody else of ours can be at the portal. */
export async function checkInLane(
  app: (Installation & LaneAccess) | undefined,
  actor: Actor,
  options: CheckOptions,
  onWait?: (lane: string, msMax: number) => void,
): Promise<ConformanceReport> {
  allow(actor, 'portal.check');
  const { profile } = options;
  const lane = app && laneAt(await lanes(app), profile);
  if (app === undefined || lane === undefined) return checkPortal(options);
  const count = profile.session?.scope === 'slot' ? SLOTS_FOR_SESSIONS : 1;
  const { code } = lane.state;
  // The ceiling is the lane's: a file that says more does not make the portal wider.
  const wants = { count, onWait: (msMax: number) => onWait?.(code, msMax) };
  return app.inSlots({ code, profile: lane.profile }, wants, (slots) =>
    checkPortal({ ...options, slots }),
  );
}

/** The lane whose portal is meant: by its address, and by its code where several are behind one. */
function laneAt(
  all: readonly LaneWithProfile[],
  { code, baseUrl }: { readonly code: string; readonly baseUrl: string },
): LaneWithProfile | undefined {
  const here = all.filter(({ profile }) => originOf(profile.baseUrl) === originOf(baseUrl));
  return (
    here.find(({ profile }) => profile.baseUrl === baseUrl) ??
    here.find(({ state }) => state.code === code) ??
    (here.length === 1 ? here[0] : undefined)
  );
}

function originOf(url: string): string {
  return new URL(url).origin;
}
