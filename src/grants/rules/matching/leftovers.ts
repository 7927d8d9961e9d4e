/** P5 and P6: what no rule could match, each with the reason that a person needs first. */
import { formatDay } from '../../../calendar/index.ts';
import { remainderOf } from './instalments.ts';
import { IF_COUNTED, isToldReturn } from './returns.ts';
import {
  isInWindow,
  isSameKindOfMoney,
  type Line,
  moneyKey,
  type Receipt,
  settle,
  type Workbench,
} from './workbench.ts';
import { Reasons } from './why-open.ts';

/** Receipts under one reference that are looked at for one line; the rest is for the person who sees the line. */
const LOOKED_AT_MAX = 100;

export function sortLeftovers(bench: Workbench): void {
  const receiptsOf = receiptsByReference(bench);
  proposeShortPayments(bench, receiptsOf);
  const paid = paidReferences(bench);
  const reasons = new Reasons(bench);
  for (const line of bench.lines) {
    if (line.isOpen) sortLine(bench, line, { paid, receiptsOf, reasons });
  }
  for (const receipt of bench.receipts) {
    if (receipt.state === 'partly') listRemainder(bench, receipt);
    if (receipt.state !== 'open') continue;
    const { parts } = receipt.given;
    settle(bench, {
      rule: 'P6-unmatched-ledger',
      status: 'open',
      lines: [],
      receipts: [receipt],
      text:
        parts === 'some'
          ? 'A part of the award has come in a closed period; no line of the bank fits what is left.'
          : 'No line of the bank fits it.',
    });
  }
}

function listRemainder(bench: Workbench, partly: Receipt): void {
  const { receipt, text } = remainderOf(partly);
  bench.take({
    outcome: {
      rule: 'P6-unmatched-ledger',
      status: 'open',
      bank: [],
      ledger: [receipt.id],
      reason: {
        text,
        currency: receipt.currency,
        bankCents: 0,
        ledgerCents: receipt.amountCents,
        bankDates: [],
        ledgerDates: [formatDay(receipt.expected)],
      },
    },
    lines: [],
    receipts: [receipt],
  });
}

type ReceiptsOf = (line: Line) => readonly Receipt[];

function receiptsByReference(bench: Workbench): ReceiptsOf {
  const lists = new Map<number, Receipt[]>();
  for (const receipt of bench.receipts) {
    if (receipt.reference < 0) continue;
    const list = lists.get(receipt.reference);
    if (list === undefined) lists.set(receipt.reference, [receipt]);
    else if (list.length < LOOKED_AT_MAX) list.push(receipt);
  }
  return (line) => line.references.flatMap((reference) => lists.get(reference) ?? []);
}

/** The right reference, but a little less: a bank on the way has kept its fee, or the payer made a mistake. */
function proposeShortPayments(bench: Workbench, receiptsOf: ReceiptsOf): void {
  const wishes: { readonly line: Line; readonly receipts: readonly Receipt[] }[] = [];
  const wantedBy = new Map<Receipt, number>();
  for (const line of bench.lines) {
    if (!line.isOpen || line.references.length === 0) continue;
    const near = receiptsOf(line).filter(
      (receipt) =>
        receipt.state === 'open' &&
        isSameKindOfMoney(line, receipt) &&
        isInWindow(line, receipt, bench.policy.withReference),
    );
    const receipts = shortBy(line, near, bench);
    if (receipts.length === 0) continue;
    wishes.push({ line, receipts });
    for (const receipt of receipts) wantedBy.set(receipt, (wantedBy.get(receipt) ?? 0) + 1);
  }
  for (const { line, receipts } of wishes) {
    const total = receipts.reduce((sum, { given }) => sum + given.amountCents, 0);
    const missing = total - line.given.amountCents;
    // Several receipts that were not asked for as one sum are choices, and a receipt wanted twice is one as well.
    const isOne =
      isFee(missing, bench) && receipts.every((receipt) => (wantedBy.get(receipt) ?? 0) === 1);
    settle(bench, {
      rule: isOne ? 'P5-short-by-fee' : 'P5-ambiguous',
      status: isOne ? 'review' : 'manual',
      lines: [line],
      receipts,
      text: isOne
        ? `The reference fits, and the deposit is short by ${missing} cents, at most the fee of ${bench.policy.feeCentsMax}.`
        : 'The reference fits more than one receipt or deposit that differs by no more than a fee.',
    });
  }
}

function isFee(cents: number, { policy }: Workbench): boolean {
  return cents > 0 && cents <= policy.feeCentsMax;
}

/** Single receipts that are more than the line by a fee; where there is none, all of them together. */
function shortBy(line: Line, near: readonly Receipt[], bench: Workbench): readonly Receipt[] {
  const { amountCents } = line.given;
  const single = near.filter(({ given }) => isFee(given.amountCents - amountCents, bench));
  if (single.length > 0) return single;
  if (near.length < 2 || near.length > bench.policy.groupMax) return [];
  const total = near.reduce((sum, { given }) => sum + given.amountCents, 0);
  return isFee(total - amountCents, bench) ? near : [];
}

/** Reference and money of every line that a receipt was given to. */
function paidReferences(bench: Workbench): ReadonlySet<string> {
  // Only for references that some line still asks about: most are settled, and nobody will ask.
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
    readonly receiptsOf: ReceiptsOf;
    readonly reasons: Reasons;
  },
): void {
  const manual = { status: 'manual', lines: [line] } as const;
  if (line.references.some((reference) => known.paid.has(`${reference} ${moneyKey(line.given)}`))) {
    settle(bench, {
      ...manual,
      rule: 'P6-suspected-double-payment',
      receipts: [],
      text: "A line with the same reference and amount is already matched; the bank's number is another, so the money came twice.",
    });
    return;
  }
  const named = known
    .receiptsOf(line)
    .filter(({ state, given }) => state !== 'taken' && given.direction === line.given.direction);
  const foreign = named.filter(({ given }) => given.currency !== line.given.currency);
  if (foreign.length > 0 && foreign.length === named.length) {
    const [first] = foreign;
    settle(bench, {
      ...manual,
      rule: 'P6-currency-mismatch',
      receipts: foreign,
      text: `The reference fits, but ${line.given.currency} came where ${first?.given.currency ?? ''} is expected.`,
    });
    return;
  }
  settle(bench, {
    ...manual,
    rule: 'P6-unmatched-bank',
    receipts: [],
    text: whyUnmatched(line, named, known.reasons),
  });
}

function whyUnmatched(line: Line, named: readonly Receipt[], reasons: Reasons): string {
  if (line.given.direction === 'debit') {
    if (isToldReturn(line.given)) {
      return `A return, and nothing says which payment it takes back, or more than one could be meant. ${IF_COUNTED}`;
    }
    const text = 'Money that went out; no receipt expects it.';
    return line.given.trace === undefined ? text : `${text} ${IF_COUNTED}`;
  }
  return reasons.whyOpen(line, named);
}
