import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { instant, toRfc3339 } from '../../src/core/time.ts';
import type { Profile } from '../../src/core/profile.ts';
import { changeProfile } from '../fixtures/profiles.ts';
import type { ReceivedRequest } from '../../src/testing/simulator/request-log.ts';
import { type Server, startServer } from './server.ts';
import { quickProfile, Stage } from './stage.ts';
import { pass, until } from './waiting.ts';

const DE = 'US-DE';
const NY = 'US-NY';
let server: Server;
let stage: Stage;

beforeAll(async () => {
  server = await startServer();
});
afterEach(() => stage.close());
afterAll(() => server.close());

function submissions(lane: string): ReceivedRequest[] {
  return [...stage.simulator.truth(lane).log.entries()].filter(
    ({ endpoint }) => endpoint === 'submit',
  );
}

function acceptedOn(lane: string): number {
  return stage.simulator.truth(lane).summary().accepted;
}

describe('a throttle with a stamp', () => {
  it('pauses that lane until the stamp, while the others go on', async () => {
    const one = { ceiling: 1 };
    stage = await Stage.set(server, [quickProfile(DE, one), quickProfile(NY, one)], {
      [DE]: {
        latencyMs: { mean: 10, spread: 0 },
        schedule: [{ fault: 'throttle_429_seconds', request: 10 }],
        timings: { throttleMs: 3_000 },
      },
      [NY]: { latencyMs: { mean: 25, spread: 0 } },
    });
    await stage.feed(DE, 60);
    await stage.feed(NY, 60);
    await stage.worker();
    await until(() => stage.simulator.truth(DE).faults.throttle_429_seconds === 1);
    await until(async () => (await stage.lane(DE)).pause.kind === 'until');
    const before = acceptedOn(NY);
    await pass(800);
    expect((await stage.lane(DE)).pause.kind).toBe('until');
    expect((await stage.lane(NY)).pause.kind).toBe('none');
    expect(acceptedOn(NY)).toBeGreaterThan(before + 10);
    await stage.untilDone();
    expect(stage.simulator.truth(DE).arrivedWhilePaused).toBe(0);
    expect((await stage.reckon()).ends).toEqual({ accepted: 120 });
  });

  it('sends a filing whose slack it eats to a person now, and keeps the others', async () => {
    stage = await Stage.set(server, [quickProfile(DE, { ceiling: 1 })], {
      [DE]: {
        schedule: [{ fault: 'throttle_429_seconds', request: 1 }],
        timings: { throttleMs: 30_000 },
      },
    });
    const dueMs = Date.now() + 15_000;
    await stage.feed(DE, 3, toRfc3339(instant(dueMs)));
    await stage.feed(DE, 5);
    await stage.worker();
    await until(async () => (await stage.count('fallout')) === 3);
    expect(Date.now()).toBeLessThan(dueMs - 5_000);
    const reasons = await stage.evidence.read(
      'select distinct reason from exception where tenant = $1',
      [stage.app.tenant],
    );
    expect(reasons).toEqual([{ reason: 'SLACK_GONE' }]);
    expect(await stage.count('pending')).toBe(5);
    expect(submissions(DE)).toHaveLength(1);
  });
});

describe('404', () => {
  it('three times in a row holds the lane as drift instead of rejecting a batch', async () => {
    stage = await Stage.set(server, [quickProfile(DE, { ceiling: 1 })], {
      [DE]: { faults: { not_found_404: 1 } },
    });
    await stage.feed(DE, 20);
    await stage.worker();
    await until(async () => (await stage.lane(DE)).pause.kind === 'held');
    await pass(500);
    expect((await stage.lane(DE)).pause).toMatchObject({ kind: 'held', reason: 'drift' });
    expect(submissions(DE)).toHaveLength(3);
    expect(await stage.count('rejected')).toBe(2);
    expect(await stage.count('pending', 'submitted')).toBe(18);
  });
});

describe('an open breaker', () => {
  it('is closed by two good probes, without a person, and nothing is sent meanwhile', async () => {
    stage = await Stage.set(server, [quickProfile(DE, { ceiling: 2 })], {
      [DE]: { faults: { error_503: 1 }, health: 'bad', latencyMs: { mean: 20, spread: 0 } },
    });
    await stage.feed(DE, 30);
    await stage.worker();
    await until(async () => (await stage.lane(DE)).breaker.state === 'open');
    await pass(500);
    const sent = submissions(DE).length;
    await until(() => stage.simulator.truth(DE).requests.health > 1);
    expect(submissions(DE)).toHaveLength(sent);
    stage.simulator.behave(DE, { faults: {}, health: 'good' });
    await stage.untilDone();
    expect((await stage.lane(DE)).breaker.state).toBe('closed');
    expect((await stage.lane(DE)).pause.kind).toBe('none');
    expect((await stage.reckon()).ends).toEqual({ accepted: 30 });
  });
});

