/** Known parts of lines that are booked after what is matched now: their awards are still expected, and for no other line. */
import { formatDay } from '../../../calendar/index.ts';
import type { ExpectedReceipt } from '../../rules/matching/bank-line.ts';
import type { FoundOutcome } from '../../rules/matching/outcome.ts';
import type { WaitingLine } from './settled-entries.ts';

export class LaterParts {
  readonly #lineOf = new Map<string, WaitingLine>();
  readonly #kept: FoundOutcome[] = [];

  /** `now`: those that are matched now, which have their parts already. */
  constructor(waiting: readonly WaitingLine[], now: readonly WaitingLine[]) {
    const told = new Set(now.flatMap(({ deliveries }) => deliveries));
    for (const line of waiting) {
      if (line.deliveries.some((id) => told.has(id))) continue;
      for (const award of line.known.keys()) this.#lineOf.set(award, line);
    }
  }

  /** What of a receipt is free for the lines of now; undefined where nothing is. */
  keep(receipt: ExpectedReceipt): ExpectedReceipt | undefined {
    const waiting = this.#lineOf.get(receipt.id);
    if (waiting === undefined) return receipt;
    const known = Math.min(receipt.amountCents, waiting.known.get(receipt.id) ?? 0);
    this.#kept.push(expectedLater({ ...receipt, amountCents: known }, waiting.line));
    const amountCents = receipt.amountCents - known;
    return amountCents > 0 ? { ...receipt, amountCents, parts: 'some' } : undefined;
  }

  outcomes(): readonly FoundOutcome[] {
    return this.#kept;
  }
}

function expectedLater(receipt: ExpectedReceipt, line: string): FoundOutcome {
  return {
    outcome: {
      rule: 'P6-unmatched-ledger',
      status: 'open',
      bank: [],
      ledger: [receipt.id],
      reason: {
        text: `A person says that it is a known part of line ${line}, which is booked later and whose rest is open.`,
        currency: receipt.currency,
        bankCents: 0,
        ledgerCents: receipt.amountCents,
        bankDates: [],
        ledgerDates: [formatDay(receipt.expected)],
      },
    },
    lines: [],
    receipts: [receipt],
  };
}
