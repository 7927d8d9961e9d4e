/** A feed that goes over the end of a period: what is closed is matched no more, and nothing else is closed with it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LINE_GROUP } from '../../src/grants/store/feeds.ts';
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

/** The lines of January fill a sealed group, but begin at its second line and end in the next group. */
const IN_JANUARY = LINE_GROUP;
const JANUARY = { account: ACCOUNT, from: '2026-01-01', to: '2026-01-31' };

let world: GrantsWorld;
beforeAll(async () => {
  world = await grantsWorld();
  const awards = Array.from({ length: IN_JANUARY + 3 }, (_, n) => ({
    id: `A-${n}`,
    cents: 10_000 + n,
    reference: `REF-${String(n).padStart(4, '0')}`,
    expected: n < IN_JANUARY ? '2026-01-15' : '2026-02-10',
  }));
  await world.pipeline.ingestAwards(awardsSource(awards.map(awardJson)), ACTOR);
  const paid = awards.map(({ cents, reference, expected }) => ({ on: expected, cents, reference }));
  const january = paid.slice(0, IN_JANUARY);
  // The last award is not paid.
  const february = paid.slice(IN_JANUARY, -1);
  // The first payment comes once more in February: its award is closed by then.
  const again = { on: '2026-02-11', cents: 10_000, reference: 'REF-0000' };
  const lines = [...february.slice(0, 1), ...january, ...february.slice(1), again];
  const days = { from: '2026-01-01', to: '2026-02-28' };
  await world.pipeline.ingestFeed(
    feedSource({ number: 1, ...days, openingCents: 0, lines }),
    ACTOR,
  );
  // Nobody knows what it is, so that it could not be closed.
  const other = { account: '1112223334', openingCents: 0, ...days };
  const unknown = [{ on: '2026-01-20', cents: 77 }];
  await world.pipeline.ingestFeed(feedSource({ number: 7, ...other, lines: unknown }), ACTOR);
});
afterAll(() => world.close());

it('before the closing everything is open', async () => {
  expect(await world.pipeline.reconcilePeriod({ to: '2026-02-28' }, ACTOR)).toMatchObject({
    lines: IN_JANUARY + 4,
    expectedPayments: IN_JANUARY + 3,
    byStatus: { matched: IN_JANUARY + 2, manual: 2, open: 1 },
  });
});

it('closing takes the lines of its days and account, and no other', async () => {
  const closed = await world.pipeline.closePeriod(JANUARY, NOWHERE, ACTOR);
  expect(closed).toMatchObject({ kind: 'closed', release: { received: IN_JANUARY } });
  expect(await world.count('grant_match_line')).toBe(IN_JANUARY);
  expect(await world.count('grant_match_part')).toBe(IN_JANUARY);
});

it('what is closed is matched no more, neither its lines nor its awards', async () => {
  const report = await world.pipeline.reconcilePeriod({ to: '2026-02-28' }, ACTOR);
  expect(report).toMatchObject({
    lines: 4,
    expectedPayments: 3,
    // The payment that came again finds no award: the one it names has its money.
    byStatus: { matched: 2, manual: 2, open: 1 },
  });
  expect(await world.count('grant_match_line')).toBe(IN_JANUARY);
});
