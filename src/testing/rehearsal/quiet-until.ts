import { checkDueAt, effectiveCeiling, NEVER, opensAt, slowSince } from '../../lanes/index.ts';
import {
  type Instant,
  instant,
  invariant,
  type LaneState,
  type Profile,
} from '../../core/index.ts';
import type { OpenSpans } from '../../filings/index.ts';
import type { MemoryDatabase } from '../memory/database.ts';
import type { QueueWatch } from './queue-watch.ts';

/** When a look would next find something: a turn, a slot to take, a check, or a last safe moment that passes. */
export function quietUntil(
  lane: {
    readonly database: MemoryDatabase;
    readonly watch: QueueWatch;
    readonly spans: OpenSpans;
    readonly profile: Profile;
    readonly inFlight: number;
  },
  now: Instant,
): number {
  const { watch, spans, profile } = lane;
  const state = lane.database.lanes()[0]?.state;
  invariant(state !== undefined, 'A rehearsal has one lane');
  const wakeAt = Math.min(watch.firstLastSafe(), checkDueAt(state) ?? Number.POSITIVE_INFINITY);
  const opens = opensAt(state);
  if (opens === NEVER) return wakeAt;
  // What the worker has claimed ahead must be given back when the doors close.
  const span = spans.at(now);
  const closesAt = span !== undefined && span.from <= now ? span.until : Number.POSITIVE_INFINITY;
  const ready = instant(Math.max(watch.firstReadyAt(), opens, now));
  if (ready === Number.POSITIVE_INFINITY) return Math.min(wakeAt, closesAt);
  const turnAt = Math.max(ready, spans.at(ready)?.from ?? Number.POSITIVE_INFINITY);
  if (turnAt > now) return Math.min(turnAt, wakeAt, closesAt);
  if (lane.inFlight < effectiveCeiling(state, profile, now)) return now;
  return Math.min(wakeAt, closesAt, nextStepAt(state, profile, now));
}

/** When a slow start next widens the lane. */
function nextStepAt(state: LaneState, profile: Profile, now: Instant): number {
  const { slowStartStepMs } = profile;
  const startedAt = slowSince(state);
  const isWide = effectiveCeiling(state, profile, now) >= state.ceiling;
  if (startedAt === undefined || slowStartStepMs === 0 || isWide) {
    return Number.POSITIVE_INFINITY;
  }
  const steps = Math.floor(Math.max(now - startedAt, 0) / slowStartStepMs);
  return startedAt + (steps + 1) * slowStartStepMs;
}
