/**
 * A way out of a mistake, over a real database. The adversaries: a preparer who changes what another has looked at, an insider with
 * SQL, a claim at the same moment, and a second filing for one obligation.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  approveCancel,
  cancelBatch,
  refuseBatch,
  refuseCancel,
  withdrawFromBatch,
} from '../../src/filings/acts/batch-changes.ts';
import { correctInBatch } from '../../src/filings/acts/batch-correct.ts';
import { answerAboutBatch, askAboutBatch } from '../../src/filings/acts/batch-questions.ts';
import { approvalTerms } from '../../src/filings/acts/approvals.ts';
import { approve, importFile, listBatches, proposeAgain } from '../../src/filings/acts/batches.ts';
import { takeFiling } from '../../src/filings/acts/hand.ts';
import type { BatchId } from '../../src/core/ids.ts';
import { listFilings } from '../../src/filings/store/filings.ts';
import { verifyLedger } from '../../src/oversight/acts/audit.ts';
import { HandWorld } from '../hand/world.ts';
import { OPERATOR } from '../operator.ts';

let world: HandWorld;
beforeAll(async () => {
  world = await HandWorld.make();
  await world.lane();
}, 60_000);
afterAll(() => world?.close());

const reason = 'the fee was typed from last year';
const REFUSED = { code: 'REFUSED_BY_RULE' };
const year = new Date().getUTCFullYear() + 2;
const HEADER =
  'jurisdiction,registry_number,entity_name,filing_kind,period,due,entity_id,fee,signatory';

let n = 5_000;
let file: string;
const row = (number: number, fee = '225.00', due = `${year}-03-01`) =>
  `US-NV,N${number},Entity ${number},annual_list,${year},${due},E-${number},${fee},Paula Signer`;

/** Three rows of their own. */
async function imported(
  rows: readonly string[],
  more: { dryRun?: boolean; correct?: string } = {},
): Promise<Awaited<ReturnType<typeof importFile>>> {
  await writeFile(file, `${[HEADER, ...rows].join('\n')}\n`);
  return importFile(world.app, world.paula, { path: file, dryRun: false, ...more });
}

async function three(): Promise<{ batch: BatchId; first: number; ids: readonly string[] }> {
  const first = n;
  n += 3;
  const { batch } = await imported([row(first), row(first + 1), row(first + 2)]);
  if (batch === undefined) throw new Error('expected a batch');
  const filings = await listFilings(world.app.session, world.app.tenant, { batch, limit: 10 });
  const inOrder = filings.toSorted((a, b) => (a.entityId < b.entityId ? -1 : 1));
  return { batch, first, ids: inOrder.map(({ id }) => id) };
}

async function stateOf(batch: BatchId) {
  const found = (await listBatches(world.app, world.paula, 1_000)).find(({ id }) => id === batch);
  if (found === undefined) throw new Error('expected the batch');
  return found;
}

const statuses = async (ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await world.filing(id)).status));

async function expectSound(): Promise<void> {
  const report = await verifyLedger(world.app, OPERATOR, { bodies: true, rows: true });
  const broken = report.logs.filter(({ ok }) => !ok);
  expect([broken, report.rows?.shown, report.problems]).toEqual([[], [], []]);
}

beforeEach(() => {
  file = join(world.folder, `rows-${n}.csv`);
});

