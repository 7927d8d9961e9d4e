/**
 * Whether a time stamp (RFC 3161) says of a head what it seems to say: that an authority of time which is believed saw
 * these bytes at that moment. Pure and offline; everything in the stamp comes from elsewhere and may be hostile.
 */
import { constants, createHash, verify } from 'node:crypto';
import type { Instant } from '../../core/index.ts';
import { plain } from '../../core/index.ts';
import { sameBytes } from '../hashes.ts';
import {
  chainFault,
  readCertificate,
  type StampCertificate,
  stampingFault,
} from './certificates.ts';
import { DER_BYTES_MAX, DerFault } from './der.ts';
import { digestOf, readResponse, readToken, type StampSigner, type StampToken } from './token.ts';

type StampFault =
  | 'TIMESTAMP_MALFORMED'
  /** Of other bytes, or of another question. */
  | 'TIMESTAMP_MISMATCH'
  | 'TIMESTAMP_UNTRUSTED';

type StampOutcome =
  | {
      readonly ok: true;
      /** What was stamped existed then. */
      readonly at: Instant;
      /** The name in the certificate that signed. */
      readonly authority: string;
    }
  | { readonly ok: false; readonly reason: StampFault; readonly found: string };

interface StampRules {
  /** SHA-256 of what must be stamped. */
  readonly imprint: Uint8Array;
  /** Whom to believe; without any, only what the stamp says of itself is checked. */
  readonly authorities: readonly StampCertificate[];
  /** What was asked; undefined when a stamp is looked at again. */
  readonly nonce?: Uint8Array;
  /** The only policy that counts; any by default. */
  readonly policy?: string;
}

const SHA256 = '2.16.840.1.101.3.4.2.1';
const RSA_BITS_MIN = 2048;
const NAME_MAX = 200;

/** The stamp in what an authority answered. What is wrong is the end of a sentence. */
export function openResponse(bytes: Uint8Array): Uint8Array | { readonly found: string } {
  try {
    return readResponse(bytes);
  } catch (error) {
    return { found: faultText(error) };
  }
}

export function checkStamp(token: Uint8Array, rules: StampRules): StampOutcome {
  try {
    const stamp = readToken(token);
    const fault = questionFault(stamp, rules);
    if (fault !== undefined) return refused('TIMESTAMP_MISMATCH', fault);
    return checkSigned(stamp, rules);
  } catch (error) {
    return refused('TIMESTAMP_MALFORMED', faultText(error));
  }
}

const PEM = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]{1,100000})-----END CERTIFICATE-----/g;
const AUTHORITIES_BYTES_MAX = 1024 * 1024;

/** The certificates of a PEM file; what is wrong is the end of a sentence. */
export function readAuthorities(
  pem: Uint8Array,
): readonly StampCertificate[] | { readonly found: string } {
  if (pem.length > AUTHORITIES_BYTES_MAX) return { found: `it has ${pem.length} bytes` };
  const text = Buffer.from(pem).toString('latin1');
  try {
    const found = [...text.matchAll(PEM)].map(([, base64 = '']) =>
      readCertificate(Buffer.from(base64, 'base64')),
    );
    return found.length > 0 ? found : { found: 'it has no certificate' };
  } catch (error) {
    return { found: faultText(error) };
  }
}

function questionFault({ info }: StampToken, rules: StampRules): string | undefined {
  if (info.imprintWith !== SHA256 || !sameBytes(info.imprint, rules.imprint)) {
    return 'it is a stamp of something else';
  }
  if (
    rules.nonce !== undefined &&
    (info.nonce === undefined || !sameBytes(info.nonce, rules.nonce))
  ) {
    return 'it answers another question: its nonce is not the one that was asked';
  }
  if (rules.policy !== undefined && info.policy !== rules.policy) {
    return `it is under the policy ${info.policy}, not ${rules.policy}`;
  }
  return undefined;
}

