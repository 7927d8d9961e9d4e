/**
 * Returns of payments that a closed period has counted. Its total stays: the money is taken off where it comes back, from
 * the awards that the payment was for.
 */
import { formatDay } from '../../../calendar/index.ts';
import type { BankLine } from './bank-line.ts';
import type { FoundOutcome, OutcomePart } from './outcome.ts';
import { isSamePayer, mayBeCut, payerName } from './payer-names.ts';
import { spelledReference } from './references.ts';
import { isToldReturn } from './returns.ts';

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

/** The one payment that is meant; undefined where none is, or more than one could be. */
export function closedPaymentOf(
  back: BankLine,
  payments: readonly ClosedPayment[],
): ClosedPayment | undefined {
  const able = payments.filter(
    ({ line }) =>
      line.account === back.account &&
      line.currency === back.currency &&
      line.amountCents === back.amountCents &&
      line.bookingDate <= back.bookingDate,
  );
  const byTrace = able.filter(({ line }) => line.trace !== undefined && line.trace === back.trace);
  if (byTrace.length > 0) return onlyOne(byTrace);
  if (!isToldReturn(back)) return undefined;
  const names = new Set(back.references.map(spelledReference).filter((name) => name !== ''));
  const byReference = able.filter(({ line }) =>
    line.references.some((reference) => names.has(spelledReference(reference))),
  );
  if (byReference.length > 0) return onlyOne(byReference);
  return onlyOne(able.filter(({ line }) => isPaidBy(back.counterparty, line.counterparty)));
}

function isPaidBy(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return isSamePayer(payerName(one), payerName(other), mayBeCut(one));
}

function onlyOne(found: readonly ClosedPayment[]): ClosedPayment | undefined {
  return found.length === 1 ? found[0] : undefined;
}

/** Takes off what the payment brought, award by award, and with it what the bank was said to have kept. */
export function returnOutcome(back: BankLine, { line, shares }: ClosedPayment): FoundOutcome {
  const parts: readonly OutcomePart[] = shares.map(({ cents, feeCents }, ledger) => ({
    bank: 0,
    ledger,
    cents: -cents,
    ...(feeCents !== 0 && { feeCents: -feeCents }),
  }));
  return {
    outcome: {
      rule: 'P0-return',
      status: 'matched',
      bank: [back.id],
      ledger: shares.map(({ award }) => award),
      of: line.id,
      reason: {
        text: `It takes back the payment of ${formatDay(line.bookingDate)}, which a closed period has counted: that total stays, and the amount is taken off here.`,
        currency: back.currency,
        bankCents: -back.amountCents,
        ledgerCents: -back.amountCents,
        bankDates: [formatDay(back.bookingDate)],
        ledgerDates: [formatDay(line.bookingDate)],
      },
      parts,
    },
    lines: [back],
    receipts: [],
  };
}
