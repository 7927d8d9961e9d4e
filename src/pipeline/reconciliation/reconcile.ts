/** Matching, what people settle, and the closing of periods. */
import { addDays, formatDay } from '../../calendar/index.ts';
import { type ActorRef, FilewrightError, toRfc3339, instant } from '../../core/index.ts';
import {
  type AgedEntry,
  agedUnmatched,
  closePeriod as decideClosing,
  type FoundOutcome,
  type MatchOutcome,
  type MatchReason,
  OutcomeList,
  type PeriodTotals,
  touches,
} from '../../packs/grants/index.ts';
import {
  addClosedPeriod,
  addDrafts,
  addMatches,
  addSettlement,
  closedPeriods,
  dropDrafts,
  lockMatching,
  type MatchRow,
  type StageRun,
  statementsOf,
} from '../../store/index.ts';
import type {
  PeriodName,
  PeriodView,
  ReconciliationReport,
  SettledByPerson,
  SettledLine,
} from '../contracts.ts';
import { DraftTotals } from './draft-totals.ts';
import { lineOfId } from './line-codec.ts';
import { checkSettlement, dayOfText, openItems, outcomesOf, plain } from './open-items.ts';
import type { ReconciliationParts } from './parts.ts';

/** Outcomes in one statement. */
const GROUP = 500;

export async function reconcile(
  parts: ReconciliationParts,
  until: string,
  actor: ActorRef,
): Promise<ReconciliationReport> {
  return parts.desk.transaction(async (at) => {
    await lockMatching(at);
    const items = await openItems(parts, at, dayOfText(until, 'the last day'));
    const { lines, receipts, undated } = items;
    const { totals, byStatus } = await keepDrafts(at, outcomesOf(parts, items));
    await parts.desk.record(at, {
      type: 'lines.matched',
      actor,
      subject: { kind: 'grant_matching', id: parts.desk.ids.next(), ver: 1 },
      data: { until, lines, outcomes_sha256: totals.hash, ...byStatus },
    });
    return { lines, receipts, undated, byStatus, totals };
  });
}

/** Made anew as a whole: what an outcome says depends on every line and receipt that is open. */
async function keepDrafts(at: StageRun, found: Iterable<FoundOutcome>) {
  await dropDrafts(at);
  const totals = new DraftTotals();
  const byStatus = { matched: 0, ignored: 0, netted: 0, review: 0, manual: 0, open: 0 };
  let groups = 0;
  for (const group of inGroups(found)) {
    const outcomes = group.map(({ outcome }) => outcome);
    for (const outcome of outcomes) {
      totals.add(outcome);
      byStatus[outcome.status] += 1;
    }
    const matched = outcomes.filter(({ status }) => status === 'matched').length;
    const kept = outcomes.map((outcome) => ({ ...outcome, reason: keptReason(outcome) }));
    await addDrafts(at, groups, { matched, outcomes: plain(kept) });
    groups += 1;
  }
  return { totals: totals.totals(), byStatus };
}

function* inGroups<Item>(items: Iterable<Item>): Generator<readonly Item[]> {
  let group: Item[] = [];
  for (const item of items) {
    group.push(item);
    if (group.length < GROUP) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

function matchRow(parts: ReconciliationParts, outcome: MatchOutcome, ordinal: number): MatchRow {
  const { rule, status, bank, ledger, of } = outcome;
  return {
    id: parts.desk.ids.next(),
    ordinal,
    rule,
    status,
    repeats: of,
    reason: plain(keptReason(outcome)),
    lines: bank.map(lineOfId),
    awards: ledger,
  };
}

/** Without the reference, which is sealed with its line and its award and must go when their keys do. */
function keptReason({ reason }: MatchOutcome): Omit<MatchReason, 'reference'> {
  const { reference: _sealed, ...kept } = reason;
  return kept;
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
    const line = await checkSettlement(parts, at, decision);
    const { feed, ordinal } = lineOfId(line);
    const { receipts: awards, reason, by } = decision;
    const n = await addSettlement(at, { feed, ordinal, awards, reason, by });
    await parts.desk.record(at, {
      type: 'line.settled',
      actor: { kind: 'user', id: by },
      subject: { kind: 'grant_line', id: line, ver: n },
      data: { awards: [...awards] },
    });
    return { line };
  });
}

export type Closed =
  | {
      readonly kind: 'closed';
      readonly period: string;
      readonly totals: PeriodTotals;
    }
  | { readonly kind: 'blocked'; readonly obstacles: readonly string[] };

/** Matches everything up to the period's end once more and freezes what is in it. */
export async function closePeriod(
  parts: ReconciliationParts,
  period: PeriodName,
  actor: ActorRef,
): Promise<Closed> {
  const from = dayOfText(period.from, 'the first day');
  const to = dayOfText(period.to, 'the last day');
  if (to < from) {
    throw new FilewrightError(
      'USAGE',
      `A period ends after it begins: ${period.from}, ${period.to}`,
    );
  }
  return parts.desk.transaction(async (at) => {
    await lockMatching(at);
    const closed = await closedPeriods(at);
    const same = closed.find((one) => isSamePeriod(one, period));
    // Asked again, perhaps after a crash: it stands as it was closed.
    if (same !== undefined) {
      // Written from PeriodTotals.
      return { kind: 'closed', period: same.id, totals: same.totals as unknown as PeriodTotals };
    }
    const days = { account: period.account, from, to };
    const outcomes = new OutcomeList();
    for (const found of outcomesOf(parts, await openItems(parts, at, to))) {
      if (touches(days, found)) outcomes.add(found);
    }
    const stored = await statementsOf(at, period);
    const statements = stored.map((statement) => ({
      ...statement,
      from: dayOfText(statement.from, 'statement'),
      to: dayOfText(statement.to, 'statement'),
    }));
    const eve = formatDay(addDays(from, -1));
    const before = closed.find((one) => one.account === period.account && one.to === eve);
    const decision = decideClosing({
      period: days,
      statements,
      previousClosingCents: before?.closingCents,
      outcomes,
      isBusinessDay: parts.isBusinessDay,
    });
    if (decision.kind === 'blocked') return decision;
    const id = parts.desk.ids.next();
    const { closingCents } = decision;
    const { totals } = decision.closed;
    await addClosedPeriod(at, {
      id,
      ...period,
      closingCents,
      totals: plain(totals),
      totalsSha256: totals.hash,
    });
    let count = 0;
    for (const group of inGroups(outcomes)) {
      const rows = group.map((outcome, index) => matchRow(parts, outcome, count + index));
      await addMatches(at, id, rows);
      count += rows.length;
    }
    // What is left is matched again by the next run; a draft must not speak of what is closed.
    await dropDrafts(at);
    await parts.desk.record(at, {
      type: 'period.closed',
      actor,
      subject: { kind: 'grant_period', id, ver: 1 },
      data: {
        from: period.from,
        to: period.to,
        totals_hash: totals.hash,
        matched_cents: totals.matchedCents,
        outcomes: totals.outcomes,
      },
    });
    return { kind: 'closed', period: id, totals };
  });
}

function isSamePeriod(one: PeriodName, other: PeriodName): boolean {
  return one.account === other.account && one.from === other.from && one.to === other.to;
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
