/** What becomes of money in that a person has settled: its parts, award by award, and what they leave of the line. */
import { formatDay } from '../../../calendar/index.ts';
import type { BankLine, ExpectedReceipt } from '../../rules/matching/bank-line.ts';
import { inDollars } from '../../rules/reporting/figure.ts';
import type { MatchOutcome, OutcomePart } from '../../rules/matching/outcome.ts';
import { BY_PERSON, type Settlement } from '../../store/matches.ts';

/** Known parts that are named one by one; a batch may have hundreds. */
const NAMED_MAX = 20;

interface Share {
  readonly receipt: ExpectedReceipt;
  readonly cents: number;
  /** Undefined when all of it has come, or more. */
  readonly left: ExpectedReceipt | undefined;
  /** A word to the cent gives it more than is open of it. */
  readonly isTooMuch: boolean;
}

/** What each award has of the line: to the cent as it was said, or, of a line for one award, whatever it brings. */
export function sharesOf(
  line: BankLine,
  receipts: readonly ExpectedReceipt[],
  { cents: said, feeCents }: Pick<Settlement, 'cents' | 'feeCents'>,
): readonly Share[] {
  return receipts.map((receipt, at) => {
    const whole = receipts.length === 1 ? line.amountCents + feeCents : receipt.amountCents;
    const cents = said?.[at] ?? whole;
    const amountCents = receipt.amountCents - cents;
    const left =
      amountCents > 0
        ? { ...receipt, amountCents, parts: 'some' as const, goodsCents: undefined }
        : undefined;
    return { receipt, cents, left, isTooMuch: said !== undefined && amountCents < 0 };
  });
}

/** One outcome for the line, whatever is known of it: while its rest is open it is a question, and nothing of it counts. */
export function settledOutcome(
  line: BankLine,
  shares: readonly Share[],
  settlement: Pick<Settlement, 'reason' | 'feeCents' | 'cents' | 'rest'>,
): MatchOutcome {
  const { feeCents, rest, cents } = settlement;
  const receipts = shares.map(({ receipt }) => receipt);
  const isOpen = rest?.state === 'open';
  const ofEach = cents === undefined ? receipts.map(({ amountCents }) => amountCents) : cents;
  return {
    // Beside the matcher's own rules; wherever rules are counted, it is counted under its own name.
    rule: isOpen ? 'P6-rest-open' : (BY_PERSON as MatchOutcome['rule']),
    status: isOpen ? 'manual' : receipts.length === 0 ? 'ignored' : 'matched',
    bank: [line.id],
    ledger: receipts.map(({ id }) => id),
    reason: {
      text: isOpen ? openWords(shares, settlement) : settledWords(settlement),
      currency: line.currency,
      bankCents: line.amountCents,
      ledgerCents: ofEach.reduce((sum, one) => sum + one, 0),
      ...(feeCents > 0 && { feeCents }),
      ...(rest !== undefined && { restCents: rest.cents }),
      bankDates: [formatDay(line.bookingDate)],
      ledgerDates: receipts.map(({ expected }) => formatDay(expected)),
    },
    ...(!isOpen && cents !== undefined && { parts: partsOf(shares, feeCents) }),
  };
}

function partsOf(shares: readonly Share[], feeCents: number): readonly OutcomePart[] {
  return shares.map(({ receipt: { goodsCents = 0 }, cents }, ledger) => ({
    bank: 0,
    ledger,
    cents,
    // The first has the fee: it is one, and must be counted once.
    ...(ledger === 0 && feeCents > 0 && { feeCents }),
    ...(goodsCents > 0 && { goodsCents }),
  }));
}

function settledWords({ reason, rest }: Pick<Settlement, 'reason' | 'rest'>): string {
  const settled = `Settled by a person: ${reason}`;
  return rest === undefined
    ? settled
    : `${settled}. ${inDollars(BigInt(rest.cents))} of it pays none of our awards.`;
}

function openWords(
  shares: readonly Share[],
  { reason, rest }: Pick<Settlement, 'reason' | 'rest'>,
): string {
  const named = shares
    .slice(0, NAMED_MAX)
    .map(({ receipt, cents }) => `${inDollars(BigInt(cents))} for ${receipt.id}`);
  const more = shares.length - named.length;
  const known = [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ');
  return `A person knows a part of it (${reason}): ${known}. The rest of ${inDollars(BigInt(rest?.cents ?? 0))} is not known yet, and nothing of the line counts before it is. Settle the line again with all of its awards, or with --rest-none where the rest pays none of them.`;
}
