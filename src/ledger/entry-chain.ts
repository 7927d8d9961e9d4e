import { FilewrightError } from '../core/index.ts';
import { DigestTable } from './digest-table.ts';
import { genesisPrev } from './entry.ts';
import type { LedgerEntry } from './entry-type.ts';
import { entryFault, isLedgerEntry } from './entry-shape.ts';
import { toHex } from './hashes.ts';
import { readCanonical } from './read-canonical.ts';

/**
 * The reasons of ledger format 1, § 9, step 7. An entry whose keys or values are not those of § 3 is not of version 1
 * whatever its `v` says; that is asked after the checks that need one field each, so that a closer reason wins.
 */
export type EntryFault =
  | 'NOT_CANONICAL'
  | 'UNSUPPORTED_VERSION'
  | 'ORIGIN_MISMATCH'
  | 'SEQ_GAP'
  | 'CHAIN_BREAK'
  | 'TIME_REGRESSION'
  | 'DUPLICATE_ID'
  | 'SUBJECT_VERSION_GAP';

type EntryCheck =
  | { readonly ok: true; readonly entry: LedgerEntry }
  | { readonly ok: false; readonly reason: EntryFault; readonly found: string };

/** What must hold from one entry to the next. Once a check has failed, later answers mean nothing. */
export class EntryChain {
  private readonly origin: string;
  private readonly ids = new DigestTable();
  private readonly subjects = new DigestTable();
  private seq = 0;
  private prev: string;
  private ts = '';

  constructor(origin: string) {
    this.origin = origin;
    this.prev = toHex(genesisPrev(origin));
  }

  /** The time of the last entry; empty before the first one. */
  get lastTs(): string {
    return this.ts;
  }

  /** Checks the next entry; the order of the checks is part of the format (ledger format 1, § 9, step 7). */
  next(bytes: Uint8Array, leaf: Uint8Array): EntryCheck {
    const value = readCanonical(bytes);
    if (value === undefined) return fail('NOT_CANONICAL', 'its bytes are not canonical JSON');
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return fail('UNSUPPORTED_VERSION', 'it is not an object');
    }
    // These four compare with one known value, so they need no shape, and the closer reason wins.
    const { v, log, seq, prev } = value as Readonly<Record<string, unknown>>; // Any object is one.
    if (v !== 1) return fail('UNSUPPORTED_VERSION', 'it is not of version 1');
    if (log !== this.origin) return fail('ORIGIN_MISMATCH', 'it names another log');
    if (seq !== this.seq) return fail('SEQ_GAP', `its seq is not ${this.seq}`);
    if (prev !== this.prev)
      return fail('CHAIN_BREAK', 'its prev is not the hash of the one before');
    if (!isLedgerEntry(value))
      return fail('UNSUPPORTED_VERSION', entryFault(value) ?? 'its shape is wrong');
    if (value.ts < this.ts)
      return fail('TIME_REGRESSION', 'its ts is before that of the one before');

    const usedBy = this.ids.put(value.id, this.seq + 1);
    if (usedBy > 0) return fail('DUPLICATE_ID', `entry ${usedBy - 1} has the same id`);
    const { kind, id, ver } = value.subj;
    // As JSON, so that no kind and id can be cut differently into the same text.
    const version = this.subjects.count(JSON.stringify([kind, id]));
    if (ver !== version) return fail('SUBJECT_VERSION_GAP', `subj.ver is ${ver}, not ${version}`);

    this.seq++;
    this.prev = toHex(leaf);
    this.ts = value.ts;
    return { ok: true, entry: value };
  }
}

/** Reads one stored entry; throws `LEDGER_BROKEN` when the bytes are not an entry of format 1. */
export function parseEntry(bytes: Uint8Array): LedgerEntry {
  const value = readCanonical(bytes);
  if (isLedgerEntry(value)) return value;
  const found = value === undefined ? 'its bytes are not canonical JSON' : entryFault(value);
  throw new FilewrightError('LEDGER_BROKEN', `Expected an entry of ledger format 1, but ${found}.`);
}

function fail(reason: EntryFault, found: string): EntryCheck {
  return { ok: false, reason, found };
}
