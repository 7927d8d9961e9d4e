/**
 * The hidden truth of one world: which awards were promised, which lines of the bank paid which of them, what must be
 * refused, and what a person has to decide. Made from the seed alone; nothing of the product is asked.
 */
import { Draw } from '../world/draw.ts';
import {
  awardLine,
  type AwardText,
  type BankEntry,
  closingCents,
  PAYER,
  type Statement,
  twofoldLine,
} from './documents.ts';

/** What becomes of an award. */
const FATES = {
  paid: 8,
  /** With another one in a single deposit. */
  paid_together: 2,
  paid_in_parts: 2,
  /** Without a reference: amount, payer and day must do. */
  paid_without_reference: 1,
  /** A bank on the way kept its fee; a person confirms. */
  paid_short: 1,
  /** The bank's report of the day and its statement tell of it both. */
  paid_and_told_twice: 2,
  /** The money came a second time, by mistake; a person says so. */
  paid_twice: 1,
  paid_and_taken_back: 1,
  never_paid: 2,
  refused: 2,
  twofold: 1,
  /** Refused, corrected by two people, and paid then. */
  corrected: 2,
  /** A later document gives another amount. */
  contradicted: 1,
} as const;
type Fate = keyof typeof FATES;

const MONTHS = [
  { from: '2026-01-01', to: '2026-01-31', days: ['2026-01-08', '2026-01-15', '2026-01-30'] },
  { from: '2026-02-01', to: '2026-02-28', days: ['2026-02-05', '2026-02-12', '2026-02-27'] },
  { from: '2026-03-01', to: '2026-03-31', days: ['2026-03-05', '2026-03-19', '2026-03-31'] },
] as const;
const GRANTORS = ['G-1', 'G-2', 'G-3'] as const;
const FEE_CENTS = 1_500;

export interface Promised extends AwardText {
  readonly fate: Fate;
  /** Where it stands: the document, and its line from 1. Undefined for one that only a correction brings in. */
  readonly document: number;
  readonly ordinal: number;
  /** What came in for it in the end. */
  readonly received: { readonly cents: number; readonly on: string } | undefined;
}

/** What the person who looks at the bank knows about a line: the awards that it pays. */
export type Knowledge = ReadonlyMap<string, readonly Promised[]>;

export interface Month extends Statement {
  /** What the bank sends in this month; undefined where the statement before goes over its end. */
  readonly sent: Statement | undefined;
  readonly intraday: readonly BankEntry[];
}

export interface Book {
  readonly documents: readonly (readonly string[])[];
  readonly promised: readonly Promised[];
  /** Records of the documents that must end as an exception, and nothing else may. */
  readonly exceptions: number;
  /** Records that tell of a known award once more. */
  readonly repeated: number;
  readonly months: readonly Month[];
  /** Lines that no rule decides, by the bank's number. */
  readonly forPeople: Knowledge;
  /** The corrected document of each award whose fate is `corrected`. */
  readonly corrections: ReadonlyMap<Promised, string>;
  /** States in which the organisation asks for money. */
  readonly states: readonly string[];
  readonly grantors: readonly string[];
}

/** Pennsylvania exempts up to 25,000 dollars of contributions (10 P.S. § 162.6(a)(8)). */
const PENNSYLVANIA_CENTS = 2_500_000;

/** The day with which the money of the year passes what Pennsylvania exempts. */
export function crossingDay({ promised, states }: Book): string | undefined {
  if (!states.includes('PA')) return undefined;
  const money = promised
    .flatMap(({ received }) => received ?? [])
    .toSorted((one, other) => (one.on < other.on ? -1 : 1));
  let total = 0;
  return money.find(({ cents }) => {
    total += cents;
    return total > PENNSYLVANIA_CENTS;
  })?.on;
}

export function bookOfSeed(seed: number): Book {
  return new Writer(seed).write();
}

