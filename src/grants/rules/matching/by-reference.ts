/** P1: the line names the expected payment's reference, and amount, currency, direction agree. */
import { type Candidates, OpenExpectedPayments } from './open-expected-payments.ts';
import type { DateWindow } from './policy.ts';
import {
  isInWindow,
  isSameMoney,
  type Line,
  mentions,
  moneyKey,
  type Expected,
  resolve,
  type Workbench,
} from './workbench.ts';

/** Candidates that are named to a person; more would not help to decide. */
export const NAMED_MAX = 20;

interface Group {
  readonly lines: Line[];
  readonly expectedPayments: Expected[];
}

export function matchByReference(bench: Workbench): void {
  for (const group of groupsOf(bench)) {
    if (group.lines.length > 0) matchGroup(bench, group);
  }
}

/**
 * Lines and expected payments that can meet at all: a reference in common and the same money. Sorted and walked side by side,
 * because a table with an entry for each reference would be larger than everything that is matched.
 */
function* groupsOf(bench: Workbench): Iterable<Group> {
  const clusterOf = referenceClusters(bench);
  const keyOf = (entry: Line | Expected): number =>
    clusterOf('reference' in entry ? entry.reference : (entry.references[0] ?? -1));
  const byKey = <Entry extends Line | Expected>(entries: Entry[]): Entry[] =>
    entries.sort((one, other) => keyOf(one) - keyOf(other) || one.at - other.at);
  const expectedPayments = byKey(bench.expectedPayments.filter(({ reference }) => reference >= 0));
  const lines = byKey(bench.lines.filter((line) => line.isOpen && line.references.length > 0));
  let from = 0;
  for (let at = 0; at < lines.length; ) {
    const first = lines[at];
    if (first === undefined) return;
    const key = keyOf(first);
    const start = at;
    while (at < lines.length && keyOf(lines[at] ?? first) === key) at += 1;
    while (from < expectedPayments.length && keyOf(expectedPayments[from] ?? first) < key)
      from += 1;
    const begin = from;
    while (from < expectedPayments.length && keyOf(expectedPayments[from] ?? first) === key)
      from += 1;
    yield* byMoney(lines.slice(start, at), expectedPayments.slice(begin, from));
  }
}

function byMoney(lines: readonly Line[], expectedPayments: readonly Expected[]): Iterable<Group> {
  const [only] = expectedPayments;
  // Nearly all references have one expected payment; a table for each would cost more than the match.
  if (only !== undefined && expectedPayments.length === 1) {
    const same = lines.filter((line) => isSameMoney(line, only));
    return [{ lines: same, expectedPayments: [only] }];
  }
  const groups = new Map<string, Group>();
  for (const expectedPayment of expectedPayments) {
    const key = moneyKey(expectedPayment.given);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { lines: [], expectedPayments: [expectedPayment] });
    else group.expectedPayments.push(expectedPayment);
  }
  for (const line of lines) groups.get(moneyKey(line.given))?.lines.push(line);
  return groups.values();
}

/** References that one line names together belong together: that deposit may be for any of them. */
export function referenceClusters(bench: Workbench): (reference: number) => number {
  const parent = new Map<number, number>();
  const rootOf = (reference: number): number => {
    let root = reference;
    for (let up = parent.get(root); up !== undefined; up = parent.get(root)) root = up;
    if (root !== reference) parent.set(reference, root);
    return root;
  };
  for (const { references, isOpen } of bench.lines) {
    const [first, ...others] = references;
    if (!isOpen || first === undefined) continue;
    for (const other of others) {
      const one = rootOf(first);
      const two = rootOf(other);
      if (one !== two) parent.set(Math.max(one, two), Math.min(one, two));
    }
  }
  return rootOf;
}

/**
 * In rounds: a line with one candidate left takes it, which may leave one to another line. Of two lines with the same
 * only candidate the earlier takes it; the later is a suspected double payment. What never comes down to one is for a
 * person.
 */
function matchGroup(bench: Workbench, { lines, expectedPayments }: Group): void {
  const [sole] = expectedPayments;
  if (sole !== undefined && expectedPayments.length === 1) {
    // What the rounds below come to: the earliest line has it, and no other has a candidate left.
    const first = lines.find((line) => canTake(line, sole, bench.policy.withReference));
    if (first !== undefined) matchExactly(bench, first, sole);
    else matchFarAway(bench, lines, sole);
    return;
  }
  const window = bench.policy.withReference;
  const open = new OpenExpectedPayments(expectedPayments);
  const candidates = (line: Line, limit: number): Candidates =>
    open.inWindow(line, window, limit, (expectedPayment) => mentions(line, expectedPayment));
  let asked: readonly Line[] = lines;
  while (asked.length > 0) {
    const takers = new Map<Expected, Line>();
    for (const line of asked) {
      if (!line.isOpen) continue;
      const { found, isComplete } = candidates(line, 2);
      const [only] = found;
      if (only === undefined || !isComplete || found.length > 1 || takers.has(only)) continue;
      takers.set(only, line);
    }
    for (const [expectedPayment, line] of takers) {
      open.remove(expectedPayment);
      matchExactly(bench, line, expectedPayment);
    }
    // Only lines near a expected payment that has gone can have come down to one candidate.
    const gone = new Set([...takers.keys()].map(({ day }) => day));
    asked = gone.size === 0 ? [] : lines.filter((line) => isNear(line, gone, window));
  }
  for (const line of lines) {
    if (!line.isOpen) continue;
    const { found, isComplete } = candidates(line, NAMED_MAX);
    if (found.length === 0) continue;
    const count = isComplete ? found.length : `${found.length} or more`;
    const text = `The same reference and amount fit ${count} expected payments; nothing shows which one.`;
    resolve(bench, {
      rule: 'P1-ambiguous',
      status: 'manual',
      lines: [line],
      expectedPayments: found,
      text,
    });
  }
}

/** One payment and one expected payment under a reference, of one amount: however far apart, they are meant for each other. */
function matchFarAway(bench: Workbench, lines: readonly Line[], expectedPayment: Expected): void {
  const [only, other] = lines.filter((line) => line.isOpen && mentions(line, expectedPayment));
  if (only === undefined || other !== undefined) return;
  if (!canTake(only, expectedPayment, bench.policy.sameReferenceAndAmount)) return;
  resolve(bench, {
    rule: 'P1-reference-exact',
    status: 'matched',
    lines: [only],
    expectedPayments: [expectedPayment],
    text: `Reference, amount, currency and direction agree, ${only.day - expectedPayment.day} business days from the expected date; nothing else has this reference and amount.`,
  });
}

function canTake(line: Line, expectedPayment: Expected, window: DateWindow): boolean {
  return mentions(line, expectedPayment) && isInWindow(line, expectedPayment, window);
}

function matchExactly(bench: Workbench, line: Line, expectedPayment: Expected): void {
  resolve(bench, {
    rule: 'P1-reference-exact',
    status: 'matched',
    lines: [line],
    expectedPayments: [expectedPayment],
    text: 'Reference, amount, currency and direction agree, and no other open expected payment fits.',
  });
}

function isNear(line: Line, days: ReadonlySet<number>, window: DateWindow): boolean {
  if (!line.isOpen) return false;
  for (let distance = window.from; distance <= window.to; distance += 1) {
    if (days.has(line.day - distance)) return true;
  }
  return false;
}
