import { canonicalBytes, FilewrightError, invariant, type JsonValue } from '../core/index.ts';
import { entryFault } from './entry-shape.ts';
import { leafHash, sha256, toHex } from './hashes.ts';

/** One log per tenant and boundary; no boundary can write into the log of another. */
export const LEDGER_BOUNDARIES = [
  'ingestion',
  'reconciliation',
  'rules',
  'reporting',
  'fallback',
  'filing',
  'access',
  'spine',
] as const;
export type LedgerBoundary = (typeof LEDGER_BOUNDARIES)[number];

/** What an entry is about; `ver` counts 1, 2, 3 … for each (kind, id) within one log. */
export interface LedgerSubject {
  readonly kind: string;
  readonly id: string;
  readonly ver: number;
}

export interface LedgerActor {
  readonly kind: 'service' | 'user' | 'system';
  readonly id: string;
}

export type LedgerClass = 'public' | 'internal' | 'confidential' | 'privileged';

/** What an entry says about its sealed body: which key, the blob's hash, the blinded commitment (both hex). */
export interface SealedBody {
  readonly alg: 'A256GCM';
  readonly key: string;
  readonly ct: string;
  readonly cm: string;
}

/** What the transaction of a state change writes; the sequencer adds the place in the log. */
export interface IntakeEntry {
  /** UUIDv7 of the intake row, unique in the log: appending it twice is noticed. */
  readonly id: string;
  /** When it happened, RFC 3339 in UTC with exactly milliseconds. */
  readonly at: string;
  readonly type: string;
  readonly subj: LedgerSubject;
  readonly actor: LedgerActor;
  readonly trace: string;
  readonly cls: LedgerClass;
  /** Facts that may stay readable for ever. Anything else belongs in the sealed body. */
  readonly data: Readonly<Record<string, JsonValue>>;
  readonly body: SealedBody | null;
}

/** An entry as it stands in the log. */
export interface LedgerEntry extends IntakeEntry {
  readonly v: 1;
  readonly log: string;
  readonly seq: number;
  readonly prev: string;
  readonly ts: string;
}

/** The place the sequencer gives to an entry. */
export interface EntryPlace {
  /** The log's origin. */
  readonly log: string;
  readonly seq: number;
  /** Leaf hash of the entry before it, or `genesisPrev(origin)`. */
  readonly prev: Uint8Array;
  /** The sequencer's clock; never before the previous entry's. */
  readonly ts: string;
}

// The tile format puts a uint16 length before each entry.
export const ENTRY_BYTES_MAX = 65_535;

/**
 * The bytes of an entry and their leaf hash. Store these bytes and hash only these: a row rebuilt from columns
 * or from jsonb is a different text.
 */
export function buildEntry(
  intake: IntakeEntry,
  place: EntryPlace,
): { readonly bytes: Uint8Array; readonly leaf: Uint8Array } {
  const entry: LedgerEntry = {
    actor: intake.actor,
    at: intake.at,
    body: intake.body,
    cls: intake.cls,
    data: intake.data,
    id: intake.id,
    log: place.log,
    prev: toHex(place.prev),
    seq: place.seq,
    subj: intake.subj,
    trace: intake.trace,
    ts: place.ts,
    type: intake.type,
    v: 1,
  };
  const fault = entryFault(entry);
  invariant(fault === undefined, `Expected an entry of ledger format 1, but ${fault}.`, {
    log: place.log,
    seq: place.seq,
    id: intake.id,
  });
  // An interface has no index signature, which JsonValue asks for; entryFault has just checked every field.
  const bytes = canonicalBytes(entry as unknown as JsonValue);
  if (bytes.length > ENTRY_BYTES_MAX) {
    throw new FilewrightError(
      'INPUT_LIMIT',
      `Expected an entry of at most ${ENTRY_BYTES_MAX} bytes, found ${bytes.length}. Put the large part in the sealed body.`,
      { details: { log: place.log, id: intake.id, bytes: bytes.length } },
    );
  }
  return { bytes, leaf: leafHash(bytes) };
}

// Bytes that UTF-8 never holds: what begins with one equals no entry.
const NOT_UTF8 = Uint8Array.of(0xff);
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The bytes of an entry that is given as its text. */
export function entryBytes(entry: string | Uint8Array): Uint8Array {
  if (typeof entry !== 'string') return entry;
  const bytes = Buffer.from(entry, 'utf8');
  // Half a surrogate pair becomes U+FFFD in UTF-8, which would make two different texts the same entry.
  if (bytes.length > entry.length && LONE_SURROGATE.test(entry)) {
    return Buffer.concat([NOT_UTF8, bytes]);
  }
  return bytes;
}

/** What the first entry of a log holds as `prev`; it ties the chain to its origin. */
export function genesisPrev(origin: string): Uint8Array {
  return sha256(Buffer.from(`filewright.ledger.v1\n${origin}\n`, 'utf8'));
}

// A scheme-less URL: signed notes split their lines at spaces and verifier keys at plus signs.
const INSTANCE = /^[A-Za-z0-9._~:-]+(?:\/[A-Za-z0-9._~-]+)*$/;
// No slash, so that two different tenants can never share an origin.
const TENANT = /^[A-Za-z0-9._~-]+$/;

/** The name of a log and of its signing key, e.g. `ledger.example.org/acme/filing`. */
export function logOrigin(instance: string, tenant: string, boundary: LedgerBoundary): string {
  invariant(
    INSTANCE.test(instance),
    `Expected an instance like ledger.example.org, without scheme, spaces or plus signs; found "${instance}".`,
  );
  invariant(
    TENANT.test(tenant),
    `Expected a tenant of letters, digits and . _ ~ -; found "${tenant}".`,
  );
  invariant(LEDGER_BOUNDARIES.includes(boundary), `Expected a boundary, found "${boundary}".`);
  return `${instance}/${tenant}/${boundary}`;
}
