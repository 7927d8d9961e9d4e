/** verify.py as a reader runs it on a whole export, and on every kind of damage to it. */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  checkpoint,
  leafHash,
  type Log13,
  makeEntries,
  sha256,
  treeRoot,
  vector,
  write,
  writeLog13,
  writeTiles,
} from './export.ts';
import {
  command,
  condition,
  drive,
  missing,
  python,
  type Report,
  script,
  verify,
} from './python.ts';

const top = mkdtempSync(join(tmpdir(), 'verify-py-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));
const log: Log13 = vector('filewright/log-13.json');
let number = 0;
const fresh = (): string => join(top, String(number++));
const entry = (index: number): string => log.entries[index]?.utf8 ?? '';

/** Signs what the entries say, so that only the rules about entries can find a fault. */
function writeSigned(place: string, entries: readonly string[]): void {
  write(place, 'checkpoint', checkpoint(log, entries.length, treeRoot(entries.map(leafHash))));
  write(place, 'policy.txt', `log ${log.log_key.vkey}\nquorum none\n`);
  writeTiles(place, entries);
}

describe.skipIf(missing)(`a whole export${condition}`, () => {
  const place = fresh();
  const policy = join(place, 'policy.txt');
  let files: ReturnType<typeof writeLog13>;
  beforeAll(() => {
    files = writeLog13(place, log);
  });

  it('verifies, and the bundle and tile are those of the vector', () => {
    const bundle: Record<string, string> = vector('filewright/bundle-13.json');
    const digest = (name = ''): string => sha256(readFileSync(join(place, name))).toString('hex');
    expect(digest(bundle['path'])).toBe(bundle['sha256_hex']);
    expect(digest(bundle['tile0_path'])).toBe(bundle['tile0_sha256_hex']);
    const run = command([script, place, '--policy', policy]);
    const root = Buffer.from(log.roots_hex['13'] ?? '', 'hex').toString('base64');
    expect(run.lines.at(-1)).toBe(`OK ${log.origin} size=13 root=${root}`);
    expect(run).toMatchObject({ status: 0, stderr: '' });
    expect(verify(place, '--policy', policy)).toMatchObject({ ok: true, size: 13, warnings: [] });
  });

  it('says so when the policy came with the export, and refuses another key', () => {
    expect(verify(place).warnings).toEqual([
      expect.stringContaining('policy.txt is from the export'),
    ]);
    const { notes }: { notes: { vkeys: string[] }[] } = vector('note/signed-notes.json');
    expect(verify(place, '--vkey', notes[0]?.vkeys[0] ?? '').reason).toBe('UNTRUSTED_SIGNATURE');
    expect(verify(place, '--vkey', log.log_key.vkey)).toMatchObject({ ok: true, warnings: [] });
  });

  it('needs the witnesses that the policy asks for', () => {
    const signed = log.checkpoints['13'] ?? '';
    const alone = fresh();
    cpSync(place, alone, { recursive: true });
    write(alone, 'checkpoint', `${signed.split('\n— witness')[0]}\n`);
    expect(verify(alone)).toMatchObject({ reason: 'UNTRUSTED_SIGNATURE', code: 7 });
    expect(verify(alone, '--vkey', log.log_key.vkey).ok).toBe(true);
  });

  it('refuses a known key with a wrong signature even where the quorum does not need it', () => {
    const spoiled = fresh();
    cpSync(place, spoiled, { recursive: true });
    const signed = log.checkpoints['13'] ?? '';
    const [, line = ''] = signed.split('\n— witness');
    // The last characters hold the end of the Ed25519 signature, not the key id.
    write(spoiled, 'checkpoint', signed.replace(line, line.replace(/....==\n$/, 'AAAA==\n')));
    write(spoiled, 'policy.txt', readFileSync(policy, 'utf8').replace('quorum w1', 'quorum none'));
    expect(verify(spoiled)).toMatchObject({ reason: 'UNTRUSTED_SIGNATURE', code: 7 });
    expect(verify(spoiled, '--vkey', log.log_key.vkey).ok).toBe(true);
  });

  it('refuses a second spelling of the same signature', () => {
    const respelled = fresh();
    cpSync(place, respelled, { recursive: true });
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    const signed = log.checkpoints['13'] ?? '';
    const end = signed.indexOf('=\n— witness') - 1;
    const other = alphabet[alphabet.indexOf(signed[end] ?? '') + 1] ?? '';
    const text = signed.slice(0, end) + other + signed.slice(end + 1);
    const bytes = (note: string): Buffer =>
      Buffer.from(note.split('\n')[4]?.split(' ')[2] ?? '', 'base64');
    expect(bytes(text)).toEqual(bytes(signed));
    write(respelled, 'checkpoint', text);
    expect(verify(respelled).reason).toBe('MALFORMED_CHECKPOINT');
  });

  it('notices 500 single flipped bits, wherever they are', () => {
    const argv = [place, '--policy', write(top, 'outside.txt', readFileSync(policy))];
    // A witness line of an earlier checkpoint is not asked for by the quorum; its name is not signed by anybody.
    const signedBytes = (file: string): number =>
      file === files.pinned || file === files.past
        ? readFileSync(file).indexOf('— witness') - 1
        : statSync(file).size;
    const all = [files.checkpoint, files.pinned, files.past, files.body, ...files.tiles];
    const flips = Array.from({ length: 500 }, (_, i) => {
      const file = all[i % all.length] ?? '';
      // A fixed stride walks over each file; 7919 is prime, so that no byte position is preferred.
      return { file, byte: (i * 7919) % signedBytes(file), bit: i % 8 };
    });
    const quick = flips.slice(0, 450);
    const reports = drive<Report>(
      quick.map(({ file, byte, bit }) => ['flip', argv, file, byte, bit]),
    );
    expect(quick.filter((_, i) => reports[i]?.code !== 7)).toEqual([]);
    for (const { file, byte, bit } of flips.slice(450)) {
      const original = readFileSync(file);
      const changed = Buffer.from(original);
      changed[byte] = (changed[byte] ?? 0) ^ (1 << bit);
      writeFileSync(file, changed);
      const { status, lines } = command([script, ...argv]);
      writeFileSync(file, original);
      expect([file, byte, bit, status, lines.at(-1)?.slice(0, 6)]).toEqual([
        file,
        byte,
        bit,
        7,
        'FAILED',
      ]);
    }
    expect(verify(...argv).ok).toBe(true);
  });

  it('names a changed body, a changed tile and a disclosure that no entry commits to', () => {
    const damaged = fresh();
    cpSync(place, damaged, { recursive: true });
    const bodies = `bodies/${log.sealed_body.ct_sha256_hex}`;
    write(damaged, bodies, 'other');
    expect(verify(damaged)).toMatchObject({ reason: 'BODY_HASH_MISMATCH', code: 7 });
    copyFileSync(files.body, join(damaged, bodies));
    write(damaged, 'tile/0/000.p/13', Buffer.alloc(13 * 32));
    expect(verify(damaged)).toMatchObject({ reason: 'TILE_MISMATCH', code: 7 });
    rmSync(join(damaged, 'tile/0'), { recursive: true });
    expect(verify(damaged).ok).toBe(true);
    const { id, salt, body } = JSON.parse(readFileSync(files.disclosed, 'utf8'));
    const claims = [
      { id, salt, body: `${body} ` },
      { id, salt: '00'.repeat(32), body },
      { id: '01900000-0000-7000-8000-000000000001', salt, body },
      { id, salt: 'zz', body },
      { id },
    ];
    for (const claim of claims) {
      const file = write(top, 'claim.json', JSON.stringify(claim));
      expect(verify(damaged, '--disclose', file).reason).toBe('COMMITMENT_MISMATCH');
    }
    expect(verify(damaged, '--disclose', files.disclosed).ok).toBe(true);
  });

  it('runs where there is nothing but python3 and openssl', () => {
    const bare = fresh();
    mkdirSync(join(bare, 'bin'), { recursive: true });
    mkdirSync(join(bare, 'empty'));
    const openssl = execFileSync('sh', ['-c', 'command -v openssl'], { encoding: 'utf8' }).trim();
    symlinkSync(openssl, join(bare, 'bin/openssl'));
    symlinkSync(python, join(bare, 'bin/python3'));
    copyFileSync(script, join(bare, 'empty/verify.py'));
    cpSync(place, join(bare, 'empty/export'), { recursive: true });
    const options = { cwd: join(bare, 'empty'), path: join(bare, 'bin') };
    expect(command(['verify.py', 'export'], options)).toMatchObject({ status: 0, stderr: '' });
    unlinkSync(join(bare, 'bin/openssl'));
    const without = command(['verify.py', 'export'], options);
    expect(without).toMatchObject({ status: 3, stderr: '' });
    expect(without.lines.at(-1)).toContain('openssl');
  });

  it('tells a wrong call from a missing export', () => {
    expect(command([script]).status).toBe(2);
    expect(command([script, place, '--policy', policy, '--vkey', log.log_key.vkey]).status).toBe(2);
    expect(command([script, join(top, 'nowhere')]).status).toBe(3);
    expect(command([script, place, '--pinned', join(top, 'nowhere')]).status).toBe(3);
    expect(command([script, place, '--policy', join(top, 'nowhere')]).status).toBe(3);
    const broken = write(top, 'broken.txt', `log ${log.log_key.vkey}\n`);
    expect(verify(place, '--policy', broken)).toMatchObject({
      reason: 'MALFORMED_POLICY',
      code: 7,
    });
  });
});

describe.skipIf(missing)(`rules about entries${condition}`, () => {
  it('takes a log of three tile levels, and notices a wrong tile and a wrong earlier head in it', () => {
    const place = fresh();
    const entries = makeEntries(log.origin, 65_536 + 300);
    const leaves = entries.map(leafHash);
    writeSigned(place, entries);
    const at = (size: number): string => checkpoint(log, size, treeRoot(leaves.slice(0, size)));
    for (const size of [0, 256, 257, 65_537]) write(place, `checkpoints/${size}`, at(size));
    const pinned = write(top, 'pinned-300', checkpoint(log, 300, treeRoot(leaves.slice(0, 299))));
    expect(verify(place)).toMatchObject({ ok: true, size: 65_836 });
    expect(verify(place, '--pinned', pinned).reason).toBe('INCONSISTENT_WITH_PINNED');
    const tile = join(place, 'tile/2/000.p/1');
    expect(readFileSync(tile)).toEqual(treeRoot(leaves.slice(0, 65_536)));
    writeFileSync(tile, Buffer.alloc(32));
    expect(verify(place)).toMatchObject({ reason: 'TILE_MISMATCH', where: tile });
  });

  it('counts what is there: entries beyond the checkpoint are a wrong size', () => {
    for (const size of [0, 256]) {
      const place = fresh();
      const entries = makeEntries(log.origin, size + 1);
      writeSigned(place, entries);
      const root = treeRoot(entries.slice(0, size).map(leafHash));
      write(place, 'checkpoint', checkpoint(log, size, root));
      expect(verify(place).reason).toBe('SIZE_MISMATCH');
    }
  });

  it('refuses a signed entry that is not of the form of version 1', () => {
    const [first = ''] = makeEntries(log.origin, 1);
    const changes: readonly (readonly [string, string])[] = [
      ['"v":1', '"v":true'],
      ['"v":1', '"v":1,"z":1'],
      ['"trace":"t",', ''],
      ['"ver":1', '"ver":"1"'],
      ['"data":{"attempt":1}', '"data":[]'],
      ['"body":null', '"body":{"ct":"x"}'],
      [first, '[]'],
    ];
    for (const [from, to] of changes) {
      const place = fresh();
      expect(first).toContain(from);
      writeSigned(place, [first.replace(from, to)]);
      expect([to, verify(place).reason]).toEqual([to, 'UNSUPPORTED_VERSION']);
    }
  });

  it('reports the graver fault first: a later broken chain ranks above an earlier wrong body', () => {
    const entries = log.entries.map(({ utf8 }) => utf8);
    const wrong = entry(12).replace(/"prev":"\w+"/, `"prev":"${'0'.repeat(64)}"`);
    const place = fresh();
    writeSigned(place, [...entries.slice(0, 12), wrong]);
    write(place, `bodies/${log.sealed_body.ct_sha256_hex}`, 'other');
    expect(verify(place).reason).toBe('CHAIN_BREAK');
  });
});
