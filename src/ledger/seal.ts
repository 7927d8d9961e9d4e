import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  type Hmac,
  timingSafeEqual,
} from 'node:crypto';
import {
  canonicalBytes,
  FilewrightError,
  invariant,
  type JsonValue,
  type PayloadOwner,
} from '../core/index.ts';
import type { SealedBody } from './entry-type.ts';

/** Fresh random bytes; comes from the Random port. */
export type RandomBytes = (count: number) => Uint8Array;

export type SealFault = 'BODY_HASH_MISMATCH' | 'BODY_UNREADABLE' | 'COMMITMENT_MISMATCH';

/** What a sealed body is tied to: moved to another log, entry or key, it does not open. */
export interface BodyPlace {
  readonly origin: string;
  /** The id of the entry. */
  readonly id: string;
  readonly keyId: string;
  readonly dek: Uint8Array;
  /** Of a filing's payload. A body that was sealed with an owner opens only with the same one. */
  readonly owner?: PayloadOwner | undefined;
}

const ALGORITHM = 'aes-256-gcm';
const VERSION = 0x01;
/** The first byte of a blob whose context also names a filing and its key. */
const VERSION_OWNED = 0x02;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const SALT_BYTES = 32;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + NONCE_BYTES;

/**
 * Seals what must be destroyable. `body` is the value, or its canonical bytes when the caller has them already;
 * those are not encoded again.
 */
export function sealBody(
  request: BodyPlace & { readonly body: JsonValue | Uint8Array; readonly random: RandomBytes },
): { readonly blob: Uint8Array; readonly sealed: SealedBody } {
  const { body, keyId } = request;
  const canonical = body instanceof Uint8Array ? body : canonicalBytes(body);
  // One call instead of two: the random source is a quarter of the cost of sealing.
  const fresh = request.random(SALT_BYTES + NONCE_BYTES);
  const salt = fresh.subarray(0, SALT_BYTES);
  const plain = Buffer.allocUnsafe(SALT_BYTES + canonical.length);
  plain.set(salt, 0);
  plain.set(canonical, SALT_BYTES);
  const blob = encrypt({
    key: request.dek,
    nonce: fresh.subarray(SALT_BYTES),
    plain,
    aad: bodyAad(request),
    version: versionFor(request.owner),
  });
  const sealed: SealedBody = {
    alg: 'A256GCM',
    key: keyId,
    ct: hash('sha256', blob, 'hex'),
    cm: commitment(salt, canonical).digest('hex'),
  };
  return { blob, sealed };
}

/**
 * Opens a sealed body and gives its canonical bytes. With `expected`, what the entry says, it also checks the
 * blob's hash and the commitment; leave it out only where there is no entry yet. Throws `SEAL_BROKEN` with
 * `details.reason`.
 */
export function openBody(
  request: BodyPlace & { readonly blob: Uint8Array; readonly expected?: SealedBody },
): { readonly canonical: Uint8Array } {
  const { blob, expected, id } = request;
  invariant(
    expected === undefined || expected.key === request.keyId,
    'Expected the key that the entry names.',
    { id, keyId: request.keyId },
  );
  if (expected !== undefined && hash('sha256', blob, 'hex') !== expected.ct) {
    throw broken('BODY_HASH_MISMATCH', 'the blob is not the one the entry names', { id });
  }
  const version = versionFor(request.owner);
  const plain = decrypt({ key: request.dek, blob, aad: bodyAad(request), version });
  if (plain === undefined || plain.length < SALT_BYTES) {
    throw broken('BODY_UNREADABLE', 'the blob does not open with this key for this entry', { id });
  }
  const canonical = plain.subarray(SALT_BYTES);
  // GCM alone does not commit to its key: a blob can be made that opens under two keys to two texts.
  if (expected !== undefined) {
    const found = commitment(plain.subarray(0, SALT_BYTES), canonical).digest();
    const wanted = Buffer.from(expected.cm, 'hex');
    if (wanted.length !== found.length || !timingSafeEqual(found, wanted)) {
      throw broken('COMMITMENT_MISMATCH', 'the body is not the one that was committed to', { id });
    }
  }
  return { canonical };
}

/** Whether a blob is a payload that opens for its filing and key alone. */
export function isOwned(blob: Uint8Array): boolean {
  return blob[0] === VERSION_OWNED;
}

