/** An award has parts: installments over several closings, returns after a closing, and what banks keep. */
import { afterEach, describe, expect, it } from 'vitest';
import type { FeedSource } from '../../src/grants/pipeline/contracts.ts';
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

const QUARTERS = {
  Q1: { account: ACCOUNT, from: '2026-01-01', to: '2026-03-31' },
  Q2: { account: ACCOUNT, from: '2026-04-01', to: '2026-06-30' },
  Q3: { account: ACCOUNT, from: '2026-07-01', to: '2026-09-30' },
};
const YEAR = { from: '2026-01-01', to: '2026-12-31' };

interface Entry {
  readonly on: string;
  readonly cents: number;
  /** The mark of :61:, `C`, `D`, `RC` or `RD`. */
  readonly mark?: string;
  readonly reference?: string;
  readonly text?: string;
  readonly supplement?: string;
}

let world: GrantsWorld;
let balance = 0;
let number = 0;
afterEach(() => world.close());

async function begin(awards: readonly Parameters<typeof awardJson>[0][]): Promise<void> {
  world = await grantsWorld();
  balance = 0;
  number = 0;
  await world.pipeline.ingestAwards(awardsSource(awards.map(awardJson)), ACTOR);
}

function statement(from: string, to: string, entries: readonly Entry[]): FeedSource {
  const compact = (day: string): string => day.slice(2).replaceAll('-', '');
  const money = (cents: number): string =>
    `${Math.floor(cents / 100)},${String(cents % 100).padStart(2, '0')}`;
  number += 1;
  const opening = balance;
  const lines = entries.flatMap(({ on, cents, mark = 'C', reference, text, supplement }, at) => {
    const isIn = mark === 'C' || mark === 'RD';
    balance += isIn ? cents : -cents;
    return [
      `:61:${compact(on)}${compact(on).slice(2)}${mark}${money(cents)}NTRF${reference ?? 'NONREF'}//B${number}-${at}`,
      ...(supplement === undefined ? [] : [supplement]),
      `:86:${text ?? `${reference ?? 'PAYMENT'} HARBOR FOUNDATION`}`,
    ];
  });
  const text = [
    ':20:STMT',
    `:25:021000021/${ACCOUNT}`,
    `:28C:${number}/1`,
    `:60F:C${compact(from)}USD${money(opening)}`,
    ...lines,
    `:62F:C${compact(to)}USD${money(balance)}`,
    '-',
    '',
  ].join('\r\n');
  return { ...textSource(`${number}.sta`, text), format: 'mt940' };
}

async function quarter(name: keyof typeof QUARTERS, entries: readonly Entry[]): Promise<void> {
  const { from, to } = QUARTERS[name];
  await world.pipeline.ingestFeed(statement(from, to, entries), ACTOR);
}

async function close(name: keyof typeof QUARTERS) {
  return world.pipeline.closePeriod(QUARTERS[name], NOWHERE, ACTOR);
}

async function report990(days: { readonly from: string; readonly to: string } = YEAR) {
  return world.pipeline.reportFigures({ kind: '990', ...days }, ACTOR);
}

async function contributions(days?: { readonly from: string; readonly to: string }) {
  const { figures } = await report990(days);
  return Number(figures.find(({ name }) => name === 'IRS990/TotalContributionsAmt')?.cents ?? 0n);
}

const REF = 'REF-0001';
const award = { id: 'A-1', cents: 10_000_000, reference: REF, expected: '2026-01-12' };

