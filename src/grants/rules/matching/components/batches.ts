/** Components packed into batches: what is matched at once, and so held as objects at once, has a bound. */
import { type BankLine, type ExpectedPayment, refuseRepeatedId } from '../bank-line.ts';
import type { OpenEntries } from '../entries/open-entries.ts';
import { compare } from '../workbench.ts';
import { componentsOf } from './components.ts';
import type { Side } from './couplings.ts';

export interface Batch {
  readonly lines: readonly BankLine[];
  readonly expectedPayments: readonly ExpectedPayment[];
}

/**
 * Whole components, the earliest first, up to `entriesMax` entries; a larger component is a batch of its own. Their order
 * is that of dates and ids, so that it does not depend on the order in which entries came.
 */
export function* batchesOf(entries: OpenEntries, entriesMax: number): Generator<Batch> {
  checkIds(entries);
  const { members, ends } = sortedComponents(entries);
  let begin = 0;
  for (let at = 0; at < ends.length; at += 1) {
    const next = ends[at + 1];
    if (next !== undefined && next - begin <= entriesMax) continue;
    const end = ends[at] ?? begin;
    yield batchOf(entries, members.subarray(begin, end));
    begin = end;
  }
}

function batchOf(entries: OpenEntries, members: Int32Array): Batch {
  const firstLine = entries.couplings.expectedPayments.length;
  const lines: BankLine[] = [];
  const expectedPayments: ExpectedPayment[] = [];
  for (const member of members) {
    if (member < firstLine) expectedPayments.push(entries.expectedPaymentAt(member));
    else lines.push(entries.lineAt(member - firstLine));
  }
  return { lines, expectedPayments };
}

/** All entries, component after component, and where each component ends. */
function sortedComponents(entries: OpenEntries): {
  readonly members: Int32Array;
  readonly ends: Int32Array;
} {
  const sets = componentsOf(entries);
  const isBefore = orderOf(entries);
  // For each root the entry that comes first in its component, and how many there are.
  const firstOf = new Int32Array(sets.size).fill(-1);
  const sizeOf = new Int32Array(sets.size);
  let count = 0;
  for (let entry = 0; entry < sets.size; entry += 1) {
    const root = sets.rootOf(entry);
    const first = firstOf[root] ?? -1;
    if (first < 0) count += 1;
    if (first < 0 || isBefore(entry, first) < 0) firstOf[root] = entry;
    sizeOf[root] = (sizeOf[root] ?? 0) + 1;
  }
  const firsts = firstOf.filter((first) => first >= 0).sort(isBefore);
  const ends = new Int32Array(count);
  // For each root the place of its next member.
  const nextOf = new Int32Array(sets.size);
  let end = 0;
  for (const [at, first] of firsts.entries()) {
    const root = sets.rootOf(first);
    nextOf[root] = end;
    end += sizeOf[root] ?? 0;
    ends[at] = end;
  }
  const members = new Int32Array(sets.size);
  for (let entry = 0; entry < sets.size; entry += 1) {
    const root = sets.rootOf(entry);
    const place = nextOf[root] ?? 0;
    members[place] = entry;
    nextOf[root] = place + 1;
  }
  return { members, ends };
}

/** By date, then by the hash of the id, and where even those are equal by the id itself. */
function orderOf(entries: OpenEntries): (one: number, other: number) => number {
  const { lines, expectedPayments } = entries.couplings;
  const firstLine = expectedPayments.length;
  const isLine = (entry: number): boolean => entry >= firstLine;
  const dayOf = (entry: number): number =>
    isLine(entry) ? lines.days.at(entry - firstLine) : expectedPayments.days.at(entry);
  const hashOf = (entry: number): number =>
    isLine(entry) ? lines.ids.at(entry - firstLine) : expectedPayments.ids.at(entry);
  const idOf = (entry: number): string =>
    isLine(entry) ? entries.lineAt(entry - firstLine).id : entries.expectedPaymentAt(entry).id;
  return (one, other) =>
    dayOf(one) - dayOf(other) ||
    hashOf(one) - hashOf(other) ||
    Number(isLine(one)) - Number(isLine(other)) ||
    (one === other ? 0 : compare(idOf(one), idOf(other)));
}

function checkIds(entries: OpenEntries): void {
  const { lines, expectedPayments } = entries.couplings;
  checkSide('bank line', lines, (place) => entries.lineAt(place).id);
  checkSide('expected payment', expectedPayments, (place) => entries.expectedPaymentAt(place).id);
}

/** Equal ids have equal hashes, so only entries with equal hashes are made into objects to look at their ids. */
function checkSide(what: string, side: Side, idAt: (place: number) => string): void {
  const hashes = side.ids.sorted();
  const suspects = new Set(hashes.filter((hash, at) => at > 0 && hash === hashes[at - 1]));
  if (suspects.size === 0) return;
  const seen = new Set<string>();
  for (let place = 0; place < side.length; place += 1) {
    if (!suspects.has(side.ids.at(place))) continue;
    const id = idAt(place);
    if (seen.has(id)) refuseRepeatedId(what, id);
    seen.add(id);
  }
}
