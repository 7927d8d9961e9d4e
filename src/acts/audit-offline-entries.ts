/**
 * What must hold among some entries of a log, where those between them are not shown: each is canonical and of this log,
 * neighbours are chained, time does not fall, no id comes twice, and versions of a subject only rise.
 */
import { FilewrightError } from '../core/index.ts';
import {
  canonicalBytes,
  leafHash,
  type LedgerEntry,
  parseEntry,
  parseStrict,
} from '../ledger/index.ts';
import { Failure } from './audit-offline-files.ts';

export class ShownEntries {
  readonly #origin: string;
  readonly #ids = new Set<string>();
  readonly #versions = new Map<string, number>();
  #next = -1;
  #leaf = '';
  #ts = '';

  constructor(origin: string) {
    this.#origin = origin;
  }

  check(bytes: Uint8Array, index: number): LedgerEntry {
    const fail = (reason: string, found: string): Failure =>
      new Failure(reason, `Entry ${index}: ${found}.`, index);
    if (!isCanonical(bytes)) throw fail('NOT_CANONICAL', 'its bytes are not canonical JSON');
    const entry = entryOf(bytes);
    if (typeof entry === 'string') throw fail('UNSUPPORTED_VERSION', entry);
    if (entry.log !== this.#origin) throw fail('ORIGIN_MISMATCH', 'it names another log');
    if (entry.seq !== index) throw fail('SEQ_GAP', `its seq is ${entry.seq}`);
    if (index === this.#next && entry.prev !== this.#leaf) {
      throw fail('CHAIN_BREAK', 'its prev is not the hash of the one before');
    }
    if (entry.ts < this.#ts)
      throw fail('TIME_REGRESSION', 'its ts is before that of an earlier one');
    if (this.#ids.has(entry.id)) throw fail('DUPLICATE_ID', `the id ${entry.id} was there before`);
    const subject = JSON.stringify([entry.subj.kind, entry.subj.id]);
    if (entry.subj.ver <= (this.#versions.get(subject) ?? 0)) {
      throw fail('SUBJECT_VERSION_GAP', `subj.ver is ${entry.subj.ver} again`);
    }
    this.#ids.add(entry.id);
    this.#versions.set(subject, entry.subj.ver);
    this.#next = index + 1;
    this.#leaf = Buffer.from(leafHash(bytes)).toString('hex');
    this.#ts = entry.ts;
    return entry;
  }
}

function isCanonical(bytes: Uint8Array): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return Buffer.compare(canonicalBytes(parseStrict(text)), bytes) === 0;
  } catch {
    // Whatever the parsers refuse is not canonical; which of them it was does not matter to the verdict.
    return false;
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
