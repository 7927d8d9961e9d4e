import type { Echo, Profile } from '../../src/core/profile.ts';
import type { BehaviourChange } from '../../src/testing/simulator/behaviour.ts';
import { FAULT_KINDS, type FaultKind, FAULTS } from '../../src/testing/simulator/faults.ts';
import { isSurvivable } from '../../src/testing/simulator/survivable.ts';
import { Draw } from './draw.ts';

/** No answer of these portals takes longer, unless it is slow on purpose. */
const ANSWER_MS_MAX = 300;

/** What the answers of a talkative portal name. */
const ECHOES: readonly Echo[] = [
  { at: '/of/key', of: 'key' },
  { at: '/of/number', of: '/number' },
];

export interface SimLane {
  readonly profile: Profile;
  readonly behaviour: BehaviourChange;
}

/** Two to four portals that differ in everything a profile can say. */
export function drawLanes(draw: Draw, seed: number): readonly SimLane[] {
  return Array.from({ length: draw.int(2, 4) }, (_, index) => {
    const drawn = drawProfile(draw, `L${index}`);
    // Some portals can show by a filing without effect that they are well.
    const isTestable = new Draw(seed * 16 + index, 'synthetic').chance(0.3);
    const synthetic = { payload: { number: 'TEST', synthetic: true } };
    const profile = isTestable ? { ...drawn, synthetic } : drawn;
    return { profile, behaviour: drawBehaviour(draw, profile, seed * 16 + index) };
  });
}

function drawProfile(draw: Draw, code: string): Profile {
  const timeoutMs = draw.pick([700, 1_000, 2_000, 3_000]);
  // Longer than the lease now and then: a dead worker's request may outlive its slot.
  const longestServiceMs = timeoutMs + draw.pick([300, 1_000, 2_500, 6_500]);
  const keys = draw.weighted({ honoured: 4, status: 4, nothing: 2 });
  const hasStatus = keys === 'status' || (keys === 'honoured' && draw.chance(0.7));
  const visibilityLagMs = draw.pick([0, 200, 1_500, 5_500]);
  return {
    format: 1,
    code,
    jurisdiction: `X-${code}`,
    title: `Portal ${code}`,
    automation: 'allowed',
    effect: draw.chance(0.15) ? 'notice' : 'filing',
    driver: 'json-api',
    baseUrl: `https://${code.toLowerCase()}.example`,
    allowPrivateAddresses: false,
    // Narrow lanes often: there one lost slot, or one request too many, shows at once.
    ceiling: draw.pick([1, 1, 2, 3, 4, 6]),
    timeoutMs,
    tlsHandshakeMsMax: 3_000,
    longestServiceMs,
    expectedServiceMs: 100,
    personMs: 20_000,
    submit: { method: 'POST', path: '/filings' },
    ...(hasStatus
      ? {
          status: {
            path: '/status?key={key}&submission={submissionId}',
            visibilityLagMs,
            stateAt: '/state',
            accepted: ['FILED'],
            refused: ['REFUSED'],
            processing: ['PENDING'],
            notFound: ['NONE'],
            ...(draw.chance(0.7) ? { keyAt: '/key' } : {}),
            ...(draw.chance(0.4) ? { echoes: ECHOES } : {}),
          },
        }
      : {}),
    health: { method: 'GET', path: '/health' },
    idempotency: {
      header: 'Idempotency-Key',
      honouredMs: keys === 'honoured' ? draw.pick([6_000, 12_000, 60_000]) : 0,
    },
    receipt: {
      statuses: [200, 201],
      numberAt: '/receipt',
      pattern: `${code}-\\d{8}`,
      ...(draw.chance(0.5) ? { echoes: ECHOES } : {}),
    },
    received: {
      submissionIdAt: '/submission',
      pollMs: draw.int(300, 900),
      boundMs: draw.int(4_000, 12_000),
    },
    answers: [],
    captcha: { marks: ['captcha-box'], threshold: 3 },
    throttle: {
      pauseMsMax: draw.pick([4_000, 15_000]),
      provesNothingTaken: draw.chance(0.3),
    },
    redirects: [],
    retry: {
      inARowMax: draw.pick([2, 2, 3]),
      totalMsMax: draw.pick([8_000, 20_000, 60_000]),
      delayMsMin: draw.pick([50, 200]),
      delayMsMax: draw.pick([500, 2_000]),
    },
    breaker: {
      failures: draw.int(2, 5),
      coolDownMs: draw.pick([800, 2_500]),
      probeSpacingMs: draw.pick([500, 3_000]),
    },
    slowStartStepMs: draw.pick([0, 400, 1_500]),
    credentials: [],
    quirks: [],
  };
}

/** A few kinds of misbehaviour at a high rate say more than all of them at a low one. */
function drawBehaviour(draw: Draw, profile: Profile, seed: number): BehaviourChange {
  const { timeoutMs, longestServiceMs } = profile;
  const inside = (): number => draw.int(timeoutMs + 50, longestServiceMs - 100);
  return {
    seed,
    latencyMs: { mean: draw.pick([20, 80, 250]), spread: 20 },
    faults: {
      ...drawFaults(draw, 'submit', draw.pick([0.1, 0.3, 0.5]), profile),
      ...drawFaults(draw, 'status', draw.pick([0, 0.2, 0.4]), profile),
      ...drawFaults(draw, 'health', draw.pick([0, 0.3]), profile),
    },
    timings: {
      worksOnMs: drawWorksOnMs(new Draw(seed, 'works on'), profile),
      throttleMs: draw.pick([400, 1_500, 8_000]),
      processingMs: draw.pick([300, 2_000, 6_000]),
      slowMs: inside(),
      silenceMs: inside(),
      dripEveryMs: 20,
      dripChunkBytes: 16,
    },
    duplicateWindowMs: draw.chance(0.3) ? 120_000 : 0,
  };
}

/** Half of the portals work on when a gateway has given up, for as long as their profile allows after a slow answer. */
function drawWorksOnMs(draw: Draw, { longestServiceMs }: Profile): number {
  return draw.chance(0.5) ? 0 : draw.int(100, longestServiceMs - ANSWER_MS_MAX);
}

function drawFaults(
  draw: Draw,
  endpoint: 'submit' | 'status' | 'health',
  total: number,
  profile: Profile,
): Partial<Record<FaultKind, number>> {
  const kinds = FAULT_KINDS.filter(
    (kind) => FAULTS[kind].on === endpoint && isSurvivable(kind, profile),
  );
  const chosen = draw.shuffled(kinds).slice(0, draw.int(2, 7));
  return Object.fromEntries(chosen.map((kind) => [kind, total / chosen.length]));
}