describe('an import that nobody has approved', () => {
  it('is undone by its preparer: nothing is open, and the same rows can come again', async () => {
    const { batch, first, ids } = await three();
    await expect(cancelBatch(world.app, world.arthur, { batch, reason })).rejects.toMatchObject(
      REFUSED,
    );
    const done = await cancelBatch(world.app, world.paula, { batch, reason });
    expect(done).toEqual({ kind: 'undone', withdrawn: 3 });
    expect((await stateOf(batch)).state).toBe('cancelled');
    expect(await statuses(ids)).toEqual(['rejected', 'rejected', 'rejected']);
    await expect(approve(world.app, world.arthur, batch)).rejects.toMatchObject(REFUSED);
    await expect(proposeAgain(world.app, world.paula, batch)).rejects.toMatchObject(REFUSED);
    const again = await imported([row(first), row(first + 1), row(first + 2, '230.00')]);
    expect(again).toMatchObject({ created: 3, changed: 0 });
    await expectSound();
  });

  it('is changed by a withdrawal: another hash, and an approval of the former is none', async () => {
    const { batch, ids } = await three();
    const before = await stateOf(batch);
    const seen = await approvalTerms(world.app, world.arthur, batch);
    const one = { filings: [String(ids[0])], reason };
    await expect(withdrawFromBatch(world.app, world.arthur, one)).rejects.toMatchObject(REFUSED);
    const { changed } = await withdrawFromBatch(world.app, world.paula, one);
    expect(changed).toMatchObject({ state: 'frozen', count: 2 });
    const after = await stateOf(batch);
    expect(after.sha256).not.toBe(before.sha256);
    // Who looked before the change names the former hash, or none: neither approves what they never saw.
    const former = { sha256: seen.sha256 };
    await expect(approve(world.app, world.arthur, batch, former)).rejects.toMatchObject({
      code: 'APPROVAL_MISMATCH',
    });
    await expect(approve(world.app, world.arthur, batch)).rejects.toMatchObject({
      code: 'APPROVAL_MISMATCH',
    });
    await approve(world.app, world.arthur, batch, { sha256: String(after.sha256) });
    expect((await stateOf(batch)).state).toBe('approved');
    expect(await statuses(ids)).toEqual(['rejected', 'pending', 'pending']);
    await expectSound();
  });

  it('is corrected field by field: another filing in the same place, never two open ones', async () => {
    const { batch, first, ids } = await three();
    const edits = [{ at: 'entity_name', value: 'Entity Corrected' }];
    const done = await correctInBatch(world.app, world.paula, {
      filing: String(ids[1]),
      edits,
      reason,
    });
    expect(done).toMatchObject({ batch, former: ids[1], count: 3 });
    expect(done.changes).toEqual([
      { field: 'entity_name', old: `Entity ${first + 1}`, new: 'Entity Corrected' },
    ]);
    const [old, fresh] = [await world.filing(String(ids[1])), await world.filing(done.filing)];
    expect([old.status, old.code, fresh.status]).toEqual(['rejected', 'WITHDRAWN', 'pending']);
    expect(fresh.key).toBe(old.key);
    await expect(
      correctInBatch(world.app, world.paula, { filing: String(ids[1]), edits, reason }),
    ).rejects.toMatchObject(REFUSED);
    const open = await world.sql(
      `select count(*)::int as n from envelope where not withdrawn and key = $1`,
      [old.key],
    );
    expect(open).toEqual([{ n: 1 }]);
    await expectSound();
  });

  it('is corrected by importing its corrected rows, which a dry run offers with the fields', async () => {
    const { batch, first } = await three();
    const rows = [row(first), row(first + 1, '250.00'), row(first + 2, '225.00', `${year}-02-28`)];
    const would = await imported(rows, { dryRun: true });
    expect(would).toMatchObject({ changed: 2, corrected: 0 });
    expect(would.errors[0]?.why).toContain('22500 → 25000');
    expect(would.errors[0]?.why).toContain(batch);
    expect(would.errors[0]?.why).toContain('import the file with --correct');
    expect(await imported(rows, { dryRun: true, correct: reason })).toMatchObject({
      changed: 2,
      corrected: 2,
      errors: [],
    });
    const done = await imported(rows, { correct: reason });
    expect(done).toMatchObject({ created: 0, changed: 2, corrected: 2, batch: undefined });
    const terms = await approvalTerms(world.app, world.arthur, batch);
    expect(terms.count).toBe(3);
    expect(terms.fees.reduce((sum, { cents }) => sum + cents, 0)).toBe(22_500 * 2 + 25_000);
    expect(await imported(rows, { correct: reason })).toMatchObject({ unchanged: 3, corrected: 0 });
    await expectSound();
  });
});