class Writer {
  readonly #draw: Draw;
  readonly #documents: string[][] = [[], [], []];
  readonly #promised: Promised[] = [];
  readonly #entries: BankEntry[][] = MONTHS.map(() => []);
  readonly #intraday: BankEntry[][] = MONTHS.map(() => []);
  readonly #forPeople = new Map<string, readonly Promised[]>();
  readonly #corrections = new Map<Promised, string>();
  #exceptions = 0;
  #repeated = 0;

  /** In some worlds no threshold is passed. */
  readonly #dollarsMax: number;

  constructor(seed: number) {
    this.#draw = new Draw(seed, 'book');
    this.#dollarsMax = this.#draw.pick([2_000, 5_000, 8_000]);
  }

  write(): Book {
    const draw = this.#draw;
    const count = draw.int(10, 16);
    for (let n = 0; n < count; n += 1) this.#promise(n, draw.weighted(FATES));
    for (const [month, { days }] of MONTHS.entries()) {
      if (!draw.chance(0.7)) continue;
      const id = this.#enter(month, {
        on: draw.pick(days),
        cents: draw.int(3, 95),
        text: 'INTEREST',
        payer: 'THE BANK',
      });
      this.#forPeople.set(id, []);
    }
    return {
      documents: this.#documents,
      promised: this.#promised,
      exceptions: this.#exceptions,
      repeated: this.#repeated,
      months: draw.chance(0.3) ? this.#withLongStatement(this.#months()) : this.#months(),
      forPeople: this.#forPeople,
      corrections: this.#corrections,
      states: draw.chance(0.7) ? ['PA'] : [],
      grantors: GRANTORS.filter((name) =>
        this.#promised.some(({ grantor, fate }) => grantor === name && isAccepted(fate)),
      ),
    };
  }

  #months(): readonly Month[] {
    let openingCents = 100_000;
    return MONTHS.map(({ from, to }, n) => {
      const entries = (this.#entries[n] ?? []).toSorted((a, b) =>
        a.on < b.on ? -1 : a.on > b.on ? 1 : 0,
      );
      const statement = { name: `statement-${n + 1}`, from, to, openingCents, entries };
      openingCents = closingCents(statement);
      return { ...statement, sent: statement, intraday: this.#intraday[n] ?? [] };
    });
  }

  /** One statement for the first two months: closing the first resolves a part of its lines. */
  #withLongStatement([first, second, ...rest]: readonly Month[]): readonly Month[] {
    if (first === undefined || second === undefined) return [];
    const entries = [...first.entries, ...second.entries];
    const sent = { ...first, name: 'statement-1-2', to: second.to, entries };
    return [{ ...first, sent }, { ...second, sent: undefined }, ...rest];
  }

  #promise(n: number, fate: Fate): void {
    const draw = this.#draw;
    const month = draw.int(0, 2);
    const { days } = MONTHS[month] ?? MONTHS[0];
    const award: AwardText = {
      number: `A-${n}`,
      grantor: draw.pick(GRANTORS),
      // The last digits tell the awards apart: no two amounts, nor their differences by a fee, are the same.
      cents: draw.int(10, this.#dollarsMax / 100) * 10_000 + n * 7,
      reference: `REF-${1000 + n}`,
      expectedOn: draw.pick(days),
    };
    this.#write(award, fate);
    const place = {
      document: this.#lastDocument,
      ordinal: this.#documents[this.#lastDocument]?.length ?? 0,
    };
    const received = this.#pay(award, fate, month);
    const promised: Promised = { ...award, fate, ...place, received };
    this.#promised.push(promised);
    if (fate === 'corrected') this.#corrections.set(promised, awardLine(award));
    if (fate === 'paid_short') this.#forPeople.set(this.#lastEntry, [promised]);
    if (fate === 'paid_together') this.#payCompanion(promised, month);
    if (isAccepted(fate) && draw.chance(0.2)) this.#repeat(promised);
    if (fate === 'contradicted') {
      const later = Math.min(this.#lastDocument + 1, 2);
      this.#documents[later]?.push(awardLine({ ...award, cents: award.cents + 1 }));
      this.#exceptions += 1;
    }
  }

  #lastDocument = 0;
  #lastEntry = '';

  #write(award: AwardText, fate: Fate): void {
    this.#lastDocument = this.#draw.int(0, 2);
    const lines = this.#documents[this.#lastDocument];
    if (isAccepted(fate)) {
      lines?.push(awardLine(award));
      return;
    }
    const isTwofold = fate === 'twofold';
    lines?.push(isTwofold ? twofoldLine(award) : awardLine({ ...award, currency: 'EUR' }));
    this.#exceptions += 1;
  }

  #pay(award: AwardText, fate: Fate, month: number): Promised['received'] {
    const { cents, reference, expectedOn: on } = award;
    const line = { on, cents, reference, text: `GRANT ${reference}`, payer: PAYER };
    const received = { cents, on };
    switch (fate) {
      case 'paid':
      case 'corrected':
      case 'contradicted':
        this.#enter(month, line);
        return received;
      case 'paid_in_parts': {
        const first = Math.floor(cents / 3);
        this.#enter(month, { ...line, cents: first });
        this.#enter(month, { ...line, cents: cents - first });
        return received;
      }
      case 'paid_without_reference':
        this.#enter(month, { on, cents, text: 'GIFT', payer: PAYER });
        return received;
      case 'paid_short':
        this.#enter(month, { ...line, cents: cents - FEE_CENTS });
        return { cents: cents - FEE_CENTS, on };
      case 'paid_and_told_twice': {
        const id = this.#enter(month, line);
        const isPending = this.#draw.chance(0.3);
        this.#intraday[month]?.push({ ...line, id, ...(isPending && { isPending }) });
        return received;
      }
      case 'paid_twice':
        // Of two on one day either may be taken for the payment, and the other one is what a person sees.
        for (const day of [on, MONTHS[month]?.days[2] ?? on]) {
          this.#forPeople.set(this.#enter(month, { ...line, on: day }), []);
        }
        return received;
      case 'paid_and_taken_back':
        this.#enter(month, line);
        this.#enter(month, {
          ...line,
          on: MONTHS[month]?.days[2] ?? on,
          isOut: true,
          isReversal: true,
        });
        return undefined;
      // Its deposit is entered with its companion.
      case 'paid_together':
        return received;
      case 'never_paid':
      case 'refused':
      case 'twofold':
        return undefined;
    }
  }

  /** A second award, and one deposit that names both. */
  #payCompanion(first: Promised, month: number): void {
    const award: AwardText = {
      ...first,
      number: `${first.number}B`,
      cents: first.cents + 330_003,
      reference: `${first.reference}B`,
    };
    this.#write(award, 'paid');
    const document = this.#lastDocument;
    const ordinal = this.#documents[document]?.length ?? 0;
    const received = { cents: award.cents, on: award.expectedOn };
    this.#promised.push({ ...award, fate: 'paid_together', document, ordinal, received });
    this.#enter(month, {
      on: award.expectedOn,
      cents: first.cents + award.cents,
      reference: first.reference,
      text: `GRANTS ${first.reference} ${award.reference}`,
      payer: PAYER,
    });
  }

  /** Told again in the same document or a later one: an earlier one would be where it stands. */
  #repeat(award: Promised): void {
    this.#documents[this.#draw.int(award.document, 2)]?.push(awardLine(award));
    this.#repeated += 1;
  }

  #enter(month: number, entry: Omit<BankEntry, 'id'>): string {
    const entries = this.#entries[month];
    this.#lastEntry = `HB${month + 1}-${(entries?.length ?? 0) + 1}`;
    entries?.push({ ...entry, id: this.#lastEntry });
    return this.#lastEntry;
  }
}

export function isAccepted(fate: Fate): boolean {
  return fate !== 'refused' && fate !== 'twofold' && fate !== 'corrected';
}
