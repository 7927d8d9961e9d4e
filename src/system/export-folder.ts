/**
 * A folder that is handed to somebody else: files are only added, each below the folder, and nothing that was there
 * before is touched. Whoever writes one puts the file last without which no reader accepts the rest (the checkpoint), so
 * that what a crash leaves behind is seen to be unfinished.
 */
import { createHash, type Hash } from 'node:crypto';
import { chmod, type FileHandle, mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { cannotWrite, FilewrightError, ruledOut } from '../core/index.ts';

const MANIFEST = 'MANIFEST.sha256';
/** For its owner alone, whatever the umask: who hands it over decides who else may read it. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** One write for many lines. */
const LINES_BYTES_MAX = 256 * 1024;

/** A file that grows line by line. */
interface LineFile {
  add(line: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

export class ExportFolder {
  readonly path: string;
  /** The first folder that had to be made on the way to this one. */
  readonly #outermost: string | undefined;
  readonly #made = new Set<string>();
  /** What lies directly in the folder: it was empty, so that all of it is ours. */
  readonly #own = new Set<string>();
  /** Hex by name of what the manifest lists. */
  readonly #hashes = new Map<string, string>();
  readonly #isListed: (name: string) => boolean;
  #files = 0;
  #bytes = 0;

  private constructor(
    path: string,
    outermost: string | undefined,
    isListed: (name: string) => boolean,
  ) {
    this.path = path;
    this.#outermost = outermost;
    this.#isListed = isListed;
  }

  /**
   * Makes the folder, or takes one that is there and empty, and lets `fill` write into it. What fails takes back all that
   * it wrote, so that the same command finds an empty place again. `isListed`: which files the manifest names.
   */
  static async fill<T>(
    path: string,
    isListed: (name: string) => boolean,
    fill: (folder: ExportFolder) => Promise<T>,
  ): Promise<T> {
    const folder = await ExportFolder.create(path, isListed);
    try {
      return await fill(folder);
    } catch (error) {
      await folder.#takeBack();
      throw cannotWrite(`The folder ${folder.path}`, error);
    }
  }

  static async create(
    path: string,
    isListed: (name: string) => boolean = () => true,
  ): Promise<ExportFolder> {
    const folder = resolve(path);
    let made: string | undefined;
    try {
      made = await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
      // Said again for a folder that was there, and because the umask may take away what we need ourselves.
      await chmod(folder, FOLDER_MODE);
      const [found] = await readdir(folder);
      if (found !== undefined) {
        throw ruledOut(
          `Expected an empty or new folder, and ${folder} holds ${found}; name another one`,
        );
      }
    } catch (error) {
      if (error instanceof FilewrightError) throw error;
      throw cannotWrite(`The folder ${folder}`, error);
    }
    return new ExportFolder(folder, made, isListed);
  }

  get files(): number {
    return this.#files;
  }

  get bytes(): number {
    return this.#bytes;
  }

  async write(name: string, content: Uint8Array | string): Promise<void> {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
    await writeFile(await this.#place(name), bytes, { flag: 'wx', mode: FILE_MODE });
    this.#count(name, bytes.length, createHash('sha256').update(bytes));
  }

  async lines(name: string): Promise<LineFile> {
    const file = await open(await this.#place(name), 'wx', FILE_MODE);
    const hash = createHash('sha256');
    let waiting: Uint8Array[] = [];
    let size = 0;
    let total = 0;
    const flush = async (): Promise<void> => {
      const block = Buffer.concat(waiting, size);
      [waiting, size] = [[], 0];
      hash.update(block);
      await writeAll(file, block);
    };
    const end = Buffer.from('\n');
    return {
      add: async (line) => {
        waiting.push(line, end);
        size += line.length + 1;
        total += line.length + 1;
        if (size >= LINES_BYTES_MAX) await flush();
      },
      close: async () => {
        try {
          await flush();
        } finally {
          await file.close();
        }
        this.#count(name, total, hash);
      },
    };
  }

  /** Writes the list of hashes in the form of `sha256sum`, over what was written so far. */
  async writeManifest(): Promise<void> {
    const lines = [...this.#hashes]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, hex]) => `${hex}  ${name}\n`);
    await this.write(MANIFEST, lines.join(''));
  }

  async #place(name: string): Promise<string> {
    const place = resolve(this.path, name);
    if (!place.startsWith(this.path + sep)) {
      throw new FilewrightError('BROKEN_INVARIANT', `${name} leads out of the export folder`);
    }
    const folder = dirname(place);
    this.#own.add(join(this.path, relative(this.path, place).split(sep)[0] ?? ''));
    if (!this.#made.has(folder)) await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
    this.#made.add(folder);
    return join(place);
  }

  async #takeBack(): Promise<void> {
    // A disk that fails may refuse this too; the reason is told all the same.
    const gone = async (path: string): Promise<void> =>
      rm(path, { recursive: true, force: true }).catch(() => undefined);
    if (this.#outermost === undefined) for (const path of this.#own) await gone(path);
    else await gone(this.#outermost);
  }

  #count(name: string, bytes: number, hash: Hash): void {
    this.#files += 1;
    this.#bytes += bytes;
    if (this.#isListed(name)) this.#hashes.set(name, hash.digest('hex'));
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
}
