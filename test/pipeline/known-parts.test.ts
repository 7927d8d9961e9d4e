/** One booked sum for several gifts, of which a person knows only some: the known parts, and what the rest is. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResolvedByPerson } from '../../src/grants/pipeline/contracts.ts';
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
const APRIL = { account: ACCOUNT, from: '2026-04-01', to: '2026-04-30' };
const YEAR = { kind: '990', from: '2026-01-01', to: '2026-12-31' } as const;
const [ONE, TWO, THREE] = [100_003, 200_007, 50_001];
const sum: Entry = {
  on: '2026-03-10',
  cents: ONE + TWO + THREE,
  text: 'GIFTS',
  payer: 'COLLECTOR',
  number: 'N1',
};
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

/** `third` is an award of our own that nobody knows to be in the sum. */
async function play(entries: readonly Entry[] = [sum], third = THREE) {
  const of = await grantsWorld(database, `charity-${worlds.length}`);
  worlds.push(of);
  const { pipeline, people, tenant } = of;
  const award = (cents: number, at: number, payer: string) =>
    awardJson({
      id: `A-${at}`,
      cents,
      reference: `REF-000${at}`,
      expected: '2026-03-10',
      more: { payer },
    });
  const awards = [award(ONE, 1, 'Ash'), award(TWO, 2, 'Birch'), award(third, 3, 'Cedar')];
  await pipeline.ingestAwards(awardsSource(awards), ACTOR);
  const stored = await of.rows(
    `select key from grant_award where tenant = '${tenant}' order by ordinal`,
  );
  const keys = stored.map((row) => String(row['key']));
  const [first = '', second = '', last = ''] = keys;
  const take = async (
    format: BankFormat,
    lines: readonly Entry[],
    more: Partial<BankStatement> = {},
  ): Promise<string> => {
    const month = { from: MARCH.from, to: MARCH.to, opening: 10_000, entries: lines, ...more };
    return (await pipeline.ingestFeed(sentAs(format, month), ACTOR)).feed;
  };
  const feed = await take('camt053', entries);
  return {
    of,
    first,
    second,
    last,
    take,
    feed,
    line: `${feed}#1`,
    resolve: (line: string, expectedPayments: readonly string[], rest?: ResolvedByPerson['rest']) =>
      pipeline.resolve({
        line,
        expectedPayments,
        ...(rest !== undefined && { rest }),
        reason: 'the letters of Ash and Birch',
        by: people[0],
      }),
    withdraw: async (withdrawn: string) => {
      await pipeline.withdrawals.propose({
        feed: withdrawn,
        reason: 'a wrong file',
        by: people[0],
      });
      const agreed = { decision: 'approved', reason: 'a wrong file', by: people[1] } as const;
      await pipeline.withdrawals.decide(withdrawn, agreed);
    },
    questions: async () => {
      const waiting = await pipeline.unmatched('2026-04-15');
      return waiting.filter(({ side }) => side === 'bank');
    },
    close: (period = MARCH) => pipeline.closePeriod(period, NOWHERE, ACTOR),
    received: async () => {
      const rows = await of.rows(
        `select award, cents::int as cents from grant_received where tenant = '${tenant}' order by received_on, abs(cents)`,
      );
      return rows.map((row) => [row['award'], row['cents']]);
    },
    contributions: async () => {
      const { figures } = await pipeline.reportFigures(YEAR, ACTOR);
      const found = figures.find(({ name }) => name === 'IRS990/TotalContributionsAmt');
      return Number(found?.cents ?? 0n);
    },
  };
}

const OPEN = { state: 'open', cents: THREE } as const;
const NONE = { state: 'none', cents: THREE } as const;

