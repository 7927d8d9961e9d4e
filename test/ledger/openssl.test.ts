/** A second opinion on our signatures from a program that shares no code with us. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { VerifierKey } from '../../src/ledger/verifier-key.ts';
import * as ledger from '../../src/ledger/pure.ts';
import { LOG_SEED, ORIGIN, signedLog, witnessOf } from './support.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
const itWithOpenssl = it.skipIf(!hasOpenssl);

let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'filewright-openssl-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function opensslAccepts(key: VerifierKey, signed: string, signature: Uint8Array): boolean {
  const path = (name: string): string => join(directory, name);
  writeFileSync(path('pub.der'), key.keyObject.export({ format: 'der', type: 'spki' }));
  writeFileSync(path('body'), signed);
  writeFileSync(path('sig'), signature);
  const args = ['pkeyutl', '-verify', '-pubin', '-keyform', 'DER', '-inkey', path('pub.der')];
  const { status, stdout } = spawnSync(
    'openssl',
    [...args, '-rawin', '-in', path('body'), '-sigfile', path('sig')],
    { encoding: 'utf8' },
  );
  return status === 0 && stdout.includes('Verified Successfully');
}

function partsOf(note: string): { readonly text: string; readonly signatures: readonly Buffer[] } {
  const [text = '', lines = ''] = note.split('\n\n');
  const signatures = lines
    .trimEnd()
    .split('\n')
    .map((line) => Buffer.from(line.split(' ')[2] ?? '', 'base64').subarray(4));
  return { text: `${text}\n`, signatures };
}

itWithOpenssl('openssl verifies a checkpoint, its cosignature, and neither when changed', () => {
  const { text, signatures } = partsOf(signedLog(ledger, 9).checkpoint);
  const [ofLog = Buffer.alloc(0), ofWitness = Buffer.alloc(0)] = signatures;
  const { verifierKey: logKey } = ledger.logSigner({ name: ORIGIN, key: LOG_SEED });
  expect(opensslAccepts(logKey, text, ofLog)).toBe(true);
  expect(opensslAccepts(logKey, text.replace('\n9\n', '\n8\n'), ofLog)).toBe(false);

  const { verifierKey: witnessKey } = witnessOf(ledger, 0);
  const seconds = ofWitness.readBigUInt64BE();
  const cosigned = `cosignature/v1\ntime ${seconds}\n${text}`;
  expect(opensslAccepts(witnessKey, cosigned, ofWitness.subarray(8))).toBe(true);
  expect(opensslAccepts(witnessKey, text, ofWitness.subarray(8))).toBe(false);
});
