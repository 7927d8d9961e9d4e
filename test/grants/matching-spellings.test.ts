import { describe, expect, it } from 'vitest';
import type { BankLine, ExpectedPayment } from '../../src/grants/rules/matching/bank-line.ts';
import { day, line, expectedPayment, summary } from './reco.ts';

const MATCHED = ['P1-reference-exact matched b1=l1'];

describe('one reference, however it is written', () => {
  const expected = (reference: string): ExpectedPayment => expectedPayment({ id: 'l1', reference });
  const LONG = 'SPRINGFIELD COMMUNITY FUND 2026 ARTS GRANT 0012';
  const told: readonly (readonly [string, string, Partial<BankLine>])[] = [
    ['blanks put in', 'HF-2026-0012', { references: ['HF-20 26-0012'] }],
    ['blanks left out', 'HF 2026 0012', { references: ['HF20260012'] }],
    ['blanks elsewhere', 'HF 20260012', { references: ['HF2026 0012'] }],
    ['blanks in a text', 'HF-2026-0012', { description: 'Grant HF-2026 -0012, thank you' }],
    ['cut in three in a text', 'HF-2026-0012', { description: 'for HF- 2026- 0012.' }],
    ['small letters', 'HF-2026-0012', { references: ['hf-2026 -0012'] }],
    ['cut at 35', LONG, { references: [LONG.slice(0, 35)] }],
    [
      'cut at 35 after its blanks went',
      LONG,
      { references: [LONG.replaceAll(' ', '').slice(0, 35)] },
    ],
    ['after a label of the bank', 'HF 2026 0012', { description: 'SVWZ+GRANT EREF+HF 2026 0012' }],
    ['between slashes', 'HF-2026-0012', { description: 'PMT/HF-2026-0012/MARCH' }],
    ['with a slash of its own', 'HF/2026/0012', { description: 'for HF/2026/0012' }],
    ['cut at 35 in a text', LONG, { description: `GRANT ${LONG.slice(0, 35)}` }],
    [
      'cut after a blank',
      `${LONG.slice(0, 31)}    ${LONG.slice(31)}`,
      { references: [LONG.slice(0, 31)] },
    ],
  ];
  for (const [name, reference, about] of told) {
    it(name, () => {
      expect(
        summary([line({ id: 'b1', counterparty: 'X', ...about })], [expected(reference)]),
      ).toEqual(MATCHED);
    });
  }

  it('what the cut has left is for the award whose amount it is, and for no one where two have it', () => {
    const references = [LONG.slice(0, 35)];
    const expectedPayments = [
      expectedPayment({ id: 'l1', reference: `${LONG.slice(0, -4)}0012` }),
      expectedPayment({ id: 'l2', reference: `${LONG.slice(0, -4)}0013`, amountCents: 200_00 }),
    ];
    const lines = [line({ id: 'b1', references, counterparty: 'X' })];
    expect(summary(lines, expectedPayments)[0]).toBe('P1-reference-exact matched b1=l1');
    const twins = expectedPayments.map((one) => ({ ...one, amountCents: 100_00 }));
    expect(summary(lines, twins)).toEqual(['P1-ambiguous manual b1=l1+l2']);
  });

  it('a shorter beginning is no cut, and two numbers side by side are not a third one', () => {
    const lines = [line({ id: 'b1', references: [LONG.slice(0, 30)], counterparty: 'X' })];
    expect(summary(lines, [expected(LONG)])[0]).toBe('P6-unmatched-bank manual b1=');
    // A line that names a known reference is not searched for others that its words could be joined to.
    const named = [line({ id: 'b1', references: ['AB12', '3456'], counterparty: 'X' })];
    const two = [
      expectedPayment({ id: 'l1', reference: 'AB12' }),
      expectedPayment({ id: 'l2', reference: 'AB123456' }),
    ];
    expect(summary(named, two)[0]).toBe('P1-reference-exact matched b1=l1');
  });
});

