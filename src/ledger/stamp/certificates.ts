/**
 * The certificates of a stamp: which one signed it, and whether it leads to an authority that is believed. Judged at the
 * time that the stamp names, because stamps outlive certificates. What an authority has revoked since is not asked: that
 * takes a network.
 */
import { X509Certificate } from 'node:crypto';
import type { Instant } from '../../core/index.ts';
import { context, DerFault, DerReader, TAG } from './der.ts';
import { derTime } from './time.ts';

/** Certificates in one stamp: those of the authority up to its root. */
export const CERTIFICATES_MAX = 16;
/** From the one that signed to the one that is believed. */
const CHAIN_MAX = 6;
/** Certificates of one name could be tried in every order; an honest chain needs a handful. */
const STEPS_MAX = 64;

const OID = {
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
  policies: '2.5.29.32',
  extendedKeyUsage: '2.5.29.37',
  timeStamping: '1.3.6.1.5.5.7.3.8',
} as const;

/** Extensions that are understood here; a critical one that is not must not be passed over (RFC 5280 § 4.2). */
const UNDERSTOOD: readonly string[] = [
  OID.keyUsage,
  OID.basicConstraints,
  OID.policies,
  OID.extendedKeyUsage,
];

/** Signatures over certificates that still hold: no MD5, no SHA-1. */
const SIGNATURES: readonly string[] = [
  '1.2.840.113549.1.1.10',
  '1.2.840.113549.1.1.11',
  '1.2.840.113549.1.1.12',
  '1.2.840.113549.1.1.13',
  '1.2.840.10045.4.3.2',
  '1.2.840.10045.4.3.3',
  '1.2.840.10045.4.3.4',
  '1.3.101.112',
];

interface Extension {
  readonly id: string;
  readonly isCritical: boolean;
  readonly value: Uint8Array;
}

export interface StampCertificate {
  readonly x509: X509Certificate;
  readonly der: Uint8Array;
  readonly serial: Uint8Array;
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly from: Instant;
  readonly to: Instant;
  readonly signedWith: string;
  readonly extensions: readonly Extension[];
}

/** Throws `DerFault` when it is none. */
export function readCertificate(bytes: Uint8Array): StampCertificate {
  const outer = new DerReader(bytes);
  const certificate = outer.inside(TAG.sequence, 'a certificate');
  outer.end('a certificate');
  const tbs = certificate.inside(TAG.sequence, 'the content of a certificate');
  tbs.optional(context(0), 'the version of a certificate');
  const serial = tbs.integer('the serial number of a certificate');
  const signedWith = tbs.inside(TAG.sequence, 'an algorithm').oid('an algorithm');
  const issuer = tbs.expect(TAG.sequence, 'the issuer of a certificate').whole;
  const validity = tbs.inside(TAG.sequence, 'the validity of a certificate');
  const from = derTime(validity.next('the first moment of a certificate'));
  const to = derTime(validity.next('the last moment of a certificate'));
  const subject = tbs.expect(TAG.sequence, 'the subject of a certificate').whole;
  tbs.expect(TAG.sequence, 'the key of a certificate');
  while (tbs.ahead !== undefined && tbs.ahead !== context(3)) tbs.next('an id of a certificate');
  const listed = tbs.optional(context(3), 'the extensions of a certificate');
  tbs.end('the content of a certificate');
  const extensions = listed === undefined ? [] : readExtensions(listed.content);
  return {
    x509: openCertificate(bytes),
    der: bytes,
    serial,
    issuer,
    subject,
    from,
    to,
    signedWith,
    extensions,
  };
}

function openCertificate(bytes: Uint8Array): X509Certificate {
  try {
    return new X509Certificate(bytes);
  } catch {
    // OpenSSL reads more of it than is read here; whatever it misses makes it no certificate.
    throw new DerFault('a certificate cannot be read');
  }
}

