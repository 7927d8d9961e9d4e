/**
 * XML awards: `<awards><award><grantor_id>…</grantor_id>…<compliance_tags><program>…</program></compliance_tags></award></awards>`.
 * The guard bounds depth and tokens; here the texts and fields of an award are: a document cannot grow while it is read.
 */
import type { SaxesTagNS } from 'saxes';
import { badInput, type JsonValue } from '../../../core/index.ts';
import { GuardedXml, type XmlEvents, type XmlFault, type XmlPlace } from '../xml-guard.ts';
import { type AwardRecord, type Violation, violation } from './award-record.ts';

const DEPTH_MAX = 6;
const TEXT_CHARACTERS_MAX = 10_000;
const FIELDS_MAX = 500;
const TOKEN_CHARACTERS_MAX = 64 * 1024;
const GROUPS: ReadonlySet<string> = new Set(['compliance_tags', 'terms', 'terms.offset_days']);

interface OpenAward {
  readonly line: number;
  readonly values: Map<string, JsonValue>;
  readonly violations: Violation[];
  /** What stood before the last value of an element that stands more than once. */
  readonly earlier: Map<string, JsonValue[]>;
  fields: number;
}

export class XmlAwards implements XmlEvents {
  readonly #xml = new GuardedXml(this, {
    depthMax: DEPTH_MAX,
    tokenCharsMax: TOKEN_CHARACTERS_MAX,
    isEncoding: (name) => /^(?:utf-?8|us-ascii)$/i.test(name),
  });
  readonly #path: string[] = [];
  readonly #done: AwardRecord[] = [];
  #award: OpenAward | undefined;
  #text = '';
  #hasChildren = false;
  #ordinal = 0;

  *push(piece: string): Generator<AwardRecord> {
    for (const _ of this.#xml.push(piece)) yield* this.#take();
  }

  *finish(): Generator<AwardRecord> {
    this.#xml.finish();
    yield* this.#take();
    if (this.#path.length > 0) this.#refuse('found the end of the text inside an element');
  }

  *#take(): Generator<AwardRecord> {
    while (this.#done.length > 0) {
      const record = this.#done.shift();
      if (record !== undefined) yield record;
    }
  }

  open({ name, attributes }: SaxesTagNS, { line }: XmlPlace): void {
    this.#path.push(name);
    const depth = this.#path.length;
    const hasOwn = Object.keys(attributes).some((one) => one !== 'xmlns');
    if (hasOwn) this.#refuse(`found attributes at <${name}>`);
    if (depth === 1 && name !== 'awards') this.#refuse(`expected <awards>, but found <${name}>`);
    if (depth === 2) {
      if (name !== 'award') this.#refuse(`expected <award>, but found <${name}>`);
      this.#award = { line, values: new Map(), violations: [], earlier: new Map(), fields: 0 };
    }
    if (this.#text.trim() !== '') this.#refuse('found text between elements');
    this.#text = '';
    this.#hasChildren = false;
  }

  text(text: string): void {
    this.#text += text;
    if (this.#text.length > TEXT_CHARACTERS_MAX) {
      this.#refuse(`found a text of more than ${TEXT_CHARACTERS_MAX} characters`);
    }
  }

  close(): void {
    const depth = this.#path.length;
    const path = this.#path.slice(2).join('.');
    if (depth > 2) this.#closeField(path);
    else if (this.#text.trim() !== '') this.#refuse('found text between elements');
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
      if (this.#text.trim() !== '') this.#refuse('found text between elements');
      if (path === 'compliance_tags') award.values.set(path, {});
      return;
    }
    if (this.#hasChildren) this.#refuse(`found elements inside <${path}>`);
    const before = award.values.get(path);
    if (before !== undefined) {
      award.violations.push(violation('DUPLICATE_KEY', path, 'the element appears twice'));
      award.earlier.set(path, [...(award.earlier.get(path) ?? []), before]);
    }
    award.fields += 1;
    if (award.fields > FIELDS_MAX) this.#refuse(`found more than ${FIELDS_MAX} fields`);
    award.values.set(path, this.#text.trim());
  }

  refuse({ line, column }: XmlPlace, { reason, remedy }: XmlFault): never {
    throw badInput(
      `line ${line}, column ${column}: ${[reason, remedy].filter(Boolean).join('. ')}`,
      { details: { line, column } },
    );
  }

  #refuse(reason: string): never {
    return this.refuse(this.#xml.place, { kind: 'malformed', reason: reason.slice(0, 200) });
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
