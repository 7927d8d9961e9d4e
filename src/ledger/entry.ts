import {
  canonicalBytes,
  invariant,
  type JsonValue,
  LEDGER_BOUNDARIES,
  type LedgerBoundary,
  overLimit,
} from '../core/index.ts';
import { entryFault } from './entry-shape.ts';
import type { EntryPlace, IntakeEntry, LedgerEntry } from './entry-type.ts';
import { leafHash, sha256, toHex } from './hashes.ts';

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
    throw overLimit(
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
