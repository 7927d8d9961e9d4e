/**
 * Checkpoints outside the database: one file per signed head, `<folder>/<origin>/<size>`, and `latest`; the time stamp of
 * a head is `<size>.tsr` beside it. Files are only ever added. They are worth most where the database's administrator cannot write: point FILEWRIGHT_CHECKPOINTS at
 * another disk, a write-once share, or a folder that is pushed to one.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, opendir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { FilewrightError, misuse } from '../core/index.ts';

const SIZE_NAME = /^[1-9][0-9]{0,15}$/;
const STAMP_NAME = /^([1-9][0-9]{0,15})\.tsr$/;
const LATEST = 'latest';
/** A boundary; a folder that was set aside has a dot in its name. */
const LOG_NAME = /^[a-z]+$/;

interface KeptCheckpoint {
  readonly size: number;
  readonly note: Uint8Array;
}

/** Where copies go: FILEWRIGHT_CHECKPOINTS, or `checkpoints` in the data directory. */
export function checkpointsFolder(
  dataDirectory: string,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const given = environment['FILEWRIGHT_CHECKPOINTS'];
  return given === undefined || given === '' ? join(dataDirectory, 'checkpoints') : resolve(given);
}

export class CheckpointFiles {
  readonly #folder: string;
  /** Folders whose entry in their parent is durable already; one per log. */
  readonly #made = new Set<string>();

  constructor(folder: string) {
    this.#folder = resolve(folder);
  }

