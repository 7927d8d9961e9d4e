/** Matched money with its award: what a report may count. What is not matched is in no report. */
import { formatDay } from '../../../calendar/index.ts';
import { invariant, notFound } from '../../../core/index.ts';
import type { AcceptedAward } from '../intake/ingest.ts';
import type { BankLine, ExpectedPayment } from '../matching/bank-line.ts';
import type { FoundOutcome, MatchOutcome } from '../matching/outcome.ts';
import { partsOf, withParts } from '../matching/parts.ts';
import type { BankTrace, FigurePart } from './figure.ts';

/** One booking of one award. */
export interface ReceivedMoney {
  /** With what the bank kept and what came as goods; below zero where it was taken back. */
  readonly part: FigurePart;
  readonly award: AcceptedAward;
  /** The day on which it was booked. */
  readonly receivedOn: string;
  /** Of the cents of the part, what came as goods and services. */
  readonly goodsCents: bigint;
  /** Of the cents of the part, what a bank on the way kept. */
  readonly feeCents: bigint;
  /** The line of the bank that it takes back. */
  readonly takesBack: string | undefined;
}

/** One for each booking that is matched with a expected payment; expected payments name their award by its payload's hash. */
export function receivedMoney(given: {
  readonly outcomes: readonly MatchOutcome[];
  readonly lines: readonly BankLine[];
  readonly expectedPayments: readonly ExpectedPayment[];
  /** By the id of the expected payment: two awards on two lines may have the same content, and so the same hash. */
  readonly awardOf: (expectedPayment: ExpectedPayment) => AcceptedAward | undefined;
}): readonly ReceivedMoney[] {
  const lines = new Map(given.lines.map((line) => [line.id, line]));
  const expectedPayments = new Map(
    given.expectedPayments.map((expectedPayment) => [expectedPayment.id, expectedPayment]),
  );
  const hasGoods = new Set<string>();
  return given.outcomes.flatMap((outcome) =>
    partsOf(withParts(found(outcome, lines, expectedPayments))).map((booking): ReceivedMoney => {
      const id = outcome.ledger[booking.ledger] ?? '';
      const expectedPayment = expectedPayments.get(id);
      invariant(
        expectedPayment !== undefined,
        `matched payment ${id} is not among the expected payments`,
      );
      const award = given.awardOf(expectedPayment);
      if (award === undefined) throw notFound(`payment ${id}: no award with its payload`);
      const line = outcome.bank[booking.bank] ?? '';
      const trace = traceOfLine(lines.get(line), line);
      // With the first booking of an award, and once.
      const goods = hasGoods.has(id) ? 0n : goodsOf(award);
      hasGoods.add(id);
      const part: FigurePart = {
        id,
        cents: BigInt(booking.cents + (booking.goodsCents ?? 0)),
        payloadHash: award.metadata.payload_hash,
        idempotencyKey: award.metadata.idempotency_key,
        matchRule: outcome.rule,
        bank: [trace],
      };
      return {
        part,
        award,
        receivedOn: trace.bookedOn,
        goodsCents: goods,
        feeCents: BigInt(booking.feeCents ?? 0),
        takesBack: booking.cents < 0 ? outcome.of : undefined,
      };
    }),
  );
}

function found(
  outcome: MatchOutcome,
  lines: ReadonlyMap<string, BankLine>,
  expectedPayments: ReadonlyMap<string, ExpectedPayment>,
): FoundOutcome {
  return {
    outcome,
    lines: outcome.bank.flatMap((id) => lines.get(id) ?? []),
    expectedPayments: outcome.ledger.flatMap((id) => expectedPayments.get(id) ?? []),
  };
}

/** What of an award is no money. */
export function goodsOf({ payload }: Pick<AcceptedAward, 'payload'>): bigint {
  const { noncash_amount: goods } = payload;
  return typeof goods === 'number' ? BigInt(goods) : 0n;
}

function traceOfLine(line: BankLine | undefined, id: string): BankTrace {
  invariant(line !== undefined, `matched bank line ${id} is not among the lines`);
  return {
    line: id,
    nativeId: line.nativeId,
    bookedOn: formatDay(line.bookingDate),
    cents: line.amountCents,
    source: line.source,
  };
}
