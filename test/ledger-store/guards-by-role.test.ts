/**
 * The adversary has a statement that is smuggled in, in whichever of the product's roles it runs. What the guards refuse a
 * superuser they refuse each role too, or its rights and row security do before; and the catalogue leaves no way round.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../src/postgres/migrate.ts';
import { ROLE_NAMES, type RoleName } from '../../src/postgres/role-rights.ts';
import { dropRoles, rolesState } from '../../src/postgres/roles.ts';
import { Session } from '../../src/postgres/session.ts';
import { type FreshDatabase, freshDatabase } from '../fixtures/database.ts';
import { type PostgresWorld, postgresWorld } from '../store-contract/postgres-world.ts';
import {
  ACCEPTED,
  claimOne,
  newFiling,
  openBatch,
  outcome,
  queueFilings,
  record,
  register,
} from '../store-contract/steps.ts';

let database: FreshDatabase;
let world: PostgresWorld;
let session: Session;
let prefix: string;
let waiting: string;
let accepted: string;
let other: string;

const UNDO = new Error('undone');

beforeAll(async () => {
  database = await freshDatabase();
  world = await postgresWorld(database);
  await queueFilings(world, [{}]);
  const held = await claimOne(world, await register(world));
  await record(world, await outcome(world, held, ACCEPTED));
  accepted = held.filing.id;
  const batch = await openBatch(world);
  const filing = await newFiling(world, batch);
  await world.here.intake.admit([filing]);
  waiting = filing.envelope.id;
  const target = { ...database.target, settings: { 'fw.tenant': world.tenant } };
  session = new Session({ target, schema: database.schema, name: 'walls' });
  await migrate(session, database.schema);
  ({ prefix } = await rolesState(session));
  const people = await sql(`select id from person where id <> '${world.person}'`);
  other = String(people[0]?.['id']);
}, 60_000);
afterAll(async () => {
  await dropRoles(session);
  await session.close();
  await world.close();
  await database.close();
});

const sql = (text: string): Promise<Record<string, unknown>[]> => session.run({ name: '', text });

/** How many rows it would have changed or shown, as this role and in this person's name; the error's code where refused. */
async function tried(
  role: RoleName,
  text: string,
  { person = '', tenant = world.tenant } = {},
): Promise<number | string> {
  let done: number | string = 0;
  await session
    .transaction(async (run) => {
      const say = (one: string) => run({ name: '', text: one });
      await say(`set local fw.tenant = '${tenant}'`);
      await say(`set local fw.person = '${person}'`);
      await say(`set local role ${prefix}_${role}`);
      done = (await say(text)).length;
      throw UNDO;
    })
    .catch((error: unknown) => {
      if (error !== UNDO) done = String((error as { code?: string }).code);
    });
  return done;
}

