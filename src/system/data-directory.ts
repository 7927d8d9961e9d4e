/** The folder of an installation. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { FilewrightError } from '../core/index.ts';

/** Traversable by others, so that the server's own user reaches its cluster; what is secret in it has its own mode. */
export function makeDataDirectory(path: string): void {
  try {
    // Step by step: the runtime's own recursive form never returns on a file system that refuses new folders.
    const missing: string[] = [];
    for (let at = path; !existsSync(at); at = dirname(at)) missing.push(at);
    for (const folder of missing.toReversed()) mkdirSync(folder, { mode: 0o711 });
  } catch (error) {
    if (existsSync(path)) return;
    throw new FilewrightError(
      'DATA_DIRECTORY',
      `The data directory ${path} cannot be made: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    );
  }
}
