/** What a reader is promised: `audit verify` and verify.py give the same verdict with the same reason. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { verifyFolder } from '../../src/ledger/offline/audit-offline.ts';
import {
  checkpoint,
  leafHash,
  type Log13,
  makeEntries,
  treeRoot,
  vector,
  write,
  writeTiles,
} from './export.ts';
import { condition, missing, verify } from './python.ts';

const top = mkdtempSync(join(tmpdir(), 'verify-py-agreement-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));
const log: Log13 = vector('filewright/log-13.json');
let number = 0;
const fresh = (): string => join(top, String(number++));

/** Signs what the entries say, so that only the rules about entries can find a fault. */
function writeSigned(place: string, entries: readonly string[]): string {
  write(place, 'checkpoint', checkpoint(log, entries.length, treeRoot(entries.map(leafHash))));
  write(place, 'policy.txt', `log ${log.log_key.vkey}\nquorum none\n`);
  writeTiles(place, entries);
  return place;
}

/** One entry, shown with its proof: in a tree of one leaf, the leaf is the root. */
function writeShown(place: string, entry: string): string {
  const note = checkpoint(log, 1, leafHash(entry));
  write(place, 'checkpoint', note);
  write(place, 'policy.txt', `log ${log.log_key.vkey}\nquorum none\n`);
  write(place, 'entries/0.json', entry);
  write(place, 'entries/0.tlog-proof', `c2sp.org/tlog-proof@v1\nindex 0\n\n${note}`);
  return place;
}

async function reasonsOf(
  place: string,
): Promise<Readonly<Record<'ours' | 'python', string | null>>> {
  const ours = await verifyFolder(place);
  return { ours: ours.ok ? null : ours.reason, python: verify(place).reason };
}

const both = (reason: string | null) => ({ ours: reason, python: reason });

describe.skipIf(missing)(
  `both verifiers on a signed entry that format 1 does not know${condition}`,
  () => {
    const [first = ''] = makeEntries(log.origin, 1);
    const hash = 'ab'.repeat(32);
    const sealed = `"body":{"alg":"A256GCM","cm":"${hash}","ct":"${hash}","key":"k"}`;
    const time = '2026-03-02T09:00:00.000Z';

    it.each<readonly [string, string, string, string | null]>([
      ['nothing wrong', '"v":1', '"v":1', null],
      ['a sealed body', '"body":null', sealed, null],
      ['a leap day', `"ts":"${time}"`, '"ts":"2028-02-29T09:00:00.000Z"', null],
      ['a quote in a name', '"id":"F-0"', '"id":"F\\"\\\\-0"', null],
      ['an unknown class', '"cls":"internal"', '"cls":"secret"', 'UNSUPPORTED_VERSION'],
      ['an unknown actor', '"kind":"service"', '"kind":"robot"', 'UNSUPPORTED_VERSION'],
      ['a type of one word', '"type":"filing.state"', '"type":"filing"', 'UNSUPPORTED_VERSION'],
      ['a type with a newline', 'filing.state', 'filing.state\\n', 'UNSUPPORTED_VERSION'],
      [
        'an id that is no UUIDv7',
        '"id":"01900000-0000-7',
        '"id":"01900000-0000-4',
        'UNSUPPORTED_VERSION',
      ],
      [
        'a time without milliseconds',
        `"at":"${time}"`,
        '"at":"2026-03-02T09:00:00Z"',
        'UNSUPPORTED_VERSION',
      ],
      [
        'a day that is not',
        `"ts":"${time}"`,
        '"ts":"2026-02-30T09:00:00.000Z"',
        'UNSUPPORTED_VERSION',
      ],
      [
        'digits of another script',
        `"at":"${time}"`,
        '"at":"２026-03-02T09:00:00.000Z"',
        'UNSUPPORTED_VERSION',
      ],
      ['another cipher', '"body":null', sealed.replace('A256GCM', 'none'), 'UNSUPPORTED_VERSION'],
      ['a short hash', '"body":null', sealed.replace(hash, 'ab'), 'UNSUPPORTED_VERSION'],
      ['a version that is no number', '"ver":1', '"ver":true', 'UNSUPPORTED_VERSION'],
      ['a version of the format that is no number', '"v":1', '"v":true', 'UNSUPPORTED_VERSION'],
      ['a place that is no number', '"seq":0', '"seq":false', 'SEQ_GAP'],
      ['no place', '"seq":0,', '', 'SEQ_GAP'],
      ['no log', `"log":"${log.origin}",`, '', 'ORIGIN_MISMATCH'],
      ['an upper-case hash before it', '"prev":"9f', '"prev":"9F', 'CHAIN_BREAK'],
      ['two faults: the closer one', '"seq":0', '"seq":1,"sew":1', 'SEQ_GAP'],
      ['no object', first, '[]', 'UNSUPPORTED_VERSION'],
    ])('%s', async (_, from, to, reason) => {
      expect(first).toContain(from);
      const entry = first.replace(from, () => to);
      expect(await reasonsOf(writeSigned(fresh(), [entry]))).toEqual(both(reason));
      expect(await reasonsOf(writeShown(fresh(), entry))).toEqual(both(reason));
    });
  },
);