describe('while the rest is not known', () => {
  it('the line is one question, which names the parts and the rest, and nothing is counted', async () => {
    const { of, first, second, line, resolve, questions, close, received, contributions } =
      await play();
    await resolve(line, [first, second], OPEN);
    const report = await of.pipeline.reconcilePeriod({ to: MARCH.to }, ACTOR);
    expect(report.byStatus).toMatchObject({ matched: 0, manual: 1, review: 0, open: 1 });
    expect(report.totals).toMatchObject({
      matchedCents: {},
      outcomes: { 'P6-rest-open': 1, 'P6-unmatched-ledger': 1 },
    });
    const [asked, ...others] = await questions();
    expect(others).toEqual([]);
    expect(asked).toMatchObject({ rule: 'P6-rest-open', id: line, amountCents: sum.cents });
    for (const word of [
      `1,000.03 for ${first}`,
      `2,000.07 for ${second}`,
      '500.01 is not identified',
    ]) {
      expect(asked?.why).toContain(word);
    }
    const blocked = await close();
    expect(blocked).toMatchObject({ kind: 'blocked' });
    expect(JSON.stringify(blocked)).toContain(`${line} needs a person (P6-rest-open)`);
    expect(await received()).toEqual([]);
    expect(await contributions()).toBe(0);
    expect(await of.count('grant_match', `tenant = '${of.tenant}'`)).toBe(0);
  });

  it('awards of the known parts are for no other line, by rule or by word', async () => {
    const exact: Entry = { on: '2026-03-11', cents: ONE, text: 'REF-0001', number: 'N2' };
    const { of, first, second, feed, line, resolve, questions } = await play([sum, exact]);
    await resolve(line, [first, second], OPEN);
    expect((await questions()).map(({ id }) => id)).toEqual([line, `${feed}#2`]);
    const report = await of.pipeline.reconcilePeriod({ to: MARCH.to }, ACTOR);
    expect(report.byStatus).toMatchObject({ matched: 0, manual: 2 });
    await expect(resolve(`${feed}#2`, [first])).rejects.toMatchObject({
      code: 'REFUSED_BY_RULE',
      message: expect.stringMatching(new RegExp(`${first}.*${line}.*resolve`)),
    });
    // Taken back, they are free again.
    await resolve(line, [second], { state: 'open', cents: ONE + THREE });
    expect((await questions()).map(({ id }) => id)).toEqual([line]);
  });

  it('nor for a line of a period that is closed before', async () => {
    const exact: Entry = { on: '2026-03-11', cents: ONE, text: 'REF-0001', number: 'N2' };
    const { of, first, second, last, feed, take, resolve, close, received } = await play([exact]);
    const april = { from: APRIL.from, to: APRIL.to, opening: 10_000 + ONE, number: 2 };
    const later = await take('camt053', [{ ...sum, on: '2026-04-02' }], april);
    await resolve(`${later}#1`, [first, second], OPEN);
    expect(await close()).toMatchObject({
      kind: 'blocked',
      obstacles: [expect.stringContaining(`${feed}#1 needs a person`)],
    });
    const waiting = await of.pipeline.unmatched('2026-03-31');
    expect(waiting.find(({ id }) => id === first)).toMatchObject({
      side: 'ledger',
      amountCents: ONE,
      why: expect.stringContaining(`assigned it to line ${later}#1`),
    });
    expect(waiting.map(({ side }) => side).toSorted()).toEqual([
      'bank',
      ...Array(3).fill('ledger'),
    ]);
    // The person was wrong about it: then the rule finds it.
    await resolve(`${later}#1`, [second, last], { state: 'open', cents: ONE });
    expect(await close()).toMatchObject({ kind: 'closed' });
    expect(await received()).toEqual([[first, ONE]]);
  });

  it('a second delivery keeps the word, and may be spoken of instead', async () => {
    const { first, second, last, line, take, resolve, questions, close, received } = await play();
    await resolve(line, [first, second], OPEN);
    const copy = await take('mt940', [sum]);
    expect(await questions()).toMatchObject([{ rule: 'P6-rest-open' }]);
    expect(await close()).toMatchObject({ kind: 'blocked' });
    await resolve(`${copy}#1`, [first, second, last]);
    expect(await close()).toMatchObject({ kind: 'closed' });
    expect(await received()).toHaveLength(3);
  });

  it('a withdrawn statement sets the awards free, and the word holds where the entry comes again', async () => {
    const { of, first, second, feed, line, take, withdraw, resolve, questions, close, received } =
      await play([sum, wrong]);
    await resolve(line, [first, second], OPEN);
    await withdraw(feed);
    expect(await questions()).toEqual([]);
    const waiting = await of.pipeline.unmatched('2026-04-15');
    expect(waiting.map(({ rule }) => rule)).toEqual(Array(3).fill('P6-unmatched-ledger'));
    const other = await take('camt053', [sum], { copy: '2' });
    expect(await questions()).toMatchObject([{ rule: 'P6-rest-open', id: `${other}#1` }]);
    await resolve(`${other}#1`, [first, second], NONE);
    expect(await close()).toMatchObject({ kind: 'closed' });
    expect(await received()).toHaveLength(2);
  });
});

