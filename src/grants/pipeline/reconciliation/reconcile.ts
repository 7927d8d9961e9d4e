/** Matching, and what waits for it. */
import { type ActorRef, instant, toRfc3339 } from '../../../core/index.ts';
import { type AgedEntry, agedUnmatched } from '../../rules/matching/aged.ts';
import { closedPeriods, lockMatching, replaceDraft } from '../../store/matches.ts';
import type { PeriodView, ReconciliationReport } from '../contracts.ts';
import { dayOfText } from './day-of-text.ts';
import { DraftTotals } from './draft-totals.ts';
import { openItems, outcomesOf } from './open-items.ts';
import type { ReconciliationDeps } from './deps.ts';

export async function reconcile(
  deps: ReconciliationDeps,
  until: string,
  actor: ActorRef,
): Promise<ReconciliationReport> {
  return deps.store.transaction(async (at) => {
    await lockMatching(at);
    const items = await openItems(deps, at, dayOfText(until, 'the last day'));
    const { lines, expectedPayments, undated } = items;
    const figures = new DraftTotals();
    const byStatus = { matched: 0, ignored: 0, netted: 0, review: 0, manual: 0, open: 0 };
    for (const { outcome } of outcomesOf(deps, items)) {
      figures.add(outcome);
      byStatus[outcome.status] += 1;
    }
    await replaceDraft(at, byStatus.matched);
    const totals = figures.totals();
    await deps.store.record(at, {
      type: 'lines.matched',
      actor,
      subject: { kind: 'grant_matching', id: deps.store.ids.next(), ver: 1 },
      data: { until, lines, outcomes_sha256: totals.hash, ...byStatus },
    });
    return { lines, expectedPayments, undated, byStatus, totals };
  });
}

export async function unmatched(
  deps: ReconciliationDeps,
  asOf: string,
): Promise<readonly AgedEntry[]> {
  const day = dayOfText(asOf, 'the day of the list');
  return deps.store.transaction(async (at) => {
    const items = await openItems(deps, at, day);
    return agedUnmatched(outcomesOf(deps, items), day);
  });
}

export async function periods(deps: ReconciliationDeps): Promise<readonly PeriodView[]> {
  const stored = await deps.store.transaction((at) => closedPeriods(at));
  return stored.map(({ id, account, from, to, closedAt, totalsSha256, isReleased }) => ({
    id,
    account,
    from,
    to,
    closedAt: toRfc3339(instant(closedAt)),
    totalsHash: totalsSha256,
    isReleased,
  }));
}
