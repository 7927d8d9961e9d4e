/**
 * What the register must change so that its obligations are again what rules and record say: pure, so that a dry run and
 * the change itself are the same decision.
 */
import { addDays, formatDay, parseDay } from '../../../calendar/index.ts';
import { invariant, type ObligationId } from '../../../core/index.ts';
import type { EntityRecord } from './entity-record.ts';
import { FILING_SORTS, type FilingSort } from '../law/filing-sort.ts';
import { asksFirst, type Owed, owedBy, type RegisterLaw } from './owed.ts';

type ObligationState = 'open' | 'record_needed' | 'nothing_owed' | 'met' | 'superseded';

/** An obligation as it is stored, as far as this decision needs it. */
export interface StoredObligation {
  readonly id: ObligationId;
  readonly sort: FilingSort;
  readonly state: ObligationState;
  readonly asOf: string;
  readonly raw: string | undefined;
  readonly due: string | undefined;
  /** Where the filing for it stands; undefined where there is none. */
  readonly filing: string | undefined;
}

export type Change =
  /** New or as the rules give it now. `met`: a filing for it was accepted before the register knew of it. */
  | { readonly kind: 'write'; readonly owed: Owed; readonly state: ObligationState }
  | { readonly kind: 'meet'; readonly id: ObligationId }
  | { readonly kind: 'supersede'; readonly id: ObligationId; readonly why: string }
  /** The law says something else, but a filing is under way: a person must look before there are two. */
  | { readonly kind: 'blocked'; readonly id: ObligationId; readonly owed: Owed | undefined };

interface ReconcileQuestion {
  readonly tenant: string;
  readonly today: string;
  /** Obligations for which a filing was accepted, whether the register knew of it or not. */
  readonly accepted: ReadonlySet<string>;
}

/** Years of filings that were accepted before the register heard of them; more than this is a broken record. */
const MET_IN_A_ROW_MAX = 50;
/**
 * Behind a filing that was accepted long ago, what was due more than this before today was filed some other way or is
 * lost; a yearly duty that is merely late is still found.
 */
const LOOK_BACK_DAYS = 400;
const REASON_CHARACTERS_MAX = 500;

export function reconcile(
  record: EntityRecord,
  stored: readonly StoredObligation[],
  law: RegisterLaw,
  question: ReconcileQuestion,
): readonly Change[] {
  return FILING_SORTS.flatMap((sort) =>
    reconcileSort(
      sort,
      record,
      stored.filter((one) => one.sort === sort),
      law,
      question,
    ),
  );
}

function reconcileSort(
  sort: FilingSort,
  record: EntityRecord,
  stored: readonly StoredObligation[],
  law: RegisterLaw,
  question: ReconcileQuestion,
): Change[] {
  const { tenant, today, accepted } = question;
  const met = stored.filter((one) => one.state === 'met' || accepted.has(one.id));
  const live = stored.filter((one) => one.state !== 'superseded' && !met.includes(one));
  const metUntil = latest(met.map((one) => one.raw));
  const since = (day: string | undefined) => (day === undefined ? {} : { metUntil: day });
  const ask = (asOf: string, until: string | undefined): Owed =>
    owedBy(record, law, { tenant, sort, asOf, ...since(until) });

  const wanted = new Map<string, Owed>();
  // The earliest question stays: its day is the one that the next recomputation repeats.
  const want = (owed: Owed): void => {
    if (!wanted.has(owed.id)) wanted.set(owed.id, owed);
  };
  // An occurrence that was asked for on an earlier day is asked for on that day again: it must not vanish by passing.
  for (const one of live) {
    if (one.state === 'open') want(ask(one.asOf, metUntil));
  }
  const isAsked =
    sort === 'periodic' ||
    (metUntil === undefined && asksFirst(record, law, { tenant, sort, asOf: today }));
  if (isAsked) {
    for (const asOf of metUntil === undefined ? [today] : [sinceMet(metUntil, today), today]) {
      for (const owed of occurrences(asOf, metUntil, ask, question)) want(owed);
    }
  }
  return changesOf(wanted, stored, live, accepted);
}

/** The occurrence on or after a day, and behind every accepted one the next. */
function* occurrences(
  from: string,
  metUntil: string | undefined,
  ask: (asOf: string, metUntil: string | undefined) => Owed,
  { accepted }: ReconcileQuestion,
): Generator<Owed> {
  let asOf = from;
  let until = metUntil;
  for (let count = 0; count < MET_IN_A_ROW_MAX; count += 1) {
    const owed = ask(asOf, until);
    yield owed;
    if (owed.state !== 'open' || !accepted.has(owed.id)) return;
    asOf = dayAfter(owed.raw);
    until = owed.raw;
  }
}

function changesOf(
  wanted: ReadonlyMap<string, Owed>,
  stored: readonly StoredObligation[],
  live: readonly StoredObligation[],
  accepted: ReadonlySet<string>,
): Change[] {
  const gone = live.filter((one) => !wanted.has(one.id));
  const isBlocked = gone.some((one) => one.filing !== undefined);
  const known = new Map(stored.map((one) => [one.id, one]));
  const isNew = (owed: Owed): boolean =>
    (known.get(owed.id)?.state ?? 'superseded') === 'superseded';
  const changes: Change[] = [];
  for (const owed of wanted.values()) {
    const before = known.get(owed.id);
    if (before !== undefined && (before.state === 'met' || accepted.has(owed.id))) continue;
    // While a filing for the former identity is under way, a second one for the same duty must not begin.
    if (isNew(owed) && isBlocked) continue;
    changes.push({ kind: 'write', owed, state: accepted.has(owed.id) ? 'met' : owed.state });
  }
  const next = [...wanted.values()].find(isNew);
  for (const one of gone) {
    if (one.filing !== undefined) changes.push({ kind: 'blocked', id: one.id, owed: next });
    else changes.push({ kind: 'supersede', id: one.id, why: whySuperseded(next) });
  }
  for (const one of stored) {
    if (one.state !== 'met' && accepted.has(one.id)) changes.push({ kind: 'meet', id: one.id });
  }
  return changes;
}

function whySuperseded(next: Owed | undefined): string {
  if (next === undefined) return 'Under the rules and the record, no such filing is owed now.';
  return next.state === 'open'
    ? `The rules and the record give ${next.due} (${next.period}) now.`
    : next.reason.slice(0, REASON_CHARACTERS_MAX);
}

function sinceMet(metUntil: string, today: string): string {
  const next = dayAfter(metUntil);
  const earliest = daysBefore(today, LOOK_BACK_DAYS);
  return next > earliest ? next : earliest;
}

function dayAfter(text: string): string {
  return daysBefore(text, -1);
}

function daysBefore(text: string, count: number): string {
  const day = parseDay(text);
  invariant(day !== undefined, 'Expected a stored day to be a day.', { day: text });
  return formatDay(addDays(day, -count));
}

function latest(days: readonly (string | undefined)[]): string | undefined {
  return days
    .filter((day) => day !== undefined)
    .sort()
    .at(-1);
}
