/** Closing a period: everything up to its end is matched once more, held against the balances, and frozen. */
import { addDays, formatDay } from '../../../calendar/index.ts';
import { type ActorRef, misuse, periodId, type PeriodId, ruledOut } from '../../../core/index.ts';
import {
  closePeriod as decideClosing,
  type PeriodTotals,
  touches,
} from '../../rules/matching/period.ts';
import type { FoundOutcome } from '../../rules/matching/outcome.ts';
import { OutcomeList } from '../../rules/matching/outcome-list.ts';
import type { Period } from '../../rules/matching/balance-law.ts';
import { withParts } from '../../rules/matching/parts.ts';
import {
  addClosedPeriod,
  addMatches,
  closedPeriods,
  dropDraft,
  lockMatching,
} from '../../store/matches.ts';
import { overdrawnAward } from '../../store/parts.ts';
import type { StageRun } from '../../store/stage.ts';
import { tellingStatements } from '../../store/statements.ts';
import type { PeriodName } from '../contracts.ts';
import { lawOf } from './balance-of-period.ts';
import { dayOfText } from './day-of-text.ts';
import { inGroups, matchRow } from './match-rows.ts';
import { openItems, outcomesOf } from './open-items.ts';
import type { ReconciliationDeps } from './deps.ts';
import { coverOf } from './tellings.ts';

/** Calendar days for which a hint without its entry is kept open: what a person said of it holds for the entry. */
const HINT_DAYS = 60;

type Closed =
  | {
      readonly kind: 'closed';
      readonly period: PeriodId;
      readonly totals: PeriodTotals;
    }
  | { readonly kind: 'blocked'; readonly obstacles: readonly string[] };

/** Matches everything up to the period's end once more and freezes what is in it. */
export async function closePeriod(
  deps: ReconciliationDeps,
  period: PeriodName,
  actor: ActorRef,
): Promise<Closed> {
  const from = dayOfText(period.from, 'the first day');
  const to = dayOfText(period.to, 'the last day');
  if (to < from) throw misuse(`A period ends after it begins: ${period.from}, ${period.to}`);
  const days = { account: period.account, from, to };
  return deps.store.transaction(async (at) => {
    await lockMatching(at);
    const closed = await closedPeriods(at);
    const same = closed.find((one) => isSamePeriod(one, period));
    // Asked again, perhaps after a crash: it stands as it was closed.
    if (same !== undefined) {
      // Written from PeriodTotals.
      return { kind: 'closed', period: same.id, totals: same.totals as PeriodTotals };
    }
    const outcomes = new OutcomeList();
    const decision = await decideOn(deps, at, { days, closed, outcomes });
    if (decision.kind === 'blocked') return decision;
    const id = periodId(deps.store.ids.next());
    const { closingCents } = decision;
    const { totals } = decision.closed;
    await addClosedPeriod(at, {
      id,
      ...period,
      closingCents,
      totals,
      totalsSha256: totals.hash,
    });
    await freezeOutcomes(deps, at, id, outcomes);
    await deps.store.record(at, {
      type: 'period.closed',
      actor,
      subject: { kind: 'grant_period', id, ver: 1 },
      data: {
        from: period.from,
        to: period.to,
        account: period.account,
        closing_cents: closingCents === undefined ? null : String(closingCents),
        totals_hash: totals.hash,
        matched_cents: totals.matchedCents,
        outcomes: totals.outcomes,
      },
    });
    return { kind: 'closed', period: id, totals };
  });
}

/** Fills `outcomes` with what is in the period, and asks whether it may close. */
async function decideOn(
  deps: ReconciliationDeps,
  at: StageRun,
  question: {
    readonly days: Period;
    readonly closed: Awaited<ReturnType<typeof closedPeriods>>;
    readonly outcomes: OutcomeList;
  },
): Promise<ReturnType<typeof decideClosing>> {
  const { days, closed, outcomes } = question;
  const items = await openItems(deps, at, days.to);
  for (const found of outcomesOf(deps, items)) {
    if (!touches(days, found) || isAwaited(found, days)) continue;
    outcomes.add({ ...found, outcome: withParts(found) });
  }
  const stored = (await tellingStatements(at)).filter(({ account }) => account === days.account);
  const eve = formatDay(addDays(days.from, -1));
  const before = closed.find((one) => one.account === days.account && one.to === eve);
  const asked = {
    period: days,
    statements: stored.map(coverOf),
    previousClosingCents: before?.closingCents,
    isBusinessDay: deps.isBusinessDay,
  };
  const law = await lawOf(at, { ...asked, stored, closed, nets: items.nets });
  return decideClosing({ ...asked, outcomes, law });
}

async function freezeOutcomes(
  deps: ReconciliationDeps,
  at: StageRun,
  id: PeriodId,
  outcomes: OutcomeList,
): Promise<void> {
  let count = 0;
  for (const group of inGroups(outcomes)) {
    const rows = group.map((outcome, index) => matchRow(deps, outcome, count + index));
    await addMatches(at, id, rows);
    count += rows.length;
  }
  const overdrawn = await overdrawnAward(at, id);
  if (overdrawn !== undefined) {
    // Thrown after everything: it is undone with the transaction.
    throw ruledOut(
      `The reversals of award ${overdrawn} exceed its payments; resolve each return with its own award`,
    );
  }
  // What is left is matched again by the next run; a draft must not speak of what is closed.
  await dropDraft(at);
}

/** A hint whose entry may still come, and with it what people said of the hint. */
function isAwaited({ outcome, lines }: FoundOutcome, { to }: Period): boolean {
  const isHint = HINTS.has(outcome.rule) && outcome.of === undefined;
  return isHint && lines.every(({ bookingDate }) => bookingDate > addDays(to, -HINT_DAYS));
}

const HINTS: ReadonlySet<string> = new Set(['P0-announcement', 'P0-pending', 'P0-information']);

function isSamePeriod(one: PeriodName, other: PeriodName): boolean {
  return one.account === other.account && one.from === other.from && one.to === other.to;
}