/** What no role may do: a name, and the statement with its rows. */
const FORBIDDEN: readonly (readonly [string, () => string])[] = [
  [
    'send what nobody approved',
    () => `update filing set next_at = now() where id = '${waiting}' returning 1`,
  ],
  [
    'claim what nobody approved',
    () =>
      `update filing set status = 'submitted', holder = 1, attempt = attempt + 1 where id = '${waiting}' returning 1`,
  ],
  [
    'take another lane',
    () => `update filing set lane = lane || 'x' where id = '${waiting}' returning 1`,
  ],
  [
    'approve a batch',
    () =>
      `update batch set state = 'approved' where id = (select batch from envelope where id = '${waiting}') returning 1`,
  ],
  [
    'give an accepted filing another receipt',
    () => `update filing set receipt = 'another' where id = '${accepted}' returning 1`,
  ],
  [
    'take an acceptance back',
    () => `update filing set status = 'pending' where id = '${accepted}' returning 1`,
  ],
  ['remove a filing', () => `delete from filing where id = '${accepted}' returning 1`],
  [
    'change what was frozen',
    () => `update envelope set payload_sha256 = sha256('x') where id = '${accepted}' returning 1`,
  ],
  ['remove an attempt', () => `delete from attempt returning 1`],
  [
    'give a bogus step',
    () => `update filing set step = '"bogus"' where id = '${waiting}' returning 1`,
  ],
  [
    'decide a proposal',
    () =>
      `update proposal set state = 'approved', decided_by = '${other}', decided_at = now() where state = 'open' returning 1`,
  ],
  [
    'make a person',
    () =>
      `insert into person (tenant, id, name, skeleton, party) select '${world.tenant}', id, 'Cy', 'cy', id from gen_random_uuid() id returning 1`,
  ],
  [
    'rename a person',
    () => `update person set name = 'Cy', skeleton = 'cy' where id = '${other}' returning 1`,
  ],
  [
    'make a key',
    () =>
      `insert into person_key (tenant, id, person, name, sha256, expires_at) values ('${world.tenant}', gen_random_uuid(), '${other}', 'made up', sha256('x'), now() + interval '1 day') returning 1`,
  ],
  [
    'give a role',
    () =>
      `insert into person_role (tenant, person, role, n) values ('${world.tenant}', '${other}', 'admin', 9) returning 1`,
  ],
  ['write an entry', () => `update ledger_entry set bytes = 'x' returning 1`],
  ['remove an entry', () => `delete from ledger_entry returning 1`],
  ['write a checkpoint', () => `update ledger_checkpoint set note = 'x' returning 1`],
  [
    'change who may write facts',
    () => `insert into fact_right values ('x', 'filing', 'user') returning 1`,
  ],
  [
    'write a fact in a person’s name',
    () =>
      `insert into ledger_intake (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data) values ('${world.tenant}', 'access', gen_random_uuid(), now(), 'approval.granted', 'k', 'i', 1, 'user', '${other}', 't', '{}') returning 1`,
  ],
  ['switch a guard off', () => `alter table filing disable trigger all`],
  ['make a temporary table', () => `create temporary table batch (a int)`],
  [
    'make a function',
    () => `create function filewright.f() returns int language sql as 'select 1'`,
  ],
  ['read a file of the server', () => `select pg_read_file('/etc/passwd')`],
  ['run a program of the server', () => `copy (select 1) to program 'true'`],
  ['go by no triggers', () => `set local session_replication_role = replica`],
  ['become the login', () => `set local session_authorization = postgres`],
  ['see past row security', () => `set local row_security = off; select 1 from filing`],
];
/** Owners of the tables, whom the product never is: making and switching is theirs. */
const OWNERS: ReadonlySet<RoleName> = new Set(['owner', 'migrate']);
const OF_OWNERS: ReadonlySet<string> = new Set([
  'switch a guard off',
  'make a function',
  'change who may write facts',
]);

describe('no role of the product may', () => {
  it.each(FORBIDDEN)('%s', async (name, statement) => {
    const text = statement();
    for (const role of ROLE_NAMES) {
      if (OWNERS.has(role) && OF_OWNERS.has(name)) continue;
      const done = await tried(role, text);
      // No rows: row security hid what it would have changed.
      expect(typeof done === 'string' || done === 0, `${role}: ${done}`).toBe(true);
    }
  });

  it('write a row of another tenant, or see one', async () => {
    const tables = await tenantTables();
    expect(tables.length).toBeGreaterThan(60);
    for (const table of tables) {
      for (const role of ['app', 'filing', 'read', 'shred', 'owner'] as const) {
        for (const tenant of ['somebody-else', '']) {
          const done = await tried(role, `select 1 from ${table} limit 1`, { tenant });
          expect(typeof done === 'string' || done === 0, `${role} ${table}`).toBe(true);
        }
      }
    }
  });

  it('while what its part needs is allowed, so that the walk proves something', async () => {
    expect(await tried('filing', `select 1 from filing where id = '${waiting}'`)).toBe(1);
    expect(
      await tried('app', `update filing set ver = ver where id = '${accepted}' returning 1`),
    ).toBe(1);
    expect(await tried('read', `select 1 from filing where id = '${waiting}'`)).toBe(1);
  });
});

const UNSECURED = ['fact_right', 'installation', 'migration', 'tenant', 'ledger_tenant_key'];

async function tenantTables(): Promise<readonly string[]> {
  const rows =
    await sql(`select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'filewright'::regnamespace and c.relkind in ('r', 'p') and a.attname = 'tenant' order by 1`);
  return rows.map(({ name }) => String(name)).filter((name) => !UNSECURED.includes(name));
}

