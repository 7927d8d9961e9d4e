/** Stops a data directory's server, whoever started it. */

import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { attach } from './attach.ts';
import { codeOf, fileStep } from './failure.ts';
import { POLL_MS } from './launch.ts';
import { findPlace } from './place.ts';
import { findPostmaster, isPostmasterOf } from './postmaster.ts';
import { embeddedFailed } from './refusals.ts';

/** `fast` ends sessions and writes a checkpoint; `immediate` leaves recovery to the next start. */
type StopMode = 'fast' | 'immediate';

const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const satisfies Record<
  StopMode,
  string
>;

// The last checkpoint may have a full `max_wal_size` to write.
const STOP_MS_MAX = 2 * 60_000;

/** Says whether there was a server to stop; stopping twice is fine. */
export async function stopEmbedded(
  dataDirectory: string,
  options: { readonly mode?: StopMode } = {},
): Promise<{ readonly wasRunning: boolean }> {
  const place = await findPlace(dataDirectory);
  if (place === undefined) return { wasRunning: false };
  const { cluster } = place;
  const file = await fileStep('find the server', cluster, () => findPostmaster(cluster));
  if (file === undefined) return { wasRunning: false };
  try {
    process.kill(file.pid, SIGNALS[options.mode ?? 'fast']);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return { wasRunning: false };
    throw embeddedFailed(
      `Could not signal the server of ${cluster} (pid ${file.pid}). Run as the user who made the data directory, or as root.`,
      { cause: error, details: { pid: file.pid } },
    );
  }
  const deadline = performance.now() + STOP_MS_MAX;
  while (performance.now() < deadline) {
    if (!(await isPostmasterOf(file.pid, cluster))) return { wasRunning: true };
    await sleep(POLL_MS);
  }
  throw embeddedFailed(
    `The server of ${cluster} (pid ${file.pid}) did not stop within ${STOP_MS_MAX / 1000} seconds; see ${place.log}.`,
    { details: { pid: file.pid, log: place.log } },
  );
}

/**
 * For a process that started the server for itself and ends: stops it unless another process is connected. One that connects
 * in this moment finds the server going down, and starts it again with its next command.
 */
export async function stopEmbeddedIfUnused(
  dataDirectory: string,
): Promise<{ readonly wasStopped: boolean }> {
  const place = await findPlace(dataDirectory);
  const server = place === undefined ? undefined : await attach(place);
  if (server === undefined) return { wasStopped: false };
  const client = new Client({ ...server.connection, application_name: 'filewright ending' });
  client.on('error', () => {}); // A lost connection fails the query, where it is handled.
  try {
    await client.connect();
    const { rowCount } = await client.query(
      `select 1 from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid() and application_name !~ $1`,
      [`^filewright .* ${process.pid}$`],
    );
    if ((rowCount ?? 0) > 0) return { wasStopped: false };
  } finally {
    await client.end();
  }
  return { wasStopped: (await stopEmbedded(dataDirectory)).wasRunning };
}
