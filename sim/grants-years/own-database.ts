/** An embedded database of its own for a run, gone when the run is over. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureEmbedded } from '../../src/postgres/embedded/ensure.ts';
import { stopEmbedded } from '../../src/postgres/embedded/stop.ts';
import type { Place } from '../grants/stand.ts';

export async function inOwnDatabase<Result>(
  run: (place: Place) => Promise<Result>,
): Promise<Result> {
  const root = mkdtempSync(join(tmpdir(), 'fw-grants-years-'));
  // For root the server runs as somebody else, who must be able to pass through.
  chmodSync(root, 0o711);
  const dataDirectory = join(root, 'data');
  const reachableDirectory = join(root, 'reachable');
  try {
    const { connection } = await ensureEmbedded({ dataDirectory, reachableDirectory });
    return await run({ target: connection, schema: 'filewright' });
  } finally {
    await stopEmbedded(dataDirectory, { mode: 'immediate' });
    rmSync(root, { recursive: true, force: true });
  }
}