describe('the rest ends', () => {
  it('with the full list of awards', async () => {
    const { first, second, last, line, resolve, close, received, contributions } = await play();
    await resolve(line, [first, second], OPEN);
    await resolve(line, [first, second, last]);
    expect(await close()).toMatchObject({
      kind: 'closed',
      totals: { matchedCents: { USD: String(sum.cents) } },
    });
    expect(await received()).toEqual([
      [last, THREE],
      [first, ONE],
      [second, TWO],
    ]);
    expect(await contributions()).toBe(sum.cents);
  });

  it('as money for none of our awards: the balance has it, no award and no report has', async () => {
    const { of, first, second, line, resolve, close, received, contributions } = await play();
    await resolve(line, [first, second], OPEN);
    await resolve(line, [first, second], NONE);
    expect(await close()).toMatchObject({
      kind: 'closed',
      totals: { matchedCents: { USD: String(ONE + TWO) }, outcomes: { person: 1 } },
    });
    expect(await received()).toEqual([
      [first, ONE],
      [second, TWO],
    ]);
    expect(await contributions()).toBe(ONE + TWO);
    const [period] = await of.rows(
      `select closing_cents::int as cents from grant_period where tenant = '${of.tenant}'`,
    );
    expect(period).toEqual({ cents: 10_000 + sum.cents });
    const [match] = await of.rows(
      `select reason from grant_match where tenant = '${of.tenant}' and rule = 'person'`,
    );
    expect(match?.['reason']).toMatchObject({ restCents: THREE, ledgerCents: ONE + TWO });
    expect(JSON.stringify(match)).toContain('500.01 of it pays none of your awards');
    // The third award is still expected.
    expect(await of.pipeline.unmatched('2026-04-15')).toMatchObject([
      { side: 'ledger', amountCents: THREE },
    ]);
  });

  it('of one known gift as well, which has its own amount and no cent more', async () => {
    const { first, line, resolve, close, received } = await play();
    await resolve(line, [first], { state: 'none', cents: TWO + THREE });
    expect(await close()).toMatchObject({ totals: { matchedCents: { USD: String(ONE) } } });
    expect(await received()).toEqual([[first, ONE]]);
  });

  it('with what the bank kept of the whole', async () => {
    const { of, first, second, line } = await play();
    const said = { line, expectedPayments: [first, second], reason: 'fee of the collector' };
    const by = of.people[0];
    const rest = { state: 'none', cents: THREE + 500 } as const;
    await of.pipeline.resolve({ ...said, rest, feeCents: 500, by });
    expect(await of.pipeline.closePeriod(MARCH, NOWHERE, ACTOR)).toMatchObject({ kind: 'closed' });
    expect(
      await of.rows(
        `select cents::int, fee_cents::int from grant_received where tenant = '${of.tenant}' order by cents`,
      ),
    ).toEqual([
      { cents: ONE, fee_cents: 500 },
      { cents: TWO, fee_cents: 0 },
    ]);
  });

  it('and when the bank takes all of it back later, only what was counted is taken off', async () => {
    const { of, first, second, line, take, resolve, close, contributions } = await play();
    await resolve(line, [first, second], NONE);
    await close();
    const back = { on: '2026-04-08', cents: -sum.cents, text: 'RETURNED ITEM GIFTS' };
    await take('camt053', [{ ...back, payer: 'COLLECTOR', number: 'N9' }], {
      from: APRIL.from,
      to: APRIL.to,
      opening: 10_000 + sum.cents,
      number: 2,
    });
    expect(await close(APRIL)).toMatchObject({
      kind: 'closed',
      totals: { matchedCents: { USD: String(-ONE - TWO) } },
    });
    expect(await contributions()).toBe(0);
    expect(await of.pipeline.unmatched('2026-04-30')).toHaveLength(3);
  });
});

