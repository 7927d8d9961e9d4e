import { describe, expect, it } from 'vitest';
import { canonicalText } from '../../src/core/canonical-json.ts';
import { agedUnmatched } from '../../src/grants/rules/matching/aged.ts';
import type { BankLine, ExpectedPayment } from '../../src/grants/rules/matching/bank-line.ts';
import { ListedEntries } from '../../src/grants/rules/matching/entries/open-entries.ts';
import { matchEach, matchExpectedPayments } from '../../src/grants/rules/matching/match.ts';
import { answerOf, evaluateGrantsCase } from '../../src/grants/rules/evaluate.ts';
import { goldenCases, grantsLaw } from '../law/grants-cases.ts';
import {
  day,
  expectedOutcomes,
  line,
  match,
  mulberry32,
  expectedPayment,
  sampleDataset,
  short,
  shuffled,
} from './reco.ts';

describe('the sample data set', () => {
  it('gives exactly the expected outcomes, in order', () => {
    const dataset = sampleDataset();
    expect(matchExpectedPayments(dataset).map(short)).toEqual(expectedOutcomes());
  });

  it('gives the same bytes in 1,000 orders of arrival', () => {
    const dataset = sampleDataset();
    const first = JSON.stringify(matchExpectedPayments(dataset));
    const random = mulberry32(7);
    for (let round = 0; round < 1_000; round += 1) {
      const again = matchExpectedPayments({
        ...dataset,
        lines: shuffled(dataset.lines, random),
        expectedPayments: shuffled(dataset.expectedPayments, random),
      });
      if (JSON.stringify(again) !== first) expect(again, `round ${round}`).toEqual(first);
    }
  });

  it('gives the same outcomes one by one, in an order that arrival does not change', () => {
    const dataset = sampleDataset();
    const each = (input: typeof dataset): string[] => {
      const entries = new ListedEntries(input.lines, input.expectedPayments);
      return Array.from(matchEach(entries, input), ({ outcome }) => JSON.stringify(outcome));
    };
    const found = each(dataset);
    expect(found.toSorted()).toEqual(
      matchExpectedPayments(dataset)
        .map((outcome) => JSON.stringify(outcome))
        .sort(),
    );
    const random = mulberry32(11);
    for (let round = 0; round < 50; round += 1) {
      const lines = shuffled(dataset.lines, random);
      const expectedPayments = shuffled(dataset.expectedPayments, random);
      expect(each({ ...dataset, lines, expectedPayments })).toEqual(found);
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
    for (const { bank, ledger, reason } of matchExpectedPayments(sampleDataset())) {
      expect(reason.text.length).toBeGreaterThan(10);
      expect(reason.currency).toMatch(/^[A-Z]{3}$/);
      expect(reason.bankDates).toHaveLength(bank.length);
      expect(reason.ledgerDates).toHaveLength(ledger.length);
      expect(() => canonicalText({ ...reason })).not.toThrow();
    }
  });
});

describe('laws over random worlds', () => {
  it('order never matters, every line has one outcome, matched sums are equal', () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const { lines, expectedPayments } = randomWorld(mulberry32(seed));
      const outcomes = match(lines, expectedPayments);
      const mixed = match(
        shuffled(lines, mulberry32(seed + 9_000)),
        shuffled(expectedPayments, mulberry32(seed)),
      );
      expect(JSON.stringify(mixed), `seed ${seed}`).toBe(JSON.stringify(outcomes));
      expect(outcomes.flatMap(({ bank }) => bank).sort()).toEqual(lines.map(({ id }) => id).sort());
      const named = new Set(outcomes.flatMap(({ ledger }) => ledger));
      expect(named.size).toBe(expectedPayments.length);
    }
  });

  it('ten thousand equal gifts stay quick and all go to a person', () => {
    const lines = Array.from({ length: 10_000 }, (_, at) => line({ id: `b${at}` }));
    const expectedPayments = Array.from({ length: 10_000 }, (_, at) =>
      expectedPayment({ id: `l${at}` }),
    );
    const outcomes = match(lines, expectedPayments);
    expect(outcomes.filter(({ rule }) => rule === 'P4-ambiguous')).toHaveLength(10_000);
    const named = lines.map((one) => ({ ...one, references: ['R1'] }));
    const owed = expectedPayments.map((one) => ({ ...one, reference: 'R1' }));
    expect(match(named, owed).every(({ status }) => status !== 'matched')).toBe(true);
  });
});

describe('the aged list', () => {
  it('lists what is open, the oldest first, each once', () => {
    const dataset = sampleDataset();
    const entries = new ListedEntries(dataset.lines, dataset.expectedPayments);
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
  expectedPayments: ExpectedPayment[];
} {
  // The place exists: the list is not empty and the number below 1.
  const pick = <Item>(items: readonly Item[]): Item =>
    items[Math.floor(random() * items.length)] as Item;
  const amounts = [10_00, 20_00, 30_00, 40_00, 70_00, 100_00];
  const references = [undefined, 'R1', 'R2', 'R3'];
  const start = day('2026-03-02');
  const dayAt = (): ReturnType<typeof day> => (start + Math.floor(random() * 20)) as typeof start;
  const expectedPayments = Array.from({ length: 12 }, (_, at) =>
    expectedPayment({
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
  return { lines, expectedPayments };
}
