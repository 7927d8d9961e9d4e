/**
 * What a fact may hold, asked where it is made: an entry of the ledger has 65,535 bytes, and a fact that is committed and
 * does not fit could never be written. The store asks this of every fact, whichever pack it comes from.
 */
import { canonicalText, type JsonValue } from './canonical-json.ts';
import type { FilewrightError } from './errors.ts';
import { sha256Of } from './sha256.ts';
import { overLimit } from './refusals.ts';

/** Of an entry's 65,535 bytes. The rest is for its names (at worst six bytes a character), its place and its hashes. */
export const FACT_DATA_BYTES_MAX = 48_000;
/** Ids of people, lanes, dockets, documents: longer ones are none. */
const FACT_NAME_CHARACTERS_MAX = 500;

/** A little more than a digest takes. */
const DIGEST_BYTES = 120;

const TYPE = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+$/;
const LONE_SURROGATE = /\p{Surrogate}/u;
/** U+0000 as JSON writes it; a backslash before it is a backslash of the text. */
const NUL = /(?<!\\)(?:\\\\)*\\u0000/;

/** Whether a text of JSON holds a U+0000, which PostgreSQL keeps in no text and no document. */
export function holdsNul(json: string): boolean {
  return NUL.test(json);
}

type Facts = Readonly<Record<string, JsonValue>>;

interface FactToBound {
  readonly type: string;
  readonly actor: { readonly id: string };
  readonly trace: string;
  readonly data: Facts;
}

interface BoundedFact {
  readonly data: Facts;
  /** Parts that did not fit; each stands in `data` as the hash and the length of its canonical JSON. */
  readonly long: Facts;
}

/**
 * The data as an entry can hold it. Where it is too large, the largest parts give way to their hashes, until it fits: what
 * a stranger wrote (labels of an event, a list that a portal sent) must not keep a step from being recorded. The whole
 * belongs in the sealed body of this entry, or stands in one before it. Throws INPUT_LIMIT or NOT_CANONICAL for what is no
 * fact at all.
 */
export function boundedFact(fact: FactToBound): BoundedFact {
  const { type, actor, trace, data } = fact;
  if (!TYPE.test(type)) throw refused(type, 'type', 'expected dotted lower-case words');
  checkName(type, 'actor', actor.id);
  checkName(type, 'trace', trace);
  const text = canonicalText(data);
  if (holdsNul(text))
    throw refused(type, 'data', 'it has a NUL character, which the database cannot store');
  // Counted only where it may matter: a text has at most three bytes for each of its UTF-16 units.
  if (text.length * 3 <= FACT_DATA_BYTES_MAX) return { data, long: {} };
  const kept: Record<string, JsonValue> = { ...data };
  const long: Record<string, JsonValue> = {};
  let tooMany = Buffer.byteLength(text) - FACT_DATA_BYTES_MAX;
  for (const { name, part, bytes } of largestFirst(data)) {
    if (tooMany <= 0) break;
    long[name] = part;
    kept[name] = digestOf(part);
    tooMany -= bytes - DIGEST_BYTES;
  }
  if (tooMany <= 0) return { data: kept, long };
  throw refused(type, 'data', `expected at most ${FACT_DATA_BYTES_MAX} bytes`);
}

/** What is not larger than its own digest stays. */
function largestFirst(
  data: Facts,
): readonly { readonly name: string; readonly part: JsonValue; readonly bytes: number }[] {
  return Object.entries(data)
    .map(([name, part]) => ({ name, part, bytes: Buffer.byteLength(canonicalText(part)) }))
    .filter(({ bytes }) => bytes > DIGEST_BYTES)
    .toSorted((one, other) => other.bytes - one.bytes);
}

function digestOf(part: JsonValue): JsonValue {
  const bytes = Buffer.from(canonicalText(part), 'utf8');
  return { sha256: sha256Of(bytes), bytes: bytes.length };
}

function checkName(type: string, part: string, name: string): void {
  const isName =
    name.length <= FACT_NAME_CHARACTERS_MAX && !name.includes('\0') && !LONE_SURROGATE.test(name);
  if (isName) return;
  const expected = `expected a name of at most ${FACT_NAME_CHARACTERS_MAX} characters`;
  throw refused(type, part, `${expected}, found one of ${name.length}`);
}

/** Without the value: it may be a payload's, and messages reach logs. */
function refused(type: string, part: string, why: string): FilewrightError {
  const name = TYPE.test(type) ? type : 'of no type';
  return overLimit(
    `The fact ${name} cannot be recorded: ${part}: ${why}. Nothing was changed; shorten the text`,
    { details: { type: name, part } },
  );
}