describe('installments over several closings', () => {
  it('each counts on its own day in its own period, and the rest stays open and visible', async () => {
    await begin([award]);
    await quarter('Q1', [{ on: '2026-01-14', cents: 4_000_000, reference: REF }]);
    expect(await close('Q1')).toMatchObject({
      kind: 'closed',
      totals: { matchedCents: { USD: '4000000' } },
    });
    const waiting = await world.pipeline.unmatched('2026-04-30');
    expect(waiting).toMatchObject([{ side: 'ledger', amountCents: 6_000_000, bucket: 'over-90' }]);
    expect((await report990()).remarks.join()).toContain(
      'award A-1: 40,000.00 of 100,000.00 received through 2026-12-31; 60,000.00 is still expected',
    );
    await quarter('Q2', [
      { on: '2026-05-11', cents: 2_500_000, reference: REF },
      { on: '2026-06-11', cents: 2_500_000, reference: REF },
    ]);
    expect(await close('Q2')).toMatchObject({ totals: { matchedCents: { USD: '5000000' } } });
    await quarter('Q3', [{ on: '2026-07-13', cents: 1_000_000, reference: REF }]);
    expect(await close('Q3')).toMatchObject({ kind: 'closed' });
    expect(await world.pipeline.unmatched('2026-12-31')).toEqual([]);
    expect(await contributions(QUARTERS.Q1)).toBe(4_000_000);
    expect(await contributions({ from: '2026-05-01', to: '2026-05-31' })).toBe(2_500_000);
    expect(await contributions({ from: '2026-06-01', to: '2026-06-30' })).toBe(2_500_000);
    expect(await contributions()).toBe(10_000_000);
    expect((await report990()).remarks.join()).not.toContain('still expected');
  });

  it('deposits of one matching count on their own days as well', async () => {
    await begin([award]);
    await quarter('Q1', [
      { on: '2026-01-30', cents: 4_000_000, reference: REF },
      { on: '2026-02-03', cents: 6_000_000, reference: REF },
    ]);
    expect(await close('Q1')).toMatchObject({ kind: 'closed' });
    expect(await contributions({ from: '2026-01-01', to: '2026-01-31' })).toBe(4_000_000);
    expect(await contributions({ from: '2026-02-01', to: '2026-02-28' })).toBe(6_000_000);
  });

  it('a person may say so of a line without a reference, and the next exact rest is matched', async () => {
    await begin([award]);
    await quarter('Q1', [{ on: '2026-01-14', cents: 4_000_000, text: 'SOMEBODY' }]);
    expect(await close('Q1')).toMatchObject({ kind: 'blocked' });
    const entries = await world.pipeline.unmatched('2026-03-31');
    const line = entries.find(({ side }) => side === 'bank')?.id ?? '';
    const key = entries.find(({ side }) => side === 'ledger')?.id ?? '';
    await world.pipeline.resolve({
      line,
      expectedPayments: [key],
      reason: 'first half',
      by: world.people[0],
    });
    expect(await close('Q1')).toMatchObject({ kind: 'closed' });
    await quarter('Q2', [{ on: '2026-05-11', cents: 6_000_000, reference: REF }]);
    expect(await close('Q2')).toMatchObject({ totals: { matchedCents: { USD: '6000000' } } });
    expect(await contributions()).toBe(10_000_000);
  });

  it('goods are counted once, with the first payment', async () => {
    const goods = { ...award, more: { noncash_amount: 1_000_000 } };
    await begin([goods]);
    await quarter('Q1', [{ on: '2026-01-14', cents: 4_000_000, reference: REF }]);
    await close('Q1');
    await quarter('Q2', [{ on: '2026-05-11', cents: 5_000_000, reference: REF }]);
    await close('Q2');
    expect(await contributions(QUARTERS.Q1)).toBe(5_000_000);
    expect(await contributions(QUARTERS.Q2)).toBe(5_000_000);
    const { figures } = await report990(QUARTERS.Q2);
    const memo = figures.find(({ name }) => name === 'IRS990/NoncashContributionsAmt');
    expect(memo?.cents).toBe(0n);
  });
});

