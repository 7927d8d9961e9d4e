/** A bank line as it is sealed: a list, because names of fields would be most of the bytes. */
import type { Day } from '../../calendar/index.ts';
import type { JsonValue } from '../../core/index.ts';
import type { BankLine, Direction } from '../../packs/grants/index.ts';

export type SealedLine = readonly [
  account: string,
  nativeId: string | null,
  bookingDate: number,
  valueDate: number | null,
  cents: number,
  currency: string,
  direction: Direction,
  status: BankLine['status'],
  isReversal: boolean,
  trace: string | null,
  references: readonly string[],
  counterparty: string | null,
  description: string | null,
  place: number,
];

export function sealedLine(line: BankLine): SealedLine {
  return [
    line.account,
    line.nativeId ?? null,
    line.bookingDate,
    line.valueDate ?? null,
    line.amountCents,
    line.currency,
    line.direction,
    line.status,
    line.isReversal,
    line.trace ?? null,
    line.references,
    line.counterparty ?? null,
    line.description ?? null,
    line.source.line,
  ];
}

/** Names come again and again; one copy of each is kept. */
export class SharedTexts {
  readonly #texts = new Map<string, string>();

  of(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size < SHARED_MAX) this.#texts.set(text, text);
    return text;
  }
}

/** More names than a nonprofit has payers; what comes after them is simply not shared. */
const SHARED_MAX = 20_000;

export function openedLine(
  feed: string,
  ordinal: number,
  value: JsonValue,
  shared: SharedTexts,
): BankLine {
  // Written by `sealedLine`; the seal has proved that it is unchanged.
  const sealed = value as unknown as SealedLine;
  return {
    id: lineId(feed, ordinal),
    account: shared.of(sealed[0]),
    nativeId: sealed[1] ?? undefined,
    // Days were days when they were written.
    bookingDate: sealed[2] as Day,
    valueDate: (sealed[3] ?? undefined) as Day | undefined,
    amountCents: sealed[4],
    currency: sealed[5],
    direction: sealed[6],
    status: sealed[7],
    isReversal: sealed[8],
    trace: sealed[9] ?? undefined,
    references: sealed[10],
    counterparty: sealed[11] === null ? undefined : shared.of(sealed[11]),
    description: sealed[12] ?? undefined,
    source: { feed, line: sealed[13] },
  };
}

export function lineId(feed: string, ordinal: number): string {
  return `${feed}#${ordinal}`;
}

export function lineOfId(id: string): { readonly feed: string; readonly ordinal: number } {
  const at = id.lastIndexOf('#');
  return { feed: id.slice(0, at), ordinal: Number(id.slice(at + 1)) };
}
