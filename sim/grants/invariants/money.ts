/** Every dollar that was paid is counted once, and nothing else is. */
import { createHash } from 'node:crypto';
import { type Book, isAccepted, type Promised } from '../book-of-seed.ts';
import type { Evidence, Violation } from '../evidence.ts';
import type { Row } from '../look.ts';

/** At every moment, not only at the end: no award in two places, none with more money than was paid for it. */
export function countedOnce({ book, looks, documentHashes }: Evidence): Violation[] {
  const found: Violation[] = [];
  for (const { after, look } of looks) {
    const { grant_award: awards, grant_received: received, grant_line: lines } = look.tables;
    const places = new Map(awards.map((row) => [String(row['key']), placeOf(row, documentHashes)]));
    const say = (text: string): void =>
      void found.push({ invariant: 'counted_once', text: `after ${after}: ${text}` });
    if (awards.length > acceptedOf(book).length) say(`${awards.length} awards`);
    const known = new Set([...documentHashes, ...correctionHashes(book)]);
    for (const { id } of look.tables.grant_document) {
      if (!known.has(String(id))) say(`a document that nobody wrote: ${String(id)}`);
    }
    const entries = book.months.flatMap((month) => [...month.entries, ...month.intraday]).length;
    if (lines.length > entries) say(`${lines.length} lines of the bank`);
    for (const [key, cents] of sums(received)) {
      const award = awardAt(book, places.get(key), awards, key);
      const paid = award?.received?.cents;
      if (paid !== cents) say(`${award?.number ?? key} received ${cents}, not ${paid}`);
    }
  }
  return found;
}

export function nothingLost({ book, looks }: Evidence): Violation[] {
  const tables = looks.at(-1)?.look.tables;
  const counts = {
    documents: book.documents.filter((lines) => lines.length > 0).length + book.corrections.size,
    awards: acceptedOf(book).length,
    exceptions: book.exceptions,
    lines: book.months.flatMap((month) => [...month.entries, ...month.intraday]).length,
    'periods handed on': book.months.length,
    'awards with money': book.promised.filter(({ received }) => received !== undefined).length,
  };
  // What could not be read at all is no record of a document.
  const unread = new Set((tables?.question ?? []).map((row) => row['exception']));
  const read = (tables?.grant_exception ?? []).filter(
    (row) => row['boundary'] === 'ingestion' && !unread.has(row['id']),
  );
  const stored = {
    documents: tables?.grant_document.length,
    awards: tables?.grant_award.length,
    exceptions: read.length,
    lines: tables?.grant_line.length,
    'periods handed on': tables?.grant_release.length,
    'awards with money': sums(tables?.grant_received ?? []).size,
  };
  const repeated = (tables?.grant_document ?? []).reduce(
    (sum, row) => sum + Number(row['repeated']),
    0,
  );
  return [
    ...Object.entries(counts).flatMap(([name, count]) => {
      const has = stored[name as keyof typeof counts];
      return has === count ? [] : [{ name, count, has }];
    }),
    ...(repeated === book.repeated
      ? []
      : [{ name: 'repetitions', count: book.repeated, has: repeated }]),
  ].map(({ name, count, has }) => ({
    invariant: 'nothing_lost',
    text: `${has} ${name}, but there are ${count}`,
  }));
}

/** Of each closed month, of the return, and down to the lines of the bank. */
export function totals({ book, looks, reported }: Evidence): Violation[] {
  const found: Violation[] = [];
  const say = (text: string): void => void found.push({ invariant: 'totals', text });
  const periods = looks.at(-1)?.look.tables.grant_period ?? [];
  for (const { from, to } of book.months) {
    const truth = sumOf(book.promised.filter(({ received }) => isWithin(received?.on, from, to)));
    const row = periods.find((period) => period['to_day'] === to);
    // Written from PeriodTotals.
    const frozen = row?.['totals'] as { matchedCents: Record<string, string> } | undefined;
    const has = Number(frozen?.matchedCents['USD'] ?? 0);
    if (has !== truth) say(`${to}: ${has} cents are matched, but ${truth} were paid`);
  }
  const paid = BigInt(sumOf(book.promised));
  if (reported?.total !== paid) say(`${reported?.total} cents are reported, ${paid} were paid`);
  if (reported?.traced !== paid) say(`the trace names lines of ${reported?.traced} cents`);
  return found;
}

/** What each award has received, in however many bookings. */
function sums(received: readonly Row[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const row of received) {
    const key = String(row['award']);
    found.set(key, (found.get(key) ?? 0) + Number(row['cents']));
  }
  return found;
}

function correctionHashes({ corrections }: Book): readonly string[] {
  return [...corrections.values()].map((line) => createHash('sha256').update(line).digest('hex'));
}

function isWithin(day: string | undefined, from: string, to: string): boolean {
  return day !== undefined && day >= from && day <= to;
}

function sumOf(awards: readonly Promised[]): number {
  return awards.reduce((sum, { received }) => sum + (received?.cents ?? 0), 0);
}

function acceptedOf({ promised }: Book): readonly Promised[] {
  return promised.filter(({ fate }) => isAccepted(fate) || fate === 'corrected');
}

function placeOf(row: Row, documentHashes: readonly string[]): string {
  return `${documentHashes.indexOf(String(row['document']))}/${Number(row['ordinal'])}`;
}

/** By its place in a document; one that a correction brought in is known by its amount, which no other has. */
function awardAt(
  book: Book,
  place: string | undefined,
  awards: readonly Row[],
  key: string,
): Promised | undefined {
  const row = awards.find((one) => one['key'] === key);
  return book.promised.find((award) =>
    award.fate === 'corrected'
      ? row?.['replaces'] !== null && Number(row?.['cents']) === award.cents
      : `${award.document}/${award.ordinal}` === place,
  );
}
