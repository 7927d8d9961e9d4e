/** What a closing freezes, and what it leaves for later: shown before it is done, and bound to by a hash. */
import { dateAtOffice, type Day, formatDay } from '../../../calendar/index.ts';
import { canonicalBytes, type Instant, type JsonValue, sha256Of } from '../../../core/index.ts';
import type { ExpectedPayment } from './bank-line.ts';
import type { LawAnswer, Period } from './balance-law.ts';
import type { FoundOutcome, MatchOutcome } from './outcome.ts';
import type { PeriodTotals } from './period.ts';
import { compare } from './workbench.ts';

/** The day of a bank in the United States, where its own zone is not given: the first in which it begins. */
export const BANK_ZONE = 'America/New_York';

/** Why a period cannot be closed yet; undefined when its last day is over where the bank is. */
export function notOver({ to }: Period, now: Instant, zone: string): string | undefined {
  const today = dateAtOffice(now, zone);
  return today > to
    ? undefined
    : `its last day, ${formatDay(to)}, is not over (today is ${formatDay(today)}, ${zone}); close it after that day`;
}

/** Cents by currency, whole and as text: a sum of many may be larger than a number is exact. */
type Sums = Readonly<Record<string, string>>;

interface FrozenGroup {
  readonly lines: number;
  /** Below zero where more went out than came in. */
  readonly cents: Sums;
}

export type ClosingSummary = {
  readonly openingCents: string | null;
  readonly closingCents: string | null;
  readonly entries: number;
  readonly matched: FrozenGroup;
  /** Of people: lines, or remainders of lines, that pay no award. */
  readonly notGrantMoney: FrozenGroup;
  readonly returned: FrozenGroup;
  /** Second deliveries and announcements: listed, never counted. */
  readonly notCounted: number;
  readonly openQuestions: number;
  readonly stillExpected: {
    readonly payments: number;
    readonly overdue: number;
    readonly cents: Sums;
  };
};

/** Frozen by the closing: with the same of these everything that is stored is the same. */
export function closingHash(
  period: { readonly account: string; readonly from: string; readonly to: string },
  totals: PeriodTotals,
  closingCents: bigint | undefined,
): string {
  const frozen: JsonValue = {
    account: period.account,
    from: period.from,
    to: period.to,
    closing_cents: closingCents === undefined ? null : String(closingCents),
    totals_hash: totals.hash,
  };
  return sha256Of(canonicalBytes(frozen));
}

class Group {
  lines = 0;
  readonly #cents = new Map<string, bigint>();

  add(currency: string, cents: number, lines: number): void {
    this.lines += lines;
    this.#cents.set(currency, (this.#cents.get(currency) ?? 0n) + BigInt(cents));
  }

  get cents(): Sums {
    return Object.fromEntries(
      [...this.#cents]
        .sort(([one], [other]) => compare(one, other))
        .map(([currency, cents]) => [currency, String(cents)]),
    );
  }

  frozen(): FrozenGroup {
    return { lines: this.lines, cents: this.cents };
  }
}

/** What is expected after the period as before it. */
export class StillExpected {
  readonly #sum = new Group();
  readonly #seen = new Set<string>();
  #overdue = 0;

  add({ outcome, lines, expectedPayments }: FoundOutcome, to: Day): void {
    if (outcome.status !== 'open' || lines.length > 0) return;
    for (const one of expectedPayments) this.#addOne(one, to);
  }

  #addOne({ id, currency, amountCents, expected }: ExpectedPayment, to: Day): void {
    if (this.#seen.has(id)) return;
    this.#seen.add(id);
    this.#sum.add(currency, amountCents, 1);
    if (expected <= to) this.#overdue += 1;
  }

  summary(): ClosingSummary['stillExpected'] {
    return { payments: this.#sum.lines, overdue: this.#overdue, cents: this.#sum.cents };
  }
}

export function summaryOf(
  outcomes: Iterable<MatchOutcome>,
  law: LawAnswer,
  still: StillExpected,
): ClosingSummary {
  const [matched, none, returned] = [new Group(), new Group(), new Group()];
  const counts = { notCounted: 0, openQuestions: 0 };
  for (const { rule, status, bank, reason } of outcomes) {
    const { currency, bankCents, restCents = 0 } = reason;
    switch (status) {
      case 'matched':
        matched.add(currency, bankCents - restCents, bank.length);
        if (restCents !== 0) none.add(currency, restCents, 0);
        break;
      case 'netted':
        returned.add(currency, bankCents, bank.length);
        break;
      case 'ignored':
        if (rule.startsWith('P0-')) counts.notCounted += bank.length;
        else none.add(currency, bankCents, bank.length);
        break;
      case 'review':
      case 'manual':
      case 'open':
        counts.openQuestions += 1;
    }
  }
  return {
    openingCents: textOf(law.openingCents),
    closingCents: textOf(law.closingCents),
    entries: law.entries,
    matched: matched.frozen(),
    notGrantMoney: none.frozen(),
    returned: returned.frozen(),
    ...counts,
    stillExpected: still.summary(),
  };
}

function textOf(cents: bigint | undefined): string | null {
  return cents === undefined ? null : String(cents);
}
