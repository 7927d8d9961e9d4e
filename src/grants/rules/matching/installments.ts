/** P3 once more: a part of an award that is paid in installments. What is left of it stays expected. */
import { formatDay } from '../../../calendar/index.ts';
import { openExpectedPayments } from './less-fee.ts';
import {
  isInWindow,
  isSameKindOfMoney,
  type Line,
  mentions,
  reasonOf,
  type Expected,
  type Workbench,
} from './workbench.ts';

/** Business days after the day on which an award was expected: two years, in which installments of it may come. */
const LATER_PARTS_DAYS_MAX = 520;

/**
 * After everything that agrees to the cent: the line names the reference of one open award alone, and brings less than is
 * left of it. More lines than there is money for are left to a person, and so is what is short by no more than a fee.
 */
export function matchInstallments(bench: Workbench): void {
  const partsOf = new Map<Expected, Line[]>();
  const expectedPaymentsOf = openExpectedPayments(bench);
  for (const line of bench.lines) {
    if (!line.isOpen || line.references.length === 0 || line.given.direction !== 'credit') continue;
    const [only, other] = expectedPaymentsOf(line);
    if (only === undefined || other !== undefined || !mentions(line, only)) continue;
    if (only.given.parts === undefined || !isSameKindOfMoney(line, only)) continue;
    const known = partsOf.get(only);
    if (known === undefined) partsOf.set(only, [line]);
    else known.push(line);
  }
  for (const [expectedPayment, lines] of partsOf) {
    if (isPlausible(bench, expectedPayment, lines))
      for (const line of lines) take(bench, expectedPayment, line);
  }
}

function isPlausible(bench: Workbench, expectedPayment: Expected, lines: readonly Line[]): boolean {
  const { amountCents, parts } = expectedPayment.given;
  const left = amountCents - lines.reduce((sum, { given }) => sum + given.amountCents, 0);
  if (left < 0 || lines.some(({ given }) => given.isReversal || given.amountCents === 0)) {
    return false;
  }
  // A bank that kept its fee leaves as little: that is for a person, unless the rest has come by now.
  if (left > 0 && left <= bench.policy.feeCentsMax) return false;
  const { from, to } = bench.policy.withReference;
  const later = { from, to: LATER_PARTS_DAYS_MAX };
  // The first part shows that it is the award that is meant; the others come when they come.
  return lines.every((line, at) =>
    isInWindow(line, expectedPayment, parts === 'some' || at > 0 ? later : { from, to }),
  );
}

function take(bench: Workbench, expectedPayment: Expected, line: Line): void {
  const { given } = expectedPayment;
  expectedPayment.partsCents += line.given.amountCents;
  const left = given.amountCents - expectedPayment.partsCents;
  expectedPayment.state = left === 0 ? 'taken' : 'partly';
  line.isOpen = false;
  line.isPaid = true;
  const text =
    left === 0
      ? `The last installment of the award: with ${line.given.amountCents} cents it is fully paid.`
      : `An installment of the award: ${line.given.amountCents} of ${given.amountCents} cents; ${left} remain open.`;
  const reason = reasonOf({ lines: [line], expectedPayments: [expectedPayment], text });
  bench.take({
    outcome: {
      rule: 'P3-installment',
      status: 'matched',
      bank: [line.given.id],
      ledger: [given.id],
      reason: { ...reason, ledgerCents: line.given.amountCents },
    },
    lines: [line.given],
    expectedPayments: [
      { ...given, goodsCents: isFirst(expectedPayment, line) ? given.goodsCents : undefined },
    ],
  });
}

/** Goods come with the first payment, and once. */
function isFirst({ partsCents }: Expected, line: Line): boolean {
  return partsCents === line.given.amountCents;
}

/** What is left of an award of which a part came in this matching, as it is listed. */
export function remainderOf({ given, partsCents }: Expected): {
  readonly expectedPayment: Expected['given'];
  readonly text: string;
} {
  const amountCents = given.amountCents - partsCents;
  return {
    expectedPayment: { ...given, amountCents },
    text: `${partsCents} of ${given.amountCents} cents received; the remainder has been expected since ${formatDay(given.expected)}.`,
  };
}
