/** The input of one case, read field by field: each refusal names the field, what it must hold and what it holds. */
import { type Day, DAY_EXPECTED, parseDay } from '../../calendar/index.ts';
import { badCase, misspelledNames } from '../../core/index.ts';

/** Whole dollars have at most 15 digits in a return (USAmountType); more is not an amount. */
const AMOUNT_MAX = 999_999_999_999_999;

/** JSON has null for absent; both mean that nothing was said. */
type Members = Readonly<Record<string, unknown>>;

export class CaseInput {
  readonly #members: Members;
  readonly #place: string;
  readonly #asked = new Set<string>();
  readonly #inner: CaseInput[] = [];

  constructor(value: unknown, place: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw badCase(`${place}: expected an object, ${found(value)}`);
    }
    // Neither null nor an array: an object whose members are read as unknown.
    this.#members = value as Members;
    this.#place = place;
  }

  refuse(name: string, expected: string): never {
    // What is missed may be there under another name.
    if (!this.has(name)) this.refuseMisspelled();
    throw badCase(`${this.#place}.${name}: expected ${expected}, ${found(this.#value(name))}`, {
      details: { field: `${this.#place}.${name}` },
    });
  }

  /** Fields that no rule asked for: a misspelled one would otherwise silently count as absent. */
  unread(): readonly string[] {
    return Object.keys(this.#members).filter((name) => !this.#asked.has(name));
  }

  /**
   * Throws CASE_INVALID for a field that no rule asked for and that is one of those they asked for, misspelled. One that is
   * given as well is not what was meant.
   */
  refuseMisspelled(): void {
    const missed = [...this.#asked].filter((name) => !Object.hasOwn(this.#members, name));
    const meantBy = misspelledNames(missed);
    for (const name of this.unread()) {
      const meant = meantBy(name);
      if (meant === undefined) continue;
      throw badCase(`${this.#place}.${name}: unknown field; did you mean ${meant}?`, {
        details: { field: `${this.#place}.${name}` },
      });
    }
    for (const inner of this.#inner) inner.refuseMisspelled();
  }

  has(name: string): boolean {
    return this.#value(name) !== undefined;
  }

  keys(): readonly string[] {
    return Object.keys(this.#members);
  }

  day(name: string): Day {
    return this.optionalDay(name) ?? this.refuse(name, DAY_EXPECTED);
  }

  optionalDay(name: string): Day | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    const day = typeof value === 'string' ? parseDay(value) : undefined;
    return day ?? this.refuse(name, DAY_EXPECTED);
  }

  /** Dollars, only ever compared with a threshold; an average may have cents. */
  amount(name: string): number {
    return this.optionalAmount(name) ?? this.refuse(name, 'an amount in dollars, zero or more,');
  }

  optionalAmount(name: string): number | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'number' || !(value >= 0 && value <= AMOUNT_MAX)) {
      this.refuse(name, 'an amount in dollars, zero or more,');
    }
    return value;
  }

  /** Cents that are added up: whole, exact, possibly negative (money given back). */
  cents(name: string): bigint {
    const value = this.#value(name);
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
      this.refuse(name, 'a whole number of cents');
    }
    return BigInt(value);
  }

  number(name: string, range: { readonly min: number; readonly max: number }): number {
    const value = this.#value(name);
    if (typeof value !== 'number' || !(value >= range.min && value <= range.max)) {
      this.refuse(name, `a number from ${range.min} to ${range.max}`);
    }
    return value;
  }

  integer(name: string, range: { readonly min: number; readonly max: number }): number {
    const value = this.#value(name);
    if (
      typeof value !== 'number' ||
      !Number.isInteger(value) ||
      value < range.min ||
      value > range.max
    ) {
      this.refuse(name, `a whole number from ${range.min} to ${range.max}`);
    }
    return value;
  }

  integers(name: string, range: { readonly min: number; readonly max: number }): readonly number[] {
    const expected = `whole numbers from ${range.min} to ${range.max}`;
    const value = this.#value(name);
    if (!Array.isArray(value)) this.refuse(name, `a list of ${expected}`);
    return value.map((item: unknown) => {
      const fits = typeof item === 'number' && Number.isInteger(item);
      return fits && item >= range.min && item <= range.max ? item : this.refuse(name, expected);
    });
  }

  /** Undefined where the case does not say. */
  flag(name: string): boolean | undefined {
    const value = this.#value(name);
    if (value !== undefined && typeof value !== 'boolean') this.refuse(name, 'true or false');
    return value;
  }

  text(name: string): string {
    return this.optionalText(name) ?? this.refuse(name, 'a text');
  }

  optionalText(name: string): string | undefined {
    const value = this.#value(name);
    if (value !== undefined && typeof value !== 'string') this.refuse(name, 'a text');
    return value;
  }

  /** One text, or a list of them. */
  texts(name: string): readonly string[] {
    const value = this.#value(name);
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    return items.map((item) =>
      typeof item === 'string' ? item : this.refuse(name, 'a text or a list of texts'),
    );
  }

  choice<Choice extends string>(name: string, choices: readonly Choice[]): Choice {
    const value = this.#value(name);
    const choice = choices.find((one) => one === value);
    return choice ?? this.refuse(name, `one of ${choices.join(', ')}`);
  }

  object(name: string): CaseInput {
    return this.#within(this.#value(name), `${this.#place}.${name}`);
  }

  list(name: string): readonly CaseInput[] {
    const value = this.#value(name);
    if (!Array.isArray(value)) this.refuse(name, 'a list');
    return value.map((item, index) => this.#within(item, `${this.#place}.${name}[${index}]`));
  }

  #within(value: unknown, place: string): CaseInput {
    const inner = new CaseInput(value, place);
    this.#inner.push(inner);
    return inner;
  }

  #value(name: string): unknown {
    this.#asked.add(name);
    // An inherited member (constructor, toString) is not something the case says.
    return Object.hasOwn(this.#members, name) ? (this.#members[name] ?? undefined) : undefined;
  }
}

function found(value: unknown): string {
  if (value === undefined) return 'nothing was found';
  const text = JSON.stringify(value);
  return `found ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`;
}
