/** A return of which an open payment could be meant as well as one that a closed period has counted. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../fixtures/database.ts';
import { type Entry, sentAs } from './bank.ts';
import {
  ACCOUNT,
  ACTOR,
  awardJson,
  awardsSource,
  type GrantsWorld,
  grantsWorld,
  NOWHERE,
} from './world.ts';

const MARCH = { account: ACCOUNT, from: '2026-03-01', to: '2026-03-31' };
const APRIL = { account: ACCOUNT, from: '2026-04-01', to: '2026-04-30' };
const CENTS = 250_000;
const PAYER = 'HARBOR FOUNDATION';
const [TRACE, OTHER] = ['091000010000017', '091000010000018'];

let database: FreshDatabase;
const worlds: GrantsWorld[] = [];
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(async () => {
  for (const world of worlds) await world.close();
  await database.close();
});

/** A-0 was paid in March, which is closed; then April comes. */
async function played(paid: Partial<Entry>, april: readonly Partial<Entry>[]) {
  const of = await grantsWorld(database, `charity-${worlds.length}`);
  worlds.push(of);
  const { pipeline } = of;
  const awards = ['2026-03-10', '2026-04-02'].map((expected, at) =>
    awardJson({ id: `A-${at}`, cents: CENTS, reference: `REF-000${at}`, expected }),
  );
  await pipeline.ingestAwards(awardsSource(awards), ACTOR);
  const take = async (from: string, to: string, opening: number, entries: readonly Entry[]) =>
    pipeline.ingestFeed(sentAs('camt053', { from, to, opening, entries }), ACTOR);
  const first = { on: '2026-03-10', cents: CENTS, payer: PAYER, text: 'REF-0000', ...paid };
  await take(MARCH.from, MARCH.to, 0, [first]);
  expect(await pipeline.closePeriod(MARCH, NOWHERE, ACTOR)).toMatchObject({ kind: 'closed' });
  const entries = april.map((one) => ({
    on: '2026-04-02',
    cents: CENTS,
    payer: PAYER,
    text: 'GIFT',
    ...one,
  }));
  const { feed } = await take(APRIL.from, APRIL.to, CENTS, entries);
  const rows = await of.rows(
    `select key from grant_award where tenant = '${of.tenant}' order by ordinal`,
  );
  const keys = rows.map((row) => String(row['key']));
  return {
    resolve: async (line: number, ...expectedPayments: readonly string[]) => {
      const word = { line: `${feed}#${line}`, expectedPayments, reason: 'asked', by: of.people[0] };
      await pipeline.resolve(word);
    },
    keys,
    /** Awards that are open and lines that are asked about, by their numbers. */
    waiting: async () => {
      const entriesOf = await pipeline.unmatched('2026-05-15');
      return entriesOf
        .map(({ side, id }) =>
          side === 'bank' ? `line ${id.split('#')[1]}` : `A-${keys.indexOf(id)}`,
        )
        .sort();
    },
    why: async () => (await pipeline.unmatched('2026-05-15')).map(({ why }) => why).join('\n'),
    close: async () => {
      const report = await pipeline.closePeriod(APRIL, NOWHERE, ACTOR);
      if (report.kind !== 'closed') return report.obstacles.join('\n');
      const received = await of.rows(
        `select award, sum(cents)::int as cents from grant_received where tenant = '${of.tenant}' group by award`,
      );
      return Object.fromEntries(
        received.map(({ award, cents }) => [`A-${keys.indexOf(String(award))}`, cents]),
      );
    },
  };
}

const back = (text: string): Entry => ({ on: '2026-04-08', cents: -CENTS, text, payer: PAYER });

it('goes with the open payment whose reference it names, and opens no other award', async () => {
  const april = [{ text: 'REF-0001' }, back('RETURNED ITEM REF-0001')];
  const { waiting, close } = await played({}, april);
  expect(await waiting()).toEqual(['A-1']);
  expect(await close()).toEqual({ 'A-0': CENTS });
});

it('goes with the open payment whose trace it has, whatever reference both have', async () => {
  const april = [
    { text: `REF-0000 TRACE ${TRACE}` },
    back(`RETURNED ITEM REF-0000 TRACE ${TRACE}`),
  ];
  const { waiting, close } = await played({ text: `REF-0000 TRACE ${OTHER}` }, april);
  expect(await waiting()).toEqual(['A-1']);
  expect(await close()).toEqual({ 'A-0': CENTS });
});

it('goes with the closed payment whose trace it has, whatever reference an open one has', async () => {
  const april = [
    { text: `REF-0001 TRACE ${TRACE}` },
    back(`RETURNED ITEM REF-0001 TRACE ${OTHER}`),
  ];
  const { waiting, close } = await played({ text: `REF-0000 TRACE ${OTHER}` }, april);
  expect(await waiting()).toEqual(['A-0']);
  expect(await close()).toEqual({ 'A-0': 0, 'A-1': CENTS });
});

it.each<readonly [string, Partial<Entry>, Partial<Entry>, Entry]>([
  ['reference', {}, { text: 'REF-0000' }, back('RETURNED ITEM REF-0000')],
  ['payer', { text: 'REF-0000 MARCH' }, { text: 'REF-0000 APRIL' }, back('RETURNED ITEM')],
  [
    'trace',
    { text: `REF-0000 TRACE ${TRACE}` },
    { text: `REF-0000 AGAIN TRACE ${TRACE}` },
    back(`ACH DEBIT TRACE ${TRACE}`),
  ],
])('is asked about where both have the same %s', async (_what, first, second, taken) => {
  const { waiting, why, resolve, close, keys } = await played(first, [second, taken]);
  // The second payment of a paid award is a question of its own.
  expect(await waiting()).toEqual(['A-1', 'line 1', 'line 2']);
  expect(await why()).toMatch(
    /(?:A return, and it could reverse more than one payment|It has the trace of more than one payment): [0-9a-f]+#1 of 2026-04-02, and .* of 2026-03-10, which was counted in a closed period/,
  );
  await resolve(2, keys[0] ?? '');
  // It is expected again, and the second payment brings it.
  expect(await waiting()).toEqual(['A-1']);
  expect(await close()).toEqual({ 'A-0': CENTS });
});

it('is asked about where a person has settled the open payment that could be meant', async () => {
  const { waiting, resolve, keys } = await played({}, [{ text: 'GIFT' }, back('RETURNED ITEM')]);
  await resolve(1, keys[1] ?? '');
  expect(await waiting()).toEqual(['line 2']);
});

it('two returns of which one has the trace of the open payment take both back', async () => {
  const april = [
    { text: `REF-0001 TRACE ${TRACE}` },
    back(`RETURNED ITEM REF-0001 TRACE ${TRACE}`),
    { ...back('RETURNED ITEM REF-0000'), on: '2026-04-09' },
  ];
  const { waiting, close } = await played({}, april);
  expect(await waiting()).toEqual(['A-0', 'A-1']);
  expect(await close()).toEqual({ 'A-0': 0 });
});
