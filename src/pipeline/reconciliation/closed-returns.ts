/** Looks up the payments of closed periods that open returns take back; their texts are sealed with their feeds. */
import { formatDay } from '../../calendar/index.ts';
import {
  type BankLine,
  type ClosedPayment,
  closedPaymentOf,
  type FoundOutcome,
  MATCH_POLICY,
  mayReturnClosed,
  returnOutcome,
} from '../../packs/grants/index.ts';
import { closedPayments, sealedLines, type StageRun } from '../../store/index.ts';
import { lineId, openedLine } from './line-codec.ts';
import type { ReconciliationParts } from './parts.ts';

/** Returns that are looked up in one statement. */
const AT_ONCE = 500;

export class ClosedReturns {
  #asked: BankLine[] = [];
  readonly #found = new Map<string, ClosedPayment>();

  look(line: BankLine): void {
    if (mayReturnClosed(line)) this.#asked.push(line);
  }

  async find(parts: ReconciliationParts, at: StageRun): Promise<void> {
    const asked = this.#asked.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    this.#asked = [];
    const taken = new Set<string>();
    for (let from = 0; from < asked.length; from += AT_ONCE) {
      const some = asked.slice(from, from + AT_ONCE);
      const payments = await paymentsFor(parts, at, some);
      for (const line of some) {
        const free = payments.filter((payment) => !taken.has(payment.line.id));
        const payment = closedPaymentOf(line, free);
        if (payment === undefined) continue;
        taken.add(payment.line.id);
        this.#found.set(line.id, payment);
      }
    }
  }

  /** Cents by award that go back, of what closed periods have counted. */
  reopened(): ReadonlyMap<string, number> {
    const sums = new Map<string, number>();
    for (const { shares } of this.#found.values()) {
      for (const { award, cents } of shares) sums.set(award, (sums.get(award) ?? 0) + cents);
    }
    return sums;
  }

  /** What the rules left to a person, where it is such a return after all. */
  insteadOf(found: FoundOutcome): FoundOutcome {
    const [line, other] = found.lines;
    if (line === undefined || other !== undefined || found.outcome.status !== 'manual') {
      return found;
    }
    const payment = this.#found.get(line.id);
    return payment === undefined ? found : returnOutcome(line, payment);
  }
}

async function paymentsFor(
  parts: ReconciliationParts,
  at: StageRun,
  returns: readonly BankLine[],
): Promise<readonly ClosedPayment[]> {
  const wanted = returns.map(({ account, amountCents, bookingDate }) => ({
    account,
    cents: amountCents,
    on: formatDay(bookingDate),
  }));
  const stored = await closedPayments(at, wanted, MATCH_POLICY.reversalDaysMax);
  const texts = await sealedLines(parts.desk, at, stored);
  return stored.flatMap(({ feed, ordinal, shares }) => {
    const fields = texts.get(lineId(feed, ordinal));
    // Only a booked statement is proof, so that the format does not matter here.
    const place = { feed, ordinal, format: '' };
    return fields === undefined ? [] : [{ line: openedLine(place, fields), shares }];
  });
}