describe('the catalogue', () => {
  const names = async (text: string): Promise<readonly unknown[]> =>
    (await sql(text)).map(({ name }) => name);
  const OURS = `relnamespace = 'filewright'::regnamespace`;

  it('has row security, also for the owner, and a policy on every table with a tenant', async () => {
    const open =
      await names(`select c.relname as name from pg_class c where ${OURS} and c.relkind in ('r', 'p')
      and exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant' and a.attnum > 0)
      and not (c.relrowsecurity and c.relforcerowsecurity and exists (select 1 from pg_policy p where p.polrelid = c.oid))
      order by 1`);
    expect(open).toEqual(UNSECURED.filter((name) => name === 'ledger_tenant_key'));
  });

  it('has no policy that does not ask for the tenant', async () => {
    expect(
      await names(`select p.polname || ' on ' || c.relname as name from pg_policy p join pg_class c on c.oid = p.polrelid
        where ${OURS} and (coalesce(pg_get_expr(p.polqual, p.polrelid), 'fw.tenant') not like '%fw.tenant%'
          or coalesce(pg_get_expr(p.polwithcheck, p.polrelid), 'fw.tenant') not like '%fw.tenant%'
          or not p.polpermissive)`),
    ).toEqual([]);
  });

  it('has no function that acts as its owner, and no view that looks as its owner', async () => {
    expect(
      await names(
        `select proname as name from pg_proc where pronamespace = 'filewright'::regnamespace and prosecdef`,
      ),
    ).toEqual([]);
    expect(
      await names(
        `select relname as name from pg_class where ${OURS} and relkind in ('v', 'm', 'f')`,
      ),
    ).toEqual([]);
  });

  it('gives everybody nothing: no schema, table, column, sequence, nor what is made later', async () => {
    const everybody = (acl: string, kind: string, owner: string): string =>
      `exists (select 1 from aclexplode(coalesce(${acl}, acldefault('${kind}', ${owner}))) a where a.grantee = 0)`;
    expect(
      await names(
        `select nspname as name from pg_namespace where nspname = 'filewright' and ${everybody('nspacl', 'n', 'nspowner')}`,
      ),
    ).toEqual([]);
    expect(
      await names(`select relname as name from pg_class where ${OURS} and relkind in ('r', 'p', 'S')
        and exists (select 1 from aclexplode(relacl) a where a.grantee = 0)`),
    ).toEqual([]);
    expect(
      await names(`select attname as name from pg_attribute t join pg_class c on c.oid = t.attrelid
        where ${OURS} and exists (select 1 from aclexplode(attacl) a where a.grantee = 0)`),
    ).toEqual([]);
    expect(
      await names(`select defaclobjtype::text as name from pg_default_acl
        where exists (select 1 from aclexplode(defaclacl) a where a.grantee = 0)`),
    ).toEqual([]);
  });

  it('lets no role set a sequence back, log in, or get round row security', async () => {
    expect(
      await names(`select r.rolname || ' ' || c.relname as name from pg_class c, pg_roles r
        where ${OURS} and c.relkind = 'S' and left(r.rolname, length('${prefix}')) = '${prefix}'
          and r.rolname not in ('${prefix}_owner', '${prefix}_migrate')
          and has_sequence_privilege(r.oid, c.oid, 'update')`),
    ).toEqual([]);
    expect(
      await names(`select rolname as name from pg_roles where left(rolname, length('${prefix}')) = '${prefix}'
        and (rolcanlogin or rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication)`),
    ).toEqual([]);
  });

  it('runs every trigger of ours whatever the session says of itself', async () => {
    expect(
      await names(`select tgname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
        where ${OURS} and not tgisinternal and tgenabled <> 'A'`),
    ).toEqual([]);
  });
});

/** Columns that `read` sees although their names speak of secrets, and why nothing opens with them. */
const HARMLESS: Readonly<Record<string, string>> = {
  'ledger_set_aside.sealed': 'a body, which opens with its key alone',
  'ledger_timestamp.token': 'a time stamp: made to be shown, and opens nothing',
  'person_session.credential': 'the id of the key or link that was shown, which opens nothing',
};

it('whoever only reads finds nothing that opens a body or lets somebody in', async () => {
  const shown =
    await sql(`select c.relname || '.' || a.attname as name, a.atttypid::regtype::text as type
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'filewright'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
      and has_column_privilege('${prefix}_read', c.oid, a.attnum, 'select') order by 1`);
  const suspicious = shown
    .map(({ name }) => String(name))
    .filter((name) =>
      /wrapped|secret|token|password|credential|sealed|seed/.test(name.split('.')[1] ?? ''),
    );
  expect(suspicious).toEqual(Object.keys(HARMLESS));
});
