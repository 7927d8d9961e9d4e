/** Matched money with its award: what a report may count. What is not matched is in no report. */
import { formatDay } from '../../../calendar/index.ts';
import { FilewrightError, invariant } from '../../../core/index.ts';
import type { AcceptedAward } from '../intake/ingest.ts';
import type { BankLine, ExpectedReceipt } from '../matching/bank-line.ts';
import type { MatchOutcome } from '../matching/outcome.ts';
import type { BankTrace, FigurePart } from './figure.ts';

export interface ReceivedMoney {
  readonly part: FigurePart;
  readonly award: AcceptedAward;
  /** The first day on which some of it was booked. */
  readonly receivedOn: string;
}

/** One for each receipt that is matched; receipts name their award by its payload's hash. */
export function receivedMoney(given: {
  readonly outcomes: readonly MatchOutcome[];
  readonly lines: readonly BankLine[];
  readonly receipts: readonly ExpectedReceipt[];
  /** By the id of the receipt: two awards on two lines may have the same content, and so the same hash. */
  readonly awardOf: (receipt: ExpectedReceipt) => AcceptedAward | undefined;
}): readonly ReceivedMoney[] {
  const lines = new Map(given.lines.map((line) => [line.id, line]));
  const receipts = new Map(given.receipts.map((receipt) => [receipt.id, receipt]));
  const counted = new Set<string>();
  return given.outcomes
    .filter(({ status }) => status === 'matched')
    .flatMap(({ rule, bank, ledger }) =>
      ledger.map((id): ReceivedMoney => {
        const receipt = receipts.get(id);
        invariant(receipt !== undefined, `matched receipt ${id} is not among the receipts`);
        invariant(!counted.has(id), `receipt ${id} would be counted twice`);
        counted.add(id);
        const award = given.awardOf(receipt);
        if (award === undefined) {
          throw new FilewrightError('NOT_FOUND', `receipt ${id}: no award with its payload`);
        }
        const traces = bank.map((line) => traceOfLine(lines.get(line), line));
        const part: FigurePart = {
          id,
          cents: BigInt(receipt.amountCents),
          payloadHash: award.metadata.payload_hash,
          idempotencyKey: award.metadata.idempotency_key,
          matchRule: rule,
          bank: traces,
        };
        const days = traces.map(({ bookedOn }) => bookedOn).sort();
        return { part, award, receivedOn: days[0] ?? '' };
      }),
    );
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
