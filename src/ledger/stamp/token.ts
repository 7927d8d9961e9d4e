/**
 * What an authority of time answers (RFC 3161 § 2.4.2) and the stamp in it: CMS SignedData over TSTInfo, as far as such
 * stamps use it. Read strictly: what is not understood is refused, never passed over.
 */
import type { Instant } from '../../core/index.ts';
import { CERTIFICATES_MAX, readCertificate, type StampCertificate } from './certificates.ts';
import { context, DER_BYTES_MAX, DerFault, DerReader, TAG } from './der.ts';
import { derTime } from './time.ts';

const OID = {
  signedData: '1.2.840.113549.1.7.2',
  tstInfo: '1.2.840.113549.1.9.16.1.4',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingCertificate: '1.2.840.113549.1.9.16.2.12',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
  sha256: '2.16.840.1.101.3.4.2.1',
} as const;

const NULL_TAG = 0x05;
/** `[0]` of a choice that holds bytes alone. */
const KEY_ID_TAG = 0x80;
const STATUS: readonly string[] = [
  'granted',
  'granted with changes',
  'rejection',
  'waiting',
  'a warning of revocation',
  'a notice of revocation',
];
const STATUS_TEXT_MAX = 200;

interface StampInfo {
  readonly policy: string;
  readonly imprintWith: string;
  readonly imprint: Uint8Array;
  readonly serial: Uint8Array;
  readonly at: Instant;
  readonly nonce: Uint8Array | undefined;
}

export interface StampToken {
  readonly info: StampInfo;
  /** The bytes of TSTInfo, which are signed by their hash. */
  readonly content: Uint8Array;
  readonly certificates: readonly StampCertificate[];
  readonly signer: StampSigner;
}

export interface StampSigner {
  readonly issuer: Uint8Array | undefined;
  readonly serial: Uint8Array | undefined;
  readonly digest: string;
  readonly algorithm: string;
  /** As it is signed: a SET, whatever tag it has in the stamp. */
  readonly attributes: Uint8Array;
  readonly messageDigest: Uint8Array;
  /** Of the certificate that signs, as the authority names it itself. */
  readonly certificateHash: { readonly digest: string; readonly value: Uint8Array };
  readonly signature: Uint8Array;
}

/** The stamp in an answer, as bytes; throws `DerFault` where there is none. */
export function readResponse(bytes: Uint8Array): Uint8Array {
  if (bytes.length > DER_BYTES_MAX) throw new DerFault(`the answer has ${bytes.length} bytes`);
  const outer = new DerReader(bytes);
  const response = outer.inside(TAG.sequence, 'the answer');
  outer.end('the answer');
  const info = response.inside(TAG.sequence, 'the status');
  const status = info.small('the status');
  if (status > 1) {
    const said = info.ahead === TAG.sequence ? statusText(info) : '';
    throw new DerFault(`the answer is ${STATUS[status] ?? `status ${status}`}${said}`);
  }
  const token = response.expect(TAG.sequence, 'the stamp').whole;
  response.end('the answer');
  return token;
}

function statusText(info: DerReader): string {
  const text = info.inside(TAG.sequence, 'the words of the status');
  if (!text.hasMore) return '';
  const { content } = text.expect(TAG.utf8, 'the words of the status');
  return `: ${Buffer.from(content).toString('utf8').slice(0, STATUS_TEXT_MAX)}`;
}

export function readToken(bytes: Uint8Array): StampToken {
  if (bytes.length > DER_BYTES_MAX) throw new DerFault(`the stamp has ${bytes.length} bytes`);
  const outer = new DerReader(bytes);
  const wrapped = outer.inside(TAG.sequence, 'the stamp');
  outer.end('the stamp');
  requireOid(wrapped, OID.signedData, 'the kind of the stamp');
  const box = wrapped.inside(context(0), 'the content of the stamp');
  wrapped.end('the stamp');
  const data = box.inside(TAG.sequence, 'the content of the stamp');
  box.end('the content of the stamp');
  data.small('the version of the stamp');
  data.expect(TAG.set, 'the list of hashes');
  const content = readContent(data.inside(TAG.sequence, 'what is signed'));
  const certificates = readCertificates(data);
  data.optional(context(1), 'the lists of revoked certificates');
  const signers = data.inside(TAG.set, 'the signatures');
  data.end('the content of the stamp');
  const signer = readSigner(signers.inside(TAG.sequence, 'the signature'));
  signers.end('the list of one signature');
  return { info: readInfo(content), content, certificates, signer };
}

function readContent(signed: DerReader): Uint8Array {
  requireOid(signed, OID.tstInfo, 'the kind of what is signed');
  const box = signed.inside(context(0), 'what is signed');
  signed.end('what is signed');
  const { content } = box.expect(TAG.octets, 'what is signed');
  box.end('what is signed');
  return content;
}

function readCertificates(data: DerReader): readonly StampCertificate[] {
  const set = data.optional(context(0), 'the certificates');
  const certificates: StampCertificate[] = [];
  const list = new DerReader(set?.content ?? new Uint8Array(0));
  while (list.hasMore) {
    if (certificates.length >= CERTIFICATES_MAX) {
      throw new DerFault(`the stamp has more than ${CERTIFICATES_MAX} certificates`);
    }
    certificates.push(readCertificate(list.expect(TAG.sequence, 'a certificate').whole));
  }
  return certificates;
}

