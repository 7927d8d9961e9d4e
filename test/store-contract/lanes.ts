import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addMs, instant } from '../../src/core/time.ts';
import type { LaneState } from '../../src/core/lane.ts';
import { parseEntry } from '../../src/ledger/entry-chain.ts';
import { fact, LANE, register, sequenceAll } from './steps.ts';
import type { OpenWorld, World } from './world.ts';

export function lanesContract(open: OpenWorld): void {
  describe('lanes', () => {
    let world: World;
    let lane: LaneState;
    beforeEach(async () => {
      world = await open();
      await world.addLane({ code: LANE, ceiling: 2, longestServiceMs: 1_000 });
      lane = await seen();
    });
    afterEach(() => world.close());

    async function seen(): Promise<LaneState> {
      const [only] = (await world.here.delivery.survey()).lanes;
      if (only === undefined) throw new Error('no lane');
      return only;
    }

    it('start open, closed breaker, at their ceiling', () => {
      expect(lane).toEqual({
        code: LANE,
        version: 1,
        ceiling: 2,
        pause: { kind: 'none' },
        breaker: { state: 'closed', failures: 0 },
        throttles: 0,
        missing: 0,
        resumedAt: undefined,
      });
    });

    it('keep every part of a changed state', async () => {
      const now = await world.now();
      const next: LaneState = {
        ...lane,
        ceiling: 3,
        pause: { kind: 'held', since: now, reason: 'breaker' },
        breaker: { state: 'open', since: now, until: addMs(now, 30_000) },
        throttles: 2,
        missing: 1,
        resumedAt: now,
      };
      expect(await world.here.delivery.changeLane(lane, next, [])).toBe(true);
      expect(await seen()).toEqual({ ...next, version: 2 });
    });

    it('change only from the state that was seen, so that of two changes one wins', async () => {
      const results = await Promise.all([
        world.here.delivery.changeLane(lane, { ...lane, throttles: 1 }, []),
        world.there.delivery.changeLane(lane, { ...lane, throttles: 2 }, []),
      ]);
      expect(results.filter(Boolean)).toHaveLength(1);
      expect((await seen()).version).toBe(2);
      expect(await world.here.delivery.changeLane(lane, { ...lane, missing: 1 }, [])).toBe(false);
    });

    it('record the facts of a change, and none of a refused one', async () => {
      const changed = { ...lane, throttles: 1 };
      const facts = [fact(world, 'lane.paused'), fact(world, 'breaker.opened')];
      expect(await world.here.delivery.changeLane(lane, changed, facts)).toBe(true);
      expect(
        await world.here.delivery.changeLane(lane, changed, [fact(world, 'lane.paused')]),
      ).toBe(false);
      await sequenceAll(world);
      const entries = (await world.entries()).map((bytes) => parseEntry(bytes));
      expect(entries).toMatchObject([
        { type: 'lane.paused', subj: { kind: 'lane', id: LANE, ver: 1 } },
        { type: 'breaker.opened', subj: { kind: 'lane', id: LANE, ver: 2 } },
      ]);
    });

    it('give their first slot to one probe, also while they are held', async () => {
      const [one, two] = [await register(world), await register(world)];
      const pause = { kind: 'held', since: instant(0), reason: 'breaker' } as const;
      expect(await world.here.delivery.changeLane(lane, { ...lane, pause }, [])).toBe(true);
      const slot = await world.here.delivery.leaseProbe(one, LANE);
      expect(slot).toMatchObject({ lane: LANE, n: 0 });
      expect(await world.there.delivery.leaseProbe(two, LANE)).toBeUndefined();
      if (slot !== undefined) await world.here.delivery.releaseSlots(one, [slot]);
      const next = await world.there.delivery.leaseProbe(two, LANE);
      expect(next).toMatchObject({ lane: LANE, n: 0 });
      expect(next?.fence).not.toBe(slot?.fence);
    });

    it('give no slot to a probe while another is in use, or rests after its holder has ended', async () => {
      const [one, two] = [await register(world), await register(world)];
      const want = { lane: LANE, count: 2, ceiling: 2 };
      const [first, second] = await world.here.delivery.acquireSlots(one, [want]);
      if (first === undefined || second === undefined) throw new Error('no slots');
      await world.here.delivery.releaseSlots(one, [first]);
      expect(await world.there.delivery.leaseProbe(two, LANE)).toBeUndefined();
      await world.here.delivery.endWorker(one);
      expect(await world.there.delivery.leaseProbe(two, LANE)).toBeUndefined();
      await world.advance(1_000);
      expect(await world.there.delivery.leaseProbe(two, LANE)).toMatchObject({ n: 0 });
    });

    it('give no slot to a worker that has ended', async () => {
      const worker = await register(world);
      await world.here.delivery.endWorker(worker);
      expect(await world.here.delivery.leaseProbe(worker, LANE)).toBeUndefined();
    });

    it('lease their probe once when two ask together', async () => {
      const [one, two] = [await register(world), await register(world)];
      const results = await Promise.all([
        world.here.delivery.leaseProbe(one, LANE),
        world.there.delivery.leaseProbe(two, LANE),
      ]);
      expect(results.filter(Boolean)).toHaveLength(1);
    });
  });
}
