/** Connects to a running server and makes sure that it is the right one and keeps its promises. */

import { access, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { FilewrightError } from '../../core/index.ts';
import { codeOf } from './failure.ts';
import { POLL_MS, START_MS_MAX } from './launch.ts';
import type { Place } from './place.ts';
import { isPostmasterOf, type PidFile, readPidFile } from './postmaster.ts';
import { DATABASE_NAME, DATABASE_USER, DURABLE } from './settings.ts';
import { badDirectory, embeddedFailed } from './refusals.ts';

/** Spread it into the options of a `pg` pool or client. */
export interface EmbeddedConnection {
  /** The directory of the unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** Said, because PGSSLMODE in the environment would otherwise apply to the socket as well. */
  readonly ssl: false;
}

export interface EmbeddedServer {
  readonly connection: EmbeddedConnection;
  readonly pid: number;
  /** Whether this call started it; false when it was already running or another process was faster. */
  readonly startedHere: boolean;
  readonly version: string;
}

// A socket answers at once or not at all; a machine that swaps may take a little longer.
const CONNECT_MS_MAX = 10_000;

// A server that is ready has its socket; longer than a moment without one means that somebody took it away.
const SOCKET_GONE_MS = 2_000;

const DISK_FULL = '53100';

// The server is not there yet, or not any more: no socket, nobody listening, starting up, shutting down,
// connection cut while it goes down.
const NOT_NOW: ReadonlySet<string | undefined> = new Set([
  'ENOENT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  '57P03',
  '57P01',
  '57P02',
]);

export function connectionOf(place: Place, file: PidFile): EmbeddedConnection {
  return {
    // From the file, because the starter may have had another temporary directory than we have.
    host: file.socketDirectory ?? place.socketDirectory,
    port: file.port,
    user: DATABASE_USER,
    database: DATABASE_NAME,
    ssl: false,
  };
}

/** Waits for a server that is starting; undefined when none is running. */
export async function attach(
  place: Place,
): Promise<Omit<EmbeddedServer, 'startedHere'> | undefined> {
  const deadline = performance.now() + START_MS_MAX;
  let seenMs = performance.now();
  while (performance.now() < deadline) {
    const file = await readPidFile(place.cluster);
    if (file === undefined) return undefined;
    const visible = await isPostmasterOf(file.pid, place.cluster);
    const connection = connectionOf(place, file);
    const version = await verify(place, file, connection);
    if (version !== undefined) return { connection, pid: file.pid, version };
    // Tried all the same when the process is not visible: it may run in another container on this volume, and a
    // second server on one cluster would destroy it.
    if (!visible) return undefined;
    if (file.phase !== 'ready' || (await hasSocket(connection))) seenMs = performance.now();
    if (performance.now() - seenMs > SOCKET_GONE_MS) throw socketGone(place, file, connection);
    await sleep(POLL_MS);
  }
  throw embeddedFailed(
    `The running server for ${place.cluster} did not answer within ${START_MS_MAX / 60_000} minutes; see ${place.log}.`,
    { details: { log: place.log } },
  );
}

function hasSocket({ host, port }: EmbeddedConnection): Promise<boolean> {
  return access(join(host, `.s.PGSQL.${port}`)).then(
    () => true,
    () => false, // Whatever the reason: without it nobody reaches the server.
  );
}

/** Not stopped here: whoever is connected already goes on working with it. */
function socketGone(place: Place, { pid }: PidFile, { host }: EmbeddedConnection): FilewrightError {
  return embeddedFailed(
    `The server of ${place.cluster} runs as pid ${pid}, but its socket in ${host} was removed, so no one can connect. Run db stop, then the same command again: the next start creates a new one.`,
    { details: { pid } },
  );
}

/** The server's version if it answers and is ours; undefined when it does not answer now. */
async function verify(
  place: Place,
  file: PidFile,
  connection: EmbeddedConnection,
): Promise<string | undefined> {
  const row = await ask(place, connection);
  if (row === undefined) return undefined;
  const details = { cluster: place.cluster, pid: file.pid };
  const directory = await realpath(row.directory).catch(() => row.directory); // Missing: cannot be ours.
  if (
    directory !== (await realpath(place.cluster)) ||
    firstLines(row.pidFile) !== firstLines(file.text)
  ) {
    throw embeddedFailed(
      `The socket ${connection.host} should lead to the server of ${place.cluster}, but leads to the server of ${row.directory}. This happens when a data directory is copied while its server runs. Make the copy with backup and restore instead.`,
      { details },
    );
  }
  for (const [name, wanted] of Object.entries(DURABLE)) {
    const found = row.settings[name];
    if (found === wanted) continue;
    throw embeddedFailed(
      `The server of ${place.cluster} runs with ${name} = ${found ?? 'unknown'} instead of ${wanted}, so committed data can be lost. Find where it is set (postgresql.auto.conf, ALTER ROLE, a manual start), stop the server, and run the command again.`,
      { details: { ...details, setting: name } },
    );
  }
  return row.version;
}

interface Answer {
  readonly directory: string;
  readonly version: string;
  readonly pidFile: string;
  readonly settings: Readonly<Record<string, string>>;
}

async function ask(place: Place, connection: EmbeddedConnection): Promise<Answer | undefined> {
  const client = new Client({
    ...connection,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    // Any value here keeps PGOPTIONS out, which could make this session differ from what the server does.
    options: '-c client_min_messages=warning',
  });
  // A server that goes down under us also fails the query, which is where it is handled.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<Answer>(
      `select current_setting('data_directory') as directory,
              current_setting('server_version') as version,
              pg_read_file('postmaster.pid') as "pidFile",
              (select json_object_agg(name, setting) from pg_settings where name = any($1)) as settings`,
      [Object.keys(DURABLE)],
    );
    return rows[0];
  } catch (error) {
    const code = codeOf(error);
    if (NOT_NOW.has(code)) return undefined;
    if (error instanceof Error && /Connection terminated/.test(error.message)) return undefined;
    if (code === '28000' || code === 'EACCES') {
      throw badDirectory(
        `The server of ${place.cluster} does not admit this user. Run as the user who made the data directory, or as root.`,
        { cause: error },
      );
    }
    if (code === DISK_FULL) {
      throw new FilewrightError(
        'DISK_FULL',
        `The server of ${place.cluster} has no space left on its disk`,
        { cause: error },
      );
    }
    throw new FilewrightError(
      'DATABASE_UNREACHABLE',
      `The server of ${place.cluster} did not answer on ${connection.host}: ${error instanceof Error ? error.message : String(error)}.`,
      { cause: error, details: { log: place.log } },
    );
  } finally {
    await client.end().catch(() => {}); // Already cut: nothing is left to end.
  }
}

/** Pid, directory and start time; the last line of the file changes while the server starts. */
function firstLines(pidFile: string): string {
  return pidFile.split('\n').slice(0, 3).join('\n');
}
