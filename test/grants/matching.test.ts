import { describe, expect, it } from 'vitest';
import { canonicalText } from '../../src/core/index.ts';
import {
  agedUnmatched,
  type BankLine,
  type ExpectedReceipt,
  ListedEntries,
  matchEach,
  type MatchOutcome,
  matchReceipts,
} from '../../src/packs/grants/matching/index.ts';
import { answerOf, evaluateGrantsCase } from '../../src/packs/grants/index.ts';
import { goldenCases, grantsLaw } from '../law/grants-cases.ts';
import {
  day,
  expectedOutcomes,
  line,
  mulberry32,
  receipt,
  sampleDataset,
  short,
  shuffled,
} from './reco.ts';

function match(lines: readonly BankLine[], receipts: readonly ExpectedReceipt[]): MatchOutcome[] {
  return [...matchReceipts({ lines, receipts })];
}

function summary(lines: readonly BankLine[], receipts: readonly ExpectedReceipt[]): string[] {
  return match(lines, receipts).map(
    ({ rule, status, bank, ledger }) => `${rule} ${status} ${bank.join('+')}=${ledger.join('+')}`,
  );
}

describe('the sample data set', () => {
  it('gives exactly the expected outcomes, in order', () => {
    const dataset = sampleDataset();
    expect(matchReceipts(dataset).map(short)).toEqual(expectedOutcomes());
  });

  it('gives the same bytes in 1,000 orders of arrival', () => {
    const dataset = sampleDataset();
    const first = JSON.stringify(matchReceipts(dataset));
    const random = mulberry32(7);
    for (let round = 0; round < 1_000; round += 1) {
      const again = matchReceipts({
        ...dataset,
        lines: shuffled(dataset.lines, random),
        receipts: shuffled(dataset.receipts, random),
      });
      if (JSON.stringify(again) !== first) expect(again, `round ${round}`).toEqual(first);
    }
  });

  it('gives the same outcomes one by one, in an order that arrival does not change', () => {
    const dataset = sampleDataset();
    const each = (input: typeof dataset): string[] => {
      const entries = new ListedEntries(input.lines, input.receipts);
      return Array.from(matchEach(entries, input), ({ outcome }) => JSON.stringify(outcome));
    };
    const found = each(dataset);
    expect(found.toSorted()).toEqual(
      matchReceipts(dataset)
        .map((outcome) => JSON.stringify(outcome))
        .sort(),
    );
    const random = mulberry32(11);
    for (let round = 0; round < 50; round += 1) {
      const lines = shuffled(dataset.lines, random);
      const receipts = shuffled(dataset.receipts, random);
      expect(each({ ...dataset, lines, receipts })).toEqual(found);
    }
  });

  it('answers every golden case, and every other event of the set as well', () => {
    const dataset = sampleDataset();
    const datasets = { named: () => dataset, fromFiles: () => dataset };
    const cases = goldenCases().filter(({ kind }) => kind === 'reconcile.match');
    expect(cases).toHaveLength(8);
    for (const { kind, input, expected } of cases) {
      const answer = answerOf(evaluateGrantsCase({ kind, input }, grantsLaw, datasets));
      expect(answer.result).toEqual(expected);
      expect(answer.steps.length).toBeGreaterThan(2);
    }
    for (const { rule, bank, ledger, status } of expectedOutcomes()) {
      for (const bankEvent of bank) {
        const input = { dataset: 'reco-001', bankEvent };
        const given = evaluateGrantsCase({ kind: 'reconcile.match', input }, grantsLaw, datasets);
        expect(given.result).toEqual({ rule, bank, ledger, status });
      }
    }
  });

  it('every outcome explains itself with its figures and dates', () => {
    for (const { bank, ledger, reason } of matchReceipts(sampleDataset())) {
      expect(reason.text.length).toBeGreaterThan(10);
      expect(reason.currency).toMatch(/^[A-Z]{3}$/);
      expect(reason.bankDates).toHaveLength(bank.length);
      expect(reason.ledgerDates).toHaveLength(ledger.length);
      expect(() => canonicalText({ ...reason })).not.toThrow();
    }
  });
});

