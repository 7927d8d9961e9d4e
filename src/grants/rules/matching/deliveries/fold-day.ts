/**
 * The lines of one account and one day, told by several statements, folded into entries. A statement never tells an entry
 * twice, so two of its lines are two entries, whatever they look like. What another statement tells of the same day is the
 * same entries again, unless its balances go on from the first: of each kind of money there are as many entries as the
 * longest telling has.
 */
import { type BankLine, signedCents } from '../bank-line.ts';
import { compare, moneyKey } from '../workbench.ts';
import { grouped } from './grouped.ts';
import { ownNumber, wordsOf } from './same-text.ts';
import { type Delivery, Relations, type Told } from './relations.ts';
import type { Telling, Tellings } from './tellings.ts';

interface FoldedEntry {
  /** The first is the one that counts. */
  readonly deliveries: readonly Delivery[];
  /** Those of the same entry beyond doubt: what they say may be put together. */
  readonly sure: readonly BankLine[];
}

interface OpenEntry {
  readonly deliveries: Delivery[];
  readonly sure: BankLine[];
  readonly by: Told[];
}

export function foldDay(deliveries: readonly Delivery[], tellings: Tellings): FoldedEntry[] {
  const told = inOrder(byTelling(deliveries, tellings));
  const relation = new Relations(tellings, told);
  const entries = new Map<string, OpenEntry[]>();
  for (const one of told) {
    const byMoney = grouped(one.deliveries, ({ line }) => moneyKey(line));
    for (const [money, lines] of byMoney) {
      const known = entries.get(money) ?? [];
      entries.set(money, known);
      pairLines(one, lines, known, relation);
    }
  }
  return [...entries.values()].flat();
}

/** Each line of the statement with an entry of its own, the surest first; what finds none is another entry. */
function pairLines(
  one: Told,
  lines: readonly Delivery[],
  known: OpenEntry[],
  relation: Relations,
): void {
  const free = new FreeEntries(
    known.filter((entry) => !entry.by.some((other) => relation.goOn(one, other))),
  );
  const left = new Set(lines);
  const isAlone = lines.length === 1 && known.length === 1;
  for (const { keysOf, isSame, isSure } of LEVELS) {
    for (const delivery of left) {
      const entry = free.take(keysOf(delivery.line), (candidate) =>
        candidate.deliveries.some((other, at) =>
          isSame(delivery.line, other.line, () => relation.retells(one, candidate.by[at])),
        ),
      );
      if (entry === undefined) continue;
      entry.deliveries.push(delivery);
      entry.by.push(one);
      if (isSure || isAlone) entry.sure.push(delivery.line);
      left.delete(delivery);
    }
  }
  for (const delivery of left) {
    known.push({ deliveries: [delivery], sure: [delivery.line], by: [one] });
  }
}

/** Entries by what they say, each given away once. Thousands of equal gifts on one day must not be looked at in pairs. */
class FreeEntries {
  readonly #lists = new Map<string, { readonly entries: OpenEntry[]; next: number }>();
  readonly #taken = new Set<OpenEntry>();

  constructor(entries: readonly OpenEntry[]) {
    for (const entry of entries) {
      const keys = entry.deliveries.flatMap(({ line }) => [
        ANY,
        wordsKey(line),
        ...numberKeys(line),
      ]);
      for (const key of new Set(keys)) {
        const list = this.#lists.get(key);
        if (list === undefined) this.#lists.set(key, { entries: [entry], next: 0 });
        else list.entries.push(entry);
      }
    }
  }

  take(keys: readonly string[], fits: (entry: OpenEntry) => boolean): OpenEntry | undefined {
    for (const key of keys) {
      const list = this.#lists.get(key);
      if (list === undefined) continue;
      for (let at = list.next; at < list.entries.length; at += 1) {
        const entry = list.entries[at];
        if (entry === undefined) break;
        if (this.#taken.has(entry)) {
          if (at === list.next) list.next += 1;
        } else if (fits(entry)) {
          this.#taken.add(entry);
          return entry;
        }
      }
    }
    return undefined;
  }
}

const ANY = 'any';

