/** The machine around the command line: no database, no key, no disk, no port, no reader, two at once. */
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureEmbedded } from '../../src/postgres/embedded/ensure.ts';
import { stopEmbedded } from '../../src/postgres/embedded/stop.ts';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';
import { CliWorld, envelopeOf, MAIN } from '../fixtures/cli.ts';
import { csv, row } from './rows.ts';

let world: CliWorld;

beforeAll(async () => {
  world = await CliWorld.bare();
});

afterAll(() => world.close());

describe('a data directory', () => {
  it('that is fresh serves two commands at once: one server, one key, one first person', async () => {
    const both = await Promise.all(
      ['A', 'B'].map((name) =>
        world.run(['--json', 'init', '--admin', name, '--key-out-dir', world.path(`keys-${name}`)]),
      ),
    );
    const codes = both.map(({ code }) => code ?? -1).sort((a, b) => a - b);
    // Whoever came second is either the second person without a key, or (both saw nobody) a first one too.
    expect(codes[0]).toBe(0);
    expect([0, 4]).toContain(codes[1]);
    expect(await world.data(['audit', 'verify'])).toMatchObject({ ok: true });
    expect(await readFile(join(world.dataDirectory, 'root.key'), 'utf8')).toMatch(
      /^[0-9a-f]{64}\n$/,
    );
  });

  it('that is a file, or that cannot be written to, is refused with 1', async () => {
    const file = await world.file('plain', '');
    for (const path of [file, join(file, 'below')]) {
      const ended = await world.run(['--json', '--data-dir', path, 'init']);
      expect(ended.code).toBe(1);
      expect(envelopeOf(ended)).toMatchObject({ error: { code: 'DATA_DIRECTORY' } });
    }
  });

  it.skipIf(process.geteuid?.() === 0)('that is read-only is refused with 1', async () => {
    const path = world.path('locked');
    await mkdir(path, { mode: 0o500 });
    const ended = await world.run(['--json', '--data-dir', join(path, 'data'), 'init']);
    expect(ended.code).toBe(1);
    expect(envelopeOf(ended)).toMatchObject({ error: { code: 'DATA_DIRECTORY' } });
  });
});

describe('the root key', () => {
  it('that is missing is never made anew over sealed data, and a wrong one is refused', async () => {
    const key = join(world.dataDirectory, 'root.key');
    await rename(key, `${key}.away`);
    const missing = await world.run(['--json', 'user', 'list']);
    expect(missing.code).toBe(1);
    expect(envelopeOf(missing)).toMatchObject({ error: { code: 'ROOT_KEY_MISSING' } });
    await expect(readFile(key)).rejects.toThrow('ENOENT');
    await rename(`${key}.away`, key);
    const wrong = await world.run(['--json', 'user', 'list'], {
      FILEWRIGHT_ROOT_KEY: 'ab'.repeat(32),
    });
    expect(wrong.code).toBe(1);
    expect(envelopeOf(wrong)).toMatchObject({ error: { code: 'ROOT_KEY_MISSING' } });
    expect(wrong.stdout).not.toContain('abab');
  });
});

