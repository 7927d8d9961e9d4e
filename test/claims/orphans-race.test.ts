/** Who looks for orphans slowly takes none that a living worker took meanwhile. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Session } from '../../src/postgres/session.ts';
import { type FreshDatabase, freshDatabase } from '../fixtures/database.ts';
import { Claimer, CLAIMS } from './claims.ts';

const TENANT = 'race';
const PAUSE_S = 0.5;
const COUNT = 3;

let database: FreshDatabase;
let admin: Session;
beforeAll(async () => {
  database = await freshDatabase();
  admin = new Session({ ...database, name: 'admin' });
});
afterAll(async () => {
  await admin.close();
  await database.close();
});

it('a filing that a living worker took stays with it', async () => {
  const orphans = CLAIMS.find(({ name }) => name === 'filing-take-orphans');
  const run = (text: string, values: unknown[] = []): Promise<unknown> =>
    admin.run({ name: '', text }, values);
  await run(`insert into tenant (id, instance) values ($1, 'ledger.example.org')`, [TENANT]);
  for (const text of orphans?.seed ?? []) await run(text, [TENANT]);
  const claimer = (pause: number): Claimer => {
    const settings = { 'test.pause': String(pause) };
    return new Claimer({ ...database.target, settings }, database.schema, TENANT);
  };
  const [quick, slow] = [claimer(0), claimer(PAUSE_S)];
  const ids = { quick: await quick.worker(), slow: await slow.worker() };
  // Whoever looks at workers pauses between its view of the tables and its locks.
  await run('alter table worker rename to worker_table');
  await run(`create view worker as
    with pause as materialized (select pg_sleep(current_setting('test.pause')::float8))
    select w.* from worker_table w, pause`);

  // Registered only when the slow one has its view of the tables.
  const registered = (until: string): Promise<unknown> =>
    run(`update worker_table set expires_at = ${until} where id = $1`, [ids.quick]);
  await registered(`'-infinity'`);
  const late = slow.delivery.takeOrphans(ids.slow, COUNT);
  await expect
    .poll(() =>
      admin.run({ name: '', text: `select 1 from pg_stat_activity where wait_event = 'PgSleep'` }),
    )
    .toHaveLength(1);
  await registered(`now() + interval '1 hour'`);
  const first = await quick.delivery.takeOrphans(ids.quick, COUNT);
  const second = await late;

  const names = [...first, ...second].map(({ filing }) => filing.id);
  expect(first).toHaveLength(COUNT);
  expect(second).toHaveLength(COUNT);
  expect(new Set(names).size).toBe(2 * COUNT);
  await Promise.all([quick.close(), slow.close()]);
});
