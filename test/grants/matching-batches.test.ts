import { describe, expect, it } from 'vitest';
import type {
  BankLine,
  ExpectedPayment,
  LinePayment,
} from '../../src/grants/rules/matching/bank-line.ts';
import { day, line, match, expectedPayment, summary } from './reco.ts';

const gift = (n: number, about: Partial<ExpectedPayment> = {}): ExpectedPayment =>
  expectedPayment({ id: `l${n}`, amountCents: 1_000 + n * 7, payer: `Giver ${n}`, ...about });

const paymentOf = (one: ExpectedPayment, by: 'reference' | 'payer'): LinePayment => ({
  amountCents: one.amountCents,
  references: by === 'reference' && one.reference !== undefined ? [one.reference] : [],
  counterparty: by === 'payer' ? one.payer.toUpperCase() : undefined,
});

function batch(payments: readonly LinePayment[], about: Partial<BankLine> = {}): BankLine {
  return line({
    id: 'b1',
    amountCents: payments.reduce((sum, { amountCents }) => sum + amountCents, 0),
    references: [...new Set(payments.flatMap(({ references }) => references))],
    counterparty: undefined,
    description: 'BATCH DEPOSIT',
    payments,
    ...about,
  });
}

describe('one line for many gifts, which it lists', () => {
  it.each([2, 7, 41, 300])('finds each of %i by its reference, and by its payer', (size) => {
    const named = Array.from({ length: size }, (_, n) => gift(n, { reference: `G-${n}` }));
    const [first] = match([batch(named.map((one) => paymentOf(one, 'reference')))], named);
    expect(first).toMatchObject({ rule: 'P2-batch-details', status: 'matched', bank: ['b1'] });
    expect(new Set(first?.ledger)).toEqual(new Set(named.map(({ id }) => id)));
    const bare = Array.from({ length: size }, (_, n) => gift(n));
    const [second] = match([batch(bare.map((one) => paymentOf(one, 'payer')))], bare);
    expect(second).toMatchObject({ rule: 'P2-batch-details', status: 'matched' });
    expect(second?.ledger).toHaveLength(size);
  });

  it('finds some by reference, with blanks in it or cut, and some by payer', () => {
    const long = 'SPRINGFIELD COMMUNITY FUND 2026 ARTS GRANT 0012';
    const gifts = [gift(1, { reference: 'G-2026-1' }), gift(2), gift(3, { reference: long })];
    const payments: LinePayment[] = [
      { amountCents: 1_007, references: ['G-20 26-1'], counterparty: undefined },
      { amountCents: 1_014, references: ['NOTPROVIDED'], counterparty: 'GIVER 2 INC' },
      { amountCents: 1_021, references: [long.slice(0, 35)], counterparty: undefined },
    ];
    expect(summary([batch(payments)], gifts)).toEqual(['P2-batch-details matched b1=l1+l2+l3']);
  });

  it('equal gifts of one giver in one batch are all of them', () => {
    const gifts = [1, 2, 3].map((n) => gift(n, { amountCents: 500, payer: 'Ana' }));
    const lines = [batch(gifts.map((one) => paymentOf(one, 'payer')))];
    expect(summary(lines, gifts)).toEqual(['P2-batch-details matched b1=l1+l2+l3']);
    const more = [...gifts, gift(4, { amountCents: 500, payer: 'Ana' })];
    expect(summary(lines, more)[0]).toMatch(/^P2-ambiguous manual b1=/);
  });

  it('asks where one of them is unknown, and gives none away', () => {
    const gifts = [gift(1, { reference: 'G-1' }), gift(2, { reference: 'G-2' })];
    const stranger: LinePayment = { amountCents: 777, references: [], counterparty: 'NOBODY' };
    const lines = [batch([...gifts.map((one) => paymentOf(one, 'reference')), stranger])];
    const [first] = match(lines, gifts);
    expect(first).toMatchObject({ rule: 'P2-ambiguous', status: 'manual', ledger: ['l1', 'l2'] });
    expect(first?.reason.text).toContain('777 cents of NOBODY');
  });

  it('asks where a gift is reported twice, by another batch or by a line of its own', () => {
    const gifts = [gift(1), gift(2)];
    const lines = [batch(gifts.map((one) => paymentOf(one, 'payer')))];
    const again = {
      ...batch(gifts.map((one) => paymentOf(one, 'payer'))),
      id: 'b2',
      nativeId: 'x',
    };
    expect(summary([...lines, again], gifts).every((text) => !text.includes(' matched '))).toBe(
      true,
    );
    const single = line({
      id: 'b3',
      amountCents: gifts[0]?.amountCents ?? 0,
      counterparty: 'Giver 1',
    });
    const found = summary([...lines, single], gifts);
    expect(found.some((text) => text.includes('matched b1'))).toBe(false);
    const named = [gift(1, { reference: 'G-1' }), gift(2, { reference: 'G-2' })];
    const own = line({ id: 'b3', amountCents: 1_007, references: ['G-1'] });
    const told = summary([batch(named.map((one) => paymentOf(one, 'reference'))), own], named);
    expect(told).toContain('P1-reference-exact matched b3=l1');
    expect(told.some((text) => text.includes('manual b1='))).toBe(true);
  });

  it('an amount that is by chance that of one listed gift does not stand for it', () => {
    const gifts = [
      gift(1, { reference: 'G-1', amountCents: 2_000 }),
      gift(2, { reference: 'G-2' }),
    ];
    const payments: LinePayment[] = [
      { amountCents: 986, references: ['G-1'], counterparty: undefined },
      { amountCents: 1_014, references: ['G-2'], counterparty: undefined },
    ];
    const found = summary([batch(payments)], gifts);
    expect(found.some((text) => text.includes(' matched '))).toBe(false);
  });

  it('a gift weeks away is not the one, unless its reference says so', () => {
    const gifts = [gift(1, { expected: day('2026-01-05') }), gift(2)];
    const lines = [batch(gifts.map((one) => paymentOf(one, 'payer')))];
    expect(summary(lines, gifts)[0]).toMatch(/^P2-ambiguous manual b1=/);
    const named = gifts.map((one, at) => ({ ...one, reference: `G-${at}` }));
    const told = [batch(named.map((one) => paymentOf(one, 'reference')))];
    expect(summary(told, named)).toEqual(['P2-batch-details matched b1=l1+l2']);
  });
});

describe('one line that names all its awards', () => {
  it.each([7, 12, 60])('is all %i of them, where they come to its amount', (size) => {
    const gifts = Array.from({ length: size }, (_, n) => gift(n, { reference: `G-${1_000 + n}` }));
    const whole = line({
      id: 'b1',
      amountCents: gifts.reduce((sum, { amountCents }) => sum + amountCents, 0),
      references: gifts.map(({ reference }) => reference ?? ''),
    });
    const [first] = match([whole], gifts);
    expect(first).toMatchObject({ rule: 'P2-many-to-one', status: 'matched' });
    expect(first?.ledger).toHaveLength(size);
    const more = match([{ ...whole, amountCents: whole.amountCents + 1 }], gifts);
    expect(more.some(({ status }) => status === 'matched')).toBe(false);
  });
});
