/**
 * Links by which a person acknowledges a message. A token holds a random reference and the moment it ends, and is signed;
 * what the reference stands for is known to the store alone, so that a link tells nobody anything.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Instant, instant, invariant, type Random, trimEndOf } from '../../core/index.ts';

const REFERENCE_BYTES = 16;
/** Whole seconds in 40 bits: enough for 34,000 years. */
const EXPIRY_BYTES = 5;
const MAC_BYTES = 32;
const KEY_BYTES_MIN = 32;
const TOKEN_BYTES = REFERENCE_BYTES + EXPIRY_BYTES + MAC_BYTES;
/** No other signature made with the same key can pass for one of these. */
const PURPOSE = 'filewright/acknowledgement-link/1\0';

const TOKEN = /^[A-Za-z0-9_-]{71}$/;

interface AcknowledgementTicket {
  /** 32 hex digits; the store finds the message by it. */
  readonly reference: string;
  readonly expiresAt: Instant;
}

export interface AcknowledgementLinks {
  /** The same ticket gives the same token, so that a notice that is sent again holds the same link. */
  readonly tokenFor: (ticket: AcknowledgementTicket) => string;
  readonly urlFor: (ticket: AcknowledgementTicket, publicUrl: string) => string;
  /** Undefined for whatever was not signed here; whether it has expired is for the reader to see. */
  readonly read: (token: string) => AcknowledgementTicket | undefined;
}

const ACKNOWLEDGEMENT_PATH = '/acknowledge/';

export function newReference(random: Random): string {
  return Buffer.from(random.bytes(REFERENCE_BYTES)).toString('hex');
}

/** The first key signs and each of them verifies, so that a key can be replaced while links are out. */
export function acknowledgementLinks(keys: readonly Uint8Array[]): AcknowledgementLinks {
  const [current] = keys;
  invariant(current !== undefined, 'Expected a key for acknowledgement links.');
  for (const key of keys) {
    invariant(
      key.length >= KEY_BYTES_MIN,
      `Expected ${KEY_BYTES_MIN} bytes or more in a key for acknowledgement links.`,
    );
  }
  const tokenFor = ({ reference, expiresAt }: AcknowledgementTicket): string => {
    invariant(/^[0-9a-f]{32}$/.test(reference), 'Expected a reference of 32 hex digits.');
    const head = Buffer.alloc(REFERENCE_BYTES + EXPIRY_BYTES);
    head.write(reference, 'hex');
    head.writeUIntBE(Math.floor(expiresAt / 1_000), REFERENCE_BYTES, EXPIRY_BYTES);
    return Buffer.concat([head, macOf(head, current)]).toString('base64url');
  };
  return {
    tokenFor,
    urlFor: (ticket, publicUrl) =>
      trimEndOf(publicUrl, '/') + ACKNOWLEDGEMENT_PATH + tokenFor(ticket),
    read: (token) => {
      const bytes = TOKEN.test(token) ? Buffer.from(token, 'base64url') : Buffer.alloc(0);
      // The last character carries spare bits: only the one spelling that we write is ours.
      if (bytes.length !== TOKEN_BYTES || bytes.toString('base64url') !== token) return undefined;
      const head = bytes.subarray(0, REFERENCE_BYTES + EXPIRY_BYTES);
      const mac = bytes.subarray(REFERENCE_BYTES + EXPIRY_BYTES);
      // Every key is tried, whichever fits: the time taken tells nothing.
      const fits = keys.map((key) => timingSafeEqual(mac, macOf(head, key)));
      if (!fits.includes(true)) return undefined;
      return {
        reference: head.toString('hex', 0, REFERENCE_BYTES),
        expiresAt: instant(head.readUIntBE(REFERENCE_BYTES, EXPIRY_BYTES) * 1_000),
      };
    },
  };
}

function macOf(head: Uint8Array, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update(PURPOSE).update(head).digest().subarray(0, MAC_BYTES);
}
