/** What an authority of time is asked (RFC 3161 § 2.4.1): to stamp the hash of a signed head. */
import { sha256 } from '../hashes.ts';
import { parseNote } from '../note.ts';
import { der, derOid, TAG } from './der.ts';

/** Enough that nobody guesses it, and few enough for every authority. */
export const NONCE_BYTES = 8;

const VERSION_1 = der(TAG.integer, Uint8Array.of(1));
/** SHA-256 with its parameters, as every authority writes them. */
const SHA256 = der(
  TAG.sequence,
  derOid('2.16.840.1.101.3.4.2.1') ?? new Uint8Array(0),
  Uint8Array.of(0x05, 0x00),
);
const TRUE = der(TAG.boolean, Uint8Array.of(0xff));

interface StampQuestion {
  /** SHA-256 of what is stamped. */
  readonly imprint: Uint8Array;
  /** The content of an INTEGER; see `nonceOf`. */
  readonly nonce: Uint8Array;
  /** The policy that is asked for, as an object identifier; that of the authority by default. */
  readonly policy?: string;
}

/** Dice made into the one DER spelling of a positive number. */
export function nonceOf(dice: Uint8Array): Uint8Array {
  const bytes = Uint8Array.from(dice);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes;
}

export function stampRequest({ imprint, nonce, policy }: StampQuestion): Uint8Array {
  const wanted = policy === undefined ? undefined : derOid(policy);
  return der(
    TAG.sequence,
    VERSION_1,
    der(TAG.sequence, SHA256, der(TAG.octets, imprint)),
    ...(wanted === undefined ? [] : [wanted]),
    der(TAG.integer, nonce),
    // The certificates come along, so that a stamp is judged offline for as long as it is kept.
    TRUE,
  );
}

/**
 * What is stamped of a head: the three lines that are signed. More signatures may come under them later; the text stays.
 * Undefined when it is no note.
 */
export function imprintOf(note: Uint8Array): Uint8Array | undefined {
  const parsed = parseNote(note);
  return 'kind' in parsed ? undefined : sha256(Buffer.from(parsed.text, 'utf8'));
}
