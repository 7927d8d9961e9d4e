import { hash } from 'node:crypto';

/** Bytes of a SHA-256 hash. */
export const HASH_BYTES = 32;

// RFC 6962 § 2.1: the prefixes keep a leaf from being passed off as an inner node.
const LEAF_PREFIX = 0x00;
const NODE_PREFIX = 0x01;

// One-shot hashing costs two thirds of createHash for inputs of this size.
export function sha256(bytes: Uint8Array): Uint8Array {
  return hash('sha256', bytes, 'buffer');
}

/** SHA-256( 0x00 ‖ entry bytes ). */
export function leafHash(entryBytes: Uint8Array): Uint8Array {
  const input = Buffer.allocUnsafe(1 + entryBytes.length);
  input[0] = LEAF_PREFIX;
  input.set(entryBytes, 1);
  return sha256(input);
}

/** SHA-256( 0x01 ‖ left ‖ right ). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  const input = Buffer.allocUnsafe(1 + 2 * HASH_BYTES);
  input[0] = NODE_PREFIX;
  input.set(left, 1);
  input.set(right, 1 + HASH_BYTES);
  return sha256(input);
}

export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** Not in constant time: for hashes that are public anyway. */
export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}
