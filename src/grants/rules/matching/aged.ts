/** What waits for a match, and for how long. */
import { type Day, formatDay } from '../../../calendar/index.ts';
import type { FoundOutcome, MatchRule } from './outcome.ts';
import { compare } from './workbench.ts';

/** Calendar days; the last bucket has no end. */
const AGE_BUCKETS = ['0-30', '31-60', '61-90', 'over-90'] as const;
type AgeBucket = (typeof AGE_BUCKETS)[number];

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

/** Everything that a person still has to resolve, the oldest first; `found` as `matchEach` gives it. */
export function agedUnmatched(found: Iterable<FoundOutcome>, asOf: Day): readonly AgedEntry[] {
  const entries = new Map<string, AgedEntry>();
  for (const { outcome, lines, expectedPayments } of found) {
    const { rule, status, reason } = outcome;
    if (status !== 'manual' && status !== 'review' && status !== 'open') continue;
    const entryOf = (
      side: AgedEntry['side'],
      of: { readonly id: string; readonly amountCents: number; readonly currency: string },
      since: Day,
    ): void => {
      const key = `${side} ${of.id}`;
      // A expected payment may be a candidate of several lines; it waits only once, by the rule that is listed first.
      if (entries.has(key)) return;
      const days = Math.max(0, asOf - since);
      const { id, amountCents, currency } = of;
      const age = { since: formatDay(since), days, bucket: bucketOf(days) };
      entries.set(key, { side, id, rule, ...age, amountCents, currency, why: reason.text });
    };
    for (const line of lines) entryOf('bank', line, line.bookingDate);
    for (const expectedPayment of expectedPayments)
      entryOf('ledger', expectedPayment, expectedPayment.expected);
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
