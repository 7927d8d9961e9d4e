import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPipeline } from '../../src/grants/pipeline/open-pipeline.ts';
import { Cut, cutAt } from './cutter.ts';
import {
  ACCOUNT,
  ACTOR,
  awardJson,
  awardsSource,
  feedSource,
  type GrantsWorld,
  grantsWorld,
  NOWHERE,
  textSource,
} from './world.ts';

let world: GrantsWorld;
beforeAll(async () => {
  world = await grantsWorld();
  await world.pipeline.ingestAwards(
    awardsSource([
      awardJson({ id: 'A-1', cents: 1_500_000, reference: 'REF-0001', expected: '2026-01-12' }),
      awardJson({ id: 'A-2', cents: 1_800_000, reference: 'REF-0002', expected: '2026-02-10' }),
      awardJson({ id: 'A-3', cents: 1_000_000, reference: 'REF-0003', expected: '2026-03-10' }),
    ]),
    ACTOR,
  );
});
afterAll(() => world.close());

const JANUARY = { account: ACCOUNT, from: '2026-01-01', to: '2026-01-31' };
const FEBRUARY = { account: ACCOUNT, from: '2026-02-01', to: '2026-02-28' };
const MARCH = { account: ACCOUNT, from: '2026-03-01', to: '2026-03-31' };
const NEW_YORK = { states: ['NY'], fiscalYearEnd: '12-31' };

