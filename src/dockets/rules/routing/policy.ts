/** The numbers of routing. All are defaults that a matrix may state otherwise. */
import type { BreakerPolicy } from '../../../core/index.ts';
import type { Tier } from './tiers.ts';
import { DEFAULT_THRESHOLDS, type TriggerThresholds } from './triggers.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * So long an email may wait for others to the same reader, before the time for its outcome begins: an outage must not fill a
 * mailbox with letters, and a quarter of a minute is nothing to who reads them.
 */
export const LETTER_HOLD_MS = 15_000;

export type SendTier = Exclude<Tier, 'MANUAL'>;

/** How a target is asked, and how often. */
export interface AskingPolicy {
  readonly timeoutMs: number;
  readonly attemptsPerTier: number;
  readonly backoffMsMin: number;
  readonly backoffMsMax: number;
  /** After this, an attempt without an outcome is unknown: its process is dead or its answer lost. */
  readonly outcomeMsMax: number;
}

/** The same with the handshake of its tier, which a shorter time-out shortens. */
export interface TierPolicy extends AskingPolicy {
  readonly tlsHandshakeMsMax: number;
}

export interface RoutingPolicy extends AskingPolicy {
  /** What a tier has of its own; the rest is as above. */
  readonly tiers?: Readonly<Partial<Record<SendTier, Partial<TierPolicy>>>>;
  readonly breaker: BreakerPolicy;
  /** What is over them switches a docket to its fallback. A handshake is given up at its own. */
  readonly thresholds: TriggerThresholds;
  /** How long a tier has to confirm, in working time of the docket's office. */
  readonly confirmMs: Readonly<Record<SendTier, number>>;
  /** Timers tighten with the slack, but a person needs this long to look up from other work. */
  readonly confirmMsMin: number;
  /** Minutes of the office's day. */
  readonly workingDay: { readonly fromMinute: number; readonly toMinute: number };
  /** A MANUAL_ESCALATION_REQUIRED waits this long by the wall clock, then it is raised again. */
  readonly manualClockMs: number;
  /** So long before the due moment the slack is gone: what is unconfirmed then goes to a person at once. */
  readonly reserveMs: number;
  /** Whether a date that ends a right is docketed twice, the second time blind. */
  readonly secondDocketing?: boolean;
}

export const DEFAULT_POLICY: RoutingPolicy = {
  timeoutMs: 3_000,
  attemptsPerTier: 2,
  backoffMsMin: 500,
  backoffMsMax: 2_000,
  // The timeout twice (connect or handshake, and answer) and a little for the commit of the outcome.
  outcomeMsMax: 7_000,
  breaker: { failures: 3, coolDownMs: 30_000, probeSpacingMs: 15_000 },
  thresholds: DEFAULT_THRESHOLDS,
  confirmMs: { PRIMARY: 4 * HOUR_MS, SECONDARY: 2 * HOUR_MS, TERTIARY: HOUR_MS },
  confirmMsMin: 5 * MINUTE_MS,
  workingDay: { fromMinute: 9 * 60, toMinute: 17 * 60 },
  manualClockMs: 2 * HOUR_MS,
  reserveMs: 24 * HOUR_MS,
};

/** As it holds on one tier. Notices of the manual tier have what all tiers have. */
export function policyOfTier(policy: RoutingPolicy, tier: Tier): TierPolicy {
  const { timeoutMs, attemptsPerTier, backoffMsMin, backoffMsMax, outcomeMsMax } = policy;
  const { tlsHandshakeMsMax } = policy.thresholds;
  const asking = { timeoutMs, attemptsPerTier, backoffMsMin, backoffMsMax, outcomeMsMax };
  const own = tier === 'MANUAL' ? undefined : policy.tiers?.[tier];
  return { ...asking, tlsHandshakeMsMax, ...own };
}

/** A handshake is a trigger at the limit of its tier. */
export function thresholdsOfTier(policy: RoutingPolicy, tier: Tier): TriggerThresholds {
  const { tlsHandshakeMsMax } = policyOfTier(policy, tier);
  return { ...policy.thresholds, tlsHandshakeMsMax };
}
