/** P5 and P6: what no rule could match, each with the reason that a person needs first. */
import { remainderOf } from './installments.ts';
import { IF_COUNTED, isToldReturn } from './returns.ts';
import {
  isInWindow,
  isSameKindOfMoney,
  type Line,
  moneyKey,
  type Expected,
  resolve,
  type Workbench,
} from './workbench.ts';
import { Reasons } from './why-open.ts';
import { expectedAlone } from './outcome-alone.ts';

/** Receipts under one reference that are looked at for one line; the rest is for the person who sees the line. */
const LOOKED_AT_MAX = 100;

export function sortLeftovers(bench: Workbench): void {
  const expectedPaymentsOf = expectedPaymentsByReference(bench);
  proposeShortPayments(bench, expectedPaymentsOf);
  const paid = paidReferences(bench);
  const reasons = new Reasons(bench);
  for (const line of bench.lines) {
    if (line.isOpen) sortLine(bench, line, { paid, expectedPaymentsOf, reasons });
  }
  for (const expectedPayment of bench.expectedPayments) {
    if (expectedPayment.state === 'partly') listRemainder(bench, expectedPayment);
    if (expectedPayment.state !== 'open') continue;
    const { parts } = expectedPayment.given;
    resolve(bench, {
      rule: 'P6-unmatched-ledger',
      status: 'open',
      lines: [],
      expectedPayments: [expectedPayment],
      text:
        parts === 'some'
          ? 'Part of the award was received in a closed period; no bank line fits the remainder.'
          : 'No bank line fits it.',
    });
  }
}

function listRemainder(bench: Workbench, partly: Expected): void {
  const { expectedPayment, text } = remainderOf(partly);
  bench.take(expectedAlone(expectedPayment, text));
}

type ExpectedPaymentsOf = (line: Line) => readonly Expected[];

function expectedPaymentsByReference(bench: Workbench): ExpectedPaymentsOf {
  const lists = new Map<number, Expected[]>();
  for (const expectedPayment of bench.expectedPayments) {
    if (expectedPayment.reference < 0) continue;
    const list = lists.get(expectedPayment.reference);
    if (list === undefined) lists.set(expectedPayment.reference, [expectedPayment]);
    else if (list.length < LOOKED_AT_MAX) list.push(expectedPayment);
  }
  return (line) => line.references.flatMap((reference) => lists.get(reference) ?? []);
}

/** The right reference, but a little less: a bank on the way has kept its fee, or the payer made a mistake. */
function proposeShortPayments(bench: Workbench, expectedPaymentsOf: ExpectedPaymentsOf): void {
  const wishes: { readonly line: Line; readonly expectedPayments: readonly Expected[] }[] = [];
  const wantedBy = new Map<Expected, number>();
  for (const line of bench.lines) {
    if (!line.isOpen || line.references.length === 0) continue;
    const near = expectedPaymentsOf(line).filter(
      (expectedPayment) =>
        expectedPayment.state === 'open' &&
        isSameKindOfMoney(line, expectedPayment) &&
        isInWindow(line, expectedPayment, bench.policy.withReference),
    );
    const expectedPayments = shortBy(line, near, bench);
    if (expectedPayments.length === 0) continue;
    wishes.push({ line, expectedPayments });
    for (const expectedPayment of expectedPayments)
      wantedBy.set(expectedPayment, (wantedBy.get(expectedPayment) ?? 0) + 1);
  }
  for (const { line, expectedPayments } of wishes) {
    const total = expectedPayments.reduce((sum, { given }) => sum + given.amountCents, 0);
    const missing = total - line.given.amountCents;
    // Several expected payments that were not asked for as one sum are choices, and a expected payment wanted twice is one as well.
    const isOne =
      isFee(missing, bench) &&
      expectedPayments.every((expectedPayment) => (wantedBy.get(expectedPayment) ?? 0) === 1);
    resolve(bench, {
      rule: isOne ? 'P5-short-by-fee' : 'P5-ambiguous',
      status: isOne ? 'review' : 'manual',
      lines: [line],
      expectedPayments,
      text: isOne
        ? `The reference fits, and the deposit is short by ${missing} cents, at most the fee of ${bench.policy.feeCentsMax}.`
        : 'The reference fits more than one expected payment or deposit that differs by no more than a fee.',
    });
  }
}

function isFee(cents: number, { policy }: Workbench): boolean {
  return cents > 0 && cents <= policy.feeCentsMax;
}

/** Single expected payments that are more than the line by a fee; where there is none, all of them together. */
function shortBy(line: Line, near: readonly Expected[], bench: Workbench): readonly Expected[] {
  const { amountCents } = line.given;
  const single = near.filter(({ given }) => isFee(given.amountCents - amountCents, bench));
  if (single.length > 0) return single;
  if (near.length < 2 || near.length > bench.policy.groupMax) return [];
  const total = near.reduce((sum, { given }) => sum + given.amountCents, 0);
  return isFee(total - amountCents, bench) ? near : [];
}

/** Reference and money of every line that a expected payment was given to. */
function paidReferences(bench: Workbench): ReadonlySet<string> {
  // Only for references that some line still asks about: most are resolved, and nobody will ask.
  const asked = new Set<number>();
  for (const { isOpen, references } of bench.lines) {
    if (isOpen) for (const reference of references) asked.add(reference);
  }
  const paid = new Set<string>();
  for (const line of bench.lines) {
    if (!line.isPaid) continue;
    for (const reference of line.references) {
      if (asked.has(reference)) paid.add(`${reference} ${moneyKey(line.given)}`);
    }
  }
  return paid;
}

function sortLine(
  bench: Workbench,
  line: Line,
  known: {
    readonly paid: ReadonlySet<string>;
    readonly expectedPaymentsOf: ExpectedPaymentsOf;
    readonly reasons: Reasons;
  },
): void {
  const manual = { status: 'manual', lines: [line] } as const;
  if (line.references.some((reference) => known.paid.has(`${reference} ${moneyKey(line.given)}`))) {
    resolve(bench, {
      ...manual,
      rule: 'P6-suspected-double-payment',
      expectedPayments: [],
      text: "A line with the same reference and amount is already matched; the bank's number differs, so the money was received twice.",
    });
    return;
  }
  const named = known
    .expectedPaymentsOf(line)
    .filter(({ state, given }) => state !== 'taken' && given.direction === line.given.direction);
  const foreign = named.filter(({ given }) => given.currency !== line.given.currency);
  if (foreign.length > 0 && foreign.length === named.length) {
    const [first] = foreign;
    resolve(bench, {
      ...manual,
      rule: 'P6-currency-mismatch',
      expectedPayments: foreign,
      text: `The reference fits, but ${line.given.currency} was received where ${first?.given.currency ?? ''} is expected.`,
    });
    return;
  }
  resolve(bench, {
    ...manual,
    rule: 'P6-unmatched-bank',
    expectedPayments: [],
    text: whyUnmatched(line, named, known.reasons),
  });
}

function whyUnmatched(line: Line, named: readonly Expected[], reasons: Reasons): string {
  if (line.given.direction === 'debit') {
    if (isToldReturn(line.given)) {
      return `A return, and nothing shows which payment it reverses, or more than one is possible. ${IF_COUNTED}`;
    }
    const text = 'A debit; it fits no expected payment.';
    return line.given.trace === undefined ? text : `${text} ${IF_COUNTED}`;
  }
  return reasons.whyOpen(line, named);
}
