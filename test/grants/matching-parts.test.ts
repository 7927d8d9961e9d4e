/** Installments, what a bank keeps, and returns, by the rules alone. */
import { describe, expect, it } from 'vitest';
import { bankLineOf } from '../../src/grants/rules/matching/from-feed.ts';
import { partsOf, withParts } from '../../src/grants/rules/matching/parts.ts';
import { day, line, match, expectedPayment, summary } from './reco.ts';

const award = expectedPayment({ id: 'l1', reference: 'R1', amountCents: 1_000_00, parts: 'may' });

describe('an award that is paid in installments', () => {
  it('takes what came, and what is left stays open', () => {
    const found = match([line({ id: 'b1', references: ['R1'], amountCents: 400_00 })], [award]);
    expect(found.map(({ rule, status, ledger }) => [rule, status, ledger])).toEqual([
      ['P3-installment', 'matched', ['l1']],
      ['P6-unmatched-ledger', 'open', ['l1']],
    ]);
    expect(found[1]?.reason).toMatchObject({ ledgerCents: 600_00 });
    expect(found[1]?.reason.text).toContain('40000 of 100000 cents received');
  });

  it('takes several in one matching, and closes with the last, months later', () => {
    const lines = [
      line({ id: 'b1', references: ['R1'], amountCents: 400_00 }),
      line({ id: 'b2', references: ['R1'], amountCents: 300_00, bookingDate: day('2026-06-10') }),
      line({ id: 'b3', references: ['R1'], amountCents: 300_00, bookingDate: day('2026-09-10') }),
    ];
    expect(summary(lines, [award])).toEqual([
      'P3-installment matched b1=l1',
      'P3-installment matched b2=l1',
      'P3-installment matched b3=l1',
    ]);
  });

  it.each([
    ['more than is left', ['700.00', '400.00'], award],
    ['short by no more than a fee', ['970.00'], award],
    ['an award that comes at once', ['400.00'], { ...award, parts: undefined }],
  ])('leaves %s to a person', (_what, amounts, owed) => {
    const lines = amounts.map((amount, at) =>
      line({ id: `b${at}`, references: ['R1'], amountCents: Math.round(Number(amount) * 100) }),
    );
    expect(summary(lines, [owed]).join()).not.toContain('P3-installment');
  });

  it('is not guessed where the reference is that of two awards', () => {
    const other = { ...award, id: 'l2', amountCents: 2_000_00 };
    const found = summary(
      [line({ id: 'b1', references: ['R1'], amountCents: 400_00 })],
      [award, other],
    );
    expect(found[0]).toBe('P6-unmatched-bank manual b1=');
  });

  it('of which a part came before takes the rest long after its day', () => {
    const rest = expectedPayment({ id: 'l1', reference: 'R1', amountCents: 600_00, parts: 'some' });
    const late = { references: ['R1'], bookingDate: day('2026-11-10') };
    expect(summary([line({ id: 'b1', amountCents: 250_00, ...late })], [rest])).toEqual([
      'P3-installment matched b1=l1',
      'P6-unmatched-ledger open =l1',
    ]);
  });
});

describe('what the bank kept', () => {
  it('is distinguished where gross, fee and net agree', () => {
    const net = line({ id: 'b1', references: ['R1'], amountCents: 975_00, feeCents: 25_00 });
    const [found] = match([net], [award]);
    expect(found).toMatchObject({
      rule: 'P1-less-fee',
      status: 'matched',
      reason: { bankCents: 975_00, feeCents: 25_00, ledgerCents: 1_000_00 },
    });
    const parts = partsOf(
      withParts({ outcome: found ?? never(), lines: [net], expectedPayments: [award] }),
    );
    expect(parts).toEqual([{ bank: 0, ledger: 0, cents: 1_000_00, feeCents: 25_00 }]);
  });

  it('is for a person where they do not', () => {
    const net = line({ id: 'b1', references: ['R1'], amountCents: 975_00, feeCents: 20_00 });
    expect(summary([net], [award])[0]).toBe('P5-short-by-fee review b1=l1');
  });

  it.each([
    ['WIRE FEE USD 25.00 DEDUCTED', 25_00],
    ['GROSS 1,000.00 LESS CHARGES 25.00', 25_00],
    ['ORIG AMT USD 1000.00', 25_00],
    ['GROSS 1,000.00 FEE 20.00', undefined],
    ['GRANT 25.00 COFFEE 12.00', undefined],
    ['THANK YOU', undefined],
  ])('is read out of %s', (description, feeCents) => {
    const event = {
      kind: 'line',
      place: { line: 1, column: 1 },
      statement: 1,
      ...line({ id: 'x', amountCents: 975_00 }),
      description,
      code: undefined,
      details: [],
    } as const;
    expect(bankLineOf('f', event, { ordinal: 1, isInterim: false }).feeCents).toBe(feeCents);
  });
});

it('money of ours that came back pays no award, whatever it fits', () => {
  const back = line({ id: 'b1', references: ['R1'], isReversal: true });
  expect(summary([back], [expectedPayment({ id: 'l1', reference: 'R1' })])).toEqual([
    'P6-unmatched-bank manual b1=',
    'P6-unmatched-ledger open =l1',
  ]);
});

describe('a return that the bank does not mark', () => {
  const paid = line({ id: 'b1', references: ['R1'] });
  const back = line({
    id: 'b2',
    references: ['R1'],
    direction: 'debit',
    bookingDate: day('2026-03-12'),
  });
  const owed = expectedPayment({ id: 'l1', reference: 'R1' });

  it.each(['RETURNED ITEM', 'ACH RETURN R01', 'Chargeback', 'CHECK RTN NSF', 'REVERSAL OF CREDIT'])(
    'is recognised by its words and its reference: %s',
    (description) => {
      expect(summary([paid, { ...back, description }], [owed])).toEqual([
        'P0-reversal netted b1+b2=',
        'P6-unmatched-ledger open =l1',
      ]);
      const named = { ...back, counterparty: description };
      expect(summary([paid, named], [owed])[0]).toBe('P0-reversal netted b1+b2=');
    },
  );

  it.each(['RETURNED ITEM FEE', 'RETURN CHARGE', 'RENT'])('is not what says %s', (description) => {
    expect(summary([paid, { ...back, description }], [owed])[0]).toBe(
      'P1-reference-exact matched b1=l1',
    );
  });

  it('is asked about where nothing says which payment it takes back', () => {
    const lost = { ...back, references: [], description: 'RETURNED ITEM' };
    const asked = match([paid, lost], [owed]).find(({ bank }) => bank[0] === 'b2');
    expect(asked).toMatchObject({ status: 'manual' });
    expect(asked?.reason.text).toMatch(/^A return, .* resolve it with that award/);
  });
});

function never(): never {
  throw new Error('expected an outcome');
}
