/**
 * What happens to a docket while it waits for people: its clock, who was really told, and its way back to a target that
 * is well again. There is nobody below the manual tier, so nothing here ever gives up.
 */
import { addMs } from '../../../core/index.ts';
import { isClean, isUsable } from './breakers.ts';
import { isSlackGone } from './descend.ts';
import type { RoutingFact } from './facts.ts';
import type { HandoffResult, Happening, RoutingStep } from './happening.ts';
import { desksOf, type Manual, manual, RETURNS_MAX } from './manual-tier.ts';
import type { Now } from './now.ts';
import type { Candidate } from './route-of.ts';
import { type Hop, wakeAt } from './state.ts';
import { goOn, nothing, type OpenState, wait } from './steps.ts';

/** So often a notice fails before the next one of the manual tier is asked beside it: some seconds. */
const NOTICES_MAX = 3;
/** Where nobody of the manual tier could be told: a mailbox may have been mended since. */
const ASK_AGAIN_MS = 5 * 60_000;

export function onManualClock(state: Manual, here: Now): RoutingStep {
  const { at, input } = here;
  const back = wayBack(state, here);
  if (back !== undefined) return back;
  if (at < state.reviewBy) return withinTwoHours(state, here);
  const round = state.round + 1;
  const reviewBy = addMs(at, input.matrix.policy.manualClockMs);
  const asked = (state.asked ?? state.round) + 1;
  const fresh = { round, asked, unreached: 0, reviewBy, askAgainAt: undefined };
  const next = { ...looked(state, here), ...fresh };
  return manual(next, here, (target) => ({
    kind: 'manual_overdue',
    at,
    round,
    reviewBy,
    target,
  }));
}

/** Where nobody could be asked, whoever was given the right or named since is asked now; the clock runs on as it did. */
function withinTwoHours(state: Manual, here: Now): RoutingStep {
  const { at } = here;
  const { reviewBy } = state;
  const next = looked(state, here);
  const { askAgainAt } = next;
  const isAskedAnew = askAgainAt !== undefined && at >= askAgainAt;
  if (desksOf(here).length === 0 || (state.hop !== undefined && !isAskedAnew)) {
    const later = isAskedAnew ? addMs(at, ASK_AGAIN_MS) : askAgainAt;
    const waiting = { ...next, askAgainAt: later };
    return wait(waiting, wakeAt(waiting) ?? reviewBy, here);
  }
  const asked = isAskedAnew ? (state.asked ?? state.round) + 1 : state.asked;
  const anew = { ...next, asked, unreached: 0, askAgainAt: undefined };
  return manual(anew, here, (target) => ({ kind: 'manual_found', at, reviewBy, target }));
}

/** Without the targets that were looked at and did not get it: nobody is woken for them again. */
function looked(state: Manual, { at, breakers }: Now): Manual {
  const { backAt, waitsFor } = state;
  return {
    ...state,
    backAt: backAt !== undefined && at >= backAt ? undefined : backAt,
    waitsFor: waitsFor?.filter((target) => !isClean(breakers, target)),
  };
}

/** What became of a notice. Only one that got through has told somebody. */
export function onNotice(
  state: OpenState,
  { hop, attempt, result }: Happening & { kind: 'outcome' },
  here: Now,
): RoutingStep {
  const { at } = here;
  const { target, party } = hop;
  const isHop = (one: Hop | undefined): boolean => one?.target === target && one.party === party;
  const isThrough = result.kind === 'confirmed' || result.kind === 'sent';
  const told = { kind: 'manual_told', at, target, party } as const;
  if (state.state !== 'manual') {
    const { held } = state;
    if (!isThrough || held === undefined) return nothing(state, 'it has already moved on', here);
    // A target that came back has it in hand, and people were told meanwhile.
    const next = { ...state, held: { ...held, toldAt: at } };
    return nothing(next, 'it is going back to a target', { ...here, facts: [...here.facts, told] });
  }
  // Whoever was asked before and hears of it now was told, too.
  const isAsked = isThrough ? state.handed.some(isHop) : isHop(state.hop);
  if (!isAsked || state.toldAt !== undefined) {
    return nothing(state, 'the outcome of an earlier notice of the manual tier', here);
  }
  if (isThrough) {
    const facts = [...here.facts, told];
    const next = { ...state, toldAt: at, askAgainAt: undefined };
    return wait(next, wakeAt(next) ?? state.reviewBy, { ...here, facts });
  }
  if (!isInVain(result, attempt)) return nothing(state, 'the notice is tried again', here);
  const unreached = (state.unreached ?? 0) + 1;
  const isAnybodyLeft = unreached < desksOf(here).length;
  const unreachedFact = (next: string | undefined): RoutingFact => {
    const { code } = result;
    return { kind: 'manual_unreached', at, target, code, next };
  };
  if (isAnybodyLeft) {
    const asked = (state.asked ?? state.round) + 1;
    return manual({ ...state, asked, unreached }, here, unreachedFact);
  }
  // Told once: the notices that can be tried again are, and everybody is asked anew a little later.
  if (unreached > desksOf(here).length) return nothing(state, 'no one is left to notify', here);
  const facts = [...here.facts, unreachedFact(undefined)];
  const next = { ...state, unreached, askAgainAt: addMs(at, ASK_AGAIN_MS) };
  return wait(next, wakeAt(next) ?? state.reviewBy, { ...here, facts });
}

type NotThrough = Exclude<HandoffResult, { kind: 'confirmed' | 'sent' }>;

/** A mailbox that does not exist takes no second letter; a server that is away may take the next one. */
function isInVain(result: NotThrough, attempt: number): boolean {
  switch (result.kind) {
    case 'refused':
    case 'denied':
    case 'unsendable':
      return true;
    case 'failed':
    case 'unknown':
      return attempt >= NOTICES_MAX;
    case 'not_made':
      return false;
  }
}

/** Nobody has acted: a target that is well again gets the docket, as long as there is slack for it. */
function wayBack(state: Manual, here: Now): RoutingStep | undefined {
  const { at, breakers, route } = here;
  const { handed, known, lateSince, waitsFor = [], returns = 0, backAt } = state;
  if (returns >= RETURNS_MAX || lateSince !== undefined || isSlackGone(here)) return undefined;
  const isTriedAgain = backAt !== undefined && at >= backAt;
  const isBack = ({ target: { id } }: Candidate): boolean =>
    waitsFor.includes(id) && (isClean(breakers, id) || (isTriedAgain && isUsable(breakers, id)));
  const found = route.tiers
    .filter(({ tier }) => tier !== 'MANUAL')
    .flatMap(({ candidates }) => candidates)
    .find(isBack);
  if (found === undefined) return undefined;
  const { tier, target } = found.hop;
  const { reason, since, reviewBy, round, hop, asked, unreached, toldAt, askAgainAt } = state;
  const told = { hop, asked, unreached, toldAt, askAgainAt };
  const held = { reason, since, reviewBy, round, ...told, returns: returns + 1 };
  const queued = { state: 'queued', tier, attempt: 0, notBefore: at } as const;
  const facts = [...here.facts, { kind: 'returned', at, tier, target } as const];
  const way = { from: tier, attempt: 0, reason: undefined };
  return goOn({ ...queued, handed, known, lateSince, held }, way, { ...here, facts });
}
