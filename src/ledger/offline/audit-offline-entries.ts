/**
 * What must hold among some entries of a log, where those between them are not shown: each is canonical and of this log,
 * neighbours are chained, time does not fall, no id comes twice, and versions of a subject only rise.
 */
import { FilewrightError } from '../../core/index.ts';
import { canonicalBytes, parseStrict } from '../plain-json.ts';
import { genesisPrev } from '../entry.ts';
import { leafHash } from '../hashes.ts';
import type { LedgerEntry } from '../entry-type.ts';
import { parseEntry } from '../entry-chain.ts';
import { Failure } from './audit-offline-files.ts';

export class ShownEntries {
  readonly #origin: string;
  readonly #ids = new Set<string>();
  readonly #versions = new Map<string, number>();
  #next = 0;
  #leaf: string;
  #ts = '';

  constructor(origin: string) {
    this.#origin = origin;
    this.#leaf = hexOf(genesisPrev(origin));
  }

  check(bytes: Uint8Array, index: number): LedgerEntry {
    const fail = (reason: string, found: string): Failure =>
      new Failure(reason, `Entry ${index}: ${found}.`, index);
    const value = canonicalOf(bytes);
    if (value === undefined) throw fail('NOT_CANONICAL', 'its bytes are not canonical JSON');
    // As in a whole log: these four need no shape, and the closer reason wins.
    const { v, log, seq, prev } = value;
    if (v !== 1) throw fail('UNSUPPORTED_VERSION', 'it is not of version 1');
    if (log !== this.#origin) throw fail('ORIGIN_MISMATCH', 'it names another log');
    if (seq !== index) throw fail('SEQ_GAP', `its seq is not ${index}`);
    if (index === this.#next && prev !== this.#leaf) {
      throw fail('CHAIN_BREAK', 'its prev is not the hash of the one before');
    }
    const entry = entryOf(bytes);
    if (typeof entry === 'string') throw fail('UNSUPPORTED_VERSION', entry);
    if (entry.ts < this.#ts)
      throw fail('TIME_REGRESSION', 'its ts is before that of an earlier one');
    if (this.#ids.has(entry.id)) throw fail('DUPLICATE_ID', `the id ${entry.id} appears twice`);
    const subject = JSON.stringify([entry.subj.kind, entry.subj.id]);
    if (entry.subj.ver <= (this.#versions.get(subject) ?? 0)) {
      throw fail('SUBJECT_VERSION_GAP', `subj.ver is ${entry.subj.ver} again`);
    }
    this.#ids.add(entry.id);
    this.#versions.set(subject, entry.subj.ver);
    this.#next = index + 1;
    this.#leaf = hexOf(leafHash(bytes));
    this.#ts = entry.ts;
    return entry;
  }
}

/** The fields of an entry, none when it is no object; undefined when its bytes are not canonical. */
function canonicalOf(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value = parseStrict(text);
    if (Buffer.compare(canonicalBytes(value), bytes) !== 0) return undefined;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : {}; // Any object is one.
  } catch {
    // Whatever the parsers refuse is not canonical; which of them it was does not matter to the verdict.
    return undefined;
  }
}

function entryOf(bytes: Uint8Array): LedgerEntry | string {
  try {
    return parseEntry(bytes);
  } catch (error) {
    if (error instanceof FilewrightError) return error.message;
    throw error;
  }
}

function hexOf(hash: Uint8Array): string {
  return Buffer.from(hash).toString('hex');
}
