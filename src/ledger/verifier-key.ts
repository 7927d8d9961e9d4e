/** C2SP signed-note keys: how they are written, named and turned into something that checks signatures. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { badInput, type FilewrightError, invariant } from '../core/index.ts';
import { fromBase64, toBase64 } from './base64.ts';
import { sha256, toHex } from './hashes.ts';

/** `log` signs a note as it is (type 0x01); `witness` signs it together with a time (type 0x04). */
export type KeyRole = 'log' | 'witness';

export interface VerifierKey {
  readonly role: KeyRole;
  readonly name: string;
  /** Eight lower-case hex digits. Name and id together say whose signature a line is. */
  readonly id: string;
  /** 32 bytes, RFC 8032. */
  readonly publicKey: Uint8Array;
  /** As `parseVerifierKey` reads it. */
  readonly text: string;
  readonly keyObject: KeyObject;
}

const TYPE_OF: Readonly<Record<KeyRole, number>> = { log: 0x01, witness: 0x04 };
const KEY_ID_BYTES = 4;
const KEY_ID = /^[0-9a-f]{8}$/;
const KEY_BYTES = 32;
// RFC 8410: what stands before the 32 bytes of an Ed25519 key in its DER form.
const PUBLIC_DER_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const PRIVATE_DER_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

// Note lines are split at spaces, verifier keys at plus signs; half a surrogate pair has no UTF-8 to be hashed.
// oxlint-disable-next-line no-control-regex -- notes may not hold control characters, so names may not either.
const NOT_IN_NAMES = /[\u0000-\u001f+]|\p{White_Space}|\p{Surrogate}/u;

/** Whether a text can name a key: not empty, no spaces of any kind, no plus sign, no control characters. */
export function isKeyName(name: string): boolean {
  return name !== '' && !NOT_IN_NAMES.test(name);
}

/**
 * Reads `<name>+<8 hex digits>+<base64 of type and key>`. Throws `INPUT_MALFORMED` unless the digits are the id of
 * exactly this name, type and key, so a damaged key is noticed here and not as a mysterious failing signature.
 */
export function parseVerifierKey(text: string): VerifierKey {
  if (typeof text !== 'string') throw refused('it is not a text');
  const [name = '', id = ''] = text.split('+', 2);
  if (!isKeyName(name)) throw refused('its name is empty or has spaces or control characters');
  if (!KEY_ID.test(id)) throw refused('its id is not eight lower-case hex digits');
  const encoded = fromBase64(text.slice(name.length + id.length + 2));
  if (encoded === undefined) throw refused('its last part is not base64');
  const [type] = encoded;
  const role = type === TYPE_OF.log ? 'log' : type === TYPE_OF.witness ? 'witness' : undefined;
  if (role === undefined) throw refused('its type is neither 0x01 (Ed25519) nor 0x04 (witness)');
  if (encoded.length !== 1 + KEY_BYTES) throw refused(`its key is not ${KEY_BYTES} bytes`);
  const key = verifierKey({ role, name, publicKey: encoded.subarray(1) });
  if (key.id !== id) throw refused('its id is not the one of this name and key');
  return key;
}

/** The verifier key of a name and a 32-byte Ed25519 public key. */
export function verifierKey(parts: {
  readonly role: KeyRole;
  readonly name: string;
  readonly publicKey: Uint8Array;
}): VerifierKey {
  const { role, name, publicKey } = parts;
  invariant(isKeyName(name), `Expected a key name without spaces or plus signs, found "${name}".`);
  invariant(publicKey.length === KEY_BYTES, `Expected a public key of ${KEY_BYTES} bytes.`);
  const typed = Buffer.concat([Uint8Array.of(TYPE_OF[role]), publicKey]);
  const hash = sha256(Buffer.concat([Buffer.from(`${name}\n`, 'utf8'), typed]));
  const id = toHex(hash.subarray(0, KEY_ID_BYTES));
  return {
    role,
    name,
    id,
    publicKey: typed.subarray(1),
    text: `${name}+${id}+${toBase64(typed)}`,
    keyObject: createPublicKey({
      key: Buffer.concat([PUBLIC_DER_PREFIX, publicKey]),
      format: 'der',
      type: 'spki',
    }),
  };
}

/** Takes an Ed25519 private key as Node holds it, or its 32-byte seed. */
export function privateKeyOf(key: KeyObject | Uint8Array): KeyObject {
  if (key instanceof Uint8Array) {
    invariant(key.length === KEY_BYTES, `Expected an Ed25519 seed of ${KEY_BYTES} bytes.`);
    const der = Buffer.concat([PRIVATE_DER_PREFIX, key]);
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  }
  invariant(
    key.type === 'private' && key.asymmetricKeyType === 'ed25519',
    `Expected an Ed25519 private key, found a ${key.type} key of type ${key.asymmetricKeyType ?? 'none'}.`,
  );
  return key;
}

/** The 32 bytes of the public key that belongs to a private one. */
export function publicKeyOf(privateKey: KeyObject): Uint8Array {
  const der = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return der.subarray(PUBLIC_DER_PREFIX.length);
}

function refused(found: string): FilewrightError {
  return badInput(
    `Expected a verifier key like name+0123abcd+base64, but ${found}. Copy it again from the operator of the log.`,
    { details: { reason: found } },
  );
}