describe('a period', () => {
  it('is not closed without its statement', async () => {
    const closed = await world.pipeline.closePeriod(JANUARY, NOWHERE, ACTOR);
    expect(closed).toMatchObject({ kind: 'blocked' });
  });

  it('is not half applied by a feed that is broken', async () => {
    const good = feedSource({
      number: 1,
      from: '2026-01-01',
      to: '2026-01-30',
      openingCents: 0,
      lines: [{ on: '2026-01-12', cents: 1_500_000, reference: 'REF-0001' }],
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of good.open()) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    for (const broken of [
      text.replace(/:62F:C260130USD\d+,/, ':62F:C260130USD1,'),
      text.slice(0, -30),
    ]) {
      const source = { ...textSource('broken.sta', broken), format: 'mt940' } as const;
      await expect(world.pipeline.ingestFeed(source, ACTOR)).rejects.toThrow();
    }
    expect(await world.count('grant_line')).toBe(0);
    expect(await world.count('grant_feed')).toBe(0);
    await world.pipeline.ingestFeed(good, ACTOR);
    expect(await world.pipeline.ingestFeed(good, ACTOR)).toMatchObject({ isRepeatedFeed: true });
    expect(await world.count('grant_line')).toBe(1);
  });

  it('waits for a person about a line that nothing explains, and is closed when one has settled it', async () => {
    await world.pipeline.ingestFeed(
      feedSource({
        number: 2,
        from: '2026-01-31',
        to: '2026-01-31',
        openingCents: 1_500_000,
        lines: [
          { on: '2026-01-31', cents: 77, payer: 'INTEREST' },
          { on: '2026-01-31', cents: 3, payer: 'INTEREST' },
        ],
      }),
      ACTOR,
    );
    const blocked = await world.pipeline.closePeriod(JANUARY, NOWHERE, ACTOR);
    expect(blocked).toMatchObject({ kind: 'blocked' });
    const waiting = (await world.pipeline.unmatched('2026-02-15')).filter(
      ({ side }) => side === 'bank',
    );
    expect(waiting).toMatchObject([
      { amountCents: 77, bucket: '0-30', days: 15 },
      { amountCents: 3, bucket: '0-30', days: 15 },
    ]);
    const [line = '', second = ''] = waiting.map(({ id }) => id);
    const by = world.people[0];
    const wrong = { line, expectedPayments: ['nobody'], reason: 'x', by };
    await expect(world.pipeline.resolve(wrong)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const named = (text: string) =>
      world.pipeline.resolve({
        line: text,
        expectedPayments: [],
        reason: 'interest of the bank',
        by,
      });
    await expect(named(line.slice(0, 8))).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringMatching(/matches 2 open bank lines; add the number/),
    });
    await expect(named(line.slice(0, 7))).rejects.toMatchObject({ code: 'USAGE' });
    await expect(named(`${line.slice(0, 8)}#9`)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await world.count('grant_resolution')).toBe(0);
    const short = line.replace(/^(.{8}).*#/, '$1#');
    expect(await named(short)).toEqual({ line, expectedPayments: [] });
    expect(await named(second)).toEqual({ line: second, expectedPayments: [] });
    const closed = await world.pipeline.closePeriod(JANUARY, NOWHERE, ACTOR);
    expect(closed).toMatchObject({ kind: 'closed', release: { kind: 'passed', received: 1 } });
    // Asked again, the same answer.
    expect(await world.pipeline.closePeriod(JANUARY, NOWHERE, ACTOR)).toEqual(closed);
  });

  it('takes nothing more once it is closed, from anyone', async () => {
    const late = feedSource({
      number: 9,
      from: '2026-01-15',
      to: '2026-01-15',
      openingCents: 5,
      lines: [{ on: '2026-01-15', cents: 1, reference: 'REF-0002' }],
    });
    await expect(world.pipeline.ingestFeed(late, ACTOR)).rejects.toMatchObject({
      code: 'REFUSED_BY_RULE',
    });
    const [feed] = await world.rows('select id from grant_feed limit 1');
    const line = `insert into grant_line (tenant, feed, ordinal, account, booked_on, cents, currency, direction, status, place)
      values ('${world.tenant}', '${String(feed?.['id'])}', 99, '${ACCOUNT}', '2026-01-20', 1, 'USD', 'credit', 'booked', 1)`;
    await expect(world.rows(line)).rejects.toMatchObject({ constraint: 'grant_period_closed' });
    const inside = { ...JANUARY, from: '2026-01-10', to: '2026-02-10' };
    await expect(world.pipeline.closePeriod(inside, NOWHERE, ACTOR)).resolves.toMatchObject({
      kind: 'blocked',
    });
  });

  it('opens with what the one before closed with', async () => {
    const gap = await world.pipeline.ingestFeed(
      feedSource({
        number: 4,
        from: '2026-02-01',
        to: '2026-02-27',
        openingCents: 9_999_999,
        lines: [{ on: '2026-02-10', cents: 1_800_000, reference: 'REF-0002' }],
      }),
      ACTOR,
    );
    expect(gap.gaps.join()).toContain('opens with');
    const closed = await world.pipeline.closePeriod(FEBRUARY, NOWHERE, ACTOR);
    expect(closed).toMatchObject({ kind: 'blocked' });
    expect(closed.kind === 'blocked' && closed.obstacles.join()).toContain('9999999');
  });
});

it('a statement that the bank sends again in other bytes counts once and blocks nothing', async () => {
  const other = await grantsWorld();
  const { pipeline } = other;
  try {
    await pipeline.ingestAwards(
      awardsSource([
        awardJson({ id: 'A-1', cents: 1_500_000, reference: 'REF-0001', expected: '2026-01-12' }),
      ]),
      ACTOR,
    );
    const once = feedSource({
      number: 1,
      from: '2026-01-01',
      to: '2026-01-31',
      openingCents: 500,
      lines: [{ on: '2026-01-12', cents: 1_500_000, reference: 'REF-0001' }],
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of once.open()) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8').replace(':20:STMT', ':20:STMT COPY');
    const again = { ...textSource('again.sta', text), format: 'mt940' } as const;
    for (const feed of [once, again]) await pipeline.ingestFeed(feed, ACTOR);
    const closed = await pipeline.closePeriod(JANUARY, NOWHERE, ACTOR);
    expect(closed).toMatchObject({
      kind: 'closed',
      totals: { matchedCents: { USD: '1500000' }, outcomes: { 'P0-duplicate-delivery': 1 } },
      release: { kind: 'passed', received: 1 },
    });
  } finally {
    await other.close();
  }
});

describe('a threshold', () => {
  /** Two months, whose money together passes what New York exempts. */
  async function twoMonths(): Promise<GrantsWorld> {
    const other = await grantsWorld();
    const { pipeline } = other;
    await pipeline.ingestAwards(
      awardsSource([
        awardJson({ id: 'A-1', cents: 1_500_000, reference: 'REF-0001', expected: '2026-02-12' }),
        awardJson({ id: 'A-2', cents: 1_800_000, reference: 'REF-0002', expected: '2026-03-10' }),
      ]),
      ACTOR,
    );
    const lines = [
      {
        number: 1,
        from: '2026-02-01',
        to: '2026-02-27',
        openingCents: 0,
        lines: [{ on: '2026-02-12', cents: 1_500_000, reference: 'REF-0001' }],
      },
      {
        number: 2,
        from: '2026-03-01',
        to: '2026-03-31',
        openingCents: 1_500_000,
        lines: [{ on: '2026-03-11', cents: 1_800_000, reference: 'REF-0002' }],
      },
    ];
    for (const one of lines) await pipeline.ingestFeed(feedSource(one), ACTOR);
    return other;
  }

  it('counts what is closed and not released, in whatever order it is released', async () => {
    const other = await twoMonths();
    const { pipeline } = other;
    // A process that dies after it has closed February and before its money went on.
    for (let moment = 1; (await pipeline.periods()).length === 0; moment += 1) {
      const { session } = cutAt(other.session, moment);
      const dying = openPipeline({ ...other.parts, session });
      await dying.closePeriod(FEBRUARY, NEW_YORK, ACTOR).catch((error: unknown) => {
        if (!(error instanceof Cut)) throw error;
      });
    }
    expect(await pipeline.periods()).toMatchObject([{ to: '2026-02-28', isReleased: false }]);
    const march = await pipeline.closePeriod(MARCH, NEW_YORK, ACTOR);
    expect(march).toMatchObject({
      kind: 'closed',
      release: { kind: 'blocked', crossings: [{ jurisdiction: 'NY', on: '2026-03-11' }] },
    });
    const february = await pipeline.closePeriod(FEBRUARY, NEW_YORK, ACTOR);
    expect(february).toMatchObject({ kind: 'closed', release: { kind: 'passed', received: 1 } });
    await other.close();
  });

  it.each(['02-28', '02-29'])('is of a fiscal year, also of one that ends on %s', async (end) => {
    const other = await twoMonths();
    const organization = { ...NEW_YORK, fiscalYearEnd: end };
    for (const period of [FEBRUARY, MARCH]) {
      const closed = await other.pipeline.closePeriod(period, organization, ACTOR);
      expect(closed).toMatchObject({ kind: 'closed', release: { kind: 'passed', received: 1 } });
    }
    await other.close();
  });

  it('of any twelve months is crossed over the end of a fiscal year too', async () => {
    const other = await twoMonths();
    const { pipeline } = other;
    const organization = { states: ['MI'], fiscalYearEnd: '02-28' };
    expect(await pipeline.closePeriod(FEBRUARY, organization, ACTOR)).toMatchObject({
      release: { kind: 'passed' },
    });
    const march = await pipeline.closePeriod(MARCH, organization, ACTOR);
    if (march.kind !== 'closed') throw new Error(JSON.stringify(march));
    expect(march.release).toMatchObject({
      kind: 'blocked',
      crossings: [
        { jurisdiction: 'MI', on: '2026-03-11', totalCents: '3300000', due: '2026-04-10' },
      ],
    });
    const check = { jurisdiction: 'MI', evidence: 'MICS 1', by: other.people[0] };
    await pipeline.attachRegistrationCheck({ ...check, checkedOn: '2026-03-20' });
    expect(await pipeline.release(march.period, organization, ACTOR)).toMatchObject({
      kind: 'passed',
    });
    const year = { from: '2026-03-01', to: '2027-02-28' };
    const { crossings } = await pipeline.evaluateRules({ ...organization, ...year }, ACTOR);
    expect(crossings).toMatchObject([{ jurisdiction: 'MI', on: '2026-03-11' }]);
    await other.close();
  });

  it('that is crossed keeps the money at the boundary until the check is attached', async () => {
    const other = await twoMonths();
    const { pipeline, people } = other;
    const february = await pipeline.closePeriod(FEBRUARY, NEW_YORK, ACTOR);
    expect(february).toMatchObject({ kind: 'closed', release: { kind: 'passed' } });
    const march = await pipeline.closePeriod(MARCH, NEW_YORK, ACTOR);
    if (march.kind !== 'closed') throw new Error(JSON.stringify(march));
    expect(march.release).toMatchObject({
      kind: 'blocked',
      crossings: [{ jurisdiction: 'NY', on: '2026-03-11', totalCents: '3300000' }],
    });
    const days = { from: '2026-01-01', to: '2026-12-31' };
    const before = await pipeline.reportFigures({ kind: '990', ...days }, ACTOR);
    expect(before.figures.find(({ name }) => name.endsWith('/TotalContributionsAmt'))?.cents).toBe(
      1_500_000n,
    );
    // Not even by hand.
    const past = `insert into grant_release (tenant, period, received, cents) values ('${other.tenant}', '${march.period}', 0, 0)`;
    await expect(other.rows(past)).rejects.toMatchObject({ constraint: 'grant_release_checked' });
    const check = { jurisdiction: 'NY', evidence: 'registration 44-55-66', by: people[0] };
    await pipeline.attachRegistrationCheck({ ...check, checkedOn: '2026-03-01' });
    expect(await pipeline.release(march.period, NEW_YORK, ACTOR)).toMatchObject({
      kind: 'blocked',
    });
    await pipeline.attachRegistrationCheck({ ...check, checkedOn: '2026-03-20' });
    expect(await pipeline.release(march.period, NEW_YORK, ACTOR)).toMatchObject({
      kind: 'passed',
      received: 1,
    });
    const after = await pipeline.evaluateRules({ ...NEW_YORK, ...days }, ACTOR);
    expect(after.crossings).toMatchObject([{ jurisdiction: 'NY', on: '2026-03-11' }]);
    // Asked about one month only, the money of the year before it counts as well.
    const month = { from: '2026-03-01', to: '2026-03-31' };
    const inMarch = await pipeline.evaluateRules({ ...NEW_YORK, ...month }, ACTOR);
    expect(inMarch.crossings).toEqual(after.crossings);
    // In years that end with February, the two months are of two years, and 2026 is none.
    const endsInFebruary = { ...NEW_YORK, fiscalYearEnd: '02-28' };
    await expect(
      pipeline.evaluateRules({ ...endsInFebruary, ...days }, ACTOR),
    ).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('2025-03-01..2026-02-28 or 2026-03-01..2027-02-28'),
    });
    const year = { from: '2026-03-01', to: '2027-02-28' };
    const inTheNext = await pipeline.evaluateRules({ ...endsInFebruary, ...year }, ACTOR);
    expect(inTheNext.crossings).toEqual([]);
    expect(await pipeline.status()).toMatchObject({
      closedPeriods: 2,
      blockedReleases: 0,
      matched: 2,
    });
    await other.close();
  });
});
