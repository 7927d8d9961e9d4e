/**
 * The law by which a period is closed: its opening balance and every entry, counted once, make its closing balance. A line
 * that is missing, counted twice or made up cannot pass it.
 */
import { type Day, formatDay } from '../../../calendar/index.ts';

/** Days of one account, both included. */
export interface Period {
  readonly account: string;
  readonly from: Day;
  readonly to: Day;
}

/** A balance at the end of a day, and who says it. */
export interface KnownBalance {
  readonly cents: bigint;
  readonly by: string;
}

interface LawQuestion {
  readonly period: Period;
  readonly currency: string;
  /** Of the entries that count in the period. */
  readonly netCents: bigint;
  readonly entries: number;
  /** Everybody who knows the balance before the first day, or after the last one. */
  readonly openings: readonly KnownBalance[];
  readonly closings: readonly KnownBalance[];
  /** Nothing of the account was closed before: what it opened with may be what its entries lead back to. */
  readonly isFirst: boolean;
}

export interface LawAnswer {
  readonly obstacles: readonly string[];
  /** The balance with which the period ends, where the law holds. */
  readonly closingCents: bigint | undefined;
  /** The balance before its first day, where somebody knows it, and how many entries count in it. */
  readonly openingCents: bigint | undefined;
  readonly entries: number;
}

export function checkBalance(question: LawQuestion): LawAnswer {
  const { period, openings, closings, netCents, currency } = question;
  const { account } = period;
  const show = (cents: bigint): string => `${currency} ${money(cents)}`;
  const obstacles = [
    ...disagreements(`${account}, balance before ${formatDay(period.from)}`, openings, show),
    ...disagreements(`${account}, balance at the end of ${formatDay(period.to)}`, closings, show),
  ];
  const [closing] = closings;
  const [opening] = openings;
  if (closing === undefined) obstacles.push(unknown(account, formatDay(period.to)));
  if (opening === undefined && !question.isFirst) {
    obstacles.push(unknown(account, `the day before ${formatDay(period.from)}`));
  }
  const known = { openingCents: opening?.cents, entries: question.entries };
  if (obstacles.length > 0 || closing === undefined) {
    return { obstacles, closingCents: undefined, ...known };
  }
  const expected = opening === undefined ? closing.cents : opening.cents + netCents;
  if (opening === undefined || expected === closing.cents) {
    return { obstacles: [], closingCents: closing.cents, ...known };
  }
  const difference = closing.cents - expected;
  const days = `${formatDay(period.from)} to ${formatDay(period.to)}`;
  return {
    obstacles: [
      `${account}, ${days}: the opening balance is ${show(opening.cents)} (${opening.by}) and its ${question.entries} entries come to ${show(netCents)}, so the closing balance should be ${show(expected)}; it is ${show(closing.cents)} (${closing.by}): ${show(abs(difference))} ${difference > 0n ? 'is missing' : 'is too much'}. Import the missing statement, or have two people withdraw the wrong one (grants withdraw)`,
    ],
    closingCents: undefined,
    ...known,
  };
}

function disagreements(
  place: string,
  known: readonly KnownBalance[],
  show: (cents: bigint) => string,
): string[] {
  const [first, ...others] = known;
  const other = others.find(({ cents }) => cents !== first?.cents);
  if (first === undefined || other === undefined) return [];
  return [
    `${place}: ${show(first.cents)} (${first.by}), but ${show(other.cents)} (${other.by}). Have two people withdraw the wrong statement (grants withdraw), or enter the balance again (grants balance)`,
  ];
}

function unknown(account: string, when: string): string {
  return `${account}: no balance is known at the end of ${when}, so the lines cannot be checked. Import a statement with balances, or look up the balance at the bank and enter it (grants balance)`;
}

function money(cents: bigint): string {
  const [whole, part] = [abs(cents) / 100n, abs(cents) % 100n];
  return `${cents < 0n ? '-' : ''}${whole}.${String(part).padStart(2, '0')}`;
}

function abs(cents: bigint): bigint {
  return cents < 0n ? -cents : cents;
}
