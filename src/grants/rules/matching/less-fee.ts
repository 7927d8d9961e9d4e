/** P1 once more: the reference is the receipt's, and the bank says what it kept of the amount. */
import { referenceClusters } from './by-reference.ts';
import {
  isInWindow,
  isSameKindOfMoney,
  type Line,
  mentions,
  type Receipt,
  settle,
  type Workbench,
} from './workbench.ts';

/** Only where gross, fee and net agree to the cent, one receipt fits the line, and no other line that receipt. */
export function matchLessFee(bench: Workbench): void {
  const lines = bench.lines.filter(
    ({ isOpen, references, given }) =>
      isOpen && references.length > 0 && (given.feeCents ?? 0) > 0 && given.direction === 'credit',
  );
  // Most feeds name no fee at all.
  if (lines.length === 0) return;
  const receiptsOf = openReceipts(bench);
  const wishes = lines.map((line) => ({
    line,
    fits: receiptsOf(line).filter((receipt) => isGrossOf(bench, line, receipt)),
  }));
  const wantedBy = new Map<Receipt, number>();
  for (const { fits } of wishes) {
    for (const receipt of fits) wantedBy.set(receipt, (wantedBy.get(receipt) ?? 0) + 1);
  }
  for (const { line, fits } of wishes) {
    const [only] = fits;
    if (only === undefined || fits.length > 1 || (wantedBy.get(only) ?? 0) > 1) continue;
    const { feeCents = 0, amountCents } = line.given;
    settle(bench, {
      rule: 'P1-less-fee',
      status: 'matched',
      lines: [line],
      receipts: [only],
      feeCents,
      text: `The reference fits, and the bank says that it kept ${feeCents} cents: ${amountCents} came of ${only.given.amountCents}.`,
    });
  }
}

function isGrossOf(bench: Workbench, line: Line, receipt: Receipt): boolean {
  return (
    receipt.state === 'open' &&
    mentions(line, receipt) &&
    isSameKindOfMoney(line, receipt) &&
    receipt.given.amountCents === line.given.amountCents + (line.given.feeCents ?? 0) &&
    isInWindow(line, receipt, bench.policy.withReference)
  );
}

/** Open receipts by the cluster of their reference. */
export function openReceipts(bench: Workbench): (line: Line) => readonly Receipt[] {
  const clusterOf = referenceClusters(bench);
  const lists = new Map<number, Receipt[]>();
  for (const receipt of bench.receipts) {
    if (receipt.reference < 0 || receipt.state !== 'open') continue;
    const key = clusterOf(receipt.reference);
    const list = lists.get(key);
    if (list === undefined) lists.set(key, [receipt]);
    else list.push(receipt);
  }
  return ({ references: [first] }) =>
    first === undefined ? [] : (lists.get(clusterOf(first)) ?? []);
}
