/** What a person said of an entry holds when its statement is withdrawn and another one tells the entry. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../fixtures/database.ts';
import { type BankFormat, type BankStatement, type Entry, sentAs } from './bank.ts';
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
const entry: Entry = { on: '2026-03-11', cents: GIFT, text: 'A GIFT', payer: 'SOMEBODY' };
const wrong: Entry = { on: '2026-03-12', cents: 700, text: 'OF SOMEBODY ELSE', number: 'W' };

let database: FreshDatabase;
const worlds: GrantsWorld[] = [];
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(async () => {
  for (const world of worlds) await world.close();
  await database.close();
});

interface Played {
  readonly of: GrantsWorld;
  /** The awards' keys. */
  readonly keys: readonly string[];
  /** Takes a statement in. */
  readonly take: (
    format: BankFormat,
    entries: readonly Entry[],
    more?: Partial<BankStatement>,
  ) => Promise<string>;
  readonly withdraw: (feed: string) => Promise<void>;
  readonly resolve: (line: string, ...expectedPayments: readonly string[]) => Promise<void>;
  readonly questions: () => Promise<readonly string[]>;
  /** Awards that the closed month has money for, and undefined where it does not close. */
  readonly closed: () => Promise<readonly string[] | undefined>;
}

async function play(): Promise<Played> {
  const of = await grantsWorld(database, `charity-${worlds.length}`);
  worlds.push(of);
  const { pipeline, people } = of;
  const awards = [0, 1].map((at) =>
    awardJson({ id: `A-${at}`, cents: GIFT, reference: `REF-000${at}`, expected: '2026-03-10' }),
  );
  await pipeline.ingestAwards(awardsSource(awards), ACTOR);
  const rows = await of.rows(
    `select key from grant_award where tenant = '${of.tenant}' order by ordinal`,
  );
  return {
    of,
    keys: rows.map((row) => String(row['key'])),
    take: async (format, entries, more = {}) => {
      const month = { from: MARCH.from, to: MARCH.to, opening: 10_000, entries, ...more };
      return (await pipeline.ingestFeed(sentAs(format, month), ACTOR)).feed;
    },
    withdraw: async (feed) => {
      await pipeline.withdrawals.propose({ feed, reason: 'a wrong file', by: people[0] });
      await pipeline.withdrawals.decide(feed, {
        decision: 'approved',
        reason: 'a wrong file',
        by: people[1],
      });
    },
    resolve: async (line, ...expectedPayments) => {
      await pipeline.resolve({
        line,
        expectedPayments,
        reason: 'the letter says so',
        by: people[0],
      });
    },
    questions: async () => {
      const waiting = await pipeline.unmatched('2026-04-15');
      return waiting.filter(({ side }) => side === 'bank').map(({ id }) => id);
    },
    closed: async () => {
      const report = await pipeline.closePeriod(MARCH, NOWHERE, ACTOR);
      if (report.kind !== 'closed') return undefined;
      const received = await of.rows(
        `select award from grant_received where tenant = '${of.tenant}' order by award`,
      );
      return received.map(({ award }) => String(award));
    },
  };
}

it.each([
  ['camt053', 'camt053', 'after'],
  ['camt053', 'camt053', 'before'],
  ['mt940', 'mt940', 'after'],
  ['ofx', 'ofx', 'after'],
  ['bai2', 'bai2', 'after'],
  ['camt053', 'mt940', 'after'],
] as const)('holds from %s to the %s that comes %s the withdrawal', async (one, other, when) => {
  const { keys, take, withdraw, resolve, questions, closed } = await play();
  const numbered = { ...entry, number: 'N1' };
  const feed = await take(one, [numbered, wrong]);
  await resolve(`${feed}#1`, keys[1] ?? '');
  if (when === 'after') await withdraw(feed);
  await take(other, [numbered], { copy: '2' });
  if (when === 'before') await withdraw(feed);
  expect(await questions()).toEqual([]);
  expect(await closed()).toEqual([keys[1]]);
});

it('a later word about the new line counts', async () => {
  const { keys, take, withdraw, resolve, closed } = await play();
  const feed = await take('camt053', [{ ...entry, number: 'N1' }, wrong]);
  await resolve(`${feed}#1`, keys[1] ?? '');
  await withdraw(feed);
  const second = await take('camt053', [{ ...entry, number: 'N1' }]);
  await resolve(`${second}#1`, keys[0] ?? '');
  expect(await closed()).toEqual([keys[0]]);
});

it('holds for each of two equal gifts where both come again', async () => {
  const { keys, take, withdraw, resolve, questions, closed } = await play();
  const feed = await take('camt053', [entry, entry, wrong]);
  await resolve(`${feed}#1`, keys[1] ?? '');
  await resolve(`${feed}#2`, keys[0] ?? '');
  await withdraw(feed);
  await take('camt053', [entry, entry]);
  expect(await questions()).toEqual([]);
  expect(await closed()).toEqual([...keys].sort());
});

it.each<readonly [string, readonly Entry[], readonly Entry[]]>([
  ['has another day', [entry], [{ ...entry, on: '2026-03-12' }]],
  ['has another amount', [entry], [{ ...entry, cents: GIFT - 1 }]],
  ['says something else', [entry], [{ ...entry, text: 'ANOTHER GIFT' }]],
  ['has another number', [{ ...entry, number: 'N1' }], [{ ...entry, number: 'N2' }]],
  ['is one of two that look alike', [entry], [entry, entry]],
  ['is the only one of two that looked alike', [entry, entry], [entry]],
])('is asked for again where the new line %s', async (_what, before, after) => {
  const { keys, take, withdraw, resolve, questions } = await play();
  const feed = await take('camt053', [...before, wrong]);
  await resolve(`${feed}#1`, keys[1] ?? '');
  await withdraw(feed);
  await take('camt053', after);
  expect(await questions()).toHaveLength(after.length);
});

it('is asked for again where two statements that follow each other have such a line', async () => {
  const { keys, take, withdraw, resolve, questions } = await play();
  const feed = await take('mt940', [entry, wrong]);
  await resolve(`${feed}#1`, keys[1] ?? '');
  await withdraw(feed);
  const day = { from: '2026-03-11', to: '2026-03-11' };
  await take('mt940', [entry], { ...day, number: 1 });
  await take('mt940', [entry], { ...day, number: 2, opening: 10_000 + GIFT });
  // Neither is lost, and neither is taken for the one that was meant.
  expect(await questions()).toHaveLength(2);
});