/** Wraps a key under the one above it in the tree: root key → tenant key → data key. */
export function wrapKey(request: {
  readonly wrapping: Uint8Array;
  readonly key: Uint8Array;
  /** Names the key that is wrapped; a wrapped key put in another row does not open. */
  readonly context: string;
  readonly random: RandomBytes;
}): Uint8Array {
  invariant(request.key.length === KEY_BYTES, `Expected a key of ${KEY_BYTES} bytes.`);
  return encrypt({
    key: request.wrapping,
    nonce: request.random(NONCE_BYTES),
    plain: request.key,
    aad: keyAad(request.context),
    version: VERSION,
  });
}

/** Throws `SEAL_BROKEN` with the reason `KEY_UNREADABLE`: another root key, another context, or tampering. */
export function unwrapKey(request: {
  readonly wrapping: Uint8Array;
  readonly blob: Uint8Array;
  readonly context: string;
}): Uint8Array {
  const { blob, context } = request;
  const aad = keyAad(context);
  const key = decrypt({ key: request.wrapping, blob, aad, version: VERSION });
  if (key === undefined || key.length !== KEY_BYTES) {
    throw broken('KEY_UNREADABLE', 'the wrapped key does not open', { context });
  }
  return key;
}

function encrypt(request: {
  readonly key: Uint8Array;
  readonly nonce: Uint8Array;
  readonly plain: Uint8Array;
  readonly aad: Uint8Array;
  readonly version: number;
}): Uint8Array {
  const { key, nonce, plain, aad } = request;
  invariant(key.length === KEY_BYTES, `Expected a key of ${KEY_BYTES} bytes.`);
  invariant(nonce.length === NONCE_BYTES, `Expected ${NONCE_BYTES} random bytes for the nonce.`);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(aad);
  const secret = cipher.update(plain);
  // GCM is a stream: final() computes the tag and adds no bytes.
  cipher.final();
  const blob = Buffer.allocUnsafe(HEAD_BYTES + secret.length + TAG_BYTES);
  blob[0] = request.version;
  blob.set(nonce, 1);
  blob.set(secret, HEAD_BYTES);
  blob.set(cipher.getAuthTag(), HEAD_BYTES + secret.length);
  return blob;
}

function decrypt(request: {
  readonly key: Uint8Array;
  readonly blob: Uint8Array;
  readonly aad: Uint8Array;
  readonly version: number;
}): Uint8Array | undefined {
  const { key, blob, aad } = request;
  invariant(key.length === KEY_BYTES, `Expected a key of ${KEY_BYTES} bytes.`);
  if (blob.length < HEAD_BYTES + TAG_BYTES || blob[0] !== request.version) return undefined;
  const tagAt = blob.length - TAG_BYTES;
  const decipher = createDecipheriv(ALGORITHM, key, blob.subarray(1, HEAD_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(aad).setAuthTag(blob.subarray(tagAt));
  const plain = decipher.update(blob.subarray(HEAD_BYTES, tagAt));
  try {
    decipher.final();
  } catch {
    // The only way final() fails is a wrong tag; the caller says what that means for its blob.
    return undefined;
  }
  return plain;
}

function commitment(salt: Uint8Array, canonical: Uint8Array): Hmac {
  return createHmac('sha256', salt).update(canonical);
}

function versionFor(owner: PayloadOwner | undefined): number {
  return owner === undefined ? VERSION : VERSION_OWNED;
}

/** What a seal authenticates beside the body. */
export function bodyAad(place: Omit<BodyPlace, 'dek'>): Uint8Array {
  const { origin, id, keyId, owner } = place;
  const v1 = `filewright.body.v1\n${origin}\n${id}\n${keyId}\n`;
  const context = owner === undefined ? v1 : `${v1}${owner.filing}\n${owner.key}\n`;
  return Buffer.from(context, 'utf8');
}

function keyAad(context: string): Uint8Array {
  invariant(
    context !== '' && !context.includes('\n'),
    'Expected a key context of one line that is not empty.',
  );
  return Buffer.from(`filewright.key.v1\n${context}\n`, 'utf8');
}

function broken(
  reason: SealFault | 'KEY_UNREADABLE',
  found: string,
  ids: Readonly<Record<string, string>>,
): FilewrightError {
  const named = Object.entries(ids).map(([name, id]) => `${name} ${id}`);
  return new FilewrightError(
    'SEAL_BROKEN',
    `Expected a seal that holds (${named.join(', ')}), but ${found}.`,
    { details: { reason, ...ids } },
  );
}
