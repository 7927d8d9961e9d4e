/** The JSON rules of the ledger under the names its format gives them; the work is done in core. */
import {
  canonicalBytes as canonicalBytesOfAnySize,
  type JsonValue,
  overLimit,
  parseStrictJson,
} from '../core/index.ts';
import { ENTRY_BYTES_MAX } from './entry.ts';

/** The canonical bytes of a value that may stand in an entry (ledger format 1, § 2): integers only, 65,535 bytes. */
export function canonicalBytes(value: JsonValue): Uint8Array {
  const bytes = canonicalBytesOfAnySize(value);
  if (bytes.length <= ENTRY_BYTES_MAX) return bytes;
  throw overLimit(
    `Expected a value of at most ${ENTRY_BYTES_MAX} canonical bytes, found ${bytes.length}. Put the large part in the sealed body.`,
    { details: { bytes: bytes.length } },
  );
}

/** RFC 8785 as it stands, with fractions and of any size: for documents that are not entries. */
export function canonicalBytesRfc8785(value: JsonValue): Uint8Array {
  return canonicalBytesOfAnySize(value, { numbers: 'any' });
}

/** Reads untrusted JSON; refuses duplicate keys, lone surrogates and whatever else two readers may see differently. */
export function parseStrict(text: string | Uint8Array): JsonValue {
  return parseStrictJson(text);
}
