import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addMs, instant } from '../../src/core/time.ts';
import type { LaneState } from '../../src/core/lane.ts';
import {
  askStep,
  claim,
  claimOne,
  HOUR_MS,
  LANE,
  outcome,
  queueFilings,
  record,
  register,
  RETRY,
} from './steps.ts';
import { LEASE_MS, type OpenWorld, type World } from './world.ts';

export function recoveryContract(open: OpenWorld): void {
  describe('recovery', () => {
    let world: World;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.close());

    const pause = async (next: LaneState['pause']) => {
      const [lane] = (await world.here.delivery.survey()).lanes;
      if (lane === undefined) throw new Error('no lane');
      await world.here.delivery.changeLane(lane, { ...lane, pause: next }, []);
    };

    it('of a lane that drains hands out questions and no filing, counts those that are open, and is seen by all', async () => {
      await queueFilings(world, [{}, {}]);
      const worker = await register(world);
      const asked = await claimOne(world, worker);
      const step = askStep(await world.now());
      await record(world, await outcome(world, asked, { to: 'submitted', step }));
      const { now: since, lanes } = await world.here.delivery.survey();
      const questions = (at: number) => world.there.delivery.openQuestions(LANE, instant(at));
      expect([await questions(since - HOUR_MS), await questions(since)]).toEqual([0, 1]);
      const [lane] = lanes;
      if (lane === undefined) throw new Error('no lane');
      const run = { state: 'checking', step: 'drain', since, nextAt: since } as const;
      const recovering = {
        pause: { kind: 'held', since, reason: 'breaker' },
        recovery: { reason: 'breaker', code: 'FAILURES', since, hurriedBy: ['ann'], run },
      } as const;
      await world.here.delivery.changeLane(lane, { ...lane, ...recovering }, []);
      expect((await world.there.delivery.survey()).lanes).toMatchObject([recovering]);
      const claims = await claim(world, worker, 9);
      expect(claims.map(({ filing }) => filing.id)).toEqual([asked.filing.id]);
      // In somebody's hands it is open still.
      expect(await questions(since - HOUR_MS)).toBe(1);
    });

    it('adopts exactly the claims that a worker has not heard of', async () => {
      await queueFilings(world, [{}, {}, {}]);
      const [worker, other] = [await register(world), await register(world)];
      const [known, unheard] = await claim(world, worker, 2);
      await claim(world, other, 1);
      if (known === undefined) throw new Error('expected a claim');
      const adopted = await world.here.delivery.adopt(worker, [known.filing.id]);
      expect(adopted).toEqual([unheard]);
      expect(await world.here.delivery.adopt(worker, [])).toHaveLength(2);
    });

    it('adopts orphans and late filings as what they are', async () => {
      await queueFilings(world, [{ lastSafeInMs: HOUR_MS }, { lastSafeInMs: 2 * HOUR_MS }]);
      await claimOne(world, await register(world));
      await world.advance(2 * HOUR_MS);
      const worker = await register(world);
      const [orphan] = await world.here.delivery.takeOrphans(worker, 9);
      const [late] = await world.here.delivery.takeLate(worker, 9);
      const adopted = await world.here.delivery.adopt(worker, []);
      expect(adopted.map((held) => held.reason)).toEqual(['orphan', 'late']);
      expect(adopted).toEqual([orphan, late]);
    });

    it('takes orphans only from the dead', async () => {
      await queueFilings(world, [{}, {}, {}]);
      const [silent, ended, living] = [
        await register(world),
        await register(world),
        await register(world),
      ];
      const [one] = await claim(world, silent, 1);
      const [two] = await claim(world, ended, 1);
      await claim(world, living, 1);
      expect(await world.here.delivery.takeOrphans(living, 9)).toEqual([]);
      await world.here.delivery.endWorker(ended);
      const first = await world.here.delivery.takeOrphans(living, 9);
      expect(first.map((held) => held.filing.id)).toEqual([two?.filing.id]);
      await world.advance(LEASE_MS - 1_000);
      await world.here.delivery.beat(living);
      await world.advance(1_500);
      const second = await world.here.delivery.takeOrphans(living, 9);
      expect(second).toMatchObject([
        {
          worker: living,
          reason: 'orphan',
          attempt: one?.attempt,
          filing: { id: one?.filing.id, status: 'submitted', attempt: 1 },
        },
      ]);
      expect(await world.here.delivery.takeOrphans(living, 9)).toEqual([]);
    });

    it('gives orphans only to the living, and no more than asked for', async () => {
      await queueFilings(world, [{}, {}, {}]);
      const dead = await register(world);
      await claim(world, dead, 3);
      await world.here.delivery.endWorker(dead);
      expect(await world.here.delivery.takeOrphans(dead, 9)).toEqual([]);
      const worker = await register(world);
      expect(await world.here.delivery.takeOrphans(worker, 2)).toHaveLength(2);
      expect(await world.here.delivery.takeOrphans(worker, 2)).toHaveLength(1);
    });

    it('gives an orphan to one of two workers that ask at once', async () => {
      await queueFilings(world, [{}, {}, {}, {}]);
      const dead = await register(world);
      await claim(world, dead, 4);
      await world.here.delivery.endWorker(dead);
      const [one, two] = [await register(world), await register(world)];
      const taken = (
        await Promise.all([
          world.here.delivery.takeOrphans(one, 9),
          world.there.delivery.takeOrphans(two, 9),
        ])
      ).flat();
      expect(new Set(taken.map((held) => held.filing.id)).size).toBe(taken.length);
      const rest = await world.here.delivery.takeOrphans(one, 9);
      expect(taken.length + rest.length).toBe(4);
    });

    it('takes as late what is past its last safe moment, earliest first', async () => {
      const [second, first] = await queueFilings(world, [
        { lastSafeInMs: 2_000 },
        { lastSafeInMs: 1_000 },
        { lastSafeInMs: HOUR_MS },
      ]);
      await world.advance(2_001);
      const worker = await register(world);
      const taken = await world.here.delivery.takeLate(worker, 9);
      expect(taken).toMatchObject([
        { worker, reason: 'late', filing: { id: first, status: 'pending', holder: worker } },
        { worker, reason: 'late', filing: { id: second } },
      ]);
      expect(await world.here.delivery.takeLate(worker, 9)).toEqual([]);
    });

    it('takes late ones no more than asked for, and only for the living', async () => {
      await queueFilings(world, [{ lastSafeInMs: 1_000 }, { lastSafeInMs: 1_000 }]);
      await world.advance(LEASE_MS);
      const dead = await register(world);
      await world.here.delivery.endWorker(dead);
      expect(await world.here.delivery.takeLate(dead, 9)).toEqual([]);
      expect(await world.here.delivery.takeLate(await register(world), 1)).toHaveLength(1);
    });

    it('leaves filings that are not queued where they are', async () => {
      await queueFilings(world, [{ lastSafeInMs: 2_000 }]);
      const worker = await register(world);
      await claimOne(world, worker);
      await world.advance(2_001);
      expect(await world.here.delivery.takeLate(await register(world), 9)).toEqual([]);
    });

    it('takes as late what will be late when its paused lane opens', async () => {
      const [soon] = await queueFilings(world, [
        { lastSafeInMs: 60_000 },
        { lastSafeInMs: 120_000 },
      ]);
      const until = addMs(await world.now(), 90_000);
      await pause({ kind: 'until', until, reason: 'throttled' });
      const taken = await world.here.delivery.takeLate(await register(world), 9);
      expect(taken.map((held) => held.filing.id)).toEqual([soon]);
    });

    it('takes from a held lane only what is late now, since nobody knows its end', async () => {
      const [soon] = await queueFilings(world, [
        { lastSafeInMs: 1_000 },
        { lastSafeInMs: HOUR_MS },
      ]);
      await pause({ kind: 'held', since: await world.now(), reason: 'drift' });
      const early = await register(world);
      expect(await world.here.delivery.takeLate(early, 9)).toEqual([]);
      await world.advance(1_001);
      const taken = await world.here.delivery.takeLate(early, 9);
      expect(taken.map((held) => held.filing.id)).toEqual([soon]);
    });

    it('lets a late filing end as any other claim does', async () => {
      await queueFilings(world, [{ lastSafeInMs: 60_000 }]);
      const worker = await register(world);
      await record(world, await outcome(world, await claimOne(world, worker), RETRY));
      await world.advance(60_001);
      const heir = await register(world);
      const [late] = await world.here.delivery.takeLate(heir, 9);
      if (late === undefined) throw new Error('expected a late filing');
      await record(world, await outcome(world, late, { to: 'fallout', verdict: 'late' }));
      expect(await world.filing(late.filing.id)).toMatchObject({ status: 'fallout' });
      const history = await world.here.delivery.history(late.filing.id);
      expect(history).toMatchObject([
        { attempt: 1, action: 'send', outcome: { verdict: 'pending' } },
        { attempt: 2, action: 'none', outcome: { verdict: 'late' } },
      ]);
    });
  });
}
