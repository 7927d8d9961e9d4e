/** Exports, proofs and defense packs by commands alone, judged by both verifiers. */
import { createHash } from 'node:crypto';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { condition, missing } from '../verify-py/python.ts';
import { bareShell, copyOf, ledgerCli, type LedgerCli, reasons, verdicts } from './world.ts';

const FILINGS = 90;
/** The bundle of 256 entries is full and a second one begun, so that tiles of both kinds are there. */
const ENTRIES_MIN = 257;
const WORD = 'PLANTED-MARKER-7f3a';

const read = (path: string): string => readFileSync(path, 'utf8');

// Each starts the program several times; a busy machine takes its time for that.
describe.skipIf(missing)(`exports by command${condition}`, { timeout: 120_000 }, () => {
  let cli: LedgerCli;
  let whole: string;
  beforeAll(async () => {
    cli = await ledgerCli(FILINGS, WORD);
    await cli.world.data(['audit', 'checkpoint']);
    await cli.send(['901']);
    whole = cli.world.path('whole');
    await cli.world.data(['audit', 'export', whole, '--bodies']);
  }, 300_000);
  afterAll(() => cli.close());

  const first = (): string => cli.filings[0] ?? '';

  it('a whole export satisfies both verifiers, and its counts are those of the database', async () => {
    const { python, ours } = await verdicts(cli.world, whole);
    expect(python).toMatchObject({ ok: true, code: 0 });
    expect(ours).toMatchObject({ code: 0, data: { ok: true } });
    const inDatabase = await cli.world.data(['audit', 'verify']);
    const manifest = JSON.parse(read(join(whole, 'MANIFEST.json')));
    const sizes = (logs: { log: string; entries: number }[]) =>
      Object.fromEntries(logs.map(({ log, entries }) => [log, entries]));
    // @ts-expect-error -- the envelope of the command just above.
    expect(sizes(manifest.logs)).toEqual(sizes(inDatabase.logs));
    const filing = manifest.logs.find((log: { boundary: string }) => log.boundary === 'filing');
    expect(filing.entries).toBeGreaterThanOrEqual(ENTRIES_MIN);
    expect(filing).toMatchObject({ unsigned: 0, bodies: { written: filing.database.bodies } });
    expect(readdirSync(join(whole, 'logs/filing/bodies'))).toHaveLength(filing.bodies.written);
    // What is sealed stays sealed.
    for (const name of readdirSync(whole, { recursive: true, encoding: 'utf8' })) {
      const bytes = await readMaybe(join(whole, name));
      expect(bytes?.includes(WORD) ?? false, name).toBe(false);
    }
  });

  const log = (folder: string): string => join(folder, 'logs/filing');
  const flip = (path: string, at: number): void => {
    const bytes = readFileSync(path);
    const place = at < 0 ? bytes.length + at : at;
    bytes[place] = (bytes[place] ?? 0) ^ 1;
    writeFileSync(path, bytes);
  };
  /** What is signed differs from run to run: a fixed letter would be the right one now and then. */
  const otherLetter = (letter: string): string => (letter === 'A' ? 'B' : 'A');
  /** Another root in the same spelling: only the signature can tell. */
  const otherRoot = (path: string): void => {
    const [origin = '', size = '', root = '', ...rest] = read(path).split('\n');
    const other = otherLetter(root.charAt(0)) + root.slice(1);
    writeFileSync(path, [origin, size, other, ...rest].join('\n'));
  };
  /** A letter inside the last signature, where no padding is near. */
  const otherSignature = (path: string): void => {
    const forged = read(path).replace(
      /(.)(.{8}\n)$/,
      (_, letter: string, rest: string) => otherLetter(letter) + rest,
    );
    writeFileSync(path, forged);
  };
  const past = (folder: string): string => {
    const [name = ''] = readdirSync(join(log(folder), 'checkpoints'));
    return join(log(folder), 'checkpoints', name);
  };

  it.each<readonly [string, string, (folder: string) => void]>([
    ['a bit of an entry', 'ROOT_MISMATCH', (at) => flip(join(log(at), 'tile/entries/000'), 40)],
    [
      'a bundle cut short',
      'SIZE_MISMATCH',
      (at) => {
        const path = join(log(at), 'tile/entries/000');
        writeFileSync(path, readFileSync(path).subarray(0, -1));
      },
    ],
    [
      'a missing bundle',
      'SIZE_MISMATCH',
      (at) => rmSync(join(log(at), 'tile/entries/001.p'), { recursive: true }),
    ],
    ['the signature', 'UNTRUSTED_SIGNATURE', (at) => otherSignature(join(log(at), 'checkpoint'))],
    [
      'the root in the checkpoint',
      'UNTRUSTED_SIGNATURE',
      (at) => otherRoot(join(log(at), 'checkpoint')),
    ],
    [
      'a blank line less',
      'MALFORMED_CHECKPOINT',
      (at) => {
        const path = join(log(at), 'checkpoint');
        writeFileSync(path, read(path).replace('\n\n', '\n'));
      },
    ],
    [
      'a key of somebody else',
      'UNTRUSTED_SIGNATURE',
      (at) => {
        renameSync(join(at, 'logs/access/policy.txt'), join(log(at), 'policy.txt'));
        rmSync(join(at, 'logs/access'), { recursive: true });
      },
    ],
    [
      'a policy that is none',
      'MALFORMED_POLICY',
      (at) => writeFileSync(join(log(at), 'policy.txt'), 'trust me\n'),
    ],
    ['an earlier head', 'UNTRUSTED_SIGNATURE', (at) => otherRoot(past(at))],
    ['a hash tile', 'TILE_MISMATCH', (at) => flip(join(log(at), 'tile/0/000'), 8_000)],
    [
      'a partial hash tile of level 1',
      'TILE_MISMATCH',
      (at) => flip(join(log(at), 'tile/1/000.p/1'), 3),
    ],
    [
      'a sealed body',
      'BODY_HASH_MISMATCH',
      (at) => {
        const [name = ''] = readdirSync(join(log(at), 'bodies'));
        flip(join(log(at), 'bodies', name), 20);
      },
    ],
    [
      'a sealed body less',
      'FILE_MISSING',
      (at) => rmSync(join(log(at), 'bodies', readdirSync(join(log(at), 'bodies'))[0] ?? '')),
    ],
    ['no checkpoint', 'FILE_MISSING', (at) => rmSync(join(log(at), 'checkpoint'))],
    ['a whole log less', 'FILE_MISSING', (at) => rmSync(log(at), { recursive: true })],
    [
      'a whole log less, and no list of files',
      'LOG_MISSING',
      (at) => {
        rmSync(log(at), { recursive: true });
        rmSync(join(at, 'MANIFEST.sha256'));
      },
    ],
    [
      'the spine less, and no list of files',
      'LOG_MISSING',
      (at) => {
        rmSync(join(at, 'logs/spine'), { recursive: true });
        rmSync(join(at, 'MANIFEST.sha256'));
      },
    ],
    [
      'a list of counts cut short',
      'FILE_HASH_MISMATCH',
      (at) => truncateSync(join(at, 'MANIFEST.json'), 50),
    ],
  ])('both verifiers notice %s: %s', async (_, reason, tamper) => {
    const copy = copyOf(whole);
    try {
      tamper(copy.path);
      expect(await reasons(copy.path)).toEqual({ python: reason, ours: reason });
    } finally {
      copy.remove();
    }
  });

  it('the command says the reason and ends with 7, or with 3 where a file is missing', async () => {
    const copy = copyOf(whole);
    flip(join(log(copy.path), 'tile/entries/000'), 40);
    const changed = await verdicts(cli.world, copy.path);
    expect(changed.ours).toMatchObject({ code: 7, data: { ok: false, reason: 'ROOT_MISMATCH' } });
    rmSync(join(log(copy.path), 'checkpoint'));
    const gone = await verdicts(cli.world, copy.path);
    expect(gone.ours).toMatchObject({ code: 3, data: { reason: 'FILE_MISSING' } });
    expect([changed.python.code, gone.python.code]).toEqual([7, 3]);
    copy.remove();
  });

  it('a head that was kept is held against the export: an older export is a rollback', async () => {
    const older = join(whole, 'logs/filing');
    await cli.send(['902']);
    const newer = cli.world.path('newer');
    await cli.world.data(['audit', 'export', newer, '--log', 'filing']);
    const grown = await verdicts(cli.world, newer, '--pinned', join(older, 'checkpoint'));
    expect([grown.python.code, grown.ours.code]).toEqual([0, 0]);
    const rolled = await verdicts(cli.world, older, '--pinned', join(newer, 'checkpoint'));
    expect(rolled.python).toMatchObject({ reason: 'ROLLBACK' });
    expect(rolled.ours).toMatchObject({ code: 7, data: { reason: 'ROLLBACK' } });
    const policy = join(whole, 'logs/access/policy.txt');
    const stranger = await verdicts(cli.world, newer, '--policy', policy);
    expect(stranger.python.code).toBe(7);
    expect(stranger.ours.code).toBe(7);
  });

  it('an older copy of one log among newer ones contradicts the spine', async () => {
    await cli.send(['903']);
    const newer = cli.world.path('newer-whole');
    await cli.world.data(['audit', 'export', newer]);
    const copy = copyOf(newer);
    rmSync(log(copy.path), { recursive: true });
    await cp(log(whole), log(copy.path), { recursive: true });
    rmSync(join(copy.path, 'MANIFEST.sha256'));
    expect(await reasons(copy.path)).toEqual({ python: 'ROLLBACK', ours: 'ROLLBACK' });
    copy.remove();
  });

  it('a tenant that was mistyped is not made, and does not verify', async () => {
    for (const command of [['verify'], ['export', cli.world.path('typo')], ['checkpoint']]) {
      const ended = await cli.world.run(['--tenant', 'mian', 'audit', ...command]);
      expect(ended).toMatchObject({ code: 3, stderr: expect.stringContaining('mian') });
    }
  });

  it('keys and heads from elsewhere are held against the database', async () => {
    const [policy, pinned] = [join(log(whole), 'policy.txt'), join(log(whole), 'checkpoint')];
    expect(await cli.world.data(['audit', 'verify', '--pinned', pinned])).toMatchObject({
      ok: true,
    });
    const other = await cli.world.data(['audit', 'verify', '--policy', policy], {}, 7);
    expect(JSON.stringify(other)).toContain('UNTRUSTED_SIGNATURE');
    const forged = cli.world.path('forged-pin');
    writeFileSync(forged, read(pinned));
    otherRoot(forged);
    const report = await cli.world.data(['audit', 'verify', '--pinned', forged], {}, 7);
    expect(JSON.stringify(report)).toContain('INCONSISTENT_WITH_PINNED');
  });

  it('one filing is proven entry by entry, and nothing in its pack can be exchanged', async () => {
    const folder = cli.world.path('proof');
    const report = await cli.world.data(['audit', 'prove', first(), folder]);
    expect(report).toMatchObject({ logs: [{ entries: 3, files: { proofs: 3 } }] });
    const good = await verdicts(cli.world, folder);
    expect([good.python.ok, good.ours.code]).toEqual([true, 0]);
    const [name = '', other = ''] = readdirSync(join(folder, 'entries'))
      .filter((each) => each.endsWith('.json'))
      .toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
    const tampers: [string, (at: string) => void][] = [
      ['INCLUSION_MISMATCH', (at) => flip(join(at, 'entries', name), 30)],
      [
        'INCLUSION_MISMATCH',
        (at) => renameSync(join(at, 'entries', other), join(at, 'entries', name)),
      ],
      ['MALFORMED_PROOF', (at) => flip(join(at, 'entries', name.replace('json', 'tlog-proof')), 2)],
      ['FILE_HASH_MISMATCH', (at) => flip(join(at, 'README.txt'), 2)],
    ];
    for (const [reason, tamper] of tampers) {
      const copy = copyOf(folder);
      tamper(copy.path);
      if (reason !== 'FILE_HASH_MISMATCH') rmSync(join(copy.path, 'MANIFEST.sha256'));
      expect(await reasons(copy.path)).toEqual({ python: reason, ours: reason });
      copy.remove();
    }
  });

  it('a time becomes a pack, or lines whose hashes are those of the log', async () => {
    const folder = cli.world.path('day');
    const day = new Date().toISOString().slice(0, 10);
    const report = await cli.world.data([
      'audit',
      'export',
      folder,
      '--from',
      '2020-01-01',
      '--to',
      day,
    ]);
    const { python, ours } = await verdicts(cli.world, folder);
    expect([python.ok, ours.code]).toEqual([true, 0]);
    const lines = cli.world.path('lines');
    await cli.world.data(['audit', 'export', lines, '--format', 'ndjson', '--log', 'filing']);
    const all = read(join(lines, 'filing.ndjson')).trimEnd().split('\n');
    const leaf = (text: string) => createHash('sha256').update('\0').update(text).digest('hex');
    for (const [seq, line] of all.entries()) {
      const entry = JSON.parse(line);
      expect(entry.seq).toBe(seq);
      if (seq > 0) expect(entry.prev).toBe(leaf(all[seq - 1] ?? ''));
    }
    expect(report).toMatchObject({
      logs: expect.arrayContaining([expect.objectContaining({ entries: all.length })]),
    });
    const none = await cli.world.run([
      'audit',
      'export',
      cli.world.path('none'),
      '--to',
      '2020-01-01',
    ]);
    expect(none.code).toBe(3);
    const again = await cli.world.run(['audit', 'export', lines]);
    expect(again.code).toBe(4);
    expect(again.stderr).toContain('empty or new folder');
  });

  it('a defense pack convinces in an empty folder without Node and without this repository', async () => {
    const folder = cli.world.path('defense');
    expect((await cli.world.run(['filing', 'defend', first(), folder])).code).toBe(4);
    await cli.world.data(['filing', 'defend', first(), folder], cli.paula);
    const elsewhere = mkdtempSync(join(tmpdir(), 'fw-court-'));
    try {
      await cp(folder, elsewhere, { recursive: true });
      const checked = bareShell(
        'python3 verify.py . && sha256sum -c --quiet MANIFEST.sha256',
        elsewhere,
      );
      expect(checked).toMatchObject({ status: 0 });
      expect(checked.out).toMatch(/^OK .*\/filing size=/m);
      const readme = read(join(elsewhere, 'README.txt'));
      const openssl = readme
        .split('\n')
        .filter((line) => /^ {2}(T=|head|sed|\{ printf|openssl)/.test(line));
      expect(openssl).toHaveLength(5);
      expect(bareShell(openssl.join('\n'), elsewhere).out).toContain(
        'Signature Verified Successfully',
      );
      const { python, ours } = await verdicts(cli.world, elsewhere);
      expect([python.code, ours.code]).toEqual([0, 0]);

      const [payload = ''] = readdirSync(join(elsewhere, 'payload'));
      const bytes = readFileSync(join(elsewhere, 'payload', payload));
      expect(bytes.includes(WORD)).toBe(true);
      const seq = /entry-(\d+)/.exec(payload)?.[1];
      const entry = JSON.parse(read(join(elsewhere, `logs/filing/entries/${seq}.json`)));
      expect(entry.data.payload_sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
      const attempts = JSON.parse(read(join(elsewhere, 'attempts/attempts.json')));
      expect(attempts.map((each: { type: string }) => each.type)).toEqual([
        'filing.intent',
        'filing.outcome',
      ]);
      const exchange = JSON.parse(read(join(elsewhere, attempts[1].answer)));
      const body = readFileSync(join(elsewhere, attempts[1].answer.replace(/json$/, 'body')));
      expect(createHash('sha256').update(body).digest('hex')).toBe(exchange.body_sha256);
      const receipt = JSON.parse(read(join(elsewhere, 'receipt.json')));
      expect(body.includes(receipt.number)).toBe(true);

      // Another answer, with manifest and all made to fit: the commitment in the entry gives it away.
      const disclosed = join(elsewhere, 'logs/filing/disclosed', `${entry.id}.json`);
      const claim = JSON.parse(read(disclosed));
      writeFileSync(
        disclosed,
        JSON.stringify({ ...claim, body: claim.body.replace(WORD, 'OTHER') }),
      );
      rmSync(join(elsewhere, 'payload'), { recursive: true });
      rmSync(join(elsewhere, 'MANIFEST.sha256'));
      const forged = await verdicts(cli.world, elsewhere);
      expect(forged.python.reason).toBe('COMMITMENT_MISMATCH');
      expect(forged.ours.data).toMatchObject({ reason: 'COMMITMENT_MISMATCH' });
    } finally {
      rmSync(elsewhere, { recursive: true, force: true });
    }
  });
});

async function readMaybe(path: string): Promise<Buffer | undefined> {
  try {
    return readFileSync(path);
  } catch {
    // A folder has no bytes.
    return undefined;
  }
}
