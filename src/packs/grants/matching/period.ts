/** Closing a period: only when every statement is there and every line is settled; then its totals stand for ever. */
import { createHash } from 'node:crypto';
import { addDays, type Day, formatDay } from '../../../calendar/index.ts';
import { canonicalBytes, FilewrightError, type JsonValue } from '../../../core/index.ts';
import type { BankLine } from './bank-line.ts';
import type { IsBusinessDay } from './business-days.ts';
import type { FoundOutcome, MatchOutcome } from './outcome.ts';
import { compare } from './workbench.ts';

export interface Period {
  readonly account: string;
  readonly from: Day;
  readonly to: Day;
}

/** What a statement says about itself; undefined where its format does not. */
export interface StatementCover {
  readonly account: string;
  readonly from: Day;
  readonly to: Day;
  readonly number: number | undefined;
  readonly openingCents: number | undefined;
  readonly closingCents: number | undefined;
}

export interface PeriodTotals {
  /** By currency; whole cents as text, because a sum of many may be larger than a number is exact. */
  readonly matchedCents: Readonly<Record<string, string>>;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly hash: string;
}

export interface ClosedPeriod extends Period {
  readonly totals: PeriodTotals;
}

export interface ClosingQuestion {
  readonly period: Period;
  readonly statements: readonly StatementCover[];
  /** Balance at the end of the period before; undefined for the first one. */
  readonly previousClosingCents: number | undefined;
  /** Those that touch the period, as they are listed. Walked more than once. */
  readonly outcomes: Iterable<MatchOutcome>;
  readonly isBusinessDay: IsBusinessDay;
}

export type Closing =
  | {
      readonly kind: 'closed';
      readonly closed: ClosedPeriod;
      /** Balance at the end of the last day; undefined where no statement ends with the period. */
      readonly closingCents: number | undefined;
    }
  | { readonly kind: 'blocked'; readonly obstacles: readonly string[] };

export function closePeriod(question: ClosingQuestion): Closing {
  const { period, outcomes } = question;
  const obstacles = [...missingStatements(question), ...unsettled(outcomes)];
  if (obstacles.length > 0) return { kind: 'blocked', obstacles };
  const last = statementsIn(question).at(-1);
  return {
    kind: 'closed',
    closed: { ...period, totals: totalsOf(outcomes) },
    // Of a statement that goes on into the next period nobody knows the balance in between.
    closingCents: last !== undefined && last.to <= period.to ? last.closingCents : undefined,
  };
}

/** Those that have a day of the period, by their days. */
function statementsIn({
  period,
  statements,
}: Pick<ClosingQuestion, 'period' | 'statements'>): readonly StatementCover[] {
  return statements
    .filter(
      ({ account, to, from }) =>
        account === period.account && to >= period.from && from <= period.to,
    )
    .sort((one, other) => one.from - other.from || one.to - other.to);
}

/** Whether one of the outcome's lines is booked in the period. */
export function touches(period: Period, { lines }: FoundOutcome): boolean {
  return lines.some((line) => covers(period, line));
}

function covers(period: Period, line: BankLine): boolean {
  return (
    line.account === period.account &&
    line.bookingDate >= period.from &&
    line.bookingDate <= period.to
  );
}

/** All gaps at once: each is another call to the bank. */
export function missingStatements(question: Omit<ClosingQuestion, 'outcomes'>): string[] {
  const { period, isBusinessDay } = question;
  const statements = statementsIn(question);
  const first = statements[0];
  const last = statements.at(-1);
  if (first === undefined || last === undefined) {
    return [
      `no statement of ${period.account} from ${formatDay(period.from)} to ${formatDay(period.to)}`,
    ];
  }
  const gaps: string[] = [];
  // A statement that began in the period before opens with a balance of that one.
  const before = first.from < period.from ? undefined : question.previousClosingCents;
  if (before !== undefined && first.openingCents !== undefined && first.openingCents !== before) {
    gaps.push(
      `the first statement opens with ${first.openingCents} cents, the period before closed with ${before}: a statement is missing between`,
    );
  }
  const hasBefore = before !== undefined && first.openingCents === before;
  if (!hasBefore && hasBusinessDay(period.from, addDays(first.from, -1), isBusinessDay)) {
    gaps.push(`no statement before ${formatDay(first.from)}`);
  }
  for (const [index, statement] of statements.slice(1).entries()) {
    const previous = statements[index];
    if (previous !== undefined) gaps.push(...gapBetween(previous, statement, isBusinessDay));
  }
  if (hasBusinessDay(addDays(last.to, 1), period.to, isBusinessDay)) {
    gaps.push(`no statement after ${formatDay(last.to)}`);
  }
  return gaps;
}

