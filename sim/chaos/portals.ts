/** The portals of a chaos run, each with the edge that it plays; together they misbehave in every way that costs money. */
import type { Profile } from '../../src/core/profile.ts';
import type { BehaviourChange } from '../../src/testing/simulator/behaviour.ts';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';
import { quickPages } from './pages.ts';

export interface ChaosPortal {
  readonly profile: Profile;
  readonly behaviour: BehaviourChange;
  /** Of the filings in a batch: portals that let everybody wait get fewer, or the run would end with their backlog. */
  readonly share: number;
}

/** What a request takes, so that a kill finds some of them under way. */
export const LATENCY_MS = { mean: 55, spread: 25 } as const;

const PASSING_FAULTS = {
  accept_then_cut: 0.01,
  accept_then_500: 0.01,
  accept_then_silence: 0.002,
  cut_before_accept: 0.01,
  error_503: 0.01,
  received_202_then_accepted: 0.01,
  rejected_422: 0.005,
  status_500: 0.02,
  status_cut: 0.02,
} as const;

/** Short times, so that a slot's rest, a breaker's recovery and a settling are over within a run. */
const QUICK = {
  timeoutMs: 1_500,
  longestServiceMs: 1_800,
  retry: { inARowMax: 6, totalMsMax: 300_000, delayMsMin: 100, delayMsMax: 1_000 },
  breaker: { failures: 5, coolDownMs: 500, probeSpacingMs: 300 },
  received: { submissionIdAt: '/submission/id', pollMs: 150, boundMs: 60_000 },
} as const;

const BASE = sampleProfile();
/** By key alone: an unknown outcome has no submission id. */
const STATUS =
  BASE.status === undefined ? {} : { status: { ...BASE.status, path: '/status?key={key}' } };
const NO_KEYS = { idempotency: { ...BASE.idempotency, honouredMs: 0 } } as const;

function portal(
  code: string,
  profile: Partial<Profile>,
  behaviour: BehaviourChange,
  share: number,
): ChaosPortal {
  const full = sampleProfile({ ...QUICK, ...STATUS, code, jurisdiction: code, ...profile });
  return chaosPortal(full, behaviour, share);
}

/** Pages behind a login: a form, a confirmation that it leads to, a session that a killed worker leaves behind. */
function pages(
  code: string,
  profile: Partial<Profile>,
  behaviour: BehaviourChange,
  share: number,
): ChaosPortal {
  const pace = { ...BASE, ...QUICK };
  return chaosPortal(quickPages(code, pace, profile), behaviour, share);
}

function chaosPortal(profile: Profile, behaviour: BehaviourChange, share: number): ChaosPortal {
  return {
    profile,
    behaviour: { latencyMs: LATENCY_MS, timings: { processingMs: 300 }, ...behaviour },
    share,
  };
}

const PLAIN = { faults: PASSING_FAULTS } as const;

/** As slow as a kill in the middle of a request makes it, and then it works on: within this all of it is over. */
const WORKS_ON = { longestServiceMs: 2_400, throttle: { pauseMsMax: 400 } } as const;
const WORKS_ON_TIMINGS = { processingMs: 300, throttleMs: 400, worksOnMs: 1_000 } as const;

/** Whoever stands before the portal gives up or turns away, before and after the filing was taken. */
const GATEWAY_FAULTS = {
  accept_then_504: 0.03,
  error_504: 0.02,
  accept_then_429: 0.03,
  throttle_429_seconds: 0.02,
  accept_then_503_retry_after: 0.03,
  busy_503_retry_after: 0.02,
  truncated_body: 0.02,
  accept_then_cut: 0.02,
  cut_before_accept: 0.02,
  status_500: 0.04,
  status_cut: 0.04,
  status_throttled_429: 0.04,
} as const;

/** The breaker opens often, and its probes hang, break off or are given up half of the time. */
const SICK_FAULTS = {
  error_503: 0.2,
  cut_before_accept: 0.1,
  health_silence: 0.3,
  health_cut: 0.1,
  health_500: 0.1,
} as const;

/** Receipts that are somebody else's, in answers and in what the status says, and answers that come twice. */
const SHARED_FAULTS = {
  receipt_reissued: 0.02,
  answer_of_another: 0.05,
  duplicate_answer: 0.02,
  duplicate_answer_late: 0.02,
  accept_then_500: 0.03,
  status_other_key: 0.1,
} as const;
const ECHOES = [{ at: '/filing/key', of: 'key' }] as const;

/** A page that breaks off after the button was pressed. */
const PAGE_FAULTS = { accept_then_cut: 0.01, cut_before_accept: 0.01, error_503: 0.01 } as const;

export const PORTALS: readonly ChaosPortal[] = [
  // Honours keys; can only be asked; honours keys and lets one in at a time.
  portal('US-NY', { ceiling: 4 }, PLAIN, 1),
  portal('US-WY', { ceiling: 2, ...NO_KEYS }, PLAIN, 1),
  portal('US-DE', { ceiling: 1 }, PLAIN, 1),
  // A gateway before a portal that works on, without keys and with them.
  portal(
    'US-CA',
    { ...WORKS_ON, ...NO_KEYS, ceiling: 1 },
    { faults: GATEWAY_FAULTS, timings: WORKS_ON_TIMINGS },
    0.1,
  ),
  portal(
    'US-TX',
    { ...WORKS_ON, ceiling: 2 },
    { faults: GATEWAY_FAULTS, timings: WORKS_ON_TIMINGS },
    0.2,
  ),
  // A health page that hangs.
  portal(
    'US-FL',
    { ...WORKS_ON, ceiling: 2, breaker: { failures: 2, coolDownMs: 300, probeSpacingMs: 200 } },
    { faults: SICK_FAULTS, timings: WORKS_ON_TIMINGS },
    0.1,
  ),
  // One receipt for two filings, with keys and without: the second is a person's.
  portal(
    'US-CO',
    { ceiling: 2, receipt: { ...BASE.receipt, echoes: ECHOES } },
    { faults: SHARED_FAULTS },
    0.2,
  ),
  portal(
    'US-NV',
    { ...NO_KEYS, ceiling: 2, receipt: { ...BASE.receipt, echoes: ECHOES } },
    { faults: SHARED_FAULTS },
    0.2,
  ),
  // One session for the account, the last one; a log-in that breaks every third time.
  pages('US-OR', { ceiling: 3 }, { faults: PAGE_FAULTS, login: 'ends_former' }, 0.1),
  pages('US-WA', { ceiling: 2 }, { faults: PAGE_FAULTS, login: 'error_500_at_times' }, 0.1),
];
