/**
 * What happens next to a docket on its way: a pure function of where it stands, what happened, and the time. The route
 * and the dates are computed in here, from the law and the matrix as they are now, so that no caller can hand over by
 * an old date or past a right that was taken away.
 */
import {
  addMs,
  type BreakerEvent,
  fractionIn,
  type Instant,
  nextDelayMs,
  type PartyId,
  type Random,
} from '../../../core/index.ts';
import { accessOf } from '../access/rights.ts';
import { calendarOf, datesOf, type DocketDates } from '../docket/dates.ts';
import { type Activation, activationOf } from './activation.ts';
import { breakerChange, type BreakerChange, isUsable, withChange } from './breakers.ts';
import { isSlackGone, knownOf, redated, REST_WAIT_MS_MAX } from './descend.ts';
import type { RoutingFact } from './facts.ts';
import { onGiven } from './given.ts';
import type { HandoffResult, Happening, StepInput, RoutingStep } from './happening.ts';
import { onManualClock, onNotice } from './manual-clock.ts';
import { dueAtOf } from './manual-tier.ts';
import type { Now } from './now.ts';
import { type AskingPolicy, policyOfTier } from './policy.ts';
import { routeOf } from './route-of.ts';
import { type Hop, type RoutingState, tierOf } from './state.ts';
import { done, goOn, leave, nothing, type OpenState, tightened, wait } from './steps.ts';
import { confirmBy } from './tier-timer.ts';
import { rankOf } from './tiers.ts';
import type { Trigger } from './triggers.ts';

export function nextStep(
  given: RoutingState,
  happening: Happening,
  now: Instant,
  input: StepInput,
): RoutingStep {
  const dates = datesOf(input.docket, input.law, now);
  const route = routeOf(input.docket, input.matrix, input.people, now);
  const changes = breakerChanges(given, happening, now, input);
  const [change] = changes;
  const breakers = withChange(input.breakers, change);
  if (happening.kind === 'given') {
    const facts: readonly RoutingFact[] = [];
    return onGiven(given, happening, { at: now, input, route, dates, breakers, changes, facts });
  }
  const state = given.state === 'confirmed' ? reopened(given, happening, now) : given;
  if (state === undefined) {
    const why = 'already confirmed';
    return { kind: 'nothing', next: given, why, facts: [], breakers: changes };
  }
  const told = tellDates(state, dates, now);
  const here: Now = { at: now, input, route, dates, breakers, changes, facts: told.facts };
  switch (happening.kind) {
    case 'clock':
      return onClock(told.state, here);
    case 'outcome':
      return onOutcome(told.state, happening, here);
    case 'activation':
      return onActivation(told.state, happening.activation, here);
    case 'not_taken':
      return isWaiting(told.state)
        ? leave(told.state, 'NOT_TAKEN', here, happening.activation)
        : nothing(told.state, 'it has already moved on', here);
    case 'acknowledged':
      return onAcknowledged(told.state, happening.by, here);
  }
}

/** Notes that the law moved the dates, and that the due moment has passed, each once. */
function tellDates(
  state: OpenState,
  dates: DocketDates,
  now: Instant,
): { readonly state: OpenState; readonly facts: readonly RoutingFact[] } {
  const facts: RoutingFact[] = [];
  const known = knownOf(dates);
  const move = redated(state.known, known, now);
  if (move !== undefined) facts.push(move);
  const isLate = dates.kind === 'dated' && now >= dates.dueMoment;
  const lateSince = isLate ? (state.lateSince ?? now) : state.lateSince;
  if (lateSince !== state.lateSince) facts.push({ kind: 'late', at: now, due: known.due ?? '' });
  const told = { ...state, known, lateSince };
  return { state: told.state === 'manual' ? { ...told, dueAt: dueAtOf(dates) } : told, facts };
}

function onClock(state: OpenState, here: Now): RoutingStep {
  const { at } = here;
  switch (state.state) {
    case 'queued':
      if (at < state.notBefore && !isSlackGone(here)) return wait(state, state.notBefore, here);
      return goOn(
        state,
        { from: state.tier, attempt: state.attempt, reason: undefined, unmade: state.unmade },
        here,
      );
    case 'sending':
      if (at < state.until) return wait(state, state.until, here);
      // Its process died, or the answer was lost: the message may or may not have arrived.
      return afterFailure(state, here);
    case 'awaiting': {
      const until = tightened(state.until, here);
      if (at < until) return wait({ ...state, until }, until, here);
      return leave(state, isSlackGone(here) ? 'SLACK_GONE' : 'NOT_CONFIRMED', here);
    }
    case 'manual':
      return onManualClock(state, here);
  }
}

