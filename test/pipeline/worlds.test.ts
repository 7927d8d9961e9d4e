/** Seeded small worlds with a hidden truth: whatever fails on the way, the pipeline ends with exactly what was paid. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPipeline } from '../../src/grants/pipeline/open-pipeline.ts';
import type { Pipeline } from '../../src/grants/pipeline/contracts.ts';
import { dropRoles } from '../../src/postgres/roles.ts';
import { Session } from '../../src/postgres/session.ts';
import { type FreshDatabase, freshDatabase } from '../fixtures/database.ts';
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
  type TestLine,
} from './world.ts';

/** Each is another world; a failure names its seed. */
const SEEDS = [1, 2, 3, 4, 5, 6];
const MONTHS = [
  { from: '2026-01-01', to: '2026-01-31', days: ['2026-01-09', '2026-01-16', '2026-01-23'] },
  { from: '2026-02-01', to: '2026-02-28', days: ['2026-02-06', '2026-02-13', '2026-02-20'] },
  { from: '2026-03-01', to: '2026-03-31', days: ['2026-03-06', '2026-03-13', '2026-03-20'] },
] as const;

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(async () => {
  const session = new Session({ target: database.target, schema: database.schema, name: 'drop' });
  await dropRoles(session);
  await session.close();
  await database.close();
});

/** mulberry32: the same numbers for the same seed. */
function diceOf(seed: number): (sides: number) => number {
  let state = seed >>> 0;
  return (sides) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

interface Truth {
  readonly documents: readonly (readonly unknown[])[];
  readonly statements: readonly (readonly TestLine[])[];
  readonly accepted: number;
  readonly refused: number;
  readonly paidCents: number;
  readonly paid: number;
}

function truthOf(seed: number): Truth {
  const dice = diceOf(seed);
  const documents: unknown[][] = [[], [], []];
  const statements: TestLine[][] = MONTHS.map(() => []);
  let [accepted, refused, paid, paidCents] = [0, 0, 0, 0];
  for (let n = 0; n < 24; n += 1) {
    const month = dice(3);
    const on = MONTHS[month]?.days[dice(3)] ?? '';
    // Few amounts, so that many are equal and only the reference tells them apart.
    const cents = 10_000 * (1 + dice(3));
    const reference = `REF-${seed}${String(n).padStart(3, '0')}`;
    const award = awardJson({ id: `A-${n}`, cents, reference, expected: on });
    const document = documents[dice(3)];
    if (dice(8) === 0) {
      document?.push({ ...award, currency: 'EUR' });
      refused += 1;
      continue;
    }
    accepted += 1;
    document?.push(award);
    // Told again by another document, or twice by the same.
    if (dice(4) === 0) documents[dice(3)]?.push(award);
    if (dice(4) === 0) continue;
    statements[month]?.push({ on, cents, reference });
    paid += 1;
    paidCents += cents;
  }
  for (const [month, lines] of statements.entries()) {
    // Something that no award explains.
    lines.push({ on: MONTHS[month]?.days[0] ?? '', cents: 3 + dice(90), payer: 'INTEREST' });
  }
  return { documents, statements, accepted, refused, paidCents, paid };
}

/** What an office does, from the beginning; whoever was interrupted simply begins again. */
async function office(pipeline: Pipeline, truth: Truth, world: GrantsWorld): Promise<void> {
  for (const [n, document] of truth.documents.entries()) {
    if (document.length > 0)
      await pipeline.ingestAwards(awardsSource(document, `${n}.ndjson`), ACTOR);
  }
  let openingCents = 0;
  for (const [n, lines] of truth.statements.entries()) {
    const { from, to } = MONTHS[n] ?? { from: '', to: '' };
    await pipeline.ingestFeed(feedSource({ number: n + 1, from, to, openingCents, lines }), ACTOR);
    openingCents += lines.reduce((sum, { cents }) => sum + cents, 0);
    await pipeline.reconcilePeriod({ to }, ACTOR);
    for (const entry of await pipeline.unmatched(to)) {
      if (entry.side !== 'bank') continue;
      const resolved = {
        line: entry.id,
        expectedPayments: [],
        reason: 'interest',
        by: world.people[0],
      };
      await pipeline.resolve(resolved);
    }
    const closed = await pipeline.closePeriod({ account: ACCOUNT, from, to }, NOWHERE, ACTOR);
    expect(closed, JSON.stringify(closed)).toMatchObject({
      kind: 'closed',
      release: { kind: 'passed' },
    });
  }
}

it.each(SEEDS)(
  'seed %i ends with the truth, however often it is interrupted',
  async (seed) => {
    const truth = truthOf(seed);
    const dice = diceOf(seed + 1_000);
    const world = await grantsWorld(database, `seed-${seed}`);
    for (let crash = 0; crash < 5; crash += 1) {
      const { session } = cutAt(world.session, 5 + dice(60 * (crash + 1)));
      await office(openPipeline({ ...world.parts, session }), truth, world).catch(
        (error: unknown) => {
          if (!(error instanceof Cut)) throw error;
        },
      );
    }
    await office(world.pipeline, truth, world);
    const mine = `tenant = '${world.tenant}'`;
    expect(await world.count('grant_award', mine)).toBe(truth.accepted);
    expect(await world.count('grant_exception', mine)).toBe(truth.refused);
    const [sum] = await world.rows(
      'select coalesce(sum(cents), 0)::int as cents, count(*)::int as n from grant_received where tenant = $1',
      [world.tenant],
    );
    expect(sum).toEqual({ cents: truth.paidCents, n: truth.paid });
    const days = { from: '2026-01-01', to: '2026-12-31' };
    const { figures } = await world.pipeline.reportFigures({ kind: '990', ...days }, ACTOR);
    const total = figures.find(({ name }) => name === 'IRS990/TotalContributionsAmt');
    expect(total?.cents ?? 0n).toBe(BigInt(truth.paidCents));
    await world.close();
  },
  60_000,
);
