/** Opening sealed bodies for somebody who may read them, with the salt that lets a stranger check the commitment. */
import { createDecipheriv } from 'node:crypto';
import { FilewrightError } from '../../core/index.ts';
import {
  bodyAad,
  type FoundBody,
  type Installation,
  isOwned,
  openBody,
  payloadOwner,
} from '../../ledger/index.ts';

interface Disclosure {
  /** The canonical text that was sealed. */
  readonly canonical: Uint8Array;
  readonly salt: Uint8Array;
}

// Ledger format 1, § 6: one byte of version, nonce, AES-256-GCM of salt and text, tag.
const NONCE = { from: 1, to: 13 };
const TAG_BYTES = 16;
const SALT_BYTES = 32;

/** Undefined when the body was shredded. Throws `SEAL_BROKEN` when it is not the one of the entry. */
export function discloseBody(
  app: Installation,
  { entry, stored }: FoundBody,
): Disclosure | undefined {
  if (stored?.key === undefined) return undefined;
  const { blob, key } = stored;
  const dek = app.vault.dataKey(key);
  const owner = isOwned(blob) ? payloadOwner(entry) : undefined;
  const place = { origin: entry.log, id: entry.id, keyId: entry.body.key, dek, owner };
  // Checks hash, seal and commitment; what follows only takes the salt from the same bytes.
  const { canonical } = openBody({ ...place, blob, expected: entry.body });
  const decipher = createDecipheriv('aes-256-gcm', dek, blob.subarray(NONCE.from, NONCE.to), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(bodyAad(place));
  decipher.setAuthTag(blob.subarray(blob.length - TAG_BYTES));
  const plain = decipher.update(blob.subarray(NONCE.to, blob.length - TAG_BYTES));
  decipher.final();
  if (Buffer.compare(plain.subarray(SALT_BYTES), canonical) !== 0) {
    throw new FilewrightError(
      'SEAL_BROKEN',
      `The body of entry ${entry.seq} has two different contents`,
    );
  }
  return { canonical, salt: plain.subarray(0, SALT_BYTES) };
}

/** The file by which `verify.py` checks a disclosed body against the commitment in its entry. */
export function disclosureText(id: string, { canonical, salt }: Disclosure): string {
  return JSON.stringify({
    id,
    salt: Buffer.from(salt).toString('hex'),
    body: Buffer.from(canonical).toString('utf8'),
  });
}