describe('a second person', () => {
  it('refuses a batch with a reason; it comes back corrected, and is approved as it is then', async () => {
    const { batch, ids } = await three();
    await refuseBatch(world.app, world.arthur, { batch, reason });
    await expect(approve(world.app, world.arthur, batch)).rejects.toMatchObject(REFUSED);
    const [alert] = await world.sql(
      `select text from alert where kind = 'batch_refused' and subject = $1`,
      [`batch ${batch}`],
    );
    expect(alert?.['text']).toContain(reason);
    const edits = [{ at: 'entity_name', value: 'Entity Corrected' }];
    const { sha256 } = await correctInBatch(world.app, world.paula, {
      filing: String(ids[0]),
      edits,
      reason,
    });
    await approve(world.app, world.arthur, batch, { sha256 });
    expect((await stateOf(batch)).approvedBy).toBe('Arthur Approver');
    await expectSound();
  });

  it('and the same batch can be proposed again with an answer', async () => {
    const { batch } = await three();
    await refuseBatch(world.app, world.arthur, { batch, reason });
    await proposeAgain(world.app, world.paula, batch, 'the fee is the one of this year');
    await approve(world.app, world.arthur, batch);
    await expectSound();
  });

  it('approves a part: the rest is never sent under that approval', async () => {
    const { batch, first, ids } = await three();
    const held = String(ids[2]);
    const without = { filings: [held], reason };
    const terms = await approve(world.app, world.arthur, batch, {}, 30, without);
    expect(terms.fees.reduce((sum, { filings }) => sum + filings, 0)).toBe(2);
    const queued = await world.sql(
      `select f.id from filing f join envelope e on e.id = f.id where e.batch = $1 and f.next_at is not null order by 1`,
      [batch],
    );
    expect(new Set(queued.map(({ id }) => id))).toEqual(new Set([ids[0], ids[1]]));
    await expect(
      world.sql(`update filing set next_at = now() where id = $1`, [held]),
    ).rejects.toMatchObject({ constraint: 'filing_approved' });
    await expect(takeFiling(world.app, world.paula, { name: held })).rejects.toMatchObject(REFUSED);
    const would = await imported([row(first, '250.00'), row(first + 2, '250.00')], {
      dryRun: true,
    });
    expect(
      would.errors.map(({ why }) => /stop the batch with batch cancel|held back/.exec(why)?.[0]),
    ).toEqual(['stop the batch with batch cancel', 'held back']);
    // Withdrawn by its preparer alone, and imported corrected; what was approved is not.
    const others = { filings: [String(ids[0])], reason };
    await expect(withdrawFromBatch(world.app, world.paula, others)).rejects.toMatchObject(REFUSED);
    await withdrawFromBatch(world.app, world.paula, { filings: [held], reason });
    const again = await imported([row(first + 2, '250.00')]);
    expect(again).toMatchObject({ created: 1, errors: [] });
    await expectSound();
  });

  it('or proposes it again with an answer, to be approved by itself', async () => {
    const { batch, ids } = await three();
    const without = { filings: [String(ids[0])], reason };
    await approve(world.app, world.arthur, batch, {}, 30, without);
    const proposed = await proposeAgain(
      world.app,
      world.paula,
      batch,
      'the fee is right after all',
    );
    expect(proposed).toMatchObject({ kind: 'release', count: 1 });
    await approve(world.app, world.arthur, batch);
    const taken = await takeFiling(world.app, world.paula, { name: String(ids[0]) });
    expect(taken?.filing.status).toBe('submitted');
    await expectSound();
  });

  it('asks first: nobody else approves past the question, in SQL neither', async () => {
    const { batch, ids } = await three();
    const cara = await world.third('Cara Approver');
    const question = 'is the fee of the first one right?';
    const { n: number } = await askAboutBatch(world.app, cara, {
      batch,
      filing: String(ids[0]),
      question,
    });
    await expect(approve(world.app, world.arthur, batch)).rejects.toMatchObject({
      ...REFUSED,
      message: expect.stringContaining(question) as string,
    });
    await answerAboutBatch(world.app, world.paula, {
      batch,
      n: number,
      answer: 'yes, since July 1',
    });
    await expect(
      answerAboutBatch(world.app, world.paula, { batch, n: number, answer: 'no, not at all' }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await approve(world.app, world.arthur, batch);
    await expectSound();
  });
});

describe('a batch that two people have approved', () => {
  it('waits from the moment that one of them stops it, and goes only with another', async () => {
    const { batch, ids } = await three();
    await approve(world.app, world.arthur, batch);
    const stopped = await cancelBatch(world.app, world.paula, { batch, reason });
    expect(stopped).toMatchObject({ kind: 'stopped', count: 3, claimed: 0 });
    if (stopped.kind !== 'stopped') throw new Error('expected it to be stopped');
    await expect(takeFiling(world.app, world.arthur, { name: String(ids[0]) })).rejects.toThrow();
    const approval = { batch, expectHash: stopped.sha256 };
    await expect(approveCancel(world.app, world.paula, approval)).rejects.toMatchObject({
      code: 'SELF_APPROVAL',
    });
    await expect(
      approveCancel(world.app, world.arthur, { batch, expectHash: '0'.repeat(64) }),
    ).rejects.toMatchObject({ code: 'HASH_DIFFERS' });
    expect(await approveCancel(world.app, world.arthur, approval)).toEqual({
      withdrawn: 3,
      left: 0,
    });
    expect((await stateOf(batch)).state).toBe('cancelled');
    expect(await statuses(ids)).toEqual(['rejected', 'rejected', 'rejected']);
    await expectSound();
  });

  it('keeps what was claimed before, and what is refused waits for a new approval', async () => {
    const { batch, ids } = await three();
    await approve(world.app, world.arthur, batch);
    await takeFiling(world.app, world.arthur, { name: String(ids[0]) });
    const stopped = await cancelBatch(world.app, world.paula, { batch, reason });
    expect(stopped).toMatchObject({ kind: 'stopped', count: 2, claimed: 1 });
    await refuseCancel(world.app, world.arthur, { batch, reason });
    await expect(takeFiling(world.app, world.paula, { name: String(ids[1]) })).rejects.toThrow();
    await proposeAgain(world.app, world.paula, batch, 'the fee was right after all');
    await approve(world.app, world.arthur, batch);
    await takeFiling(world.app, world.paula, { name: String(ids[1]) });
    await expectSound();
  });
});
