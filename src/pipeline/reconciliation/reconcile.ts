/** Matching, what people settle, and the closing of periods. */
import { addDays, type Day, formatDay, parseDay } from '../../calendar/index.ts';
import { type ActorRef, FilewrightError, toRfc3339, instant } from '../../core/index.ts';
import {
  type AgedEntry,
  agedUnmatched,
  type BankLine,
  closePeriod as decideClosing,
  type MatchOutcome,
  type MatchStatus,
  type PeriodTotals,
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
} from '../contracts.ts';
import { draftTotals } from './draft-totals.ts';
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
    const { outcomes, counts } = await matchOpen(parts, at, until);
    await keepDrafts(at, outcomes);
    const totals = draftTotals(outcomes);
    const byStatus = countsOf(outcomes);
    await parts.desk.record(at, {
      type: 'lines.matched',
      actor,
      subject: { kind: 'grant_matching', id: parts.desk.ids.next(), ver: 1 },
      data: { until, lines: counts.lines, outcomes_sha256: totals.hash, ...byStatus },
    });
    return { ...counts, byStatus, totals };
  });
}

/** On its own, so that lines and receipts can go before their outcomes are written. */
async function matchOpen(parts: ReconciliationParts, at: StageRun, until: string) {
  const items = await openItems(parts, at, dayOfText(until, 'the last day'));
  const { lines, receipts, undated } = items;
  const counts = { lines: lines.length, receipts: receipts.length, undated };
  return { outcomes: await outcomesOf(parts, at, items), counts };
}

/** Made anew as a whole: what an outcome says depends on every line and receipt that is open. */
async function keepDrafts(at: StageRun, outcomes: readonly MatchOutcome[]): Promise<void> {
  await dropDrafts(at);
  for (let from = 0; from < outcomes.length; from += GROUP) {
    const group = outcomes.slice(from, from + GROUP);
    const matched = group.filter(({ status }) => status === 'matched').length;
    await addDrafts(at, from / GROUP, { matched, outcomes: plain(group) });
  }
}

function matchRow(parts: ReconciliationParts, outcome: MatchOutcome, ordinal: number): MatchRow {
  const { rule, status, bank, ledger, of, reason } = outcome;
  return {
    id: parts.desk.ids.next(),
    ordinal,
    rule,
    status,
    repeats: of,
    reason: plain(reason),
    lines: bank.map(lineOfId),
    awards: ledger,
  };
}

function countsOf(outcomes: readonly MatchOutcome[]): Record<MatchStatus, number> {
  const counts = { matched: 0, ignored: 0, netted: 0, review: 0, manual: 0, open: 0 };
  for (const { status } of outcomes) counts[status] += 1;
  return counts;
}

export async function unmatched(
  parts: ReconciliationParts,
  asOf: string,
): Promise<readonly AgedEntry[]> {
  const day = dayOfText(asOf, 'the day of the list');
  return parts.desk.transaction(async (at) => {
    const items = await openItems(parts, at, day);
    const outcomes = await outcomesOf(parts, at, items);
    return agedUnmatched(outcomes, { ...items, asOf: day });
  });
}

/** Takes effect with the next matching; until its period is closed, a later word replaces it. */
export async function settle(parts: ReconciliationParts, decision: SettledByPerson): Promise<void> {
  await parts.desk.transaction(async (at) => {
    await lockMatching(at);
    const lastDay = parseDay('2999-12-31');
    if (lastDay === undefined) throw new Error('a day');
    checkSettlement(await openItems(parts, at, lastDay), decision);
    const { feed, ordinal } = lineOfId(decision.line);
    const { receipts: awards, reason, by } = decision;
    const n = await addSettlement(at, { feed, ordinal, awards, reason, by });
    await parts.desk.record(at, {
      type: 'line.settled',
      actor: { kind: 'user', id: by },
      subject: { kind: 'grant_line', id: decision.line, ver: n },
      data: { awards: [...awards] },
    });
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
    const items = await openItems(parts, at, to);
    const outcomes = await outcomesOf(parts, at, items);
    const stored = await statementsOf(at, period);
    const statements = stored.map((statement) => ({
      ...statement,
      from: dayOfText(statement.from, 'statement'),
      to: dayOfText(statement.to, 'statement'),
    }));
    const eve = formatDay(addDays(from, -1));
    const before = closed.find((one) => one.account === period.account && one.to === eve);
    const decision = decideClosing({
      period: { account: period.account, from, to },
      statements,
      previousClosingCents: before?.closingCents,
      lines: items.lines,
      outcomes,
      isBusinessDay: parts.isBusinessDay,
    });
    if (decision.kind === 'blocked') return decision;
    const id = parts.desk.ids.next();
    const { totals } = decision.closed;
    await addClosedPeriod(at, {
      id,
      ...period,
      closingCents: stored.at(-1)?.closingCents,
      totals: plain(totals),
      totalsSha256: totals.hash,
    });
    const inPeriod = new Set(
      items.lines.filter((line) => isIn(period.account, from, to, line)).map((line) => line.id),
    );
    const closing = outcomes.filter(({ bank }) => bank.some((line) => inPeriod.has(line)));
    for (let first = 0; first < closing.length; first += GROUP) {
      const group = closing.slice(first, first + GROUP);
      const rows = group.map((outcome, index) => matchRow(parts, outcome, first + index));
      await addMatches(at, id, rows);
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

function isIn(account: string, from: Day, to: Day, line: BankLine): boolean {
  return line.account === account && line.bookingDate >= from && line.bookingDate <= to;
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
