/** Reads the policy of a matrix: numbers within bounds, for all tiers or for each. */
import type { LawNode } from '../../../calendar/index.ts';
import { DEFAULT_POLICY, type RoutingPolicy, type SendTier, type TierPolicy } from './policy.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The bounds keep a typing mistake (seconds for milliseconds) from switching a promise off. */
export function policy(node: LawNode | undefined): RoutingPolicy {
  if (node === undefined) return DEFAULT_POLICY;
  node.object(
    [],
    [
      'timeout_ms',
      'attempts_per_tier',
      'backoff_ms',
      'breaker_failures',
      'breaker_cool_down_ms',
      'tls_handshake_ms_max',
      'backlog_max',
      'lag_ms_max',
      'confirm_ms',
      'confirm_ms_min',
      'working_day',
      'manual_clock_ms',
      'reserve_ms',
      'second_docketing',
    ],
  );
  const whole = (name: string, otherwise: number, min: number, max: number): number =>
    node.optional(name)?.integer({ min, max }) ?? otherwise;
  const base = DEFAULT_POLICY;
  const { thresholds } = base;
  const bounds = { min: 100, max: 60 * SECOND_MS };
  const handshake = node.optional('tls_handshake_ms_max')?.integer(bounds);
  const { forAll, forTiers } = askingOf(node, handshake);
  return {
    ...base,
    ...forAll,
    ...(forTiers === undefined ? {} : { tiers: forTiers }),
    thresholds: {
      tlsHandshakeMsMax: timesOf(forAll.timeoutMs, handshake).tlsHandshakeMsMax,
      backlogMax: whole('backlog_max', thresholds.backlogMax, 1, 1_000_000),
      lagMsMax: whole('lag_ms_max', thresholds.lagMsMax, SECOND_MS, HOUR_MS),
    },
    breaker: {
      ...base.breaker,
      failures: whole('breaker_failures', base.breaker.failures, 1, 100),
      coolDownMs: whole('breaker_cool_down_ms', base.breaker.coolDownMs, SECOND_MS, HOUR_MS),
    },
    confirmMs: confirmMs(node.optional('confirm_ms')),
    confirmMsMin: whole('confirm_ms_min', base.confirmMsMin, SECOND_MS, HOUR_MS),
    workingDay: workingDay(node.optional('working_day')),
    manualClockMs: whole('manual_clock_ms', base.manualClockMs, 60 * SECOND_MS, 2 * HOUR_MS),
    reserveMs: whole('reserve_ms', base.reserveMs, HOUR_MS, 30 * DAY_MS),
    ...(node.optional('second_docketing')?.boolean() === true ? { secondDocketing: true } : {}),
  };
}

const SEND_TIERS = ['PRIMARY', 'SECONDARY', 'TERTIARY'] as const;

type Asking = Pick<
  TierPolicy,
  'timeoutMs' | 'attemptsPerTier' | 'backoffMsMin' | 'backoffMsMax' | 'outcomeMsMax'
>;

/** What is asked of targets, and how often: for all tiers, and for those that have something of their own. */
function askingOf(
  node: LawNode,
  handshake: number | undefined,
): { readonly forAll: Asking; readonly forTiers: RoutingPolicy['tiers'] } {
  const timeouts = perTier(node.optional('timeout_ms'), { min: 100, max: 60 * SECOND_MS });
  const attempts = perTier(node.optional('attempts_per_tier'), { min: 1, max: 10 });
  const backoffs = perTier(node.optional('backoff_ms'), { min: 10, max: 60 * SECOND_MS });
  const asked = (tier: SendTier | 'all'): TierPolicy => ({
    ...timesOf(timeouts(tier) ?? DEFAULT_POLICY.timeoutMs, handshake),
    attemptsPerTier: attempts(tier) ?? DEFAULT_POLICY.attemptsPerTier,
    ...backoffOf(backoffs(tier)),
  });
  const { tlsHandshakeMsMax: _handshake, ...forAll } = asked('all');
  const own = SEND_TIERS.flatMap((tier) =>
    [timeouts, attempts, backoffs].some((stated) => stated(tier) !== stated('all'))
      ? [[tier, asked(tier)] as const]
      : [],
  );
  return { forAll, forTiers: own.length === 0 ? undefined : Object.fromEntries(own) };
}

/** One number for all tiers, or one for each; a tier that is not named has the default. */
function perTier(
  node: LawNode | undefined,
  bounds: { readonly min: number; readonly max: number },
): (tier: SendTier | 'all') => number | undefined {
  if (node === undefined) return () => undefined;
  if (typeof node.value === 'number') {
    const number = node.integer(bounds);
    return () => number;
  }
  node.object([], [...SEND_TIERS]);
  const stated = new Map<string, number | undefined>(
    SEND_TIERS.map((tier) => [tier, node.optional(tier)?.integer(bounds)]),
  );
  return (tier) => stated.get(tier);
}

function timesOf(
  timeoutMs: number,
  handshake: number | undefined,
): Pick<TierPolicy, 'timeoutMs' | 'outcomeMsMax' | 'tlsHandshakeMsMax'> {
  const base = DEFAULT_POLICY;
  // Where nothing is said of the handshake, a shorter time-out is its limit too.
  const tlsHandshakeMsMax = handshake ?? Math.min(base.thresholds.tlsHandshakeMsMax, timeoutMs);
  // With the longer of the two phases before the request, so that a handshake within its limit is never cut off.
  const phasesMs = timeoutMs + Math.max(timeoutMs, tlsHandshakeMsMax);
  const outcomeMsMax = base.outcomeMsMax - 2 * base.timeoutMs + phasesMs;
  return { timeoutMs, outcomeMsMax, tlsHandshakeMsMax };
}

/** What is stated is the shortest wait; the dice add up to as much again, so that dockets do not come back together. */
function backoffOf(
  statedMs: number | undefined,
): Pick<TierPolicy, 'backoffMsMin' | 'backoffMsMax'> {
  const { backoffMsMin, backoffMsMax } = DEFAULT_POLICY;
  return statedMs === undefined
    ? { backoffMsMin, backoffMsMax }
    : { backoffMsMin: statedMs, backoffMsMax: 2 * statedMs };
}

function confirmMs(node: LawNode | undefined): RoutingPolicy['confirmMs'] {
  if (node === undefined) return DEFAULT_POLICY.confirmMs;
  node.object(['PRIMARY', 'SECONDARY', 'TERTIARY']);
  const of = (name: string): number =>
    node.field(name).integer({ min: 60 * SECOND_MS, max: 10 * DAY_MS });
  return { PRIMARY: of('PRIMARY'), SECONDARY: of('SECONDARY'), TERTIARY: of('TERTIARY') };
}

const CLOCK = /^([01]\d|2[0-4]):([0-5]\d)$/;

function workingDay(node: LawNode | undefined): RoutingPolicy['workingDay'] {
  if (node === undefined) return DEFAULT_POLICY.workingDay;
  node.object(['from', 'to']);
  const minutes = (name: string): number => {
    const match = CLOCK.exec(node.field(name).text());
    if (match === null) return node.field(name).refuse('expected a time of day such as 09:00');
    return Number(match[1]) * 60 + Number(match[2]);
  };
  const span = { fromMinute: minutes('from'), toMinute: minutes('to') };
  if (span.toMinute <= span.fromMinute || span.toMinute > 24 * 60) {
    node.refuse('"to" must be later than "from", on the same day');
  }
  return span;
}
