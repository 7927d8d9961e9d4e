/** Lines and expected payments in canonical order with what the rules look up; arrival order is forgotten here. */
import { type Day, formatDay } from '../../../calendar/index.ts';
import { invariant } from '../../../core/index.ts';
import { type BankLine, type ExpectedPayment, type LinePayment, signedCents } from './bank-line.ts';
import type { BusinessDays } from './business-days.ts';
import type { FoundOutcome, MatchOutcome, MatchReason, MatchRule, MatchStatus } from './outcome.ts';
import type { DateWindow, MatchPolicy } from './policy.ts';
import { mayBeCut, type PayerName, PayerNames } from './payer-names.ts';
import { KnownReferences, mentionedReferences } from './references.ts';

export interface Line {
  readonly given: BankLine;
  /** Place in canonical order. */
  readonly at: number;
  readonly day: number;
  /** Numbers of the ledger's references that the line mentions, ascending. */
  readonly references: readonly number[];
  /** Undefined where the bank names nobody apart from its text. */
  readonly payer: PayerName | undefined;
  readonly isPayerCut: boolean;
  readonly payments: readonly Payment[];
  isOpen: boolean;
  /** A expected payment was given to it, by a match or for review. */
  isPaid: boolean;
  /** Too many entries stand under its reference: it was not tried as a sum, nor as a part of one. */
  isUnsearched: boolean;
}

/** One of those that the bank booked together. */
export interface Payment extends Pick<Line, 'references' | 'payer' | 'isPayerCut'> {
  readonly given: LinePayment;
}

const NO_PAYMENTS: readonly Payment[] = [];

export interface Expected {
  readonly given: ExpectedPayment;
  readonly at: number;
  readonly day: number;
  /** Number of its reference; -1 for none. */
  readonly reference: number;
  readonly payer: PayerName;
  /** `disputed`: named to a person as a candidate, so no later rule may give it away. `partly`: some of it has come. */
  state: 'open' | 'partly' | 'taken' | 'disputed';
  /** What has come of it in parts, in this matching. */
  partsCents: number;
}

export interface Workbench {
  readonly policy: MatchPolicy;
  readonly lines: readonly Line[];
  readonly expectedPayments: readonly Expected[];
  readonly take: (found: FoundOutcome) => void;
}

export function workbenchOf(input: {
  readonly lines: readonly BankLine[];
  readonly expectedPayments: readonly ExpectedPayment[];
  readonly policy: MatchPolicy;
  readonly days: BusinessDays;
  readonly take: Workbench['take'];
}): Workbench {
  const { days } = input;
  const sortedLines = [...input.lines].sort(byWhatTheySay);
  const sortedExpectedPayments = [...input.expectedPayments].sort(byExpectedDate);
  const known = new KnownReferences();
  const names = new PayerNames();
  const expectedPayments = sortedExpectedPayments.map((given, at): Expected => {
    return {
      given,
      at,
      day: days.numberOf(given.expected),
      reference: known.add(given.reference),
      payer: names.of(given.payer),
      state: 'open',
      partsCents: 0,
    };
  });
  const payerOf = (name: string | undefined): Pick<Line, 'payer' | 'isPayerCut'> => ({
    payer: name === undefined ? undefined : names.of(name),
    isPayerCut: name !== undefined && mayBeCut(name),
  });
  const paymentOf = (given: LinePayment): Payment => ({
    given,
    references: mentionedReferences({ ...given, description: undefined }, known),
    ...payerOf(given.counterparty),
  });
  const lines = sortedLines.map((given, at): Line => {
    return {
      given,
      at,
      day: days.numberOf(given.bookingDate),
      references: mentionedReferences(given, known),
      ...payerOf(payerOfLine(given)),
      payments: given.payments?.map(paymentOf) ?? NO_PAYMENTS,
      isOpen: true,
      isPaid: false,
      isUnsearched: false,
    };
  });
  return { policy: input.policy, lines, expectedPayments, take: input.take };
}

/** The canonical order of lines, in which rules look at them. Their ids, which feeds give, decide only between equal ones. */
function byWhatTheySay(one: BankLine, other: BankLine): number {
  return (
    one.bookingDate - other.bookingDate ||
    compare(one.nativeId ?? '', other.nativeId ?? '') ||
    one.amountCents - other.amountCents ||
    compare(one.direction, other.direction) ||
    compare(one.counterparty ?? '', other.counterparty ?? '') ||
    compare(one.description ?? '', other.description ?? '') ||
    compare(one.references.join(' '), other.references.join(' ')) ||
    compare(one.trace ?? '', other.trace ?? '') ||
    (one.valueDate ?? 0) - (other.valueDate ?? 0) ||
    compare(one.id, other.id)
  );
}

/** Some banks have one text for everything; a reader gives it as the name as well, and that is nobody's name. */
export function payerOfLine({ counterparty, description }: BankLine): string | undefined {
  return counterparty === description ? undefined : counterparty;
}

/** The order in which outcomes are listed. */
export function byDateAndNativeId(one: BankLine, other: BankLine): number {
  return one.bookingDate - other.bookingDate || compareLineNames(one, other);
}

export type LineName = Pick<BankLine, 'nativeId' | 'id'>;

export function compareLineNames(one: LineName, other: LineName): number {
  return compare(one.nativeId ?? '', other.nativeId ?? '') || compare(one.id, other.id);
}

