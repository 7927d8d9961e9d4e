/** Figures of a matching that nothing is closed by yet; hashed piece by piece, because all outcomes as one text are large. */
import { createHash } from 'node:crypto';
import { canonicalBytes, type JsonValue } from '../../core/index.ts';
import type { MatchOutcome, PeriodTotals } from '../../packs/grants/index.ts';

export function draftTotals(outcomes: readonly MatchOutcome[]): PeriodTotals {
  const hash = createHash('sha256');
  const sums = new Map<string, bigint>();
  const counts = new Map<string, number>();
  for (const outcome of outcomes) {
    // Plain JSON: texts, whole numbers and lists of them.
    hash.update(canonicalBytes(outcome as unknown as JsonValue)).update('\n');
    const { rule, status, reason } = outcome;
    counts.set(rule, (counts.get(rule) ?? 0) + 1);
    if (status !== 'matched') continue;
    sums.set(reason.currency, (sums.get(reason.currency) ?? 0n) + BigInt(reason.bankCents));
  }
  const sorted = <Value>(map: ReadonlyMap<string, Value>): [string, Value][] =>
    [...map].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    matchedCents: Object.fromEntries(sorted(sums).map(([name, sum]) => [name, String(sum)])),
    outcomes: Object.fromEntries(sorted(counts)),
    hash: hash.digest('hex'),
  };
}
