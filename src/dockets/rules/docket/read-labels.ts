/**
 * Classification tags and privilege markers, under the names and in the shapes in which people and programs write them: a
 * text, a list, a yes, an object of either, at any depth of a record. What looks like a label and cannot be read is one
 * that nobody knows: it must not become "no label", or the docket would be shown to everybody.
 */
import { isPlainText, type JsonValue } from '../../../core/index.ts';
import { inherit, type Labels, UNREAD_LABEL } from '../access/labels.ts';
import { remembered } from '../identity/names.ts';

type Kind = keyof Labels;
/** `any`: labels without a word on what kind they are. */
type NamedKind = Kind | 'any';

/** In an office's own document a class is a field of technology, and says nothing of who may see it. */
type LabelSource = 'record' | 'document';

/** Deeper, or larger, is no record; then nobody knows its labels. */
const DEPTH_MAX = 12;
const VALUES_MAX = 100_000;

/** `except` are parts that have labels of their own. */
export function labelsIn(
  value: JsonValue,
  source: LabelSource,
  except: ReadonlySet<JsonValue> = new Set(),
): Labels {
  const found = new Found(source, except);
  found.search(value, 0);
  return found.labels();
}

/** Whether the name of a field says that it holds labels. */
export function isLabelName(name: string, source: LabelSource = 'record'): boolean {
  return kindOf(name, source) !== undefined;
}

class Found {
  readonly #source: LabelSource;
  readonly #except: ReadonlySet<JsonValue>;
  readonly #labels = { classification: new Set<string>(), privilege: new Set<string>() };
  #left = VALUES_MAX;

  constructor(source: LabelSource, except: ReadonlySet<JsonValue>) {
    this.#source = source;
    this.#except = except;
  }

  labels(): Labels {
    const { classification, privilege } = this.#labels;
    return inherit({ classification: [...classification], privilege: [...privilege] });
  }

  /** Looks for fields that hold labels. */
  search(value: JsonValue, depth: number): void {
    if (typeof value !== 'object' || value === null || this.#except.has(value)) return;
    if (this.#isTooMuch(depth)) return;
    const isList = Array.isArray(value);
    for (const [name, one] of Object.entries(value)) {
      const kind = isList ? undefined : kindOf(name, this.#source);
      if (kind === undefined) this.search(one, depth + 1);
      else this.take(one, { kind, name }, depth + 1);
    }
  }

  /** Everything in here is a label. */
  take(
    value: JsonValue,
    field: { readonly kind: NamedKind; readonly name: string },
    depth: number,
  ): void {
    const { kind, name } = field;
    if (value === null || value === false) return;
    if (this.#isTooMuch(depth)) return;
    if (value === true) return this.#add(kind, flagOf(name, kind));
    if (typeof value === 'number') return this.#takeNumber(value, field);
    if (typeof value === 'string') return this.#takeText(value, field);
    if (Array.isArray(value)) {
      for (const one of value) this.take(one, field, depth + 1);
      return;
    }
    for (const [key, one] of Object.entries(value)) {
      const inner = kindOf(key, 'record');
      const own = inner === undefined || inner === 'any' ? kind : inner;
      this.take(one, { kind: own, name: key }, depth + 1);
    }
  }

  /** One and nought are yes and no in a field of that name; elsewhere a number is nothing that one could read. */
  #takeNumber(
    value: number,
    { kind, name }: { readonly kind: NamedKind; readonly name: string },
  ): void {
    const isFlag = isLabelName(name) && (value === 0 || value === 1);
    if (!isFlag) this.#add(kind, UNREAD_LABEL);
    else if (value === 1) this.#add(kind, flagOf(name, kind));
  }

  #takeText(
    text: string,
    { kind, name }: { readonly kind: NamedKind; readonly name: string },
  ): void {
    const telling = flagOf(name, kind);
    const isTelling = isLabelName(name) && !GENERIC.has(telling);
    for (const part of text.split(/[;,|\n]/u)) {
      const word = part.trim();
      if (word === '' || NO.test(word)) continue;
      if (!isPlainText(word)) this.#add(kind, UNREAD_LABEL);
      else if (!YES.test(word)) this.#add(kind, word);
      // "attorney_client_privilege: high" is of that privilege, whatever high may mean.
      if (YES.test(word) || isTelling) this.#add(kind, telling);
    }
  }

  #isTooMuch(depth: number): boolean {
    this.#left -= 1;
    const isTooMuch = depth > DEPTH_MAX || this.#left < 0;
    if (isTooMuch) this.#add('any', UNREAD_LABEL);
    return isTooMuch;
  }

  #add(kind: NamedKind, label: string): void {
    if (kind === 'any' && label === UNREAD_LABEL) {
      this.#labels.classification.add(label);
      this.#labels.privilege.add(label);
    } else if (kind === 'any') {
      this.#labels[isPrivilege(plainWord(label)) ? 'privilege' : 'classification'].add(label);
    } else {
      this.#labels[kind].add(label);
    }
  }
}

const YES = /^(true|yes|y|x|1|on|✓|✔)$/iu;
const NO = /^(false|no|n|0|off|none)$/iu;

const PRIVILEGE =
  /priv[ie]l[ea]d?g|(attorney|lawyer|solicitor)client|workproduct|jointdefen[cs]e|commoninterest/u;
const CLASSIFICATION =
  /^(labels?)?(class|classes|classified|confidential|confidentiality|((security|data|document)?(class|classification)s?(tag|label|marker|marking|level)?s?)|confidentiality(level|class)|exportcontrol(led)?|secrecy(order|level)?)$/u;
const IN_DOCUMENT =
  /^(labels?)?(security|data|document)?classification(tag|label|marker|marking)s?$/u;
const ANY = /^(labels?|markers?|markings?)$/u;

/** The same names come with every record. */
const KINDS = {
  record: remembered((name) => readKind(name, CLASSIFICATION)),
  document: remembered((name) => readKind(name, IN_DOCUMENT)),
};

function kindOf(name: string, source: LabelSource): NamedKind | undefined {
  const kind = KINDS[source](name);
  return kind === 'none' ? undefined : kind;
}

function readKind(name: string, classification: RegExp): NamedKind | 'none' {
  const plain = plainWord(name);
  if (isPrivilege(plain)) return 'privilege';
  if (classification.test(plain)) return 'classification';
  return ANY.test(plain) ? 'any' : 'none';
}

function isPrivilege(plain: string): boolean {
  return PRIVILEGE.test(plain);
}

function plainWord(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Labels that a name gives where it says no more than that there is one. */
const GENERIC = new Set(['privileged', 'classified', 'labelled']);
const EMPTY_WORDS =
  /^(is|has|was|the|flag|markers?|markings?|labels?|tags?|priv[ie]l[ea]d?ged?s?|class|classes|classifications?|classified|levels?|types?|status|security|data|documents?|confidentiality)$/u;

/** `attorney_client_privilege: true` is the label attorney-client. */
function flagOf(name: string, kind: NamedKind): string {
  const words = name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !EMPTY_WORDS.test(word));
  if (words.length > 0) return words.join('-');
  return kind === 'privilege' ? 'privileged' : kind === 'any' ? 'labelled' : 'classified';
}

/** Whether the value of a field is written as labels are; a number other than yes and no is none. */
export function isLabelShape(value: JsonValue): boolean {
  return value === 0 || value === 1 || isNested(value);
}

function isNested(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'number';
  return Object.values(value).every((one) => isNested(one));
}
