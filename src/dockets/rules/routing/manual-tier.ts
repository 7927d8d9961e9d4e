/** A docket that comes to people: who is asked, and which targets of its way are looked at again. */
import { addMs, type Instant, type TargetId } from '../../../core/index.ts';
import type { DocketDates } from '../docket/dates.ts';
import { isClean, isUsable } from './breakers.ts';
import type { LeaveReason, RoutingFact } from './facts.ts';
import { preferred } from './given.ts';
import type { RoutingStep } from './happening.ts';
import { messageFor } from './message.ts';
import type { Now } from './now.ts';
import type { Candidate } from './route-of.ts';
import { handedTo, type ManualHold, type RoutingState, wakeAt } from './state.ts';

export type Manual = RoutingState & { readonly state: 'manual' };

/** When a target that failed, and whose breaker stayed closed, is tried once more; its next failure may open it. */
const BACK_MS = 60_000;
/** A docket that fails for a reason of its own must not go up and down for ever. */
export const RETURNS_MAX = 3;

export function dueAtOf(dates: DocketDates): Instant | undefined {
  return dates.kind === 'dated' ? dates.dueMoment : undefined;
}

/** MANUAL_ESCALATION_REQUIRED. One that was with people before is with them again as it was. */
export function toPeople(
  {
    held,
    ...common
  }: Pick<RoutingState & { state: 'queued' }, 'handed' | 'known' | 'lateSince' | 'held'>,
  reason: LeaveReason,
  here: Now,
): RoutingStep {
  const { at, input, dates } = here;
  const dueAt = dueAtOf(dates);
  const back = waysBack(held?.returns ?? 0, here);
  if (held !== undefined) {
    const next = { state: 'manual', ...held, ...back, dueAt, ...common } as const;
    // Nobody could be asked before: whoever is there by now need not wait for the end of the two hours.
    if (held.hop === undefined && desksOf(here).length > 0) {
      const { reviewBy } = held;
      return manual(next, here, (target) => ({ kind: 'manual_found', at, reviewBy, target }));
    }
    const until = wakeAt(next) ?? held.reviewBy;
    return { kind: 'wait', next, until, facts: here.facts, breakers: here.changes };
  }
  const reviewBy = addMs(at, input.matrix.policy.manualClockMs);
  const hold: ManualHold = { reason, since: at, reviewBy, round: 0, hop: undefined, asked: 0 };
  return manual({ state: 'manual', ...hold, ...back, dueAt, ...common }, here, (target) => ({
    kind: 'manual_required',
    flag: 'MANUAL_ESCALATION_REQUIRED',
    at,
    reviewBy,
    reason,
    target,
  }));
}

/** Asks one of the manual tier: the desk first, then the privileged persons, then the desk again. */
export function manual(
  state: Manual,
  here: Now,
  factFor: (target: TargetId | undefined) => RoutingFact,
): RoutingStep {
  const candidates = desksOf(here);
  const chosen =
    preferred(state, 'MANUAL', here) ??
    candidates[(state.asked ?? state.round) % Math.max(1, candidates.length)];
  const facts = [...here.facts, factFor(chosen?.target.id)];
  const handed = chosen === undefined ? state.handed : handedTo(state.handed, chosen.hop);
  const at = { dates: here.dates, matrixVersion: here.route.matrixVersion };
  return {
    kind: 'manual',
    next: {
      ...state,
      hop: chosen?.hop,
      handed,
      toldAt: undefined,
      prefer: undefined,
      given: undefined,
    },
    target: chosen?.target,
    message: chosen === undefined ? undefined : messageFor(here.input.docket, chosen.hop, at),
    facts,
    breakers: here.changes,
  };
}

/** Whoever of the manual tier is there and may see it, in order. */
export function desksOf({ route }: Now): readonly Candidate[] {
  return route.tiers.find(({ tier }) => tier === 'MANUAL')?.candidates ?? [];
}

/** The failing targets of the way, and when those with a closed breaker are tried once more. */
function waysBack(returns: number, here: Now): Pick<ManualHold, 'waitsFor' | 'backAt' | 'returns'> {
  const { breakers, route, at } = here;
  const failing = route.tiers.flatMap(({ tier, candidates }) =>
    tier === 'MANUAL' ? [] : candidates.filter(({ target }) => !isClean(breakers, target.id)),
  );
  if (failing.length === 0) return { returns };
  const waitsFor = [...new Set(failing.map(({ target }) => target.id))];
  const isTriedAgain =
    returns < RETURNS_MAX && waitsFor.some((target) => isUsable(breakers, target));
  return { waitsFor, returns, ...(isTriedAgain ? { backAt: addMs(at, BACK_MS) } : {}) };
}
