/** What the rules make of money that was released: thresholds with their dates, and what must be confirmed. */
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
  it('a registration that follows is owed by its date until the organization says it has it', async () => {
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

describe('money that is passed on', () => {
  const terms = { subaward_total_max: 90_000_00, subaward_approval_above: 35_000_00 };
  const installment = (n: number, more: object) =>
    awardJson({
      id: 'FED-1',
      cents: 100_000_00,
      reference: `FED-REF-${n}`,
      expected: `2026-0${n}-12`,
      more: { guidance_version: '2020', ...more },
    });
  const passed = (id: string, recipient: string, cents: bigint, hasPriorApproval = false) => ({
    id,
    awardId: 'FED-1',
    recipient,
    cents,
    hasPriorApproval,
  });
  const judged = async (subawards: readonly ReturnType<typeof passed>[]) =>
    world.pipeline.evaluateRules({ ...YEAR, states: [], subawards }, ACTOR);

  beforeAll(async () => {
    await world.pipeline.ingestAwards(
      awardsSource(
        [
          installment(5, { terms }),
          installment(6, { terms: { subaward_total_max: 80_000_00 } }),
          installment(7, {}),
        ],
        'federal.ndjson',
      ),
      ACTOR,
    );
  });

  it('is within the limits to the cent, and beyond them by one', async () => {
    const most = [passed('s1', 'A', 35_000_00n), passed('s2', 'B', 45_000_00n, true)];
    // Of each recipient's subaward the first 25,000 count before the revision of 2024.
    expect((await judged(most)).subawards).toMatchObject([
      {
        award: 'FED-1',
        isAllowed: true,
        violations: [],
        totalCents: '8000000',
        indirectBaseCents: '5000000',
      },
    ]);
    const { subawards, tasks } = await judged([...most.slice(1), passed('s3', 'A', 35_000_01n)]);
    expect(subawards).toMatchObject([
      {
        isAllowed: false,
        violations: [
          'subawards of 8000001 cents are above the limit of 8000000',
          'subaward s3 of 3500001 cents needs prior approval',
        ],
      },
    ]);
    expect(tasks.filter((task) => task.startsWith('Resolve: '))).toHaveLength(2);
  });

  it('of an unknown award, or without its guidance, is a task', async () => {
    const elsewhere = [
      { ...passed('s1', 'A', 1n), awardId: 'NO-1' },
      { ...passed('s2', 'A', 1n), awardId: 'A-1' },
    ];
    const { subawards, tasks } = await judged(elsewhere);
    expect(subawards).toEqual([]);
    expect(tasks).toEqual([
      expect.stringMatching(/guidance_version of award A-1/),
      expect.stringMatching(/Import award NO-1/),
    ]);
  });
});
