/** Reading an export: the files as tlog-tiles names them, and what it means when one is missing or cut short. */
import { lstat, opendir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TILE_WIDTH, tilePath } from '../tile.ts';

/** What the files themselves can be wrong about; the Python verifier uses the same words. */
type OfflineReason =
  | 'FILE_MISSING'
  | 'LOG_MISSING'
  | 'ROLLBACK'
  | 'SIZE_MISMATCH'
  | 'INCONSISTENT_WITH_PINNED'
  | 'MALFORMED_POLICY'
  | 'MALFORMED_PROOF'
  | 'INCLUSION_MISMATCH'
  | 'BODY_HASH_MISMATCH'
  | 'COMMITMENT_MISMATCH'
  | 'TILE_MISMATCH'
  | 'OUTSIDE_FOLDER'
  | 'FILE_TOO_LARGE'
  | 'FILE_HASH_MISMATCH';

/** The first thing that is wrong; thrown where it is found, told once at the end. */
export class Failure extends Error {
  readonly reason: string;
  readonly seq: number | undefined;

  constructor(reason: string, message: string, seq?: number) {
    super(message);
    this.reason = reason;
    this.seq = seq;
  }
}

export function demand(holds: boolean, reason: OfflineReason, message: string): void {
  if (!holds) throw new Failure(reason, message);
}

export async function readRequired(path: string): Promise<Buffer> {
  const found = await readOptional(path);
  if (found !== undefined) return found;
  throw new Failure('FILE_MISSING', `${path} is missing`);
}

/** No file of an export is larger; one that is was not written to be read. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;

export async function readOptional(path: string): Promise<Buffer | undefined> {
  const found = await stat(path).catch(absent);
  if (found === undefined) return undefined;
  demandReadable(path, found.size);
  return readFile(path).catch(absent);
}

function demandReadable(path: string, bytes: number): void {
  demand(bytes <= FILE_BYTES_MAX, 'FILE_TOO_LARGE', `${path} has ${bytes} bytes`);
}

/**
 * Before anything is read: the folder comes from somebody else, and a link in it would lead to files of ours, a pipe or a
 * device would never end. One folder at a time is open, and nothing is collected but the folders still to visit.
 */
export async function demandInside(top: string): Promise<void> {
  const waiting = [top];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name);
      const isPlain = entry.isDirectory() || entry.isFile();
      demand(isPlain, 'OUTSIDE_FOLDER', `${path} is no file or folder of its own`);
      if (entry.isDirectory()) waiting.push(path);
      else demandReadable(path, (await lstat(path)).size);
    }
  }
}

/** The path of a name from a list in the folder, which must not lead out of it. */
export function insideOf(top: string, name: string): string {
  const isOutside = name.startsWith('/') || name.split(/[/\\]/).includes('..');
  demand(!isOutside, 'OUTSIDE_FOLDER', `${name} leads out of the folder`);
  return join(top, name);
}

export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(absent))?.isDirectory() === true;
}

export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(absent)) !== undefined;
}

/** Names in a folder, shorter ones first, so that numbers are in order; none when it is not there. */
export async function namesIn(path: string): Promise<string[]> {
  const names = (await readdir(path).catch(absent)) ?? [];
  return names.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}

function absent(error: unknown): undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  throw error;
}

/** The bundles of a log in order, each as its entries; ends at the first that is missing or not full. */
export async function* bundles(folder: string): AsyncGenerator<readonly Uint8Array[]> {
  for (let index = 0; ; index += 1) {
    const full = join(folder, tilePath({ level: 'entries', index, width: TILE_WIDTH }));
    const bytes = (await readOptional(full)) ?? (await readPart(`${full}.p`));
    if (bytes === undefined) return;
    const bundle = entriesOf(bytes, full);
    yield bundle;
    if (bundle.length !== TILE_WIDTH) return;
  }
}

/** An unfinished bundle: the widest one that is there. */
async function readPart(folder: string): Promise<Buffer | undefined> {
  const widest = (await namesIn(folder)).at(-1);
  return widest === undefined ? undefined : readOptional(join(folder, widest));
}

function entriesOf(bytes: Buffer, path: string): Uint8Array[] {
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const start = at + 2;
    const end = start <= bytes.length ? start + bytes.readUInt16BE(at) : start;
    demand(end <= bytes.length, 'SIZE_MISMATCH', `${path} is cut short`);
    entries.push(bytes.subarray(start, end));
    at = end;
  }
  return entries;
}
