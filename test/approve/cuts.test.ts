/**
 * The process dies, or its connection, at each statement of each act in turn. Afterwards the batch is as it was, everything verifies,
 * and the same act succeeds when it is done again.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Filewright } from '../../src/app.ts';
import {
  approveCancel,
  cancelBatch,
  refuseBatch,
  withdrawFromBatch,
} from '../../src/filings/acts/batch-changes.ts';
import { correctInBatch } from '../../src/filings/acts/batch-correct.ts';
import { approve, importFile } from '../../src/filings/acts/batches.ts';
import type { BatchId } from '../../src/core/ids.ts';
import { verifyLedger } from '../../src/oversight/acts/audit.ts';
import type { Run } from '../../src/postgres/session.ts';
import { HandWorld } from '../hand/world.ts';
import { OPERATOR } from '../operator.ts';

const YEAR = new Date().getUTCFullYear() + 2;
const HEADER =
  'jurisdiction,registry_number,entity_name,filing_kind,period,due,entity_id,fee,signatory';
const reason = 'the fee was typed from last year';
const STATEMENTS_MAX = 60;

let world: HandWorld;
let n = 1;
beforeAll(async () => {
  world = await HandWorld.make();
  await world.lane();
}, 60_000);
afterAll(() => world?.close());

async function imported(): Promise<{ batch: BatchId; ids: readonly string[] }> {
  const rows = [n, n + 1, n + 2].map(
    (at) =>
      `US-NV,N${at},Entity ${at},annual_list,${YEAR},${YEAR}-03-01,E-${at},225.00,Paula Signer`,
  );
  n += 3;
  const path = join(world.folder, `cut-${n}.csv`);
  await writeFile(path, `${[HEADER, ...rows].join('\n')}\n`);
  const { batch } = await importFile(world.app, world.paula, { path, dryRun: false });
  if (batch === undefined) throw new Error('expected a batch');
  const found = await world.sql('select id from envelope where batch = $1 order by id', [batch]);
  return { batch, ids: found.map(({ id }) => String(id)) };
}

/** The same installation, whose connection is ended by the server before its statement `at` within a transaction. */
function cutAt(at: number): { readonly app: Filewright; readonly wasCut: () => boolean } {
  let count = 0;
  let cut = false;
  const { session } = world.app;
  const transaction = <T>(work: (run: Run) => Promise<T>): Promise<T> =>
    session.transaction((run) =>
      work(async (statement, values) => {
        count += 1;
        if (count === at) {
          cut = true;
          await run({ name: '', text: 'select pg_terminate_backend(pg_backend_pid())' });
        }
        return run(statement, values);
      }),
    );
  const proxy = new Proxy(session, {
    get: (target, name) => {
      if (name === 'transaction') return transaction;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { app: { ...world.app, session: proxy }, wasCut: () => cut };
}

const standing = (batch: BatchId) =>
  world.sql(
    `select b.state, b.ver, encode(b.sha256, 'hex') as sha, (
       select jsonb_agg(jsonb_build_array(f.id, f.status, f.ver, f.next_at is null, e.withdrawn) order by f.id)
       from envelope e join filing f on f.id = e.id where e.batch = b.id) as filings, (
       select jsonb_agg(jsonb_build_array(p.kind, p.n, p.state) order by p.kind, p.n)
       from proposal p where p.subject = b.id::text) as proposals,
       (select count(*)::int from alert where subject = 'batch ' || b.id) as alerts
     from batch b where b.id = $1`,
    [batch],
  );

type Act = (app: Filewright) => Promise<unknown>;

async function cutEverywhere(batch: BatchId, act: Act): Promise<number> {
  const before = await standing(batch);
  for (let at = 1; at < STATEMENTS_MAX; at += 1) {
    const { app, wasCut } = cutAt(at);
    const done = await act(app).then(
      () => true,
      () => false,
    );
    if (!wasCut()) {
      expect(done).toBe(true);
      expect(await standing(batch)).not.toEqual(before);
      const report = await verifyLedger(world.app, OPERATOR, { bodies: false, rows: true });
      expect([report.ok, report.rows?.shown]).toEqual([true, []]);
      return at - 1;
    }
    expect(done, `statement ${at}`).toBe(false);
    expect(await standing(batch), `statement ${at}`).toEqual(before);
  }
  throw new Error('the act has more statements than are cut here');
}

describe('cut at each statement, all of it happens or nothing', () => {
  it('a withdrawal, a correction, and the undoing of an import', async () => {
    const { batch, ids } = await imported();
    const one = { filings: [ids[0] ?? ''], reason };
    expect(
      await cutEverywhere(batch, (app) => withdrawFromBatch(app, world.paula, one)),
    ).toBeGreaterThan(10);
    const edits = [{ at: 'entity_name', value: 'Entity Corrected' }];
    await cutEverywhere(batch, (app) =>
      correctInBatch(app, world.paula, { filing: ids[1] ?? '', edits, reason }),
    );
    await cutEverywhere(batch, (app) => cancelBatch(app, world.paula, { batch, reason }));
  }, 120_000);

  it('a refusal, and an approval of a part', async () => {
    const { batch } = await imported();
    await cutEverywhere(batch, (app) => refuseBatch(app, world.arthur, { batch, reason }));
    const other = await imported();
    const without = { filings: [other.ids[0] ?? ''], reason };
    await cutEverywhere(other.batch, (app) =>
      approve(app, world.arthur, other.batch, {}, 30, without),
    );
  }, 120_000);

  it('a stop, and its approval', async () => {
    const { batch } = await imported();
    await approve(world.app, world.arthur, batch);
    await cutEverywhere(batch, (app) => cancelBatch(app, world.paula, { batch, reason }));
    const [open] = await world.sql(
      `select encode(sha256, 'hex') as sha from proposal where kind = 'cancel' and subject = $1`,
      [batch],
    );
    const approval = { batch, expectHash: String(open?.['sha']) };
    await cutEverywhere(batch, (app) => approveCancel(app, world.arthur, approval));
  }, 120_000);
});
