import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Server, startServer } from './server.ts';
import { LEASE_MS, NO_KEYS, quickProfile, Stage } from './stage.ts';
import { until } from './waiting.ts';

const DE = 'US-DE';
const NY = 'US-NY';
let server: Server;
let stage: Stage;

beforeAll(async () => {
  server = await startServer();
});
afterEach(() => stage.close());
afterAll(() => server.close());

/** How many live slots each worker has, fewest first. */
async function shares(): Promise<readonly number[]> {
  const rows = await stage.evidence.read(
    `select count(*)::int as n from lane_slot
     where tenant = $1 and holder is not null and expires_at > clock_timestamp() group by holder order by n`,
    [stage.app.tenant],
  );
  return rows.map((row) => Number(row['n']));
}

describe('workers that share a lane', () => {
  it('keep its ceiling, and one that joins a busy lane gets its share', async () => {
    stage = await Stage.set(server, [quickProfile(NY, { ceiling: 6 })], {
      [NY]: { latencyMs: { mean: 50, spread: 20 } },
    });
    await stage.feed(NY, 1_000);
    const first = await stage.worker();
    await until(async () => (await shares()).join() === '6');
    await stage.worker();
    await until(async () => (await shares()).join() === '3,3');
    await stage.worker();
    await until(async () => (await shares()).join() === '2,2,2');
    await first.stop();
    await until(async () => (await shares()).join() === '3,3');
    expect(await stage.count('pending')).toBeGreaterThan(0);
    await stage.untilDone();
    expect((await stage.reckon()).ends).toEqual({ accepted: 1_000 });
    expect(stage.simulator.truth(NY).inFlightMax).toBe(6);
  });
});

describe('a portal that is slower than the lease', () => {
  it('is never asked for more than its ceiling and accepts everything once', async () => {
    const leaseMs = 1_500;
    const slow = { timeoutMs: 8_000, longestServiceMs: 9_000, ceiling: 2, ...NO_KEYS };
    stage = await Stage.set(server, [quickProfile(DE, slow)], {
      [DE]: { latencyMs: { mean: 3 * leaseMs, spread: 0 } },
    });
    await stage.feed(DE, 4);
    await stage.worker({ settings: { leaseMs } });
    await stage.worker({ settings: { leaseMs } });
    await stage.untilDone();
    expect((await stage.reckon()).ends).toEqual({ accepted: 4 });
    expect(stage.simulator.truth(DE).requests.submit).toBe(4);
  });
});

describe('portals that misbehave in every way', () => {
  it(
    'leave a record that equals their truth',
    async () => {
      // Quick recoveries: with faults of every kind there are many.
      const breaker = { failures: 3, coolDownMs: 50, probeSpacingMs: 50 };
      const throttle = { pauseMsMax: 200 };
      const changes = { throttle, breaker, longestServiceMs: 500, timeoutMs: 300 };
      stage = await Stage.set(
        server,
        [
          quickProfile(DE, { ...changes, ceiling: 4 }),
          quickProfile(NY, { ...changes, ceiling: 4, ...NO_KEYS }),
        ],
        {
          '*': {
            mixRate: 0.3,
            latencyMs: { mean: 15, spread: 10 },
            timings: { throttleMs: 200, processingMs: 200 },
          },
        },
      );
      for (const lane of [DE, NY]) await stage.feed(lane, 80);
      await stage.worker();
      await stage.worker();
      // Drift holds a lane until a person has looked at it; here one looks all the time.
      await until(async () => {
        for (const lane of [DE, NY]) {
          const { recovery } = await stage.lane(lane);
          if (recovery?.run.state === 'awaiting_approval') await stage.approve(lane);
        }
        return (await stage.count('pending', 'submitted')) === 0;
      });
      const { ends } = await stage.reckon();
      expect(ends['accepted']).toBeGreaterThan(60);
      expect(Object.values(ends).reduce((sum, count) => sum + count, 0)).toBe(160);
    },
    LEASE_MS + 70_000,
  );
});
