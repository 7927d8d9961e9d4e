/**
 * Law files are written by people, so a fault is told by file, line and field. The text is read strictly (no duplicate
 * keys), then walked through nodes that know where they stand; whatever a reader does not ask for is refused too, since
 * a misspelled key would otherwise be a rule that silently does nothing.
 */
import { FilewrightError, type JsonValue, parseStrictJson } from '../core/index.ts';
import { type Day, DAY_EXPECTED, parseDay } from './day.ts';

export type LawFileFault = 'CALENDAR_FILE_INVALID' | 'RULE_FILE_INVALID';

export interface LawDocumentSource {
  /** As the message shall call it. */
  readonly file: string;
  readonly text: string;
  readonly fault: LawFileFault;
}

/** Reads the whole text and returns its outermost value. */
export function readLawDocument(source: LawDocumentSource): LawNode {
  let value: JsonValue;
  try {
    value = parseStrictJson(source.text);
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    throw new FilewrightError(source.fault, `${source.file}: ${error.message}`, {
      cause: error,
      details: error.details,
    });
  }
  return new LawNode(value, '', { source, lines: undefined });
}

interface Place {
  readonly source: LawDocumentSource;
  /** Filled at the first fault: a file without faults never pays for line numbers. */
  lines: ReadonlyMap<string, number> | undefined;
}

export class LawNode {
  readonly value: JsonValue;
  readonly pointer: string;
  readonly #place: Place;

  constructor(value: JsonValue, pointer: string, place: Place) {
    this.value = value;
    this.pointer = pointer;
    this.#place = place;
  }

  /** The node's line in the file, counted from 1. */
  get line(): number {
    this.#place.lines ??= linesOf(this.#place.source.text);
    return this.#place.lines.get(this.pointer) ?? 1;
  }

  refuse(reason: string): never {
    const { file, fault } = this.#place.source;
    const where = this.pointer === '' ? 'the whole file' : this.pointer;
    throw new FilewrightError(fault, `${file}, line ${this.line}, ${where}: ${reason}`, {
      details: { file, line: this.line, pointer: this.pointer },
    });
  }

  /** Checks that this is an object with these keys and no others. */
  object(required: readonly string[], optional: readonly string[] = []): this {
    const object = this.#members();
    for (const name of required) {
      if (object[name] === undefined) this.refuse(`"${name}" is missing`);
    }
    for (const name of Object.keys(object)) {
      if (!required.includes(name) && !optional.includes(name)) {
        this.#child(name, object[name] ?? null).refuse(
          `unknown key; the known keys are ${[...required, ...optional].join(', ')}`,
        );
      }
    }
    return this;
  }

  keys(): string[] {
    return Object.keys(this.#members());
  }

  has(name: string): boolean {
    return this.#members()[name] !== undefined;
  }

  field(name: string): LawNode {
    const value = this.#members()[name];
    if (value === undefined) this.refuse(`"${name}" is missing`);
    return this.#child(name, value);
  }

  optional(name: string): LawNode | undefined {
    const value = this.#members()[name];
    return value === undefined ? undefined : this.#child(name, value);
  }

  items(): LawNode[] {
    if (!Array.isArray(this.value)) this.refuse(`expected a list, found ${kindOf(this.value)}`);
    return this.value.map((value, index) => this.#child(String(index), value));
  }

  text(): string {
    if (typeof this.value !== 'string' || this.value.trim() === '') {
      this.refuse(`expected a text, found ${kindOf(this.value)}`);
    }
    return this.value;
  }

  oneOf<Choice extends string>(choices: readonly Choice[]): Choice {
    const found = choices.find((choice) => choice === this.value);
    if (found === undefined) {
      this.refuse(`expected one of ${choices.join(', ')}, found ${kindOf(this.value)}`);
    }
    return found;
  }

  boolean(): boolean {
    if (typeof this.value !== 'boolean') {
      this.refuse(`expected true or false, found ${kindOf(this.value)}`);
    }
    return this.value;
  }

  integer(range: { readonly min: number; readonly max: number }): number {
    const { value } = this;
    if (
      typeof value !== 'number' ||
      !Number.isInteger(value) ||
      value < range.min ||
      value > range.max
    ) {
      this.refuse(
        `expected a whole number from ${range.min} to ${range.max}, found ${kindOf(value)}`,
      );
    }
    return value;
  }

  day(): Day {
    const day = typeof this.value === 'string' ? parseDay(this.value) : undefined;
    if (day === undefined) {
      this.refuse(`expected ${DAY_EXPECTED}, found ${kindOf(this.value)}`);
    }
    return day;
  }

  #members(): Readonly<Record<string, JsonValue>> {
    if (typeof this.value !== 'object' || this.value === null || Array.isArray(this.value)) {
      this.refuse(`expected an object, found ${kindOf(this.value)}`);
    }
    // Neither null nor an array: the strict reader makes plain objects only.
    return this.value as Readonly<Record<string, JsonValue>>;
  }

  #child(name: string, value: JsonValue): LawNode {
    return new LawNode(value, `${this.pointer}/${escapeToken(name)}`, this.#place);
  }
}

function kindOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return JSON.stringify(value);
}

/** RFC 6901. */
function escapeToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

// A string that has no end goes to the end: else each quote in a hostile text is tried anew.
const TOKEN = /"(?:[^"\\]|\\.)*"?|[{}[\],:\n]|[^\s{}[\],:"]+/g;

/** The line of every value by its JSON pointer; for a member, the line of its key. The text is known to be JSON. */
function linesOf(text: string): Map<string, number> {
  const lines = new Map<string, number>();
  const open: { readonly pointer: string; readonly list: boolean; index: number; key: string }[] =
    [];
  let line = 1;
  let expectKey = false;
  const pointerHere = (): string => {
    const parent = open.at(-1);
    if (parent === undefined) return '';
    return `${parent.pointer}/${parent.list ? String(parent.index) : escapeToken(parent.key)}`;
  };
  const note = (): void => {
    const pointer = pointerHere();
    if (!lines.has(pointer)) lines.set(pointer, line);
  };
  for (const [token] of text.matchAll(TOKEN)) {
    const parent = open.at(-1);
    if (token === '\n') line += 1;
    else if (token === '{' || token === '[') {
      note();
      open.push({ pointer: pointerHere(), list: token === '[', index: 0, key: '' });
      expectKey = token === '{';
    } else if (token === '}' || token === ']') {
      open.pop();
      expectKey = false;
    } else if (token === ',') {
      if (parent?.list === true) parent.index += 1;
      expectKey = parent?.list === false;
    } else if (token === ':') expectKey = false;
    else if (expectKey && parent !== undefined) {
      // A key is a JSON string, so reading it gives its text.
      parent.key = JSON.parse(token) as string;
      note();
    } else note();
  }
  return lines;
}
