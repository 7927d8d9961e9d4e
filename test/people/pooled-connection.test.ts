/** The adversary: a transaction pooler, which gives one connection to two people in turn, whatever happened on it before. */
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Driver, Session, sql } from '../../src/postgres/session.ts';
import { type FreshDatabase, freshDatabase } from '../fixtures/database.ts';

const WHO = sql(
  'test-who',
)`select current_setting('fw.person', true) as person, current_setting('fw.party', true) as party`;
const ISOLATED = { name: '', text: 'set transaction isolation level repeatable read, read only' };
const BROKEN = sql('test-broken')`select 1 / 0`;
const ANN = { person: '01900000-0000-7000-8000-00000000000a', party: 'ann' };
const BEN = { person: '01900000-0000-7000-8000-00000000000b', party: "o'ben" };
const NOBODY = { person: '', party: '' };

/** One connection for everybody, which somebody has from the beginning to the end of a transaction or statement. */
class Pool {
  readonly #client: Client;
  #turn: Promise<void> = Promise.resolve();
  /** Who was named between two transactions. */
  readonly leaks: unknown[] = [];

  constructor(client: Client) {
    this.#client = client;
  }

  driver(): Driver {
    let release: (() => void) | undefined;
    const leave = async (): Promise<void> => {
      const { rows } = await this.#client.query(WHO.text);
      if (rows[0].person !== '' || rows[0].party !== '') this.leaks.push(rows[0]);
      release?.();
      release = undefined;
    };
    let isInside = false;
    return {
      connect: async () => undefined,
      end: async () => undefined,
      on: () => undefined,
      query: async (query, values) => {
        const { text, values: own } = typeof query === 'string' ? { text: query, values } : query;
        if (release === undefined) {
          const before = this.#turn;
          this.#turn = new Promise((done) => {
            release = done;
          });
          await before;
        }
        if (text.startsWith('begin')) isInside = true;
        if (text === 'commit' || text === 'rollback') isInside = false;
        try {
          return await this.#client.query(text, own ?? []);
        } finally {
          if (!isInside) await leave();
        }
      },
    };
  }
}

let database: FreshDatabase;
let client: Client;
let pool: Pool;

beforeAll(async () => {
  database = await freshDatabase();
  client = new Client({ ...database.target, connectionTimeoutMillis: 5_000 });
  await client.connect();
  pool = new Pool(client);
});
afterAll(async () => {
  await client.end();
  await database.close();
});
afterEach(() => expect(pool.leaks).toEqual([]));

function sessionOf(who: () => typeof ANN): Session {
  return new Session({
    target: database.target,
    schema: database.schema,
    name: 'pooled',
    acting: who,
    driver: () => pool.driver(),
  });
}

it('two people who alternate on one connection are each themselves, and nobody is left on it', async () => {
  const [ann, ben, worker] = [sessionOf(() => ANN), sessionOf(() => BEN), sessionOf(() => NOBODY)];
  const asked = Array.from({ length: 30 }, (_, index) => {
    const [session, who] = [[ann, ANN] as const, [ben, BEN] as const, [worker, NOBODY] as const][
      index % 3
    ] ?? [ann, ANN];
    const answer =
      index % 2 === 0 ? session.run(WHO) : session.transaction(async (run) => run(WHO));
    return answer.then(([row]) => expect(row).toEqual(who));
  });
  await Promise.all(asked);
});

it('nor after an error, a rollback or an act that ends in between', async () => {
  let who = ANN;
  const [one, worker] = [sessionOf(() => who), sessionOf(() => NOBODY)];
  await expect(one.run(BROKEN)).rejects.toThrow('division by zero');
  expect(await worker.run(WHO)).toEqual([NOBODY]);
  const undone = one.transaction(async (run) => {
    expect(await run(WHO)).toEqual([ANN]);
    throw new Error('changed my mind');
  });
  await expect(undone).rejects.toThrow('changed my mind');
  expect(await worker.run(WHO)).toEqual([NOBODY]);
  await expect(one.transaction(async (run) => run(BROKEN))).rejects.toThrow('division by zero');
  who = BEN;
  expect(await one.run(WHO)).toEqual([BEN]);
  who = NOBODY;
  expect(await one.run(WHO)).toEqual([NOBODY]);
  // What a transaction says of itself comes before its first query.
  who = BEN;
  const isolated = one.transaction(async (run) => {
    await run(ISOLATED);
    return run(WHO);
  });
  expect(await isolated).toEqual([BEN]);
  // Whoever acts when it is asked, not when the connection is free.
  who = ANN;
  const early = one.transaction(async (run) => run(WHO));
  who = BEN;
  expect(await early).toEqual([ANN]);
});