describe('a return after its payment was closed', () => {
  const whole = { ...award, cents: 250_000, expected: '2026-03-10' };

  it.each<readonly [string, Entry]>([
    ['as the bank marks it', { on: '2026-04-08', cents: 250_000, mark: 'RC', reference: REF }],
    [
      'as its words say',
      { on: '2026-04-08', cents: 250_000, mark: 'D', reference: REF, text: `RETURNED ITEM ${REF}` },
    ],
  ])('%s is taken off where it comes, and the closed total stays', async (_how, back) => {
    await begin([whole]);
    await quarter('Q1', [{ on: '2026-03-10', cents: 250_000, reference: REF }]);
    await close('Q1');
    const before = await world.rows('select totals from grant_period');
    await quarter('Q2', [back]);
    expect(await close('Q2')).toMatchObject({ totals: { matchedCents: { USD: '-250000' } } });
    expect(
      await world.rows('select totals from grant_period where to_day < $1', ['2026-04-01']),
    ).toEqual(before);
    expect(await contributions(QUARTERS.Q1)).toBe(250_000);
    expect(await contributions(QUARTERS.Q2)).toBe(-250_000);
    expect(await contributions()).toBe(0);
    const { remarks } = await report990(QUARTERS.Q2);
    expect(remarks.join('\n')).toMatch(
      /award A-1: 2,500\.00 was reversed on 2026-04-08 and is deducted here; the payment .* stays in the period/,
    );
    expect(remarks.join('\n')).toContain('deducted for returns: 2,500.00 in 1 booking');
    // It is expected again, and may be paid again.
    expect(await world.pipeline.unmatched('2026-06-30')).toMatchObject([
      { side: 'ledger', amountCents: 250_000 },
    ]);
    await quarter('Q3', [{ on: '2026-07-10', cents: 250_000, reference: REF }]);
    expect(await close('Q3')).toMatchObject({ totals: { matchedCents: { USD: '250000' } } });
    expect(await contributions()).toBe(250_000);
  });

  it('that nothing explains is asked about, and taken off the award that a person names', async () => {
    await begin([whole]);
    await quarter('Q1', [{ on: '2026-03-10', cents: 250_000, reference: REF }]);
    await close('Q1');
    const [stored] = await world.rows('select key from grant_award');
    await quarter('Q2', [{ on: '2026-04-08', cents: 250_000, mark: 'D', text: 'RETURNED ITEM' }]);
    expect(await close('Q2')).toMatchObject({ kind: 'blocked', obstacles: [expect.any(String)] });
    const [asked] = await world.pipeline.unmatched('2026-06-30');
    expect(asked?.why).toMatch(/^A return, .* resolve it with that award/);
    const key = String(stored?.['key']);
    const by = world.people[0];
    const resolve = (expectedPayments: readonly string[]) =>
      world.pipeline.resolve({
        line: asked?.id ?? '',
        expectedPayments,
        reason: 'check bounced',
        by,
      });
    await expect(resolve(['nobody'])).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await resolve([key]);
    expect(await close('Q2')).toMatchObject({ totals: { matchedCents: { USD: '-250000' } } });
    expect(await contributions()).toBe(0);
  });

  it('is never more than what came', async () => {
    await begin([whole]);
    balance = 100_000;
    await quarter('Q1', [{ on: '2026-03-10', cents: 250_000, reference: REF }]);
    await close('Q1');
    const [stored] = await world.rows('select key from grant_award');
    await quarter('Q2', [{ on: '2026-04-08', cents: 20, mark: 'D', text: 'RETURNED ITEM' }]);
    await quarter('Q3', [{ on: '2026-07-08', cents: 250_000, mark: 'D', text: 'RETURNED ITEM' }]);
    for (const line of await world.pipeline.unmatched('2026-09-30')) {
      await world.pipeline.resolve({
        line: line.id,
        expectedPayments: [String(stored?.['key'])],
        reason: 'bounced',
        by: world.people[0],
      });
    }
    expect(await close('Q2')).toMatchObject({ kind: 'closed' });
    await expect(close('Q3')).rejects.toMatchObject({ code: 'REFUSED_BY_RULE' });
    expect(await contributions()).toBe(249_980);
  });
});

describe('what a bank keeps', () => {
  const whole = { ...award, cents: 500_000 };

  it('is stated by the bank: the gift counts before it, the fee is an expense', async () => {
    await begin([whole]);
    await quarter('Q1', [
      {
        on: '2026-01-14',
        cents: 497_500,
        reference: REF,
        supplement: '/OCMT/USD5000,00/CHGS/USD25,00/',
      },
    ]);
    expect(await close('Q1')).toMatchObject({ kind: 'closed' });
    const { figures, remarks } = await report990();
    expect(figures.find(({ name }) => name === 'IRS990/TotalContributionsAmt')?.cents).toBe(
      500_000n,
    );
    expect(figures.find(({ name }) => name === 'IRS990/BankFeesKept')?.cents).toBe(2_500n);
    expect(remarks.join()).toContain('banks deducted 25.00');
    expect(await world.rows('select cents::int, fee_cents::int from grant_received')).toEqual([
      { cents: 500_000, fee_cents: 2_500 },
    ]);
    expect(await world.pipeline.unmatched('2026-12-31')).toEqual([]);
  });

  it('is stated by a person where the bank says nothing', async () => {
    await begin([whole]);
    await quarter('Q1', [{ on: '2026-01-14', cents: 498_000, reference: REF }]);
    expect(await close('Q1')).toMatchObject({ kind: 'blocked' });
    const entries = await world.pipeline.unmatched('2026-03-31');
    const line = entries.find(({ side }) => side === 'bank')?.id ?? '';
    const key = entries.find(({ side }) => side === 'ledger')?.id ?? '';
    const decision = { line, expectedPayments: [key], reason: 'wire fee', by: world.people[0] };
    await expect(world.pipeline.resolve({ ...decision, feeCents: 2_001 })).rejects.toMatchObject({
      code: 'REFUSED_BY_RULE',
    });
    await world.pipeline.resolve({ ...decision, feeCents: 2_000 });
    expect(await close('Q1')).toMatchObject({ kind: 'closed' });
    expect(await contributions()).toBe(500_000);
    expect(await world.pipeline.unmatched('2026-12-31')).toEqual([]);
  });
});
