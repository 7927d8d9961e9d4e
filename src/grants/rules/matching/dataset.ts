/** A data set for `reconcile.match`: a grantor ledger and bank events as JSON, read strictly. */
import { type JsonValue, notFound } from '../../../core/index.ts';
import { CaseInput } from '../case-input.ts';
import {
  AMOUNT_CENTS_MAX,
  type BankLine,
  type Direction,
  type ExpectedPayment,
} from './bank-line.ts';
import type { IsBusinessDay } from './business-days.ts';
import { matchExpectedPayments } from './match.ts';
import type { MatchOutcome } from './outcome.ts';
import { type DateWindow, MATCH_POLICY, type MatchPolicy } from './policy.ts';

export interface MatchDataset {
  readonly name: string;
  readonly lines: readonly BankLine[];
  readonly expectedPayments: readonly ExpectedPayment[];
  readonly policy: MatchPolicy;
}

/** Where data sets come from: samples by name, or files. Throws NOT_FOUND for one that is not there. */
export interface DatasetLibrary {
  named(name: string): MatchDataset;
  fromFiles(files: { readonly ledger: string; readonly bank: readonly string[] }): MatchDataset;
}

const CENTS = { min: 0, max: AMOUNT_CENTS_MAX } as const;
const STATUSES = { BOOK: 'booked', PDNG: 'pending', INFO: 'information' } as const;
const DIRECTIONS = { C: 'credit', D: 'debit' } as const;

/** `{ledger: [{id, grant, payer, ref, amount, expected, currency}]}`; amounts are cents. */
export function readLedger(document: JsonValue, place: string): readonly ExpectedPayment[] {
  return new CaseInput(document, place).list('ledger').map(
    (row): ExpectedPayment => ({
      id: row.text('id'),
      grant: row.optionalText('grant') ?? '',
      payer: row.text('payer'),
      reference: row.optionalText('ref'),
      amountCents: row.integer('amount', CENTS),
      currency: row.text('currency'),
      direction: row.has('dc') ? directionOf(row) : 'credit',
      expected: row.day('expected'),
      payloadHash: row.optionalText('payloadHash'),
    }),
  );
}

/** `{account?, bankEvents: [{id, nativeId, date, amount, dc, payer, ref, trace, status, currency}]}`. */
export function readBankEvents(document: JsonValue, place: string): readonly BankLine[] {
  const root = new CaseInput(document, place);
  const account = root.optionalText('account') ?? '';
  return root.list('bankEvents').map((row, index): BankLine => {
    const reference = row.optionalText('ref');
    return {
      id: row.text('id'),
      account: row.optionalText('account') ?? account,
      nativeId: row.optionalText('nativeId'),
      bookingDate: row.day('date'),
      valueDate: row.optionalDay('valueDate'),
      amountCents: row.integer('amount', CENTS),
      currency: row.text('currency'),
      direction: directionOf(row),
      status: row.has('status')
        ? STATUSES[row.choice('status', ['BOOK', 'PDNG', 'INFO'])]
        : 'booked',
      isReversal: row.flag('reversal') ?? false,
      trace: row.optionalText('trace'),
      references: reference === undefined ? [] : [reference],
      counterparty: row.optionalText('payer'),
      description: row.optionalText('description'),
      source: { feed: place, line: index + 1 },
    };
  });
}

function directionOf(row: CaseInput): Direction {
  return DIRECTIONS[row.choice('dc', ['C', 'D'])];
}

/** `{policy?: {dateWindowRef, dateWindowNoRef, maxGroup, feeToleranceCents}}`; what is absent is `MATCH_POLICY`. */
export function readPolicy(document: JsonValue, place: string): MatchPolicy {
  const root = new CaseInput(document, place);
  if (!root.has('policy')) return MATCH_POLICY;
  const policy = root.object('policy');
  // Matching to the cent is what makes a match; a data set cannot loosen it.
  if (policy.has('autoAcceptTolerance')) policy.integer('autoAcceptTolerance', { min: 0, max: 0 });
  const withReference = windowOf(policy, 'dateWindowRef');
  return {
    withReference: withReference ?? MATCH_POLICY.withReference,
    // Whoever gives a window means it: nothing outside it is matched.
    sameReferenceAndAmount: withReference ?? MATCH_POLICY.sameReferenceAndAmount,
    noReference: windowOf(policy, 'dateWindowNoRef') ?? MATCH_POLICY.noReference,
    groupMax: policy.has('maxGroup')
      ? policy.integer('maxGroup', { min: 2, max: MATCH_POLICY.groupMax })
      : MATCH_POLICY.groupMax,
    feeCentsMax: policy.has('feeToleranceCents')
      ? policy.integer('feeToleranceCents', CENTS)
      : MATCH_POLICY.feeCentsMax,
    reversalDaysMax: MATCH_POLICY.reversalDaysMax,
  };
}

const WINDOW_DAYS_MAX = 260;

function windowOf(policy: CaseInput, name: string): DateWindow | undefined {
  if (!policy.has(name)) return undefined;
  const range = { min: -WINDOW_DAYS_MAX, max: WINDOW_DAYS_MAX };
  const [from, to] = policy.integers(name, range);
  if (from === undefined || to === undefined || from > to) {
    policy.refuse(name, 'two whole numbers, the smaller first,');
  }
  return { from, to };
}

/** The outcome of one event, found by its id, or where that is unique by the bank's number. */
export function outcomeOf(
  dataset: MatchDataset,
  bankEvent: string,
  isBusinessDay: IsBusinessDay,
): MatchOutcome {
  const outcomes = outcomesOf(dataset, isBusinessDay);
  const byNumber = dataset.lines.filter(({ nativeId }) => nativeId === bankEvent);
  const id = dataset.lines.some((line) => line.id === bankEvent)
    ? bankEvent
    : (byNumber.find((line) => line.status === 'booked') ?? byNumber[0])?.id;
  const outcome = outcomes.find(({ bank }) => id !== undefined && bank.includes(id));
  if (outcome === undefined) {
    throw notFound(
      `input.bankEvent: data set ${dataset.name} has no event ${JSON.stringify(bankEvent)}`,
    );
  }
  return outcome;
}

const answered = new WeakMap<MatchDataset, readonly MatchOutcome[]>();

/** Matched once for each data set: thousands of cases ask about the same one. */
function outcomesOf(dataset: MatchDataset, isBusinessDay: IsBusinessDay): readonly MatchOutcome[] {
  const known = answered.get(dataset);
  if (known !== undefined) return known;
  const outcomes = matchExpectedPayments({ ...dataset, isBusinessDay });
  answered.set(dataset, outcomes);
  return outcomes;
}

export function datesOf(outcome: MatchOutcome): string {
  const { bankDates, ledgerDates } = outcome.reason;
  const booked = bankDates.length === 0 ? [] : [`booked ${bankDates.join(', ')}`];
  const expected = ledgerDates.length === 0 ? [] : [`expected ${ledgerDates.join(', ')}`];
  return [...booked, ...expected].join('; ');
}