describe.skipIf(missing)(`both verifiers on whom to believe${condition}`, () => {
  const [one = ''] = makeEntries(log.origin, 1);
  const key = `log ${log.log_key.vkey}\n`;
  const witness = `witness w1 ${log.witness_key.vkey}\n`;
  const { notes }: { notes: { vkeys: string[] }[] } = vector('note/signed-notes.json');
  const otherLog = `log ${notes[0]?.vkeys[0]}\n`;

  it.each<readonly [string, string, string | null]>([
    ['a key for every size', `# ours\n\n\t${key}quorum none\n`, null],
    ['a key for this size', `#sizes 1-1\n${key}quorum none\n`, null],
    ['a key from this size on', `#sizes 1-\n${key}quorum none\n`, null],
    ['a key that was retired before', `#sizes 0-0\n${key}quorum none\n`, 'UNTRUSTED_SIGNATURE'],
    ['a key that was not yet in use', `#sizes 2-\n${key}quorum none\n`, 'UNTRUSTED_SIGNATURE'],
    ['sizes that are none', `#sizes 1\n${key}quorum none\n`, 'MALFORMED_POLICY'],
    ['sizes of nobody', `${key}#sizes 1-1\nquorum none\n`, 'MALFORMED_POLICY'],
    ['CRLF', `${key}quorum none\r\n`, 'MALFORMED_POLICY'],
    ['a line without an end', `${key}quorum none`, 'MALFORMED_POLICY'],
    ['a word too many', `${key}quorum none w1\n`, 'MALFORMED_POLICY'],
    ['two addresses', `${key.trimEnd()} a b\nquorum none\n`, 'MALFORMED_POLICY'],
    [
      'a number of another spelling',
      `${key}${witness}group g +1 w1\nquorum none\n`,
      'MALFORMED_POLICY',
    ],
    ['a witness that did not sign', `${key}${witness}quorum w1\n`, 'UNTRUSTED_SIGNATURE'],
  ])('%s', async (_, policy, reason) => {
    const place = writeSigned(fresh(), [one]);
    write(place, 'policy.txt', policy);
    expect(await reasonsOf(place)).toEqual(both(reason));
  });

  it('a head of another log, whether one log is trusted or several; its witnesses are asked first', async () => {
    const cases: { name: string; checkpoint: string }[] = vector('filewright/tamper-cases.json');
    const other = cases.find(({ name }) => name === 'checkpoint for another origin, right key');
    const place = writeSigned(fresh(), [one]);
    write(place, 'checkpoint', other?.checkpoint ?? '');
    expect(await reasonsOf(place)).toEqual(both('ORIGIN_MISMATCH'));
    write(place, 'policy.txt', `${key}${otherLog}quorum none\n`);
    expect(await reasonsOf(place)).toEqual(both('ORIGIN_MISMATCH'));
    write(place, 'policy.txt', `${key}${witness}quorum w1\n`);
    expect(await reasonsOf(place)).toEqual(both('UNTRUSTED_SIGNATURE'));
  });

  it('a size that no number here can hold', async () => {
    const place = writeSigned(fresh(), [one]);
    write(place, 'checkpoint', checkpoint(log, 2 ** 53, leafHash(one)));
    expect(await reasonsOf(place)).toEqual(both('MALFORMED_CHECKPOINT'));
  });
});

