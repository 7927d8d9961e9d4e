/** Which open awards an unmatched line could be for, each with what speaks for it and against it, in a sentence. */
import { formatDay } from '../../../calendar/index.ts';
import { inDollars } from '../reporting/figure.ts';
import type { BankLine, ExpectedPayment } from './bank-line.ts';
import { isHint } from './bank-line.ts';
import { BusinessDays, type IsBusinessDay } from './business-days.ts';
import { isNamedIn, isSamePayer, keysOfBank, keysOfBooks, textOfNames } from './payer-names.ts';
import { MATCH_POLICY } from './policy.ts';
import {
  compare,
  type Expected,
  isInWindow,
  type Line,
  mentions,
  moneyKey,
  workbenchOf,
} from './workbench.ts';

export interface Candidate {
  /** The key of the award, or the id of the line. */
  readonly id: string;
  readonly why: string;
}

/** A person reads three; a longer list is a search, for which there are lists. */
const SHOWN_MAX = 3;
/** Awards of one reference, amount or payer that are looked at for one line. */
const LOOKED_AT_MAX = 50;
/** What speaks for a candidate. The amount by itself is something; the payer by itself too; a date alone is nothing. */
const WEIGHT = { reference: 4, amount: 3, payer: 2, fee: 1, near: 1 } as const;

interface Fit {
  readonly expected: Expected;
  readonly weight: number;
  readonly daysApart: number;
  readonly why: string;
}

/** By the id of the line, the best first. */
export function candidatesOf(
  lines: readonly BankLine[],
  expectedPayments: readonly ExpectedPayment[],
  isBusinessDay: IsBusinessDay,
): ReadonlyMap<string, readonly Candidate[]> {
  const days = new BusinessDays(
    [
      ...lines.map(({ bookingDate }) => bookingDate),
      ...expectedPayments.map(({ expected }) => expected),
    ],
    isBusinessDay,
  );
  const bench = workbenchOf({
    lines: lines.filter((line) => line.direction === 'credit' && !isHint(line)),
    expectedPayments,
    policy: MATCH_POLICY,
    days,
    take: () => undefined,
  });
  const index = indexOf(bench.expectedPayments);
  return new Map(
    bench.lines.map((line) => {
      const fits = [...lookedUp(line, index)]
        .map((expected) => fitOf(line, expected))
        .filter(({ weight }) => weight > WEIGHT.near)
        .sort(
          (one, other) =>
            other.weight - one.weight ||
            one.daysApart - other.daysApart ||
            compare(one.expected.given.id, other.expected.given.id),
        );
      return [
        line.given.id,
        fits.slice(0, SHOWN_MAX).map(({ expected, why }) => ({ id: expected.given.id, why })),
      ];
    }),
  );
}

/** The same pairs, looked at from the other side. */
export function fromTheOtherSide(
  candidates: ReadonlyMap<string, readonly Candidate[]>,
): ReadonlyMap<string, readonly Candidate[]> {
  const found = new Map<string, Candidate[]>();
  for (const [line, list] of candidates) {
    for (const { id, why } of list) {
      const lines = found.get(id) ?? [];
      if (lines.length < SHOWN_MAX) found.set(id, [...lines, { id: line, why }]);
    }
  }
  return found;
}

type Index = ReadonlyMap<string, readonly Expected[]>;

function indexOf(expectedPayments: readonly Expected[]): Index {
  const found = new Map<string, Expected[]>();
  for (const expected of expectedPayments) {
    const keys = [
      ...(expected.reference < 0 ? [] : [`r ${expected.reference}`]),
      `m ${moneyKey(expected.given)}`,
      ...keysOfBooks(expected.payer).map((key) => `p ${key}`),
    ];
    for (const key of keys) {
      const list = found.get(key);
      if (list === undefined) found.set(key, [expected]);
      else if (list.length < LOOKED_AT_MAX) list.push(expected);
    }
  }
  return found;
}

function lookedUp(line: Line, index: Index): ReadonlySet<Expected> {
  const keys = [
    ...line.references.map((reference) => `r ${reference}`),
    `m ${moneyKey(line.given)}`,
    ...(line.payer === undefined ? [] : keysOfBank(line.payer, line.isPayerCut)).map(
      (key) => `p ${key}`,
    ),
  ];
  return new Set(keys.flatMap((key) => index.get(key) ?? []));
}

function fitOf(line: Line, expected: Expected): Fit {
  const { given } = expected;
  const isReference = mentions(line, expected);
  const short = given.amountCents - line.given.amountCents;
  const isCurrency = line.given.currency === given.currency;
  const isAmount = isCurrency && short === 0;
  const isFee = isCurrency && short > 0 && short <= MATCH_POLICY.feeCentsMax;
  const isPayer =
    line.payer === undefined
      ? isNamedIn(textOfNames(line.given.description ?? ''), expected.payer)
      : isSamePayer(line.payer, expected.payer, line.isPayerCut);
  const isNear = isInWindow(line, expected, MATCH_POLICY.withReference);
  const weight =
    (isReference ? WEIGHT.reference : 0) +
    (isAmount ? WEIGHT.amount : isFee ? WEIGHT.fee : 0) +
    (isPayer ? WEIGHT.payer : 0) +
    (isNear ? WEIGHT.near : 0);
  const fits = [
    ...(isReference ? ['the reference'] : []),
    ...(isPayer ? ['the payer'] : []),
    ...(isAmount ? ['the amount'] : []),
    ...(isNear ? ['the date'] : []),
  ];
  const differs = [
    ...(isReference || given.reference === undefined || given.reference === ''
      ? []
      : [`the line does not name the reference ${given.reference}`]),
    ...(isPayer ? [] : [`the line does not name ${given.payer === '' ? 'a payer' : given.payer}`]),
    ...(isAmount ? [] : [amountWords(line.given, given)]),
    ...(isNear ? [] : [dateWords(line.given, given)]),
  ];
  return {
    expected,
    weight,
    daysApart: Math.abs(line.given.bookingDate - given.expected),
    why: `${sentence(fits)} ${fits.length > 1 ? 'fit' : 'fits'}${differs.length === 0 ? '' : `; ${joined(differs)}`}.`,
  };
}

function amountWords(line: BankLine, expected: ExpectedPayment): string {
  if (line.currency !== expected.currency) {
    return `${line.currency} was received where ${expected.currency} is expected`;
  }
  const difference = line.amountCents - expected.amountCents;
  const words = inDollars(BigInt(Math.abs(difference)));
  return `the amount is ${words} ${difference > 0 ? 'more' : 'less'} than the ${inDollars(BigInt(expected.amountCents))} expected`;
}

function dateWords(line: BankLine, expected: ExpectedPayment): string {
  const days = line.bookingDate - expected.expected;
  const count = `${Math.abs(days)} ${Math.abs(days) === 1 ? 'day' : 'days'}`;
  return `it came ${count} ${days > 0 ? 'after' : 'before'} ${formatDay(expected.expected)}`;
}

function sentence(parts: readonly string[]): string {
  const text = joined(parts);
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

function joined(parts: readonly string[]): string {
  return parts.length < 2
    ? (parts[0] ?? '')
    : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
