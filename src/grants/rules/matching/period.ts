/** Closing a period: only when every statement is there and every line is resolved; then its totals stand for ever. */
import { createHash } from 'node:crypto';
import { formatDay } from '../../../calendar/index.ts';
import { canonicalBytes, ruledOut } from '../../../core/index.ts';
import { type BankLine, postingDay } from './bank-line.ts';
import type { IsBusinessDay } from './business-days.ts';
import type { FoundOutcome, MatchOutcome } from './outcome.ts';
import { chainOf, type StatementChain, type StatementCover } from './statement-chain.ts';
import type { LawAnswer, Period } from './balance-law.ts';
import { missingPages } from './statement-pages.ts';
import { compare } from './workbench.ts';

export type PeriodTotals = {
  /** By currency; whole cents as text, because a sum of many may be larger than a number is exact. */
  readonly matchedCents: Readonly<Record<string, string>>;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly hash: string;
};

interface ClosedPeriod extends Period {
  readonly totals: PeriodTotals;
}

interface ClosingQuestion {
  readonly period: Period;
  readonly statements: readonly StatementCover[];
  /** Balance at the end of the period before; undefined for the first one. */
  readonly previousClosingCents: number | undefined;
  /** Those that touch the period, as they are listed. Walked more than once. */
  readonly outcomes: Iterable<MatchOutcome>;
  readonly isBusinessDay: IsBusinessDay;
  /** What the entries of the period and the balances that are known say of each other. */
  readonly law: LawAnswer;
}

type Closing =
  | {
      readonly kind: 'closed';
      readonly closed: ClosedPeriod;
      /** Balance at the end of the last day. */
      readonly closingCents: number;
    }
  | { readonly kind: 'blocked'; readonly obstacles: readonly string[] };

export function closePeriod(question: ClosingQuestion): Closing {
  const { period, outcomes, law } = question;
  const { gaps } = chainOfPeriod(question);
  const obstacles = [...gaps, ...law.obstacles, ...unresolved(outcomes)];
  const { closingCents } = law;
  if (obstacles.length > 0 || closingCents === undefined) return { kind: 'blocked', obstacles };
  return {
    kind: 'closed',
    closed: { ...period, totals: totalsOf(outcomes) },
    closingCents: Number(closingCents),
  };
}

/** Whether one of the outcome's lines counts in the period. */
export function touches(period: Period, { lines }: FoundOutcome): boolean {
  return lines.some((line) => covers(period, line));
}

function covers(period: Period, line: BankLine): boolean {
  return (
    line.account === period.account &&
    postingDay(line) >= period.from &&
    postingDay(line) <= period.to
  );
}

/** All gaps at once: each is another call to the bank. */
export function missingStatements(question: PeriodStatements): readonly string[] {
  return chainOfPeriod(question).gaps;
}

type PeriodStatements = Omit<ClosingQuestion, 'outcomes' | 'law'>;

/** How the statements of the period follow on each other. */
export function chainOfPeriod(question: PeriodStatements): StatementChain {
  const { period, previousClosingCents, isBusinessDay } = question;
  const { account, from, to } = period;
  const statements = question.statements.filter(
    (one) => one.account === account && one.to >= from && one.from <= to,
  );
  if (statements.length === 0) {
    const gap = `no statement of ${account} from ${formatDay(from)} to ${formatDay(to)}`;
    return { first: undefined, last: undefined, gaps: [gap] };
  }
  const chain = chainOf({ statements, from, to, previousClosingCents, isBusinessDay });
  return { ...chain, gaps: [...chain.gaps, ...missingPages(statements)] };
}

function unresolved(outcomes: Iterable<MatchOutcome>): readonly string[] {
  const waiting: string[] = [];
  for (const { rule, status, bank } of outcomes) {
    if (status !== 'manual' && status !== 'review') continue;
    waiting.push(`${bank.join(', ')} needs a person (${rule})`);
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
    hash.update(before).update(canonicalBytes(outcome));
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
    this.#cents.set(reason.currency, before + BigInt(reason.bankCents - (reason.restCents ?? 0)));
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
  throw ruledOut(
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
