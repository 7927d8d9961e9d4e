/** A decision about a bank line is taken back: what was there before is there again, to the last byte, until it is closed. */
import { array, assert, asyncProperty, constantFrom } from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../fixtures/database.ts';
import { type Entry, sentAs } from './bank.ts';
import { ACCOUNT, ACTOR, awardJson, awardsSource, grantsWorld, type GrantsWorld } from './world.ts';
import { NOWHERE } from './world.ts';

const MARCH = { account: ACCOUNT, from: '2026-03-01', to: '2026-03-31' };
const SUM = 60_000;
const LINES: readonly Entry[] = [
  { on: '2026-03-10', cents: SUM, text: 'COLLECTED GIFTS', payer: 'COLLECTOR', number: 'N1' },
  { on: '2026-03-11', cents: 10_000, text: 'SOME GIFT', payer: 'NOBODY KNOWN', number: 'N2' },
  { on: '2026-03-12', cents: 777, text: 'BOOK SALE', payer: 'A SHOP', number: 'N3' },
];
const AWARDS = [10_000, 20_000, 30_000];

let database: FreshDatabase;
const worlds: GrantsWorld[] = [];
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(async () => {
  for (const world of worlds) await world.close();
  await database.close();
});

async function play() {
  const world = await grantsWorld(database, `undo-${worlds.length}`);
  worlds.push(world);
  const { pipeline, people, tenant } = world;
  const awards = AWARDS.map((cents, index) =>
    awardJson({
      id: `A-${index}`,
      cents,
      reference: `REF-000${index}`,
      expected: '2026-06-30',
      more: { payer: ['Ash', 'Birch', 'Cedar'][index] },
    }),
  );
  await pipeline.ingestAwards(awardsSource(awards), ACTOR);
  const stored = await world.rows(
    `select key from grant_award where tenant = '${tenant}' order by ordinal`,
  );
  const month = { from: MARCH.from, to: MARCH.to, opening: 10_000, entries: LINES };
  const { feed } = await pipeline.ingestFeed(sentAs('camt053', month), ACTOR);
  const by = people[0];
  return {
    world,
    pipeline,
    keys: stored.map((row) => String(row['key'])),
    id: (n: number) => `${feed}#${n + 1}`,
    feed,
    by,
    said: (line: string, more: object) =>
      pipeline.resolve({ line, expectedPayments: [], reason: 'their letter', by, ...more }),
    undo: (line: string) => pipeline.undo({ line, reason: 'a slip', by }),
    /** Everything that decisions about lines can change before a period is closed. */
    state: async () => {
      const report = await pipeline.reconcilePeriod({ to: MARCH.to }, ACTOR);
      return JSON.stringify([report, await pipeline.unmatched('2026-12-31')]);
    },
  };
}

it('whatever was said of lines, undoing each word gives the states before it, one after the other', async () => {
  const of = await play();
  const [first = '', second = '', third = ''] = of.keys;
  const word = constantFrom<readonly [number, object]>(
    [0, { expectedPayments: [first, second, third] }],
    [
      0,
      {
        expectedPayments: [third, second],
        cents: [29_999, 20_000],
        rest: { state: 'none', cents: 10_001 },
      },
    ],
    [0, { expectedPayments: [first], rest: { state: 'open', cents: SUM - 10_000 } }],
    [0, {}],
    [1, { expectedPayments: [first] }],
    [1, { expectedPayments: [second, third], cents: [4_000, 6_000] }],
    [1, {}],
    [2, {}],
  );
  await assert(
    asyncProperty(array(word, { minLength: 1, maxLength: 4 }), async (words) => {
      const states: (readonly [line: string, before: string])[] = [];
      for (const [n, more] of words) {
        const before = await of.state();
        // A word that contradicts what was said before is refused, and changes nothing.
        const isTaken = await of.said(of.id(n), more).then(
          () => true,
          () => false,
        );
        if (isTaken) states.push([of.id(n), before]);
        else expect(await of.state()).toBe(before);
      }
      for (const [line, before] of states.toReversed()) {
        await of.undo(line);
        expect(await of.state()).toBe(before);
      }
    }),
    { numRuns: 12 },
  );
  await expect(of.undo(of.id(0))).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('a word about one delivery is undone by the name of another', async () => {
  const of = await play();
  const again = { from: MARCH.from, to: MARCH.to, opening: 10_000, entries: LINES };
  const before = await of.state();
  const { feed } = await of.pipeline.ingestFeed(sentAs('mt940', again), ACTOR);
  const both = await of.state();
  expect(both).not.toBe(before);
  await of.said(of.id(2), {});
  expect(await of.state()).not.toBe(both);
  const { undone } = await of.undo(`${feed}#3`);
  expect(undone).toMatchObject({ awards: [], reason: 'their letter' });
  expect(await of.state()).toBe(both);
});

it('nothing is undone after the closing, neither by the act nor in the database', async () => {
  const of = await play();
  await of.said(of.id(0), { expectedPayments: of.keys });
  await of.said(of.id(1), {});
  await of.said(of.id(2), {});
  const closed = await of.pipeline.closePeriod(MARCH, NOWHERE, ACTOR);
  expect(closed).toMatchObject({ kind: 'closed', totals: { matchedCents: { USD: '60000' } } });
  await expect(of.undo(of.id(0))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(of.said(of.id(0), {})).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const { tenant } = of.world;
  const undo = `insert into grant_resolution (tenant, feed, ordinal, n, awards, undoes, reason, resolved_by)
    select tenant, feed, ordinal, n + 1, '{}', n, 'x', resolved_by from grant_resolution where tenant = '${tenant}'`;
  await expect(of.world.rows(undo)).rejects.toThrow('is closed');
});

it('a split gives each award its part to the cent, and no award more than is open of it', async () => {
  const of = await play();
  const [first = '', second = '', third = ''] = of.keys;
  const split = (cents: readonly number[], more: object = {}) =>
    of.said(of.id(0), { expectedPayments: [first, second, third], cents, ...more });
  await expect(split([10_000, 20_000, 29_999])).rejects.toThrow('59999 cents');
  await expect(split([10_001, 20_000, 29_999])).rejects.toThrow('10000 cents open');
  await expect(split([0, 30_000, 30_000])).rejects.toThrow('above zero');
  await expect(split([10_000, 20_000])).rejects.toThrow('one amount for each award');
  await split([9_000, 20_000, 29_000], { rest: { state: 'none', cents: 2_000 } });
  await of.said(of.id(1), {});
  await of.said(of.id(2), {});
  expect(await of.pipeline.closePeriod(MARCH, NOWHERE, ACTOR)).toMatchObject({ kind: 'closed' });
  const parts = await of.world.rows(
    `select award, cents::int as cents from grant_received where tenant = '${of.world.tenant}' order by cents`,
  );
  expect(parts.map((row) => [row['award'], row['cents']])).toEqual([
    [first, 9_000],
    [second, 20_000],
    [third, 29_000],
  ]);
  // What is left of two of them is still expected.
  const waiting = await of.pipeline.unmatched('2026-12-31');
  const left = new Map(waiting.map(({ id, amountCents }) => [id, amountCents]));
  expect(left).toEqual(
    new Map([
      [first, 1_000],
      [third, 1_000],
    ]),
  );
});