function onOutcome(
  state: OpenState,
  happening: Happening & { kind: 'outcome' },
  here: Now,
): RoutingStep {
  const { hop, attempt, result } = happening;
  const { at, input } = here;
  const isReceipt = result.kind === 'confirmed';
  // Whoever was sent the message and confirms has it, even when it went on to others meanwhile.
  if (isReceipt && isConfirmedByDelivery(hop, input)) {
    return done(state, { hop, by: hop.target, receipt: result.receipt }, here);
  }
  if (hop.tier === 'MANUAL') return onNotice(state, happening, here);
  if (!isCurrent(state, hop, attempt)) {
    return nothing(state, 'the outcome of an earlier attempt', here);
  }
  switch (result.kind) {
    case 'failed':
    case 'unknown':
      return afterFailure(state, here, result);
    case 'not_made':
      return afterNoAttempt(state, here);
    case 'denied':
      return leave(state, 'DENIED', here, activated(hop, result.trigger, here));
    case 'refused':
      return leave(state, 'REFUSED', here);
    case 'unsendable':
      return leave(state, 'UNSENDABLE', here);
    case 'confirmed':
    case 'sent': {
      const { policy } = input.matrix;
      const tier = hop.tier;
      const tiersLeft = here.route.tiers.filter(
        (one) =>
          one.tier !== 'MANUAL' && rankOf(one.tier) >= rankOf(tier) && one.candidates.length > 0,
      ).length;
      const calendar = calendarOf(here.dates.office, input.law);
      const until = confirmBy({ tier, tiersLeft, dates: here.dates, calendar, policy, now: at });
      const { handed, known, lateSince, held } = state;
      const waiting = { state: 'awaiting', attempt, hop, until } as const;
      return wait({ ...waiting, handed, known, lateSince, held }, until, here);
    }
  }
}

type Sending = OpenState & { readonly state: 'sending' };

function isCurrent(state: RoutingState, hop: Hop, attempt: number): state is Sending {
  return (
    state.state === 'sending' &&
    state.attempt === attempt &&
    state.hop.tier === hop.tier &&
    state.hop.target === hop.target
  );
}

/** A mail server that takes a letter, or an endpoint in front of a person, has confirmed nothing; MANUAL is always a person. */
function isConfirmedByDelivery(hop: Hop, { matrix }: StepInput): boolean {
  return hop.tier !== 'MANUAL' && matrix.targets.get(hop.target)?.confirmedBy === 'delivery';
}

function activated(hop: Hop, trigger: Trigger | undefined, here: Now): Activation | undefined {
  const { messageId } = here.input.docket;
  return trigger === undefined ? undefined : activationOf(trigger, { messageId, tier: hop.tier });
}

/** Stateless: a docket that is no longer on the tier that the activation names has already left it for that reason or another. */
function onActivation(state: OpenState, activation: Activation, here: Now): RoutingStep {
  if (activation.messageId !== here.input.docket.messageId) {
    return nothing(state, 'the activation is for another docket', here);
  }
  if (state.state === 'manual' || tierOf(state) !== activation.tier) {
    return nothing(state, `activation ${activation.id}: not on ${activation.tier}`, here);
  }
  return leave(state, 'TRIGGERED', here, activation);
}

/** Only who was given the message, alone or as a member of a team, and still may see it. */
function onAcknowledged(state: OpenState, by: PartyId, here: Now): RoutingStep {
  const { people, docket } = here.input;
  const person = people.parties.get(by);
  const hop = state.handed.findLast(({ party }) => {
    const asked = people.parties.get(party);
    return party === by || (asked?.kind === 'team' && asked.members.includes(by));
  });
  if (hop === undefined || person === undefined || !accessOf(docket, person, people).may) {
    return nothing(state, 'acknowledged by someone it is not assigned to', here);
  }
  return done(state, { hop, by, receipt: undefined }, here);
}

