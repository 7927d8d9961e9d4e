/**
 * A stop or a withdrawal at the same moment as a claim, with a real worker's statement on connections of its own: exactly one of
 * the two has each filing. And an insider with SQL, who finds each guard closed.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cancelBatch, withdrawFromBatch } from '../../src/filings/acts/batch-changes.ts';
import { approve, importFile } from '../../src/filings/acts/batches.ts';
import { attemptId, type BatchId, laneCode } from '../../src/core/ids.ts';
import { addPortal } from '../../src/lanes/acts/lanes.ts';
import { verifyLedger } from '../../src/oversight/acts/audit.ts';
import { ensureEmbedded } from '../../src/postgres/embedded/ensure.ts';
import { Session } from '../../src/postgres/session.ts';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';
import { Claimer } from '../claims/claims.ts';
import { csv, row } from '../cli/rows.ts';
import { HandWorld } from '../hand/world.ts';
import { OPERATOR } from '../operator.ts';
import { ACT_FOR } from '../people/firm.ts';

const ROUNDS = 8;
const FILINGS = 12;
const reason = 'the fee was typed from last year';

let world: HandWorld;
let claimer: Claimer;
let insider: Session;
let next = 1;

beforeAll(async () => {
  world = await HandWorld.make();
  await addPortal(world.app, world.paula, sampleProfile());
  const { connection } = await ensureEmbedded({ dataDirectory: join(world.folder, 'data') });
  claimer = new Claimer(connection, 'filewright', world.app.tenant);
  insider = new Session({ target: connection, schema: 'filewright', name: 'insider' });
}, 60_000);
afterAll(async () => {
  await claimer?.close();
  await insider?.close();
  await world?.close();
});

async function batchOf(count: number): Promise<{ batch: BatchId; ids: readonly string[] }> {
  const rows = Array.from({ length: count }, () => row(String(next++)));
  const path = join(world.folder, `race-${next}.csv`);
  await writeFile(path, csv(...rows));
  const { batch } = await importFile(world.app, world.paula, { path, dryRun: false });
  if (batch === undefined) throw new Error('expected a batch');
  const found = await world.sql('select id from envelope where batch = $1 order by id', [batch]);
  return { batch, ids: found.map(({ id }) => String(id)) };
}

/** What a worker does in one statement: takes up to `count` filings of the lane. */
async function claim(count: number): Promise<readonly string[]> {
  const worker = await claimer.worker();
  const attemptIds = Array.from({ length: count }, () => attemptId(world.app.ids.next()));
  const lane = laneCode('US-DE');
  const wants = [{ lane, count }];
  const answer = await claimer.delivery.tick({ worker, outcomes: [], wants, attemptIds });
  return answer.claims.map(({ filing }) => String(filing.id));
}

const standing = (batch: BatchId) =>
  world.sql(
    `select f.id, f.status, f.attempt, f.holder, f.next_at, e.withdrawn from envelope e join filing f on f.id = e.id
     where e.batch = $1 order by f.id`,
    [batch],
  );

describe('a claim and a stop at the same moment', () => {
  it('each filing is either on its way or stopped, never both', async () => {
    let [stoppedInAll, claimedInAll] = [0, 0];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { batch } = await batchOf(FILINGS);
      await approve(world.app, world.arthur, batch);
      const claims = [1, 2, 3].map(() => claim(2));
      const stop = cancelBatch(world.app, world.paula, { batch, reason });
      const [stopped, ...taken] = await Promise.all([stop, ...claims]);
      const claimed = new Set(taken.flat());
      const rows = await standing(batch);
      const out = rows.filter(({ attempt }) => attempt === 1);
      expect(new Set(out.map(({ id }) => String(id)))).toEqual(claimed);
      const waiting = rows.filter(({ attempt }) => attempt === 0);
      expect(waiting.every((one) => one['next_at'] === null && one['holder'] === null)).toBe(true);
      expect(stopped).toMatchObject({ kind: 'stopped', count: waiting.length });
      // Nothing more of it goes out, however often somebody asks.
      expect(await claim(FILINGS)).toEqual([]);
      stoppedInAll += waiting.length;
      claimedInAll += claimed.size;
    }
    expect(stoppedInAll + claimedInAll).toBe(ROUNDS * FILINGS);
    const report = await verifyLedger(world.app, OPERATOR, { bodies: false, rows: true });
    expect([report.ok, report.rows?.shown]).toEqual([true, []]);
  }, 60_000);
});

describe('two changes of a batch at the same moment', () => {
  it('an approval and a withdrawal: what is approved is what both people saw', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { batch, ids } = await batchOf(3);
      const both = await Promise.allSettled([
        approve(world.app, world.arthur, batch),
        withdrawFromBatch(world.app, world.paula, { filings: [ids[round % 3] ?? ''], reason }),
      ]);
      expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const rows = await standing(batch);
      const isApproved = both[0].status === 'fulfilled';
      expect(rows.filter(({ withdrawn }) => withdrawn)).toHaveLength(isApproved ? 0 : 1);
      expect(rows.filter((one) => one['next_at'] !== null)).toHaveLength(isApproved ? 3 : 0);
    }
  }, 60_000);
});

