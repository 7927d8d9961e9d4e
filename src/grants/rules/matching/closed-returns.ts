/**
 * Returns of payments that a closed period has counted. Its total stays: the money is taken off where it comes back, from
 * the awards that the payment was for.
 */
import { formatDay } from '../../../calendar/index.ts';
import type { BankLine } from './bank-line.ts';
import type { FoundOutcome, OutcomePart } from './outcome.ts';
import { isSamePayer, mayBeCut, payerName } from './payer-names.ts';
import { spelledReference } from './references.ts';
import { grouped } from './deliveries/grouped.ts';
import { MATCH_POLICY } from './policy.ts';
import { IF_COUNTED, isToldReturn } from './returns.ts';
import { compare } from './workbench.ts';

/** Payments that a question names; more help nobody to answer it. */
const NAMED_MAX = 3;

/** A payment of which nothing was taken back yet, with what it brought to each award. */
export interface ClosedPayment {
  readonly line: BankLine;
  readonly shares: readonly {
    readonly award: string;
    readonly cents: number;
    readonly feeCents: number;
  }[];
}

/** Money out that the bank calls a return, or that carries the number of a payment in the clearing. */
export function mayReturnClosed(line: BankLine): boolean {
  return (
    line.direction === 'debit' &&
    line.status === 'booked' &&
    (line.trace !== undefined || isToldReturn(line))
  );
}

/** What a return takes back, as far as what is said of it goes. */
export type TakenBack =
  | { readonly kind: 'closed'; readonly payment: ClosedPayment }
  /** None that a closed period has counted: the rules look for it among what is open. */
  | { readonly kind: 'open' }
  | { readonly kind: 'doubt'; readonly payments: readonly Candidate[] };

export interface Candidate {
  readonly line: BankLine;
  /** Undefined for a payment of an open period. */
  readonly closed: ClosedPayment | undefined;
}

/** The surest first. A payer's name is the weakest: most give more than once. */
const LEVELS: readonly ((back: BankLine, payment: BankLine) => boolean)[] = [
  (back, { trace }) => trace !== undefined && trace === back.trace,
  (back, payment) => isToldReturn(back) && sharesReference(back, payment),
  (back, payment) => isToldReturn(back) && isPaidBy(back.counterparty, payment.counterparty),
];

/**
 * Each return with the one payment that is meant, open payments and closed ones looked at together: it takes back one of
 * them, and an award whose payment stays must not be expected again. By id; whatever more than one fits is in doubt.
 */
export function paymentsTakenBack(
  returns: readonly BankLine[],
  payments: readonly Candidate[],
): ReadonlyMap<string, TakenBack> {
  const byMoney = grouped(payments, ({ line }) => accountMoney(line));
  const taken = new Set<string>();
  const found = new Map<string, TakenBack>();
  const left = new Set(returns.toSorted((one, other) => compare(one.id, other.id)));
  for (const fits of LEVELS) {
    for (const back of left) {
      const candidates = (byMoney.get(accountMoney(back)) ?? []).filter(
        ({ line }) => isBefore(line, back) && !taken.has(line.id) && fits(back, line),
      );
      const [only, second] = candidates;
      if (only === undefined) continue;
      left.delete(back);
      found.set(back.id, decided(candidates));
      if (second === undefined) taken.add(only.line.id);
    }
  }
  for (const back of left) found.set(back.id, { kind: 'open' });
  return found;
}

function decided(candidates: readonly Candidate[]): TakenBack {
  const [only, second] = candidates;
  const isOpen = candidates.every(({ closed }) => closed === undefined);
  // The rules know what to do with several of them as well.
  if (isOpen || only === undefined) return { kind: 'open' };
  if (second !== undefined || only.closed === undefined) {
    return { kind: 'doubt', payments: candidates };
  }
  return { kind: 'closed', payment: only.closed };
}

/** Money in of one account, and what would take it back, have the same. */
export function accountMoney({ account, currency, amountCents }: BankLine): string {
  return JSON.stringify([account, currency, amountCents]);
}

function isBefore(payment: BankLine, back: BankLine): boolean {
  const days = back.bookingDate - payment.bookingDate;
  return days >= 0 && days <= MATCH_POLICY.reversalDaysMax;
}

function sharesReference(back: BankLine, payment: BankLine): boolean {
  const names = new Set(back.references.map(spelledReference).filter((name) => name !== ''));
  return payment.references.some((reference) => names.has(spelledReference(reference)));
}

function isPaidBy(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return isSamePayer(payerName(one), payerName(other), mayBeCut(one));
}

/** For a person: the rules would take the open one, and leave an award paid whose money is gone. */
export function doubtfulReturn(back: BankLine, payments: readonly Candidate[]): FoundOutcome {
  const named = payments
    .toSorted((one, other) => Number(one.closed !== undefined) - Number(other.closed !== undefined))
    .slice(0, NAMED_MAX)
    .map(({ line, closed }) => {
      const of = `${line.id} of ${formatDay(line.bookingDate)}`;
      return closed === undefined ? of : `${of}, which was counted in a closed period`;
    });
  const what = isToldReturn(back)
    ? 'A return, and it could reverse more than one payment'
    : 'It has the trace of more than one payment';
  return {
    outcome: {
      rule: 'P6-unmatched-bank',
      status: 'manual',
      bank: [back.id],
      ledger: [],
      reason: {
        text: `${what}: ${named.join(', and ')}. ${IF_COUNTED}`,
        currency: back.currency,
        bankCents: -back.amountCents,
        ledgerCents: 0,
        bankDates: [formatDay(back.bookingDate)],
        ledgerDates: [],
      },
    },
    lines: [back],
    expectedPayments: [],
  };
}

/** Takes off what the payment brought, award by award, and with it what the bank was said to have kept. */
export function returnOutcome(back: BankLine, { line, shares }: ClosedPayment): FoundOutcome {
  const parts: readonly OutcomePart[] = shares.map(({ cents, feeCents }, ledger) => ({
    bank: 0,
    ledger,
    cents: -cents,
    ...(feeCents !== 0 && { feeCents: -feeCents }),
  }));
  // What the payment brought to no award is not taken off any.
  const counted = shares.reduce((sum, { cents, feeCents }) => sum + cents - feeCents, 0);
  const restCents = back.amountCents - counted;
  return {
    outcome: {
      rule: 'P0-return',
      status: 'matched',
      bank: [back.id],
      ledger: shares.map(({ award }) => award),
      of: line.id,
      reason: {
        text: `It reverses the payment of ${formatDay(line.bookingDate)}, which was counted in a closed period: that total stays, and the amount is deducted here.`,
        currency: back.currency,
        bankCents: -back.amountCents,
        ledgerCents: -back.amountCents + Math.max(0, restCents),
        ...(restCents > 0 && { restCents: -restCents }),
        bankDates: [formatDay(back.bookingDate)],
        ledgerDates: [formatDay(line.bookingDate)],
      },
      parts,
    },
    lines: [back],
    expectedPayments: [],
  };
}
