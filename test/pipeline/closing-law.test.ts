/** A period closes only when its opening balance and every entry, counted once, make its closing balance. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FeedSource, PeriodName } from '../../src/grants/pipeline/contracts.ts';
import { type FreshDatabase, freshDatabase } from '../fixtures/database.ts';
import { accountOf } from '../grants/told-accounts.ts';
import { mulberry32, shuffled } from '../grants/reco.ts';
import { type BankStatement, type Entry, mt940, sentAs } from './bank.ts';
import {
  ACCOUNT,
  ACTOR,
  awardJson,
  awardsSource,
  type GrantsWorld,
  grantsWorld,
  NOWHERE,
  textSource,
} from './world.ts';

const MARCH = { account: ACCOUNT, from: '2026-03-01', to: '2026-03-31' };
const APRIL = { account: ACCOUNT, from: '2026-04-01', to: '2026-04-30' };

let database: FreshDatabase;
const worlds: GrantsWorld[] = [];
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(async () => {
  for (const world of worlds) await world.close();
  await database.close();
});

/** Awards REF-0, REF-1 and so on, of 1,000.00 and one cent more each. */
async function world(awards = 4): Promise<GrantsWorld> {
  const fresh = await grantsWorld(database, `charity-${worlds.length}`);
  worlds.push(fresh);
  const all = Array.from({ length: awards }, (_, at) =>
    awardJson({
      id: `A-${at}`,
      cents: 100_000 + at,
      reference: `REF-${at}`,
      expected: at < 3 ? '2026-03-10' : '2026-04-10',
    }),
  );
  await fresh.pipeline.ingestAwards(awardsSource(all), ACTOR);
  return fresh;
}

const gift = (at: number, on: string): Entry => ({
  on,
  cents: 100_000 + at,
  text: `REF-${at}`,
  number: `N${at}`,
});

function statement(more: Partial<BankStatement>): BankStatement {
  return { from: MARCH.from, to: MARCH.to, opening: 5_000, entries: [], ...more };
}

async function take(of: GrantsWorld, ...sources: readonly FeedSource[]): Promise<string[]> {
  const feeds: string[] = [];
  for (const source of sources) feeds.push((await of.pipeline.ingestFeed(source, ACTOR)).feed);
  return feeds;
}

async function closing(of: GrantsWorld, period: PeriodName = MARCH): Promise<string> {
  const report = await of.pipeline.closePeriod(period, NOWHERE, ACTOR);
  return report.kind === 'closed' ? 'closed' : report.obstacles.join('\n');
}

async function received(of: GrantsWorld): Promise<number> {
  const [row] = await of.rows(
    `select coalesce(sum(cents), 0)::int as cents from grant_received where tenant = '${of.tenant}'`,
  );
  return Number(row?.['cents']);
}

