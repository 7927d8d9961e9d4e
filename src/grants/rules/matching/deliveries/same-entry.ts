/**
 * Which line of a statement that stands is the same entry as one of a statement that was withdrawn. Stricter than folding:
 * of two statements that stand the balances say that they tell the same, but the withdrawn one was wrong about something,
 * and what it was wrong about may be just this line.
 */
import type { BankLine } from '../bank-line.ts';
import { compare, moneyKey } from '../workbench.ts';
import { grouped } from './grouped.ts';
import { ownNumber, wordsOf } from './same-text.ts';

/** Equal where account, day, money and all that is said agree; in whatever order a format says it. */
export function entryKey(line: BankLine): string {
  const words = [...new Set(wordsOf(line).split(' '))].sort(compare);
  return JSON.stringify([line.account, line.bookingDate, moneyKey(line), line.isReversal, words]);
}

/**
 * Lines of one key, of one statement each: by the bank's number, and otherwise only where both have as many, because of
 * lines that look alike nobody can tell which of them is gone. Gives the ids that stand by those that were withdrawn.
 */
export function sameEntries(
  withdrawn: readonly BankLine[],
  standing: readonly BankLine[],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const standingOf = grouped(standing, numberOf);
  const [restBefore, restNow] = [[...withdrawn], new Set(standing)];
  for (const [number, lines] of grouped(withdrawn, numberOf)) {
    const now = standingOf.get(number) ?? [];
    if (number === '' || lines.length !== now.length) continue;
    for (const [at, line] of lines.entries()) {
      const same = now[at];
      if (same === undefined) continue;
      found.set(line.id, same.id);
      restBefore.splice(restBefore.indexOf(line), 1);
      restNow.delete(same);
    }
  }
  // Without numbers on one side at least, none contradicts.
  const isUnnumbered = [restBefore, [...restNow]].some((lines) =>
    lines.every((line) => ownNumber(line) === undefined),
  );
  if (isUnnumbered && restBefore.length === restNow.size) {
    for (const [at, same] of [...restNow].entries()) {
      const line = restBefore[at];
      if (line !== undefined) found.set(line.id, same.id);
    }
  }
  return found;
}

function numberOf(line: BankLine): string {
  return ownNumber(line) ?? '';
}
