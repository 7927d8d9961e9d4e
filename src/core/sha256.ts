import { hash } from 'node:crypto';
import { type Sha256Hex, sha256Hex } from './ids.ts';

/** The SHA-256 of bytes, or of a text's UTF-8, in lower-case hex. What comes in pieces is hashed where it comes. */
export function sha256Of(bytes: Uint8Array | string): Sha256Hex {
  return sha256Hex(hash('sha256', bytes, 'hex'));
}
