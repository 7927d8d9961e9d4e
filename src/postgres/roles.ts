/**
 * The second wall: roles that can do no more than their part, and row security by tenant. Product connections log in as
 * whoever DATABASE_URL names and take a role on (`SET ROLE`), so no further passwords exist. That guards against our own
 * faults and against a statement that is smuggled in; it does not guard against whoever holds the login itself.
 *
 * Roles belong to the whole server, so their names begin with the installation's prefix. Where the login may not create
 * roles, the product works all the same with the triggers alone, and `rolesState` says why.
 */
import { grantToLogin, loginsOf } from './login-rights.ts';
import { ROLE_NAMES, type RoleName, rightsStatements } from './role-rights.ts';
import { text } from './rows.ts';
import { type Run, type Session, sql } from './session.ts';

const INSUFFICIENT_PRIVILEGE = '42501';

const STATE = sql('roles-state')`
select role_prefix, roles, coalesce(current_setting('fw.tenant', true), '') as tenant from installation`;

const TABLES = sql('')`
select c.relname as name, c.relforcerowsecurity as forced, exists (
    select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant' and a.attnum > 0) as has_tenant, array(
    select a.attname::text from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum) as columns
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = $1 and c.relkind in ('r', 'p') order by c.relname`;

const EXISTING = sql('')`select rolname as name from pg_roles where left(rolname, length($1)) = $1`;

const POLICIES = sql('')`
select tablename as table_name, policyname as name from pg_policies where schemaname = $1 and policyname like 'fw\\_%'`;

interface RolesState {
  readonly isReady: boolean;
  readonly prefix: string;
  /** Why there are none; empty when they are ready. */
  readonly reason: string;
}

/** For `doctor`: whether the roles stand, or why not. */
export async function rolesState(session: Pick<Session, 'run'>): Promise<RolesState> {
  const [row] = await session.run(STATE);
  const state = text(row?.['roles']);
  const isReady = state === 'ready';
  return { isReady, prefix: text(row?.['role_prefix']), reason: isReady ? '' : state };
}

const ASSUME = sql('roles-assume')`
select set_config('role', role_prefix || '_' || $1::text, true) from installation where roles = 'ready'`;

/** Takes a role on until the end of the transaction; without effect where there are none. */
export async function assumeRole(run: Run, role: RoleName): Promise<void> {
  await run(ASSUME, [role]);
}

/**
 * Makes the roles, their rights and the row security, in the caller's transaction; to be repeated after each migration.
 * Only when the session knows its tenant: otherwise row security would hide every row from a login that is bound by it.
 */
export async function ensureRoles(run: Run, schema: string): Promise<void> {
  const [state] = await run(STATE);
  if (text(state?.['tenant']) === '') return;
  const prefix = text(state?.['role_prefix']);
  await run({ name: '', text: 'savepoint roles' });
  try {
    for (const statement of await roleStatements(run, schema, prefix)) {
      await run({ name: '', text: statement });
    }
    await say(run, 'ready');
  } catch (error) {
    if (codeOf(error) !== INSUFFICIENT_PRIVILEGE) throw error;
    await run({ name: '', text: 'rollback to savepoint roles' });
    const reason = error instanceof Error ? error.message : String(error);
    await say(
      run,
      `the database login may not create roles (${reason}); give it CREATEROLE, or let an administrator of the database run sql/roles.sql`,
    );
  }
  await run({ name: '', text: 'release savepoint roles' });
}

/** Row security binds the owner too; a migration must see all rows, so it is lifted until `ensureRoles` sets it again. */
export async function liftRowSecurity(run: Run, schema: string): Promise<void> {
  for (const table of await run(TABLES, [schema])) {
    if (table['forced'] !== true) continue;
    await run({ name: '', text: `alter table ${text(table['name'])} no force row level security` });
  }
}

async function say(run: Run, state: string): Promise<void> {
  await run({ name: '', text: 'update installation set roles = $1' }, [state]);
}

async function roleStatements(run: Run, schema: string, prefix: string): Promise<string[]> {
  const role = (name: RoleName): string => `${prefix}_${name}`;
  const existing = new Set((await run(EXISTING, [`${prefix}_`])).map((row) => text(row['name'])));
  const tables = (await run(TABLES, [schema])).map((row) => ({
    name: text(row['name']),
    hasTenant: row['has_tenant'] === true,
    // An array of texts, as the driver reads it.
    columns: row['columns'] as string[],
  }));
  const policies = (await run(POLICIES, [schema])).map(
    (row) => `drop policy ${text(row['name'])} on ${text(row['table_name'])}`,
  );
  const logins = await loginsOf(run, schema, `${prefix}_`);
  return [
    ...ROLE_NAMES.filter((name) => !existing.has(role(name))).flatMap((name) => [
      `create role ${role(name)} nologin`,
      `grant ${role(name)} to current_user`,
    ]),
    // Whoever the tables are taken from works on with them.
    ...logins.map((login) => grantToLogin(ROLE_NAMES.map(role), login)),
    ...policies,
    ...rightsStatements(role, schema, tables),
  ];
}

/** Removes the roles of a database that is about to be dropped; they would outlive it. */
export async function dropRoles(session: Session): Promise<void> {
  const { isReady, prefix } = await rolesState(session);
  if (!isReady) return;
  await session.transaction(async (run) => {
    for (const name of ROLE_NAMES) {
      await run({ name: '', text: `reassign owned by ${prefix}_${name} to current_user` });
      await run({ name: '', text: `drop owned by ${prefix}_${name}` });
      await run({ name: '', text: `drop role ${prefix}_${name}` });
    }
    await say(run, 'not made yet');
  });
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
