import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addMs } from '../../src/core/time.ts';
import { laneCode } from '../../src/core/ids.ts';
import type { LaneState } from '../../src/core/lane.ts';
import { LANE, register, WORKER } from './steps.ts';
import { LEASE_MS, type OpenWorld, type World } from './world.ts';

const LONGEST_SERVICE_MS = 1_000;
const UNCONFIRMED_MS = 15_000;

export function slotsContract(open: OpenWorld): void {
  describe('workers and slots', () => {
    let world: World;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.close());

    const addLane = (ceiling: number) =>
      world.addLane({ code: LANE, ceiling, longestServiceMs: LONGEST_SERVICE_MS });
    const acquire = (worker: Awaited<ReturnType<typeof register>>, count: number, ceiling = 4) =>
      world.here.delivery.acquireSlots(worker, [{ lane: LANE, count, ceiling }]);
    const change = async (next: Partial<LaneState>) => {
      const [lane] = (await world.here.delivery.survey()).lanes;
      if (lane === undefined) throw new Error('no lane');
      return world.here.delivery.changeLane(lane, { ...lane, ...next }, []);
    };

    it('gives each incarnation a larger fencing number', async () => {
      const numbers = [await register(world), await register(world), await register(world)].map(
        Number,
      );
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      expect(new Set(numbers).size).toBe(3);
    });

    it('says in the survey who lives, and forgets who ended', async () => {
      const [one, two, three] = [
        await register(world),
        await register(world),
        await register(world),
      ];
      await world.here.delivery.endWorker(two);
      await world.advance(LEASE_MS - 1_000);
      await world.here.delivery.beat(three);
      await world.advance(1_500);
      const { workers, now } = await world.here.delivery.survey();
      expect(workers).toEqual([
        { ...WORKER, id: one, alive: false },
        { ...WORKER, id: three, alive: true },
      ]);
      expect(Math.abs(now - (await world.now()))).toBeLessThan(2_000);
    });

    it('extends a lease by a heartbeat only while it lives', async () => {
      const worker = await register(world);
      await world.advance(LEASE_MS - 1_000);
      expect((await world.here.delivery.beat(worker)).alive).toBe(true);
      await world.advance(LEASE_MS - 1_000);
      expect((await world.here.delivery.beat(worker)).alive).toBe(true);
      await world.advance(LEASE_MS + 1);
      expect((await world.here.delivery.beat(worker)).alive).toBe(false);
      expect((await world.here.delivery.beat(worker)).alive).toBe(false);
    });

    it('takes an ended worker for dead, however long its lease', async () => {
      const worker = await register(world);
      await world.here.delivery.endWorker(worker);
      expect((await world.here.delivery.beat(worker)).alive).toBe(false);
    });

    it('extends the slots with the worker', async () => {
      await addLane(1);
      const worker = await register(world);
      await acquire(worker, 1, 1);
      await world.advance(LEASE_MS - 1_000);
      await world.here.delivery.beat(worker);
      await world.advance(LEASE_MS - 1_000);
      const { slots, now } = await world.here.delivery.survey();
      expect(slots).toHaveLength(1);
      expect(slots[0]?.holder).toBe(worker);
      expect(slots[0]?.expiresAt).toBeGreaterThan(now);
    });

    it('holds the ceiling when two workers acquire at once', async () => {
      await addLane(4);
      const [one, two] = [await register(world), await register(world)];
      const wants = [{ lane: LANE, count: 3, ceiling: 4 }];
      const taken = (
        await Promise.all([
          world.here.delivery.acquireSlots(one, wants),
          world.there.delivery.acquireSlots(two, wants),
          world.here.delivery.acquireSlots(one, wants),
          world.there.delivery.acquireSlots(two, wants),
        ])
      ).flat();
      expect(new Set(taken.map((slot) => slot.n)).size).toBe(taken.length);
      expect(taken.length).toBeLessThanOrEqual(4);
      // What two skipped because the other had it locked is taken by the next round.
      const rest = await acquire(one, 4);
      expect(taken.length + rest.length).toBe(4);
    });

    it('gives the lowest free slots, and no more than asked for', async () => {
      await addLane(4);
      const worker = await register(world);
      expect(await acquire(worker, 2)).toMatchObject([
        { lane: LANE, n: 0 },
        { lane: LANE, n: 1 },
      ]);
      expect(await acquire(worker, 9)).toMatchObject([
        { lane: LANE, n: 2 },
        { lane: LANE, n: 3 },
      ]);
      expect(await acquire(worker, 1)).toEqual([]);
    });

    it('gives nothing to a worker whose lease ran out', async () => {
      await addLane(2);
      const worker = await register(world);
      await world.advance(LEASE_MS + 1);
      expect(await acquire(worker, 1, 2)).toEqual([]);
    });

    it('frees a released slot at once, and only for its holder', async () => {
      await addLane(1);
      const [one, two] = [await register(world), await register(world)];
      const slots = await acquire(one, 1, 1);
      await world.here.delivery.releaseSlots(two, slots);
      expect(await acquire(two, 1, 1)).toEqual([]);
      await world.here.delivery.releaseSlots(one, slots);
      expect(await acquire(two, 1, 1)).toMatchObject([{ lane: LANE, n: 0 }]);
    });

    it('keeps a slot that was taken anew when the release of its former taking comes late', async () => {
      await addLane(1);
      const [one, two] = [await register(world), await register(world)];
      const former = await acquire(one, 1, 1);
      await world.here.delivery.releaseSlots(one, former);
      const again = await acquire(one, 1, 1);
      expect(again).toMatchObject([{ lane: LANE, n: 0 }]);
      await world.here.delivery.releaseSlots(one, former);
      expect(await acquire(two, 1, 1)).toEqual([]);
    });

    it('lets the slot of an ended worker rest for the longest service time', async () => {
      await addLane(1);
      const dead = await register(world);
      await acquire(dead, 1, 1);
      await world.here.delivery.endWorker(dead);
      const heir = await register(world);
      expect(await acquire(heir, 1, 1)).toEqual([]);
      const { slots, now } = await world.here.delivery.survey();
      const restMs = (slots[0]?.expiresAt ?? 0) - now;
      expect(restMs).toBeGreaterThan(0);
      expect(restMs).toBeLessThanOrEqual(LONGEST_SERVICE_MS);
      await world.advance(LONGEST_SERVICE_MS);
      expect(await acquire(heir, 1, 1)).toMatchObject([{ lane: LANE, n: 0 }]);
    });

    it('lets the slot of a silent worker rest longer, since nobody saw it dead', async () => {
      await addLane(1);
      const silent = await register(world);
      await acquire(silent, 1, 1);
      await world.advance(LEASE_MS + UNCONFIRMED_MS);
      const heir = await register(world);
      expect(await acquire(heir, 1, 1)).toEqual([]);
      await world.advance(LONGEST_SERVICE_MS);
      expect(await acquire(heir, 1, 1)).toMatchObject([{ lane: LANE, n: 0 }]);
    });

    it('shortens that rest when the worker is seen dead meanwhile', async () => {
      await addLane(1);
      const silent = await register(world);
      await acquire(silent, 1, 1);
      await world.advance(LEASE_MS + 1);
      await world.here.delivery.endWorker(silent);
      await world.advance(LONGEST_SERVICE_MS);
      expect(await acquire(await register(world), 1, 1)).toMatchObject([{ lane: LANE, n: 0 }]);
    });

    it('refuses a wish for more than the lane has now', async () => {
      await addLane(4);
      const worker = await register(world);
      expect(await change({ ceiling: 2 })).toBe(true);
      expect(await acquire(worker, 4, 4)).toEqual([]);
      expect(await acquire(worker, 4, 2)).toHaveLength(2);
    });

    it('makes slots when a ceiling rises', async () => {
      await addLane(1);
      const worker = await register(world);
      expect(await change({ ceiling: 3 })).toBe(true);
      expect(await acquire(worker, 3, 3)).toHaveLength(3);
    });

    it('gives no slot of a paused lane until it opens', async () => {
      await addLane(1);
      const until = addMs(await world.now(), 2_000);
      await change({ pause: { kind: 'until', until, reason: 'throttled' } });
      const worker = await register(world);
      expect(await acquire(worker, 1, 1)).toEqual([]);
      await world.advance(2_000);
      expect(await acquire(worker, 1, 1)).toHaveLength(1);
    });

    it('gives no slot of a lane that is held or unknown', async () => {
      await addLane(1);
      const since = await world.now();
      await change({ pause: { kind: 'held', since, reason: 'person' } });
      const worker = await register(world);
      expect(await acquire(worker, 1, 1)).toEqual([]);
      expect(
        await world.here.delivery.acquireSlots(worker, [
          { lane: laneCode('US-XX'), count: 1, ceiling: 1 },
        ]),
      ).toEqual([]);
    });
  });
}