/** The canonical order of expected payments. */
export function byExpectedDate(one: ExpectedPayment, other: ExpectedPayment): number {
  return one.expected - other.expected || compare(one.id, other.id);
}

/** By code units: the order must not hang on the language of the machine. */
export function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

export function isInWindow(line: Line, expectedPayment: Expected, window: DateWindow): boolean {
  const distance = line.day - expectedPayment.day;
  return distance >= window.from && distance <= window.to;
}

/** Amount, currency and direction: two entries with the same key are the same money as far as figures go. */
export function moneyKey(entry: BankLine | ExpectedPayment): string {
  return `${entry.amountCents} ${entry.currency} ${entry.direction}`;
}

/** Money of one payer; the name in its one spelling. */
export function payerKey(money: string, payer: string): string {
  return `${money} ${payer}`;
}

/** What equal keys say, without making them. */
export function isSameMoney(line: Line, expectedPayment: Expected): boolean {
  return (
    line.given.amountCents === expectedPayment.given.amountCents &&
    isSameKindOfMoney(line, expectedPayment)
  );
}

export function isSameKindOfMoney(line: Line, expectedPayment: Expected): boolean {
  return (
    line.given.currency === expectedPayment.given.currency &&
    line.given.direction === expectedPayment.given.direction
  );
}

export function mentions(line: Line, expectedPayment: Expected): boolean {
  return expectedPayment.reference >= 0 && line.references.includes(expectedPayment.reference);
}

interface Resolved {
  readonly rule: MatchRule;
  readonly status: MatchStatus;
  readonly lines: readonly Line[];
  readonly expectedPayments: readonly Expected[];
  readonly text: string;
  readonly of?: string;
  readonly feeCents?: number;
}

/** Puts lines into their bucket; a line has one, and expected payments that are given away or named are marked. */
export function resolve(bench: Workbench, resolved: Resolved): void {
  const { lines, expectedPayments, status } = resolved;
  const isTaken = status === 'matched' || status === 'review';
  // Checked on every run: otherwise money would be counted twice.
  for (const line of lines) {
    invariant(line.isOpen, `bank line ${line.given.id} has two outcomes`);
    line.isOpen = false;
    line.isPaid = isTaken;
  }
  for (const expectedPayment of expectedPayments) {
    invariant(
      !isTaken || expectedPayment.state === 'open',
      `expected payment ${expectedPayment.given.id} is matched twice`,
    );
    if (isTaken) expectedPayment.state = 'taken';
    else if (expectedPayment.state === 'open') expectedPayment.state = 'disputed';
  }
  const reason = reasonOf(isTaken ? resolved : { ...resolved, text: withUnused(resolved) });
  const ids = lines.map(({ given }) => given.id);
  invariant(
    status !== 'matched' || reason.bankCents + (resolved.feeCents ?? 0) === reason.ledgerCents,
    `${resolved.rule} matched unequal amounts: ${ids.join(', ')}`,
  );
  const outcome: MatchOutcome = {
    rule: resolved.rule,
    status,
    bank: ids,
    ledger: expectedPayments.map(({ given }) => given.id),
    ...(resolved.of !== undefined && { of: resolved.of }),
    reason,
  };
  bench.take({
    outcome,
    lines: lines.map(({ given }) => given),
    expectedPayments: expectedPayments.map(({ given }) => given),
  });
}

/** Whoever decides about a batch must know that its payments were announced, and why no rule has looked at them. */
function withUnused({ lines, text }: Resolved): string {
  const unused = lines.flatMap(({ given }) => given.unusedPayments ?? []);
  return [text, ...unused].join(' ');
}

export function reasonOf({
  lines,
  expectedPayments,
  text,
  feeCents,
}: Pick<Resolved, 'lines' | 'expectedPayments' | 'text' | 'feeCents'>): MatchReason {
  const reference = expectedPayments.find(({ given }) => given.reference !== undefined)?.given
    .reference;
  const distances = lines.flatMap((line) =>
    expectedPayments.map((expectedPayment) => line.day - expectedPayment.day),
  );
  return {
    text,
    currency: (lines[0] ?? expectedPayments[0])?.given.currency ?? '',
    bankCents: totalCents(lines),
    ledgerCents: totalCents(expectedPayments),
    ...(feeCents !== undefined && { feeCents }),
    bankDates: datesOf(lines.map(({ given }) => given.bookingDate)),
    ledgerDates: datesOf(expectedPayments.map(({ given }) => given.expected)),
    ...(reference !== undefined && { reference }),
    ...(distances.length > 0 && { businessDays: distances }),
  };
}

/** One list for each single day: a hundred thousand outcomes share a few hundred of them. */
const SINGLE_DAYS = new Map<Day, readonly string[]>();
const SINGLE_DAYS_MAX = 100_000;
const NO_DAYS: readonly string[] = [];

function datesOf(days: readonly Day[]): readonly string[] {
  const [only] = days;
  if (only === undefined) return NO_DAYS;
  if (days.length > 1) return days.map((day) => formatDay(day));
  const known = SINGLE_DAYS.get(only);
  if (known !== undefined) return known;
  if (SINGLE_DAYS.size >= SINGLE_DAYS_MAX) SINGLE_DAYS.clear();
  const made = Object.freeze([formatDay(only)]);
  SINGLE_DAYS.set(only, made);
  return made;
}

/** A return counts against the payment that it takes back. */
function totalCents(entries: readonly (Line | Expected)[]): number {
  return entries.reduce((sum, { given }) => sum + signedCents(given), 0);
}