describe('never count twice', () => {
  it('equal content with different numbers of the bank is two payments', () => {
    const two = [line({ id: 'b1', references: ['R1'] }), line({ id: 'b2', references: ['R1'] })];
    expect(summary(two, [receipt({ id: 'l1', reference: 'R1' })])).toEqual([
      'P1-reference-exact matched b1=l1',
      'P6-suspected-double-payment manual b2=',
    ]);
  });

  it('a number that the bank uses again for another day is another payment', () => {
    const lines = [
      line({ id: 'b1', nativeId: 'N', references: ['R1'] }),
      line({ id: 'b2', nativeId: 'N', references: ['R2'], bookingDate: day('2026-03-11') }),
    ];
    const receipts = [
      receipt({ id: 'l1', reference: 'R1' }),
      receipt({ id: 'l2', reference: 'R2' }),
    ];
    expect(summary(lines, receipts)).toEqual([
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
      summary(lines, [receipt({ id: 'l1', reference: 'R1', amountCents: 1_000_000 })]),
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
    expect(summary(lines, [receipt({ id: 'l1', reference: 'R1' })])).toEqual([
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
    expect(summary([back, paid], [receipt({ id: 'l1', reference: 'R1' })])).toEqual([
      'P0-reversal netted b1+b2=',
      'P6-unmatched-ledger open =l1',
    ]);
  });

  it('a payment made again after the return has the receipt', () => {
    const again = line({ id: 'b3', references: ['R1'], bookingDate: day('2026-03-13') });
    expect(summary([again, back, paid], [receipt({ id: 'l1', reference: 'R1' })])).toEqual([
      'P0-reversal netted b1+b2=',
      'P1-reference-exact matched b3=l1',
    ]);
  });

  it('the trace says which of two equal payments came back', () => {
    const other = line({ id: 'b0', references: ['R1'], trace: 'T0' });
    const marked = { ...back, isReversal: true };
    expect(summary([other, marked, paid], [receipt({ id: 'l1', reference: 'R1' })])).toEqual([
      'P0-reversal netted b1+b2=',
      'P1-reference-exact matched b0=l1',
    ]);
  });

  it('money out without a trace or a mark of the bank takes nothing back', () => {
    const out = { ...back, trace: undefined };
    expect(summary([out, paid], [receipt({ id: 'l1', reference: 'R1' })])).toEqual([
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

describe('ambiguity goes to a person', () => {
  it('one line, two equal receipts under one reference', () => {
    const receipts = ['l1', 'l2'].map((id) => receipt({ id, reference: 'R1' }));
    expect(summary([line({ id: 'b1', references: ['R1'] })], receipts)).toEqual([
      'P1-ambiguous manual b1=l1+l2',
    ]);
  });

  it('equal instalments are told apart by their dates', () => {
    const months = ['2026-01-05', '2026-03-05', '2026-05-05'];
    const receipts = months.map((text, at) =>
      receipt({ id: `l${at}`, reference: 'R1', expected: day(text) }),
    );
    const lines = months.map((text, at) =>
      line({ id: `b${at}`, references: ['r1 '], bookingDate: day(text) }),
    );
    expect(summary(lines, receipts)).toEqual(
      months.map((_, at) => `P1-reference-exact matched b${at}=l${at}`),
    );
  });

  it('two choices of receipts that add up to one deposit', () => {
    const receipts = [30, 70, 40, 60].map((dollars, at) =>
      receipt({ id: `l${at}`, reference: 'R1', amountCents: dollars * 100 }),
    );
    const [first] = summary([line({ id: 'b1', references: ['R1'] })], receipts);
    expect(first).toBe('P2-ambiguous manual b1=l0+l1+l2+l3');
  });

  it('two receipts that the same deposits would pay', () => {
    const receipts = ['l1', 'l2'].map((id) => receipt({ id, reference: 'R1' }));
    const lines = [40, 60].map((dollars, at) =>
      line({ id: `b${at}`, references: ['R1'], amountCents: dollars * 100 }),
    );
    expect(summary(lines, receipts).every((text) => !text.includes(' matched '))).toBe(true);
  });

  it('two lines without reference for one receipt', () => {
    const lines = ['b1', 'b2'].map((id) => line({ id }));
    expect(summary(lines, [receipt({ id: 'l1' })])).toEqual([
      'P4-ambiguous manual b1=l1',
      'P4-ambiguous manual b2=l1',
    ]);
  });

  it('a receipt that an uncounted candidate may be is not unique, whoever had too many to count', () => {
    const late = day('2026-03-16');
    const crowd = Array.from({ length: 20 }, (_, at) => receipt({ id: `l${at}`, payer: 'HHS' }));
    const last = receipt({ id: 'last', payer: 'HHS', expected: late });
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
    const others = Array.from({ length: 400 }, (_, at) => receipt({ id: `l${at}`, payer: 'NIH' }));
    const last = receipt({ id: 'last', payer: 'HHS', expected: day('2026-03-11') });
    const lines = [
      line({ id: 'b0', counterparty: undefined, description: 'FROM HHS' }),
      line({ id: 'b1', counterparty: 'HHS' }),
    ];
    const ruleOf = (receipts: readonly ExpectedReceipt[]): string | undefined =>
      match(lines, receipts).find(({ bank }) => bank[0] === 'b1')?.rule;
    expect(ruleOf([...others, last])).toBe('P4-ambiguous');
    expect(ruleOf([...others.slice(0, 10), last])).toBe('P4-ambiguous');
  });

  it('a crowd of one payer leaves the others unique', () => {
    const crowd = Array.from({ length: 21 }, (_, at) => receipt({ id: `l${at}`, payer: 'HHS' }));
    const found = summary(
      [line({ id: 'b0', counterparty: 'HHS' }), line({ id: 'b1', counterparty: 'NIH' })],
      [...crowd, receipt({ id: 'other', payer: 'NIH' })],
    );
    expect(found[0]).toBe('P4-amount-date-unique matched b1=other');
  });

  it('more than 40 under one reference are not searched for sums, and the reason says so', () => {
    const receipts = Array.from({ length: 41 }, (_, at) =>
      receipt({ id: `l${at}`, reference: 'R1', amountCents: 1_000_00 + 1_00 * at }),
    );
    const deposit = line({ id: 'b1', references: ['R1'], amountCents: 2_001_00 });
    const reasonFor = (some: typeof receipts): string | undefined =>
      match([deposit], some).find(({ bank }) => bank[0] === 'b1')?.reason.text;
    expect(reasonFor(receipts.slice(0, 2))).toMatch(/^2 receipts under the same reference add up/);
    expect(reasonFor(receipts)).toBe(
      'More than 40 open entries under this reference: not searched for sums.',
    );
  });

  it('a reference that contradicts is not overruled by amount and payer', () => {
    const lines = [line({ id: 'b1', references: ['OTHER-9'] })];
    expect(summary(lines, [receipt({ id: 'l1', reference: 'R1' })])).toEqual([
      'P6-unmatched-bank manual b1=',
      'P6-unmatched-ledger open =l1',
    ]);
  });

  it('short by more than the fee is not proposed', () => {
    const lines = [line({ id: 'b1', references: ['R1'], amountCents: 49_99 })];
    expect(summary(lines, [receipt({ id: 'l1', reference: 'R1' })])[0]).toBe(
      'P6-unmatched-bank manual b1=',
    );
    const near = [line({ id: 'b1', references: ['R1'], amountCents: 50_00 })];
    expect(summary(near, [receipt({ id: 'l1', reference: 'R1' })])[0]).toBe(
      'P5-short-by-fee review b1=l1',
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
    expect(match(lines, [receipt({ id: 'l1' })])[0]?.rule).toBe(rule);
  });

  it.each([
    ['2026-03-03', 'P1-reference-exact'],
    ['2026-03-02', 'P6-unmatched-bank'],
    ['2026-04-09', 'P1-reference-exact'],
    ['2026-04-10', 'P6-unmatched-bank'],
  ])('with reference, booked on %s: %s', (booked, rule) => {
    const lines = [line({ id: 'b1', references: ['R1'], bookingDate: day(booked) })];
    expect(match(lines, [receipt({ id: 'l1', reference: 'R1' })])[0]?.rule).toBe(rule);
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
    const halves = ['l1', 'l2'].map((id) => receipt({ id, reference: 'R1', amountCents: 50_00 }));
    const parts = ['b1', 'b2'].map((id) =>
      line({ id, references: ['R1'], amountCents: id === 'b1' ? 40_00 : 60_00, bookingDate }),
    );
    const whole = line({ id: 'b1', references: ['R1'], bookingDate });
    const one = receipt({ id: 'l1', reference: 'R1' });
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
    const receipts = [
      receipt({ id: 'l1', reference: 'PMS-0017', payer: 'HHS' }),
      receipt({ id: 'l2', payer: 'County Treasurer', amountCents: 7 }),
    ];
    expect(summary(lines, receipts)).toEqual([
      'P1-reference-exact matched b1=l1',
      'P4-amount-date-unique matched b2=l2',
    ]);
  });

  it('a deposit that names two references pays both', () => {
    const lines = [line({ id: 'b1', references: ['R1', 'R2'] })];
    const receipts = [
      receipt({ id: 'l1', reference: 'R1', amountCents: 40_00 }),
      receipt({ id: 'l2', reference: 'R2', amountCents: 60_00 }),
    ];
    expect(summary(lines, receipts)).toEqual(['P2-many-to-one matched b1=l1+l2']);
  });
});

describe('laws over random worlds', () => {
  it('order never matters, every line has one outcome, matched sums are equal', () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const { lines, receipts } = randomWorld(mulberry32(seed));
      const outcomes = match(lines, receipts);
      const mixed = match(
        shuffled(lines, mulberry32(seed + 9_000)),
        shuffled(receipts, mulberry32(seed)),
      );
      expect(JSON.stringify(mixed), `seed ${seed}`).toBe(JSON.stringify(outcomes));
      expect(outcomes.flatMap(({ bank }) => bank).sort()).toEqual(lines.map(({ id }) => id).sort());
      const named = new Set(outcomes.flatMap(({ ledger }) => ledger));
      expect(named.size).toBe(receipts.length);
    }
  });

  it('ten thousand equal gifts stay quick and all go to a person', () => {
    const lines = Array.from({ length: 10_000 }, (_, at) => line({ id: `b${at}` }));
    const receipts = Array.from({ length: 10_000 }, (_, at) => receipt({ id: `l${at}` }));
    const outcomes = match(lines, receipts);
    expect(outcomes.filter(({ rule }) => rule === 'P4-ambiguous')).toHaveLength(10_000);
    const named = lines.map((one) => ({ ...one, references: ['R1'] }));
    const owed = receipts.map((one) => ({ ...one, reference: 'R1' }));
    expect(match(named, owed).every(({ status }) => status !== 'matched')).toBe(true);
  }, 20_000);
});

describe('the aged list', () => {
  it('has what waits, the oldest first, each once', () => {
    const dataset = sampleDataset();
    const entries = new ListedEntries(dataset.lines, dataset.receipts);
    const aged = agedUnmatched(matchEach(entries, dataset), day('2026-05-20'));
    expect(aged.map(({ side, id, days, bucket }) => `${side} ${id} ${days} ${bucket}`)).toEqual([
      'bank B06 70 61-90',
      'ledger L06 70 61-90',
      'bank B07 69 61-90',
      'ledger L07 69 61-90',
      'ledger L08 69 61-90',
      'bank B11 64 61-90',
      'ledger L11 64 61-90',
      'bank B14 63 61-90',
      'ledger L12 63 61-90',
      'bank B15 62 61-90',
    ]);
  });
});

function randomWorld(random: () => number): {
  lines: BankLine[];
  receipts: ExpectedReceipt[];
} {
  // The place exists: the list is not empty and the number below 1.
  const pick = <Item>(items: readonly Item[]): Item =>
    items[Math.floor(random() * items.length)] as Item;
  const amounts = [10_00, 20_00, 30_00, 40_00, 70_00, 100_00];
  const references = [undefined, 'R1', 'R2', 'R3'];
  const start = day('2026-03-02');
  const dayAt = (): ReturnType<typeof day> => (start + Math.floor(random() * 20)) as typeof start;
  const receipts = Array.from({ length: 12 }, (_, at) =>
    receipt({
      id: `l${at}`,
      amountCents: pick(amounts),
      reference: pick(references),
      expected: dayAt(),
      payer: pick(['A', 'B']),
    }),
  );
  const lines = Array.from({ length: 14 }, (_, at) =>
    line({
      id: `b${at}`,
      nativeId: random() < 0.2 ? 'N0' : `N${at}`,
      amountCents: pick(amounts),
      references: [pick(references), random() < 0.2 ? pick(references) : undefined].filter(
        (one) => one !== undefined,
      ),
      bookingDate: dayAt(),
      counterparty: pick(['A', 'B']),
      direction: random() < 0.2 ? 'debit' : 'credit',
      trace: random() < 0.3 ? pick(['T1', 'T2']) : undefined,
      isReversal: random() < 0.1,
    }),
  );
  return { lines, receipts };
}