function gapBetween(
  previous: StatementCover,
  next: StatementCover,
  isBusinessDay: IsBusinessDay,
): readonly string[] {
  const place = `between ${formatDay(previous.to)} and ${formatDay(next.from)}`;
  const { closingCents } = previous;
  const { openingCents } = next;
  const knowsBalances = closingCents !== undefined && openingCents !== undefined;
  if (knowsBalances && closingCents !== openingCents) {
    return [`${place}: closed with ${closingCents} cents, opened with ${openingCents}`];
  }
  if (
    previous.number !== undefined &&
    next.number !== undefined &&
    next.number > previous.number + 1
  ) {
    return [`${place}: statement ${previous.number + 1} is missing`];
  }
  // Balances that go on show that a day without a statement was a day without money.
  const from = addDays(previous.to, 1);
  const isOpen = !knowsBalances && hasBusinessDay(from, addDays(next.from, -1), isBusinessDay);
  return isOpen ? [`${place}: no statement, and no balances to show that nothing happened`] : [];
}

function hasBusinessDay(from: Day, to: Day, isBusinessDay: IsBusinessDay): boolean {
  for (let day = from; day <= to; day = addDays(day, 1)) if (isBusinessDay(day)) return true;
  return false;
}

function unsettled(outcomes: Iterable<MatchOutcome>): readonly string[] {
  const waiting: string[] = [];
  for (const { rule, status, bank } of outcomes) {
    if (status !== 'manual' && status !== 'review') continue;
    waiting.push(`${bank.join(', ')} waits for a person (${rule})`);
  }
  return waiting;
}

/** The figures of a set of outcomes, with a hash by which any later change is noticed. */
export function totalsOf(outcomes: Iterable<MatchOutcome>): PeriodTotals {
  const figures = new OutcomeFigures();
  for (const outcome of outcomes) figures.add(outcome);
  const { matchedCents } = figures;
  // The canonical text of `{matchedCents, outcomes}`, written piece by piece: as one text a year of outcomes is large.
  const hash = createHash('sha256').update('{"matchedCents":').update(canonicalBytes(matchedCents));
  let before = ',"outcomes":[';
  for (const outcome of outcomes) {
    // Outcomes are plain JSON: texts, whole numbers and lists of them.
    hash.update(before).update(canonicalBytes(outcome as unknown as JsonValue));
    before = ',';
  }
  hash.update(before === ',' ? ']}' : `${before}]}`);
  return { matchedCents, outcomes: figures.outcomes, hash: hash.digest('hex') };
}

/** Sums and counts of outcomes that come one by one. */
export class OutcomeFigures implements Omit<PeriodTotals, 'hash'> {
  readonly #cents = new Map<string, bigint>();
  readonly #counts = new Map<string, number>();

  add({ status, rule, reason }: MatchOutcome): void {
    this.#counts.set(rule, (this.#counts.get(rule) ?? 0) + 1);
    if (status !== 'matched') return;
    const before = this.#cents.get(reason.currency) ?? 0n;
    this.#cents.set(reason.currency, before + BigInt(reason.bankCents));
  }

  get matchedCents(): Readonly<Record<string, string>> {
    return Object.fromEntries(sorted(this.#cents).map(([name, cents]) => [name, String(cents)]));
  }

  get outcomes(): Readonly<Record<string, number>> {
    return Object.fromEntries(sorted(this.#counts));
  }
}

function sorted<Value>(map: ReadonlyMap<string, Value>): [string, Value][] {
  return [...map].sort(([one], [other]) => compare(one, other));
}

/** A closed period takes nothing more, and matching it again must give what was frozen. */
export function checkFrozen(closed: ClosedPeriod, again: Iterable<MatchOutcome>): void {
  const { hash } = totalsOf(again);
  if (hash === closed.totals.hash) return;
  throw new FilewrightError(
    'REFUSED_BY_RULE',
    `the period ${formatDay(closed.from)} to ${formatDay(closed.to)} of ${closed.account} is closed with other totals: expected ${closed.totals.hash}, found ${hash}`,
    { details: { account: closed.account } },
  );
}

/** Why a line may not be recorded; undefined when it may. */
export function lockedBy(line: BankLine, closed: readonly ClosedPeriod[]): string | undefined {
  const period = closed.find((one) => covers(one, line));
  return period === undefined
    ? undefined
    : `the period ${formatDay(period.from)} to ${formatDay(period.to)} of ${period.account} is closed; book a correction in an open one`;
}
