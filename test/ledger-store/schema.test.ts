import { afterAll, beforeAll, expect, it } from 'vitest';
import { Session } from '../../src/postgres/session.ts';
import { type FreshDatabase, freshDatabase } from '../fixtures/database.ts';

/** Their rows go when they are taken; what is made of them belongs to a tenant. Work belongs by the event it may carry. */
const QUEUES = ['ledger_intake'];
/** Their attempt belongs to one; a key of their own would lock the envelope of every send again. */
const OF_AN_ATTEMPT = ['outcome', 'receipt'];
/** Held to keys that are there by ledger_blob_key, once for each statement. */
const OF_A_DATA_KEY = ['ledger_blob'];

let database: FreshDatabase;
let session: Session;
beforeAll(async () => {
  database = await freshDatabase();
  session = new Session({ target: database.target, schema: database.schema, name: 'test' });
});
afterAll(async () => {
  await session.close();
  await database.close();
});

const namesOf = async (text: string): Promise<unknown[]> =>
  (await session.run({ name: '', text })).map((row) => row['name']);

it('every row belongs by foreign keys to a tenant that exists, but for what is held in another way', async () => {
  const adrift = await namesOf(`
    with recursive led as (
      select 'tenant'::regclass::oid as id
      union
      select k.conrelid from pg_constraint k join led on k.confrelid = led.id where k.contype = 'f')
    select c.relname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attname = 'tenant'
      and c.oid not in (select id from led) order by 1`);
  expect(adrift).toEqual([...QUEUES, ...OF_AN_ATTEMPT, ...OF_A_DATA_KEY].toSorted());
});

it('what every tick writes locks no row that all ticks share', async () => {
  const shared = await namesOf(`
    select conrelid::regclass::text as name from pg_constraint
    where contype = 'f' and confrelid in ('tenant'::regclass, 'lane'::regclass, 'batch'::regclass)
      and conrelid = any (array['attempt', 'outcome', 'receipt', 'work', 'ledger_intake', 'ledger_blob', 'exception']::regclass[])`);
  expect(shared).toEqual([]);
});

it('a wall stands whatever a session says of itself', async () => {
  const weak = await namesOf(`
    select tgname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = current_schema()::regnamespace and not tgisinternal and tgenabled <> 'A'`);
  expect(weak).toEqual([]);
});
