import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addMs } from '../../src/core/time.ts';
import { attemptId, laneCode } from '../../src/core/ids.ts';
import type { Filing } from '../../src/core/filing.ts';
import { parseEntry } from '../../src/ledger/entry-chain.ts';
import {
  askStep,
  claim,
  claimOne,
  fact,
  HOUR_MS,
  LANE,
  newFiling,
  openBatch,
  outcome,
  queueFilings,
  record,
  register,
  RETRY,
  sequenceAll,
} from './steps.ts';
import { LEASE_MS, type OpenWorld, type World } from './world.ts';

export function claimsContract(open: OpenWorld): void {
  describe('claims', () => {
    let world: World;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.close());

    it('come in the order of the last safe moment', async () => {
      const [late, early, middle] = await queueFilings(world, [
        { lastSafeInMs: 3 * HOUR_MS },
        { lastSafeInMs: HOUR_MS },
        { lastSafeInMs: 2 * HOUR_MS },
      ]);
      const worker = await register(world);
      const first = await claim(world, worker, 2);
      expect(first.map((held) => held.filing.id)).toEqual([early, middle]);
      expect((await claim(world, worker, 2)).map((held) => held.filing.id)).toEqual([late]);
      expect(await claim(world, worker, 2)).toEqual([]);
    });

    it('go on behind a filing when asked to, and never hand out what lies before it', async () => {
      const ids = await queueFilings(world, [
        { lastSafeInMs: HOUR_MS },
        { lastSafeInMs: 2 * HOUR_MS },
        { lastSafeInMs: 3 * HOUR_MS },
      ]);
      const worker = await register(world);
      const ask = async (after?: Filing) =>
        (
          await world.here.delivery.tick({
            worker,
            outcomes: [],
            wants: [{ lane: LANE, count: 1, ...(after === undefined ? {} : { after }) }],
            attemptIds: [attemptId(world.ids.next())],
          })
        ).claims.map((held) => held.filing);
      const [first] = await ask();
      const [second] = await ask(first);
      expect([first?.id, second?.id]).toEqual([ids[0], ids[1]]);
      const [third] = await ask(second);
      expect(third?.id).toBe(ids[2]);
      expect(await ask(third)).toEqual([]);
    });

    it('carry the filing, its intent and its sealed payload', async () => {
      const [id] = await queueFilings(world, [{ payload: '{"amount":12}' }]);
      const worker = await register(world);
      const attempt = attemptId(world.ids.next());
      const { claims } = await world.here.delivery.tick({
        worker,
        outcomes: [],
        wants: [{ lane: LANE, count: 1 }],
        attemptIds: [attempt, attemptId(world.ids.next())],
      });
      const [held] = claims;
      expect(held).toMatchObject({
        worker,
        attempt,
        reason: 'turn',
        filing: {
          id,
          status: 'submitted',
          attempt: 1,
          step: { action: 'send' },
          holder: worker,
          failures: 0,
          failingSince: undefined,
        },
      });
      if (held === undefined) throw new Error('expected a claim');
      expect(Buffer.from(world.vault.open(held.payload)).toString()).toBe('{"amount":12}');
      expect(await world.filing(held.filing.id)).toMatchObject({
        status: 'submitted',
        attempt: 1,
        holder: worker,
        isQueued: false,
      });
    });

    it('commit the intent with the claim: an attempt and a ledger entry before anything is sent', async () => {
      const [id] = await queueFilings(world, [{}]);
      const worker = await register(world);
      const held = await claimOne(world, worker);
      const history = await world.here.delivery.history(held.filing.id);
      expect(history).toMatchObject([
        { attempt: 1, id: held.attempt, action: 'send', outcome: undefined },
      ]);
      await sequenceAll(world);
      const last = parseEntry((await world.entries()).at(-1) ?? new Uint8Array());
      expect(last).toMatchObject({
        id: held.attempt,
        type: 'filing.intent',
        subj: { kind: 'filing', id, ver: 2 },
        actor: { kind: 'service', id: `worker/${worker}` },
        data: {
          from: 'pending',
          to: 'submitted',
          action: 'send',
          attempt: 1,
          lane: LANE,
          key: held.filing.key,
          payload_sha256: held.filing.payloadSha256,
        },
      });
    });

    it('are no more than the attempt ids given', async () => {
      await queueFilings(world, [{}, {}, {}]);
      const { claims } = await world.here.delivery.tick({
        worker: await register(world),
        outcomes: [],
        wants: [{ lane: LANE, count: 3 }],
        attemptIds: [attemptId(world.ids.next()), attemptId(world.ids.next())],
      });
      expect(claims).toHaveLength(2);
      expect(new Set(claims.map((held) => held.attempt)).size).toBe(2);
    });

    it('stay within their lane', async () => {
      const other = laneCode('US-CA');
      await world.addLane({ code: other, ceiling: 2, longestServiceMs: 1_000 });
      const [, inOther] = await queueFilings(world, [{}, { lane: other }]);
      const { claims } = await world.here.delivery.tick({
        worker: await register(world),
        outcomes: [],
        wants: [{ lane: other, count: 2 }],
        attemptIds: [attemptId(world.ids.next()), attemptId(world.ids.next())],
      });
      expect(claims.map((held) => held.filing.id)).toEqual([inOther]);
    });

    it('never go to two workers at once', async () => {
      const ids = await queueFilings(
        world,
        Array.from({ length: 12 }, () => ({})),
      );
      const [one, two] = [await register(world), await register(world)];
      const tick = (worker: typeof one, ports: World['here']) =>
        ports.delivery.tick({
          worker,
          outcomes: [],
          wants: [{ lane: LANE, count: 4 }],
          attemptIds: Array.from({ length: 4 }, () => attemptId(world.ids.next())),
        });
      const claims = (
        await Promise.all([
          tick(one, world.here),
          tick(two, world.there),
          tick(one, world.here),
          tick(two, world.there),
        ])
      ).flatMap((answer) => answer.claims);
      const rest = await claim(world, one, 12);
      const all = [...claims, ...rest].map((held) => held.filing.id);
      expect(all.toSorted()).toEqual(ids.toSorted());
    });

    it('pass over what is not due yet', async () => {
      const [, ready] = await queueFilings(world, [
        { lastSafeInMs: HOUR_MS, notBeforeInMs: HOUR_MS / 2 },
        { lastSafeInMs: 2 * HOUR_MS },
      ]);
      const worker = await register(world);
      expect((await claim(world, worker, 2)).map((held) => held.filing.id)).toEqual([ready]);
    });

    it('pass over what is late', async () => {
      await queueFilings(world, [{ lastSafeInMs: 1_000 }]);
      await world.advance(1_001);
      expect(await claim(world, await register(world), 2)).toEqual([]);
    });

    it('are refused to a worker whose lease ran out, and to one that never was', async () => {
      const [id] = await queueFilings(world, [{}]);
      const dead = await register(world);
      await world.advance(LEASE_MS + 1);
      expect(await claim(world, dead, 1)).toEqual([]);
      const ended = await register(world);
      await world.here.delivery.endWorker(ended);
      expect(await claim(world, ended, 1)).toEqual([]);
      expect(id && (await world.filing(id)).status).toBe('pending');
    });

    it('stop while the lane is paused, and go on by themselves', async () => {
      await queueFilings(world, [{}]);
      const worker = await register(world);
      const [lane] = (await world.here.delivery.survey()).lanes;
      if (lane === undefined) throw new Error('no lane');
      const until = addMs(await world.now(), 2_000);
      await world.here.delivery.changeLane(
        lane,
        { ...lane, pause: { kind: 'until', until, reason: 'throttled' } },
        [],
      );
      expect(await claim(world, worker, 1)).toEqual([]);
      await world.advance(2_000);
      expect(await claim(world, worker, 1)).toHaveLength(1);
    });

    it('give each attempt the next number and keep the step', async () => {
      await queueFilings(world, [{}]);
      const worker = await register(world);
      const first = await claimOne(world, worker);
      const step = askStep(await world.now());
      await record(world, await outcome(world, first, { to: 'submitted', step }));
      const second = await claimOne(world, worker);
      expect(second.filing).toMatchObject({ attempt: 2, status: 'submitted', step });
      expect(second.attempt).not.toBe(first.attempt);
    });

    it('make no ledger entry for a question, since nothing is sent', async () => {
      await queueFilings(world, [{}]);
      const worker = await register(world);
      const first = await claimOne(world, worker);
      const step = askStep(await world.now());
      await record(world, await outcome(world, first, { to: 'submitted', step }));
      const before = await world.waiting();
      await claimOne(world, worker);
      expect(await world.waiting()).toBe(before);
    });

    it('do not take in one tick what its own outcomes queue again', async () => {
      await queueFilings(world, [{}]);
      const worker = await register(world);
      const first = await claimOne(world, worker);
      const again = await outcome(world, first, RETRY);
      expect(await claim(world, worker, 1, [again])).toEqual([]);
      expect(await claim(world, worker, 1)).toHaveLength(1);
    });

    it('wait for a second person', async () => {
      await world.addLane({ code: LANE, ceiling: 1, longestServiceMs: 1_000 });
      const batch = await openBatch(world);
      await world.here.intake.admit([await newFiling(world, batch)]);
      await world.here.intake.closeBatch(batch, fact(world, 'batch.closed'));
      const worker = await register(world);
      expect(await claim(world, worker, 1)).toEqual([]);
      await world.release(batch);
      expect(await claim(world, worker, 1)).toHaveLength(1);
    });
  });
}