it('a list of awards gives what it said, though more of one is open since', async () => {
  const half = { on: '2026-03-09', cents: 40_000, text: 'REF-0001', number: 'H' };
  const { first, second, take, resolve, close, received } = await play([half]);
  expect(await close()).toMatchObject({ kind: 'closed' });
  const two = { ...sum, on: '2026-04-02', cents: ONE - half.cents + TWO };
  const april = { from: APRIL.from, to: APRIL.to, number: 2, opening: 10_000 + half.cents };
  const feed = await take('camt053', [two], { ...april, to: '2026-04-07' });
  await resolve(`${feed}#1`, [first, second]);
  const back = { on: '2026-04-08', cents: -40_000, text: 'RETURNED ITEM REF-0001', number: 'R' };
  const opening = 10_000 + half.cents + two.cents;
  await take('camt053', [back], { ...april, from: back.on, number: 3, opening });
  expect(await close(APRIL)).toMatchObject({ kind: 'closed' });
  expect(await received()).toEqual([
    [first, 40_000],
    [first, ONE - 40_000],
    [second, TWO],
    [first, -40_000],
  ]);
});

describe('what does not come to the line is refused', () => {
  it.each([
    ['a rest that is a cent short', { state: 'open', cents: THREE - 1 }, /1 cent.*50001/],
    ['a rest that is too large', { state: 'none', cents: THREE + 1 }, /1 cent.*50001/],
  ] as const)('%s, with the line, the figures and the right one', async (_what, rest, words) => {
    const { of, first, second, line, resolve } = await play();
    const refused = resolve(line, [first, second], rest);
    await expect(refused).rejects.toMatchObject({ code: 'REFUSED_BY_RULE' });
    await expect(refused).rejects.toThrow(line);
    await expect(refused).rejects.toThrow(words);
    expect(await of.count('grant_resolution', `tenant = '${of.tenant}'`)).toBe(0);
  });

  it('known parts that are more than the line', async () => {
    const { first, second, last, line, resolve } = await play([{ ...sum, cents: ONE + 1 }]);
    await expect(resolve(line, [first, second, last], OPEN)).rejects.toThrow(/more than the line/);
  });

  it('a list without its rest, which says how to name it', async () => {
    const { first, second, line, resolve } = await play();
    await expect(resolve(line, [first, second])).rejects.toThrow(/--rest-open.*50001 cents/);
  });

  it('a rest of nothing known, of no cents, of money out; an award that is named twice', async () => {
    const out: Entry = { on: '2026-03-12', cents: -700, text: 'FEE', number: 'F' };
    const { first, second, feed, line, resolve } = await play([sum, out]);
    await expect(resolve(line, [], OPEN)).rejects.toMatchObject({ code: 'USAGE' });
    const nothing = resolve(line, [first, second], { state: 'open', cents: 0 });
    await expect(nothing).rejects.toMatchObject({ code: 'USAGE' });
    await expect(resolve(`${feed}#2`, [first], OPEN)).rejects.toMatchObject({ code: 'USAGE' });
    const twice = resolve(line, [first, first], { state: 'open', cents: TWO + THREE - ONE });
    await expect(twice).rejects.toMatchObject({ code: 'USAGE' });
  });
});
