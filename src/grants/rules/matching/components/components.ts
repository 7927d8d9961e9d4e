/**
 * Entries that can matter to each other, however many steps apart. What is in two different components cannot: matching
 * them apart gives what matching them together would.
 */
import type { OpenEntries } from '../entries/open-entries.ts';
import { textHash } from '../entries/text-hash.ts';
import { eachJoinedMention } from '../references.ts';
import type { Keyed } from './couplings.ts';
import { DisjointSets } from './disjoint-sets.ts';
import { KeyTable } from './key-table.ts';

/** Receipts by their place, then lines: line 0 is the entry after the last expected payment. */
export function componentsOf(entries: OpenEntries): DisjointSets {
  const { couplings } = entries;
  const firstLine = couplings.expectedPayments.length;
  const sets = new DisjointSets(firstLine + couplings.lines.length);

  const deliveries = new KeyTable(couplings.deliveries.length);
  couplings.deliveries.each((key, line) => {
    const other = deliveries.get(key);
    if (other === undefined) deliveries.set(key, firstLine + line);
    else sets.join(other, firstLine + line);
  });

  const returns = new KeyTable(couplings.returns.length);
  couplings.returns.each((key) => returns.ask(key));
  joinHolders(sets, returns, couplings.payments, firstLine);
  couplings.returns.each((key, line) => joinWith(sets, returns.get(key), firstLine + line));

  const isKnown = joinByReference(entries, sets, firstLine);

  const owed = new KeyTable(couplings.sought.length + couplings.listed.length);
  couplings.sought.each((key, line) => {
    if (isKnown[line] !== 1) owed.ask(key);
  });
  couplings.listed.each((key) => owed.ask(key));
  joinHolders(sets, owed, couplings.owed, 0);
  couplings.sought.each((key, line) => {
    if (isKnown[line] !== 1) joinWith(sets, owed.get(key), firstLine + line);
  });
  couplings.listed.each((key, line) => joinWith(sets, owed.get(key), firstLine + line));
  return sets;
}

/** Those who have a key are joined only where somebody asks for it: otherwise nothing would ever look them up together. */
function joinHolders(sets: DisjointSets, asked: KeyTable, holders: Keyed, first: number): void {
  holders.each((key, holder) => {
    if (!asked.isAsked(key)) return;
    const other = asked.get(key);
    if (other === undefined) asked.set(key, first + holder);
    else sets.join(other, first + holder);
  });
}

function joinWith(sets: DisjointSets, other: number | undefined, entry: number): void {
  if (other !== undefined) sets.join(other, entry);
}

/**
 * 1 for each line that certainly mentions a known reference: only such a line is never looked up by its amount. Here two
 * texts with one hash would part what belongs together, so the texts themselves are compared.
 */
function joinByReference(entries: OpenEntries, sets: DisjointSets, firstLine: number): Uint8Array {
  const { couplings } = entries;
  const { references, mentions } = couplings;
  // By hash the place of the first expected payment's reference among all of them.
  const known = new KeyTable(references.length);
  references.each((key, expectedPayment, at) => {
    const other = known.get(key);
    if (other === undefined) known.set(key, at);
    else sets.join(references.entryAt(other), expectedPayment);
  });
  const isKnown = new Uint8Array(couplings.lines.length);
  mentions.each((key, line, at) => {
    const reference = known.get(key);
    if (reference === undefined) return;
    sets.join(references.entryAt(reference), firstLine + line);
    if (isKnown[line] === 1) return;
    if (references.isSame(reference, mentions, at)) isKnown[line] = 1;
  });
  // Words are put together only for lines that name nothing by themselves, and for batches, of which each payment counts
  // for itself; they are few, and looked at once more.
  const isBatch = new Set(couplings.batches);
  const look = (line: number) => (spelling: string) => {
    const reference = known.get(textHash(spelling));
    if (reference !== undefined) sets.join(references.entryAt(reference), firstLine + line);
  };
  for (let line = 0; references.length > 0 && line < isKnown.length; line += 1) {
    if (isKnown[line] === 1 && !isBatch.has(line)) continue;
    const given = entries.lineAt(line);
    if (given.status === 'booked') eachJoinedMention(given, look(line));
  }
  return isKnown;
}
