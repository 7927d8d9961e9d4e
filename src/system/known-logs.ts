/**
 * The logs that were verified here before: one small file per log in `known-logs` of the data directory, outside the
 * database and readable for its owner alone. The next verification holds the log against it, so that a ledger which was
 * made anew as a whole does not pass for the one that was there.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import { FilewrightError, misuse } from '../core/index.ts';

interface KnownLog {
  readonly firstKey: string;
  readonly size: number;
  readonly root: string;
}

const FOLDER = 'known-logs';
const LOG_FILE = /^[a-z]+\.json$/;

export class KnownLogFiles {
  readonly #folder: string;

  constructor(dataDirectory: string) {
    this.#folder = resolve(dataDirectory, FOLDER);
  }

  async read(origin: string): Promise<KnownLog | undefined> {
    const path = this.#pathOf(origin);
    const text = await this.#step(`read ${path}`, () => readFile(path, 'utf8').catch(absent));
    if (text === undefined) return undefined;
    const known = knownOf(text);
    if (known !== undefined) return known;
    throw new FilewrightError(
      'DATA_DIRECTORY',
      `Expected ${path} to say what was verified of ${origin}; it is damaged. Compare the log with a checkpoint that you kept elsewhere, then remove the file.`,
      { details: { path } },
    );
  }

  /** Written beside, synced and renamed: a crash leaves the old file or the new one. */
  async remember(origin: string, { firstKey, size, root }: KnownLog): Promise<void> {
    const path = this.#pathOf(origin);
    await this.#step(`write ${path}`, async () => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const fresh = `${path}.${randomBytes(6).toString('hex')}`;
      try {
        const handle = await open(fresh, 'wx', 0o600);
        try {
          await handle.writeFile(`${JSON.stringify({ v: 1, firstKey, size, root })}\n`);
          await handle.sync();
        } finally {
          await handle.close();
        }
        await rename(fresh, path);
      } catch (error) {
        await rm(fresh, { force: true });
        throw error;
      }
      await syncFolder(dirname(path));
    });
  }

  /** The old file stays, under a name with the moment's own number. */
  async setAside(origin: string): Promise<void> {
    const path = this.#pathOf(origin);
    const aside = `${path}.aside-${randomBytes(4).toString('hex')}`;
    await this.#step(`set ${path} aside`, async () => {
      const isMoved = await rename(path, aside).then(() => true, absent);
      if (isMoved === true) await syncFolder(dirname(path));
    });
  }

  /** Logs below a name (`<instance>/<tenant>`) that are known. */
  async logs(name: string): Promise<readonly string[]> {
    const folder = this.#inside(name);
    const names = await this.#step(`list ${folder}`, () => readdir(folder).catch(absent));
    return (names ?? [])
      .filter((each) => LOG_FILE.test(each))
      .map((each) => `${name}/${each.slice(0, -'.json'.length)}`)
      .sort();
  }

  #pathOf(origin: string): string {
    return `${this.#inside(origin)}.json`;
  }

  /** An origin may have slashes, and must not lead out of the folder. */
  #inside(origin: string): string {
    const path = resolve(this.#folder, origin);
    if (path.startsWith(this.#folder + sep)) return path;
    throw misuse(`The origin ${origin} does not name a log`);
  }

  async #step<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof FilewrightError) throw error;
      throw new FilewrightError(
        'DATA_DIRECTORY',
        `Could not ${what} (${codeOf(error)}). Make ${this.#folder} readable and writable for this user alone.`,
        { cause: error, details: { folder: this.#folder } },
      );
    }
  }
}

function knownOf(text: string): KnownLog | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // What is no JSON says nothing; the caller tells which file it is.
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { firstKey, size, root } = value as Readonly<Record<string, unknown>>; // Any object is one.
  if (typeof firstKey !== 'string' || typeof root !== 'string') return undefined;
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 1) return undefined;
  return { firstKey, size, root };
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function absent(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
  throw error;
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
