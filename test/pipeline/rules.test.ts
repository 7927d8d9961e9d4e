/** What the rules make of money that was handed on: thresholds with their dates, and what must be confirmed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

const YEAR = { from: '2026-01-01', to: '2026-12-31', fiscalYearEnd: '12-31' };
const JANUARY = { account: ACCOUNT, from: '2026-01-01', to: '2026-01-31' };

let world: GrantsWorld;
beforeAll(async () => {
  world = await grantsWorld();
  const { pipeline } = world;
  const award = awardJson({
    id: 'A-1',
    cents: 40_000_00,
    reference: 'REF-0001',
    expected: '2026-01-12',
  });
  await pipeline.ingestAwards(awardsSource([award]), ACTOR);
  const lines = [{ on: '2026-01-12', cents: 40_000_00, reference: 'REF-0001' }];
  const feed = { number: 1, from: '2026-01-01', to: '2026-01-31', openingCents: 0, lines };
  await pipeline.ingestFeed(feedSource(feed), ACTOR);
  await pipeline.closePeriod(JANUARY, NOWHERE, ACTOR);
});
afterAll(() => world.close());

describe('states that are watched', () => {
  it('a registration that follows is owed by its date until the organisation says it has it', async () => {
    const states = ['PA', 'NC', 'CO', 'DE'];
    const { crossings, obligations, tasks } = await world.pipeline.evaluateRules(
      { ...YEAR, states },
      ACTOR,
    );
    expect(crossings).toMatchObject([
      { jurisdiction: 'PA', on: '2026-01-12', due: '2026-02-11' },
      { jurisdiction: 'CO', on: '2026-01-12' },
    ]);
    expect(
      obligations.map(({ filingKind, jurisdiction, state, due }) => [
        filingKind,
        jurisdiction,
        state,
        due,
      ]),
    ).toEqual([
      ['charity.registration', 'PA', 'open', '2026-02-11'],
      ['charity.registration', 'CO', 'record_needed', undefined],
    ]);
    // North Carolina's rule was read; Delaware's was not, so that nothing is owed there must be confirmed.
    expect(tasks.filter((task) => task.includes('by which nothing was crossed'))).toEqual([
      expect.stringContaining('Delaware'),
    ]);
    const holder = { charityStates: [{ state: 'PA' }] };
    const later = await world.pipeline.evaluateRules({ ...YEAR, states: ['PA'], holder }, ACTOR);
    expect(later.crossings).toHaveLength(1);
    expect(later.obligations).toEqual([]);
  });
});
