/** A statement with the sum of a batch, and the notification (camt.054) that lists its payments. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../fixtures/database.ts';
import { type BankFormat, type Entry, sentAs } from './bank.ts';
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
// No choice but these three of the five awards is in the batch.
const CENTS = [100_000, 100_000, 200_000, 100_000, 300_000];
const BATCH = [0, 1, 2].map((at) => ({ cents: CENTS[at] ?? 0, text: `REF-000${at}` }));
const SUM = 400_000;
const sum: Entry = { on: '2026-03-10', cents: SUM, number: 'B1', batch: [] };
const listed: Entry = { ...sum, batch: BATCH };

let database: FreshDatabase;
const worlds: GrantsWorld[] = [];
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(async () => {
  for (const world of worlds) await world.close();
  await database.close();
});

async function play(...sent: readonly (readonly [BankFormat, readonly Entry[]])[]) {
  const of = await grantsWorld(database, `charity-${worlds.length}`);
  worlds.push(of);
  const { pipeline } = of;
  const awards = CENTS.map((cents, at) =>
    awardJson({ id: `A-${at}`, cents, reference: `REF-000${at}`, expected: '2026-03-10' }),
  );
  await pipeline.ingestAwards(awardsSource(awards), ACTOR);
  for (const [format, entries] of sent) {
    const month = { from: MARCH.from, to: MARCH.to, opening: 10_000, entries };
    await pipeline.ingestFeed(sentAs(format, month), ACTOR);
  }
  return {
    report: () => pipeline.reconcilePeriod({ to: MARCH.to }, ACTOR),
    why: async () => {
      const waiting = await pipeline.unmatched('2026-04-15');
      return waiting.filter(({ side }) => side === 'bank').map(({ why }) => why);
    },
    close: () => pipeline.closePeriod(MARCH, NOWHERE, ACTOR),
    received: () =>
      of.rows(
        `select r.cents::int as cents from grant_received r where r.tenant = '${of.tenant}' order by r.cents`,
      ),
  };
}

describe('the payments of a notification', () => {
  it.each<readonly [string, readonly (readonly [BankFormat, readonly Entry[]])[]]>([
    [
      'before the statement',
      [
        ['camt054', [listed]],
        ['camt053', [sum]],
      ],
    ],
    [
      'after it',
      [
        ['camt053', [sum]],
        ['camt054', [listed]],
      ],
    ],
    [
      'twice',
      [
        ['camt054', [listed]],
        ['camt053', [sum]],
        ['camt054', [{ ...listed, on: '2026-03-09' }]],
      ],
    ],
    [
      'of another format',
      [
        ['camt054', [listed]],
        ['mt940', [{ ...sum, text: 'BATCH CREDIT' }]],
      ],
    ],
    [
      'in an intraday report',
      [
        ['camt052', [listed]],
        ['camt053', [sum]],
      ],
    ],
  ])('explain the batch, %s', async (_when, sent) => {
    const { why, close, received } = await play(...sent);
    expect(await why()).toEqual([]);
    expect(await close()).toMatchObject({
      kind: 'closed',
      totals: { outcomes: { 'P2-batch-details': 1 }, matchedCents: { USD: String(SUM) } },
    });
    expect(await received()).toEqual([100_000, 100_000, 200_000].map((cents) => ({ cents })));
  });

  it('in another statement of the same entry explain it, too', async () => {
    const { why } = await play(['mt940', [{ ...sum, text: 'BATCH' }]], ['camt053', [listed]]);
    expect(await why()).toEqual([]);
  });

  it('are nothing without the statement', async () => {
    const { report, why, close } = await play(['camt054', [listed]]);
    expect((await report()).totals.matchedCents).toEqual({});
    expect(await why()).toEqual([]);
    expect(await close()).toMatchObject({ kind: 'blocked' });
  });

  it('that come to another sum are not used, and the reason says so', async () => {
    const other = [...BATCH.slice(0, 2), { cents: 300_000, text: 'REF-0004' }];
    const { why } = await play(
      ['camt054', [{ ...sum, cents: 500_000, batch: other }]],
      ['camt053', [sum]],
    );
    expect(await why()).toEqual([
      expect.stringContaining(
        'The bank announced it under the same number with payments of 500000 cents, but booked 400000: these payments are not used.',
      ),
    ]);
  });

  it('of which two notifications differ are not used', async () => {
    const other = [
      { cents: 100_000, text: 'REF-0003' },
      { cents: 300_000, text: 'REF-0004' },
    ];
    const { why } = await play(
      ['camt054', [listed]],
      ['camt054', [{ ...sum, batch: other }]],
      ['camt053', [sum]],
    );
    expect(await why()).toEqual([
      expect.stringContaining(
        'The bank announced its payments in two different ways; they are not used.',
      ),
    ]);
  });
});
