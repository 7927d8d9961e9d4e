/** Time stamps are judged offline: whatever an authority, or somebody between, puts into one. `openssl ts` makes them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../src/ledger/hashes.ts';
import { type StampCertificate, stampingFault } from '../../src/ledger/stamp/certificates.ts';
import { checkStamp, openResponse, readAuthorities } from '../../src/ledger/stamp/check-stamp.ts';
import { der, DerFault, derOid, DerReader, TAG } from '../../src/ledger/stamp/der.ts';
import { nonceOf, stampRequest } from '../../src/ledger/stamp/request.ts';
import { derTime } from '../../src/ledger/stamp/time.ts';
import { Stamper } from '../fixtures/time-authority.ts';

const imprint = sha256(Buffer.from('a head'));
const nonce = nonceOf(Buffer.from('12345678'));
const request = stampRequest({ imprint, nonce });

const tokenOf = (answer: Uint8Array): Uint8Array => {
  const token = openResponse(answer);
  if ('found' in token) throw new Error(token.found);
  return token;
};
const authoritiesOf = (pem: Uint8Array): readonly StampCertificate[] => {
  const read = readAuthorities(pem);
  if ('found' in read) throw new Error(read.found);
  return read;
};

describe('a time stamp', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fw-stamps-'));
  const stranger = mkdtempSync(join(tmpdir(), 'fw-stamps-'));
  let one: Stamper;
  let other: Stamper;
  let authorities: readonly StampCertificate[];
  let token: Uint8Array;

  beforeAll(async () => {
    one = new Stamper(folder, 'one');
    other = new Stamper(stranger, 'other');
    one.issue('tsa', 'stamping');
    other.issue('tsa', 'stamping');
    authorities = authoritiesOf(one.read('root.pem'));
    token = tokenOf(await one.answer(request));
  });
  afterAll(() => {
    for (const each of [folder, stranger]) rmSync(each, { recursive: true });
  });

  const found = (stamp: Uint8Array, rules = {}): string => {
    const outcome = checkStamp(stamp, { imprint, nonce, authorities, ...rules });
    return outcome.ok ? 'ok' : `${outcome.reason} ${outcome.found}`;
  };

  it('of the authority that is believed holds, and says when and by whom', () => {
    const outcome = checkStamp(token, { imprint, nonce, authorities });
    expect(outcome).toMatchObject({ ok: true, authority: 'CN=tsa' });
    if (outcome.ok) expect(Math.abs(outcome.at - Date.now())).toBeLessThan(60_000);
    // Looked at again years later, nobody knows the question.
    expect(checkStamp(token, { imprint, authorities }).ok).toBe(true);
  });

  it('is one that openssl finds good too', () => {
    writeFileSync(one.file('good.tst'), token);
    const verify = (digest: string): Buffer =>
      one.openssl(
        ['ts', '-verify', '-digest', digest, '-in', 'good.tst', '-token_in'],
        ['-CAfile', 'root.pem'],
      );
    expect(verify(hex(imprint)).toString()).toContain('Verification: OK');
    expect(() => verify('00'.repeat(32))).toThrow('imprint');
  });

  it.each([2048, 3072])('made with an RSA key of %i bits holds', async (rsa) => {
    one.issue(`rsa-${rsa}`, 'stamping', { rsa });
    expect(found(tokenOf(await one.answer(request, `rsa-${rsa}`)))).toBe('ok');
  });

  it('over an intermediate authority holds, and not over one that may issue no authorities', async () => {
    one.issue('middle', 'issuer');
    one.issue('below', 'stamping', { by: 'middle' });
    expect(found(tokenOf(await one.answer(request, 'below', 'middle')))).toBe('ok');
    // Its issuer is not in it.
    expect(found(tokenOf(await one.answer(request, 'below')))).toContain('TIMESTAMP_UNTRUSTED');
    one.issue('last', 'leaf_issuer');
    one.issue('child', 'issuer', { by: 'last' });
    one.issue('grandchild', 'stamping', { by: 'child' });
    const both = Buffer.concat([one.read('last.pem'), one.read('child.pem')]);
    const answer = tokenOf(await one.answer(request, 'grandchild', 'child'));
    const rules = { authorities: [...authorities, ...authoritiesOf(both).slice(1)] };
    // Believed directly, the child may; below the one that is limited it may not.
    expect(found(answer, rules)).toBe('ok');
    const limited = { authorities: [...authorities, ...authoritiesOf(both).slice(0, 1)] };
    expect(found(answer, limited)).toContain('may not issue those of issuers');
  });

  it('of another question, of other bytes, or under another policy does not', async () => {
    const wrong = sha256(Buffer.from('another head'));
    expect(found(token, { imprint: wrong })).toContain(
      'TIMESTAMP_MISMATCH it is a stamp of something',
    );
    expect(found(token, { nonce: nonceOf(Buffer.from('87654321')) })).toContain('its nonce');
    const bare = tokenOf(
      await one.answer(
        one.openssl('ts', '-query', '-digest', hex(imprint), '-sha256', '-no_nonce', '-cert'),
      ),
    );
    expect(found(bare)).toContain('its nonce');
    expect(found(token, { policy: '1.2.3.4.5' })).toContain('it is under the policy 1.2.3.4.1');
    const asked = stampRequest({ imprint, nonce, policy: '1.2.3.4.5' });
    expect(found(tokenOf(await one.answer(asked)), { policy: '1.2.3.4.5' })).toBe('ok');
  });

  it('of a stranger, of an expired certificate or of one that is not yet valid does not', async () => {
    expect(found(tokenOf(await other.answer(request)))).toContain('no authority that you trust');
    one.issue('expired', 'stamping', { to: '20250201000000Z' });
    expect(found(tokenOf(await one.answer(request, 'expired')))).toContain(
      'was not valid at that time',
    );
    one.issue('future', 'stamping', { from: '20350101000000Z' });
    expect(found(tokenOf(await one.answer(request, 'future')))).toContain(
      'was not valid at that time',
    );
    // Believed itself, it counts as its own authority, and is expired all the same.
    const own = authoritiesOf(one.read('expired.pem'));
    expect(found(tokenOf(await one.answer(request, 'expired')), { authorities: own })).toContain(
      'not valid',
    );
  });

  it.each([
    ['mild', 'not one for time stamps alone'],
    ['both', 'not one for time stamps alone'],
    ['plain', 'not one for time stamps'],
    ['issuer', 'not one for time stamps'],
  ] as const)('needs a certificate for time stamps alone, and no %s one', (kind, why) => {
    one.issue(`unfit-${kind}`, kind);
    const [certificate] = authoritiesOf(one.read(`unfit-${kind}.pem`));
    if (certificate === undefined) throw new Error('no certificate');
    expect(stampingFault(certificate)).toContain(why);
  });

  it('does not hold where its certificate has a critical extension that nobody here understands', async () => {
    one.issue('odd', 'odd');
    expect(found(tokenOf(await one.answer(request, 'odd')))).toContain(
      'critical extension 1.2.3.4',
    );
  });

  it('with any bit flipped is refused, or says the same, and never ends the reader', () => {
    const said = checkStamp(token, { imprint, nonce, authorities });
    let refused = 0;
    for (let at = 0; at < token.length; at += 1) {
      const changed = Uint8Array.from(token);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      const outcome = checkStamp(changed, { imprint, nonce, authorities });
      if (!outcome.ok) refused += 1;
      else expect(outcome).toEqual(said);
    }
    // What is not signed says nothing: version numbers, the list of hashes.
    expect(refused).toBeGreaterThan(token.length - 40);
  });

  it('cut anywhere, or with anything after it, is refused', () => {
    for (let length = 0; length < token.length; length += 1) {
      expect(checkStamp(token.subarray(0, length), { imprint, authorities }).ok).toBe(false);
    }
    expect(found(Buffer.concat([token, Buffer.from([0])]))).toContain('goes on after its end');
  });

  it('is not read at all beyond 64 kB, and nesting costs nothing', () => {
    expect(found(Buffer.alloc(65_537, 0x30))).toContain('has 65537 bytes');
    let nested: Uint8Array = der(TAG.integer, Uint8Array.of(1));
    for (let n = 0; n < 5_000; n += 1) nested = der(TAG.sequence, nested);
    expect(found(nested)).toContain('TIMESTAMP_MALFORMED');
    const many = der(
      TAG.sequence,
      ...Array.from({ length: 300 }, () => der(TAG.integer, Uint8Array.of(1))),
    );
    expect(found(many)).toContain('TIMESTAMP_MALFORMED');
  });

  it('in an answer that refuses is told with the words of the authority', async () => {
    const answer = await one.answer(stampRequest({ imprint, nonce, policy: '1.9.9' }));
    expect(openResponse(answer)).toMatchObject({ found: expect.stringContaining('rejection') });
    expect(openResponse(Buffer.from('<html>'))).toHaveProperty('found');
  });
});

describe('DER', () => {
  const read = (...bytes: readonly number[]): string => {
    try {
      const reader = new DerReader(Uint8Array.from(bytes));
      const { content } = reader.next('it');
      reader.end('it');
      return Buffer.from(content).toString('hex');
    } catch (error) {
      if (error instanceof DerFault) return error.message;
      throw error;
    }
  };

  it.each([
    ['a value', [0x04, 0x01, 0x07], '07'],
    ['the indefinite length of BER', [0x24, 0x80, 0x00, 0x00], 'not DER'],
    ['a long form of a short length', [0x04, 0x81, 0x01, 0x07], 'shortest'],
    ['a length with a zero before it', [0x04, 0x82, 0x00, 0x81], 'shortest'],
    ['four bytes of length', [0x04, 0x84, 0, 0, 0, 1, 7], 'not DER'],
    ['more length than there is', [0x04, 0x05, 0x07], 'cut short'],
    ['a tag of several bytes', [0x1f, 0x81, 0x01, 0x00], 'several bytes'],
    ['nothing', [], 'cut short'],
  ])('reads %s as it must', (_what, bytes, expected) => {
    expect(read(...bytes)).toContain(expected);
  });

  it('has one spelling for each number, each truth, each identifier and each moment', () => {
    const fault = (work: () => unknown): string => {
      try {
        return String(work());
      } catch (error) {
        if (error instanceof DerFault) return 'refused';
        throw error;
      }
    };
    const of = (tag: number, ...bytes: readonly number[]): DerReader =>
      new DerReader(der(tag, Uint8Array.from(bytes)));
    expect(fault(() => of(0x02, 0x00, 0x7f).integer('n'))).toBe('refused');
    expect(fault(() => of(0x02, 0xff, 0x80).integer('n'))).toBe('refused');
    expect(fault(() => of(0x02).integer('n'))).toBe('refused');
    expect(fault(() => of(0x01, 0x01).boolean('b'))).toBe('refused');
    expect(fault(() => of(0x06, 0x80, 0x01).oid('o'))).toBe('refused');
    expect(fault(() => of(0x06, 0x2a, 0x86).oid('o'))).toBe('refused');
    expect(
      fault(() => new DerReader(derOid('1.2.840.113549.1.9.16.1.4') ?? Buffer.alloc(0)).oid('o')),
    ).toBe('1.2.840.113549.1.9.16.1.4');
    const time = (tag: number, text: string): string =>
      fault(() => derTime({ tag, content: Buffer.from(text) }));
    expect(time(TAG.time, '20260301120000Z')).toBe(String(Date.parse('2026-03-01T12:00:00Z')));
    expect(time(TAG.time, '20260301120000.25Z')).toBe(
      String(Date.parse('2026-03-01T12:00:00.250Z')),
    );
    expect(time(TAG.utcTime, '491231235959Z')).toBe(String(Date.parse('2049-12-31T23:59:59Z')));
    for (const text of [
      '20260230120000Z',
      '20260301120000.250Z',
      '20260301120000.Z',
      '202603011200Z',
      '20260301120000+0100',
      '20260301246000Z',
    ]) {
      expect(time(TAG.time, text), text).toBe('refused');
    }
  });
});

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