function checkSigned(stamp: StampToken, { authorities }: StampRules): StampOutcome {
  const { info, signer, content, certificates } = stamp;
  // The authorities too: a stamp may come without the certificate of one that is known anyway.
  const certificate = [...certificates, ...authorities].find((one) => isSigner(signer, one));
  if (certificate === undefined) return untrusted('the certificate that signs is not in it');
  const digest = digestOf(signer.digest);
  if (digest === undefined) return untrusted('its signature is made with a hash that is too weak');
  const hashed = createHash(digest).update(content).digest();
  if (!sameBytes(hashed, signer.messageDigest)) return untrusted('its content was changed');
  if (!isSignedBy(signer, digest, certificate)) return untrusted('its signature does not hold');
  const unfit = stampingFault(certificate);
  if (unfit !== undefined) return untrusted(unfit);
  if (authorities.length > 0) {
    const fault = chainFault(certificate, certificates, authorities, info.at);
    if (fault !== undefined) return untrusted(fault);
  }
  const name = certificate.x509.subject.split('\n').reverse().join(', ');
  return { ok: true, at: info.at, authority: plain(name).slice(0, NAME_MAX) };
}

function isSigner(signer: StampSigner, { der, issuer, serial }: StampCertificate): boolean {
  const { digest, value } = signer.certificateHash;
  if (!sameBytes(createHash(digest).update(der).digest(), value)) return false;
  if (signer.issuer === undefined || signer.serial === undefined) return true;
  return sameBytes(signer.issuer, issuer) && sameBytes(signer.serial, serial);
}

/** Algorithms of signatures, each with the kind of key and the hash that it says; by the digest's name where it says none. */
const ALGORITHMS: Readonly<Record<string, { readonly key: string; readonly digest?: string }>> = {
  '1.2.840.113549.1.1.1': { key: 'rsa' },
  '1.2.840.113549.1.1.11': { key: 'rsa', digest: 'sha256' },
  '1.2.840.113549.1.1.12': { key: 'rsa', digest: 'sha384' },
  '1.2.840.113549.1.1.13': { key: 'rsa', digest: 'sha512' },
  '1.2.840.113549.1.1.10': { key: 'rsa-pss' },
  '1.2.840.10045.4.3.2': { key: 'ec', digest: 'sha256' },
  '1.2.840.10045.4.3.3': { key: 'ec', digest: 'sha384' },
  '1.2.840.10045.4.3.4': { key: 'ec', digest: 'sha512' },
  '1.3.101.112': { key: 'ed25519' },
};

function isSignedBy(signer: StampSigner, digest: string, { x509 }: StampCertificate): boolean {
  const algorithm = ALGORITHMS[signer.algorithm];
  if (algorithm === undefined || (algorithm.digest ?? digest) !== digest) return false;
  try {
    const { publicKey: key } = x509;
    const { asymmetricKeyType: kind, asymmetricKeyDetails: details } = key;
    const isPss = algorithm.key === 'rsa-pss';
    if (kind !== algorithm.key && !(isPss && kind === 'rsa')) return false;
    if ((details?.modulusLength ?? RSA_BITS_MIN) < RSA_BITS_MIN) return false;
    const { attributes, signature } = signer;
    if (kind === 'ed25519') return verify(null, attributes, key, signature);
    if (!isPss) return verify(digest, attributes, key, signature);
    const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_AUTO: saltLength } = constants;
    return verify(digest, attributes, { key, padding, saltLength }, signature);
  } catch {
    // OpenSSL throws for a key that it cannot use; then nothing holds.
    return false;
  }
}

function faultText(error: unknown): string {
  if (error instanceof DerFault) return plain(error.message);
  throw error;
}

function untrusted(found: string): StampOutcome {
  return refused('TIMESTAMP_UNTRUSTED', found);
}

function refused(reason: StampFault, found: string): StampOutcome {
  return { ok: false, reason, found };
}

export { DER_BYTES_MAX as STAMP_BYTES_MAX };
