/** Roles, given and taken; every row is kept. */
import type { PartyId, Role } from '../../access/index.ts';
import { type PersonId, personId } from '../../core/index.ts';
import { type Row, type Run, sql, text } from '../../postgres/index.ts';
import { refusedByRule } from './refused-by-rule.ts';

interface RoleChange {
  readonly person: PersonId;
  readonly roles: readonly Role[];
  /** Undefined at installation. */
  readonly by: PersonId | undefined;
  readonly proposal?: string | undefined;
}

const GIVE = sql('person-role-give')`
insert into person_role (tenant, person, role, n, given_by, proposal)
select $1, $2, role, 1 + (select count(*) from person_role h where h.tenant = $1 and h.person = $2 and h.role = each.role), $4, $5
from unnest($3::text[]) each (role)
where not exists (select 1 from person_role h where h.tenant = $1 and h.person = $2 and h.role = each.role and h.taken_at is null)
returning role`;

const TAKE = sql('person-role-take')`
update person_role set taken_by = $4, taken_at = now(), taken_proposal = $5
where tenant = $1 and person = $2 and role = any ($3::text[]) and taken_at is null
returning role`;

const ADMINS = sql('person-admins')`
select distinct p.party from person p join person_role r on r.tenant = p.tenant and r.person = p.id
where p.tenant = $1 and p.disabled_at is null and r.role = 'admin' and r.taken_at is null`;

/** Those that the person did not have. */
export async function giveRoles(run: Run, tenant: string, change: RoleChange): Promise<Role[]> {
  return rolesIn(await run(GIVE, valuesOf(tenant, change)).catch(refusedByRule));
}

/** Those that the person had. */
export async function takeRoles(run: Run, tenant: string, change: RoleChange): Promise<Role[]> {
  return rolesIn(await run(TAKE, valuesOf(tenant, change)).catch(refusedByRule));
}

function rolesIn(rows: readonly Row[]): Role[] {
  // A check constraint holds the column to these words.
  return rows.map((row) => row['role'] as Role);
}

/** The parties of all administrators who are not disabled. */
export async function adminParties(run: Run, tenant: string): Promise<PartyId[]> {
  return (await run(ADMINS, [tenant])).map((row) => personId(text(row['party'])));
}

function valuesOf(tenant: string, { person, roles, by, proposal }: RoleChange): unknown[] {
  return [tenant, person, roles, by ?? null, proposal ?? null];
}
