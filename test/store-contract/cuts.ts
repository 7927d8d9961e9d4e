import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attemptId } from '../../src/core/ids.ts';
import type { TickInput } from '../../src/core/ports.ts';
import { verifyEntries } from '../../src/ledger/verify.ts';
import { PostgresDeliveryStore } from '../../src/filings/store/delivery-store.ts';
import { PostgresIntakeStore } from '../../src/filings/store/intake-store.ts';
import { PostgresSequencer } from '../../src/ledger/store/sequencer.ts';
import { Session } from '../../src/postgres/session.ts';
import { type CuttingProxy, cuttingProxy } from '../fixtures/cutting-proxy.ts';
import type { FreshDatabase } from '../fixtures/database.ts';
import { type PostgresWorld, postgresWorld } from './postgres-world.ts';
import {
  ACCEPTED,
  claimOne,
  datesOf,
  LANE,
  newFiling,
  openBatch,
  outcome,
  queueFilings,
  register,
  sequenceAll,
} from './steps.ts';

const UNREACHABLE = { code: 'DATABASE_UNREACHABLE' };

export function cutsContract(database: () => FreshDatabase): void {
  describe('a connection that is cut', () => {
    let world: PostgresWorld;
    let proxy: CuttingProxy;
    let store: PostgresDeliveryStore;
    let session: Session;
    beforeEach(async () => {
      world = await postgresWorld(database());
      proxy = await cuttingProxy(database().target);
      const { schema } = database();
      const { target } = proxy;
      store = new PostgresDeliveryStore({ target, schema, tenant: world.tenant });
      session = new Session({ target, schema, name: 'cut' });
    });
    afterEach(async () => {
      await Promise.all([store.close(), session.close()]);
      await proxy.close();
      await world.close();
    });

    const wanting = async (count: number): Promise<TickInput> => ({
      worker: await register(world),
      outcomes: [],
      wants: [{ lane: LANE, count }],
      attemptIds: Array.from({ length: count }, () => attemptId(world.ids.next())),
    });

    it('after a tick has committed leaves its claims to be adopted, each with one intent', async () => {
      const ids = await queueFilings(world, [{}, {}, {}]);
      const input = await wanting(2);
      proxy.loseAnswerOf('tick');
      await expect(store.tick(input)).rejects.toMatchObject(UNREACHABLE);
      expect(proxy.cuts()).toBe(1);
      const adopted = await store.adopt(input.worker, []);
      expect(adopted).toHaveLength(2);
      for (const held of adopted) {
        expect(input.attemptIds).toContain(held.attempt);
        expect(await store.history(held.filing.id)).toHaveLength(1);
      }
      // The same tick again takes what is left, and nothing that is already held.
      const { claims: rest } = await store.tick(await wantingAgain(input));
      expect([...adopted, ...rest].map((held) => held.filing.id).toSorted()).toEqual(
        ids.toSorted(),
      );
      await sequenceAll(world);
      expect(
        await verifyEntries(await world.entries(), { origin: world.origin, states: true }),
      ).toMatchObject({ ok: true });
    });

    it('before a tick has arrived leaves nothing behind', async () => {
      await queueFilings(world, [{}]);
      const input = await wanting(1);
      proxy.loseRequestOf('tick');
      await expect(store.tick(input)).rejects.toMatchObject(UNREACHABLE);
      expect(proxy.cuts()).toBe(1);
      expect(await store.adopt(input.worker, [])).toEqual([]);
      expect((await store.tick(input)).claims).toHaveLength(1);
    });

    it('after outcomes have committed lets the same tick come again without a second effect', async () => {
      await queueFilings(world, [{}]);
      const worker = await register(world);
      const held = await claimOne(world, worker);
      const accepted = await outcome(world, held, ACCEPTED);
      const input = { worker, outcomes: [accepted], wants: [], attemptIds: [] };
      proxy.loseAnswerOf('tick');
      await expect(store.tick(input)).rejects.toMatchObject(UNREACHABLE);
      // Its own receipt is no other filing's.
      expect(await store.tick(input)).toEqual({ claims: [], disputed: [] });
      expect(proxy.cuts()).toBe(1);
      expect(await world.outbox()).toEqual([held.filing.id]);
      expect(await world.outcomes(held.filing.id)).toHaveLength(1);
      await sequenceAll(world);
      expect(
        await verifyEntries(await world.entries(), { origin: world.origin, states: true }),
      ).toMatchObject({ ok: true });
    });

    it('in the commit of the sequencer neither forks the log nor loses an entry', async () => {
      await queueFilings(world, [{}, {}]);
      const { tenant } = world;
      const sequencer = new PostgresSequencer({ session, tenant, instance: 'ledger.example.org' });
      const waiting = await world.waiting();
      proxy.loseAnswerOf('commit');
      await expect(sequencer.sequence(3)).rejects.toMatchObject(UNREACHABLE);
      expect(proxy.cuts()).toBe(1);
      expect(await world.waiting()).toBe(waiting - 3);
      while ((await sequencer.sequence(3)) > 0);
      expect(await world.entries()).toHaveLength(waiting);
      expect(
        await verifyEntries(await world.entries(), { origin: world.origin, states: true }),
      ).toMatchObject({ ok: true });
    });

    it('in the commit of an import lets it come again and find itself', async () => {
      await world.addLane({ code: LANE, ceiling: 1, longestServiceMs: 1_000 });
      const filing = await newFiling(world, await openBatch(world));
      const intake = new PostgresIntakeStore(session, world.tenant);
      proxy.loseAnswerOf('commit');
      await expect(intake.admit([filing])).rejects.toMatchObject(UNREACHABLE);
      expect(proxy.cuts()).toBe(1);
      expect(await intake.admit([filing])).toEqual([
        {
          kind: 'unchanged',
          filing: filing.envelope.id,
          dates: datesOf(filing),
          openIn: filing.envelope.batch,
        },
      ]);
    });

    it('in the middle of a transaction undoes it, and the rest is not run on a new one', async () => {
      const insert = (code: string) => ({
        name: '',
        text: `insert into lane (tenant, code, profile, ceiling, state, longest_service_ms, effect, origin)
          values ('${world.tenant}', '${code}', '{}', 1, '{}', 1, 'filing', 'https://portal.example.org')`,
      });
      const work = session.transaction(async (run) => {
        await run(insert('US-AA'));
        const [row] = await run({ name: '', text: 'select pg_backend_pid() as pid' });
        await world.admin.run({ name: '', text: 'select pg_terminate_backend($1)' }, [
          row?.['pid'],
        ]);
        await isGone(Number(row?.['pid']));
        await run(insert('US-BB'));
      });
      await expect(work).rejects.toMatchObject(UNREACHABLE);
      const count = { name: '', text: 'select count(*) as n from lane where tenant = $1' };
      expect(await session.run(count, [world.tenant])).toEqual([{ n: '0' }]);
    });

    async function wantingAgain(input: TickInput): Promise<TickInput> {
      const attemptIds = input.attemptIds.map(() => attemptId(world.ids.next()));
      return { ...input, attemptIds };
    }

    async function isGone(pid: number): Promise<void> {
      const text = 'select 1 from pg_stat_activity where pid = $1';
      while ((await world.admin.run({ name: '', text }, [pid])).length > 0);
    }
  });
}