function readInfo(content: Uint8Array): StampInfo {
  const outer = new DerReader(content);
  const info = outer.inside(TAG.sequence, 'what is stamped');
  outer.end('what is stamped');
  if (info.small('the version') !== 1) throw new DerFault('the stamp is not of version 1');
  const policy = info.oid('the policy');
  const imprinted = info.inside(TAG.sequence, 'the hash that is stamped');
  const imprintWith = algorithm(imprinted);
  const { content: imprint } = imprinted.expect(TAG.octets, 'the hash that is stamped');
  imprinted.end('the hash that is stamped');
  const serial = info.integer('the serial number');
  const at = derTime(info.expect(TAG.time, 'the time'));
  info.optional(TAG.sequence, 'the accuracy');
  if (info.ahead === TAG.boolean) info.boolean('the ordering');
  const nonce = info.ahead === TAG.integer ? info.integer('the nonce') : undefined;
  info.optional(context(0), 'the name of the authority');
  const extensions = info.optional(context(1), 'the extensions');
  info.end('what is stamped');
  if (extensions !== undefined) refuseCritical(extensions.content);
  return { policy, imprintWith, imprint, serial, at, nonce };
}

function refuseCritical(content: Uint8Array): void {
  const list = new DerReader(content);
  while (list.hasMore) {
    const one = list.inside(TAG.sequence, 'an extension');
    const id = one.oid('an extension');
    if (one.ahead === TAG.boolean && one.boolean('an extension')) {
      throw new DerFault(`the stamp has the critical extension ${id}`);
    }
  }
}

function readSigner(one: DerReader): StampSigner {
  one.small('the version of the signature');
  const by = readSignerName(one);
  const digest = algorithm(one, 'the hash of the signature');
  const signed = one.expect(context(0), 'the signed attributes');
  const signing = one.inside(TAG.sequence, 'the algorithm of the signature');
  const { content: signature } = one.expect(TAG.octets, 'the signature');
  one.optional(context(1), 'the unsigned attributes');
  one.end('the signature');
  const attributes = Uint8Array.from(signed.whole);
  attributes[0] = TAG.set;
  return {
    ...by,
    ...readAttributes(signed.content),
    digest,
    algorithm: signing.oid('the algorithm of the signature'),
    attributes,
    signature,
  };
}

/** By issuer and serial number; where it is named by its key, the hash among the attributes says which it is. */
function readSignerName(one: DerReader): Pick<StampSigner, 'issuer' | 'serial'> {
  if (one.ahead === KEY_ID_TAG) {
    one.next('the key of the signature');
    return { issuer: undefined, serial: undefined };
  }
  const name = one.inside(TAG.sequence, 'the certificate of the signature');
  const issuer = name.expect(TAG.sequence, 'the issuer of the certificate').whole;
  const serial = name.integer('the serial number of the certificate');
  name.end('the certificate of the signature');
  return { issuer, serial };
}

function readAttributes(
  content: Uint8Array,
): Pick<StampSigner, 'messageDigest' | 'certificateHash'> {
  const found = new Map<string, DerReader>();
  const list = new DerReader(content);
  while (list.hasMore) {
    const one = list.inside(TAG.sequence, 'an attribute');
    const id = one.oid('an attribute');
    if (found.has(id)) throw new DerFault(`the attribute ${id} comes twice`);
    found.set(id, one.inside(TAG.set, 'an attribute'));
    one.end('an attribute');
  }
  const type = found.get(OID.contentType);
  if (type === undefined) throw new DerFault('the kind of what is signed is not signed');
  requireOid(type, OID.tstInfo, 'the signed kind');
  const digest = found.get(OID.messageDigest);
  if (digest === undefined) throw new DerFault('the hash of what is signed is missing');
  const { content: messageDigest } = digest.expect(TAG.octets, 'the hash of what is signed');
  digest.end('the hash of what is signed');
  const second = found.get(OID.signingCertificateV2);
  const first = found.get(OID.signingCertificate);
  const named = second ?? first;
  if (named === undefined) throw new DerFault('it does not name the certificate that signs');
  const certificateHash = readCertificateHash(named, second === undefined ? 'sha1' : 'sha256');
  return { messageDigest, certificateHash };
}

/** The first of the list is the one that signs (RFC 5816, RFC 2634). */
function readCertificateHash(values: DerReader, usual: string): StampSigner['certificateHash'] {
  const what = 'the name of the certificate that signs';
  const list = values.inside(TAG.sequence, what).inside(TAG.sequence, what);
  const one = list.inside(TAG.sequence, what);
  const digest =
    usual === 'sha256' && one.ahead === TAG.sequence ? digestOf(algorithm(one, what)) : usual;
  if (digest === undefined) throw new DerFault(`${what} has an unknown hash`);
  return { digest, value: one.expect(TAG.octets, what).content };
}

const DIGESTS: Readonly<Record<string, string>> = {
  [OID.sha256]: 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

/** The name of a hash that still holds; no MD5, no SHA-1. */
export function digestOf(id: string): string | undefined {
  return DIGESTS[id];
}

/** An algorithm whose parameters are absent or NULL. */
function algorithm(reader: DerReader, what = 'a hash'): string {
  const inside = reader.inside(TAG.sequence, what);
  const id = inside.oid(what);
  inside.optional(NULL_TAG, what);
  inside.end(what);
  return id;
}

function requireOid(reader: DerReader, wanted: string, what: string): void {
  const found = reader.oid(what);
  if (found !== wanted) throw new DerFault(`${what} is ${found}`);
}
