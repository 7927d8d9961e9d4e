/** Why a batch that still has open filings cannot go on for now: somebody running it should not wait in the dark. */
import type { Instant } from '../../core/index.ts';
import {
  isOpen,
  type LaneCounts,
  type LaneWithProfile,
  nextOpening,
  waitsForPerson,
  wordNeeded,
} from '../../lanes/index.ts';

/** Shorter waits (a backoff, a poll, a short throttle) are part of running. */
const WORTH_WAITING_MS = 60_000;

export interface Wait {
  readonly lane: string;
  readonly open: number;
  /** In words that `until`, where there is one, completes. */
  readonly reason: string;
  /** Undefined when only a person can end it. */
  readonly until: number | undefined;
}

/** One wait for each lane with open filings, or undefined while any of them can still move. */
export function waitsOf(
  counts: readonly LaneCounts[],
  lanes: readonly LaneWithProfile[],
  now: Instant,
): readonly Wait[] | undefined {
  const waits: Wait[] = [];
  for (const lane of counts) {
    const open = lane.pending + lane.submitted;
    if (open === 0) continue;
    const known = lanes.find((other) => other.state.code === lane.lane);
    const wait = known === undefined || lane.held > 0 ? undefined : waitOf(lane, known, now);
    if (wait === undefined) return undefined;
    waits.push({ lane: lane.lane, open, ...wait });
  }
  return waits;
}

function waitOf(
  counts: LaneCounts,
  { state, profile }: LaneWithProfile,
  now: Instant,
): Pick<Wait, 'reason' | 'until'> | undefined {
  const { pause } = state;
  if (profile.driver === 'person' && counts.unapproved < counts.pending + counts.submitted) {
    return { reason: 'people file here; see hand list', until: undefined };
  }
  if (counts.unapproved > 0 && counts.unapproved === counts.pending + counts.submitted) {
    return {
      reason: 'their approval has ended; use batch propose, then batch approve by another person',
      until: undefined,
    };
  }
  // What is checked comes back by itself.
  if (pause.kind === 'held' && waitsForPerson(state)) {
    const remedy = `find out why, then ${wordNeeded(state)}`;
    return { reason: `the lane is held (${pause.reason}); ${remedy}`, until: undefined };
  }
  const far = (until: number | undefined): until is number =>
    until !== undefined && until - now > WORTH_WAITING_MS;
  const opening = isOpen(profile.hours, now) ? undefined : nextOpening(profile.hours, now);
  // Whatever ends before the last of them changes nothing: a filing of next year does not wait for tomorrow's opening.
  return [
    {
      reason: 'the portal asked for a pause until',
      until: pause.kind === 'until' ? pause.until : undefined,
    },
    { reason: 'the portal is closed until', until: opening },
    { reason: 'nothing is due before', until: counts.nextAt },
  ].reduce<{ reason: string; until: number } | undefined>(
    (last, { reason, until }) =>
      far(until) && until > (last?.until ?? 0) ? { reason, until } : last,
    undefined,
  );
}
