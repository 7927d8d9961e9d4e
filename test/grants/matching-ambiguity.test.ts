import { describe, expect, it } from 'vitest';
import type { BankLine, ExpectedPayment } from '../../src/grants/rules/matching/bank-line.ts';
import { day, line, match, expectedPayment, summary } from './reco.ts';

describe('ambiguity goes to a person', () => {
  it('one line, two equal receipts under one reference', () => {
    const expectedPayments = ['l1', 'l2'].map((id) => expectedPayment({ id, reference: 'R1' }));
    expect(summary([line({ id: 'b1', references: ['R1'] })], expectedPayments)).toEqual([
      'P1-ambiguous manual b1=l1+l2',
    ]);
  });

  it('equal installments are distinguished by their dates', () => {
    const months = ['2026-01-05', '2026-03-05', '2026-05-05'];
    const expectedPayments = months.map((text, at) =>
      expectedPayment({ id: `l${at}`, reference: 'R1', expected: day(text) }),
    );
    const lines = months.map((text, at) =>
      line({ id: `b${at}`, references: ['r1 '], bookingDate: day(text) }),
    );
    expect(summary(lines, expectedPayments)).toEqual(
      months.map((_, at) => `P1-reference-exact matched b${at}=l${at}`),
    );
  });

  it('two choices of receipts that add up to one deposit', () => {
    const expectedPayments = [30, 70, 40, 60].map((dollars, at) =>
      expectedPayment({ id: `l${at}`, reference: 'R1', amountCents: dollars * 100 }),
    );
    const [first] = summary([line({ id: 'b1', references: ['R1'] })], expectedPayments);
    expect(first).toBe('P2-ambiguous manual b1=l0+l1+l2+l3');
  });

  it('two receipts that the same deposits would pay', () => {
    const expectedPayments = ['l1', 'l2'].map((id) => expectedPayment({ id, reference: 'R1' }));
    const lines = [40, 60].map((dollars, at) =>
      line({ id: `b${at}`, references: ['R1'], amountCents: dollars * 100 }),
    );
    expect(summary(lines, expectedPayments).every((text) => !text.includes(' matched '))).toBe(
      true,
    );
  });

  it('two lines without reference for one receipt', () => {
    const lines = ['b1', 'b2'].map((id) => line({ id }));
    expect(summary(lines, [expectedPayment({ id: 'l1' })])).toEqual([
      'P4-ambiguous manual b1=l1',
      'P4-ambiguous manual b2=l1',
    ]);
  });

  it('a payment that may be an uncounted candidate is not unique, whichever side had too many to count', () => {
    const late = day('2026-03-16');
    const crowd = Array.from({ length: 20 }, (_, at) =>
      expectedPayment({ id: `l${at}`, payer: 'HHS' }),
    );
    const last = expectedPayment({ id: 'last', payer: 'HHS', expected: late });
    const sole = line({ id: 'b1', counterparty: 'HHS', bookingDate: day('2026-03-20') });
    const ruleFor = (asker: Partial<BankLine>): string | undefined =>
      match([line({ id: 'b0', bookingDate: late, ...asker }), sole], [...crowd, last]).find(
        ({ bank }) => bank[0] === 'b1',
      )?.rule;
    expect(ruleFor({ counterparty: 'HHS' })).toBe('P4-ambiguous');
    expect(ruleFor({ counterparty: undefined, description: 'FROM HHS' })).toBe('P4-ambiguous');
    // Whose crowd is of another payer or another amount can have nothing to do with it.
    expect(ruleFor({ counterparty: 'NIH' })).toBe('P4-amount-date-unique');
    expect(ruleFor({ counterparty: 'HHS', amountCents: 1 })).toBe('P4-amount-date-unique');
  });

  it('a receipt that a line would have found after the last one it looked at is not unique', () => {
    const others = Array.from({ length: 400 }, (_, at) =>
      expectedPayment({ id: `l${at}`, payer: 'NIH' }),
    );
    const last = expectedPayment({ id: 'last', payer: 'HHS', expected: day('2026-03-11') });
    const lines = [
      line({ id: 'b0', counterparty: undefined, description: 'FROM HHS' }),
      line({ id: 'b1', counterparty: 'HHS' }),
    ];
    const ruleOf = (expectedPayments: readonly ExpectedPayment[]): string | undefined =>
      match(lines, expectedPayments).find(({ bank }) => bank[0] === 'b1')?.rule;
    expect(ruleOf([...others, last])).toBe('P4-ambiguous');
    expect(ruleOf([...others.slice(0, 10), last])).toBe('P4-ambiguous');
  });

  it('a crowd of one payer leaves the others unique', () => {
    const crowd = Array.from({ length: 21 }, (_, at) =>
      expectedPayment({ id: `l${at}`, payer: 'HHS' }),
    );
    const found = summary(
      [line({ id: 'b0', counterparty: 'HHS' }), line({ id: 'b1', counterparty: 'NIH' })],
      [...crowd, expectedPayment({ id: 'other', payer: 'NIH' })],
    );
    expect(found[0]).toBe('P4-amount-date-unique matched b1=other');
  });

  it('more than 40 under one reference are not searched for sums, and the reason says so', () => {
    const expectedPayments = Array.from({ length: 41 }, (_, at) =>
      expectedPayment({ id: `l${at}`, reference: 'R1', amountCents: 1_000_00 + 1_00 * at }),
    );
    const deposit = line({ id: 'b1', references: ['R1'], amountCents: 2_001_00 });
    const reasonFor = (some: typeof expectedPayments): string | undefined =>
      match([deposit], some).find(({ bank }) => bank[0] === 'b1')?.reason.text;
    expect(reasonFor(expectedPayments.slice(0, 2))).toMatch(
      /^2 expected payments with the same reference add up/,
    );
    expect(reasonFor(expectedPayments)).toBe(
      'More than 40 open entries under this reference: not searched for sums.',
    );
  });

  it('a reference that contradicts is not overruled by amount and payer', () => {
    const lines = [line({ id: 'b1', references: ['OTHER-9'] })];
    expect(summary(lines, [expectedPayment({ id: 'l1', reference: 'R1' })])).toEqual([
      'P6-unmatched-bank manual b1=',
      'P6-unmatched-ledger open =l1',
    ]);
  });

  it('short by more than the fee is not proposed', () => {
    const lines = [line({ id: 'b1', references: ['R1'], amountCents: 49_99 })];
    expect(summary(lines, [expectedPayment({ id: 'l1', reference: 'R1' })])[0]).toBe(
      'P6-unmatched-bank manual b1=',
    );
    const near = [line({ id: 'b1', references: ['R1'], amountCents: 50_00 })];
    expect(summary(near, [expectedPayment({ id: 'l1', reference: 'R1' })])[0]).toBe(
      'P5-short-by-fee review b1=l1',
    );
  });
});
