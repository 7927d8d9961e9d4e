/** A file that comes as a body, written to a private place while it is read, and gone when the answer is made. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FilewrightError } from '../../core/index.ts';
import type { Upload } from '../route.ts';

/** A register of a million rows; larger files are cut in two, as those of the command line should be. */
const BYTES_MAX = 256 * 1024 * 1024;

export async function receive(
  body: Readable,
  name: string,
): Promise<Upload & { remove(): Promise<void> }> {
  // Only this user can read the folder, and so the file.
  const folder = await mkdtemp(join(tmpdir(), 'filewright-upload-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const path = join(folder, name);
  const hash = createHash('sha256');
  let size = 0;
  try {
    await pipeline(
      body,
      async function* counted(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          size += chunk.length;
          if (size > BYTES_MAX) {
            throw new FilewrightError(
              'INPUT_LIMIT',
              `Expected a file of at most ${BYTES_MAX} bytes`,
            );
          }
          hash.update(chunk);
          yield chunk;
        }
      },
      createWriteStream(path, { mode: 0o600, flags: 'wx' }),
    );
    return { path, sha256: hash.digest('hex'), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
