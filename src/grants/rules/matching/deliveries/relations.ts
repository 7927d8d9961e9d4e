/** How two statements that tell of one day stand to each other: one goes on from the other, or tells the same again. */
import type { Day } from '../../../../calendar/index.ts';
import type { BankLine } from '../bank-line.ts';
import { moneyKey } from '../workbench.ts';
import { wordsOf } from './same-text.ts';
import { areNumberedApart, arePages, type Telling, type Tellings } from './tellings.ts';

export interface Delivery {
  readonly line: BankLine;
  /** A closed period has it: whatever it is, it stays. */
  readonly isClosed: boolean;
}

/** What one statement tells of the day. */
export interface Told {
  readonly telling: Telling;
  readonly deliveries: readonly Delivery[];
  readonly netCents: number;
  readonly isClosed: boolean;
  /** All that it says, by which tellings are put in order; a feed's own name decides only between equal ones. */
  readonly content: string;
}

/** How two tellings of one day stand to each other. */
export class Relations {
  readonly #tellings: Tellings;
  readonly #told: readonly Told[];
  readonly #known = new Map<Told, Map<Told, boolean>>();

  /** `told` is everything that is told of the day. */
  constructor(tellings: Tellings, told: readonly Told[]) {
    this.#tellings = tellings;
    this.#told = told;
  }

  /** One goes on where the other ends: they share no entry. */
  goOn(one: Told, other: Told): boolean {
    if (one === other) return true;
    const known = this.#known.get(one) ?? new Map<Told, boolean>();
    this.#known.set(one, known);
    const found = known.get(other) ?? this.#goesOn(one, other);
    known.set(other, found);
    return found;
  }

  #goesOn(one: Told, other: Told): boolean {
    if (!this.#tellings.goOn(one.telling, other.telling)) return false;
    const [first, second] = [one.telling.cover, other.telling.cover];
    if (first === undefined || second === undefined) return false;
    if (arePages(first, second) || areNumberedApart(first, second)) return true;
    const day = dayOf(one);
    if ([first, second].some(({ from, to }) => day < from || day > to)) return true;
    // Balances come back to where they were: the day may have gone on, or be told again. Where both can be, its lines say it.
    const isLonger = one.deliveries.length > other.deliveries.length;
    const [few, many] = isLonger ? [other, one] : [one, other];
    const isPart = isPartOf(few, many, first.format === second.format);
    return !isPart || !this.#canRetell(few, many, day);
  }

  /** Whether the longer begins or ends where the shorter does, or where one does that leads to the shorter. */
  #canRetell(few: Told, many: Told, day: Day): boolean {
    const edge = edges(many, day);
    return this.#told.some(
      (one) =>
        one !== many &&
        sharesEdge(edges(one, day), edge) &&
        (one === few || this.#tellings.goOn(one.telling, few.telling)),
    );
  }

  /** Both tell the day, or one of them tells all of it: then the lines of the shorter are among those of the longer. */
  retells(one: Told, other: Told | undefined): boolean {
    const [first, second] = [one.telling.cover, other?.telling.cover];
    if (other === undefined || first === undefined || second === undefined) return false;
    if (first.format !== second.format) return true;
    const day = dayOf(one);
    const isInside = [first, second].some(({ from, to }) => from < day && day < to);
    return isInside || sharesEdge(edges(one, day), edges(other, day));
  }
}

function dayOf({ deliveries: [first] }: Told): Day {
  if (first === undefined) throw new TypeError('expected a statement with content');
  return first.line.bookingDate;
}

interface Edges {
  readonly start: number | undefined;
  readonly end: number | undefined;
}

/** Balances before and after the day, where the statement begins or ends with it. */
function edges({ telling: { cover }, netCents }: Told, day: Day): Edges {
  if (cover === undefined) return { start: undefined, end: undefined };
  const { openingCents, closingCents, from, to } = cover;
  const opening = day <= from ? openingCents : undefined;
  const closing = day >= to ? closingCents : undefined;
  return {
    start: opening ?? (closing === undefined ? undefined : closing - netCents),
    end: closing ?? (opening === undefined ? undefined : opening + netCents),
  };
}

function sharesEdge(one: Edges, other: Edges): boolean {
  return (
    (one.start !== undefined && one.start === other.start) ||
    (one.end !== undefined && one.end === other.end)
  );
}

/** Whether each line of the one is also in the other; between formats by its money alone. */
function isPartOf(few: Told, many: Told, isOneFormat: boolean): boolean {
  const nameOf = ({ line }: Delivery): string =>
    isOneFormat ? `${moneyKey(line)} ${wordsOf(line)}` : moneyKey(line);
  const left = new Map<string, number>();
  for (const name of many.deliveries.map(nameOf)) left.set(name, (left.get(name) ?? 0) + 1);
  return few.deliveries.every((delivery) => {
    const name = nameOf(delivery);
    const count = left.get(name) ?? 0;
    left.set(name, count - 1);
    return count > 0;
  });
}
