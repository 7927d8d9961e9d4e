/** References stand in no table in clear: they are sealed with their line or award, and go when those keys do. */
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
  textSource,
} from './world.ts';

const REFERENCE = 'SECRET-REF-77';
const TRACE = '021000029998887';

let world: GrantsWorld;
beforeAll(async () => {
  world = await grantsWorld();
});
afterAll(() => world.close());

it('after a year with a question to the grantor, differences, a return and a report', async () => {
  const { pipeline } = world;
  const awards = ['A-1', 'A-2', 'A-3'].map((id, at) =>
    awardJson({
      id,
      cents: 100_000 * (at + 1),
      reference: `${REFERENCE}${at}`,
      expected: '2026-01-12',
    }),
  );
  await pipeline.ingestAwards(awardsSource(awards), ACTOR);
  const ledger = {
    code: 'US-DE',
    mayRead: () => true,
    read: () =>
      Promise.resolve({ kind: 'failed', failure: { kind: 'http', status: 503 } } as const),
  };
  expect(await pipeline.verifyGrantor('G-1', ledger)).toMatchObject({ state: 'waiting' });
  expect(await clear(), 'while it waits').toEqual([]);
  world.advance(60_000);
  const document = {
    entries: [
      {
        id: 'x',
        grant: 'G-1',
        payer: 'P',
        reference: `${REFERENCE}0`,
        amountCents: 7,
        currency: 'USD',
        direction: 'credit',
        expected: '2026-01-12',
      },
    ],
  };
  const answering = { ...ledger, read: () => Promise.resolve({ kind: 'read', document } as const) };
  const [report] = await pipeline.runRetryQueue(answering);
  expect(['differs', 'fallback']).toContain(report?.state);
  await pipeline.ingestFeed(
    feedSource({
      number: 1,
      from: '2026-01-01',
      to: '2026-01-31',
      openingCents: 0,
      lines: [
        { on: '2026-01-12', cents: 100_000, reference: `${REFERENCE}0` },
        { on: '2026-01-13', cents: 150_000, reference: `${REFERENCE}1` },
      ],
    }),
    ACTOR,
  );
  const pair = `:20:S\r\n:25:021000021/${ACCOUNT}\r\n:28C:2/1\r\n:60F:C260201USD2500,00\r\n:61:2602020202C9,00NTRFNONREF//X1\r\n:86:TRACE ${TRACE} GIFT\r\n:61:2602030203D9,00NTRFNONREF//X2\r\n:86:TRACE ${TRACE} RETURN\r\n:62F:C260228USD2500,00\r\n-\r\n`;
  await pipeline.ingestFeed({ ...textSource('2.sta', pair), format: 'mt940' }, ACTOR);
  await pipeline.reconcilePeriod({ to: '2026-02-28' }, ACTOR);
  expect(await clear(), 'matched').toEqual([]);
  const period = { account: ACCOUNT, from: '2026-01-01', to: '2026-02-28' };
  expect(await pipeline.closePeriod(period, NOWHERE, ACTOR)).toMatchObject({ kind: 'closed' });
  await pipeline.reportFigures({ kind: '990', from: '2026-01-01', to: '2026-12-31' }, ACTOR);
  expect(await clear(), 'reported').toEqual([]);
});

/** Tables that have a reference or a trace in some row. */
async function clear(): Promise<readonly string[]> {
  const tables = await world.rows(
    `select relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relkind in ('r', 'p') order by relname`,
    [world.schema],
  );
  const found: string[] = [];
  for (const { relname } of tables) {
    const name = String(relname);
    const [row] = await world.rows(`select count(*)::int as n from ${name} t where t::text ~ $1`, [
      `${REFERENCE}|${TRACE}`,
    ]);
    if (Number(row?.['n']) > 0) found.push(name);
  }
  return found;
}
