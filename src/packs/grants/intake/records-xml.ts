/**
 * XML awards: `<awards><award><grantor_id>…</grantor_id>…<compliance_tags><program>…</program></compliance_tags></award></awards>`.
 * No DOCTYPE, no entities of its own, bounded depth and text: a document cannot grow while it is read.
 */
import { SaxesParser } from 'saxes';
import { FilewrightError, type JsonValue } from '../../../core/index.ts';
import { type AwardRecord, type Violation, violation } from './award-record.ts';

const DEPTH_MAX = 6;
const TEXT_CHARACTERS_MAX = 10_000;
const FIELDS_MAX = 500;
/** saxes holds a tag whole until it is closed, so a tag without an end must be stopped from outside. */
const WITHOUT_EVENT_CHARACTERS_MAX = 1_000_000;
const GROUPS: ReadonlySet<string> = new Set(['compliance_tags', 'terms', 'terms.offset_days']);

interface OpenAward {
  readonly line: number;
  readonly values: Map<string, JsonValue>;
  readonly violations: Violation[];
  /** What stood before the last value of an element that stands more than once. */
  readonly earlier: Map<string, JsonValue[]>;
  fields: number;
}

export class XmlAwards {
  readonly #parser = new SaxesParser({ xmlns: false, position: true });
  readonly #path: string[] = [];
  readonly #done: AwardRecord[] = [];
  #award: OpenAward | undefined;
  #text = '';
  #hasChildren = false;
  #ordinal = 0;
  #quiet = 0;

  constructor() {
    this.#parser.on('error', (error) => this.#refuse(error.message));
    this.#parser.on('doctype', () => this.#refuse('a DOCTYPE, which is never needed'));
    this.#parser.on('processinginstruction', () => this.#refuse('a processing instruction'));
    this.#parser.on('opentag', (tag) => this.#open(tag.name, Object.keys(tag.attributes)));
    this.#parser.on('text', (text) => this.#say(text));
    this.#parser.on('cdata', (text) => this.#say(text));
    this.#parser.on('closetag', () => this.#close());
  }

  *push(piece: string): Generator<AwardRecord> {
    this.#quiet += piece.length;
    this.#parser.write(piece);
    if (this.#quiet > WITHOUT_EVENT_CHARACTERS_MAX) this.#refuse('a tag or comment without an end');
    yield* this.#take();
  }

  *finish(): Generator<AwardRecord> {
    this.#parser.close();
    yield* this.#take();
    if (this.#path.length > 0) this.#refuse('the end of the text inside an element');
  }

  *#take(): Generator<AwardRecord> {
    while (this.#done.length > 0) {
      const record = this.#done.shift();
      if (record !== undefined) yield record;
    }
  }

  #open(name: string, attributes: readonly string[]): void {
    this.#quiet = 0;
    this.#path.push(name);
    const depth = this.#path.length;
    if (depth > DEPTH_MAX) this.#refuse(`elements more than ${DEPTH_MAX} deep`);
    const isNamespace = attributes.every((one) => one === 'xmlns');
    if (attributes.length > 0 && !isNamespace) this.#refuse(`attributes at <${name}>`);
    if (depth === 1 && name !== 'awards') this.#refuse(`<${name}> where <awards> is the root`);
    if (depth === 2) {
      if (name !== 'award') this.#refuse(`<${name}> where <award> was expected`);
      const { line } = this.#parser;
      this.#award = { line, values: new Map(), violations: [], earlier: new Map(), fields: 0 };
    }
    if (this.#text.trim() !== '') this.#refuse('text beside elements');
    this.#text = '';
    this.#hasChildren = false;
  }

  #say(text: string): void {
    this.#quiet = 0;
    this.#text += text;
    if (this.#text.length > TEXT_CHARACTERS_MAX) {
      this.#refuse(`a text of more than ${TEXT_CHARACTERS_MAX} characters`);
    }
  }

  #close(): void {
    this.#quiet = 0;
    const depth = this.#path.length;
    const path = this.#path.slice(2).join('.');
    if (depth > 2) this.#closeField(path);
    else if (this.#text.trim() !== '') this.#refuse('text beside elements');
    if (depth === 2 && this.#award !== undefined) {
      this.#ordinal += 1;
      const { line, values, violations } = this.#award;
      const original = originalOf(this.#award);
      const place = { ordinal: this.#ordinal, line };
      this.#done.push({ ...place, spelling: 'text', values, violations, original });
      this.#award = undefined;
    }
    this.#path.pop();
    this.#text = '';
    this.#hasChildren = true;
  }

  #closeField(path: string): void {
    const award = this.#award;
    if (award === undefined) return;
    if (GROUPS.has(path)) {
      if (this.#text.trim() !== '') this.#refuse('text beside elements');
      if (path === 'compliance_tags') award.values.set(path, {});
      return;
    }
    if (this.#hasChildren) this.#refuse(`elements inside <${path}>`);
    const before = award.values.get(path);
    if (before !== undefined) {
      award.violations.push(violation('DUPLICATE_KEY', path, 'the element stands twice'));
      award.earlier.set(path, [...(award.earlier.get(path) ?? []), before]);
    }
    award.fields += 1;
    if (award.fields > FIELDS_MAX) this.#refuse(`more than ${FIELDS_MAX} fields`);
    award.values.set(path, this.#text.trim());
  }

  #refuse(found: string): never {
    const { line, column } = this.#parser;
    throw new FilewrightError(
      'INPUT_MALFORMED',
      `line ${line}, column ${column}: XML awards were expected, found ${found.slice(0, 200)}`,
      { details: { line, column } },
    );
  }
}

/** All values of an element that stands more than once: which of them was meant is for a person to say. */
function originalOf({ values, earlier }: OpenAward): JsonValue {
  return Object.fromEntries(
    [...values].map(([path, last]) => {
      const before = earlier.get(path);
      return [path, before === undefined ? last : [...before, last]];
    }),
  );
}
