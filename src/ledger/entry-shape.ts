import { parseRfc3339 } from '../core/index.ts';
import type { LedgerEntry } from './entry-type.ts';

const ENTRY_KEYS = [
  'actor',
  'at',
  'body',
  'cls',
  'data',
  'id',
  'log',
  'prev',
  'seq',
  'subj',
  'trace',
  'ts',
  'type',
  'v',
];
const SUBJECT_KEYS = ['id', 'kind', 'ver'];
const ACTOR_KEYS = ['id', 'kind'];
const BODY_KEYS = ['alg', 'cm', 'ct', 'key'];

const TYPE = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+$/;
const HASH_HEX = /^[0-9a-f]{64}$/;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ACTOR_KINDS: readonly unknown[] = ['service', 'user', 'system'];
const CLASSES: readonly unknown[] = ['public', 'internal', 'confidential', 'privileged'];
const TIME =
  /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z$/;

type Fields = Readonly<Record<string, unknown>>;

/**
 * The first thing that keeps a value from being an entry of format 1, as the end of a sentence; undefined when
 * there is none. The writer and the verifier share it, so nothing can be written that would not verify.
 */
export function entryFault(entry: unknown): string | undefined {
  if (!isFields(entry)) return 'it is not an object';
  if (!hasExactly(entry, ENTRY_KEYS)) return 'its keys are not exactly those of format 1';
  if (entry.v !== 1) return 'v is not 1';
  if (typeof entry.log !== 'string') return 'log is not a string';
  if (!isCount(entry.seq)) return 'seq is not a whole number';
  if (!isHash(entry.prev)) return 'prev is not 64 lower-case hex digits';
  if (!isLedgerTime(entry.ts)) return 'ts is not a UTC time with milliseconds';
  if (!isLedgerTime(entry.at)) return 'at is not a UTC time with milliseconds';
  if (!matches(UUID_V7, entry.id)) return 'id is not a lower-case UUIDv7';
  if (!matches(TYPE, entry.type)) return 'type is not dotted lower-case words';
  if (typeof entry.trace !== 'string') return 'trace is not a string';
  if (!CLASSES.includes(entry.cls)) return 'cls is not a known class';
  if (!isFields(entry.data)) return 'data is not an object';
  return subjectFault(entry.subj) ?? actorFault(entry.actor) ?? bodyFault(entry.body);
}

export function isLedgerEntry(value: unknown): value is LedgerEntry {
  return entryFault(value) === undefined;
}

/** Such times sort as texts in the order of the moments they name. */
function isLedgerTime(value: unknown): value is string {
  if (!matches(TIME, value)) return false;
  // Every month has 28 days; only the last three need the calendar.
  return value.slice(8, 10) <= '28' || parseRfc3339(value) !== undefined;
}

function subjectFault(subject: unknown): string | undefined {
  if (!isFields(subject) || !hasExactly(subject, SUBJECT_KEYS)) return 'subj is not {kind,id,ver}';
  if (typeof subject.kind !== 'string') return 'subj.kind is not a string';
  if (typeof subject.id !== 'string') return 'subj.id is not a string';
  // Which number it must be is asked of the subject's own count.
  if (!Number.isSafeInteger(subject.ver)) return 'subj.ver is not a whole number';
  return undefined;
}

function actorFault(actor: unknown): string | undefined {
  if (!isFields(actor) || !hasExactly(actor, ACTOR_KEYS)) return 'actor is not {kind,id}';
  if (!ACTOR_KINDS.includes(actor.kind)) return 'actor.kind is not service, user or system';
  return typeof actor.id === 'string' ? undefined : 'actor.id is not a string';
}

function bodyFault(body: unknown): string | undefined {
  if (body === null) return undefined;
  if (!isFields(body) || !hasExactly(body, BODY_KEYS)) return 'body is not {alg,key,ct,cm} or null';
  if (body.alg !== 'A256GCM') return 'body.alg is not A256GCM';
  if (typeof body.key !== 'string') return 'body.key is not a string';
  return isHash(body.ct) && isHash(body.cm) ? undefined : 'body.ct or body.cm is not a hash';
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasExactly(fields: Fields, keys: readonly string[]): boolean {
  return (
    Object.keys(fields).length === keys.length && keys.every((key) => Object.hasOwn(fields, key))
  );
}

function isHash(value: unknown): value is string {
  return matches(HASH_HEX, value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function matches(pattern: RegExp, value: unknown): value is string {
  return typeof value === 'string' && pattern.test(value);
}
