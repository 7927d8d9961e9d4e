/** Logins that may do little: what they need, what they are told when they lack it, and how an administrator helps. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { assumeRole, dropRoles, rolesState } from '../../src/postgres/roles.ts';
import { migrate, readMigrations } from '../../src/postgres/migrate.ts';
import { packageRoot } from '../../src/postgres/package-root.ts';
import { Session } from '../../src/postgres/session.ts';
import { runBackgroundWorkOnce } from '../../src/oversight/jobs.ts';
import { silentLog } from '../../src/system/silent-log.ts';
import { systemClock, systemIds, systemRandom } from '../../src/system/clock.ts';
import { type FreshDatabase, freshDatabase, TEST_DATABASE_URL } from '../fixtures/database.ts';

const ROLES_FILE = join(packageRoot(), 'sql', 'roles.sql');

function never(): never {
  throw new Error('nothing is sealed here');
}

function suite(where: 'embedded' | 'url'): void {
  let database: FreshDatabase;
  let login: string;
  let schema: string;
  beforeAll(async () => {
    database = await freshDatabase(where);
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    login = `fw_login_${randomBytes(5).toString('hex')}`;
    schema = `fw_${randomBytes(5).toString('hex')}`;
    await as(undefined, (admin) =>
      admin.run({ name: '', text: `create role ${login} nologin nocreaterole` }),
    );
  });

  /** Roles would outlive the database. */
  afterEach(async () => {
    await as(undefined, async (admin) => {
      const [made] = await admin.run({
        name: '',
        text: `select to_regnamespace('${schema}') as s`,
      });
      if (made?.['s'] !== null) await dropRoles(admin);
      await admin.run({ name: '', text: `drop schema if exists ${schema} cascade` });
      await admin.run({ name: '', text: `drop owned by ${login}` });
      await admin.run({ name: '', text: `drop role ${login}` });
    });
  });

  /** A connection of the login, or of the administrator. */
  async function as<T>(
    who: string | undefined,
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    const session = new Session({
      target: database.target,
      schema,
      name: 'test',
      settings: {
        'fw.tenant': 'mine',
        ...(who === undefined ? {} : { session_authorization: who }),
      },
    });
    try {
      return await work(session);
    } finally {
      await session.close();
    }
  }
  const run = (who: string | undefined, text: string) =>
    as(who, (session) => session.run({ name: '', text }));
  const migrated = (who: string | undefined) => as(who, (session) => migrate(session, schema));

  /** Rows, a service's role, and the walls of another tenant. */
  async function works(): Promise<void> {
    expect(await migrated(login)).toEqual([]);
    await run(login, `insert into tenant (id, instance) values ('mine', 'i'), ('other', 'i')`);
    const add = (tenant: string) =>
      `insert into person (tenant, id, name, skeleton, party)
        select '${tenant}', id, 'P', 'p', id from gen_random_uuid() id`;
    await run(login, add('mine'));
    await expect(run(login, add('other'))).rejects.toMatchObject({ code: '42501' });
    await as(login, (session) =>
      session.transaction(async (inside) => {
        await assumeRole(inside, 'filing');
        const [row] = await inside({ name: '', text: 'select count(*)::int as n from person' });
        expect(row).toEqual({ n: 1 });
      }),
    );
  }

  it('a schema of its own is enough, without any right to the database', async () => {
    await run(undefined, `create schema ${schema} authorization ${login}`);
    expect(await migrated(login)).toHaveLength(readMigrations().length);
    expect(await migrated(login)).toEqual([]);
  });

  it.each([
    ['with any command', () => migrated(undefined)],
    ['with sql/roles.sql', () => run(undefined, readFileSync(ROLES_FILE, 'utf8'))],
  ])(
    'the administrator who makes the roles later %s does not lock the login out',
    async (_, help) => {
      await run(undefined, `create schema ${schema} authorization ${login}`);
      await migrated(login);
      expect((await as(login, rolesState)).reason).toContain('administrator');
      expect(await help()).toEqual([]);
      expect(await as(undefined, rolesState)).toMatchObject({ isReady: true });
      await works();
    },
  );

  it('the administrator who migrates first does not either, where the schema is the login’s', async () => {
    await run(undefined, `create schema ${schema} authorization ${login}`);
    await migrated(undefined);
    await works();
  });

  it('a login without any right is shown what to grant, and that is enough', async () => {
    await migrated(undefined);
    const refused = await migrated(login).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({ code: 'DATABASE_RIGHTS' });
    const grant = /grant fw_\S+, .* to \w+ with admin option/.exec(String(refused))?.[0] ?? '';
    expect(grant).toContain(login);
    await run(undefined, grant);
    await works();
  });

  it('background work needs no right but those to the one schema', async () => {
    await run(undefined, `create schema ${schema} authorization ${login}`);
    await migrated(login);
    await run(login, `insert into tenant (id, instance) values ('mine', 'i')`);
    const target = { ...database.target, options: `-c role=${login}` };
    const work = () =>
      runBackgroundWorkOnce({
        target: { ...target, settings: { 'fw.tenant': 'mine' } },
        schema,
        tenant: 'mine',
        instance: 'i',
        vault: { newKey: never, dataKey: never, forget: never, seal: never, open: never },
        clock: systemClock,
        ids: systemIds(systemClock, systemRandom()),
        log: silentLog,
        environment: {},
      });
    expect(await work()).toEqual({ events: 0, jobs: 0 });
  });

  it('a login that may not create a schema is refused by its name', async () => {
    await expect(migrated(login)).rejects.toMatchObject({
      code: 'DATABASE_RIGHTS',
      message: expect.stringContaining(login),
    });
  });
}

describe('on the embedded PostgreSQL', () => suite('embedded'));
describe.skipIf(TEST_DATABASE_URL === undefined)(
  'on the PostgreSQL of FILEWRIGHT_TEST_DATABASE_URL',
  () => suite('url'),
);
