/** Signing notes: a log signs its own tree heads, a witness adds the time at which it saw them. */
import { type KeyObject, sign } from 'node:crypto';
import { invariant } from '../core/index.ts';
import { toBase64 } from './base64.ts';
import { cosignedText, parseNote, refusalError, SIGNATURE_MARK } from './note.ts';
import { privateKeyOf, publicKeyOf, verifierKey, type VerifierKey } from './verifier-key.ts';

export interface NoteSigner {
  readonly verifierKey: VerifierKey;
  /** The signature line for a text, with its newline. */
  line(text: string): string;
}

/** The key of a log. Its name is the log's origin; `key` is an Ed25519 private key or its 32-byte seed. */
export function logSigner(options: {
  readonly name: string;
  readonly key: KeyObject | Uint8Array;
}): NoteSigner {
  const privateKey = privateKeyOf(options.key);
  const key = verifierKey({
    role: 'log',
    name: options.name,
    publicKey: publicKeyOf(privateKey),
  });
  return {
    verifierKey: key,
    line: (text) => lineOf(key, sign(null, Buffer.from(text, 'utf8'), privateKey)),
  };
}

/** The key of a witness that signs at the given second since 1970. */
export function witnessSigner(options: {
  readonly name: string;
  readonly key: KeyObject | Uint8Array;
  readonly seconds: number;
}): NoteSigner {
  const { name, seconds } = options;
  invariant(
    Number.isSafeInteger(seconds) && seconds >= 0,
    `Expected a time in whole seconds since 1970, found ${seconds}.`,
  );
  const privateKey = privateKeyOf(options.key);
  const key = verifierKey({ role: 'witness', name, publicKey: publicKeyOf(privateKey) });
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(seconds));
  return {
    verifierKey: key,
    line: (text) => {
      const signature = sign(null, Buffer.from(cosignedText(text, seconds), 'utf8'), privateKey);
      return lineOf(key, Buffer.concat([time, signature]));
    },
  };
}

/** A note over a text that ends in a newline. Two signers make the overlap of a key rotation. */
export function signNote(text: string, signers: readonly NoteSigner[]): string {
  invariant(text.endsWith('\n'), 'Expected a text that ends in a newline.');
  invariant(signers.length > 0, 'Expected at least one signer.');
  return checked(`${text}\n${signers.map((signer) => signer.line(text)).join('')}`);
}

/** Adds a signature, such as a witness's, under those that a note has. */
export function addSignature(note: string, signer: NoteSigner): string {
  const parsed = parseNote(note);
  if ('kind' in parsed) throw refusalError(parsed);
  return checked(note + signer.line(parsed.text));
}

// Nothing is signed and handed out that a reader would refuse.
function checked(note: string): string {
  const parsed = parseNote(note);
  if ('kind' in parsed) throw refusalError(parsed);
  return note;
}

function lineOf(key: VerifierKey, signature: Uint8Array): string {
  const bytes = Buffer.concat([Buffer.from(key.id, 'hex'), signature]);
  return `${SIGNATURE_MARK}${key.name} ${toBase64(bytes)}\n`;
}
