import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attemptId, laneCode, type WorkerId } from '../../src/core/ids.ts';
import type { Claim, OutcomeRecord } from '../../src/core/ports.ts';
import { parseEntry } from '../../src/ledger/entry-chain.ts';
import {
  ACCEPTED,
  askStep,
  claim,
  claimOne,
  outcome,
  queueFilings,
  queueMore,
  record,
  register,
  RETRY,
  sequenceAll,
} from './steps.ts';
import { LEASE_MS, type OpenWorld, type World } from './world.ts';

export function outcomesContract(open: OpenWorld): void {
  describe('outcomes', () => {
    let world: World;
    let worker: WorkerId;
    let held: Claim;
    beforeEach(async () => {
      world = await open();
      await queueFilings(world, [{}]);
      worker = await register(world);
      held = await claimOne(world, worker);
    });
    afterEach(() => world.close());

    it('end a claim: the filing is free, and accepted once and for all', async () => {
      await record(world, await outcome(world, held, ACCEPTED));
      expect(await world.filing(held.filing.id)).toMatchObject({
        status: 'accepted',
        receipt: `R-${held.filing.id}`,
        holder: undefined,
        isQueued: false,
        step: undefined,
      });
      expect(await claim(world, worker, 1)).toEqual([]);
    });

    it('make exactly one event when accepted, however often they are repeated', async () => {
      const accepted = await outcome(world, held, ACCEPTED);
      await record(world, accepted);
      await record(world, accepted);
      expect(await world.outbox()).toEqual([held.filing.id]);
    });

    describe('with a receipt that another filing has', () => {
      const SAME = { to: 'accepted', receipt: 'R-1' } as const;
      const tick = (ports: World['here'], by: WorkerId, outcomes: readonly OutcomeRecord[]) =>
        ports.delivery.tick({ worker: by, outcomes, wants: [], attemptIds: [] });
      const named = ({ filing }: Claim) => ({ filing: filing.id, attempt: filing.attempt });
      let second: Claim;
      beforeEach(async () => {
        await queueMore(world, [{}]);
        second = await claimOne(world, worker);
      });

      const isHeld = { status: 'submitted', holder: undefined, receipt: undefined };

      it('are not recorded: the claim stays, and the answer says so', async () => {
        await record(world, await outcome(world, held, SAME));
        const waiting = await world.waiting();
        const late = await outcome(world, second, SAME);
        expect(await tick(world.here, worker, [late])).toEqual({
          claims: [],
          disputed: [named(second)],
        });
        expect(await world.filing(second.filing.id)).toMatchObject({ ...isHeld, holder: worker });
        expect(await world.outcomes(second.filing.id)).toEqual([]);
        expect(await world.waiting()).toBe(waiting);
        expect(await world.outbox()).toEqual([held.filing.id]);
        const { lane, id } = held.filing;
        expect(await world.here.delivery.receiptOwner(lane, 'R-1')).toBe(id);
        expect(await world.here.delivery.receiptOwner(lane, 'R-2')).toBeUndefined();
        // What was decided instead counts.
        await record(world, await outcome(world, second, { ...RETRY, delayMs: 60_000 }));
        expect(await world.outcomes(second.filing.id)).toMatchObject([{ no: 1, counted: true }]);
      });

      it('in one tick count once', async () => {
        const both = [await outcome(world, held, SAME), await outcome(world, second, SAME)];
        const { disputed } = await tick(world.here, worker, both);
        expect(disputed).toHaveLength(1);
        expect([named(held), named(second)]).toContainEqual(disputed[0]);
        expect(await world.outbox()).toHaveLength(1);
      });

      it('in two processes at one moment count once', async () => {
        const [one, two] = [await outcome(world, held, SAME), await outcome(world, second, SAME)];
        const answers = await Promise.all([
          tick(world.here, worker, [one]),
          tick(world.there, worker, [two]),
        ]);
        expect(answers.flatMap(({ disputed }) => disputed)).toHaveLength(1);
        expect(await world.outbox()).toHaveLength(1);
      });

      it('leave everything else in their tick recorded', async () => {
        await record(world, await outcome(world, held, SAME));
        await queueMore(world, [{}]);
        const third = await claimOne(world, worker);
        const outcomes = [
          await outcome(world, second, SAME),
          await outcome(world, third, { ...RETRY, delayMs: 60_000 }),
        ];
        expect((await tick(world.here, worker, outcomes)).disputed).toEqual([named(second)]);
        expect(await world.filing(third.filing.id)).toMatchObject({ status: 'pending' });
      });

      it('on another lane are recorded: portals number their receipts alike', async () => {
        const other = laneCode('US-CA');
        await world.addLane({ code: other, ceiling: 2, longestServiceMs: 1_000 });
        await record(world, await outcome(world, held, SAME));
        await queueMore(world, [{ lane: other }]);
        const { claims } = await world.here.delivery.tick({
          worker,
          outcomes: [],
          wants: [{ lane: other, count: 1 }],
          attemptIds: [attemptId(world.ids.next())],
        });
        const [elsewhere] = claims;
        if (elsewhere === undefined) throw new Error('expected one claim');
        const answer = await tick(world.here, worker, [await outcome(world, elsewhere, SAME)]);
        expect(answer.disputed).toEqual([]);
      });
    });

    it('change nothing when the same tick comes twice', async () => {
      const again = await outcome(world, held, { ...RETRY, delayMs: 60_000 });
      await record(world, again);
      const [after, waiting] = [await world.filing(held.filing.id), await world.waiting()];
      await record(world, again);
      expect(await world.filing(held.filing.id)).toEqual(after);
      expect(await world.waiting()).toBe(waiting);
      expect(await world.outcomes(held.filing.id)).toMatchObject([{ no: 1, counted: true }]);
    });

    it('change nothing when the same tick comes again after the next claim', async () => {
      const again = await outcome(world, held, RETRY);
      await record(world, again);
      const next = await claimOne(world, worker);
      await record(world, again);
      expect(await world.filing(held.filing.id)).toMatchObject({ attempt: 2, holder: worker });
      await record(world, await outcome(world, next, ACCEPTED));
      expect(await world.filing(held.filing.id)).toMatchObject({ status: 'accepted' });
    });

    it('change nothing when the same tick comes again after the filing was taken as late', async () => {
      const [id] = await queueMore(world, [{ lastSafeInMs: 2_000 }]);
      const urgent = await claimOne(world, worker);
      expect(urgent.filing.id).toBe(id);
      const step = askStep(await world.now());
      const unknown = await outcome(world, urgent, { to: 'submitted', step });
      await record(world, unknown);
      await world.advance(2_001);
      const [late] = await world.here.delivery.takeLate(worker, 9);
      if (late === undefined) throw new Error('expected a late filing');
      await record(world, unknown);
      expect(await world.filing(urgent.filing.id)).toMatchObject({ holder: worker });
      await record(world, await outcome(world, late, { to: 'fallout' }));
      expect(await world.filing(urgent.filing.id)).toMatchObject({ status: 'fallout' });
    });

    it('keep a filing from being claimed before its delay is over', async () => {
      await record(world, await outcome(world, held, { ...RETRY, delayMs: 60_000 }));
      expect(await claim(world, worker, 1)).toEqual([]);
      await world.advance(60_000);
      expect(await claim(world, await register(world), 1)).toHaveLength(1);
    });

    it('of a stale worker are evidence alone', async () => {
      await world.advance(LEASE_MS + 1);
      const heir = await register(world);
      const [taken] = await world.here.delivery.takeOrphans(heir, 1);
      const [before, waiting] = [await world.filing(held.filing.id), await world.waiting()];
      await record(world, await outcome(world, held, ACCEPTED));
      expect(await world.filing(held.filing.id)).toEqual(before);
      expect(await world.waiting()).toBe(waiting);
      expect(await world.outbox()).toEqual([]);
      expect(await world.outcomes(held.filing.id)).toMatchObject([
        { no: 1, holder: worker, verdict: 'accepted', counted: false },
      ]);
      // The heir's own outcome counts beside it.
      if (taken === undefined) throw new Error('expected an orphan');
      const step = askStep(await world.now());
      await record(world, await outcome(world, taken, { to: 'submitted', step }));
      const kept = await world.outcomes(held.filing.id);
      expect(kept.filter((row) => row.counted)).toMatchObject([{ holder: heir }]);
      expect(await world.here.delivery.history(held.filing.id)).toMatchObject([
        { attempt: 1, outcome: { verdict: 'submitted' } },
      ]);
    });

    it('of a former holder are evidence alone, also beside the present one in the same tick', async () => {
      await world.here.delivery.endWorker(worker);
      const heir = await register(world);
      const [taken] = await world.here.delivery.takeOrphans(heir, 1);
      if (taken === undefined) throw new Error('expected an orphan');
      const [stale, present] = [
        await outcome(world, held, ACCEPTED),
        await outcome(world, taken, RETRY),
      ];
      await record(world, stale, present);
      expect(await world.filing(held.filing.id)).toMatchObject({ status: 'pending', attempt: 1 });
      const kept = await world.outcomes(held.filing.id);
      expect(kept.find((row) => row.holder === worker)).toMatchObject({ counted: false });
      expect(kept.find((row) => row.holder === heir)).toMatchObject({ counted: true });
    });

    it('of a worker whose lease ran out still count while nobody has taken its claim', async () => {
      await world.advance(LEASE_MS + 1);
      await record(world, await outcome(world, held, ACCEPTED));
      expect(await world.filing(held.filing.id)).toMatchObject({ status: 'accepted' });
    });

    it('that leave automation put the envelope into the log before the change', async () => {
      await record(world, await outcome(world, held, { to: 'fallout' }));
      expect(await world.exceptions(held.filing.id)).toMatchObject([{ n: 1, reason: 'CODE' }]);
      await sequenceAll(world);
      const entries = (await world.entries()).map((bytes) => parseEntry(bytes)).slice(-2);
      expect(entries).toMatchObject([
        { type: 'dlq.enveloped', subj: { kind: 'exception', id: held.filing.id, ver: 1 } },
        { type: 'filing.outcome', data: { to: 'fallout' } },
      ]);
    });

    it('keep the sealed exchange readable in the history', async () => {
      await record(world, await outcome(world, held, { to: 'rejected' }));
      const [attempt] = await world.here.delivery.history(held.filing.id);
      const sealed = attempt?.outcome?.sealed;
      if (sealed === undefined) throw new Error('expected a sealed exchange');
      expect(Buffer.from(world.vault.open(sealed)).toString()).toBe('{"status":200}');
    });

    it('of an illegal change are refused as a whole', async () => {
      const bare = { ...(await outcome(world, held, ACCEPTED)), receipt: undefined };
      await expect(record(world, bare)).rejects.toThrow();
      const illegal = { ...(await outcome(world, held, RETRY)), next: undefined };
      await expect(record(world, illegal)).rejects.toThrow();
      expect(await world.filing(held.filing.id)).toMatchObject({
        status: 'submitted',
        holder: worker,
      });
      expect(await world.outcomes(held.filing.id)).toEqual([]);
    });
  });
}
