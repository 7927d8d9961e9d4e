/** Awards as people look through them: what was promised, and what of it has come. */
import { misuse } from '../../../core/index.ts';
import { partsOf, withParts } from '../../rules/matching/parts.ts';
import { compare } from '../../rules/matching/workbench.ts';
import { type AwardEnd, awardEnds } from '../../store/award-ends.ts';
import { passedAwards, type PassedItem } from '../../store/awards.ts';
import { type CountedAward, countedAwards } from '../../store/parts.ts';
import type { StageRun } from '../../store/stage.ts';
import type { AwardsWanted, AwardState, AwardView, Page } from '../contracts.ts';
import { dayOfText } from './day-of-text.ts';
import type { ReconciliationDeps } from './deps.ts';
import { LAST_DAY, openItems, outcomesOf } from './open-items.ts';

/** Behind every day: awards that say none are listed last. */
const NO_DAY = '9999-12-31';

type ListedAward = PassedItem & {
  readonly payload: {
    readonly grantor_id: string;
    readonly award_id?: string;
    readonly award_amount: number;
    readonly noncash_amount?: number;
    readonly fiscal_year: number;
    readonly expected_on?: string;
    readonly payer?: string;
    readonly grantor_name?: string;
    readonly reference?: string;
    readonly currency: string;
  };
};

/** By the day on which they are expected. However many there are, no more than a page of them is held. */
export async function listAwards(
  deps: ReconciliationDeps,
  wanted: AwardsWanted,
): Promise<Page<AwardView>> {
  dayOfText(wanted.asOf, 'the day of the list');
  const after = wanted.after === undefined ? undefined : placeOf(wanted.after);
  return deps.store.transaction(async (at) => {
    const ends = await awardEnds(at);
    const matched = await matchedCents(deps, at);
    let page: AwardView[] = [];
    for await (const group of passedAwards(deps.store, at, 'all')) {
      // Written by ingestion; its schema has let only such payloads through.
      const awards = group as readonly ListedAward[];
      const keys = awards.map(({ metadata }) => metadata.idempotency_key);
      const counted = await countedAwards(at, keys);
      const views = awards
        .map((award) => viewOf(award, { counted, matched, ends, asOf: wanted.asOf }))
        .filter((view) => isWanted(view, wanted))
        .filter((view) => after === undefined || compare(cursorOf(view), after) > 0);
      page = [...page, ...views]
        .sort((one, other) => compare(cursorOf(one), cursorOf(other)))
        .slice(0, wanted.limit + 1);
    }
    const items = page.slice(0, wanted.limit);
    const last = items.at(-1);
    const hasNext = page.length > items.length && last !== undefined;
    return { items, next: hasNext ? cursorOf(last) : undefined };
  });
}

function cursorOf({ expectedOn, key }: AwardView): string {
  return `${expectedOn ?? NO_DAY}/${key}`;
}

function placeOf(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}\/\S{1,200}$/.test(text)) return text;
  throw misuse(`--after: expected what the page before gave as next, found "${text}"`);
}

/** Cents by award that are matched and not closed yet. */
async function matchedCents(
  deps: ReconciliationDeps,
  at: StageRun,
): Promise<ReadonlyMap<string, number>> {
  const sums = new Map<string, number>();
  const items = await openItems(deps, at, LAST_DAY);
  for (const found of outcomesOf(deps, items)) {
    const { ledger } = found.outcome;
    for (const part of partsOf(withParts(found))) {
      const award = ledger[part.ledger] ?? '';
      sums.set(award, (sums.get(award) ?? 0) + part.cents);
    }
  }
  return sums;
}

function viewOf(
  { payload, metadata }: ListedAward,
  known: {
    readonly counted: ReadonlyMap<string, CountedAward>;
    readonly matched: ReadonlyMap<string, number>;
    readonly ends: ReadonlyMap<string, AwardEnd>;
    readonly asOf: string;
  },
): AwardView {
  const key = metadata.idempotency_key;
  const end = known.ends.get(key);
  const noncashCents = payload.noncash_amount ?? 0;
  const cents = payload.award_amount - noncashCents;
  const closedCents = known.counted.get(key)?.cents ?? 0;
  const matched = known.matched.get(key) ?? 0;
  const openCents = end === undefined ? Math.max(0, cents - closedCents - matched) : 0;
  const { expected_on: expectedOn } = payload;
  const isPast = expectedOn !== undefined && expectedOn < known.asOf;
  return {
    key,
    awardId: payload.award_id,
    grantor: payload.grantor_name ?? payload.grantor_id,
    payer: payload.payer ?? payload.grantor_name ?? '',
    reference: payload.reference,
    fiscalYear: payload.fiscal_year,
    expectedOn,
    currency: payload.currency,
    cents,
    noncashCents,
    closedCents,
    matchedCents: matched,
    openCents,
    state: stateOf({ isEnded: end !== undefined, openCents, cents, expectedOn, isPast }),
    replacedBy: end?.by,
  };
}

function stateOf(of: {
  readonly isEnded: boolean;
  readonly openCents: number;
  readonly cents: number;
  readonly expectedOn: string | undefined;
  readonly isPast: boolean;
}): AwardState {
  if (of.isEnded) return 'ended';
  if (of.openCents === 0) return 'received';
  if (of.openCents < of.cents) return 'partly';
  if (of.expectedOn === undefined) return 'undated';
  return of.isPast ? 'overdue' : 'expected';
}

function isWanted(view: AwardView, { state, text }: AwardsWanted): boolean {
  if (state !== undefined && view.state !== state) return false;
  if (text === undefined) return true;
  const { key, awardId = '', grantor, payer, reference = '' } = view;
  return [key, awardId, grantor, payer, reference].some((one) =>
    one.toLowerCase().includes(text.toLowerCase()),
  );
}
