/** A file that a person asked for: whole or not at all, since half a table looks like one that has every row. */
import { randomUUID } from 'node:crypto';
import { realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cannotWrite } from '../core/index.ts';

/** Readable for its owner alone, as everything that speaks of clients. */
export function writeWhole(path: string, content: string | Uint8Array): void {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    // /dev/stdout, /dev/null and pipes take what is written; a file put in their place would take them away.
    if (found !== undefined && !found.isFile()) writeFileSync(path, content);
    // Behind a link, so that the link stays one.
    else replace(found === undefined ? path : realpathSync(path), content);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

function replace(path: string, content: string | Uint8Array): void {
  const fresh = `${path}.${randomUUID()}.new`;
  try {
    writeFileSync(fresh, content, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}