describe('a probe that hangs', () => {
  const HANGING = ['US-CA', 'US-FL', 'US-NV', 'US-TX'] as const;

  // 423 is a last word: the slots do not rest, so the first probe comes soon.
  it('holds up its own lane only: filings of another go out before their last safe moment', async () => {
    const slow = { timeoutMs: 6_000, longestServiceMs: 6_000 };
    const sick = { faults: { http_423: 1, health_silence: 1 } } as const;
    stage = await Stage.set(
      server,
      [...HANGING.map((code) => quickProfile(code, slow)), quickProfile(NY, { ceiling: 1 })],
      {
        ...Object.fromEntries(HANGING.map((code) => [code, sick])),
        [NY]: { latencyMs: { mean: 20, spread: 0 } },
      },
    );
    for (const code of HANGING) await stage.feed(code, 6);
    await stage.change(NY, { kind: 'paused_by_person' });
    await stage.worker();
    const probes = (): number[] =>
      HANGING.map((code) => stage.simulator.truth(code).requests.health);
    await until(() => probes().includes(1));
    // The worker has no slot there yet; it takes one in its next pass over the lanes.
    await stage.feed(NY, 20, toRfc3339(instant(Date.now() + 6_000)));
    await stage.change(NY, { kind: 'resumed_by_person' });
    await until(() => acceptedOn(NY) === 20);
    // One probe at a time in each lane, however often the lanes are looked at while it hangs.
    expect(Math.max(...probes())).toBe(1);
    expect(await stage.count('fallout')).toBe(0);
  });

  it('holds up its own lane only: a ceiling lowered elsewhere is followed meanwhile', async () => {
    const slow = { timeoutMs: 8_000, longestServiceMs: 8_000 };
    stage = await Stage.set(server, [quickProfile(DE, slow), quickProfile(NY, { ceiling: 4 })], {
      [DE]: { faults: { http_423: 1, health_silence: 1 } },
      [NY]: { latencyMs: { mean: 40, spread: 0 } },
    });
    const truth = stage.simulator.truth(NY);
    await stage.feed(DE, 6);
    await stage.feed(NY, 1_500);
    await stage.worker();
    await until(() => stage.simulator.truth(DE).requests.health === 1);
    await stage.change(NY, { kind: 'ceiling', ceiling: 1 });
    await pass(1_000);
    truth.inFlightMax = 0;
    await pass(700);
    expect(truth.inFlightMax).toBe(1);
    expect(stage.simulator.truth(DE).requests.health).toBe(1);
  });
});

describe('lane add while a worker runs', () => {
  async function addBesides(changes: Partial<Profile>): Promise<void> {
    const { baseUrl } = stage.simulator.profile(DE);
    await changeProfile(stage.app, stage.person, quickProfile(NY, { baseUrl, ...changes }));
  }

  it('opens the new lane, and what is late there goes to a person', async () => {
    stage = await Stage.set(server, [quickProfile(DE)]);
    await stage.worker();
    await addBesides({});
    // Late from the start, so that it is in hand before the lane is known.
    await stage.feed(NY, 2, toRfc3339(instant(Date.now() + 500)));
    await stage.feed(NY, 5);
    await until(async () => (await stage.count('accepted')) === 5);
    await until(async () => (await stage.count('fallout')) === 2);
  });

  it('gives a lane its new profile: forbidden is forbidden from then on', async () => {
    stage = await Stage.set(server, [quickProfile(DE)]);
    await addBesides({});
    await stage.worker();
    await stage.feed(NY, 1);
    await until(async () => (await stage.count('accepted')) === 1);
    await addBesides({ automation: 'forbidden' });
    await until(async () => {
      await stage.feed(NY, 1);
      return (await stage.count('fallout')) > 0;
    });
    await stage.untilDone();
    const accepted = await stage.count('accepted');
    await stage.feed(NY, 3);
    await stage.untilDone();
    expect(await stage.count('accepted')).toBe(accepted);
  });
});

describe('a person', () => {
  it('pauses and resumes a running lane: nothing is claimed in between', async () => {
    stage = await Stage.set(server, [quickProfile(DE, { ceiling: 2 }), quickProfile(NY)], {
      '*': { latencyMs: { mean: 20, spread: 0 } },
    });
    await stage.feed(DE, 100);
    await stage.worker();
    await stage.worker();
    await until(() => acceptedOn(DE) > 10);
    await stage.change(DE, { kind: 'paused_by_person' });
    const pausedAt = await stage.now();
    // Until every worker has looked at its lanes again and what was in flight is answered.
    await pass(600);
    const sent = submissions(DE).length;
    expect(sent).toBeLessThan(100);
    await pass(600);
    expect(submissions(DE)).toHaveLength(sent);
    expect(await stage.count('submitted')).toBe(0);
    const resumedAt = await stage.now();
    await stage.change(DE, { kind: 'resumed_by_person' });
    await stage.untilDone();
    const between = await stage.evidence.count(
      `attempt where tenant = $1 and intent_at > to_timestamp($2::double precision / 1000)
       and intent_at < to_timestamp($3::double precision / 1000)`,
      [stage.app.tenant, pausedAt, resumedAt],
    );
    expect(between).toBe(0);
    expect((await stage.reckon()).ends).toEqual({ accepted: 100 });
  });

  it('lowers and raises the ceiling of a running lane: in flight follows after the drain', async () => {
    stage = await Stage.set(server, [quickProfile(DE, { ceiling: 4 })], {
      [DE]: { latencyMs: { mean: 40, spread: 0 } },
    });
    const truth = stage.simulator.truth(DE);
    await stage.feed(DE, 450);
    await stage.worker();
    await stage.worker();
    const mostAt = async (ceiling: number): Promise<number> => {
      await stage.change(DE, { kind: 'ceiling', ceiling });
      await pass(1_000);
      truth.inFlightMax = 0;
      await pass(700);
      return truth.inFlightMax;
    };
    await until(() => truth.inFlightMax === 4);
    expect(await mostAt(1)).toBe(1);
    expect(await mostAt(3)).toBe(3);
    expect(await mostAt(4)).toBe(4);
    await stage.untilDone();
    expect((await stage.reckon()).ends).toEqual({ accepted: 450 });
  });
});
