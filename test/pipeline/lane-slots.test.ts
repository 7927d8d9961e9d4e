/** Whoever reads over a lane holds a slot of it: the portal never sees more requests at once than its ceiling. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/core/ports.ts';
import { entryId, laneCode } from '../../src/core/ids.ts';
import { instant } from '../../src/core/time.ts';
import type { Profile } from '../../src/core/profile.ts';
import { type LaneReader, withLaneReader } from '../../src/lanes/live/lane-reader.ts';
import { systemProcesses } from '../../src/lanes/live/processes.ts';
import { createPortal, type LanePortal } from '../../src/lanes/portals/portal.ts';
import { addLane } from '../../src/lanes/store/lanes.ts';
import { LEASE_MS } from '../../src/lanes/store/slots.ts';
import { PostgresDeliveryStore } from '../../src/filings/store/delivery-store.ts';
import { systemClock } from '../../src/system/clock.ts';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';
import { ACTOR, type GrantsWorld, grantsWorld } from './world.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';

let world: GrantsWorld;
let server: Server;
let portal: LanePortal;
let inFlight = 0;
let most = 0;
let answer: 'slow' | 'cut' = 'slow';

beforeAll(async () => {
  world = await grantsWorld();
  portal = createPortal({ environment: OWN_MACHINE });
  server = createServer((request, response) => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    const leave = (): void => {
      inFlight -= 1;
      if (answer === 'cut') request.socket.destroy();
      else response.end('{}');
    };
    setTimeout(leave, 100);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await portal.close();
  await new Promise((resolve) => server.close(resolve));
  await world.close();
});
beforeEach(() => {
  most = 0;
  answer = 'slow';
});

let lanes = 0;
async function lane(changes: Partial<Profile>) {
  lanes += 1;
  const code = `US-T${lanes}`;
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;
  const profile = sampleProfile({ code, baseUrl: `http://127.0.0.1:${port}`, ...changes });
  const fact = {
    id: entryId(world.ids.next()),
    type: 'lane.profiled' as const,
    actor: ACTOR,
    trace: '',
    data: {},
  };
  await addLane(world.session, world.tenant, profile, fact);
  return { code: laneCode(code), profile };
}

/** Each with connections of its own, as another process would have. */
async function reading<Result>(
  of: { readonly code: ReturnType<typeof laneCode>; readonly profile: Profile },
  work: (reader: LaneReader) => Promise<Result>,
  clock: Clock = systemClock,
): Promise<Result> {
  const { target, schema, tenant } = world;
  const store = new PostgresDeliveryStore({ target, schema, tenant });
  try {
    const ports = { clock, store, processes: systemProcesses(), portal, leaseMs: LEASE_MS };
    return await withLaneReader(ports, of, work);
  } finally {
    await store.close();
  }
}

const readTwice = async (reader: LaneReader): Promise<void> => {
  for (const path of ['/one', '/two']) {
    expect(await reader.read(path)).toMatchObject({ kind: 'answer', status: 200 });
  }
};

describe('readers of one lane', () => {
  it.each([
    [1, 4],
    [2, 6],
  ])(
    'with a ceiling of %i never have more requests in flight, however many they are',
    async (ceiling, readers) => {
      const of = await lane({ ceiling });
      await Promise.all(Array.from({ length: readers }, () => reading(of, readTwice)));
      expect(most).toBe(ceiling);
      const held = await world.count('lane_slot', `lane = '${of.code}' and holder is not null`);
      expect(held).toBe(0);
      expect(await world.count('worker', 'ended_at is null')).toBe(0);
    },
  );

  it('share the ceiling with a worker that holds all slots, and say so when none is given back', async () => {
    const of = await lane({ ceiling: 1 });
    await reading(of, async () => {
      // Time that passes only when somebody waits: the quarter of a minute is over at once.
      let now = Date.now();
      const hasty: Clock = {
        now: () => instant(now),
        monotonicMs: () => now,
        sleep: (ms) => {
          now += ms;
          return new Promise((resolve) => setImmediate(resolve));
        },
      };
      await expect(reading(of, readTwice, hasty)).rejects.toMatchObject({ code: 'LANE_BUSY' });
    });
    expect(most).toBe(0);
  });

  it('leave the slot at rest after a lost request, until the portal must be done with it', async () => {
    const of = await lane({ ceiling: 1, longestServiceMs: 60_000 });
    answer = 'cut';
    await reading(of, async (reader) => {
      expect(await reader.read('/lost')).toMatchObject({ kind: 'failure', written: true });
      expect(reader.mayRead).toBe(false);
      await expect(reader.read('/again')).rejects.toMatchObject({ code: 'LANE_BUSY' });
    });
    const [slot] = await world.rows(
      `select s.holder is not null as held, w.ended_at is not null as ended from lane_slot s
       join worker w on w.tenant = s.tenant and w.id = s.holder where s.lane = $1`,
      [of.code],
    );
    expect(slot).toEqual({ held: true, ended: true });
    expect(most).toBe(1);
  });
});
