/** Tables of people at the gate: what is another kind of file is refused there, and a table with faults says all of them. */
import { open, stat } from 'node:fs/promises';
import { badInput, notFound } from '../../core/index.ts';
import { unreadableFile } from '../../intake/index.ts';
import { looksLike } from '../rules/intake/wrong-file.ts';

/** More than a year of a busy account; held as figures and texts until all of them are known to be good. */
export const ROWS_MAX = 100_000;
const FAULTS_SHOWN_MAX = 20;
const HEAD_BYTES = 4096;

/** `expected`: what the file should be, as part of a sentence. */
export async function refuseWrongFile(
  path: string,
  expected: string,
  { mayBeXml = false }: { readonly mayBeXml?: boolean } = {},
): Promise<void> {
  const found = looksLike(await headOf(path));
  if (found === undefined || found.kind === 'workbook') return;
  if (found.kind === 'xml' && mayBeXml) return;
  throw badInput(`${path} is ${found.what}, not ${expected}. ${found.remedy}`);
}

export async function headOf(path: string): Promise<Uint8Array> {
  const file = await open(path, 'r').catch((cause: unknown) => {
    throw unreadableFile(path, cause);
  });
  try {
    if (!(await stat(path)).isFile()) throw notFound(`${path} is not a file`);
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    return head.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Nothing of a table with a fault is used: nobody could say which rows were left out. */
export function refuseFaults(
  path: string,
  rowWord: string,
  faults: readonly { readonly line: number; readonly why: string }[],
): never {
  const shown = faults.slice(0, FAULTS_SHOWN_MAX);
  const more = faults.length - shown.length;
  const words = shown.map(({ line, why }) => `${rowWord} ${line}: ${why}`);
  throw badInput(
    `${path}: ${words.join('; ')}${more > 0 ? `; and ${more} more` : ''}. Nothing of it was used`,
  );
}
