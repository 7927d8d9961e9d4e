import { describe, expect, it } from 'vitest';
import type { BankLine } from '../../src/grants/rules/matching/bank-line.ts';
import { day, line, match, expectedPayment, summary } from './reco.ts';

describe('never count twice', () => {
  it('equal content with different numbers of the bank is two payments', () => {
    const two = [line({ id: 'b1', references: ['R1'] }), line({ id: 'b2', references: ['R1'] })];
    expect(summary(two, [expectedPayment({ id: 'l1', reference: 'R1' })])).toEqual([
      'P1-reference-exact matched b1=l1',
      'P6-suspected-double-payment manual b2=',
    ]);
  });

  it('a number that the bank uses again for another day is another payment', () => {
    const lines = [
      line({ id: 'b1', nativeId: 'N', references: ['R1'] }),
      line({ id: 'b2', nativeId: 'N', references: ['R2'], bookingDate: day('2026-03-11') }),
    ];
    const expectedPayments = [
      expectedPayment({ id: 'l1', reference: 'R1' }),
      expectedPayment({ id: 'l2', reference: 'R2' }),
    ];
    expect(summary(lines, expectedPayments)).toEqual([
      'P1-reference-exact matched b1=l1',
      'P1-reference-exact matched b2=l2',
    ]);
  });

  it('half of a receipt, announced by the clearing and booked by the bank, is not all of it', () => {
    const trace = '101036670000017';
    const half = { trace, references: ['R1'], amountCents: 500_000 };
    const lines = [
      line({ id: 'announced', ...half, nativeId: trace, bookingDate: day('2026-03-09') }),
      line({ id: 'booked', ...half }),
    ];
    expect(
      summary(lines, [expectedPayment({ id: 'l1', reference: 'R1', amountCents: 1_000_000 })]),
    ).toEqual([
      'P0-duplicate-delivery ignored announced=',
      'P6-unmatched-bank manual booked=',
      'P6-unmatched-ledger open =l1',
    ]);
  });

  it('a trace that a payer uses again is another payment: each booking answers for one announcement', () => {
    const trace = '101036670000017';
    const on = (id: string, date: string, nativeId = `N-${id}`): BankLine =>
      line({ id, trace, nativeId, bookingDate: day(date) });
    const lines = [
      on('a1', '2026-03-02', trace),
      on('a2', '2026-03-09', trace),
      on('b1', '2026-03-03'),
      on('b3', '2026-06-09'),
    ];
    const dropped = summary(lines, []).filter((text) => text.startsWith('P0'));
    expect(dropped).toEqual(['P0-duplicate-delivery ignored a1=']);
    // Another amount or account is another payment as well.
    for (const other of [{ amountCents: 1 }, { account: 'A2' }]) {
      const two = [on('a1', '2026-03-02', trace), { ...on('b1', '2026-03-03'), ...other }];
      expect(summary(two, []).filter((text) => text.startsWith('P0'))).toEqual([]);
    }
  });

  it('lines without a number of the bank are never taken for repeated', () => {
    const lines = ['b1', 'b2'].map((id) => line({ id, nativeId: undefined }));
    expect(summary(lines, []).filter((text) => text.startsWith('P0'))).toEqual([]);
  });

  it('a pending entry does not push out its booking', () => {
    const lines = [
      line({ id: 'b1', nativeId: 'N', status: 'pending', references: ['R1'] }),
      line({ id: 'b2', nativeId: 'N', references: ['R1'] }),
    ];
    expect(summary(lines, [expectedPayment({ id: 'l1', reference: 'R1' })])).toEqual([
      'P0-pending ignored b1=',
      'P1-reference-exact matched b2=l1',
    ]);
  });
});

describe('reversals', () => {
  const paid = line({ id: 'b1', references: ['R1'], trace: 'T1' });
  const back = line({
    id: 'b2',
    references: ['R1'],
    trace: 'T1',
    direction: 'debit',
    bookingDate: day('2026-03-12'),
  });

  it('the payment and its return leave together and the receipt is open again', () => {
    expect(summary([back, paid], [expectedPayment({ id: 'l1', reference: 'R1' })])).toEqual([
      'P0-reversal netted b1+b2=',
      'P6-unmatched-ledger open =l1',
    ]);
  });

  it('a payment made again after the return has the receipt', () => {
    const again = line({ id: 'b3', references: ['R1'], bookingDate: day('2026-03-13') });
    expect(summary([again, back, paid], [expectedPayment({ id: 'l1', reference: 'R1' })])).toEqual([
      'P0-reversal netted b1+b2=',
      'P1-reference-exact matched b3=l1',
    ]);
  });

  it('the trace says which of two equal payments came back', () => {
    const other = line({ id: 'b0', references: ['R1'], trace: 'T0' });
    const marked = { ...back, isReversal: true };
    expect(
      summary([other, marked, paid], [expectedPayment({ id: 'l1', reference: 'R1' })]),
    ).toEqual(['P0-reversal netted b1+b2=', 'P1-reference-exact matched b0=l1']);
  });

  it('money out without a trace or a mark of the bank takes nothing back', () => {
    const out = { ...back, trace: undefined };
    expect(summary([out, paid], [expectedPayment({ id: 'l1', reference: 'R1' })])).toEqual([
      'P1-reference-exact matched b1=l1',
      'P6-unmatched-bank manual b2=',
    ]);
  });

  it('a return before its payment, or long after it, is no return', () => {
    for (const bookingDate of [day('2026-03-09'), day('2026-06-10')]) {
      expect(summary([{ ...back, bookingDate }, paid], [])[0]).not.toContain('P0-reversal');
    }
  });
});

