/** P1 once more: the reference is the expected payment's, and the bank says what it kept of the amount. */
import { referenceClusters } from './by-reference.ts';
import {
  isInWindow,
  isSameKindOfMoney,
  type Line,
  mentions,
  type Expected,
  resolve,
  type Workbench,
} from './workbench.ts';

/** Only where gross, fee and net agree to the cent, one expected payment fits the line, and no other line that expected payment. */
export function matchLessFee(bench: Workbench): void {
  const lines = bench.lines.filter(
    ({ isOpen, references, given }) =>
      isOpen && references.length > 0 && (given.feeCents ?? 0) > 0 && given.direction === 'credit',
  );
  // Most feeds name no fee at all.
  if (lines.length === 0) return;
  const expectedPaymentsOf = openExpectedPayments(bench);
  const wishes = lines.map((line) => ({
    line,
    fits: expectedPaymentsOf(line).filter((expectedPayment) =>
      isGrossOf(bench, line, expectedPayment),
    ),
  }));
  const wantedBy = new Map<Expected, number>();
  for (const { fits } of wishes) {
    for (const expectedPayment of fits)
      wantedBy.set(expectedPayment, (wantedBy.get(expectedPayment) ?? 0) + 1);
  }
  for (const { line, fits } of wishes) {
    const [only] = fits;
    if (only === undefined || fits.length > 1 || (wantedBy.get(only) ?? 0) > 1) continue;
    const { feeCents = 0, amountCents } = line.given;
    resolve(bench, {
      rule: 'P1-less-fee',
      status: 'matched',
      lines: [line],
      expectedPayments: [only],
      feeCents,
      text: `The reference fits, and the bank shows a fee of ${feeCents} cents: ${amountCents} received of ${only.given.amountCents}.`,
    });
  }
}

function isGrossOf(bench: Workbench, line: Line, expectedPayment: Expected): boolean {
  return (
    expectedPayment.state === 'open' &&
    mentions(line, expectedPayment) &&
    isSameKindOfMoney(line, expectedPayment) &&
    expectedPayment.given.amountCents === line.given.amountCents + (line.given.feeCents ?? 0) &&
    isInWindow(line, expectedPayment, bench.policy.withReference)
  );
}

/** Open expected payments by the cluster of their reference. */
export function openExpectedPayments(bench: Workbench): (line: Line) => readonly Expected[] {
  const clusterOf = referenceClusters(bench);
  const lists = new Map<number, Expected[]>();
  for (const expectedPayment of bench.expectedPayments) {
    if (expectedPayment.reference < 0 || expectedPayment.state !== 'open') continue;
    const key = clusterOf(expectedPayment.reference);
    const list = lists.get(key);
    if (list === undefined) lists.set(key, [expectedPayment]);
    else list.push(expectedPayment);
  }
  return ({ references: [first] }) =>
    first === undefined ? [] : (lists.get(clusterOf(first)) ?? []);
}
