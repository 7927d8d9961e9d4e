import { describe, expect, it } from 'vitest';
import type { BankLine, ExpectedPayment } from '../../src/grants/rules/matching/bank-line.ts';
import { day, line, match, expectedPayment } from './reco.ts';

/** One thing that keeps a line from a expected payment. */
interface Obstacle {
  readonly name: string;
  readonly line?: Partial<BankLine>;
  readonly expectedPayment?: Partial<ExpectedPayment>;
  readonly says: RegExp;
}

const FAR = { bookingDate: day('2028-05-10') };
const REFERENCED: readonly Obstacle[] = [
  { name: 'amount', line: { amountCents: 220_00 }, says: /amount differs by 12000 cents/ },
  { name: 'smaller amount', line: { amountCents: 10_00 }, says: /amount differs by -9000 cents/ },
  { name: 'dates', line: FAR, says: /dates are 566 business days apart/ },
  { name: 'currency', line: { currency: 'EUR' }, says: /EUR was received where USD is expected/ },
];
const UNREFERENCED: readonly Obstacle[] = [
  {
    name: 'dates',
    line: { bookingDate: day('2026-04-10') },
    says: /dates are 23 business days apart/,
  },
  {
    name: 'early',
    line: { bookingDate: day('2026-03-02') },
    says: /dates are -6 business days apart/,
  },
  {
    name: 'another reference',
    line: { references: ['OTHER-9'] },
    expectedPayment: { reference: 'R1' },
    says: /names another reference, OTHER-9/,
  },
  { name: 'no payer', line: { counterparty: undefined }, says: /does not name its payer/ },
];

function reasonOf(
  lines: readonly BankLine[],
  expectedPayments: readonly ExpectedPayment[],
): string {
  const found = match(lines, expectedPayments).find(({ bank }) => bank.includes('b1'));
  expect(found?.status).toBe('manual');
  return found?.reason.text ?? '';
}

describe('the reason for an open line is the one without which it would be matched', () => {
  for (const [kind, about, obstacles] of [
    ['by reference', { reference: 'R1' }, REFERENCED],
    ['by payer', {}, UNREFERENCED],
  ] as const) {
    const told = 'reference' in about ? { references: ['R1'] } : {};
    for (const obstacle of obstacles) {
      it(`${kind}: ${obstacle.name}`, () => {
        const expected = expectedPayment({ id: 'l1', ...about, ...obstacle.expectedPayment });
        const bank = line({ id: 'b1', ...told, ...obstacle.line });
        expect(reasonOf([bank], [expected])).toMatch(obstacle.says);
        const without = line({ id: 'b1', ...told });
        const [first] = match([without], [expected]);
        expect(first).toMatchObject({ status: 'matched', bank: ['b1'], ledger: ['l1'] });
      });
    }
  }

  it('names all that stands in the way', () => {
    const expected = expectedPayment({ id: 'l1', reference: 'R1' });
    const both = line({ id: 'b1', references: ['R1'], amountCents: 220_00, ...FAR });
    expect(reasonOf([both], [expected])).toMatch(
      /amount differs by 12000 cents.*566 business days/,
    );
    const unnamed = line({ id: 'b1', bookingDate: day('2026-04-10'), references: ['OTHER-9'] });
    expect(reasonOf([unnamed], [expected])).toMatch(/23 business days.*another reference, OTHER-9/);
  });

  it('speaks of the receipt that is nearest, not of the first', () => {
    const expectedPayments = [
      expectedPayment({
        id: 'l1',
        reference: 'R1',
        amountCents: 900_00,
        expected: day('2026-01-05'),
      }),
      expectedPayment({ id: 'l2', reference: 'R1', amountCents: 700_00 }),
    ];
    const bank = line({ id: 'b1', references: ['R1'], amountCents: 220_00 });
    expect(reasonOf([bank], expectedPayments)).toMatch(
      /fits l2, but the amount differs by -48000 cents/,
    );
  });

  it('says of money that has come what it is', () => {
    const paid = line({ id: 'b0', references: ['R1'], bookingDate: day('2026-03-09') });
    const more = line({ id: 'b1', references: ['R1'], amountCents: 30_00 });
    const expected = expectedPayment({ id: 'l1', reference: 'R1' });
    expect(reasonOf([paid, more], [expected])).toMatch(/has been received/);
    const gift = line({ id: 'b0', bookingDate: day('2026-03-09') });
    const [, again] = [gift, line({ id: 'b1', bookingDate: day('2026-03-25') })];
    expect(reasonOf([gift, again], [expectedPayment({ id: 'l1' })])).toMatch(
      /No payment of this amount from this payer is expected/,
    );
  });

  it('says that no one is expected to pay it, where no one is', () => {
    expect(reasonOf([line({ id: 'b1' })], [])).toMatch(
      /No payment of this amount from this payer is expected near this date/,
    );
    expect(reasonOf([line({ id: 'b1', counterparty: undefined })], [])).toMatch(
      /No payment of this amount is expected\./,
    );
  });

  it('two payments far from the day of one receipt: each stands in the way of the other', () => {
    const lines = [
      line({ id: 'b1', references: ['R1'], bookingDate: day('2026-06-10') }),
      line({ id: 'b2', references: ['R1'], bookingDate: day('2026-07-10') }),
    ];
    const expected = [expectedPayment({ id: 'l1', reference: 'R1' })];
    expect(reasonOf(lines, expected)).toMatch(/66 business days apart.*another line/);
    expect(match(lines.slice(0, 1), expected)[0]?.status).toBe('matched');
  });
});
