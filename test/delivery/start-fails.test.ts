/** A worker that cannot begin ends, so that whoever supervises it can start it again. */
import { spawn } from 'node:child_process';
import { connect, createServer, type Server as Listener } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { build, BUILT } from '../fixtures/built-tree.ts';
import { type Server, startServer } from './server.ts';
import { quickProfile, Stage } from './stage.ts';

/** EX_TEMPFAIL, as the command line documents it. */
const TRY_LATER = 75;
const MINUTES_3_MS = 180_000;

let server: Server;
let stage: Stage;
let door: Listener;

beforeAll(async () => {
  server = await startServer();
  stage = await Stage.set(server, [quickProfile('US-DE')]);
  build();
}, MINUTES_3_MS);
afterAll(async () => {
  door.close();
  await stage.close();
  await server.close();
});

/** A way to the database on which the connections of background work end as soon as they have begun. */
async function doorWithoutJobs(): Promise<number> {
  const { host, port } = server.target;
  door = createServer((client) => {
    const upstream = connect(`${host}/.s.PGSQL.${port}`);
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    client.once('data', (first: Buffer) => {
      if (first.includes('filewright jobs')) {
        client.destroy();
        return;
      }
      upstream.write(first);
      client.pipe(upstream);
    });
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  const address = door.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

it(
  'says "try later" and exits when the database goes away while it starts',
  async () => {
    const port = await doorWithoutJobs();
    const { user = 'filewright', database = 'postgres' } = server.target;
    const main = join(BUILT, 'cli/main.js');
    const child = spawn(
      process.execPath,
      [main, '--data-dir', server.dataDirectory, '--tenant', stage.app.tenant, 'worker'],
      {
        stdio: 'ignore',
        env: {
          ...process.env,
          DATABASE_URL: `postgres://${user}@127.0.0.1:${port}/${database}?sslmode=disable`,
        },
      },
    );
    const patience = setTimeout(() => child.kill('SIGKILL'), 60_000);
    const code = await new Promise((resolve) =>
      child.once('exit', (exit, signal) => resolve(signal ?? exit)),
    );
    clearTimeout(patience);
    expect(code).toBe(TRY_LATER);
  },
  MINUTES_3_MS,
);
