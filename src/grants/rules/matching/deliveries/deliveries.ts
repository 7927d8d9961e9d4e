/**
 * From deliveries to entries, before anything is matched or resolved. A line of a day that only one statement tells stands for
 * itself at once; the others are kept aside until all are there, and come out as entries, their repetitions, and hints.
 */
import type { Day } from '../../../../calendar/index.ts';
import type { JsonValue } from '../../../../core/index.ts';
import { type BankLine, isHint } from '../bank-line.ts';
import { compare } from '../workbench.ts';
import { foldDay } from './fold-day.ts';
import { HeldLines } from './held-lines.ts';
import { AnnouncedBatches, listedPayments } from './announced-batches.ts';
import { announcedBy, type HintedEntry, hintKey } from './hints.ts';
import type { Tellings } from './tellings.ts';

export type Folded =
  | {
      readonly kind: 'entry';
      /** The delivery that counts, with what the others say beside it. */
      readonly line: BankLine;
      /** Ids of all its deliveries, hints included. */
      readonly deliveries: readonly string[];
      /** Those of statements alone. */
      readonly told: readonly string[];
      readonly isClosed: boolean;
    }
  | { readonly kind: 'repetition'; readonly line: BankLine; readonly of: string }
  | { readonly kind: 'hint'; readonly line: BankLine; readonly of: string | undefined };

/** Days that more than one statement tells, by account. */
export type IsToldTwice = (account: string, day: Day) => boolean;

interface Entry extends HintedEntry {
  readonly ids: readonly string[];
  readonly isClosed: boolean;
}

export class Deliveries {
  readonly #tellings: Tellings;
  readonly #isToldTwice: IsToldTwice;
  readonly #hints = new HeldLines<null>();
  readonly #contested = new HeldLines<boolean>();
  readonly #hinted = new HeldLines<JsonValue>();
  /** Entries whose number a batch of another amount was announced under. */
  readonly #misannounced = new HeldLines<JsonValue>();
  readonly #batches = new AnnouncedBatches();

  constructor(tellings: Tellings, isToldTwice: IsToldTwice) {
    this.#tellings = tellings;
    this.#isToldTwice = isToldTwice;
  }

  /** All hints come before the first line that is none. */
  addHint(line: BankLine): void {
    this.#hints.add(hintKey(line), line, null);
    this.#batches.add(line);
  }

  /** False for a line that stands for itself. */
  keep(line: BankLine, isClosed: boolean): boolean {
    if (isHint(line)) throw new TypeError('a hint is not money');
    if (this.#isToldTwice(line.account, line.bookingDate)) {
      this.#contested.add(`${line.bookingDate} ${line.account}`, line, isClosed);
      return true;
    }
    const isHeld = this.#hints.has(hintKey(line)) || this.#batches.mayBe(line);
    if (isHeld) this.#hold({ line, deliveries: [line], ids: [line.id], isClosed });
    return isHeld;
  }

