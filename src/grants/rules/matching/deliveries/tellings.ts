/** Statements of an account as tellings of what happened on it: which go on from each other, and which tell the same again. */
import { addDays, type Day } from '../../../../calendar/index.ts';
import type { BankLine } from '../bank-line.ts';
import { type StatementCover, statementKey } from '../statement-chain.ts';

/** Statements looked at on the way from one to another; more on the days between are not from a bank. */
const WAY_MAX = 2_000;

/** A statement as its lines know it. Of one that says nothing about itself only the feed is known. */
export interface Telling {
  readonly key: string;
  readonly feed: string;
  readonly cover: StatementCover | undefined;
}

export class Tellings {
  readonly #known = new Map<string, Telling>();
  /** By account, currency-blind: a balance is one number of one account. */
  readonly #byOpening = new Map<string, StatementCover[]>();
  readonly #byClosing = new Map<string, StatementCover[]>();
  readonly #begins = new Map<string, Day>();

  constructor(statements: readonly StatementCover[]) {
    for (const cover of statements) {
      if (cover.key === undefined) continue;
      const feed = cover.key.slice(0, cover.key.lastIndexOf('/'));
      this.#known.set(cover.key, { key: cover.key, feed, cover });
      note(this.#byOpening, cover.account, cover.openingCents, cover);
      note(this.#byClosing, cover.account, cover.closingCents, cover);
    }
  }

  of(line: BankLine): Telling {
    const { feed } = line.source;
    const key = statementKey(feed, line.statement ?? 0);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const unknown = { key, feed, cover: undefined };
    this.#known.set(key, unknown);
    return unknown;
  }

  /**
   * The first day of which the statement tells money. Many banks date an opening balance on the day of the closing one before
   * it: that day is told by the statement before.
   */
  beginOf({ key, cover }: Telling): Day | undefined {
    if (cover === undefined) return undefined;
    const known = this.#begins.get(key);
    if (known !== undefined) return known;
    const { account, openingCents, from, to } = cover;
    const before = from < to ? found(this.#byClosing, account, openingCents) : [];
    const isAfter = before.some((one) => one !== cover && one.to === from && one.from <= from);
    const begin = isAfter ? addDays(from, 1) : from;
    this.#begins.set(key, begin);
    return begin;
  }

  /** Whether their balances lead from one of them to the other, whichever comes first; or pages of one statement. */
  goOn(one: Telling, other: Telling): boolean {
    const [first, second] = [one.cover, other.cover];
    if (first === undefined || second === undefined) return false;
    if (arePages(first, second)) return true;
    return this.#leads(first, second) || this.#leads(second, first);
  }

  #leads(from: StatementCover, to: StatementCover): boolean {
    if (to.from < from.to) return false;
    const seen = new Set<StatementCover>([from]);
    const waiting = [from];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      for (const next of found(this.#byOpening, at.account, at.closingCents)) {
        if (next.from < at.to || next.from > to.from) continue;
        if (next === to) return true;
        if (seen.has(next) || seen.size >= WAY_MAX) continue;
        seen.add(next);
        waiting.push(next);
      }
    }
    return false;
  }
}

/** Two parts of one statement, by the bank's own count. */
export function arePages(one: StatementCover, other: StatementCover): boolean {
  if (one.format !== other.format || one.page === undefined || other.page === undefined)
    return false;
  if (one.page === other.page || one.account !== other.account) return false;
  if (one.number !== undefined || other.number !== undefined) return one.number === other.number;
  return one.statementId !== undefined && one.statementId === other.statementId;
}

/** Statements of one day have numbers close to each other; one that was made on demand has a number of another count. */
const NUMBERS_APART_MAX = 3;

/** Two statements by the bank's own count, so that neither is a copy of the other. */
export function areNumberedApart(one: StatementCover, other: StatementCover): boolean {
  if (one.format !== other.format) return false;
  if (one.number === undefined || other.number === undefined) return false;
  const apart = Math.abs(one.number - other.number);
  return apart > 0 && apart <= NUMBERS_APART_MAX;
}

type ByBalance = Map<string, StatementCover[]>;

function note(
  map: ByBalance,
  account: string,
  cents: number | undefined,
  cover: StatementCover,
): void {
  if (cents === undefined) return;
  const key = `${cents} ${account}`;
  const known = map.get(key);
  if (known === undefined) map.set(key, [cover]);
  else known.push(cover);
}

function found(
  map: ByBalance,
  account: string,
  cents: number | undefined,
): readonly StatementCover[] {
  return cents === undefined ? [] : (map.get(`${cents} ${account}`) ?? []);
}
