/** Checks beside the pass: judged by the right clock, for the recovery that they were made for, in a slot of the lane. */
import { describe, expect, it } from 'vitest';
import type { BreakerState } from '../../src/core/breaker.ts';
import type { Clock, Survey } from '../../src/core/ports.ts';
import type { Exchange } from '../../src/core/exchange.ts';
import { instant } from '../../src/core/time.ts';
import { laneCode, workerId } from '../../src/core/ids.ts';
import type { LaneRecovery, LaneState } from '../../src/core/lane.ts';
import { Lanes } from '../../src/lanes/live/lanes.ts';
import { Leases, momentOf } from '../../src/lanes/live/leases.ts';
import { Prober } from '../../src/lanes/live/prober.ts';
import { Unawaited } from '../../src/lanes/live/unawaited.ts';
import { quickProfile } from './stage.ts';

const LANE = laneCode('US-DE');
const START = 1_772_000_000_000;
const ME = workerId('1');
const ID = '01900000-0000-7000-8000-000000000001';
const PROFILE = quickProfile(LANE, {
  ceiling: 1,
  longestServiceMs: 700,
  breaker: { failures: 3, coolDownMs: 300, probeSpacingMs: 3_000 },
});
const OPEN: BreakerState = { state: 'open', since: instant(START - 900), until: instant(START) };
const RECOVERY: LaneRecovery = {
  reason: 'breaker',
  code: 'FAILURES',
  since: instant(0),
  hurriedBy: [],
  run: { state: 'probing', good: 0, nextAt: instant(START) },
};
const GOOD: Exchange = {
  kind: 'answer',
  status: 200,
  headers: {},
  body: new Uint8Array(0),
  bodyEnd: 'whole',
  bodySha256: '',
  elapsedMs: 1,
};

/** A lane with an open breaker, and a probe whose answer comes when the test says so. */
function standing() {
  let wallMs = 0;
  let monotonicMs = 0;
  const clock: Clock = {
    now: () => instant(START + wallMs),
    monotonicMs: () => monotonicMs,
    sleep: () => new Promise((resolve) => setTimeout(resolve, 0)),
  };
  let stored: LaneState = {
    code: LANE,
    version: 1,
    ceiling: 1,
    pause: { kind: 'held', since: instant(START - 900), reason: 'breaker' },
    breaker: OPEN,
    recovery: RECOVERY,
    throttles: 0,
    missing: 0,
    resumedAt: undefined,
  };
  let questions = 0;
  const ids = { next: () => ID };
  const survey = (): Survey => ({ now: clock.now(), lanes: [stored], slots: [], workers: [] });
  const leases = new Leases(clock, 60_000);
  leases.begin(ME, clock.now(), momentOf(clock));
  const stopped = new AbortController();
  const lanes = new Lanes({
    store: {
      survey: () => Promise.resolve(survey()),
      changeLane: (before, after) => {
        if (before.version !== stored.version) return Promise.resolve(false);
        stored = { ...after, version: before.version + 1 };
        return Promise.resolve(true);
      },
    },
    clock,
    ids,
    profiles: new Map([[LANE, PROFILE]]),
    stopped: stopped.signal,
  });
  lanes.refresh([stored], clock.now());
  const answers: ((exchange: Exchange) => void)[] = [];
  const asked: string[] = [];
  const prober = new Prober({
    clock,
    ids,
    store: {
      leaseProbe: () => Promise.resolve({ lane: LANE, n: 0, fence: '1' }),
      openQuestions: () => Promise.resolve(questions),
    },
    portal: {
      probe: () => new Promise((resolve) => answers.push(resolve)),
      ask: ({ key }) => {
        asked.push(key);
        return new Promise((resolve) => answers.push(resolve));
      },
      send: () => Promise.reject(new Error('nothing is filed')),
    },
    lanes,
    leases,
    unawaited: new Unawaited(stopped),
    stopped: stopped.signal,
  });
  return {
    leases,
    lanes,
    prober,
    survey,
    probes: () => answers.length,
    asked,
    open: (count: number) => {
      questions = count;
    },
    stored: () => stored,
    /** As another process, or a person, would. */
    store: (change: Partial<LaneState>) => {
      stored = { ...stored, ...change, version: stored.version + 1 };
    },
    pass: (ms: number, how: { readonly isSuspended: boolean } = { isSuspended: false }) => {
      wallMs += ms;
      if (!how.isSuspended) monotonicMs += ms;
    },
    /** As the worker's next pass does with a slot of a lane that is held. */
    giveBack: () => leases.removeSlots(leases.idleSlots(LANE)),
    beat: () => leases.extend(clock.now(), momentOf(clock)),
    answer: async (exchange: Exchange) => {
      answers.shift()?.(exchange);
      for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setTimeout(done, 0));
    },
  };
}