describe('balances', () => {
  const early = statement({ to: '2026-03-13', entries: [gift(0, '2026-03-10')] });
  const late = statement({
    from: '2026-03-14',
    opening: 105_000,
    entries: [gift(1, '2026-03-20')],
  });

  it.each(['mt940', 'camt053', 'ofx', 'bai2'] as const)(
    'a %s statement that is missing between two others blocks',
    async (format) => {
      const of = await world();
      await take(of, sentAs(format, early));
      await take(of, sentAs(format, { ...late, opening: 155_000 }));
      expect(await closing(of)).toMatch(/105000|1050\.00/);
      const middle = statement({
        from: '2026-03-13',
        to: '2026-03-13',
        opening: 105_000,
        entries: [{ on: '2026-03-13', cents: 50_000, text: 'INTEREST' }],
      });
      if (format === 'ofx') return;
      await take(of, sentAs(format, middle));
      expect(await closing(of)).toMatch(/^[0-9a-f#]+ needs a person/);
    },
  );

  it('an OFX download that leaves a line out is seen by the balances before and after', async () => {
    const of = await world();
    await take(of, sentAs('ofx', early));
    // Its balance counts a line that its list does not have.
    await take(of, sentAs('ofx', { ...late, closing: 255_001 }));
    expect(await closing(of)).toMatch(/between 2026-03-13 and 2026-03-14/);
  });

  it('overlapping downloads that disagree about a line do not close', async () => {
    const of = await world();
    const [one, two, three] = [0, 1, 2].map((at) => gift(at, `2026-03-1${at}`));
    if (one === undefined || two === undefined || three === undefined) throw new Error('three');
    await take(of, sentAs('camt053', statement({ to: '2026-03-20', entries: [one, two] })));
    // The second does not know the line of the 11th, and its balances do not either.
    const second = statement({ from: '2026-03-10', entries: [one, three] });
    await take(of, sentAs('camt053', second));
    expect(await closing(of)).toMatch(/opening balance is USD 50\.00 .*should be .*; it is/);
  });

  it('where no balance is known a person states it; a wrong one does not pass', async () => {
    const of = await world();
    const { pipeline, people } = of;
    const { opening: _none, ...blind } = statement({ entries: [gift(0, '2026-03-10')] });
    await take(of, sentAs('ofx', blind));
    expect(await closing(of)).toMatch(
      /no balance is known at the end of 2026-03-31.*grants balance/,
    );
    const word = { account: ACCOUNT, reason: "the bank's page", by: people[0] };
    await pipeline.stateBalance({ ...word, on: '2026-02-28', cents: 5_000 });
    await pipeline.stateBalance({ ...word, on: '2026-03-31', cents: 104_999 });
    expect(await closing(of)).toMatch(/0\.01 is too much/);
    await pipeline.stateBalance({ ...word, on: '2026-03-31', cents: 105_000 });
    expect(await closing(of)).toBe('closed');
    const again = { ...word, on: '2026-03-31', cents: 1 };
    await expect(pipeline.stateBalance(again)).rejects.toMatchObject({ code: 'REFUSED_BY_RULE' });
  });

  it('MT940 whose last page ends with :62M: waits for the page after it', async () => {
    const of = await world();
    const page = { ...early, to: MARCH.to, number: 7, page: { n: 1, isLast: false } };
    await take(of, sentAs('mt940', page));
    expect(await closing(of)).toMatch(/statement 7 of .*: page 2 is missing/);
    const second = { ...page, opening: 105_000, entries: [], page: { n: 2, isLast: true } };
    await take(of, sentAs('mt940', second));
    expect(await closing(of)).toBe('closed');
  });

  it('MT940 that begins with :60M: waits for the page before it', async () => {
    const of = await world();
    const page = { ...early, to: MARCH.to, number: 7, page: { n: 2, isLast: true } };
    await take(of, sentAs('mt940', page));
    expect(await closing(of)).toMatch(/the page before page 2 is missing/);
  });
});

describe('a wrong statement', () => {
  const wrong = statement({ entries: [gift(0, '2026-03-10'), gift(1, '2026-03-11')] });
  const right = statement({ entries: [gift(0, '2026-03-10'), gift(2, '2026-03-11')] });

  it('is withdrawn by two people and replaced, before it is closed and not after', async () => {
    const of = await world();
    const { pipeline, people } = of;
    const [feed = ''] = await take(of, sentAs('camt053', wrong));
    await take(of, sentAs('camt053', right));
    expect(await closing(of)).not.toBe('closed');
    const { withdrawals } = pipeline;
    const reason = 'sent for somebody else';
    const proposal = {
      feed: feed.slice(0, 8),
      replacement: sentAs('camt053', right),
      reason,
      by: people[0],
    };
    await withdrawals.propose(proposal);
    await expect(withdrawals.propose(proposal)).rejects.toMatchObject({ code: 'REFUSED_BY_RULE' });
    expect(await closing(of)).not.toBe('closed');
    const agreed = { decision: 'approved', reason } as const;
    await expect(withdrawals.decide(feed, { ...agreed, by: people[0] })).rejects.toMatchObject({
      code: 'SELF_APPROVAL',
    });
    await withdrawals.decide(feed, { ...agreed, by: people[1] });
    expect(await withdrawals.list()).toMatchObject([{ state: 'approved', reason }]);
    expect(await pipeline.statements(ACCOUNT)).toHaveLength(1);
    expect(await closing(of)).toBe('closed');
    expect(await received(of)).toBe(200_002);
    const [kept] = (await pipeline.statements(ACCOUNT)).map((one) => one.feed);
    const after = { feed: kept ?? '', reason, by: people[0] };
    await expect(withdrawals.propose(after)).rejects.toMatchObject({ code: 'REFUSED_BY_RULE' });
    // The ledger has both people's words.
    const facts = await of.rows(
      `select type from ledger_intake where tenant = '${of.tenant}' and subj_kind = 'grant_withdrawal' order by n`,
    );
    expect(facts.map(({ type }) => type)).toEqual([
      'feed.withdrawal_proposed',
      'feed.withdrawal_approved',
    ]);
  });

  it('comes back where the withdrawal was the mistake', async () => {
    const of = await world();
    const { withdrawals } = of.pipeline;
    const [feed = ''] = await take(of, sentAs('mt940', wrong));
    const [one, two] = of.people;
    for (const restores of [false, true]) {
      await withdrawals.propose({ feed, statement: 1, restores, reason: 'a wrong file', by: one });
      await withdrawals.decide(feed, { decision: 'approved', reason: 'a wrong file', by: two });
      expect(await of.pipeline.statements(ACCOUNT)).toHaveLength(restores ? 1 : 0);
      // The same bytes again do not undo what two people agreed to.
      const again = take(of, sentAs('mt940', wrong));
      if (restores) expect(await again).toEqual([feed]);
      else await expect(again).rejects.toThrow(/was withdrawn by two people/);
    }
    expect(await closing(of)).toBe('closed');
  });
});

describe('a download over the end of a closed period', () => {
  const march = statement({ entries: [gift(0, '2026-03-10'), gift(1, '2026-03-30')] });
  const entries = [gift(1, '2026-03-30'), gift(3, '2026-04-09')];
  const over = { from: '2026-03-25', to: '2026-04-30', opening: 105_000, entries };

  it.each(['camt053', 'mt940', 'ofx', 'bai2'] as const)(
    'gives its new lines in %s, and what was closed is not counted again',
    async (format) => {
      const of = await world();
      await take(of, sentAs('camt053', march));
      expect(await closing(of)).toBe('closed');
      const report = await of.pipeline.ingestFeed(sentAs(format, over), ACTOR);
      expect(report.late).toEqual([]);
      expect(await closing(of, APRIL)).toBe('closed');
      expect(await received(of)).toBe(300_004);
      const matched = await of.pipeline.unmatched('2026-05-01');
      expect(matched.filter(({ side }) => side === 'bank')).toEqual([]);
    },
  );

  it('tells a person of a line that was not there, and counts it nowhere by itself', async () => {
    const of = await world();
    const { pipeline, people } = of;
    await take(of, sentAs('camt053', march));
    expect(await closing(of)).toBe('closed');
    const strange = [...over.entries, gift(2, '2026-03-26')];
    const report = await pipeline.ingestFeed(
      sentAs('camt053', { ...over, entries: strange }),
      ACTOR,
    );
    expect(report.late).toEqual([expect.stringMatching(/2026-03-26.*arrived after that period/)]);
    const waiting = (await pipeline.unmatched('2026-05-01')).filter(({ side }) => side === 'bank');
    expect(waiting).toMatchObject([{ rule: 'P6-closed-period', amountCents: 100_002 }]);
    expect(await closing(of, APRIL)).toMatch(/needs a person \(P6-closed-period\)/);
    const [line = ''] = waiting.map(({ id }) => id);
    await pipeline.resolve({ line, expectedPayments: [], reason: 'asked the bank', by: people[0] });
    expect(await closing(of, APRIL)).toBe('closed');
    expect(await received(of)).toBe(300_004);
  });

  it('is refused where it has nothing but a line that the closed period did not have', async () => {
    const of = await world();
    await take(of, sentAs('camt053', march));
    expect(await closing(of)).toBe('closed');
    const strange = statement({ entries: [gift(2, '2026-03-12')] });
    await expect(take(of, sentAs('camt053', strange))).rejects.toMatchObject({
      code: 'REFUSED_BY_RULE',
      message: expect.stringMatching(/line \d+: .*2026-03-12 is closed and did not include/),
    });
    // The same statement once more, in other bytes, is no news.
    await take(of, sentAs('camt053', { ...march, copy: '2' }));
    const waiting = await of.pipeline.unmatched('2026-03-31');
    expect(waiting.filter(({ side }) => side === 'bank')).toEqual([]);
  });
});

it('money that the bank dates back counts with the statement that tells it', async () => {
  const of = await world();
  const march = statement({ entries: [gift(0, '2026-03-10')], number: 1 });
  await take(of, sentAs('mt940', march));
  // Booked in March, told in April: March's closing balance does not have it.
  const april = mt940({
    from: '2026-03-31',
    to: '2026-04-30',
    opening: 105_000,
    number: 2,
    entries: [gift(1, '2026-03-30'), gift(3, '2026-04-09')],
  });
  await take(of, { ...textSource('april.sta', april), format: 'mt940' });
  expect(await closing(of)).toBe('closed');
  expect(await closing(of, APRIL)).toBe('closed');
  expect(await received(of)).toBe(300_004);
});

describe('a generated account', () => {
  /** Imports in the order of a seed, answers each question once, and closes. */
  async function played(seed: number, order: number) {
    const of = await world(0);
    const { entries, sent } = accountOf(seed);
    const sources = sent.map(({ format, statement: one }) => sentAs(format, one));
    await take(of, ...shuffled(sources, mulberry32(order)));
    const asked = await of.pipeline.unmatched('2026-03-31');
    for (const { id } of asked) {
      await of.pipeline.resolve({
        line: id,
        expectedPayments: [],
        reason: 'a gift',
        by: of.people[0],
      });
    }
    const period = { account: ACCOUNT, from: '2026-03-02', to: '2026-03-13' };
    const closed = await of.pipeline.closePeriod(period, NOWHERE, ACTOR);
    const [row] = await of.rows(
      `select closing_cents::int as cents from grant_period where tenant = '${of.tenant}'`,
    );
    return {
      kind: closed.kind === 'closed' ? closed.kind : closed.obstacles.join(' '),
      closingCents: row?.['cents'],
      outcomes: closed.kind === 'closed' ? closed.totals.outcomes : {},
      questions: asked.map(({ since, amountCents }) => `${since} ${amountCents}`).sort(),
      truth: entries,
    };
  }

  it.each(Array.from({ length: 10 }, (_, at) => at + 1))(
    'seed %i closes to the cent with one question for each entry, in whatever order it came',
    async (seed) => {
      const one = await played(seed, 1);
      const { truth } = one;
      expect(one.kind).toBe('closed');
      expect(one.closingCents).toBe(truth.reduce((sum, { cents }) => sum + cents, 100_000));
      expect(one.questions).toEqual(
        truth.map(({ on, cents }) => `${on} ${Math.abs(cents)}`).sort(),
      );
      expect(await played(seed, 2)).toEqual(one);
    },
  );
});
