/** Closing a period: everything up to its end is matched once more, held against the balances, and frozen. */
import { addDays, formatDay, isZone } from '../../../calendar/index.ts';
import {
  type ActorRef,
  FilewrightError,
  misuse,
  periodId,
  type PeriodId,
  ruledOut,
} from '../../../core/index.ts';
import {
  BANK_ZONE,
  closingHash,
  notOver,
  StillExpected,
  summaryOf,
} from '../../rules/matching/closing-summary.ts';
import {
  closePeriod as decideClosing,
  type PeriodTotals,
  totalsOf,
  touches,
} from '../../rules/matching/period.ts';
import type { FoundOutcome } from '../../rules/matching/outcome.ts';
import { OutcomeList } from '../../rules/matching/outcome-list.ts';
import type { LawAnswer, Period } from '../../rules/matching/balance-law.ts';
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
import type { Closing, ClosingPreview, PeriodName } from '../contracts.ts';
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

/** What would be frozen, before anything is: nothing is written. */
export async function previewClosing(
  deps: ReconciliationDeps,
  closing: Closing,
): Promise<ClosingPreview> {
  const days = daysOf(closing);
  const { account, from, to } = closing;
  return deps.store.transaction(async (at) => {
    // As for a closing: what is shown is of one moment.
    await lockMatching(at);
    const closed = await closedPeriods(at);
    const same = closed.find((one) => isSamePeriod(one, closing));
    const decided = await decideOn(deps, at, { days, closed });
    const { law, outcomes, still } = decided;
    const totals = totalsOf(outcomes);
    return {
      account,
      from,
      to,
      isClosed: same !== undefined,
      obstacles: same === undefined ? obstaclesOf(deps, closing, days, decided.decision) : [],
      summary: summaryOf(outcomes, law, still),
      totals: same === undefined ? totals : (same.totals as PeriodTotals),
      hash: closingHash(closing, totals, law.closingCents),
    };
  });
}

/** Matches everything up to the period's end once more and freezes what is in it. */
export async function closePeriod(
  deps: ReconciliationDeps,
  period: Closing,
  actor: ActorRef,
): Promise<Closed> {
  const days = daysOf(period);
  return deps.store.transaction(async (at) => {
    await lockMatching(at);
    const closed = await closedPeriods(at);
    const same = closed.find((one) => isSamePeriod(one, period));
    // Asked again, perhaps after a crash: it stands as it was closed.
    if (same !== undefined) {
      // Written from PeriodTotals.
      return { kind: 'closed', period: same.id, totals: same.totals as PeriodTotals };
    }
    const { decision, outcomes } = await decideOn(deps, at, { days, closed });
    const obstacles = obstaclesOf(deps, period, days, decision);
    if (decision.kind === 'blocked' || obstacles.length > 0) return { kind: 'blocked', obstacles };
    const id = periodId(deps.store.ids.next());
    const { closingCents } = decision;
    const { totals } = decision.closed;
    checkShown(period, closingHash(period, totals, BigInt(closingCents)));
    const { account, from, to } = period;
    await addClosedPeriod(at, {
      id,
      account,
      from,
      to,
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
        from,
        to,
        account,
        closing_cents: String(closingCents),
        totals_hash: totals.hash,
        matched_cents: totals.matchedCents,
        outcomes: totals.outcomes,
      },
    });
    return { kind: 'closed', period: id, totals };
  });
}

function daysOf(period: PeriodName): Period {
  const from = dayOfText(period.from, 'the first day');
  const to = dayOfText(period.to, 'the last day');
  if (to < from) throw misuse(`A period ends after it begins: ${period.from}, ${period.to}`);
  return { account: period.account, from, to };
}

function obstaclesOf(
  { now }: ReconciliationDeps,
  { zone = BANK_ZONE }: Closing,
  days: Period,
  decision: Decision,
): readonly string[] {
  if (!isZone(zone)) throw misuse(`Expected a time zone like ${BANK_ZONE}, found "${zone}"`);
  const early = notOver(days, now(), zone);
  return [
    ...(early === undefined ? [] : [early]),
    ...(decision.kind === 'blocked' ? decision.obstacles : []),
  ];
}

/** Nothing else is frozen than a person was shown. */
function checkShown({ shown }: Closing, hash: string): void {
  if (shown === undefined || shown.toLowerCase() === hash) return;
  throw new FilewrightError(
    'HASH_DIFFERS',
    `What would be frozen is not what was shown: expected ${shown}, found ${hash}. Look at it again with grants close, without --expect-hash`,
  );
}

type Decision = ReturnType<typeof decideClosing>;

interface Decided {
  readonly decision: Decision;
  /** What is in the period. */
  readonly outcomes: OutcomeList;
  readonly law: LawAnswer;
  readonly still: StillExpected;
}

/** Finds what is in the period, and asks whether it may close. */
async function decideOn(
  deps: ReconciliationDeps,
  at: StageRun,
  question: {
    readonly days: Period;
    readonly closed: Awaited<ReturnType<typeof closedPeriods>>;
  },
): Promise<Decided> {
  const { days, closed } = question;
  const outcomes = new OutcomeList();
  const still = new StillExpected();
  const items = await openItems(deps, at, days.to);
  for (const found of outcomesOf(deps, items)) {
    still.add(found, days.to);
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
  return { decision: decideClosing({ ...asked, outcomes, law }), outcomes, law, still };
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
