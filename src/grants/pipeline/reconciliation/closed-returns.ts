/**
 * Looks up the payments of closed periods that open returns take back; their texts are sealed with their feeds. Decided before
 * anything is matched, once: what goes back is expected again, and no rule may give the return to another payment then.
 */
import { formatDay } from '../../../calendar/index.ts';
import {
  accountMoney,
  type Candidate,
  type ClosedPayment,
  doubtfulReturn,
  mayReturnClosed,
  paymentsTakenBack,
  returnOutcome,
  type TakenBack,
} from '../../rules/matching/closed-returns.ts';
import type { BankLine } from '../../rules/matching/bank-line.ts';
import type { FoundOutcome } from '../../rules/matching/outcome.ts';
import { MATCH_POLICY } from '../../rules/matching/policy.ts';
import { closedPayments } from '../../store/parts.ts';
import { sealedLines } from '../../store/feeds.ts';
import type { StageRun } from '../../store/stage.ts';
import { lineId, openedLine } from './line-codec.ts';
import type { ReconciliationDeps } from './deps.ts';

/** Returns that are looked up in one statement. */
const AT_ONCE = 500;

export class ClosedReturns {
  readonly #asked: BankLine[] = [];
  #found: ReadonlyMap<string, TakenBack> = new Map();

  /** False for a line that takes nothing back. What is kept goes to the rules only after it was looked up. */
  keep(line: BankLine): boolean {
    if (!mayReturnClosed(line)) return false;
    this.#asked.push(line);
    return true;
  }

  /** `open` gives everything that came in and is not closed, whether people have resolved it or not. */
  async find(
    deps: ReconciliationDeps,
    at: StageRun,
    open: () => Iterable<BankLine>,
  ): Promise<void> {
    const asked = this.#asked;
    const closed = new Map<string, ClosedPayment>();
    for (let from = 0; from < asked.length; from += AT_ONCE) {
      const some = asked.slice(from, from + AT_ONCE);
      for (const one of await paymentsFor(deps, at, some)) closed.set(one.line.id, one);
    }
    // Nearly always: nothing open needs to be looked at.
    if (closed.size === 0) return;
    const payments: Candidate[] = Array.from(closed.values(), (one) => ({
      line: one.line,
      closed: one,
    }));
    const wanted = new Set(payments.map(({ line }) => accountMoney(line)));
    for (const line of open()) {
      if (line.direction !== 'credit' || line.isReversal || !wanted.has(accountMoney(line)))
        continue;
      payments.push({ line, closed: undefined });
    }
    this.#found = paymentsTakenBack(asked, payments);
  }

  /** Those that are left to the rules. */
  forRules(): readonly BankLine[] {
    return this.#asked.filter(({ id }) => (this.#found.get(id)?.kind ?? 'open') === 'open');
  }

  /** Cents by award that go back, of what closed periods have counted. */
  reopened(): ReadonlyMap<string, number> {
    const sums = new Map<string, number>();
    for (const found of this.#found.values()) {
      if (found.kind !== 'closed') continue;
      for (const { award, cents } of found.payment.shares) {
        sums.set(award, (sums.get(award) ?? 0) + cents);
      }
    }
    return sums;
  }

  *outcomes(): Generator<FoundOutcome> {
    for (const line of this.#asked) {
      const found = this.#found.get(line.id);
      if (found?.kind === 'closed') yield returnOutcome(line, found.payment);
      if (found?.kind === 'doubt') yield doubtfulReturn(line, found.payments);
    }
  }
}

async function paymentsFor(
  deps: ReconciliationDeps,
  at: StageRun,
  returns: readonly BankLine[],
): Promise<readonly ClosedPayment[]> {
  const wanted = returns.map(({ account, amountCents, bookingDate }) => ({
    account,
    cents: amountCents,
    on: formatDay(bookingDate),
  }));
  const stored = await closedPayments(at, wanted, MATCH_POLICY.reversalDaysMax);
  const texts = await sealedLines(deps.store, at, stored);
  return stored.flatMap(({ feed, ordinal, shares }) => {
    const fields = texts.get(lineId(feed, ordinal));
    // Only a booked statement is proof, so that the format does not matter here.
    const place = { feed, ordinal, format: '' };
    return fields === undefined ? [] : [{ line: openedLine(place, fields), shares }];
  });
}