describe('what is not there', () => {
  it('a database: 75 at once, no stack trace, no password', async () => {
    const startedMs = performance.now();
    const url = 'postgres://me:SECRET@127.0.0.1:1/none';
    const ended = await world.run(['user', 'list'], { DATABASE_URL: url });
    expect(performance.now() - startedMs).toBeLessThan(5_000);
    expect(ended).toMatchObject({ code: 75, stdout: '' });
    expect(ended.stderr).toMatch(
      /^filewright: The database did not answer.*\n +code: +DATABASE_UNREACHABLE\n +remedy: .+\n$/,
    );
    expect(ended.stderr).not.toContain('SECRET');
    const doctor = await world.run(['--json', 'doctor'], { DATABASE_URL: url });
    expect(doctor.code).toBe(1);
    expect(envelopeOf(doctor).data).toMatchObject({ healthy: false });
    const nonsense = await world.run(['user', 'list'], { DATABASE_URL: 'SECRET' });
    expect(nonsense.code).toBe(2);
    expect(nonsense.stderr).not.toContain('SECRET');
  });

  it('an address of a database that can be read: 2, and one that refuses every login: 75', async () => {
    const { connection } = await ensureEmbedded({ dataDirectory: world.dataDirectory });
    const place = `host=${encodeURIComponent(connection.host)}&port=${connection.port}`;
    const cases: [string, number, RegExp][] = [
      ['postgres://me:SECRET@127.0.0.1:port/none', 2, /DATABASE_URL: expected an address like/],
      ['postgres://me:SECRET@127.0.0.1:99999/none', 2, /DATABASE_URL: expected an address like/],
      [`postgres://${connection.user}@/none?${place}`, 75, /refused the connection: .*"none"/],
      [`postgres://nobody:SECRET@/postgres?${place}`, 75, /refused the connection: .*nobody/],
    ];
    for (const [url, code, words] of cases) {
      const ended = await world.run(['user', 'list'], { DATABASE_URL: url });
      expect(ended, url).toMatchObject({ code, stdout: '' });
      expect(ended.stderr).toMatch(words);
      expect(ended.stderr).not.toMatch(/SECRET|\n +at /);
    }
  });

  it('a free port: 75', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    // A TCP server's address is never a text.
    const port = String((other.address() as AddressInfo).port);
    const profile = await world.file('p.json', JSON.stringify(sampleProfile()));
    const ended = await world.run(['--json', 'simulator', '--profile', profile, '--port', port]);
    other.close();
    expect(ended.code).toBe(75);
    expect(envelopeOf(ended)).toMatchObject({ error: { code: 'PORT_IN_USE' } });
  });

  it('a reader: a closed pipe causes no stack trace and does not change the exit code', async () => {
    const listing = world.start(['--help']);
    listing.child.stdout?.destroy();
    expect(await listing.ended).toMatchObject({ code: 0, stderr: '' });
    const users = world.start(['user', 'list']);
    users.child.stdout?.destroy();
    expect(await users.ended).toMatchObject({ code: 0, stderr: '' });
  });
});

const mountable = process.platform === 'linux' && process.geteuid?.() === 0 && canMount();

describe.skipIf(process.platform !== 'linux')('output on a full disk', () => {
  it('is reported with 75 and no stack trace', () => {
    const command = `"${process.execPath}" "${MAIN}" --help > /dev/full`;
    const ended = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
    expect(ended.status).toBe(75);
    expect(ended.stderr).toMatch(
      /^filewright: There is no space left on the disk\n +code: +DISK_FULL/,
    );
    expect(ended.stderr).not.toMatch(/\n +at /);
  });
});

describe.skipIf(!mountable)('a full disk (needs root, to mount a small one)', () => {
  it('ends an import with 75; what was committed is there when space returns', async () => {
    const disk = world.path('disk');
    await mkdir(disk);
    expect(
      spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=120m,mode=711', 'tmpfs', disk]).status,
    ).toBe(0);
    const dataDirectory = join(disk, 'data');
    const env = { FILEWRIGHT_DATA: dataDirectory };
    try {
      await world.data(['init'], env);
      const key = await world.person('Paula', env);
      const profile = await world.file('d.json', JSON.stringify(sampleProfile()));
      await world.data(['lane', 'add', profile], { ...env, ...key });
      const small = await world.file('small.csv', csv(row('1')));
      await world.data(['batch', 'import', small], { ...env, ...key });
      await fill(join(disk, 'filler'), disk);
      const rows = Array.from({ length: 3_000 }, (_, at) =>
        row(`N${at}`, { name: 'x'.repeat(480) }),
      );
      const large = await world.file('large.csv', csv(...rows));
      const full = await world.run(['--json', 'batch', 'import', large], { ...env, ...key });
      expect(full.code, (full.stdout + full.stderr).slice(0, 500)).toBe(75);
      expect(full.stderr).toBe('');
      await rm(join(disk, 'filler'));
      const kept = await world.data(['filing', 'list', '--limit', '1'], env);
      expect(kept).toMatchObject({ filings: [{ entity: 'E-1', status: 'pending' }] });
      expect(await world.data(['audit', 'verify', '--bodies'], env)).toMatchObject({ ok: true });
    } finally {
      await stopEmbedded(dataDirectory, { mode: 'immediate' });
      spawnSync('umount', [disk]);
    }
  });
});

function canMount(): boolean {
  return (
    spawnSync('mount', ['--version']).status === 0 &&
    spawnSync('unshare', ['-m', 'true']).status === 0
  );
}

/** Leaves a few megabytes: enough to connect, too few for a large import. */
async function fill(path: string, disk: string): Promise<void> {
  const { bavail, bsize } = await statfs(disk);
  await writeFile(path, Buffer.alloc(Math.max(0, bavail * bsize - 6 * 1024 * 1024)));
  await chmod(path, 0o600);
}
