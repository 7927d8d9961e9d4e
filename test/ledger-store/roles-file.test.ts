/** sql/roles.sql: what the program does about roles, for an administrator with `psql`. `npm run roles` writes it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate } from '../../src/postgres/migrate.ts';
import { packageRoot } from '../../src/postgres/package-root.ts';
import { ROLE_NAMES, rightsStatements } from '../../src/postgres/role-rights.ts';
import { rolesState } from '../../src/postgres/roles.ts';
import { Session } from '../../src/postgres/session.ts';
import { type FreshDatabase, freshDatabase } from '../fixtures/database.ts';

const FILE = join(packageRoot(), 'sql', 'roles.sql');

const databases: FreshDatabase[] = [];
const sessions: Session[] = [];
let byProgram: Session;
let byFile: Session;

beforeAll(async () => {
  for (const name of ['program', 'file']) {
    const database = await freshDatabase();
    databases.push(database);
    const target = { ...database.target, settings: { 'fw.tenant': 'main' } };
    sessions.push(new Session({ target, schema: database.schema, name }));
  }
  [byProgram, byFile] = sessions as [Session, Session];
});
afterAll(async () => {
  for (const session of sessions) await session.close();
  for (const database of databases) await database.close();
});

function fileOf(tables: Parameters<typeof rightsStatements>[2]): string {
  const names = ROLE_NAMES.map((name) => `'${name}'`).join(', ');
  const statements = rightsStatements((name) => `{prefix}_${name}`, '{schema}', tables);
  return `-- Roles, their rights and row security, as src/postgres/role-rights.ts says them; \`npm run roles\` writes this file. The program
-- does the same by itself where its login may create roles. Where it may not, an administrator runs this after each migration:
--
--   psql --single-transaction --set ON_ERROR_STOP=1 --command 'set search_path = filewright' --file sql/roles.sql

do $do$
declare
  prefix text := (select role_prefix from installation);
  name text;
  one record;
begin
  foreach name in array array[${names}] loop
    if to_regrole(prefix || '_' || name) is null then
      execute format('create role %I nologin', prefix || '_' || name);
      execute format('grant %I to current_user', prefix || '_' || name);
    end if;
    -- Whoever the tables are taken from works on with them, and passes the roles on after the next migration.
    for one in select r.rolname from pg_roles r
      where r.rolname <> current_user and not starts_with(r.rolname, prefix || '_') and r.oid in (
        select nspowner from pg_namespace where nspname = current_schema()
        union select relowner from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')) loop
      execute format('grant %I to %I with admin option', prefix || '_' || name, one.rolname);
    end loop;
  end loop;
  for one in select tablename, policyname from pg_policies where schemaname = current_schema() and policyname like 'fw\\_%' loop
    execute format('drop policy %I on %I', one.policyname, one.tablename);
  end loop;
  for one in select line from regexp_split_to_table(replace(replace($rights$
${statements.join(';\n')}
$rights$, '{prefix}', prefix), '{schema}', current_schema()), ';\\n') line loop
    execute one.line;
  end loop;
  update installation set roles = 'ready';
end $do$;
`;
}

/** Everything that a role may do, without the installation's prefix. */
async function rightsIn(session: Session): Promise<unknown[]> {
  const { prefix } = await rolesState(session);
  const rows = await session.run({
    name: '',
    text: `
      select 'table' as what, c.relname::text as name, pg_get_userbyid(c.relowner)::text as owner, c.relacl::text as rights,
        c.relrowsecurity::text || c.relforcerowsecurity::text as secured
      from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'S')
      union all
      select 'column', a.attrelid::regclass::text || '.' || a.attname, '', a.attacl::text, '' from pg_attribute a
      join pg_class c on c.oid = a.attrelid and c.relnamespace = current_schema()::regnamespace where a.attacl is not null
      union all
      select 'policy', tablename || '.' || policyname, roles::text, cmd, coalesce(qual, '') || ' / ' || coalesce(with_check, '')
      from pg_policies where schemaname = current_schema()
      union all
      select 'member', r.rolname, m.rolname, a.admin_option::text, r.rolcanlogin::text || r.rolsuper::text
      from pg_auth_members a join pg_roles r on r.oid = a.roleid join pg_roles m on m.oid = a.member
      where starts_with(r.rolname, (select role_prefix from installation))
      union all
      select 'schema', nspname, '', nspacl::text, '' from pg_namespace where nspname = current_schema()
      union all
      select 'state', roles, '', '', '' from installation
      order by 1, 2, 3, 4`,
  });
  return rows.map((row) => JSON.parse(JSON.stringify(row).replaceAll(prefix, 'fw')) as unknown);
}

it('the file is what the program would do', async () => {
  const rows = await byFile.run({
    name: '',
    text: `select c.relname as name, exists (select 1 from pg_attribute a
        where a.attrelid = c.oid and a.attname = 'tenant' and a.attnum > 0) as has_tenant, array(
        select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 order by a.attnum) as columns
      from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') order by 1`,
  });
  const tables = rows.map((row) => ({
    name: String(row['name']),
    hasTenant: row['has_tenant'] === true,
    columns: row['columns'] as string[],
  }));
  await expect(fileOf(tables)).toMatchFileSnapshot(FILE);
});

it('gives the rights that the program gives, and no others, also when it runs again', async () => {
  await migrate(byProgram, 'filewright');
  const expected = await rightsIn(byProgram);
  expect(expected.length).toBeGreaterThan(300);
  expect(await rightsIn(byFile)).not.toEqual(expected);
  for (const time of ['first', 'second']) {
    await byFile.run({ name: '', text: readFileSync(FILE, 'utf8') });
    expect(await rightsIn(byFile), time).toEqual(expected);
  }
});
