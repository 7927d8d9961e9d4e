/** `portal check` while workers file: it counts against the ceiling like everybody else. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { checkInLane } from '../../src/lanes/acts/portal-check.ts';
import { FilewrightError } from '../../src/core/errors.ts';
import type { Profile } from '../../src/core/profile.ts';
import { checkPortal } from '../../src/lanes/conformance/conformance.ts';
import { systemClock } from '../../src/system/clock.ts';
import { type Server, startServer } from './server.ts';
import { quickProfile, Stage } from './stage.ts';
import { until } from './waiting.ts';
import { OPERATOR } from '../operator.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';

const DE = 'US-DE';
let server: Server;
let stage: Stage;

beforeAll(async () => {
  server = await startServer();
});
afterEach(() => stage.close());
afterAll(() => server.close());

function options(changes: Partial<Profile> = {}) {
  const profile = { ...stage.simulator.profile(DE), ...changes };
  return { profile, clock: systemClock, environment: OWN_MACHINE, run: 'r', waitMsMax: 2_000 };
}

async function busyLane(ceiling = 1): Promise<void> {
  stage = await Stage.set(server, [quickProfile(DE, { ceiling })], {
    [DE]: { latencyMs: { mean: 30, spread: 0 } },
  });
  await stage.feed(DE, 200);
  await stage.worker();
  await until(() => stage.simulator.truth(DE).requests.submit > 3);
}

describe('a check of a portal that is in use', () => {
  it('would break the ceiling without a slot', async () => {
    await busyLane();
    await checkPortal(options());
    expect(stage.simulator.truth(DE).inFlightMax).toBeGreaterThan(1);
  });

  it('takes a slot of the lane that leads there, whatever the file calls it', async () => {
    await busyLane(2);
    const { conforms } = await checkInLane(stage.app, OPERATOR, options({ code: 'US-DE-NEW' }));
    expect(conforms).toBe(true);
    await stage.untilDone();
    expect(stage.simulator.truth(DE).inFlightMax).toBe(2);
  });

  it.each([
    ['busy', 400],
    ['idle', 4],
  ])(
    'has its turn in the only slot, also where a %s worker has it',
    async (_, filings) => {
      stage = await Stage.set(server, [quickProfile(DE, { ceiling: 1 })], {
        [DE]: { latencyMs: { mean: 30, spread: 0 } },
      });
      await stage.feed(DE, filings);
      await stage.worker();
      await until(() => stage.simulator.truth(DE).requests.submit > 3);
      const waits: (readonly [string, number])[] = [];
      const report = await checkInLane(stage.app, OPERATOR, options(), (...wait) =>
        waits.push(wait),
      );
      expect(report.conforms).toBe(true);
      expect(waits).toEqual([[DE, 15_700]]);
      // The worker has its slot back, and nobody was there twice.
      await stage.feed(DE, 3);
      await stage.untilDone(60_000);
      expect(await stage.count('accepted')).toBe(filings + 3);
      expect(stage.simulator.truth(DE).inFlightMax).toBe(1);
    },
    90_000,
  );

  it('can be made while the lane is held', async () => {
    await busyLane();
    await stage.change(DE, { kind: 'paused_by_person' });
    expect(await checkInLane(stage.app, OPERATOR, options())).toMatchObject({ conforms: true });
    expect(stage.simulator.truth(DE).inFlightMax).toBe(1);
  });

  it('lets the portal finish before it asks on, and leaves its slot to rest', async () => {
    stage = await Stage.set(server, [quickProfile(DE, { ceiling: 1 })], {
      [DE]: {
        faults: { health_500: 1, status_500: 1, accept_then_504: 1 },
        timings: { worksOnMs: 500 },
      },
    });
    await stage.feed(DE, 3);
    const report = await checkInLane(stage.app, OPERATOR, options());
    expect(report.conforms).toBe(false);
    const { requests } = stage.simulator.truth(DE);
    const before = requests.submit;
    await stage.worker();
    await until(() => requests.submit > before + 1);
    expect(stage.simulator.truth(DE).inFlightMax).toBe(1);
  });

  it('says that the lane is busy when no slot becomes free', async () => {
    stage = await Stage.set(server, [quickProfile(DE, { ceiling: 1 })], {
      [DE]: {
        schedule: [{ fault: 'throttle_429_seconds', request: 1 }],
        timings: { throttleMs: 60_000 },
      },
    });
    await stage.feed(DE, 3);
    await stage.worker();
    await until(async () => (await stage.lane(DE)).pause.kind === 'until');
    const found = await checkInLane(stage.app, OPERATOR, options()).catch(
      (error: unknown) => error,
    );
    expect(found).toBeInstanceOf(FilewrightError);
    expect(found).toMatchObject({ code: 'LANE_BUSY' });
    expect(stage.simulator.truth(DE).requests.health).toBe(0);
  });
});