describe('a return whose payment a closed period has counted', () => {
  const back = line({ id: 'b2', references: ['R1'], direction: 'debit' });

  it.each([
    ['as the bank marks it', { ...back, isReversal: true }],
    ['by its trace', { ...back, trace: 'T1' }],
  ])('%s, tells the person what stays and what to do', (_how, one) => {
    const [found] = match([one], []);
    expect(found).toMatchObject({ rule: 'P6-unmatched-bank', status: 'manual' });
    expect(found?.reason.text).toMatch(
      /resolve it with that award: the amount is deducted on this day, and closed totals stay/,
    );
  });

  it('is not taken for a fee of the bank', () => {
    expect(match([{ ...back, references: [] }], [])[0]?.reason.text).toBe(
      'A debit; it fits no expected payment.',
    );
  });
});

describe('windows', () => {
  it.each([
    ['2026-03-09', 'P4-amount-date-unique'],
    ['2026-03-06', 'P6-unmatched-bank'],
    ['2026-03-17', 'P4-amount-date-unique'],
    ['2026-03-18', 'P6-unmatched-bank'],
  ])('without reference, booked on %s: %s', (booked, rule) => {
    const lines = [line({ id: 'b1', bookingDate: day(booked) })];
    expect(match(lines, [expectedPayment({ id: 'l1' })])[0]?.rule).toBe(rule);
  });

  // Where reference and amount agree and nothing else stands under them: a quarter early, a year late.
  it.each([
    ['2025-12-09', 'P1-reference-exact'],
    ['2025-12-08', 'P6-unmatched-bank'],
    ['2027-03-09', 'P1-reference-exact'],
    ['2027-03-10', 'P6-unmatched-bank'],
  ])('with reference, booked on %s: %s', (booked, rule) => {
    const lines = [line({ id: 'b1', references: ['R1'], bookingDate: day(booked) })];
    expect(match(lines, [expectedPayment({ id: 'l1', reference: 'R1' })])[0]?.rule).toBe(rule);
  });

  it.each([
    ['2026-03-03', 'P1-reference-exact'],
    ['2026-03-02', 'P6-unmatched-bank'],
    ['2026-04-09', 'P1-reference-exact'],
    ['2026-04-10', 'P6-unmatched-bank'],
  ])('with a reference that another payment has too, booked on %s: %s', (booked, rule) => {
    const far = line({ id: 'b9', references: ['R1'], bookingDate: day('2028-01-03') });
    const lines = [line({ id: 'b1', references: ['R1'], bookingDate: day(booked) }), far];
    const outcomes = match(lines, [expectedPayment({ id: 'l1', reference: 'R1' })]);
    expect(outcomes.find(({ bank }) => bank.includes('b1'))?.rule).toBe(rule);
  });
});

describe('windows of payments in parts and of fees', () => {
  it.each([
    ['2026-04-09', true],
    ['2026-04-10', false],
    ['2026-03-03', true],
    ['2026-03-02', false],
  ])('booked on %s: %s', (booked, isInside) => {
    const bookingDate = day(booked);
    const halves = ['l1', 'l2'].map((id) =>
      expectedPayment({ id, reference: 'R1', amountCents: 50_00 }),
    );
    const parts = ['b1', 'b2'].map((id) =>
      line({ id, references: ['R1'], amountCents: id === 'b1' ? 40_00 : 60_00, bookingDate }),
    );
    const whole = line({ id: 'b1', references: ['R1'], bookingDate });
    const one = expectedPayment({ id: 'l1', reference: 'R1' });
    expect(match([whole], halves)[0]?.rule).toBe(isInside ? 'P2-many-to-one' : 'P6-unmatched-bank');
    expect(match(parts, [one])[0]?.rule).toBe(isInside ? 'P3-one-to-many' : 'P6-unmatched-bank');
    expect(match([{ ...whole, amountCents: 99_00 }], [one])[0]?.rule).toBe(
      isInside ? 'P5-short-by-fee' : 'P6-unmatched-bank',
    );
  });
});

describe('what is found in free text', () => {
  it('a reference as a whole word and a payer as whole words', () => {
    const lines = [
      line({ id: 'b1', counterparty: undefined, description: 'Hhs Pms  PMS-0017, thanks' }),
      line({
        id: 'b2',
        counterparty: undefined,
        description: 'WIRE COUNTY TREASURER 444',
        amountCents: 7,
      }),
    ];
    const expectedPayments = [
      expectedPayment({ id: 'l1', reference: 'PMS-0017', payer: 'HHS' }),
      expectedPayment({ id: 'l2', payer: 'County Treasurer', amountCents: 7 }),
    ];
    expect(summary(lines, expectedPayments)).toEqual([
      'P1-reference-exact matched b1=l1',
      'P4-amount-date-unique matched b2=l2',
    ]);
  });

  it('a deposit that names two references pays both', () => {
    const lines = [line({ id: 'b1', references: ['R1', 'R2'] })];
    const expectedPayments = [
      expectedPayment({ id: 'l1', reference: 'R1', amountCents: 40_00 }),
      expectedPayment({ id: 'l2', reference: 'R2', amountCents: 60_00 }),
    ];
    expect(summary(lines, expectedPayments)).toEqual(['P2-many-to-one matched b1=l1+l2']);
  });
});
