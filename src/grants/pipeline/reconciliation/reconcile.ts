/** Matching, and what people settle. */
import { type ActorRef, instant, toRfc3339 } from '../../../core/index.ts';
import { type AgedEntry, agedUnmatched } from '../../rules/matching/aged.ts';
import { addSettlement, closedPeriods, lockMatching, replaceDraft } from '../../store/matches.ts';
import type {
  PeriodView,
  ReconciliationReport,
  SettledByPerson,
  SettledLine,
} from '../contracts.ts';
import { dayOfText } from './day-of-text.ts';
import { DraftTotals } from './draft-totals.ts';
import { lineOfId } from './line-codec.ts';
import { checkSettlement } from './check-settlement.ts';
import { openItems, outcomesOf } from './open-items.ts';
import type { ReconciliationParts } from './parts.ts';

export async function reconcile(
  parts: ReconciliationParts,
  until: string,
  actor: ActorRef,
): Promise<ReconciliationReport> {
  return parts.desk.transaction(async (at) => {
    await lockMatching(at);
    const items = await openItems(parts, at, dayOfText(until, 'the last day'));
    const { lines, receipts, undated } = items;
    const figures = new DraftTotals();
    const byStatus = { matched: 0, ignored: 0, netted: 0, review: 0, manual: 0, open: 0 };
    for (const { outcome } of outcomesOf(parts, items)) {
      figures.add(outcome);
      byStatus[outcome.status] += 1;
    }
    await replaceDraft(at, byStatus.matched);
    const totals = figures.totals();
    await parts.desk.record(at, {
      type: 'lines.matched',
      actor,
      subject: { kind: 'grant_matching', id: parts.desk.ids.next(), ver: 1 },
      data: { until, lines, outcomes_sha256: totals.hash, ...byStatus },
    });
    return { lines, receipts, undated, byStatus, totals };
  });
}

export async function unmatched(
  parts: ReconciliationParts,
  asOf: string,
): Promise<readonly AgedEntry[]> {
  const day = dayOfText(asOf, 'the day of the list');
  return parts.desk.transaction(async (at) => {
    const items = await openItems(parts, at, day);
    return agedUnmatched(outcomesOf(parts, items), day);
  });
}

/** Takes effect with the next matching; until its period is closed, a later word replaces it. */
export async function settle(
  parts: ReconciliationParts,
  decision: SettledByPerson,
): Promise<SettledLine> {
  return parts.desk.transaction(async (at) => {
    await lockMatching(at);
    const { receipts: awards, reason, by, feeCents = 0, rest } = decision;
    const { line, cents } = await checkSettlement(parts, at, { ...decision, feeCents, rest });
    const { feed, ordinal } = lineOfId(line);
    const said = { feed, ordinal, awards, reason, by, feeCents, cents, rest };
    const n = await addSettlement(at, said);
    await parts.desk.record(at, {
      type: 'line.settled',
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

export async function periods(parts: ReconciliationParts): Promise<readonly PeriodView[]> {
  const stored = await parts.desk.transaction((at) => closedPeriods(at));
  return stored.map(({ id, account, from, to, closedAt, totalsSha256, isHandedOff }) => ({
    id,
    account,
    from,
    to,
    closedAt: toRfc3339(instant(closedAt)),
    totalsHash: totalsSha256,
    isHandedOff,
  }));
}
