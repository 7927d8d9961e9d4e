import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leafHash } from '../../src/ledger/hashes.ts';
import { parseEntry } from '../../src/ledger/entry-chain.ts';
import { verifyEntries } from '../../src/ledger/verify.ts';
import {
  ACCEPTED,
  askStep,
  claim,
  fact,
  LANE,
  outcome,
  queueFilings,
  register,
  RETRY,
  sequenceAll,
} from './steps.ts';
import type { OpenWorld, World } from './world.ts';

export function sequencingContract(open: OpenWorld): void {
  describe('the sequencer', () => {
    let world: World;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.close());

    /** Every filing tries, asks, tries again, and ends in one of three ways. */
    async function runFilings(count: number): Promise<void> {
      await queueFilings(
        world,
        Array.from({ length: count }, () => ({})),
      );
      const worker = await register(world);
      const ask = { to: 'submitted', step: askStep(await world.now()) } as const;
      for (const end of [RETRY, ask, RETRY]) {
        const held = await claim(world, worker, count);
        const outcomes = [];
        for (const each of held) outcomes.push(await outcome(world, each, end));
        await claim(world, worker, 0, outcomes);
      }
      const held = await claim(world, worker, count);
      const ends = [ACCEPTED, { to: 'rejected' }, { to: 'fallout' }] as const;
      const outcomes = [];
      for (const [index, each] of held.entries()) {
        outcomes.push(await outcome(world, each, ends[index % 3] ?? ACCEPTED));
      }
      await claim(world, worker, 0, outcomes);
    }

    const verify = async () =>
      verifyEntries(await world.entries(), { origin: world.origin, states: true });

    it('makes a log that verifies, with no gap in any subject', async () => {
      await runFilings(6);
      await sequenceAll(world);
      expect(await world.waiting()).toBe(0);
      expect(await verify()).toMatchObject({ ok: true });
      const subjects = new Map<string, number[]>();
      for (const bytes of await world.entries()) {
        const { subj } = parseEntry(bytes);
        const name = `${subj.kind}/${subj.id}`;
        subjects.set(name, [...(subjects.get(name) ?? []), subj.ver]);
      }
      for (const versions of subjects.values()) {
        expect(versions).toEqual(versions.map((_, index) => index + 1));
      }
    });

    it('takes no more than asked for, and says how many', async () => {
      await runFilings(2);
      const waiting = await world.waiting();
      expect(waiting).toBeGreaterThan(5);
      expect(await world.here.sequencer.sequence(5)).toBeGreaterThanOrEqual(5);
      expect(await world.waiting()).toBe(waiting - 5);
      await sequenceAll(world);
      expect(await world.here.sequencer.sequence(5)).toBe(0);
    });

    it('never forks when two of them run at once', async () => {
      await runFilings(6);
      // One entry at a time: the moment in which one lets go and the other takes over comes as often as possible.
      const work = async (ports: World['here']) => {
        for (let round = 0; round < 60; round++) await ports.sequencer.sequence(1);
      };
      await Promise.all([work(world.here), work(world.there)]);
      await sequenceAll(world);
      expect(await verify()).toMatchObject({ ok: true });
      const entries = await world.entries();
      const leaves = entries.map((bytes) => Buffer.from(leafHash(bytes)).toString('hex'));
      expect(new Set(leaves).size).toBe(entries.length);
    });

    it('leaves out a fact whose id is already in the log', async () => {
      await world.addLane({ code: LANE, ceiling: 1, longestServiceMs: 1 });
      const [lane] = (await world.here.delivery.survey()).lanes;
      if (lane === undefined) throw new Error('no lane');
      const once = fact(world, 'lane.paused');
      await world.here.delivery.changeLane(lane, { ...lane, throttles: 1 }, [once]);
      await sequenceAll(world);
      await world.here.delivery.changeLane({ ...lane, version: 2 }, { ...lane, throttles: 2 }, [
        once,
      ]);
      expect(await world.here.sequencer.sequence(9)).toBe(0);
      expect(await world.waiting()).toBe(0);
      expect(await world.entries()).toHaveLength(1);
    });
  });
}
