/**
 * Writes the entries of a group into one buffer, each behind the zero byte of a leaf, so that it is hashed and sent
 * where it lies. The bytes are those of the ledger's own `buildEntry`: a row of the usual shape is put together here
 * without sorting keys that are known beforehand; anything else goes to `buildEntry`, which also says what is wrong.
 */
import { hash } from 'node:crypto';
import {
  canonicalText,
  type Instant,
  invariant,
  type JsonValue,
  toRfc3339,
} from '../../core/index.ts';
import { buildEntry, ENTRY_BYTES_MAX } from '../entry.ts';
import type { IntakeEntry } from '../entry-type.ts';
import { type Row, text, when } from '../../postgres/index.ts';

/** Room for a group of usual entries; it grows when one is larger. */
const BUFFER_BYTES = 512 * 1024;
/** A text has at most three bytes of UTF-8 for each of its UTF-16 units. */
const BYTES_PER_UNIT = 3;
// RFC 6962 § 2.1: what a leaf's hash begins with.
const LEAF_PREFIX = 0x00;
/** Types are words of this program; the bound only keeps a fault from growing the set. */
const TYPES_MAX = 1_000;

const YEAR_10000_MS = Date.UTC(10_000, 0, 1);

const PLAIN = /^[ !#-[\]-~]*$/;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TYPE = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+$/;
const ACTOR_KINDS: ReadonlySet<unknown> = new Set(['service', 'user', 'system']);
const CLASSES: ReadonlySet<unknown> = new Set(['public', 'internal', 'confidential', 'privileged']);
/** How PostgreSQL writes a sealed body: jsonb orders keys by their length. */
const BODY =
  /^\{"cm": "([0-9a-f]{64})", "ct": "([0-9a-f]{64})", "alg": "A256GCM", "key": "([ !#-[\]-~]*)"\}$/;

export interface WrittenEntry {
  readonly id: string;
  /** Where its bytes begin in the buffer, without the zero byte. */
  readonly start: number;
  readonly length: number;
  readonly leaf: Buffer;
}

export class EntryWriter {
  readonly #origin: string;
  readonly #types = new Set<string>();
  #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #end = 0;
  #at: Instant | undefined;
  #atText = '';

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Everything written since `clear`; valid until then. */
  get written(): Uint8Array {
    return this.#buffer.subarray(0, this.#end);
  }

  clear(): void {
    this.#end = 0;
  }

  write(
    row: Row,
    place: { readonly seq: number; readonly prev: Buffer; readonly ts: string },
  ): WrittenEntry {
    const usual = this.#usual(row, place);
    const start = this.#end + 1;
    if (usual === undefined) {
      // Every count begins with one; the shape of an entry alone would allow any whole number.
      const ver = Number(row['subj_ver']);
      invariant(ver >= 1, `Expected a version of 1 or more, found ${ver}.`);
      const { bytes } = buildEntry(this.#intakeOf(row), { log: this.#origin, ...place });
      this.#reserve(bytes.length + 1);
      this.#buffer.set(bytes, start);
      this.#end = start + bytes.length;
    } else {
      this.#reserve(usual.length * BYTES_PER_UNIT + 1);
      this.#end = start + this.#buffer.write(usual, start);
    }
    this.#buffer[start - 1] = LEAF_PREFIX;
    const length = this.#end - start;
    // The ledger's own builder refuses it with the reason and the remedy.
    if (length > ENTRY_BYTES_MAX) buildEntry(this.#intakeOf(row), { log: this.#origin, ...place });
    const leaf = hash('sha256', this.#buffer.subarray(start - 1, this.#end), 'buffer');
    return { id: text(row['id']), start, length, leaf };
  }

  /** The text of an entry whose every field has the usual shape; undefined otherwise. */
  #usual(
    row: Row,
    place: { readonly seq: number; readonly prev: Buffer; readonly ts: string },
  ): string | undefined {
    const { id, type, data, trace, cls } = row;
    if (typeof id !== 'string' || !UUID_V7.test(id)) return undefined;
    if (typeof type !== 'string' || !this.#isType(type)) return undefined;
    if (typeof data !== 'object' || data === null || Array.isArray(data)) return undefined;
    const actorKind = row['actor_kind'];
    const ver = Number(row['subj_ver']);
    if (!ACTOR_KINDS.has(actorKind) || !CLASSES.has(cls) || !(ver >= 1)) return undefined;
    const body = bodyText(row['body']);
    const [actorId, subjectId, subjectKind] = [row['actor_id'], row['subj_id'], row['subj_kind']];
    const isPlain =
      plain(trace) &&
      plain(actorId) &&
      plain(subjectId) &&
      plain(subjectKind) &&
      body !== undefined;
    if (!isPlain) return undefined;
    // jsonb gives nothing but JSON values.
    const facts = canonicalText(data as JsonValue);
    return `{"actor":{"id":"${actorId}","kind":"${String(actorKind)}"},"at":"${this.#time(row['at'])}","body":${body},"cls":"${String(cls)}","data":${facts},"id":"${id}","log":"${this.#origin}","prev":"${place.prev.toString('hex')}","seq":${place.seq},"subj":{"id":"${subjectId}","kind":"${subjectKind}","ver":${ver}},"trace":"${trace}","ts":"${place.ts}","type":"${type}","v":1}`;
  }

  #isType(type: string): boolean {
    if (this.#types.has(type)) return true;
    if (!TYPE.test(type)) return false;
    if (this.#types.size < TYPES_MAX) this.#types.add(type);
    return true;
  }

  /** Facts of one transaction have the same moment, and writing it out is dear. */
  #time(value: unknown): string {
    const at = when(value);
    if (at !== this.#at) {
      // Later than any year of four digits it would be written as no reader expects.
      invariant(at < YEAR_10000_MS, 'Expected a moment before the year 10000.');
      this.#atText = toRfc3339(at);
      this.#at = at;
    }
    return this.#atText;
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#end + bytes));
    larger.set(this.#buffer.subarray(0, this.#end));
    this.#buffer = larger;
  }

  #intakeOf(row: Row): IntakeEntry {
    return {
      id: text(row['id']),
      at: this.#time(row['at']),
      type: text(row['type']),
      subj: {
        kind: text(row['subj_kind']),
        id: text(row['subj_id']),
        ver: Number(row['subj_ver']),
      },
      // Each of these columns is held to its words by a check constraint or by buildEntry itself.
      actor: { kind: row['actor_kind'] as IntakeEntry['actor']['kind'], id: text(row['actor_id']) },
      trace: text(row['trace']),
      cls: row['cls'] as IntakeEntry['cls'],
      data: row['data'] as IntakeEntry['data'],
      body: row['body'] === null ? null : (JSON.parse(text(row['body'])) as IntakeEntry['body']),
    };
  }
}

function plain(value: unknown): value is string {
  return typeof value === 'string' && PLAIN.test(value);
}

function bodyText(body: unknown): string | undefined {
  if (body === null) return 'null';
  const [, cm, ct, key] = typeof body === 'string' ? (BODY.exec(body) ?? []) : [];
  if (cm === undefined || ct === undefined || key === undefined) return undefined;
  return `{"alg":"A256GCM","cm":"${cm}","ct":"${ct}","key":"${key}"}`;
}
