import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FilewrightError } from '../core/errors.ts';
import { openBody, sealBody, unwrapKey, wrapKey } from './seal.ts';
import { parseEntry } from './entry-chain.ts';
import { verifyBody } from './verify-body.ts';

const log: {
  origin: string;
  entries: { utf8: string }[];
  sealed_body: Record<string, string> & { entry_seq: number };
} = JSON.parse(
  readFileSync(new URL('../../test/vectors/filewright/log-13.json', import.meta.url), 'utf8'),
);
const vector = log.sealed_body;
const bytesOf = (name: string): Buffer => Buffer.from(vector[name] ?? '', 'hex');
const entry = parseEntry(Buffer.from(log.entries[vector.entry_seq]?.utf8 ?? ''));
const text = vector.body_jcs_utf8 ?? '';
const place = {
  origin: log.origin,
  id: entry.id,
  keyId: vector.key_id ?? '',
  dek: bytesOf('dek_hex'),
};
const vectorRandom = (): Uint8Array => Buffer.concat([bytesOf('salt_hex'), bytesOf('nonce_hex')]);
const { blob, sealed } = sealBody({ ...place, body: JSON.parse(text), random: vectorRandom });

function reasonOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    if (error instanceof FilewrightError && error.code === 'SEAL_BROKEN')
      return error.details.reason;
    throw error;
  }
  throw new Error('Expected a broken seal.');
}

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

describe('sealed bodies', () => {
  it('seals the reference body to the byte, from the value and from its canonical bytes', () => {
    expect(Buffer.from(blob).toString('hex')).toBe(vector.blob_hex);
    expect(sealed).toEqual(entry.body);
    const again = sealBody({ ...place, body: Buffer.from(text), random: vectorRandom });
    expect(Buffer.from(again.blob).toString('hex')).toBe(vector.blob_hex);
    expect(again.sealed).toEqual(sealed);
  });

  it('opens what it sealed, with and without the entry', () => {
    for (const expected of [{}, { expected: sealed }]) {
      const { canonical } = openBody({ ...place, blob, ...expected });
      expect(Buffer.from(canonical).toString('utf8')).toBe(text);
    }
  });

  it('opens any body back to its bytes', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.maxSafeInteger()), (body) => {
        const made = sealBody({ ...place, body: { ...body }, random: randomBytes });
        const { canonical } = openBody({ ...place, blob: made.blob, expected: made.sealed });
        expect(JSON.parse(Buffer.from(canonical).toString('utf8'))).toEqual({ ...body });
      }),
    );
  });

  it('notices a change of any one byte of the blob', () => {
    for (let at = 0; at < blob.length; at++) {
      const changed = flipped(blob, at);
      expect(reasonOf(() => openBody({ ...place, blob: changed, expected: sealed }))).toBe(
        'BODY_HASH_MISMATCH',
      );
      expect(reasonOf(() => openBody({ ...place, blob: changed }))).toBe('BODY_UNREADABLE');
    }
  });

  it.each([
    ['log', { origin: `${log.origin}x` }],
    ['entry', { id: '01900000-0000-7000-8000-000000000017' }],
    ['key', { dek: flipped(place.dek, 0) }],
  ])('does not open for another %s', (_name, moved) => {
    expect(reasonOf(() => openBody({ ...place, ...moved, blob, expected: sealed }))).toBe(
      'BODY_UNREADABLE',
    );
  });

  it('checks the commitment after decrypting', () => {
    const expected = { ...sealed, cm: sealed.cm.replace(/^./, '0') };
    expect(expected.cm).not.toBe(sealed.cm);
    expect(reasonOf(() => openBody({ ...place, blob, expected }))).toBe('COMMITMENT_MISMATCH');
    expect(reasonOf(() => openBody({ ...place, blob, expected: { ...sealed, cm: '' } }))).toBe(
      'COMMITMENT_MISMATCH',
    );
  });

  it('refuses a blob too short to be one, and a tag cut short', () => {
    for (const length of [0, 1, 28, blob.length - 1]) {
      expect(reasonOf(() => openBody({ ...place, blob: blob.subarray(0, length) }))).toBe(
        'BODY_UNREADABLE',
      );
    }
  });

  it('asks for a fresh salt and nonce each time', () => {
    const blobs = [1, 2].map(() => sealBody({ ...place, body: null, random: randomBytes }));
    expect(blobs[0]?.sealed.cm).not.toBe(blobs[1]?.sealed.cm);
    expect(blobs[0]?.blob.subarray(1, 13)).not.toEqual(blobs[1]?.blob.subarray(1, 13));
  });
});

