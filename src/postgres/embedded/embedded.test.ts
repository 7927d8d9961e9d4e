import { spawn } from 'node:child_process';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readFile,
  rm,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { EmbeddedConnection } from './attach.ts';
import { embeddedStatus } from './status.ts';
import { ensureEmbedded } from './ensure.ts';
import { stopEmbedded } from './stop.ts';
import { launch } from './launch.ts';
import { findNative, prepareNative } from './native.ts';
import { copiesDirectory, makePlace } from './place.ts';
import { chooseServerUser, spawnIdentity } from './server-user.ts';

const isRoot = process.getuid?.() === 0;
let root: string;
let reachableDirectory: string;
const used = new Set<string>();

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fw-embedded-'));
  await chmod(root, 0o711);
  reachableDirectory = join(root, 'reachable');
});
afterAll(async () => {
  for (const directory of used) await stopEmbedded(directory, { mode: 'immediate' });
  await rm(root, { recursive: true, force: true });
});

function directory(name: string): string {
  const path = join(root, name);
  used.add(path);
  return path;
}
const ensure = (dataDirectory: string) => ensureEmbedded({ dataDirectory, reachableDirectory });

async function query(connection: EmbeddedConnection, sql: string): Promise<unknown[]> {
  const client = new Client(connection);
  client.on('error', () => {}); // Some tests kill the server under it.
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('one data directory from first start to last stop', () => {
  let data: string;
  beforeAll(() => {
    data = directory('whole life');
  });

  it('is absent before its first use, and looking does not create it', async () => {
    expect(await embeddedStatus(data)).toEqual({ state: 'absent' });
    expect(await stopEmbedded(data)).toEqual({ wasRunning: false });
    await expect(lstat(data)).rejects.toThrow('ENOENT');
  });

  it('starts on demand, durable, checksummed and on no network address', async () => {
    const server = await ensure(data);
    expect(server).toMatchObject({ startedHere: true, version: expect.stringMatching(/^18\./) });
    const [row] = await query(
      server.connection,
      `select current_setting('fsync') f, current_setting('data_checksums') c,
              current_setting('listen_addresses') l, current_setting('wal_compression') w,
              current_setting('TimeZone') z, current_setting('server_encoding') e`,
    );
    expect(row).toEqual({ f: 'on', c: 'on', l: '', w: 'off', z: 'UTC', e: 'UTF8' });
    const { mode, uid } = await lstat(server.connection.host);
    expect([mode & 0o777, uid]).toEqual([0o700, (await chooseServerUser()).uid]);
  });

  it('is attached to, quickly, by every later command', async () => {
    const before = performance.now();
    expect(await ensure(data)).toMatchObject({ startedHere: false });
    expect(performance.now() - before).toBeLessThan(500);
    expect(await embeddedStatus(data)).toMatchObject({
      state: 'running',
      phase: 'ready',
      major: 18,
    });
  });

  it('keeps what it confirmed when the server is killed, and starts again', async () => {
    const { connection, pid } = await ensure(data);
    await query(connection, 'create table kept as select 42 as answer');
    process.kill(pid, 'SIGKILL');
    const again = await ensure(data);
    expect(again.pid).not.toBe(pid);
    expect(await query(again.connection, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  it('admits only mapped users, and no password is stored', async () => {
    const { connection } = await ensure(data);
    await expect(query({ ...connection, user: 'postgres' }, 'select 1')).rejects.toThrow(/[Pp]eer/);
  });

  it('cuts a log that has grown too large and keeps its end', async () => {
    const log = join(data, 'postgres.log');
    await truncate(log, 9 * 1024 * 1024);
    const handle = await open(log, 'a');
    await handle.write('the last line\n');
    await handle.close();
    await ensure(data);
    expect((await lstat(log)).size).toBeLessThan(1024 * 1024);
    expect(await readFile(log, 'utf8')).toMatch(/the last line\n$/);
  });

  it('stops, twice, and says so', async () => {
    expect(await stopEmbedded(data, { mode: 'fast' })).toEqual({ wasRunning: true });
    expect(await stopEmbedded(data, { mode: 'fast' })).toEqual({ wasRunning: false });
    expect(await embeddedStatus(data)).toMatchObject({ state: 'stopped' });
  });

  it('starts although its old pid now belongs to a stranger, who is left alone', async () => {
    const stranger = spawn('sleep', ['60'], spawnIdentity(await chooseServerUser()));
    try {
      const file = join(data, 'postgres', 'postmaster.pid');
      await writeFile(file, `${stranger.pid}\n${join(data, 'postgres')}\n1\n5432\n/nowhere\n\n`);
      expect(await stopEmbedded(data)).toEqual({ wasRunning: false });
      expect(await ensure(data)).toMatchObject({ startedHere: true });
      await stopEmbedded(data);
      expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    } finally {
      stranger.kill();
    }
  });

  it('refuses a server that someone runs without fsync', async () => {
    const place = await makePlace(data, { reachableDirectory });
    const native = await prepareNative(await findNative(), {
      user: place.user,
      copies: () => copiesDirectory(place, reachableDirectory),
    });
    expect(await launch(place, native, { fsync: 'off' })).toMatchObject({ outcome: 'ready' });
    await expect(ensure(data)).rejects.toMatchObject({
      code: 'EMBEDDED_FAILED',
      message: expect.stringContaining('fsync = off'),
    });
    await stopEmbedded(data);
  });

  it('refuses a role that does not wait for its commits', async () => {
    const { connection } = await ensure(data);
    await query(connection, 'alter role filewright set synchronous_commit = off');
    await expect(ensure(data)).rejects.toThrow(/synchronous_commit = off/);
    await query(connection, 'alter role filewright reset synchronous_commit');
    expect(await ensure(data)).toMatchObject({ startedHere: false });
  });

  it('never attaches to the server of another data directory', async () => {
    const { pid, connection } = await ensure(data);
    const other = directory('other');
    await ensure(other);
    await stopEmbedded(other);
    const lines = [pid, join(other, 'postgres'), 1, 5432, connection.host, '', ' 1 1', 'ready', ''];
    await writeFile(join(other, 'postgres', 'postmaster.pid'), lines.join('\n'));
    await expect(ensure(other)).rejects.toMatchObject({ code: 'EMBEDDED_FAILED' });
    expect(await stopEmbedded(other)).toEqual({ wasRunning: false });
    expect(await ensure(data)).toMatchObject({ pid });
  });

  it('refuses a cluster of a newer PostgreSQL', async () => {
    await stopEmbedded(data);
    await writeFile(join(data, 'postgres', 'PG_VERSION'), '19\n');
    await expect(ensure(data)).rejects.toMatchObject({
      code: 'DATA_DIRECTORY',
      message: expect.stringMatching(/made by PostgreSQL 19.*carries PostgreSQL 18/),
    });
  });
});

it('paths may be long and hold spaces, quotes, commas and other scripts', async () => {
  const data = directory(join(`Akten, "Müller" & 'Söhne' 文件`, 'x'.repeat(100)));
  const { connection } = await ensure(data);
  expect(connection.host.startsWith(tmpdir())).toBe(true);
  expect(Buffer.byteLength(connection.host)).toBeLessThan(90);
  expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  await stopEmbedded(data);
  // Anybody can make a directory in /tmp: one that others may enter is not used.
  await chmod(connection.host, 0o755);
  await expect(ensure(data)).rejects.toMatchObject({ code: 'EMBEDDED_FAILED' });
  await rm(connection.host, { recursive: true });
});

it('the temporary directory may be long as well', async () => {
  const data = directory('y'.repeat(100));
  vi.stubEnv('TMPDIR', join(root, 'z'.repeat(100)));
  try {
    const { connection } = await ensure(data);
    expect(connection.host.startsWith('/tmp/')).toBe(true);
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await stopEmbedded(data);
    await rm(connection.host, { recursive: true });
  } finally {
    vi.unstubAllEnvs();
  }
});

describe('a data directory that cannot be used is refused', () => {
  it('a file', async () => {
    const path = join(root, 'file');
    await writeFile(path, '');
    await expect(ensure(path)).rejects.toMatchObject({ code: 'DATA_DIRECTORY' });
    await expect(ensure(join(path, 'below'))).rejects.toMatchObject({ code: 'DATA_DIRECTORY' });
  });

  it('one that holds something else in the place of the cluster', async () => {
    const path = join(root, 'stranger');
    await mkdir(join(path, 'postgres'), { recursive: true });
    const { uid, gid } = await chooseServerUser();
    if (isRoot) await chown(join(path, 'postgres'), uid, gid);
    await writeFile(join(path, 'postgres', 'thesis.txt'), '');
    await expect(ensure(path)).rejects.toMatchObject({ code: 'DATA_DIRECTORY' });
  });

  it.skipIf(process.platform !== 'linux')('one that no one can create', async () => {
    await expect(ensure('/proc/filewright')).rejects.toMatchObject({ code: 'DATA_DIRECTORY' });
  });

  it.skipIf(isRoot)('one without the right to write (root has it everywhere)', async () => {
    const path = join(root, 'read-only');
    await mkdir(path, { mode: 0o500 });
    await expect(ensure(path)).rejects.toMatchObject({ code: 'DATA_DIRECTORY' });
  });
});

it('a server whose socket was removed is named within seconds, and comes back after a stop', async () => {
  const data = directory('cleaned');
  const { connection, pid } = await ensure(data);
  await rm(join(connection.host, `.s.PGSQL.${connection.port}`));
  const startedMs = performance.now();
  await expect(ensure(data)).rejects.toMatchObject({
    code: 'EMBEDDED_FAILED',
    message: expect.stringContaining(`pid ${pid}, but its socket`),
  });
  expect(performance.now() - startedMs).toBeLessThan(15_000);
  expect(await stopEmbedded(data)).toEqual({ wasRunning: true });
  expect(await query((await ensure(data)).connection, 'select 1 as n')).toEqual([{ n: 1 }]);
});
