import { FilewrightError, invariant } from '../../core/index.ts';

// A quantifier without an upper end gets this many characters: enough for every number a run can need.
const OPEN_ENDED = 10;
const DIGITS = '0123456789';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = UPPER.toLowerCase();
const CLASSES: Readonly<Record<string, string>> = {
  d: DIGITS,
  w: `${DIGITS}${UPPER}${LOWER}`,
};
const ANY = `${DIGITS}${UPPER}`;

/**
 * Makes receipt numbers that fit the profile's pattern, each only once: the running number is written into the places
 * that the pattern leaves free, from the right. Dice would give one receipt to two filings sooner or later.
 */
export class ReceiptMaker {
  /** One alphabet for each character of the receipt; a literal has an alphabet of one. */
  private readonly places: readonly string[];
  private readonly pattern: RegExp;
  /** How many different receipts there are; numbers from 0 below this. */
  readonly capacity: number;

  constructor(pattern: string) {
    this.pattern = new RegExp(pattern);
    this.places = new PatternReader(pattern).read();
    const product = this.places.reduce((count, alphabet) => count * alphabet.length, 1);
    this.capacity = Math.min(product, Number.MAX_SAFE_INTEGER);
    if (this.capacity < 2) throw unsupported(pattern, 'it leaves no place for a number');
    if (!this.pattern.test(this.receipt(1))) throw unsupported(pattern, 'its parts do not fit');
  }

  receipt(number: number): string {
    let rest = number;
    let text = '';
    for (let index = this.places.length - 1; index >= 0; index--) {
      const alphabet = this.places[index] ?? '';
      text = alphabet.charAt(rest % alphabet.length) + text;
      rest = Math.floor(rest / alphabet.length);
    }
    invariant(rest === 0, 'The receipt pattern has no more numbers: give it more places.', {
      pattern: this.pattern.source,
      number,
    });
    return text;
  }

  /** A text that the rule must refuse; undefined when the pattern allows everything. */
  malformed(): string | undefined {
    return ['#pending#', 'pending', ''].find((text) => !this.pattern.test(text));
  }
}

/** Reads the part of the regular expression language that receipt numbers are written in. */
class PatternReader {
  private readonly pattern: string;
  private at = 0;

  constructor(pattern: string) {
    this.pattern = pattern;
  }

  read(): readonly string[] {
    const places: string[] = [];
    while (this.at < this.pattern.length) {
      const char = this.pattern.charAt(this.at++);
      if (char === '^' || char === '$') continue;
      if ('(|)*+?{'.includes(char)) throw unsupported(this.pattern, `"${char}" is not read here`);
      const alphabet =
        char === '['
          ? this.readClass()
          : char === '\\'
            ? this.readEscape()
            : char === '.'
              ? ANY
              : char;
      const count = this.readCount();
      for (let copy = 0; copy < count; copy++) places.push(alphabet);
    }
    return places;
  }

  private readEscape(): string {
    const char = this.pattern.charAt(this.at++);
    const known = CLASSES[char];
    if (known !== undefined) return known;
    if (/[a-z0-9]/i.test(char)) throw unsupported(this.pattern, `"\\${char}" is not read here`);
    return char;
  }

  private readClass(): string {
    const end = this.pattern.indexOf(']', this.at);
    if (end <= this.at || this.pattern.charAt(this.at) === '^') {
      throw unsupported(this.pattern, 'a class must list its characters');
    }
    let alphabet = '';
    while (this.at < end) {
      const char = this.pattern.charAt(this.at++);
      if (char === '\\') {
        alphabet += this.readEscape();
      } else if (this.pattern.charAt(this.at) === '-' && this.at + 1 < end) {
        const last = this.pattern.charCodeAt(this.at + 1);
        for (let code = char.charCodeAt(0); code <= last; code++) {
          alphabet += String.fromCharCode(code);
        }
        this.at += 2;
      } else {
        alphabet += char;
      }
    }
    this.at = end + 1;
    return alphabet;
  }

  private readCount(): number {
    const rest = this.pattern.slice(this.at);
    const match = /^(?:[+*?]|\{(\d+)(,(\d*))?\})/.exec(rest);
    if (match === null) return 1;
    this.at += match[0].length;
    if (match[0] === '?') return 1;
    if (match[1] === undefined) return OPEN_ENDED;
    const least = Number(match[1]);
    if (match[2] === undefined) return least;
    const most = match[3] === '' ? Number.POSITIVE_INFINITY : Number(match[3]);
    return Math.max(least, Math.min(most, OPEN_ENDED));
  }
}

function unsupported(pattern: string, reason: string): FilewrightError {
  return new FilewrightError(
    'PROFILE_INVALID',
    `Expected a receipt.pattern from which the simulator can make numbers, found ${pattern}: ${reason}. Use literals, \\d, \\w, classes such as [A-Z] and counts.`,
    { details: { field: '/receipt/pattern', pattern } },
  );
}