describe.skipIf(missing)(
  `both verifiers on proofs and disclosures that are not what they should be${condition}`,
  () => {
    const body = log.sealed_body;
    const sealedEntry = log.entries[3]?.utf8 ?? '';
    const { id } = JSON.parse(sealedEntry) as { id: string };
    const proof = log.tlog_proofs['3'] ?? '';
    const [hash = ''] = proof.split('\n').slice(2);

    function writeProof(content: string | Buffer): string {
      const place = fresh();
      write(place, 'checkpoint', log.checkpoints['13'] ?? '');
      write(place, 'policy.txt', `log ${log.log_key.vkey}\nquorum none\n`);
      write(place, 'entries/3.json', sealedEntry);
      write(place, 'entries/3.tlog-proof', content);
      return place;
    }

    it.each<readonly [string, string | Buffer, string | null]>([
      ['nothing wrong', proof, null],
      ['extra data', proof.replace('index', 'extra AAAA\nindex'), null],
      [
        'extra data that is not base64',
        proof.replace('index', 'extra A\nindex'),
        'MALFORMED_PROOF',
      ],
      ['a hash that is too short', proof.replace(hash, hash.slice(4)), 'MALFORMED_PROOF'],
      ['no checkpoint', proof.slice(0, proof.indexOf('\n\n') + 1), 'MALFORMED_PROOF'],
      [
        'bytes that are no text',
        Buffer.from(proof.replace('filing\n', 'fil\u00ffng\n'), 'latin1'),
        'MALFORMED_PROOF',
      ],
    ])('%s', async (_, content, reason) => {
      expect(await reasonsOf(writeProof(content))).toEqual(both(reason));
    });

    const claim = (salt: string, text: string): string => JSON.stringify({ id, salt, body: text });
    const good = claim(body.salt_hex, body.body_jcs_utf8);

    it.each<readonly [string, string, string | null]>([
      ['the body that was sealed', good, null],
      ['another body', claim(body.salt_hex, '{}'), 'COMMITMENT_MISMATCH'],
      [
        'a salt with more after it',
        claim(`${body.salt_hex}zz`, body.body_jcs_utf8),
        'COMMITMENT_MISMATCH',
      ],
      [
        'a salt in pieces',
        claim(body.salt_hex.replace(/../g, '$& '), body.body_jcs_utf8),
        'COMMITMENT_MISMATCH',
      ],
      [
        'a salt that HMAC fills up alike',
        claim(`${body.salt_hex}00`, body.body_jcs_utf8),
        'COMMITMENT_MISMATCH',
      ],
      [
        'two bodies, of which a reader sees the first',
        good.replace('"salt"', '"body":"{}","salt"'),
        'COMMITMENT_MISMATCH',
      ],
      ['a byte order mark', `\ufeff${good}`, 'COMMITMENT_MISMATCH'],
    ])('%s', async (_, disclosed, reason) => {
      const place = writeProof(proof);
      write(place, 'disclosed/3.json', disclosed);
      expect(await reasonsOf(place)).toEqual(both(reason));
    });
  },
);

/** The adversary hands over an export of their own making, and has the verifier read what is not in it, or without end. */
describe.skipIf(missing)(`both verifiers stay inside their folder${condition}`, () => {
  const entries = makeEntries(log.origin, 3);
  const secret = join(top, 'secret-of-ours');
  writeFileSync(secret, 'secret-of-ours');
  const sha256 = 'a'.repeat(64);

  it.each<readonly [string, (place: string) => void, string]>([
    ['a link to a file', (place) => symlinkSync(secret, join(place, 'extra')), 'OUTSIDE_FOLDER'],
    [
      'a link in place of its policy',
      (place) => {
        rmSync(join(place, 'policy.txt'));
        symlinkSync(secret, join(place, 'policy.txt'));
      },
      'OUTSIDE_FOLDER',
    ],
    ['a link to a folder', (place) => symlinkSync('/etc', join(place, 'bodies')), 'OUTSIDE_FOLDER'],
    [
      'a link to a log',
      (place) => {
        mkdirSync(join(place, 'logs'));
        symlinkSync('/etc', join(place, 'logs', 'filing'));
      },
      'OUTSIDE_FOLDER',
    ],
    ['a pipe', (place) => void execFileSync('mkfifo', [join(place, 'pinned')]), 'OUTSIDE_FOLDER'],
    [
      'a list with ..',
      (place) => write(place, 'MANIFEST.sha256', `${sha256}  ../secret-of-ours\n`),
      'OUTSIDE_FOLDER',
    ],
    [
      'a list with a path from the root',
      (place) => write(place, 'MANIFEST.sha256', `${sha256}  /etc/passwd\n`),
      'OUTSIDE_FOLDER',
    ],
    [
      'a file of a terabyte, which takes no space',
      (place) => {
        write(place, 'pinned', '');
        truncateSync(join(place, 'pinned'), 2 ** 40);
      },
      'FILE_TOO_LARGE',
    ],
  ])('given %s', async (_name, spoil, reason) => {
    const place = writeSigned(fresh(), entries);
    expect(await reasonsOf(place)).toEqual(both(null));
    spoil(place);
    expect(await reasonsOf(place)).toEqual(both(reason));
  });
});
