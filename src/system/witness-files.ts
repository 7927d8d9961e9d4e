/**
 * What a witness keeps, in a folder of its own: its key in `witness.key`, and for each log a folder with the head that it
 * cosigned last. Heads are numbered, and the next number is taken by a link that only one process can make; so two
 * witnesses over one folder cannot both sign, whatever they do at once.
 */
import { hash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { constants, link, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FilewrightError, misuse } from '../core/index.ts';
import { createPrivateFile } from './private-file.ts';

const NUMBER = /^[1-9][0-9]{0,15}$/;
const KEY_LINE = /^(\S+) ([0-9a-f]{64})\n$/;
/** Enough to show what happened; a log that goes on contradicting itself must not fill the disk. */
const EVIDENCE_MAX = 100;

interface WitnessKey {
  readonly name: string;
  readonly seed: Uint8Array;
}

/** Made at the first start; the name is part of the key, so it stays with it. */
export function witnessKey(folder: string, name: string | undefined, host: string): WitnessKey {
  const file = join(folder, 'witness.key');
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    const chosen = name ?? `${host}/witness`;
    if (/[\s+]/.test(chosen) || chosen === '') {
      throw misuse(
        '--name: expected a name without spaces or plus signs, such as audit.example/w1',
      );
    }
    createPrivateFile(file, `${chosen} ${randomBytes(32).toString('hex')}\n`);
  }
  const [, found, seed] = KEY_LINE.exec(readFileSync(file, 'utf8')) ?? [];
  if (found === undefined || seed === undefined) {
    throw new FilewrightError(
      'DATA_DIRECTORY',
      `Expected the name and the key of the witness in ${file}, found something else. Restore it from your backup; a new key is a new witness.`,
    );
  }
  if (name !== undefined && name !== found) {
    throw misuse(`--name: this witness is ${found}; its name is part of its key and stays`);
  }
  return { name: found, seed: Buffer.from(seed, 'hex') };
}

export class WitnessFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async last(
    origin: string,
  ): Promise<{ readonly mark: number; readonly note: string } | undefined> {
    const folder = this.#of(origin);
    // Another process may remove a number between the look and the reading, once there is a larger one.
    for (;;) {
      const mark = await newestIn(folder);
      if (mark === 0) return undefined;
      const note = await readFile(join(folder, String(mark)), 'utf8').catch(absent);
      if (note !== undefined) return { mark, note };
    }
  }

  async replace(origin: string, mark: number, note: string): Promise<boolean> {
    const folder = this.#of(origin);
    await makeFolder(this.#folder, folder);
    const fresh = join(folder, `.${randomBytes(8).toString('hex')}`);
    try {
      await writeDurably(fresh, note);
      const mine = mark + 1;
      const isFirst = await link(fresh, join(folder, String(mine))).then(
        () => true,
        (error: unknown) => {
          if (codeOf(error) === 'EEXIST') return false;
          throw error;
        },
      );
      if (!isFirst) return false;
      await sync(folder);
      // A number that was taken and removed long ago can be taken again, by a process that stood still meanwhile.
      if ((await newestIn(folder)) !== mine) {
        await rm(join(folder, String(mine)), { force: true });
        return false;
      }
      if (mark > 0) await rm(join(folder, String(mark)), { force: true });
      return true;
    } finally {
      await rm(fresh, { force: true });
    }
  }

  async keepEvidence(origin: string, request: string): Promise<void> {
    const folder = join(this.#of(origin), 'refused');
    await makeFolder(this.#of(origin), folder);
    if ((await readdir(folder)).length >= EVIDENCE_MAX) return;
    // By its hash: the same request a thousand times is one file.
    await writeDurably(join(folder, hash('sha256', request)), request);
    await sync(folder);
  }

  /** An origin has slashes; written this way it is one name, whatever is in it. */
  #of(origin: string): string {
    return join(this.#folder, `log-${encodeURIComponent(origin)}`);
  }
}

async function newestIn(folder: string): Promise<number> {
  const names = (await readdir(folder).catch(absent)) ?? [];
  return names.reduce((max, name) => (NUMBER.test(name) ? Math.max(max, Number(name)) : max), 0);
}

async function makeFolder(parent: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await sync(parent);
}

async function writeDurably(path: string, text: string): Promise<void> {
  const handle = await open(path, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function sync(folder: string): Promise<void> {
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

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
