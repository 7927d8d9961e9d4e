/** The sample data set reco-001, a generator of larger ones, and how tests of matching and of reports write theirs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Day, parseDay } from '../../src/calendar/day.ts';
import { parseStrictJson } from '../../src/core/strict-json.ts';
import type { BankLine, ExpectedPayment } from '../../src/grants/rules/matching/bank-line.ts';
import {
  type MatchDataset,
  readBankEvents,
  readLedger,
  readPolicy,
} from '../../src/grants/rules/matching/dataset.ts';
import type { MatchOutcome } from '../../src/grants/rules/matching/outcome.ts';
import { matchExpectedPayments } from '../../src/grants/rules/matching/match.ts';
import type { FigurePart } from '../../src/grants/rules/reporting/figure.ts';

const fixtures = join(import.meta.dirname, '../fixtures/grants');

export function fixture(name: string): string {
  return readFileSync(join(fixtures, name), 'utf8');
}

export function sampleDataset(): MatchDataset {
  const events = parseStrictJson(fixture('reco-001.expected.json'));
  return {
    name: 'reco-001',
    lines: readBankEvents(events, 'reco-001.expected.json'),
    expectedPayments: readLedger(
      parseStrictJson(fixture('reco-001.ledger.json')),
      'reco-001.ledger.json',
    ),
    policy: readPolicy(events, 'reco-001.expected.json'),
  };
}

export interface ShortOutcome {
  readonly rule: string;
  readonly bank: readonly string[];
  readonly ledger: readonly string[];
  readonly status: string;
  readonly of?: string;
}

export function expectedOutcomes(): readonly ShortOutcome[] {
  // The file is ours and its form is stated beside it.
  return (JSON.parse(fixture('reco-001.expected.json')) as { expected: ShortOutcome[] }).expected;
}

export function short({ rule, bank, ledger, status, of }: MatchOutcome): ShortOutcome {
  return { rule, bank, ledger, status, ...(of !== undefined && { of }) };
}

export function day(text: string): Day {
  const found = parseDay(text);
  if (found === undefined) throw new Error(`${text} is no day`);
  return found;
}

export function line(given: Partial<BankLine> & { readonly id: string }): BankLine {
  return {
    account: 'A1',
    nativeId: `N-${given.id}`,
    bookingDate: day('2026-03-10'),
    valueDate: undefined,
    amountCents: 100_00,
    currency: 'USD',
    direction: 'credit',
    status: 'booked',
    isReversal: false,
    trace: undefined,
    references: [],
    counterparty: 'PAYER',
    description: undefined,
    source: { feed: 'test', line: 1 },
    ...given,
  };
}

export function expectedPayment(
  given: Partial<ExpectedPayment> & { readonly id: string },
): ExpectedPayment {
  return {
    grant: 'grant',
    payer: 'Payer',
    reference: undefined,
    amountCents: 100_00,
    currency: 'USD',
    direction: 'credit',
    expected: day('2026-03-10'),
    payloadHash: undefined,
    ...given,
  };
}

/** A small generator of numbers below 1 that a seed repeats. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const mixed = [...items];
  for (let at = mixed.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    const [one, two] = [mixed[at], mixed[other]];
    // Both places exist: at and other are below the length.
    mixed[at] = two as Item;
    mixed[other] = one as Item;
  }
  return mixed;
}

export function match(
  lines: readonly BankLine[],
  expectedPayments: readonly ExpectedPayment[],
): MatchOutcome[] {
  return [...matchExpectedPayments({ lines, expectedPayments })];
}

export function summary(
  lines: readonly BankLine[],
  expectedPayments: readonly ExpectedPayment[],
): string[] {
  return match(lines, expectedPayments).map(
    ({ rule, status, bank, ledger }) => `${rule} ${status} ${bank.join('+')}=${ledger.join('+')}`,
  );
}

export function part(id: string, cents: bigint): FigurePart {
  return { id, cents, payloadHash: 'h', idempotencyKey: id, matchRule: undefined, bank: [] };
}
