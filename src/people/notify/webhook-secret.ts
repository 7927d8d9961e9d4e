/** Secrets of webhooks, in the form of the Standard Webhooks specification: `whsec_` and base64 of 24 to 64 bytes. */
import { misuse, type Random } from '../../core/index.ts';

const PREFIX = 'whsec_';
const BYTES_MIN = 24;
const BYTES_MAX = 64;
const NEW_BYTES = 32;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export function newWebhookSecret(random: Random): string {
  return PREFIX + Buffer.from(random.bytes(NEW_BYTES)).toString('base64');
}

/** The secret itself if it can sign. What it is stays out of the message. */
export function checkWebhookSecret(text: string): string {
  const encoded = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : '';
  const { length } = Buffer.from(encoded, 'base64');
  if (BASE64.test(encoded) && length >= BYTES_MIN && length <= BYTES_MAX) return text;
  throw misuse(
    `Expected a webhook secret: whsec_ and base64 of ${BYTES_MIN} to ${BYTES_MAX} bytes; ` +
      'leave it out, and one is created',
  );
}
