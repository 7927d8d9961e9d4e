/** Known parts of lines that are booked after what is matched now: their awards are still expected, and for no other line. */
import type { ExpectedPayment } from '../../rules/matching/bank-line.ts';
import type { FoundOutcome } from '../../rules/matching/outcome.ts';
import type { WaitingLine } from './resolved-entries.ts';
import { expectedAlone } from '../../rules/matching/outcome-alone.ts';

export class LaterInstallments {
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

  /** What of a expected payment is free for the lines of now; undefined where nothing is. */
  keep(expectedPayment: ExpectedPayment): ExpectedPayment | undefined {
    const waiting = this.#lineOf.get(expectedPayment.id);
    if (waiting === undefined) return expectedPayment;
    const known = Math.min(expectedPayment.amountCents, waiting.known.get(expectedPayment.id) ?? 0);
    this.#kept.push(expectedLater({ ...expectedPayment, amountCents: known }, waiting.line));
    const amountCents = expectedPayment.amountCents - known;
    return amountCents > 0 ? { ...expectedPayment, amountCents, parts: 'some' } : undefined;
  }

  outcomes(): readonly FoundOutcome[] {
    return this.#kept;
  }
}

function expectedLater(expectedPayment: ExpectedPayment, line: string): FoundOutcome {
  return expectedAlone(
    expectedPayment,
    `A person assigned it to line ${line}, which is booked later and has an open remainder.`,
  );
}
