/** Down the tiers to the first that can take a docket, with an account of every tier passed. */
import { formatDay } from '../../../calendar/index.ts';
import type { Instant, TargetId } from '../../../core/index.ts';
import type { DocketDates } from '../docket/dates.ts';
import type { Activation } from './activation.ts';
import { breakerOf, type Breakers, isUsable, restsUntil } from './breakers.ts';
import type { LeaveReason, RoutingFact, TransitionSide } from './facts.ts';
import type { RoutingMatrix } from './matrix.ts';
import type { Candidate, Route } from './route-of.ts';
import type { KnownDates } from './state.ts';
import { lastSafeOf } from './tier-timer.ts';
import { type Tier, tierBelow } from './tiers.ts';

interface Landscape {
  readonly at: Instant;
  readonly route: Route;
  readonly dates: DocketDates;
  readonly breakers: Breakers;
  readonly input: { readonly matrix: RoutingMatrix };
}

interface Descent {
  readonly from: Tier;
  /** Attempts already made there. */
  readonly attempt: number;
  /** Undefined: the tier where it stands may still take it. */
  readonly reason: LeaveReason | undefined;
  readonly activation?: Activation | undefined;
  /** The target that is left, where one was tried. */
  readonly left: TargetId | undefined;
}

interface Landing {
  /** Undefined: MANUAL, or nobody yet. */
  readonly candidate: Candidate | undefined;
  /** Set where a target asked to be left alone for a moment: so long the docket waits for it. */
  readonly waitUntil?: { readonly tier: Tier; readonly until: Instant };
  /** Why the last tier was left. */
  readonly reason: LeaveReason;
  readonly facts: readonly RoutingFact[];
}

export function descend(descent: Descent, land: Landscape): Landing {
  const facts: RoutingFact[] = [];
  let tier = descent.from;
  let reason = descent.reason;
  let left = descent.left;
  for (;;) {
    // Told when a tier is entered, not again with its second attempt or when it is left.
    const isEntered = tier !== descent.from || (reason === undefined && descent.attempt === 0);
    if (isEntered) facts.push(...skipsOf(tier, land));
    if (tier === 'MANUAL')
      return { candidate: undefined, reason: reason ?? 'NOBODY_TO_ASK', facts };
    const isLeft = reason !== undefined && tier === descent.from;
    const here: Candidate | undefined = free(tier, land);
    const until = isLeft || here !== undefined ? undefined : restOf(tier, land);
    if (until !== undefined && until - land.at <= REST_WAIT_MS_MAX && !isSlackGone(land)) {
      return { candidate: undefined, waitUntil: { tier, until }, reason: 'ASKED_TO_WAIT', facts };
    }
    const blocked: LeaveReason | undefined = isLeft ? reason : blockOf(tier, here, land);
    if (blocked === undefined && here !== undefined) {
      return { candidate: here, reason: reason ?? 'NOBODY_TO_ASK', facts };
    }
    reason = blocked ?? 'NOBODY_TO_ASK';
    const below = tierBelow(tier);
    const activation = tier === descent.from ? descent.activation : undefined;
    const trigger = activation?.trigger;
    facts.push({
      kind: 'transition',
      at: land.at,
      from: side(tier, left ?? first(tier, land)?.target.id, land),
      to: side(below, (free(below, land) ?? first(below, land))?.target.id, land),
      reason,
      activation: activation?.id,
      trigger: trigger === undefined ? undefined : { code: trigger.code, subject: trigger.subject },
      evidence: trigger?.evidence,
      labels: land.route.labels,
      matrixVersion: land.route.matrixVersion,
    });
    tier = below;
    left = undefined;
  }
}

function blockOf(
  tier: Tier,
  here: Candidate | undefined,
  land: Landscape,
): LeaveReason | undefined {
  if (isSlackGone(land)) return 'SLACK_GONE';
  if (here !== undefined) return undefined;
  if (restOf(tier, land) !== undefined) return 'ASKED_TO_WAIT';
  return first(tier, land) === undefined ? 'NOBODY_TO_ASK' : 'BREAKER_OPEN';
}

/** So long a docket waits for a target that asked for it (`Retry-After`); for longer the next tier is the better place. */
export const REST_WAIT_MS_MAX = 60_000;

/** When the first target of the tier may be asked again, of those that are only resting. */
function restOf(tier: Tier, land: Landscape): Instant | undefined {
  const candidates = land.route.tiers.find((one) => one.tier === tier)?.candidates ?? [];
  const ends = candidates.flatMap(({ target }) =>
    isUsable(land.breakers, target.id) ? (restsUntil(land.breakers, target.id, land.at) ?? []) : [],
  );
  return ends.length === 0 ? undefined : ends.reduce((least, one) => (one < least ? one : least));
}

function first(tier: Tier, land: Landscape): Candidate | undefined {
  return land.route.tiers.find((one) => one.tier === tier)?.candidates[0];
}

/** The one that the tier prefers among those whose breaker is closed and who may be asked now. */
function free(tier: Tier, land: Landscape): Candidate | undefined {
  return land.route.tiers
    .find((one) => one.tier === tier)
    ?.candidates.find(
      ({ target }) =>
        isUsable(land.breakers, target.id) &&
        restsUntil(land.breakers, target.id, land.at) === undefined,
    );
}

function skipsOf(tier: Tier, land: Landscape): RoutingFact[] {
  return land.route.skips
    .filter((skip) => skip.tier === tier)
    .map((skip) => ({ kind: 'skipped', at: land.at, ...skip }));
}

function side(tier: Tier, target: TargetId | undefined, land: Landscape): TransitionSide {
  const breaker = target === undefined ? undefined : breakerOf(land.breakers, target);
  return { tier, target, breaker };
}

/** A docket without a date has no slack to lose; its timers are the shortest instead. */
export function isSlackGone(land: Pick<Landscape, 'at' | 'dates' | 'input'>): boolean {
  const lastSafe = lastSafeOf(land.dates, land.input.matrix.policy);
  return lastSafe !== undefined && land.at >= lastSafe;
}

export function knownOf(dates: DocketDates): KnownDates {
  if (dates.kind === 'undated') return { due: undefined, final: undefined };
  return {
    due: formatDay(dates.due),
    final: dates.final === undefined ? undefined : formatDay(dates.final),
  };
}

/** The first dates are no change. */
export function redated(
  was: KnownDates | undefined,
  is: KnownDates,
  at: Instant,
): RoutingFact | undefined {
  if (was === undefined || (was.due === is.due && was.final === is.final)) return undefined;
  return { kind: 'redated', at, from: was, to: is };
}
