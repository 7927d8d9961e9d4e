/** What proves an award is kept as long as the award itself. */
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

let world: GrantsWorld;
beforeAll(async () => {
  world = await grantsWorld();
});
afterAll(() => world.close());

/** The days until which the keys of a subject are kept. */
async function keptUntil(subject: string): Promise<readonly unknown[]> {
  const rows = await world.rows(
    'select retain_until::text as until from ledger_dek where subject = $1',
    [subject],
  );
  return rows.map(({ until }) => until);
}

it('the feed that paid a federal award, and its SF-425, are kept as long as the award', async () => {
  const { pipeline } = world;
  const federal = {
    assistance_listing: '10.555',
    period_start: '2026-01-01',
    period_end: '2035-12-31',
  };
  const award = (id: string, on: string, more: object = {}) =>
    awardJson({ id, cents: 500, reference: `REF-${id}`, expected: on, more: { ...more } });
  await pipeline.ingestAwards(
    awardsSource([award('FED', '2026-01-12', federal), award('OWN', '2026-02-12')]),
    ACTOR,
  );
  const feedOf = async (number: number, month: string, id: string): Promise<string> => {
    const lines = [{ on: `2026-${month}-12`, cents: 500, reference: `REF-${id}` }];
    const openingCents = (number - 1) * 500;
    const [from, to] = [`2026-${month}-01`, `2026-${month}-28`];
    const feed = feedSource({ number, from, to, openingCents, lines });
    return (await pipeline.ingestFeed(feed, ACTOR)).feed;
  };
  const january = await feedOf(1, '01', 'FED');
  const february = await feedOf(2, '02', 'OWN');
  const policy = await keptUntil(`reconciliation/${february}`);
  expect(await keptUntil(`reconciliation/${january}`)).toEqual(policy);
  for (const [from, to] of [
    ['2026-01-01', '2026-01-28'],
    ['2026-01-29', '2026-02-28'],
  ] as const) {
    const closed = await pipeline.closePeriod({ account: ACCOUNT, from, to }, NOWHERE, ACTOR);
    expect(closed, JSON.stringify(closed)).toMatchObject({ release: { kind: 'passed' } });
  }
  // 2 CFR 200.334: three years from the final report, which is due 120 days after the end.
  expect(await keptUntil(`reconciliation/${january}`)).toEqual(['2039-04-29']);
  expect(await keptUntil(`reconciliation/${february}`)).toEqual(policy);
  const days = { from: '2026-01-01', to: '2026-12-31' };
  await pipeline.reportFigures({ kind: '990', ...days }, ACTOR);
  expect(await keptUntil('reporting/reports')).not.toEqual(['2039-04-29']);
  await pipeline.reportFigures({ kind: 'sf425', ...days, award: 'FED' }, ACTOR);
  expect(await keptUntil('reporting/reports')).toEqual(['2039-04-29']);
});
