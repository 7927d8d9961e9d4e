/** Awards of which a part is no money: the bank shows the rest, the return has all of it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  ACCOUNT,
  ACTOR,
  awardJson,
  awardsSource,
  feedSource,
  type GrantsWorld,
  grantsWorld,
  NOWHERE,
} from './world.ts';

const DAYS = { from: '2026-01-01', to: '2026-12-31' };

let world: GrantsWorld;
beforeAll(async () => {
  world = await grantsWorld();
});
afterAll(() => world.close());

it('what is not money is in the line of the return, in the memo and in no bank line', async () => {
  const { pipeline } = world;
  const award = (id: string, cents: number, goods: number, more = {}) =>
    awardJson({
      id,
      cents,
      reference: `REF-${id}`,
      expected: '2026-01-12',
      more: { noncash_amount: goods, ...more },
    });
  const awards = [
    award('half', 10_000_00, 2_500_00),
    award('short', 1_000_00, 400_00),
    award('goods', 300_00, 300_00),
    award('elsewhen', 200_00, 200_00, { expected_on: '2027-01-12' }),
    award('more', 100_00, 100_01),
  ];
  const taken = await pipeline.ingestAwards(awardsSource(awards), ACTOR);
  expect(taken).toMatchObject({ accepted: 4, refused: 1 });
  expect(taken.refusals[0]?.violations).toMatchObject([
    { code: 'NOT_ALLOWED', field: 'noncash_amount' },
  ]);
  const lines = [
    { on: '2026-01-12', cents: 7_500_00, reference: 'REF-half' },
    // 30 dollars less than the 600 that were promised in money.
    { on: '2026-01-13', cents: 570_00, reference: 'OTHER' },
  ];
  const feed = { number: 1, from: '2026-01-01', to: '2026-01-31', openingCents: 0, lines };
  const { feed: id } = await pipeline.ingestFeed(feedSource(feed), ACTOR);
  const [short] = await world.rows('select key from grant_award where ordinal = 2');
  await pipeline.resolve({
    line: `${id}#2`,
    expectedPayments: [String(short?.['key'])],
    reason: 'the fee of the bank',
    by: world.people[0],
  });
  const period = { account: ACCOUNT, from: '2026-01-01', to: '2026-01-31' };
  expect(await pipeline.closePeriod(period, NOWHERE, ACTOR)).toMatchObject({
    kind: 'closed',
    release: { kind: 'passed', received: 2 },
  });
  const made = await pipeline.reportFigures({ kind: '990', ...DAYS }, ACTOR);
  const cents = Object.fromEntries(made.figures.map((figure) => [figure.name, figure.cents]));
  expect(cents).toMatchObject({
    'IRS990/AllOtherContributionsAmt': 10_970_00n,
    'IRS990/NoncashContributionsAmt': 2_900_00n,
    'IRS990/TotalContributionsAmt': 10_970_00n,
  });
  const [line] = made.figures;
  const traced = (line?.parts ?? []).map((part) => [
    part.cents,
    part.bank.map((one) => BigInt(one.cents)),
  ]);
  expect(traced).toEqual([
    [7_500_00n, [7_500_00n]],
    [2_500_00n, []],
    [570_00n, [570_00n]],
    [400_00n, []],
  ]);
  expect(made.remarks).toEqual([
    expect.stringContaining('2026-02-01 to 2026-12-31 is not closed'),
    expect.stringContaining('award short: 970.00 of 1,000.00 received'),
    expect.stringMatching(/award goods: its 30000 cents are all noncash/),
  ]);
  const sf425 = await pipeline.reportFigures({ kind: 'sf425', ...DAYS, award: 'half' }, ACTOR);
  expect(sf425.figures.find((figure) => figure.line === '10a')?.cents).toBe(7_500_00n);
});
