/** P3 once more: a part of an award that is paid in instalments. What is left of it stays expected. */
import { formatDay } from '../../../calendar/index.ts';
import { openReceipts } from './less-fee.ts';
import {
  isInWindow,
  isSameKindOfMoney,
  type Line,
  mentions,
  reasonOf,
  type Receipt,
  type Workbench,
} from './workbench.ts';

/** Business days after the day on which an award was expected: two years, in which instalments of it may come. */
const LATER_PARTS_DAYS_MAX = 520;

/**
 * After everything that agrees to the cent: the line names the reference of one open award alone, and brings less than is
 * left of it. More lines than there is money for are left to a person, and so is what is short by no more than a fee.
 */
export function matchInstalments(bench: Workbench): void {
  const partsOf = new Map<Receipt, Line[]>();
  const receiptsOf = openReceipts(bench);
  for (const line of bench.lines) {
    if (!line.isOpen || line.references.length === 0 || line.given.direction !== 'credit') continue;
    const [only, other] = receiptsOf(line);
    if (only === undefined || other !== undefined || !mentions(line, only)) continue;
    if (only.given.parts === undefined || !isSameKindOfMoney(line, only)) continue;
    const known = partsOf.get(only);
    if (known === undefined) partsOf.set(only, [line]);
    else known.push(line);
  }
  for (const [receipt, lines] of partsOf) {
    if (isPlausible(bench, receipt, lines)) for (const line of lines) take(bench, receipt, line);
  }
}

function isPlausible(bench: Workbench, receipt: Receipt, lines: readonly Line[]): boolean {
  const { amountCents, parts } = receipt.given;
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
    isInWindow(line, receipt, parts === 'some' || at > 0 ? later : { from, to }),
  );
}

function take(bench: Workbench, receipt: Receipt, line: Line): void {
  const { given } = receipt;
  receipt.partsCents += line.given.amountCents;
  const left = given.amountCents - receipt.partsCents;
  receipt.state = left === 0 ? 'taken' : 'partly';
  line.isOpen = false;
  line.isPaid = true;
  const text =
    left === 0
      ? `The last part of the award: with ${line.given.amountCents} cents nothing of it is open.`
      : `A part of the award: ${line.given.amountCents} of ${given.amountCents} cents; ${left} stay open.`;
  const reason = reasonOf({ lines: [line], receipts: [receipt], text });
  bench.take({
    outcome: {
      rule: 'P3-instalment',
      status: 'matched',
      bank: [line.given.id],
      ledger: [given.id],
      reason: { ...reason, ledgerCents: line.given.amountCents },
    },
    lines: [line.given],
    receipts: [{ ...given, goodsCents: isFirst(receipt, line) ? given.goodsCents : undefined }],
  });
}

/** Goods come with the first payment, and once. */
function isFirst({ partsCents }: Receipt, line: Line): boolean {
  return partsCents === line.given.amountCents;
}

/** What is left of an award of which a part came in this matching, as it is listed. */
export function remainderOf({ given, partsCents }: Receipt): {
  readonly receipt: Receipt['given'];
  readonly text: string;
} {
  const amountCents = given.amountCents - partsCents;
  return {
    receipt: { ...given, amountCents },
    text: `${partsCents} of ${given.amountCents} cents have come; the rest is expected since ${formatDay(given.expected)}.`,
  };
}
