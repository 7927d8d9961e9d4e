/** Matching, and what people resolve. */
import { type ActorRef, instant, toRfc3339 } from '../../../core/index.ts';
import { type AgedEntry, agedUnmatched } from '../../rules/matching/aged.ts';
import { addResolution, closedPeriods, lockMatching, replaceDraft } from '../../store/matches.ts';
import type {
  PeriodView,
  ReconciliationReport,
  ResolvedByPerson,
  ResolvedLine,
} from '../contracts.ts';
import { dayOfText } from './day-of-text.ts';
import { DraftTotals } from './draft-totals.ts';
import { lineOfId } from './line-codec.ts';
import { checkResolution } from './check-resolution.ts';
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

/** Takes effect with the next matching; until its period is closed, a later word replaces it. */
export async function resolve(
  deps: ReconciliationDeps,
  decision: ResolvedByPerson,
): Promise<ResolvedLine> {
  return deps.store.transaction(async (at) => {
    await lockMatching(at);
    const { expectedPayments: awards, reason, by, feeCents = 0, rest } = decision;
    const { line, cents } = await checkResolution(deps, at, { ...decision, feeCents, rest });
    const { feed, ordinal } = lineOfId(line);
    const said = { feed, ordinal, awards, reason, by, feeCents, cents, rest };
    const n = await addResolution(at, said);
    await deps.store.record(at, {
      type: 'line.resolved',
      actor: { kind: 'user', id: by },
      subject: { kind: 'grant_line', id: line, ver: n },
      data: {
        awards: [...awards],
        ...(feeCents > 0 && { fee_cents: feeCents }),
        ...(rest !== undefined && { rest: rest.state, rest_cents: rest.cents }),
      },
    });
    return { line };
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