describe('one payer, however the name is written', () => {
  const same: readonly (readonly [string, string])[] = [
    ['The Harbor Foundation, Inc.', 'HARBOR FOUNDATION'],
    ['Harbor Foundation', 'THE HARBOR FOUNDATION INC'],
    ['Harbor Foundation', 'Harbor Foundation, The'],
    ['Müller Stiftung', 'MUELLER STIFTUNG'],
    ['Müller Stiftung', 'MULLER STIFTUNG'],
    ['MUELLER STIFTUNG', 'Müller Stiftung'],
    ['Köhler-Strauß GmbH', 'KOEHLER STRAUSS'],
    ['Fundación Río Grande', 'FUNDACION RIO GRANDE'],
    ["St. Anne's Guild", 'ST ANNES GUILD'],
    ["O'Neill Fund", 'O’Neill Fund'],
    ['Smith & Daughters', 'SMITH AND DAUGHTERS'],
    ['Smith & Daughters', 'SMITH DAUGHTERS'],
    ['Blue Heron Partners L.L.C.', 'Blue Heron Partners LLC'],
    ['Hawthorne Corporation', 'HAWTHORNE CORP'],
    ['Ångström Society', 'ANGSTROM SOCIETY'],
    ['Ångström Society', 'ANGSTROEM SOCIETY'],
    ['Ångström Society', 'AANGSTROEM SOCIETY'],
    ['Department of Parks and Recreation', 'DEPARTMENT OF PARKS AND RECREATI'],
  ];
  for (const [books, bank] of same) {
    it(`${books} is ${bank}`, () => {
      const expectedPayments = [expectedPayment({ id: 'l1', payer: books })];
      expect(summary([line({ id: 'b1', counterparty: bank })], expectedPayments)).toEqual([
        'P4-amount-date-unique matched b1=l1',
      ]);
    });
  }

  const other: readonly (readonly [string, string])[] = [
    ['Mueller Stiftung', 'MULLER STIFTUNG'],
    ['Bauer Fund', 'BAUR FUND'],
    ['Harbor Foundation', 'HARBOR FUND'],
    ['Harbor Foundation', 'HARBOR'],
    ['Inca Trust', 'A Trust'],
    ['Anna Smith', 'ANN ASMITHS'],
    ['Department of Parks and Recreation', 'DEPARTMENT OF PARKS'],
  ];
  for (const [books, bank] of other) {
    it(`${books} is not ${bank}`, () => {
      const expectedPayments = [expectedPayment({ id: 'l1', payer: books })];
      expect(summary([line({ id: 'b1', counterparty: bank })], expectedPayments)[0]).toBe(
        'P6-unmatched-bank manual b1=',
      );
    });
  }

  it('a name is found in a text in every spelling, and where a bank gives the text as the name', () => {
    for (const [books, bank] of same.slice(0, -1)) {
      const text = `ACH CREDIT ${bank} GIFT`;
      for (const counterparty of [undefined, text]) {
        const lines = [line({ id: 'b1', counterparty, description: text })];
        expect(
          summary(lines, [expectedPayment({ id: 'l1', payer: books })]),
          `${books}: ${bank}`,
        ).toEqual(['P4-amount-date-unique matched b1=l1']);
      }
    }
  });

  it('two payers whose names are one in the books are not distinguished', () => {
    const expectedPayments = [
      expectedPayment({ id: 'l1', payer: 'Müller Stiftung' }),
      expectedPayment({ id: 'l2', payer: 'The Mueller Stiftung' }),
    ];
    expect(
      summary([line({ id: 'b1', counterparty: 'MUELLER STIFTUNG' })], expectedPayments),
    ).toEqual(['P4-ambiguous manual b1=l1+l2']);
  });

  it('a number of the bank that no award has hides nothing; one that may be another award does', () => {
    const expectedPayments = [expectedPayment({ id: 'l1', payer: 'Harbor', reference: 'HF-0012' })];
    const told = (reference: string): BankLine =>
      line({ id: 'b1', counterparty: 'HARBOR', references: [reference] });
    expect(summary([told('20260310991')], expectedPayments)).toEqual([
      'P4-amount-date-unique matched b1=l1',
    ]);
    expect(summary([told('HF-0013')], expectedPayments)[0]).toBe('P6-unmatched-bank manual b1=');
    expect(summary([told('PAYMENT-7')], expectedPayments)[0]).toBe('P6-unmatched-bank manual b1=');
    // The reader tries both readings of a cut: that of no blank is no word of the line.
    const cut = {
      references: ['3165586909', '3165586909ORIG'],
      description: 'ID 3165586909 ORIG CO',
    };
    expect(summary([line({ id: 'b1', counterparty: 'HARBOR', ...cut })], expectedPayments)).toEqual(
      ['P4-amount-date-unique matched b1=l1'],
    );
    const numbered = [expectedPayment({ id: 'l1', payer: 'Harbor', reference: '20260012' })];
    expect(summary([told('20260013')], numbered)[0]).toBe('P6-unmatched-bank manual b1=');
  });
});

describe('late, under its own reference and to the cent', () => {
  it('is the award, weeks after the day; of a payment that is made every month only the near one', () => {
    const late = line({ id: 'b1', references: ['R1'], bookingDate: day('2026-07-10') });
    expect(summary([late], [expectedPayment({ id: 'l1', reference: 'R1' })])).toEqual(MATCHED);
    const monthly = [
      expectedPayment({ id: 'l1', reference: 'R1', expected: day('2026-01-05') }),
      expectedPayment({ id: 'l2', reference: 'R1', expected: day('2026-07-06') }),
    ];
    expect(summary([late], monthly)).toEqual([
      'P1-reference-exact matched b1=l2',
      'P6-unmatched-ledger open =l1',
    ]);
    const again = line({ id: 'b2', references: ['R1'], bookingDate: day('2026-07-14') });
    expect(summary([late, again], monthly)).toContain('P6-suspected-double-payment manual b2=');
  });

  it('is not one of a year ago, nor one of another amount', () => {
    const expectedPayments = [
      expectedPayment({ id: 'l1', reference: 'R1', expected: day('2024-01-05') }),
    ];
    const [first] = summary([line({ id: 'b1', references: ['R1'] })], expectedPayments);
    expect(first).toBe('P6-unmatched-bank manual b1=');
    const other = line({
      id: 'b1',
      references: ['R1'],
      amountCents: 300_00,
      bookingDate: day('2026-07-10'),
    });
    expect(summary([other], [expectedPayment({ id: 'l1', reference: 'R1' })])[0]).toBe(
      'P6-unmatched-bank manual b1=',
    );
  });
});
