/** The steps that a decision can end in, each with all that must be stored and sent for it. */
import { addMs, instant, type Instant, type PartyId, type TargetId } from '../../../core/index.ts';
import type { Activation } from './activation.ts';
import { isUsable } from './breakers.ts';
import { descend } from './descend.ts';
import type { LeaveReason } from './facts.ts';
import { preferred } from './given.ts';
import type { RoutingStep } from './happening.ts';
import { toPeople } from './manual-tier.ts';
import { messageFor } from './message.ts';
import type { Now } from './now.ts';
import { LETTER_HOLD_MS, policyOfTier } from './policy.ts';
import { handedTo, type Hop, type RoutingState, tierOf } from './state.ts';
import { lastSafeOf } from './tier-timer.ts';
import type { Tier } from './tiers.ts';

export type OpenState = Exclude<RoutingState, { state: 'confirmed' }>;

export function leave(
  state: Exclude<OpenState, { state: 'manual' }>,
  reason: LeaveReason,
  here: Now,
  activation?: Activation,
): RoutingStep {
  return goOn(state, { from: tierOf(state), attempt: 0, reason, activation }, here);
}

/** Sends on the tier where it stands, or on the first below it that can take it; each tier passed is a transition. */
export function goOn(
  state: Exclude<OpenState, { state: 'manual' }>,
  way: {
    readonly from: Tier;
    readonly attempt: number;
    /** Why the tier is left; undefined to stay on it. */
    readonly reason: LeaveReason | undefined;
    readonly unmade?: number | undefined;
    readonly activation?: Activation | undefined;
  },
  here: Now,
): RoutingStep {
  const { at, input, dates, route } = here;
  const { policy } = input.matrix;
  const left = state.state === 'queued' ? undefined : state.hop.target;
  const named = way.reason === undefined ? preferred(state, way.from, here) : undefined;
  const found =
    named === undefined || !isUsable(here.breakers, named.target.id)
      ? descend({ ...way, left }, here)
      : { candidate: named, reason: 'NOBODY_TO_ASK' as const, facts: [] };
  const facts = [...here.facts, ...found.facts];
  const { known, lateSince, handed, held } = state;
  if ('waitUntil' in found && found.waitUntil !== undefined) {
    const { tier, until } = found.waitUntil;
    const attempt = tier === way.from ? way.attempt : 0;
    const queued = { state: 'queued', tier, attempt, notBefore: until } as const;
    return wait({ ...queued, handed, known, lateSince, held }, until, { ...here, facts });
  }
  if (found.candidate === undefined) {
    return toPeople({ handed, known, lateSince, held }, found.reason, { ...here, facts });
  }
  const { hop, target } = found.candidate;
  const attempt = (hop.tier === way.from ? way.attempt : 0) + 1;
  const { timeoutMs, outcomeMsMax } = policyOfTier(policy, hop.tier);
  const next = {
    state: 'sending',
    attempt,
    hop,
    until: addMs(at, outcomeMsMax + (target.kind === 'mail' ? LETTER_HOLD_MS : 0)),
    handed: handedTo(handed, hop),
    known,
    lateSince,
    held,
    unmade: way.unmade,
  } as const;
  const message = messageFor(input.docket, hop, { dates, matrixVersion: route.matrixVersion });
  return {
    kind: 'send',
    next,
    target,
    message,
    timeoutMs,
    facts,
    breakers: here.changes,
  };
}

export function done(
  state: OpenState,
  by: { readonly hop: Hop; readonly by: PartyId | TargetId; readonly receipt: string | undefined },
  here: Now,
): RoutingStep {
  const { handed, known, lateSince } = state;
  const next = { state: 'confirmed', at: here.at, ...by, handed, known, lateSince } as const;
  const { tier, target } = by.hop;
  const fact = {
    kind: 'confirmed',
    at: here.at,
    tier,
    target,
    by: by.by,
    receipt: by.receipt,
  } as const;
  return { kind: 'done', next, facts: [...here.facts, fact], breakers: here.changes };
}

export function wait(next: OpenState, until: Instant, here: Now): RoutingStep {
  const { facts, changes: breakers } = here;
  if (next.state !== 'queued') return { kind: 'wait', next, until, facts, breakers };
  // However long a target wants to be left alone: when the slack is gone, people have to hear of it.
  const notBefore = tightened(until, here);
  return { kind: 'wait', next: { ...next, notBefore }, until: notBefore, facts, breakers };
}

/** A date that came nearer shortens a timer that is already running; nothing lengthens it. */
export function tightened(until: Instant, { dates, input }: Now): Instant {
  const lastSafe = lastSafeOf(dates, input.matrix.policy);
  return lastSafe === undefined ? until : instant(Math.min(until, lastSafe));
}

export function nothing(next: OpenState, why: string, here: Now): RoutingStep {
  return { kind: 'nothing', next, why, facts: here.facts, breakers: here.changes };
}