describe('a probe', () => {
  it('is not awaited by the pass, and is one of its lane at a time', async () => {
    const { prober, survey, probes, leases } = standing();
    await prober.beginDue(survey());
    await prober.beginDue(survey());
    expect(probes()).toBe(1);
    expect(leases.slotsOf(LANE)).toMatchObject([{ n: 0, busy: true }]);
  });

  it('keeps its slot until the portal must be done, unless the answer shows that it is', async () => {
    const cut = { ...GOOD, bodyEnd: 'cut' } as const;
    for (const [exchange, restMs] of [
      [GOOD, 0],
      [cut, 700],
      [{ ...GOOD, status: 504 }, 700],
    ] as const) {
      const { prober, survey, answer, leases, pass } = standing();
      await prober.beginDue(survey());
      await answer(exchange);
      expect(leases.idleSlots(LANE).length).toBe(restMs === 0 ? 1 : 0);
      pass(restMs);
      expect(leases.idleSlots(LANE).length).toBe(1);
    }
  });

  it('of a machine that was suspended is dated when its clock is right again', async () => {
    const { prober, survey, answer, pass, stored, beat } = standing();
    await prober.beginDue(survey());
    pass(4_000, { isSuspended: true });
    await answer(GOOD);
    // Nobody knows what time it is before the next heartbeat.
    expect(stored().breaker).toEqual(OPEN);
    beat();
    await answer(GOOD);
    expect(stored().breaker).toEqual({
      state: 'half_open',
      good: 1,
      nextProbeAt: instant(START + 4_000 + 3_000),
    });
  });

  it('is not recorded when the lease was lost meanwhile', async () => {
    const { prober, survey, answer, stored, leases } = standing();
    await prober.beginDue(survey());
    leases.lose();
    await answer(GOOD);
    await prober.ended();
    expect(stored().breaker).toEqual(OPEN);
  });

  it.each([GOOD, { ...GOOD, status: 500 }])(
    'says nothing about a recovery that has ended and begun again meanwhile ($status)',
    async (exchange) => {
      const { prober, survey, answer, stored, store, lanes, pass } = standing();
      await prober.beginDue(survey());
      const later = { state: 'open', since: instant(START + 100), until: instant(START + 400) };
      const run = { state: 'probing', good: 0, nextAt: instant(START + 400) } as const;
      store({ breaker: later as BreakerState, recovery: { ...RECOVERY, run } });
      pass(1_000);
      lanes.refresh([stored()], instant(START + 1_000));
      await answer(exchange);
      expect(stored().breaker).toEqual(later);
    },
  );

  it('says nothing of it either when this process has not heard of that yet', async () => {
    const { prober, survey, answer, stored, store, pass } = standing();
    await prober.beginDue(survey());
    const later = { state: 'half_open', good: 1, nextProbeAt: instant(START + 50) } as const;
    const run = { state: 'probing', good: 1, nextAt: instant(START + 50) } as const;
    store({ breaker: later, recovery: { ...RECOVERY, run } });
    pass(1_000);
    await answer(GOOD);
    expect(stored().breaker).toEqual(later);
  });
});

describe('a recovery', () => {
  const stated = (state: string): Exchange => {
    const filing = { state, key: `recovery-${ID}` };
    return { ...GOOD, body: Buffer.from(JSON.stringify({ filing })) };
  };

  /** Two good answers about its health. */
  async function healthy() {
    const world = standing();
    const { prober, survey, answer, pass, beat, giveBack } = world;
    await prober.beginDue(survey());
    await answer(GOOD);
    pass(3_000);
    beat();
    giveBack();
    await prober.beginDue(survey());
    await answer(GOOD);
    giveBack();
    expect(world.stored().recovery?.run).toMatchObject({ state: 'checking', step: 'synthetic' });
    return world;
  }

  it('asks about a key of its own, waits for open questions, and then sends again, on probation', async () => {
    const { prober, survey, answer, stored, asked, open, pass, beat } = await healthy();
    open(2);
    await prober.beginDue(survey());
    await answer(stated('UNKNOWN_KEY'));
    expect(asked).toEqual([`recovery-${ID}`]);
    expect(stored().recovery?.run).toMatchObject({ state: 'checking', step: 'drain' });
    await prober.beginDue(survey());
    await prober.ended();
    expect(stored().recovery?.last).toMatchObject({ step: 'drain', verdict: 'wait' });
    expect(stored().pause.kind).toBe('held');
    open(0);
    pass(3_000);
    beat();
    await prober.beginDue(survey());
    await prober.ended();
    expect(stored()).toMatchObject({
      pause: { kind: 'none' },
      breaker: { state: 'closed', failures: PROFILE.breaker.failures - 1 },
      resumedAt: START + 6_000,
    });
    expect(stored().recovery).toBeUndefined();
  });

  it.each<[string, Exchange]>([
    ['fails', { ...GOOD, status: 503 }],
    ['knows a key that nobody has used', stated('FILED')],
  ])(
    'opens again when the portal lies: its health is good, and its application %s',
    async (_how, exchange) => {
      const { prober, survey, answer, stored } = await healthy();
      await prober.beginDue(survey());
      await answer(exchange);
      expect(stored().breaker.state).toBe('open');
      expect(stored().recovery?.run).toMatchObject({ state: 'probing', good: 0 });
    },
  );
});
