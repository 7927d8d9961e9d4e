/** Outcomes that are about one side alone. */
import { formatDay } from '../../../calendar/index.ts';
import { type BankLine, type ExpectedPayment, signedCents } from './bank-line.ts';
import type { FoundOutcome, MatchOutcome } from './outcome.ts';

export function lineAlone(
  line: BankLine,
  { text, ...why }: Pick<MatchOutcome, 'rule' | 'status' | 'of'> & { readonly text: string },
): FoundOutcome {
  const reason = {
    text,
    currency: line.currency,
    bankCents: signedCents(line),
    ledgerCents: 0,
    bankDates: [formatDay(line.bookingDate)],
    ledgerDates: [],
  };
  const outcome = { ...why, bank: [line.id], ledger: [], reason };
  return { outcome, lines: [line], expectedPayments: [] };
}

/** It is still expected. */
export function expectedAlone(expectedPayment: ExpectedPayment, text: string): FoundOutcome {
  const reason = {
    text,
    currency: expectedPayment.currency,
    bankCents: 0,
    ledgerCents: expectedPayment.amountCents,
    bankDates: [],
    ledgerDates: [formatDay(expectedPayment.expected)],
  };
  const outcome = { rule: 'P6-unmatched-ledger', status: 'open' } as const;
  return {
    outcome: { ...outcome, bank: [], ledger: [expectedPayment.id], reason },
    lines: [],
    expectedPayments: [expectedPayment],
  };
}