  /** In an order that does not depend on the one in which they came. */
  *folded(): Generator<Folded> {
    for (const key of this.#contested.keys().toSorted(compare)) {
      const deliveries = this.#contested
        .at(key)
        .map(({ line, more }) => ({ line, isClosed: more }));
      for (const { deliveries: told, sure } of foldDay(deliveries, this.#tellings)) {
        const [first, ...others] = told;
        if (first === undefined) continue;
        const entry: Entry = {
          line: withWords(first.line, sure),
          deliveries: told.map(({ line }) => line),
          ids: told.map(({ line }) => line.id),
          isClosed: first.isClosed,
        };
        for (const { line, isClosed } of others) {
          // What is closed has its outcome already.
          if (!isClosed) yield { kind: 'repetition', line, of: first.line.id };
        }
        const isHeld = this.#hints.has(hintKey(first.line)) || this.#batches.mayBe(entry.line);
        if (isHeld) this.#hold(entry);
        else yield folded(entry);
      }
    }
    yield* this.#withHints();
    for (const { line, more } of this.#misannounced.at('')) {
      const entry = heldEntry(line, more);
      yield folded({ ...entry, line: this.#batches.noted(line) });
    }
  }

  *#withHints(): Generator<Folded> {
    for (const key of this.#hints.keys().toSorted(compare)) {
      const hints = this.#hints.at(key).map(({ line }) => line);
      const entries = this.#hinted.at(key).map(({ line, more }) => heldEntry(line, more));
      const announced = announcedBy(hints, entries);
      const hintsOf = new Map<Entry, BankLine[]>(entries.map((entry) => [entry, []]));
      for (const [hint, entry] of announced) {
        hintsOf.get(entry)?.push(hint);
        this.#batches.found(hint);
      }
      for (const [entry, own] of hintsOf) {
        const line = withWords(entry.line, own);
        yield folded(
          { ...entry, line },
          own.map(({ id }) => id),
        );
      }
      for (const line of hints) yield { kind: 'hint', line, of: announced.get(line)?.line.id };
    }
  }

  #hold(entry: Entry): void {
    const { line, deliveries, ids, isClosed } = entry;
    // By number, trace and words; the rest of a delivery is not asked for again.
    const others = deliveries
      .filter((one) => one.id !== line.id)
      .map((one) => [
        one.nativeId ?? null,
        one.trace ?? null,
        one.counterparty ?? null,
        one.description ?? null,
        [...one.references],
      ]);
    const more = [[...ids], isClosed, others];
    if (this.#hints.has(hintKey(line))) this.#hinted.add(hintKey(line), line, more);
    else this.#misannounced.add('', line, more);
  }
}

type OtherWords = [string | null, string | null, string | null, string | null, string[]];

function heldEntry(line: BankLine, more: JsonValue): Entry {
  // Written by `#hold`.
  const [ids, isClosed, others] = more as [string[], boolean, OtherWords[]];
  const deliveries = others.map(
    ([nativeId, trace, counterparty, description, references]): BankLine => ({
      ...line,
      nativeId: nativeId ?? undefined,
      trace: trace ?? undefined,
      counterparty: counterparty ?? undefined,
      description: description ?? undefined,
      references,
    }),
  );
  return { line, deliveries: [line, ...deliveries], ids, isClosed };
}

function folded({ line, ids, isClosed }: Entry, hints: readonly string[] = []): Folded {
  return { kind: 'entry', line, deliveries: [...ids, ...hints], told: ids, isClosed };
}

/** What other deliveries of the entry say goes with it: references, free text, the payer's name, the trace, its payments. */
function withWords(line: BankLine, all: readonly BankLine[]): BankLine {
  const payments = listedPayments(line, all);
  // Of two lists one is wrong, and so are its references.
  const isDoubtful = payments?.unusedPayments !== undefined;
  const others = isDoubtful ? all.filter((one) => one.payments === undefined) : all;
  const references = joined(
    line.references,
    others.flatMap((one) => one.references),
  );
  const own = line.description === undefined ? [] : [line.description];
  const texts = joined(
    own,
    others.flatMap(({ description }) => description ?? []),
  );
  const counterparty = line.counterparty ?? firstOf(others.map((one) => one.counterparty));
  const trace = line.trace ?? firstOf(others.map((one) => one.trace));
  const isSame = references.length === line.references.length && texts.length === own.length;
  const isSameWho = counterparty === line.counterparty && trace === line.trace;
  if (isSame && isSameWho && payments === undefined) return line;
  return { ...line, references, description: texts.join(' '), counterparty, trace, ...payments };
}

function joined(own: readonly string[], others: readonly string[]): readonly string[] {
  const more = new Set(others.filter((one) => one !== '' && !own.includes(one)));
  return [...own, ...[...more].toSorted(compare)];
}

function firstOf(texts: readonly (string | undefined)[]): string | undefined {
  return texts.filter((one) => one !== undefined).toSorted(compare)[0];
}
