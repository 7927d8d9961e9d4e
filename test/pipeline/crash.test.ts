import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
} from './world.ts';

/** Five is prime to the number of statements of any step, so that each kind is met; 1 takes minutes and tries all. */
const STRIDE = Number(process.env['FILEWRIGHT_CRASH_STRIDE'] ?? 5);

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

const REPEATED = awardJson({
  id: 'R-1',
  cents: 7_700,
  reference: 'REF-0900',
  expected: '2026-01-14',
});

/** 12 good awards, one of which two documents tell of; two that are refused; 11 are paid, and one line is for nothing. */
async function year(pipeline: Pipeline): Promise<void> {
  const awards = Array.from({ length: 11 }, (_, n) =>
    awardJson({
      id: `A-${n}`,
      cents: 10_000 + n,
      reference: `REF-${1000 + n}`,
      expected: '2026-01-12',
    }),
  );
  await pipeline.ingestAwards(awardsSource([...awards, REPEATED, { broken: true }]), ACTOR);
  await pipeline.ingestAwards(
    awardsSource([REPEATED, { broken: 'again' }], 'second.ndjson'),
    ACTOR,
  );
  const lines = Array.from({ length: 10 }, (_, n) => ({
    on: '2026-01-13',
    cents: 10_000 + n,
    reference: `REF-${1000 + n}`,
  }));
  const paid = { on: '2026-01-15', cents: 7_700, reference: 'REF-0900' };
  await pipeline.ingestFeed(
    feedSource({
      number: 1,
      from: '2026-01-01',
      to: '2026-01-30',
      openingCents: 0,
      lines: [...lines, paid],
    }),
    ACTOR,
  );
  await pipeline.reconcilePeriod({ to: '2026-01-31' }, ACTOR);
  const period = { account: ACCOUNT, from: '2026-01-01', to: '2026-01-31' };
  const closed = await pipeline.closePeriod(period, NOWHERE, ACTOR);
  expect(closed).toMatchObject({ kind: 'closed', release: { kind: 'passed', received: 11 } });
}

const TRUTH_CENTS = 10 * 10_000 + 45 + 7_700;

async function expectTruth(world: GrantsWorld): Promise<void> {
  const mine = `tenant = '${world.tenant}'`;
  expect(await world.count('grant_document', mine)).toBe(2);
  expect(await world.count('grant_award', mine)).toBe(12);
  expect(await world.count('grant_line', mine)).toBe(11);
  expect(await world.count('grant_exception', mine)).toBe(2);
  expect(await world.count('grant_escalation', mine)).toBe(2);
  expect(await world.count('grant_match', `${mine} and status = 'matched'`)).toBe(11);
  expect(await world.count('grant_metadata', mine)).toBe(11);
  const [sum] = await world.rows(
    `select sum(cents)::int as cents, count(*)::int as n from grant_received where tenant = $1`,
    [world.tenant],
  );
  expect(sum).toEqual({ cents: TRUTH_CENTS, n: 11 });
  const days = { from: '2026-01-01', to: '2026-12-31' };
  const { figures } = await world.pipeline.reportFigures({ kind: '990', ...days }, ACTOR);
  const total = figures.find(({ name }) => name === 'IRS990/TotalContributionsAmt');
  expect(total?.cents).toBe(BigInt(TRUTH_CENTS));
}

let worlds = 0;
async function freshWorld(): Promise<GrantsWorld> {
  worlds += 1;
  return grantsWorld(database, `charity-${worlds}`);
}

describe('a crash', () => {
  it('at any moment counts nothing twice and loses nothing', async () => {
    const whole = await freshWorld();
    const counter = cutAt(whole.session, Number.POSITIVE_INFINITY);
    await year(openPipeline({ ...whole.parts, session: counter.session }));
    await expectTruth(whole);
    await whole.close();
    const moments = counter.moments();
    expect(moments).toBeGreaterThan(60);
    for (let moment = 1; moment <= moments; moment += STRIDE) {
      const world = await freshWorld();
      const first = cutAt(world.session, moment);
      await expect(
        year(openPipeline({ ...world.parts, session: first.session })),
        `moment ${moment}`,
      ).rejects.toThrow(Cut);
      // It dies once more on the way, a little later.
      const second = cutAt(world.session, Math.max(2, Math.floor(moment / 2)));
      await year(openPipeline({ ...world.parts, session: second.session })).catch(
        (error: unknown) => {
          if (!(error instanceof Cut)) throw error;
        },
      );
      await year(world.pipeline);
      await expectTruth(world);
      await world.close();
    }
  }, 300_000);

  it('is survived by two processes that do the same at the same time', async () => {
    const world = await freshWorld();
    const others = await Promise.all(
      [1, 2, 3].map(async () => {
        const session = new Session({ target: world.target, schema: world.schema, name: 'other' });
        const pipeline = openPipeline({ ...world.parts, session });
        await year(pipeline);
        return session;
      }),
    );
    await Promise.all(others.map((session) => session.close()));
    await expectTruth(world);
    await world.close();
  });
});
