/**
 * A docket is given to another person, or released because its owner is away. It is not confirmed any more: whoever gets it
 * must say so, and else it goes on down the tiers as any other.
 */
import { addMs, type Instant, type PartyId } from '../../../core/index.ts';
import { accessOf } from '../access/rights.ts';
import { presenceOf, todayAt } from '../access/people.ts';
import type { Happening, RoutingStep } from './happening.ts';
import type { Now } from './now.ts';
import type { Candidate } from './route-of.ts';
import { type RoutingState, tierOf, wakeAt } from './state.ts';
import type { Tier } from './tiers.ts';

type Manual = RoutingState & { readonly state: 'manual' };

/** The person it was given to, if they are there, may see it and can be reached. */
export function preferred(
  { prefer }: { readonly prefer?: RoutingState['prefer'] },
  tier: Tier,
  { at, input }: Now,
): Candidate | undefined {
  if (prefer === undefined) return undefined;
  const { people, matrix, docket } = input;
  const person = people.parties.get(prefer.party);
  if (person?.kind !== 'person') return undefined;
  const target = matrix.targets.get(person.target ?? '');
  const isHere = presenceOf(person, people, todayAt(people, at)).kind === 'here';
  if (target === undefined || !isHere || !accessOf(docket, person, people).may) return undefined;
  const { party, standsInFor } = prefer;
  return { target, hop: { tier, node: 'given', target: target.id, party, standsInFor } };
}

/** Taken up by the next look of a router, which sends it: whoever gives it may be no router. */
export function onGiven(
  state: RoutingState,
  { from, to, reason }: Happening & { readonly kind: 'given' },
  here: Now,
): RoutingStep {
  const { at } = here;
  const { handed, known, lateSince } = state;
  const prefer =
    to === undefined ? undefined : { party: to, standsInFor: from === undefined ? [] : [from] };
  const tier = tierOf(state);
  const facts = [...here.facts, { kind: 'given', at, from, to, tier, reason } as const];
  const common = { handed, known, lateSince, prefer, given: true } as const;
  if (tier === 'MANUAL') {
    const next: Manual = {
      ...manualOf(state, here),
      ...common,
      hop: undefined,
      toldAt: undefined,
      askAgainAt: at,
    };
    return { kind: 'wait', next, until: wakeAt(next) ?? at, facts, breakers: here.changes };
  }
  const held = state.state === 'manual' ? undefined : state.held;
  const next = { state: 'queued', tier, attempt: 0, notBefore: at, ...common, held } as const;
  return { kind: 'wait', next, until: at, facts, breakers: here.changes };
}

/** Of one that was with people already the clock runs on; of one that somebody had confirmed it begins. */
function manualOf(state: RoutingState, { at, input, dates }: Now): Manual {
  if (state.state === 'manual') return state;
  const { handed, known, lateSince } = state;
  const reviewBy = addMs(at, input.matrix.policy.manualClockMs);
  const dueAt: Instant | undefined = dates.kind === 'dated' ? dates.dueMoment : undefined;
  return {
    state: 'manual',
    reason: 'GIVEN',
    since: at,
    reviewBy,
    round: 0,
    hop: undefined,
    asked: 0,
    dueAt,
    handed,
    known,
    lateSince,
  };
}

/** Whether a person has it now: to be confirmed by them, or confirmed. */
export function isWith(state: RoutingState, party: PartyId): boolean {
  switch (state.state) {
    case 'queued':
      return state.prefer?.party === party;
    case 'sending':
    case 'awaiting':
      return state.hop.party === party;
    case 'manual':
      return state.hop?.party === party || state.prefer?.party === party;
    case 'confirmed':
      return state.by === party || (state.by === state.hop?.target && state.hop.party === party);
  }
}
