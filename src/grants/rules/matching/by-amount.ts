/** P4: no reference to go by, so amount, payer and date must point to one expected payment, and that expected payment to one line. */
import { NAMED_MAX } from './by-reference.ts';
import type { Candidates } from './open-expected-payments.ts';
import { isNamedIn, isSamePayer, keysOfBank, textOfNames } from './payer-names.ts';
import { payerKeysOf, ExpectedPaymentIndex } from './expected-payment-index.ts';
import { namesAnother } from './references.ts';
import {
  type Line,
  moneyKey,
  payerKey,
  type Expected,
  resolve,
  type Workbench,
} from './workbench.ts';

interface Wish extends Candidates {
  readonly line: Line;
}

export function matchByAmount(bench: Workbench): void {
  const byMoney = new ExpectedPaymentIndex(bench.expectedPayments, ({ given }) => [
    moneyKey(given),
  ]);
  const byPayer = new ExpectedPaymentIndex(bench.expectedPayments, payerKeysOf);
  const wishes: Wish[] = [];
  const wantedBy = new Map<Expected, number>();
  const crowded = new Set<string>();
  for (const line of bench.lines) {
    if (!line.isOpen || line.references.length > 0) continue;
    const { payer } = line;
    const money = moneyKey(line.given);
    // A named payer is looked up; a name in free text must be searched for among all expected payments of the amount.
    const index = payer === undefined ? byMoney : byPayer;
    const keys =
      payer === undefined
        ? [money]
        : keysOfBank(payer, line.isPayerCut).map((key) => payerKey(money, key));
    const fits = fitting(line);
    const candidates = together(
      keys.flatMap((key) => {
        const found = index.of(key)?.inWindow(line, bench.policy.noReference, NAMED_MAX, fits);
        // What a line looked up and had more candidates for than were counted: nothing of it is known to be unique.
        if (found?.isComplete === false) crowded.add(key);
        return found ?? [];
      }),
    );
    if (candidates.found.length === 0) continue;
    wishes.push({ line, ...candidates });
    for (const expectedPayment of candidates.found)
      wantedBy.set(expectedPayment, (wantedBy.get(expectedPayment) ?? 0) + 1);
  }
  for (const { line, found, isComplete } of wishes) {
    const [only] = found;
    const isUnique =
      only !== undefined &&
      found.length === 1 &&
      wantedBy.get(only) === 1 &&
      !crowded.has(moneyKey(only.given)) &&
      !payerKeysOf(only).some((key) => crowded.has(key));
    resolve(bench, {
      rule: isUnique ? 'P4-amount-date-unique' : 'P4-ambiguous',
      status: isUnique ? 'matched' : 'manual',
      lines: [line],
      expectedPayments: found,
      text: isUnique
        ? 'No reference; amount, payer and date fit one expected payment, and no other line fits it.'
        : doubtOf(found.length, isComplete),
    });
  }
}

/** Of a name with two spellings: what either finds, each once. */
function together(all: readonly Candidates[]): Candidates {
  const [first, second] = all;
  if (first === undefined) return { found: [], isComplete: true };
  if (second === undefined) return first;
  const found = new Set(all.flatMap((one) => one.found));
  return {
    found: [...found].sort((one, other) => one.at - other.at).slice(0, NAMED_MAX),
    isComplete: all.every((one) => one.isComplete) && found.size <= NAMED_MAX,
  };
}

function doubtOf(candidates: number, isComplete: boolean): string {
  if (candidates === 1) return 'No reference; another line fits the same expected payment.';
  const count = isComplete ? candidates : `${candidates} or more`;
  return `No reference; amount, payer and date fit ${count} expected payments.`;
}

/** Whether the payer is the one, and no reference of the line speaks against it. */
function fitting(line: Line): (expectedPayment: Expected) => boolean {
  const { payer, given, isPayerCut } = line;
  const texts = payer === undefined ? textOfNames(given.description ?? '') : [];
  return (expectedPayment) => {
    const { reference } = expectedPayment.given;
    if (reference !== undefined && namesAnother(given, reference)) return false;
    return payer === undefined
      ? isNamedIn(texts, expectedPayment.payer)
      : isSamePayer(payer, expectedPayment.payer, isPayerCut);
  };
}