function afterFailure(
  state: Sending,
  here: Now,
  seen: { readonly trigger?: Trigger; readonly retryAfterMs?: number } = {},
): RoutingStep {
  const { at, input, route, breakers } = here;
  const { attempt, hop, handed, known, lateSince, held } = state;
  const policy = policyOfTier(input.matrix.policy, hop.tier);
  const { trigger, retryAfterMs = 0 } = seen;
  const tier = route.tiers.find((one) => one.tier === hop.tier);
  const isAnybodyLeft = tier?.candidates.some(({ target }) => isUsable(breakers, target.id));
  const activation = activated(hop, trigger, here);
  if (attempt >= policy.attemptsPerTier) return leave(state, 'ATTEMPTS_USED', here, activation);
  if (isAnybodyLeft !== true) return leave(state, 'BREAKER_OPEN', here, activation);
  if (retryAfterMs > REST_WAIT_MS_MAX) return leave(state, 'ASKED_TO_WAIT', here, activation);
  const notBefore = addMs(at, Math.max(backoff(policy, input.random), retryAfterMs));
  const queued = { state: 'queued', tier: hop.tier, attempt, notBefore } as const;
  // Who was asked by name is asked by name again.
  const prefer = hop.node === 'given' ? hop : undefined;
  const next = { ...queued, handed, known, lateSince, held, prefer: named(prefer) };
  return isSlackGone(here) ? leave(state, 'SLACK_GONE', here) : wait(next, notBefore, here);
}

function named(hop: Hop | undefined): RoutingState['prefer'] {
  return hop === undefined ? undefined : { party: hop.party, standsInFor: hop.standsInFor };
}

/** So often in a row; a process that cannot send at all must not keep a docket from the next tier. */
const UNMADE_MAX = 5;

/** Nothing was written: the attempt does not count, and the same one is made a little later. */
function afterNoAttempt(state: Sending, here: Now): RoutingStep {
  const { hop, handed, known, lateSince, held } = state;
  const { matrix, random } = here.input;
  const unmade = (state.unmade ?? 0) + 1;
  if (unmade >= UNMADE_MAX) return leave(state, 'NOT_MADE', here);
  if (isSlackGone(here)) return leave(state, 'SLACK_GONE', here);
  const attempt = state.attempt - 1;
  const notBefore = addMs(here.at, backoff(policyOfTier(matrix.policy, hop.tier), random));
  const queued = { state: 'queued', tier: hop.tier, attempt, notBefore, unmade } as const;
  const prefer = named(hop.node === 'given' ? hop : undefined);
  return wait({ ...queued, handed, known, lateSince, held, prefer }, notBefore, here);
}

type Confirmed = RoutingState & { readonly state: 'confirmed' };
type Waiting = Exclude<OpenState, { state: 'manual' }>;

function isWaiting(state: OpenState): state is Waiting {
  return state.state !== 'manual';
}

/** Confirmed by its broker alone, and nobody takes it from there: it is as if it waited for that queue still. */
function reopened(state: Confirmed, happening: Happening, now: Instant): Waiting | undefined {
  const { hop, by, handed, known, lateSince } = state;
  if (happening.kind !== 'not_taken' || hop === undefined || by !== hop.target) return undefined;
  if (happening.activation.tier !== hop.tier) return undefined;
  return { state: 'awaiting', attempt: 1, hop, until: now, handed, known, lateSince };
}

/** Uniform over the span. The dice are a port, so that a simulation throws the same ones again. */
function backoff(policy: AskingPolicy, random: Random): number {
  const { backoffMsMin, backoffMsMax } = policy;
  const spread = [backoffMsMin / backoffMsMax, 1] as const;
  return nextDelayMs({ steps: [backoffMsMax], spread }, 1, fractionIn(random.bytes(2)));
}

/**
 * An answer moves its target's breaker. A failure counts only for the attempt that is under way: the same outcome told
 * twice must not be two failures. A refusal says nothing against the target, and what was never written says nothing.
 */
function breakerChanges(
  state: RoutingState,
  happening: Happening,
  now: Instant,
  input: StepInput,
): readonly BreakerChange[] {
  if (happening.kind !== 'outcome' || happening.hop.tier === 'MANUAL') return [];
  if (happening.isCounted === false) return [];
  const { hop, attempt, result } = happening;
  const { policy } = input.matrix;
  const event = EVENTS[result.kind];
  if (event === undefined) return [];
  if (event === 'failure' && !isCurrent(state, hop, attempt)) return [];
  const change = breakerChange(input.breakers, hop.target, event, {
    policy: policy.breaker,
    now,
    retryAfterMs: 'retryAfterMs' in result ? result.retryAfterMs : undefined,
  });
  return change === undefined ? [] : [change];
}

const EVENTS: Readonly<Record<HandoffResult['kind'], BreakerEvent | undefined>> = {
  confirmed: 'success',
  sent: 'success',
  refused: 'success',
  failed: 'failure',
  unknown: 'failure',
  denied: 'failure',
  unsendable: undefined,
  not_made: undefined,
};
