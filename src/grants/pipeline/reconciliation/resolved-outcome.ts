/** What becomes of a line that a person has resolved: its parts, award by award, and what they leave of the line. */
import { formatDay } from '../../../calendar/index.ts';
import {
  type BankLine,
  type ExpectedPayment,
  signedCents,
} from '../../rules/matching/bank-line.ts';
import { inDollars } from '../../rules/reporting/figure.ts';
import type { MatchOutcome, OutcomePart } from '../../rules/matching/outcome.ts';
import { BY_PERSON, type LineResolution } from '../../store/matches.ts';

/** Known parts that are named one by one; a batch may have hundreds. */
const NAMED_MAX = 20;

interface Share {
  readonly expectedPayment: ExpectedPayment;
  readonly cents: number;
  /** Undefined when all of it has come, or more. */
  readonly left: ExpectedPayment | undefined;
  /** A word to the cent gives it more than is open of it. */
  readonly isTooMuch: boolean;
}

/** What each award has of the line: to the cent as it was said, or, of a line for one award, whatever it brings. */
export function sharesOf(
  line: BankLine,
  expectedPayments: readonly ExpectedPayment[],
  { cents: said, feeCents }: Pick<LineResolution, 'cents' | 'feeCents'>,
): readonly Share[] {
  return expectedPayments.map((expectedPayment, at) => {
    const whole =
      expectedPayments.length === 1 ? line.amountCents + feeCents : expectedPayment.amountCents;
    const cents = said?.[at] ?? whole;
    const amountCents = expectedPayment.amountCents - cents;
    const left =
      amountCents > 0
        ? { ...expectedPayment, amountCents, parts: 'some' as const, goodsCents: undefined }
        : undefined;
    return { expectedPayment, cents, left, isTooMuch: said !== undefined && amountCents < 0 };
  });
}

/** One outcome for the line, whatever is known of it: while its rest is open it is a question, and nothing of it counts. */
export function resolvedOutcome(
  line: BankLine,
  shares: readonly Share[],
  resolution: Pick<LineResolution, 'reason' | 'feeCents' | 'cents' | 'rest'>,
): MatchOutcome {
  const { feeCents, rest, cents } = resolution;
  const expectedPayments = shares.map(({ expectedPayment }) => expectedPayment);
  const isOpen = rest?.state === 'open';
  const ofEach =
    cents === undefined ? expectedPayments.map(({ amountCents }) => amountCents) : cents;
  return {
    // Beside the matcher's own rules; wherever rules are counted, it is counted under its own name.
    rule: isOpen ? 'P6-rest-open' : (BY_PERSON as MatchOutcome['rule']),
    status: isOpen ? 'manual' : expectedPayments.length === 0 ? 'ignored' : 'matched',
    bank: [line.id],
    ledger: expectedPayments.map(({ id }) => id),
    reason: {
      text: isOpen ? openWords(shares, resolution) : resolvedWords(resolution),
      currency: line.currency,
      bankCents: signedCents(line),
      ledgerCents: ofEach.reduce((sum, one) => sum + one, 0),
      ...(feeCents > 0 && { feeCents }),
      ...(rest !== undefined && { restCents: rest.cents }),
      bankDates: [formatDay(line.bookingDate)],
      ledgerDates: expectedPayments.map(({ expected }) => formatDay(expected)),
    },
    ...(!isOpen && cents !== undefined && { parts: partsOf(shares, feeCents) }),
  };
}

function partsOf(shares: readonly Share[], feeCents: number): readonly OutcomePart[] {
  return shares.map(({ expectedPayment: { goodsCents = 0 }, cents }, ledger) => ({
    bank: 0,
    ledger,
    cents,
    // The first has the fee: it is one, and must be counted once.
    ...(ledger === 0 && feeCents > 0 && { feeCents }),
    ...(goodsCents > 0 && { goodsCents }),
  }));
}

function resolvedWords({ reason, rest }: Pick<LineResolution, 'reason' | 'rest'>): string {
  const resolved = `Resolved by a person: ${reason}`;
  return rest === undefined
    ? resolved
    : `${resolved}. ${inDollars(BigInt(rest.cents))} of it pays none of your awards.`;
}

function openWords(
  shares: readonly Share[],
  { reason, rest }: Pick<LineResolution, 'reason' | 'rest'>,
): string {
  const named = shares
    .slice(0, NAMED_MAX)
    .map(({ expectedPayment, cents }) => `${inDollars(BigInt(cents))} for ${expectedPayment.id}`);
  const more = shares.length - named.length;
  const known = [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ');
  return `A person identified part of it (${reason}): ${known}. The remainder of ${inDollars(BigInt(rest?.cents ?? 0))} is not identified yet, and the line does not count until it is. Resolve the line again with all of its awards, or with --rest-none if the remainder pays none of them.`;
}
