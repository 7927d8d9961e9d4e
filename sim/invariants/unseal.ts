/** Opens a sealed body from ledger.md § 6 alone: another reading of the format than the product's. */
import { createDecipheriv, createHmac } from 'node:crypto';
import type { SealedParts } from '../evidence.ts';

/** Before a wrapped key: which tenant key it is wrapped under. */
const LABEL_BYTES = 8;
const NONCE_END = 13;
const TAG_BYTES = 16;
const SALT_BYTES = 32;

export function unseal(
  parts: SealedParts,
  context: { readonly origin: string; readonly tenantKey: Uint8Array; readonly cm?: string },
): Buffer {
  const wrapped = parts.wrapped.subarray(LABEL_BYTES);
  const dek = decrypt(context.tenantKey, wrapped, `filewright.key.v1\n${parts.keyId}\n`);
  const aad = `filewright.body.v1\n${context.origin}\n${parts.entry}\n${parts.keyId}\n`;
  const plain = decrypt(dek, parts.blob, aad);
  const body = plain.subarray(SALT_BYTES);
  const cm = createHmac('sha256', plain.subarray(0, SALT_BYTES)).update(body).digest('hex');
  if (context.cm !== undefined && context.cm !== cm) throw new Error('The commitment differs');
  return body;
}

function decrypt(key: Uint8Array, blob: Uint8Array, aad: string): Buffer {
  const end = blob.length - TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, blob.subarray(1, NONCE_END));
  decipher.setAAD(Buffer.from(aad)).setAuthTag(blob.subarray(end));
  return Buffer.concat([decipher.update(blob.subarray(NONCE_END, end)), decipher.final()]);
}
