/**
 * Who logs in, and with which rights. A login with little needs either CREATE on the database or schemas that belong to
 * it; the roles of roles.ts may be made by an administrator, and then the login takes them on as a member.
 */
import { FilewrightError } from '../core/index.ts';
import { text } from './rows.ts';
import { type Run, type Session, sql } from './session.ts';

const INSUFFICIENT_PRIVILEGE = '42501';

/** Whoever has owned the schema or a table of it so far: the logins that the product works as. */
const OWNERS = sql('')`
select quote_ident(r.rolname) as name from pg_roles r
where r.rolname <> current_user and left(r.rolname, length($2)) <> $2 and r.oid in (
  select nspowner from pg_namespace where nspname = $1
  union select c.relowner from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = $1 and c.relkind in ('r', 'p'))`;

/** `rolePrefix` begins the names of roles that are no logins. */
export async function loginsOf(run: Run, schema: string, rolePrefix: string): Promise<string[]> {
  return (await run(OWNERS, [schema, rolePrefix])).map((row) => text(row['name']));
}

/**
 * With the right to pass them on: the next migration gives the same roles to its new tables, and no administrator need be
 * there again.
 */
export function grantToLogin(roles: readonly string[], login: string): string {
  return `grant ${roles.join(', ')} to ${login} with admin option`;
}

// The catalogue is open to every login, also where the tables are not.
const STANDING = sql('')`
select current_user::text as name, quote_ident(current_user) as login,
  (select array_agg(r.rolname::text order by r.rolname) from pg_roles r
   where left(r.rolname, length(o.rolname) - length('owner')) = left(o.rolname, length(o.rolname) - length('owner'))) as roles
from (select 1) one
left join pg_namespace n on n.nspname = $1
left join pg_class c on c.relnamespace = n.oid and c.relname = 'installation'
left join pg_roles o on o.oid = c.relowner and o.rolname like 'fw\\_%\\_owner'`;

/** Does the work; a right that the login lacks becomes an error that says what to grant. */
export async function explainingRights<T>(
  session: Session,
  schema: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!lacksRight(error)) throw error;
    const [row] = await session.run(STANDING, [schema]);
    const roles = row?.['roles'];
    // An array of texts, as the driver reads it; null where no roles stand.
    const remedy = Array.isArray(roles)
      ? `As an administrator: ${grantToLogin(roles as string[], text(row?.['login']))}`
      : `As an administrator, give it CREATE on the database, or let the schema ${schema} belong to it`;
    throw new FilewrightError(
      'DATABASE_RIGHTS',
      `The database login ${text(row?.['name'])} lacks a right (${messageOf(error)}). ${remedy}`,
      { cause: error },
    );
  }
}

function lacksRight(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    error.code === INSUFFICIENT_PRIVILEGE
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
