/** A claim takes as many rows as it was asked for, under every plan, and no row goes to two. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Session } from '../../src/postgres/session.ts';
import { type FreshDatabase, freshDatabase, TEST_DATABASE_URL } from '../fixtures/database.ts';
import { verifyLogs } from '../fixtures/verify-logs.ts';
import { type ClaimCase, Claimer, CLAIMS, DUE_ROWS } from './claims.ts';

const off = (...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [`enable_${name}`, 'off']));

/** The planner may choose any of these for itself when the tables grow or their statistics are old. */
const PLANS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'the planner’s own': {},
  'nested loops': off('hashjoin', 'mergejoin'),
  'nested loops that keep nothing': off('hashjoin', 'mergejoin', 'material', 'memoize'),
  'nested loops without indexes': off(
    'hashjoin',
    'mergejoin',
    'material',
    'memoize',
    'indexscan',
    'bitmapscan',
    'indexonlyscan',
  ),
  'nested loops as written': {
    ...off('hashjoin', 'mergejoin', 'material'),
    join_collapse_limit: '1',
    from_collapse_limit: '1',
  },
  'hash joins': off('nestloop', 'mergejoin'),
  'merge joins': off('nestloop', 'hashjoin'),
  'plans made once': {
    ...off('hashjoin', 'mergejoin', 'material'),
    plan_cache_mode: 'force_generic_plan',
  },
};
const INSTANCE = 'ledger.example.org';
const COUNT = 3;
const CLAIMERS = 4;

function claims(where: 'embedded' | 'url'): void {
  let database: FreshDatabase;
  let admin: Session;
  beforeAll(async () => {
    database = await freshDatabase(where);
    admin = new Session({ ...database, name: 'admin' });
  });
  afterAll(async () => {
    await admin?.close();
    await database?.close();
  });

  async function seeded(claim: ClaimCase): Promise<string> {
    const tenant = `t-${randomBytes(6).toString('hex')}`;
    const run = (text: string): Promise<unknown> => admin.run({ name: '', text }, [tenant]);
    await run(`insert into tenant (id, instance) values ($1, '${INSTANCE}')`);
    for (const text of claim.seed) await run(text);
    return tenant;
  }

  async function marked(claim: ClaimCase, tenant: string): Promise<number> {
    const [row] = await admin.run({ name: '', text: claim.marked }, [tenant]);
    return Number(row?.['n']);
  }

  const size = (taken: readonly string[] | number): number =>
    typeof taken === 'number' ? taken : new Set(taken).size;

  describe.each(CLAIMS)('$name', (claim) => {
    it.each(Object.entries(PLANS))('takes what it was asked for with %s', async (_, settings) => {
      const tenant = await seeded(claim);
      const by = new Claimer({ ...database.target, settings }, database.schema, tenant);
      const expected = claim.atOnce ?? COUNT;
      const taken = await claim.take(by, COUNT, () => Promise.resolve());
      await by.close();
      expect(size(taken)).toBe(expected);
      expect(await marked(claim, tenant)).toBe(expected);
    });

    it.each(['the planner’s own', 'nested loops that keep nothing'])(
      'gives no row to two of several that ask at once with %s',
      async (plan) => {
        const tenant = await seeded(claim);
        const target = { ...database.target, settings: PLANS[plan] ?? {} };
        const all = Array.from(
          { length: CLAIMERS },
          () => new Claimer(target, database.schema, tenant),
        );
        const bound = claim.atOnce ?? COUNT;
        const taken: string[] = [];
        let counted = 0;
        await Promise.all(
          all.map(async (by) => {
            for (let idle = 0; idle < 2; ) {
              const some = await claim.take(by, COUNT, () =>
                admin.run(MOMENT).then(() => undefined),
              );
              if (size(some) === 0) idle += 1;
              expect(size(some)).toBeLessThanOrEqual(bound);
              counted += size(some);
              if (typeof some !== 'number') taken.push(...some);
            }
          }),
        );
        await Promise.all(all.map((by) => by.close()));
        const inAll = claim.inAll ?? DUE_ROWS;
        expect(counted).toBe(inAll);
        if (taken.length > 0) expect(new Set(taken).size).toBe(inAll);
        expect(await marked(claim, tenant)).toBe(inAll);
        expect(await verifyLogs(admin, tenant, INSTANCE)).toMatchObject({ faults: [], waiting: 0 });
      },
    );
  });
}

const MOMENT = { name: '', text: 'select pg_sleep(0.005)' };

describe('the embedded PostgreSQL', () => claims('embedded'));
describe.skipIf(TEST_DATABASE_URL === undefined)(
  'the PostgreSQL of FILEWRIGHT_TEST_DATABASE_URL',
  () => claims('url'),
);

describe('the list of claims', () => {
  it('is whole: every statement that skips locked rows stands in it', () => {
    const names = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => {
        const text = readFileSync(`src/${file}`, 'utf8');
        return text
          .split(/= sql\('|: Statement = \{\n {2}name: '/)
          .slice(1)
          .map((part) => part.split(/^\};?$|`;$/m)[0] ?? '')
          .filter((part) => /skip locked|\blockedOnce\(/.test(part))
          .map((part) => part.split("'")[0] ?? '');
      });
    // Not rows of a queue: the head of one log, by its key; and the one filing that a person is shown, which is theirs by
    // what they do next (hand/hand.test.ts).
    const claims = names.filter((name) => !['ledger-lock', 'hand-next'].includes(name));
    expect(claims.toSorted()).toEqual(CLAIMS.map(({ name }) => name).toSorted());
  });
});
