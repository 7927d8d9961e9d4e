/** What each booking brought to each award: the outcome of a match, cut into bookings. */
import { invariant } from '../../../core/index.ts';
import type { FoundOutcome, MatchOutcome, OutcomePart } from './outcome.ts';

/** The outcome with its parts, where they do not follow from its figures alone. */
export function withParts(found: FoundOutcome): MatchOutcome {
  const { outcome } = found;
  if (outcome.status !== 'matched' || outcome.parts !== undefined) return outcome;
  const parts = cut(found);
  const [only] = parts;
  const isPlain =
    parts.length === 1 && only?.feeCents === undefined && only?.goodsCents === undefined;
  return isPlain ? outcome : { ...outcome, parts };
}

/** As `withParts` has left them; empty for what is no match. */
export function partsOf(outcome: MatchOutcome): readonly OutcomePart[] {
  const { status, parts, reason } = outcome;
  if (status !== 'matched') return [];
  return parts ?? [{ bank: 0, ledger: 0, cents: reason.bankCents }];
}

function cut({ outcome, lines, expectedPayments }: FoundOutcome): readonly OutcomePart[] {
  const { feeCents = 0 } = outcome.reason;
  const [line] = lines;
  invariant(line !== undefined, 'a match has a line');
  invariant(
    lines.length === 1 || expectedPayments.length === 1,
    'several lines cannot pay several expected payments',
  );
  if (expectedPayments.length === 1) {
    return lines.map(({ amountCents }, bank) => ({
      bank,
      ledger: 0,
      // What the bank kept is known of the only line.
      cents: amountCents + (lines.length === 1 ? feeCents : 0),
      ...(bank === 0 && feeCents > 0 && { feeCents }),
      ...(bank === 0 && goodsOf(expectedPayments[0])),
    }));
  }
  return expectedPayments.map((expectedPayment, ledger) => ({
    bank: 0,
    ledger,
    cents: expectedPayment.amountCents,
    // The first has the fee: it is one, and must be counted once.
    ...(ledger === 0 && feeCents > 0 && { feeCents }),
    ...goodsOf(expectedPayment),
  }));
}

function goodsOf(expectedPayment: FoundOutcome['expectedPayments'][number] | undefined) {
  const { goodsCents = 0 } = expectedPayment ?? {};
  return goodsCents > 0 ? { goodsCents } : {};
}
