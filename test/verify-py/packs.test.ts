/** verify.py on proof packs: some entries with their proofs, several logs, payloads with a manifest. */
import { mkdirSync, mkdtempSync, rmSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Log13, sha256, vector, write, writeLog13 } from './export.ts';
import { command, condition, missing, script, verify } from './python.ts';

const top = mkdtempSync(join(tmpdir(), 'verify-py-packs-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));
const log: Log13 = vector('filewright/log-13.json');
let number = 0;
const fresh = (): string => join(top, String(number++));
const proof = (index: number): string => log.tlog_proofs[index] ?? '';
const entry = (index: number): string => log.entries[index]?.utf8 ?? '';

function writePack(place: string, indexes: readonly number[]): void {
  write(place, 'checkpoint', log.checkpoints['13'] ?? '');
  write(place, 'policy.txt', `log ${log.log_key.vkey}\nquorum none\n`);
  for (const index of indexes) {
    write(place, `entries/${index}.json`, entry(index));
    write(place, `entries/${index}.tlog-proof`, proof(index));
  }
}

describe.skipIf(missing)(`a proof pack${condition}`, () => {
  it('verifies the entries it shows and says how many it does not show', () => {
    const place = fresh();
    writePack(place, [0, 3, 7, 12]);
    const report = verify(place, '--vkey', log.log_key.vkey);
    expect(report).toMatchObject({ ok: true, size: 13 });
    expect(report.warnings).toEqual([expect.stringContaining('only 4 of 13')]);
  });

  it.each<readonly [string, string, string, string]>([
    ['an edited entry', '3.json', entry(3).replace('"v":1', '"v":2'), 'INCLUSION_MISMATCH'],
    ['the proof of another entry', '3.tlog-proof', proof(7), 'INCLUSION_MISMATCH'],
    [
      'a proof with a hash less',
      '3.tlog-proof',
      proof(3).replace(/\n.*\n\n/, '\n\n'),
      'INCLUSION_MISMATCH',
    ],
    ['another index', '3.tlog-proof', proof(3).replace('index 3', 'index 2'), 'INCLUSION_MISMATCH'],
    ['a leading zero', '3.tlog-proof', proof(3).replace('index 3', 'index 03'), 'MALFORMED_PROOF'],
    ['another format', '3.tlog-proof', proof(3).replace('@v1', '@v2'), 'MALFORMED_PROOF'],
    [
      'an unsigned checkpoint',
      '3.tlog-proof',
      proof(3).replace('cxqOFP', 'cxqOFQ'),
      'UNTRUSTED_SIGNATURE',
    ],
    ['an unproven entry', '4.json', entry(4), 'FILE_MISSING'],
    ['a proof of nothing', '4.tlog-proof', proof(3), 'FILE_MISSING'],
  ])('refuses %s', (_, name, content, reason) => {
    const place = fresh();
    writePack(place, [0, 3]);
    write(place, `entries/${name}`, content);
    expect(verify(place).reason).toBe(reason);
  });

  it('refuses an entry under the name of another', () => {
    const place = fresh();
    writePack(place, [0]);
    write(place, 'entries/5.json', entry(3));
    write(place, 'entries/5.tlog-proof', proof(3));
    expect(verify(place).reason).toBe('INCLUSION_MISMATCH');
  });

  it('is not fooled by extra data, and does not pass when it shows nothing', () => {
    const place = fresh();
    writePack(place, [3]);
    write(place, 'entries/3.tlog-proof', proof(3).replace('index', 'extra AAAA\nindex'));
    expect(verify(place).ok).toBe(true);
    const empty = fresh();
    writePack(empty, []);
    mkdirSync(join(empty, 'entries'));
    expect(verify(empty).reason).toBe('FILE_MISSING');
  });

  it('checks the proofs also where a whole log lies beside them', () => {
    const place = fresh();
    writeLog13(place, log);
    write(place, 'entries/3.json', entry(4));
    write(place, 'entries/3.tlog-proof', proof(3));
    expect(verify(place).reason).toBe('INCLUSION_MISMATCH');
  });
});

describe.skipIf(missing)(`a pack of several logs with payloads${condition}`, () => {
  it('verifies every log and every line of the manifest', () => {
    const place = fresh();
    writeLog13(join(place, 'logs/filing'), log);
    writePack(join(place, 'logs/rules'), [0, 3]);
    write(place, 'payload/a b.json', '{}');
    const manifest = `${sha256('{}').toString('hex')}  payload/a b.json\n`;
    write(place, 'MANIFEST.sha256', manifest);
    expect(verify(place)).toMatchObject({
      ok: true,
      size: null,
      logs: [{ origin: log.origin }, {}],
    });
    const { lines, status } = command([script, place]);
    expect([status, lines.filter((line) => line.startsWith('OK ')).length]).toEqual([0, 2]);
    write(place, 'payload/a b.json', '{ }');
    expect(verify(place)).toMatchObject({ reason: 'FILE_HASH_MISMATCH', code: 7 });
    unlinkSync(join(place, 'payload/a b.json'));
    expect(verify(place).reason).toBe('FILE_MISSING');
    write(place, 'payload/a b.json', '{}');
    write(place, 'MANIFEST.sha256', manifest.replace('  ', ' '));
    expect(verify(place).reason).toBe('FILE_HASH_MISMATCH');
    unlinkSync(join(place, 'MANIFEST.sha256'));
    expect(verify(place).reason).toBe('FILE_MISSING');
    write(place, 'MANIFEST.sha256', manifest);
    write(place, 'logs/rules/entries/3.json', entry(4));
    const failed = command([script, place]);
    expect(failed.status).toBe(7);
    expect(failed.lines.at(-1)).toMatch(/^FAILED INCLUSION_MISMATCH .*logs\/rules/);
    expect(failed.lines.filter((line) => line.startsWith('OK '))).toHaveLength(1);
    expect(command([script, place, '--pinned', 'x']).status).toBe(2);
  });
});