function wordsKey(line: BankLine): string {
  return `words ${wordsOf(line)}`;
}

function numberKeys(line: BankLine): readonly string[] {
  const number = ownNumber(line);
  return [
    ...(number === undefined ? [] : [`number ${number}`]),
    ...(line.trace === undefined ? [] : [`trace ${line.trace}`]),
  ];
}

interface Level {
  /** Under which entries are looked for. */
  readonly keysOf: (line: BankLine) => readonly string[];
  readonly isSame: (one: BankLine, other: BankLine, retells: () => boolean) => boolean;
  readonly isSure: boolean;
}

// Words before numbers: within one format they are the same each time, while some banks begin to count anew with each file.
const LEVELS: readonly Level[] = [
  {
    keysOf: numberKeys,
    isSame: (one, other) => sameNumber(one, other) && sameWords(one, other),
    isSure: true,
  },
  {
    keysOf: (line) => [wordsKey(line)],
    isSame: (one, other, retells) =>
      sameWords(one, other) && (!hasOtherNumber(one, other) || retells()),
    isSure: true,
  },
  {
    keysOf: numberKeys,
    isSame: (one, other, retells) => sameNumber(one, other) && retells(),
    isSure: true,
  },
  { keysOf: () => [ANY], isSame: (_one, _other, retells) => retells(), isSure: false },
];

function sameNumber(one: BankLine, other: BankLine): boolean {
  const number = ownNumber(one);
  if (number !== undefined && number === ownNumber(other)) return true;
  return one.trace !== undefined && one.trace === other.trace;
}

function hasOtherNumber(one: BankLine, other: BankLine): boolean {
  const [number, second] = [ownNumber(one), ownNumber(other)];
  return number !== undefined && second !== undefined && number !== second;
}

function sameWords(one: BankLine, other: BankLine): boolean {
  const words = wordsOf(one);
  return words !== '' && words === wordsOf(other);
}

function byTelling(deliveries: readonly Delivery[], tellings: Tellings): Told[] {
  const groups = grouped(deliveries, ({ line }) => tellings.of(line).key);
  return Array.from(groups.values(), (group): Told => {
    const [first] = group;
    if (first === undefined) throw new TypeError('expected a group of lines');
    const sorted = group
      .map((delivery) => ({ delivery, content: contentOf(delivery.line) }))
      .sort((one, other) => compare(one.content, other.content));
    return {
      telling: tellings.of(first.line),
      deliveries: sorted.map(({ delivery }) => delivery),
      netCents: group.reduce((sum, { line }) => sum + signedCents(line), 0),
      isClosed: group.some(({ isClosed }) => isClosed),
      content: sorted.map(({ content }) => content).join('\n'),
    };
  });
}

/** By what they say; the same lines in the same feed are told apart by their place in it. */
function contentOf(line: BankLine): string {
  const { amountCents, currency, direction, nativeId, trace, valueDate, source } = line;
  const place = String(source.line).padStart(9, '0');
  const words = wordsOf(line);
  return JSON.stringify([
    amountCents,
    currency,
    direction,
    words,
    nativeId,
    trace,
    valueDate,
    place,
  ]);
}

function inOrder(told: readonly Told[]): readonly Told[] {
  return told.toSorted(
    (one, other) =>
      Number(other.isClosed) - Number(one.isClosed) ||
      compareCovers(one.telling, other.telling) ||
      compare(one.content, other.content) ||
      compare(one.telling.key, other.telling.key),
  );
}

function compareCovers({ cover: one }: Telling, { cover: other }: Telling): number {
  if (one === undefined || other === undefined) {
    return Number(one === undefined) - Number(other === undefined);
  }
  const nothing = Number.NEGATIVE_INFINITY;
  return (
    one.from - other.from ||
    one.to - other.to ||
    compare(one.format ?? '', other.format ?? '') ||
    numbers(one.number ?? nothing, other.number ?? nothing) ||
    numbers(one.page ?? nothing, other.page ?? nothing) ||
    numbers(one.openingCents ?? nothing, other.openingCents ?? nothing)
  );
}

function numbers(one: number, other: number): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