function readExtensions(content: Uint8Array): readonly Extension[] {
  const list = new DerReader(content).inside(TAG.sequence, 'the extensions of a certificate');
  const found: Extension[] = [];
  while (list.hasMore) {
    const one = list.inside(TAG.sequence, 'an extension');
    const id = one.oid('an extension');
    const isCritical = one.ahead === TAG.boolean && one.boolean('an extension');
    const { content: value } = one.expect(TAG.octets, 'an extension');
    one.end('an extension');
    if (found.some((each) => each.id === id)) throw new DerFault(`an extension comes twice: ${id}`);
    found.push({ id, isCritical, value });
  }
  return found;
}

/** What keeps a certificate from signing stamps, as the end of a sentence (RFC 3161 § 2.3). */
export function stampingFault({ extensions }: StampCertificate): string | undefined {
  const usage = extensions.find(({ id }) => id === OID.extendedKeyUsage);
  if (usage === undefined) return 'its certificate is not one for time stamps';
  const list = new DerReader(usage.value).inside(TAG.sequence, 'the uses of a certificate');
  const first = list.oid('the uses of a certificate');
  if (first !== OID.timeStamping || list.hasMore || !usage.isCritical) {
    return 'its certificate is not one for time stamps alone';
  }
  const keyUsage = extensions.find(({ id }) => id === OID.keyUsage);
  if (keyUsage === undefined) return undefined;
  const { content } = new DerReader(keyUsage.value).expect(TAG.bitString, 'the uses of a key');
  // Bits 0 and 1: digital signature, and signatures that cannot be denied.
  const maySign = ((content[1] ?? 0) & 0xc0) !== 0;
  return maySign ? undefined : 'the key of its certificate may not sign';
}

/** What keeps a certificate from leading to one that is believed, as the end of a sentence; undefined when it does. */
export function chainFault(
  signer: StampCertificate,
  given: readonly StampCertificate[],
  authorities: readonly StampCertificate[],
  at: Instant,
): string | undefined {
  let steps = 0;
  let closest = 'no authority that you trust has issued its certificate';
  const isTrusted = (one: StampCertificate): boolean =>
    authorities.some((each) => Buffer.compare(each.der, one.der) === 0);
  const leads = (one: StampCertificate, depth: number): boolean => {
    steps += 1;
    const fault = steps > STEPS_MAX ? 'its certificates are too many' : ownFault(one, at, depth);
    if (fault !== undefined) {
      closest = fault;
      return false;
    }
    if (isTrusted(one)) return true;
    if (depth >= CHAIN_MAX) return false;
    return [...authorities, ...given].some(
      (issuer) => hasIssued(issuer, one) && leads(issuer, depth + 1),
    );
  };
  return leads(signer, 0) ? undefined : closest;
}

/** What is wrong with a certificate at a place of the chain: 0 signs the stamp, 1 has issued that one, and so on. */
function ownFault(one: StampCertificate, at: Instant, depth: number): string | undefined {
  const name = depth === 0 ? 'its certificate' : 'the certificate of its issuer';
  if (at < one.from || at > one.to) return `${name} was not valid at that time`;
  const stranger = one.extensions.find(
    ({ id, isCritical }) => isCritical && !UNDERSTOOD.includes(id),
  );
  if (stranger !== undefined) return `${name} has the critical extension ${stranger.id}`;
  if (depth === 0) return undefined;
  const constraints = one.extensions.find(({ id }) => id === OID.basicConstraints);
  if (constraints === undefined || !one.x509.ca) return `${name} may not issue any`;
  const rules = new DerReader(constraints.value).inside(TAG.sequence, 'the limits of an issuer');
  if (rules.ahead === TAG.boolean) rules.boolean('the limits of an issuer');
  // How many others may come between this one and the one that signs.
  if (rules.hasMore && rules.small('the limits of an issuer') < depth - 1) {
    return `${name} may not issue those of issuers`;
  }
  return undefined;
}

function hasIssued(issuer: StampCertificate, one: StampCertificate): boolean {
  if (Buffer.compare(issuer.subject, one.issuer) !== 0) return false;
  if (!SIGNATURES.includes(one.signedWith) || !one.x509.checkIssued(issuer.x509)) return false;
  try {
    return one.x509.verify(issuer.x509.publicKey);
  } catch {
    // A key of a kind that cannot have made this signature.
    return false;
  }
}
