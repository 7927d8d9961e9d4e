/** What a database that is there refuses for the moment: it is waited out like one that is away. */
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Session, type SessionOptions } from '../../src/postgres/session.ts';
import { type Server, startServer } from './server.ts';
import { LEASE_MS, quickProfile, Stage } from './stage.ts';
import { pass, until } from './waiting.ts';

const DE = 'US-DE';
const AWAY = { code: 'DATABASE_UNREACHABLE' };
let server: Server;
let stage: Stage | undefined;
const sessions: Session[] = [];

beforeAll(async () => {
  server = await startServer();
});
afterEach(async () => {
  for (const session of sessions.splice(0)) await session.close();
  await stage?.close();
  stage = undefined;
});
afterAll(() => server.close());

function connect(options: Partial<SessionOptions> = {}): Session {
  const session = new Session({
    target: server.target,
    schema: 'public',
    name: 'test',
    ...options,
  });
  sessions.push(session);
  return session;
}

function run(session: Pick<Session, 'run'>, text: string): Promise<unknown> {
  return session.run({ name: '', text });
}

async function afresh(table: string): Promise<void> {
  await run(connect(), `drop table if exists ${table}`);
  await run(connect(), `create table ${table} as select n from generate_series(1, 2) n`);
}

describe('a session reports as a database that is away', () => {
  it('the victim of a deadlock, and goes on afterwards', async () => {
    await afresh('dead');
    const settings = { deadlock_timeout: '100ms' };
    const [one, other] = [connect({ settings }), connect({ settings })];
    const cross = (session: Session, first: number): Promise<unknown> =>
      session.transaction(async (query) => {
        await run({ run: query }, `update dead set n = n where n = ${first}`);
        await pass(300);
        await run({ run: query }, `update dead set n = n where n = ${3 - first}`);
      });
    const ends = await Promise.allSettled([cross(one, 1), cross(other, 2)]);
    const failed = ends.filter((end) => end.status === 'rejected');
    expect(failed).toEqual([{ status: 'rejected', reason: expect.objectContaining(AWAY) }]);
    await expect(
      Promise.all([run(one, 'select 1'), run(other, 'select 1')]),
    ).resolves.toBeDefined();
  });

  it('a lock that someone else holds for longer than the server waits', async () => {
    await afresh('locked');
    const holder = connect();
    await holder.transaction(async (query) => {
      await run({ run: query }, 'lock table locked');
      const waiting = connect({ settings: { lock_timeout: '50ms' } });
      await expect(run(waiting, 'select 1 from locked')).rejects.toMatchObject(AWAY);
    });
  });

  it('a server that has become a stand-by and takes no writes', async () => {
    const session = connect({ settings: { default_transaction_read_only: 'on' } });
    await expect(run(session, 'create table refused ()')).rejects.toMatchObject(AWAY);
  });

  it('a transaction that stood still for longer than the server allows', async () => {
    const session = connect({ settings: { idle_in_transaction_session_timeout: '50ms' } });
    const slow = session.transaction(async (query) => {
      await run({ run: query }, 'select 1');
      await pass(300);
      await run({ run: query }, 'select 1');
    });
    await expect(slow).rejects.toMatchObject(AWAY);
    await expect(run(session, 'select 1')).resolves.toBeDefined();
  });

  it('a server that has no connection left', async () => {
    // Ours never runs out of them for its owner, so somebody else says it.
    const full = createServer((socket) => {
      const fields = ['SFATAL', 'C53300', 'Msorry, too many clients already', ''];
      const body = Buffer.from(`${fields.join('\0')}\0`);
      const head = Buffer.from([0x45, 0, 0, 0, body.length + 4]);
      socket.once('data', () => socket.end(Buffer.concat([head, body])));
    });
    await new Promise<void>((resolve) => full.listen(0, '127.0.0.1', resolve));
    // A TCP server's address is never a text.
    const { port } = full.address() as AddressInfo;
    const session = connect({ target: { host: '127.0.0.1', port, user: 'x', database: 'x' } });
    await expect(run(session, 'select 1')).rejects.toMatchObject(AWAY);
    await new Promise((resolve) => full.close(resolve));
  });

  it('a database that accepts no connections for now', async () => {
    await run(connect(), 'create database shut allow_connections false');
    const target = { ...server.target, database: 'shut' };
    await expect(run(connect({ target }), 'select 1')).rejects.toMatchObject(AWAY);
  });
});

describe('a fail-over during which the database takes no writes', () => {
  it('is waited out, and nothing is lost or sent twice', async () => {
    stage = await Stage.set(server, [quickProfile(DE, { ceiling: 2 })], {
      [DE]: { latencyMs: { mean: 60, spread: 20 } },
    });
    await stage.feed(DE, 60);
    const worker = await stage.worker();
    await until(async () => (await stage?.count('accepted')) !== 0);
    const admin = connect();
    const failOver = async (change: string): Promise<void> => {
      await run(admin, `alter database ${String(server.target.database)} ${change}`);
      await run(
        admin,
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name like 'filewright %' and pid <> pg_backend_pid()`,
      );
    };
    await failOver('set default_transaction_read_only = on');
    await pass(LEASE_MS * 1.5);
    await run(admin, 'set default_transaction_read_only = off');
    await failOver('reset default_transaction_read_only');
    await stage.untilDone();
    await worker.stop();
    expect((await stage.reckon()).ends).toEqual({ accepted: 60 });
  });
});
