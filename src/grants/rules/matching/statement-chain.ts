/**
 * Which statements, one after the other, tell a whole period. A bank sends some of it again: a copy, a month inside a
 * quarter, a download that overlaps the last one. What is told again is no gap; what nobody told is.
 */
import { addDays, type Day, formatDay } from '../../../calendar/index.ts';
import type { IsBusinessDay } from './business-days.ts';

/** What a statement says about itself; undefined where its format does not. */
export interface StatementCover {
  readonly account: string;
  readonly from: Day;
  readonly to: Day;
  readonly number: number | undefined;
  readonly openingCents: number | undefined;
  readonly closingCents: number | undefined;
  /** By which its lines name it; see `statementKey`. */
  readonly key?: string;
  readonly format?: string;
  readonly statementId?: string | undefined;
  readonly page?: number | undefined;
  readonly hasPageBefore?: boolean;
  readonly hasPageAfter?: boolean;
  /** What it says of itself and its lines do not show. */
  readonly doubt?: string | undefined;
}

export function statementKey(feed: string, ordinal: number): string {
  return `${feed}/${ordinal}`;
}

interface ChainQuestion {
  /** Of one account, those that have a day of the period. */
  readonly statements: readonly StatementCover[];
  readonly from: Day;
  readonly to: Day;
  /** Balance at the end of the period before; undefined for the first one. */
  readonly previousClosingCents: number | undefined;
  readonly isBusinessDay: IsBusinessDay;
}

export interface StatementChain {
  /** The one with which the telling begins. */
  readonly first: StatementCover | undefined;
  /** The one with which the telling ends; undefined where there is none at all. */
  readonly last: StatementCover | undefined;
  /** All of them at once: each is another call to the bank. */
  readonly gaps: readonly string[];
}

/** A way through the statements up to one of them. */
interface Way {
  readonly at: number;
  readonly before: Way | undefined;
  readonly gaps: readonly string[];
  readonly leftOut: number;
}

/** The way with the fewest gaps, and among those the one that leaves the fewest statements out. */
export function chainOf(question: ChainQuestion): StatementChain {
  const statements = inOrder(question.statements);
  const ways: (Way | undefined)[] = statements.map((first, at) => {
    const isToldAgain = statements.slice(0, at).every((one) => isInside(one, first));
    const gaps = gapsBefore(first, question);
    return isToldAgain ? { at, before: undefined, gaps, leftOut: at } : undefined;
  });
  let best: Way | undefined;
  for (const [at, statement] of statements.entries()) {
    const way = ways[at];
    if (way === undefined) continue;
    for (const next of nextOf(statements, at)) {
      const following = statements[next] ?? statement;
      const gaps = [...way.gaps, ...gapBetween(statement, following, question.isBusinessDay)];
      const leftOut = way.leftOut + next - at - 1;
      ways[next] = better(ways[next], { at: next, before: way, gaps, leftOut });
    }
    const rest = statements.slice(at + 1);
    if (!rest.every((one) => isInside(one, statement))) continue;
    const gaps = [...way.gaps, ...gapsAfter(statement, question)];
    best = better(best, { ...way, gaps, leftOut: way.leftOut + rest.length });
  }
  let begin = best;
  while (begin?.before !== undefined) begin = begin.before;
  return {
    first: begin === undefined ? undefined : statements[begin.at],
    last: best === undefined ? undefined : statements[best.at],
    gaps: best?.gaps ?? [],
  };
}

function better(known: Way | undefined, other: Way): Way {
  if (known === undefined) return other;
  const difference = known.gaps.length - other.gaps.length || known.leftOut - other.leftOut;
  return difference <= 0 ? known : other;
}

/** Places to which a way may go on from a statement: whatever lies between must be told again by one end or by both. */
function* nextOf(statements: readonly StatementCover[], at: number): Generator<number> {
  const statement = statements[at];
  if (statement === undefined) return;
  const between: StatementCover[] = [];
  for (let next = at + 1; next < statements.length; next += 1) {
    const following = statements[next];
    if (following === undefined) return;
    // Nothing that begins later can tell it again.
    if (between.some((one) => one.to < following.from)) return;
    if (between.every((one) => isInside(one, following) || reachesOver(one, statement, following)))
      yield next;
    if (!isInside(following, statement)) between.push(following);
  }
}

/** A part of the other's days, or the same statement once more. Two of the same days with other balances are two pages. */
function isInside(one: StatementCover, other: StatementCover): boolean {
  if (one.from < other.from || one.to > other.to) return false;
  const isPart = one.from > other.from || one.to < other.to;
  return (
    isPart || (one.openingCents === other.openingCents && one.closingCents === other.closingCents)
  );
}

function reachesOver(one: StatementCover, before: StatementCover, after: StatementCover): boolean {
  return one.from >= before.from && one.to <= after.to && after.from <= addDays(before.to, 1);
}