describe('an insider with SQL', () => {
  const as = (person: { readonly id: string }, text: string, values: readonly unknown[]) =>
    insider.transaction(async (run) => {
      await run({ name: '', text: `select set_config('fw.tenant', $1, true)` }, [world.app.tenant]);
      await run(ACT_FOR, [person.id]);
      return run({ name: '', text }, values);
    });
  const WITHDRAW = `insert into withdrawal (tenant, filing, by_person, reason, covered)
    values ($1, $2, $3, 'because somebody said so', false)`;

  it('withdraws nothing of a frozen or approved batch, nor in the name of another', async () => {
    const { tenant } = world.app;
    const { batch, ids } = await batchOf(2);
    const [id = ''] = ids;
    const tries = (by: { readonly id: string }, named = by) =>
      expect(as(by, WITHDRAW, [tenant, id, named.id])).rejects;
    await tries(world.paula).toMatchObject({ constraint: 'withdrawal_in_time' });
    await tries(world.arthur).toMatchObject({ constraint: 'withdrawal_in_time' });
    await tries(world.arthur, world.paula).toMatchObject({ constraint: 'acting_person' });
    // Back to open while it is proposed, or by another hand: neither.
    const reopen = `update batch set state = 'open', count = null, sha256 = null where tenant = $1 and id = $2`;
    for (const by of [world.paula, world.arthur]) {
      await expect(as(by, reopen, [tenant, batch])).rejects.toMatchObject({
        constraint: 'batch_back',
      });
    }
    await expect(
      as(world.paula, `update batch set state = 'cancelled' where tenant = $1 and id = $2`, [
        tenant,
        batch,
      ]),
    ).rejects.toThrow();
    await approve(world.app, world.arthur, batch);
    await tries(world.paula).toMatchObject({ constraint: 'withdrawal_in_time' });
    for (const text of [
      `update filing set status = 'rejected', step = null, next_at = null where tenant = $1 and id = $2`,
      `update envelope set withdrawn = true where tenant = $1 and id = $2`,
      `insert into held_back (tenant, filing, batch, by_person, reason) select $1, $2::uuid, batch, '${world.arthur.id}', 'because somebody said so' from envelope where id = $2::uuid`,
    ]) {
      await expect(as(world.arthur, text, [tenant, id])).rejects.toMatchObject({ code: '23001' });
    }
  });

  it('lets nothing come back that was withdrawn, and writes no second filing for an obligation', async () => {
    const { tenant } = world.app;
    const { batch, ids } = await batchOf(2);
    const [id = '', other = ''] = ids;
    await withdrawFromBatch(world.app, world.paula, { filings: [id], reason });
    for (const text of [
      `update filing set status = 'pending', step = '{"action":"send"}', next_at = now() where tenant = $1 and id = $2`,
      `update envelope set withdrawn = false where tenant = $1 and id = $2`,
      `delete from withdrawal where tenant = $1 and filing = $2`,
      `update withdrawal set reason = 'another one altogether' where tenant = $1 and filing = $2`,
    ]) {
      await expect(as(world.paula, text, [tenant, id])).rejects.toMatchObject({ code: '23001' });
    }
    await expect(
      as(
        world.paula,
        `insert into envelope select (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid()))).* from envelope e
         where e.tenant = $1 and e.id = $2`,
        [tenant, other],
      ),
    ).rejects.toThrow();
    expect(await standing(batch)).toHaveLength(2);
  });

  it('nobody approves past a question of another', async () => {
    const { tenant } = world.app;
    const { batch } = await batchOf(1);
    const { askAboutBatch } = await import('../../src/filings/acts/batch-questions.ts');
    const cara = await world.third('Cara Approver');
    await askAboutBatch(world.app, cara, { batch, question: 'is the fee the one of this year?' });
    const decide = `update proposal set state = 'approved', decided_by = '${world.arthur.id}', decided_at = now(),
      valid_until = now() + interval '1 day' where tenant = $1 and kind = 'batch' and subject = $2::text`;
    const tried = insider.transaction(async (run) => {
      await run({ name: '', text: `select set_config('fw.tenant', $1, true)` }, [tenant]);
      await run(ACT_FOR, [world.arthur.id]);
      await run({ name: '', text: decide }, [tenant, batch]);
      const text = `update batch set state = 'approved' where tenant = $1 and id = $2`;
      await run({ name: '', text }, [tenant, batch]);
    });
    await expect(tried).rejects.toMatchObject({ constraint: 'batch_agreed' });
  });
});
