/** Deliveries of one entry are one entry, whatever came first and whatever people said; inside a statement nothing is repeated. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../fixtures/database.ts';
import {
  type BankFormat,
  type BankStatement,
  type Entry,
  sentAs,
  STATEMENT_FORMATS,
} from './bank.ts';
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
const GIFT = 500_003;

let database: FreshDatabase;
const worlds: GrantsWorld[] = [];
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(async () => {
  for (const world of worlds) await world.close();
  await database.close();
});

async function awards(...cents: readonly number[]): Promise<GrantsWorld> {
  const world = await grantsWorld(database, `charity-${worlds.length}`);
  worlds.push(world);
  await world.pipeline.ingestAwards(
    awardsSource(
      cents.map((one, at) =>
        awardJson({ id: `A-${at}`, cents: one, reference: `REF-000${at}`, expected: '2026-03-10' }),
      ),
    ),
    ACTOR,
  );
  return world;
}

function month(entries: readonly Entry[], more: Partial<BankStatement> = {}): BankStatement {
  return { from: MARCH.from, to: MARCH.to, opening: 10_000, entries, ...more };
}

async function keys(of: GrantsWorld): Promise<readonly string[]> {
  const rows = await of.rows(
    `select key from grant_award where tenant = '${of.tenant}' order by ordinal`,
  );
  return rows.map((row) => String(row['key']));
}

async function questions(of: GrantsWorld): Promise<readonly string[]> {
  const waiting = await of.pipeline.unmatched('2026-04-15');
  return waiting.filter(({ side }) => side === 'bank').map(({ id }) => id);
}

async function closed(of: GrantsWorld, period = MARCH) {
  const report = await of.pipeline.closePeriod(period, NOWHERE, ACTOR);
  if (report.kind !== 'closed') throw new Error(report.obstacles.join('\n'));
  return report;
}

async function received(of: GrantsWorld): Promise<number> {
  const [row] = await of.rows(
    `select coalesce(sum(cents), 0)::int as cents from grant_received where tenant = '${of.tenant}'`,
  );
  return Number(row?.['cents']);
}

function receivedAwards(of: GrantsWorld) {
  return of.rows(`select award from grant_received where tenant = '${of.tenant}'`);
}

describe('what a person said of an entry', () => {
  const entry = { on: '2026-03-11', cents: GIFT, text: 'A GIFT', payer: 'SOMEBODY' };

  it.each(STATEMENT_FORMATS)('holds for the %s that comes after it', async (format) => {
    const of = await awards(GIFT, GIFT);
    const [first = ''] = await keys(of);
    const { pipeline, people } = of;
    await pipeline.ingestFeed(sentAs('camt052', month([{ ...entry, number: 'N1' }])), ACTOR);
    await pipeline.ingestFeed(sentAs('camt053', month([{ ...entry, number: 'N1' }])), ACTOR);
    const [line = '', ...more] = await questions(of);
    expect(more).toEqual([]);
    await pipeline.resolve({
      line,
      expectedPayments: [first],
      reason: 'the letter says so',
      by: people[0],
    });
    // Other bytes, another number, and the reference of the second award.
    const again = { ...entry, number: 'N1', text: 'REF-0001' };
    await pipeline.ingestFeed(sentAs(format, month([again], { copy: '2' })), ACTOR);
    expect(await questions(of)).toEqual([]);
    await closed(of);
    expect(await received(of)).toBe(GIFT);
    expect(await receivedAwards(of)).toEqual([{ award: first }]);
  });

  it('of its announcement holds for the statement', async () => {
    const of = await awards(GIFT, GIFT);
    const [, second = ''] = await keys(of);
    const { pipeline, people } = of;
    const { feed } = await pipeline.ingestFeed(
      sentAs('camt052', month([{ ...entry, number: 'N1' }])),
      ACTOR,
    );
    const word = {
      line: `${feed}#1`,
      expectedPayments: [second],
      reason: 'told by phone',
      by: people[0],
    };
    await pipeline.resolve(word);
    await pipeline.ingestFeed(sentAs('mt940', month([{ ...entry, number: 'N1' }])), ACTOR);
    await closed(of);
    expect(await receivedAwards(of)).toEqual([{ award: second }]);
  });
});

describe('announcements', () => {
  const entry = { on: '2026-03-10', cents: GIFT, text: 'REF-0000', number: 'N1' };

  it.each(['camt052', 'bai2-interim', 'pending'] as const)(
    '%s alone are not counted, and prove nothing',
    async (kind) => {
      const of = await awards(GIFT);
      const { pipeline } = of;
      const source =
        kind === 'pending'
          ? sentAs('camt053', month([{ ...entry, status: 'PDNG' }]))
          : kind === 'camt052'
            ? sentAs('camt052', month([entry]))
            : sentAs('bai2', { ...month([entry]), isInterim: true } as BankStatement);
      await pipeline.ingestFeed(source, ACTOR);
      const report = await pipeline.reconcilePeriod({ to: MARCH.to }, ACTOR);
      expect(report.totals.matchedCents).toEqual({});
      expect(await questions(of)).toEqual([]);
      if (kind === 'pending') return;
      expect(await pipeline.closePeriod(MARCH, NOWHERE, ACTOR)).toMatchObject({ kind: 'blocked' });
    },
  );

  it('are counted once with their statement, on another day and without a number too', async () => {
    const of = await awards(GIFT);
    const { pipeline } = of;
    for (const number of ['N1', undefined]) {
      const hint = { on: '2026-03-09', cents: GIFT, text: 'REF-0000', ...(number && { number }) };
      await pipeline.ingestFeed(sentAs('camt052', month([hint])), ACTOR);
    }
    await pipeline.ingestFeed(sentAs('camt053', month([entry])), ACTOR);
    expect(await questions(of)).toEqual([]);
    await closed(of);
    expect(await received(of)).toBe(GIFT);
  });

  it('help the statement that says less', async () => {
    const of = await awards(GIFT, GIFT);
    const { pipeline } = of;
    await pipeline.ingestFeed(sentAs('camt052', month([{ ...entry, text: 'REF-0001' }])), ACTOR);
    await pipeline.ingestFeed(sentAs('mt940', month([{ ...entry, text: 'TRANSFER' }])), ACTOR);
    await closed(of);
    const [, second = ''] = await keys(of);
    expect(await receivedAwards(of)).toEqual([{ award: second }]);
  });
});

describe('inside one statement', () => {
  const FILLERS = ['NONREF', '000000', '20260310-500003', '1', undefined];

  it.each(
    STATEMENT_FORMATS.flatMap((format) => FILLERS.map((number) => [format, number] as const)),
  )('two lines of %s with the number %s are two gifts', async (format, number) => {
    const of = await awards(GIFT, GIFT);
    const { pipeline } = of;
    const entries = ['REF-0000', 'REF-0001'].map((text) => ({
      on: '2026-03-10',
      cents: GIFT,
      text,
      ...(number !== undefined && { number }),
    }));
    await pipeline.ingestFeed(sentAs(format, month(entries)), ACTOR);
    await closed(of);
    expect(await received(of)).toBe(2 * GIFT);
  });

  it.each([
    ['mt940', 'mt940'],
    ['ofx', 'ofx'],
    ['camt053', 'bai2'],
    ['bai2', 'camt053'],
    ['ofx', 'mt940'],
    ['camt053', 'ofx'],
  ] as const)('nor are they four when %s and then %s tell them', async (one, other) => {
    const of = await awards(GIFT, GIFT);
    const { pipeline } = of;
    const entries = ['REF-0000', 'REF-0001'].map((text) => ({
      on: '2026-03-10',
      cents: GIFT,
      text,
      number: 'NONREF',
    }));
    await pipeline.ingestFeed(sentAs(one, month(entries)), ACTOR);
    await pipeline.ingestFeed(sentAs(other, month([...entries].reverse(), { copy: '2' })), ACTOR);
    expect(await questions(of)).toEqual([]);
    await closed(of);
    expect(await received(of)).toBe(2 * GIFT);
  });
});

describe('downloads that overlap', () => {
  it('count each entry once, although their numbers begin again', async () => {
    const of = await awards(GIFT, GIFT, GIFT);
    const { pipeline } = of;
    const at = (on: string, text: string): Entry => ({ on, cents: GIFT, text });
    const all = [
      at('2026-03-05', 'REF-0000'),
      at('2026-03-12', 'REF-0001'),
      at('2026-03-12', 'REF-0002'),
    ];
    const first: BankStatement = {
      from: '2026-03-01',
      to: '2026-03-12',
      opening: 0,
      entries: all.slice(0, 2),
    };
    const second: BankStatement = {
      from: '2026-03-04',
      to: '2026-03-31',
      opening: 0,
      entries: all,
    };
    for (const one of [second, first]) await pipeline.ingestFeed(sentAs('ofx', one), ACTOR);
    await closed(of);
    expect(await received(of)).toBe(3 * GIFT);
  });

  it.each(['mt940', 'camt053'] as const)(
    'pages of one day in %s are no repetition, although they look alike',
    async (format: BankFormat) => {
      const of = await awards(GIFT, GIFT);
      const { pipeline } = of;
      const entry = { on: '2026-03-31', cents: GIFT, text: 'GIFT', number: '1' };
      const whole = { from: '2026-03-01', to: '2026-03-31', number: 3 };
      const one: BankStatement = {
        ...whole,
        opening: 0,
        entries: [{ ...entry, text: 'REF-0000' }],
        page: { n: 1, isLast: false },
        ...(format === 'camt053' && { closing: 2 * GIFT }),
      };
      const two: BankStatement = {
        ...whole,
        opening: format === 'camt053' ? 0 : GIFT,
        entries: [{ ...entry, text: 'REF-0001' }],
        page: { n: 2, isLast: true },
        closing: 2 * GIFT,
      };
      await pipeline.ingestFeed(sentAs(format, one), ACTOR);
      const half = await pipeline.closePeriod(MARCH, NOWHERE, ACTOR);
      expect(half.kind === 'blocked' && half.obstacles.join()).toMatch(/page 2/);
      await pipeline.ingestFeed(sentAs(format, two), ACTOR);
      await pipeline.ingestFeed(sentAs(format, { ...one, copy: '2' }), ACTOR);
      await closed(of);
      expect(await received(of)).toBe(2 * GIFT);
    },
  );
});
