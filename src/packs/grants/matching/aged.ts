/** What waits for a match, and for how long. */
import { type Day, formatDay } from '../../../calendar/index.ts';
import type { BankLine, ExpectedReceipt } from './bank-line.ts';
import type { MatchOutcome, MatchRule } from './outcome.ts';
import { compare } from './workbench.ts';

/** Calendar days; the last bucket has no end. */
export const AGE_BUCKETS = ['0-30', '31-60', '61-90', 'over-90'] as const;
export type AgeBucket = (typeof AGE_BUCKETS)[number];

export interface AgedEntry {
  readonly side: 'bank' | 'ledger';
  readonly id: string;
  readonly rule: MatchRule;
  readonly since: string;
  /** Zero where the date has not come yet. */
  readonly days: number;
  readonly bucket: AgeBucket;
  readonly amountCents: number;
  readonly currency: string;
  readonly why: string;
}

/** Everything that a person still has to settle, the oldest first. */
export function agedUnmatched(
  outcomes: readonly MatchOutcome[],
  sides: {
    readonly lines: readonly BankLine[];
    readonly receipts: readonly ExpectedReceipt[];
    readonly asOf: Day;
  },
): readonly AgedEntry[] {
  const lines = new Map(sides.lines.map((line) => [line.id, line]));
  const receipts = new Map(sides.receipts.map((receipt) => [receipt.id, receipt]));
  const entries = new Map<string, AgedEntry>();
  for (const { rule, status, bank, ledger, reason } of outcomes) {
    if (status !== 'manual' && status !== 'review' && status !== 'open') continue;
    const entryOf = (
      side: AgedEntry['side'],
      of: { readonly id: string; readonly amountCents: number; readonly currency: string },
      since: Day,
    ): void => {
      const key = `${side} ${of.id}`;
      // A receipt may be a candidate of several lines; it waits only once.
      if (entries.has(key)) return;
      const days = Math.max(0, sides.asOf - since);
      const { id, amountCents, currency } = of;
      const age = { since: formatDay(since), days, bucket: bucketOf(days) };
      entries.set(key, { side, id, rule, ...age, amountCents, currency, why: reason.text });
    };
    for (const id of bank) {
      const line = lines.get(id);
      if (line !== undefined) entryOf('bank', line, line.bookingDate);
    }
    for (const id of ledger) {
      const receipt = receipts.get(id);
      if (receipt !== undefined) entryOf('ledger', receipt, receipt.expected);
    }
  }
  return [...entries.values()].sort(
    (one, other) =>
      other.days - one.days || compare(one.side, other.side) || compare(one.id, other.id),
  );
}

function bucketOf(days: number): AgeBucket {
  if (days <= 30) return '0-30';
  if (days <= 60) return '31-60';
  return days <= 90 ? '61-90' : 'over-90';
}
