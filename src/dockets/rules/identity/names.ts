/**
 * Names of clients, groups and labels. There are two questions, and each errs on its own safe side: whether a name *is*
 * the one that a right, a row or a search names (the same letters and, where one is stated, the same legal form), and
 * whether it *may be* the one that a wall names (the same look, whatever the form, alone or beside others). Pure.
 */
import { withoutForm, withoutGluedForm } from './legal-forms.ts';
import { type Letters, lettersOf } from '../../../core/index.ts';

export interface Name {
  /** Letters and digits alone, without the legal form. */
  readonly core: string;
  readonly form: string;
  /** What it could be taken for: by its look, with and without marks. */
  readonly looks: ReadonlySet<string>;
  /** The same for each of several names in one field. */
  readonly others: ReadonlySet<string>;
  readonly doubt: string | undefined;
}

const EMPTY = 'it has no letter and no digit';

/** Of a client. */
export const nameOf: (written: string) => Name = remembered(readName);

/** Of a technology group, which has no legal form. */
export const wordOf: (written: string) => Name = remembered(readWord);

/** Of a classification tag or a privilege marker. */
export const labelOf: (written: string) => Name = remembered(readLabel);

/** A firm's names come again with every docket and every right; some hundred bytes each. */
const REMEMBERED_MAX = 10_000;

export function remembered<Value>(read: (written: string) => Value): (written: string) => Value {
  const known = new Map<string, Value>();
  return (written) => {
    const found = known.get(written);
    if (found !== undefined) return found;
    if (known.size >= REMEMBERED_MAX) known.clear();
    const value = read(written);
    known.set(written, value);
    return value;
  };
}

function readName(written: string): Name {
  const letters = lettersOf(written);
  const { words, form } = withoutForm(wordsOf(letters.text));
  const core = words.join('');
  const parts = partsOf(letters.text).map((part) => withoutForm(wordsOf(part)));
  return {
    core,
    form,
    looks: looksOfAll([
      core,
      // AT&T is ATT to some.
      words.filter((word) => word !== 'and').join(''),
      withoutGluedForm(core) ?? '',
      posedName(letters.text) ?? '',
    ]),
    // A comma before "Inc." makes no client of that name.
    others: looksOfAll(parts.filter((part) => !part.isForm).map((part) => part.words.join(''))),
    doubt: doubtIn(letters, core),
  };
}

function readWord(written: string): Name {
  const letters = lettersOf(written);
  const core = wordsOf(letters.text).join('');
  const looks = looksOfAll([core]);
  return { core, form: '', looks, others: NONE, doubt: doubtIn(letters, core) };
}

const NONE: ReadonlySet<string> = new Set();

function looksOfAll(cores: readonly string[]): ReadonlySet<string> {
  return new Set(cores.filter((core) => core !== '').flatMap(looksOf));
}

/** Words that say what kind of label it is: "attorney-client privileged" is "attorney-client". */
const LABEL_NOISE = new Set(['privilege', 'privileged', 'privileges', 'marker', 'label', 'tag']);

function readLabel(written: string): Name {
  const letters = lettersOf(written);
  const core = tellingOf(letters.text);
  const others = looksOfAll(partsOf(letters.text).map(tellingOf));
  return { core, form: '', looks: looksOfAll([core]), others, doubt: doubtIn(letters, core) };
}

function tellingOf(text: string): string {
  const all = wordsOf(text);
  const telling = all.filter((word) => !LABEL_NOISE.has(word));
  return (telling.length === 0 ? all : telling).join('');
}

/** Two stated legal forms that differ are two clients; a name without one stands for the name with any. */
export function isNamed(wanted: Name, found: Name): boolean {
  if (wanted.doubt !== undefined || found.doubt !== undefined) return false;
  return wanted.core === found.core && (wanted.form === '' || wanted.form === found.form);
}

/** A wall does not ask for the legal form, which is what records get wrong most. */
export function mayBe(wanted: Name, found: Name): boolean {
  if (wanted.doubt !== undefined || found.doubt !== undefined) return true;
  for (const one of wanted.looks) if (found.looks.has(one) || found.others.has(one)) return true;
  return false;
}

/** For keys: equal for two spellings of one name. */
export function nameKey({ core, form }: Name): string {
  return form === '' ? core : `${core} ${form}`;
}

function doubtIn({ doubt }: Letters, core: string): string | undefined {
  return doubt ?? (core === '' ? EMPTY : undefined);
}

function wordsOf(text: string): string[] {
  const words = text
    .replaceAll(/[&+]/g, ' and ')
    // L.L.C. is one word, Contoso.Inc are two.
    .replaceAll(/(?<=[\p{L}\p{N}]{2})\.(?=[\p{L}\p{N}]{2})/gu, ' ')
    .replaceAll(/[.'’`´]/gu, '')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '');
  const first = words.findIndex((word) => word !== 'the');
  return joinedInitials(words.slice(Math.max(0, first)));
}

/** "L L C" is "LLC". */
function joinedInitials(words: readonly string[]): string[] {
  const joined: string[] = [];
  let wasInitial = false;
  for (const word of words) {
    const isInitial = /^\p{L}$/u.test(word);
    if (isInitial && wasInitial) joined.push(`${joined.pop() ?? ''}${word}`);
    else joined.push(word);
    wasInitial = isInitial;
  }
  return joined;
}

/** More names than this in one field are a text. */
const PARTS_MAX = 20;
const JOINTS =
  /[;,:|/\\()[\]{}"“”„«»\n&+]|\s[-–—]\s|(?<![\p{L}\p{N}])(?:and|und|et|y|e|for|formerly|fka|aka|dba|nka|via|on behalf of|obo|[fadn]\/[kb]\/a|c\/o)(?![\p{L}\p{N}])/u;

function partsOf(text: string): string[] {
  const parts = text.split(JOINTS);
  return parts.length === 1 ? [] : parts.slice(0, PARTS_MAX);
}

const POSED: Readonly<Record<string, string>> = { $: 's', '@': 'a', '!': 'i', '|': 'l' };
const POSING = /(?<=\p{L})[$@!|]|[$@!|](?=\p{L})/gu;

/** The name that is meant where a sign of the keyboard poses as a letter. */
function posedName(text: string): string | undefined {
  const posed = text.replaceAll(POSING, (sign) => POSED[sign] ?? sign);
  return posed === text ? undefined : withoutForm(wordsOf(posed)).words.join('');
}

const UNDECOMPOSED: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ŋ: 'n',
  ħ: 'h',
  ŧ: 't',
};

/** With marks taken off, and once more as German writes them out. */
function looksOf(core: string): string[] {
  if (/^[\x20-\x7e]*$/.test(core)) return [shapeOf(core)];
  const bare = core.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  const spelled = core.normalize('NFC').replaceAll(/[äöü]/gu, (one) => `${bareLetter(one)}e`);
  const written = spelled.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  return [...new Set([shapeOf(withoutLigatures(bare)), shapeOf(withoutLigatures(written))])];
}

function bareLetter(letter: string): string {
  return letter.normalize('NFKD').charAt(0);
}

function withoutLigatures(text: string): string {
  return text.replaceAll(/[æœøđðþłŋħŧ]/gu, (one) => UNDECOMPOSED[one] ?? one);
}

/** Letters and digits that pass for each other at a glance have one shape. Never used to say that two are the same. */
function shapeOf(text: string): string {
  return text
    .replaceAll(/[1il]/g, 'l')
    .replaceAll('0', 'o')
    .replaceAll('5', 's')
    .replaceAll('vv', 'w')
    .replaceAll('rn', 'm');
}