  /** Written beside, synced, renamed, and the folder synced: a crash leaves the whole file or none. */
  keep(origin: string, size: number, note: Uint8Array): Promise<void> {
    return this.#step(`keep the checkpoint of ${origin}`, async () => {
      const folder = this.#folderOf(origin);
      if (!this.#made.has(folder)) await makeDurable(folder);
      this.#made.add(folder);
      await put(folder, String(size), note);
      await put(folder, LATEST, note);
      await syncFolder(folder);
    });
  }

  /** A newer one may be the latest by now, and stays it. */
  amend(origin: string, size: number, note: Uint8Array): Promise<void> {
    return this.#step(`keep the checkpoint of ${origin}`, async () => {
      const folder = this.#folderOf(origin);
      if (!this.#made.has(folder)) await makeDurable(folder);
      this.#made.add(folder);
      await put(folder, String(size), note);
      await syncFolder(folder);
    });
  }

  keepStamp(origin: string, size: number, token: Uint8Array): Promise<void> {
    return this.#step(`keep the time stamp of ${origin}`, async () => {
      const folder = this.#folderOf(origin);
      if (!this.#made.has(folder)) await makeDurable(folder);
      this.#made.add(folder);
      await put(folder, `${size}.tsr`, token);
      await syncFolder(folder);
    });
  }

  stamps(origin: string): Promise<readonly number[]> {
    return this.#step(`list the time stamps of ${origin}`, async () => {
      const entries = await opendir(this.#folderOf(origin)).catch(absent);
      const sizes: number[] = [];
      for await (const { name } of entries ?? []) {
        const size = STAMP_NAME.exec(name)?.[1];
        if (size !== undefined) sizes.push(Number(size));
      }
      return sizes.sort((a, b) => a - b);
    });
  }

  readStamp(origin: string, size: number): Promise<Uint8Array | undefined> {
    return this.#step(`read the time stamps of ${origin}`, () =>
      readFile(join(this.#folderOf(origin), `${size}.tsr`)).catch(absent),
    );
  }

  /** Found by the names, not by `latest`: a crash may have come between the two. */
  newest(origin: string): Promise<KeptCheckpoint | undefined> {
    return this.#step(`read the checkpoints of ${origin}`, async () => {
      const folder = this.#folderOf(origin);
      let size = 0;
      const entries = await opendir(folder).catch(absent);
      if (entries === undefined) return undefined;
      for await (const { name } of entries) {
        if (SIZE_NAME.test(name)) size = Math.max(size, Number(name));
      }
      if (size === 0) return undefined;
      return { size, note: await readFile(join(folder, String(size))) };
    });
  }

  /** Every size of which there is a copy, from the smallest on. */
  sizes(origin: string): Promise<readonly number[]> {
    return this.#step(`list the checkpoints of ${origin}`, async () => {
      const entries = await opendir(this.#folderOf(origin)).catch(absent);
      const sizes: number[] = [];
      for await (const { name } of entries ?? [])
        if (SIZE_NAME.test(name)) sizes.push(Number(name));
      return sizes.sort((a, b) => a - b);
    });
  }

  /** The largest size that ever had its copy here: one that was taken away stays named in `latest`. */
  reached(origin: string): Promise<number> {
    return this.#step(`read the checkpoints of ${origin}`, async () => {
      const note = await readFile(join(this.#folderOf(origin), LATEST), 'utf8').catch(absent);
      const [, named = ''] = (note ?? '').split('\n', 2);
      const sizes = await this.sizes(origin);
      return Math.max(SIZE_NAME.test(named) ? Number(named) : 0, sizes.at(-1) ?? 0);
    });
  }

  /** One copy; undefined when there is none of this size. */
  read(origin: string, size: number): Promise<Uint8Array | undefined> {
    return this.#step(`read the checkpoints of ${origin}`, () =>
      readFile(join(this.#folderOf(origin), String(size))).catch(absent),
    );
  }

  /** Logs below a name (`<instance>/<tenant>`) of which there are copies; what was set aside is none. */
  logs(name: string): Promise<readonly string[]> {
    return this.#step(`list the checkpoints of ${name}`, async () => {
      const folder = this.#folderOf(name);
      const found: string[] = [];
      for await (const each of (await opendir(folder).catch(absent)) ?? []) {
        if (each.isDirectory() && LOG_NAME.test(each.name)) found.push(`${name}/${each.name}`);
      }
      return found.sort();
    });
  }

  /** The old folder stays, under a name with a number. */
  setAside(origin: string): Promise<void> {
    return this.#step(`set the checkpoints of ${origin} aside`, async () => {
      const folder = this.#folderOf(origin);
      for (let n = 1; ; n += 1) {
        const aside = `${folder}.aside-${n}`;
        if ((await stat(aside).catch(absent)) !== undefined) continue;
        const moved = await rename(folder, aside).then(() => true, absent);
        if (moved !== undefined) await syncFolder(dirname(folder));
        this.#made.delete(folder);
        return;
      }
    });
  }

  /** An origin is a name without spaces; it may have slashes, and must not lead out of the folder. */
  #folderOf(origin: string): string {
    const folder = resolve(this.#folder, origin);
    if (folder.startsWith(this.#folder + sep)) return folder;
    throw misuse(`The origin ${origin} does not name a folder for its copies`);
  }

  async #step<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof FilewrightError) throw error;
      const code = codeOf(error);
      const isFull = code === 'ENOSPC' || code === 'EDQUOT';
      throw new FilewrightError(
        isFull ? 'DISK_FULL' : 'DATA_DIRECTORY',
        `Could not ${what} in ${this.#folder} (${code}). Make the folder writable, or set FILEWRIGHT_CHECKPOINTS to one that is; the checkpoint itself is safe in the database and is copied then.`,
        { cause: error, details: { folder: this.#folder } },
      );
    }
  }
}

async function put(folder: string, name: string, note: Uint8Array): Promise<void> {
  const fresh = join(folder, `.${name}.${randomBytes(6).toString('hex')}`);
  try {
    const handle = await open(fresh, 'wx', 0o644);
    try {
      await handle.writeFile(note);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(fresh, join(folder, name));
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

/** Each level by itself, from the top: the entry of a new folder must be as durable as what lies in it. */
async function makeDurable(folder: string): Promise<void> {
  if ((await stat(folder).catch(absent)) !== undefined) return;
  const parent = dirname(folder);
  if (parent !== folder) await makeDurable(parent);
  await mkdir(folder, { mode: 0o755 }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  await syncFolder(parent);
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
  if (codeOf(error) === 'ENOENT') return undefined;
  throw error;
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