/**
 * By their days; pages of the same days by the bank's own count, and where it has none as their balances go on. The order in
 * which they came, and what their feeds are called, is forgotten here.
 */
function inOrder(statements: readonly StatementCover[]): readonly StatementCover[] {
  const byDays = new Map<string, StatementCover[]>();
  for (const statement of statements.toSorted(byWhatTheySay)) {
    const days = `${statement.from} ${statement.to}`;
    const pages = byDays.get(days);
    if (pages === undefined) byDays.set(days, [statement]);
    else pages.push(statement);
  }
  const ordered: StatementCover[] = [];
  for (const pages of byDays.values()) {
    ordered.push(...asBalancesGoOn(pages, ordered.at(-1)?.closingCents));
  }
  return ordered;
}

function byWhatTheySay(one: StatementCover, other: StatementCover): number {
  const numbers = (cover: StatementCover): readonly number[] =>
    [cover.from, cover.to, cover.number, cover.page, cover.openingCents, cover.closingCents].map(
      (number) => number ?? Number.NEGATIVE_INFINITY,
    );
  const [first, second] = [numbers(one), numbers(other)];
  const place = first.findIndex((number, at) => number !== second[at]);
  if (place >= 0) return (first[place] ?? 0) < (second[place] ?? 0) ? -1 : 1;
  const [name, otherName] = [`${one.format} ${one.key}`, `${other.format} ${other.key}`];
  return name < otherName ? -1 : name > otherName ? 1 : 0;
}

/** More pages of the same days than this are taken as they are counted: trying every order of them would not end. */
const PAGES_MAX = 8;

function asBalancesGoOn(
  pages: readonly StatementCover[],
  before: number | undefined,
): readonly StatementCover[] {
  const isCounted = pages.every(({ number }) => number !== undefined);
  if (pages.length < 2 || pages.length > PAGES_MAX || isCounted) return pages;
  const begins = (page: StatementCover): boolean =>
    before === undefined
      ? !pages.some((one) => one !== page && one.closingCents === page.openingCents)
      : page.openingCents === before;
  const firsts = pages.filter(begins);
  let longest: readonly StatementCover[] = [];
  for (const first of firsts.length === 0 ? pages : firsts) {
    const way = longestWay(first, pages);
    if (way.length > longest.length) longest = way;
  }
  return [...longest, ...pages.filter((page) => !longest.includes(page))];
}

function longestWay(
  first: StatementCover,
  pages: readonly StatementCover[],
): readonly StatementCover[] {
  const left = pages.filter((page) => page !== first);
  let longest: readonly StatementCover[] = [];
  for (const next of left) {
    if (first.closingCents === undefined || next.openingCents !== first.closingCents) continue;
    const way = longestWay(next, left);
    if (way.length > longest.length) longest = way;
  }
  return [first, ...longest];
}

function gapsBefore(first: StatementCover, question: ChainQuestion): readonly string[] {
  const { from, isBusinessDay } = question;
  const eve = addDays(from, -1);
  // A statement that began in the period before opens with a balance of that one. But many banks date the opening
  // balance on the day of the closing one before it, which is a day of the period before as well.
  const isOver = hasBusinessDay(addDays(first.from, 1), eve, isBusinessDay);
  const before = isOver ? undefined : question.previousClosingCents;
  const gaps: string[] = [];
  if (before !== undefined && first.openingCents !== undefined && first.openingCents !== before) {
    gaps.push(
      `the first statement opens with ${first.openingCents} cents, the period before closed with ${before}: a statement is missing`,
    );
  }
  const hasBefore = before !== undefined && first.openingCents === before;
  if (!hasBefore && hasBusinessDay(from, addDays(first.from, -1), isBusinessDay)) {
    gaps.push(`no statement before ${formatDay(first.from)}`);
  }
  return gaps;
}

function gapsAfter(last: StatementCover, { to, isBusinessDay }: ChainQuestion): readonly string[] {
  return hasBusinessDay(addDays(last.to, 1), to, isBusinessDay)
    ? [`no statement after ${formatDay(last.to)}`]
    : [];
}

function gapBetween(
  previous: StatementCover,
  next: StatementCover,
  isBusinessDay: IsBusinessDay,
): readonly string[] {
  // Both tell the days that they share, and of the balance in between nobody speaks.
  const isLater = next.from > previous.from && next.to > previous.to;
  if (isLater && hasBusinessDay(addDays(next.from, 1), previous.to, isBusinessDay)) return [];
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
  return isOpen ? [`${place}: no statement, and no balances that show no activity`] : [];
}

function hasBusinessDay(from: Day, to: Day, isBusinessDay: IsBusinessDay): boolean {
  for (let day = from; day <= to; day = addDays(day, 1)) if (isBusinessDay(day)) return true;
  return false;
}