describe('wrapped keys', () => {
  const wrapping = randomBytes(32);
  const key = randomBytes(32);
  const wrapped = wrapKey({ wrapping, key, context: 'dek k-1', random: randomBytes });

  it('carries a key from the root to the data key and back', () => {
    const tenant = unwrapKey({ wrapping, blob: wrapped, context: 'dek k-1' });
    expect(Buffer.from(tenant)).toEqual(key);
    const dek = wrapKey({ wrapping: tenant, key: wrapping, context: 'x', random: randomBytes });
    expect(Buffer.from(unwrapKey({ wrapping: key, blob: dek, context: 'x' }))).toEqual(wrapping);
    expect(wrapped).toHaveLength(1 + 12 + 32 + 16);
  });

  it('does not open under another key, in another context, or after a change', () => {
    const tries = [
      { wrapping: key, blob: wrapped, context: 'dek k-1' },
      { wrapping, blob: wrapped, context: 'dek k-2' },
      ...Array.from(wrapped, (_, at) => ({
        wrapping,
        blob: flipped(wrapped, at),
        context: 'dek k-1',
      })),
    ];
    for (const wrong of tries) expect(reasonOf(() => unwrapKey(wrong))).toBe('KEY_UNREADABLE');
  });

  it('refuses keys of another length and contexts that could be confused', () => {
    const random = randomBytes;
    expect(() => wrapKey({ wrapping, key: randomBytes(16), context: 'a', random })).toThrow('32');
    expect(() => wrapKey({ wrapping: randomBytes(31), key, context: 'a', random })).toThrow('32');
    expect(() => wrapKey({ wrapping, key, context: 'a\nb', random })).toThrow('one line');
    expect(() => wrapKey({ wrapping, key, context: '', random })).toThrow('not empty');
  });
});

describe('verifying a body', () => {
  const keyFor = (): Uint8Array => place.dek;
  const shreddedKey = (): 'shredded' => 'shredded';
  const base = { origin: log.origin, entry, blob, keyFor };

  it('gives the canonical bytes of an intact body', async () => {
    const outcome = await verifyBody(base);
    expect(outcome).toMatchObject({ state: 'intact' });
  });

  it('says none for an entry without a body', async () => {
    const outcome = await verifyBody({ ...base, entry: { id: entry.id, body: null } });
    expect(outcome).toEqual({ state: 'none' });
  });

  it('reports a destroyed key as shredded, with or without the blob', async () => {
    const shredded = { ...base, keyFor: shreddedKey };
    expect(await verifyBody(shredded)).toEqual({ state: 'shredded' });
    expect(await verifyBody({ ...shredded, blob: undefined })).toEqual({ state: 'shredded' });
  });

  it.each([
    ['BODY_HASH_MISMATCH', { blob: flipped(blob, 40) }],
    ['BODY_HASH_MISMATCH', { blob: flipped(blob, 40), keyFor: shreddedKey }],
    ['BODY_UNREADABLE', { blob: undefined }],
    ['BODY_UNREADABLE', { keyFor: () => flipped(place.dek, 3) }],
    ['COMMITMENT_MISMATCH', { entry: { id: entry.id, body: { ...sealed, cm: '0'.repeat(64) } } }],
  ])('reports %s', async (reason, wrong) => {
    expect(await verifyBody({ ...base, ...wrong })).toMatchObject({ state: 'broken', reason });
  });
});

describe('a payload that belongs to one filing and one key', () => {
  const keyFor = (): Uint8Array => place.dek;
  const owner = { filing: 'F-1', key: 'k1' };
  const admits = (filing: string, data: Readonly<Record<string, string | null>>) => ({
    id: entry.id,
    type: 'filing.state',
    subj: { kind: 'filing', id: filing, ver: 1 },
    data,
  });
  const made = sealBody({ ...place, owner, body: { fee: 1 }, random: randomBytes });
  const opened = (wrong: ReturnType<typeof admits>) =>
    verifyBody({
      origin: log.origin,
      entry: { ...wrong, body: made.sealed },
      blob: made.blob,
      keyFor,
    });

  it('opens for these', async () => {
    const outcome = await opened(admits('F-1', { from: null, key: 'k1' }));
    expect(outcome).toMatchObject({ state: 'intact' });
  });

  // Somebody who can write every row exchanges two payloads, with their names and hashes.
  it.each([
    ['another filing', admits('F-2', { from: null, key: 'k1' })],
    ['another key', admits('F-1', { from: null, key: 'k2' })],
    ['an entry that admits nothing', admits('F-1', { from: 'pending', key: 'k1' })],
    ['an entry without a key', admits('F-1', { from: null })],
  ])('does not open for %s', async (_what, wrong) => {
    expect(await opened(wrong)).toMatchObject({ state: 'broken', reason: 'BODY_UNREADABLE' });
  });

  it('does not open as one that belongs to nobody, nor the other way round', () => {
    expect(reasonOf(() => openBody({ ...place, blob: made.blob }))).toBe('BODY_UNREADABLE');
    expect(reasonOf(() => openBody({ ...place, owner, blob }))).toBe('BODY_UNREADABLE');
    const other = { ...owner, key: 'k2' };
    expect(reasonOf(() => openBody({ ...place, owner: other, blob: made.blob }))).toBe(
      'BODY_UNREADABLE',
    );
  });
});
