/** What is done to the whole schema after the numbered files, whatever they hold: so that no new file can forget it. */
import { factWriters, sha256Of } from '../core/index.ts';
import { type Run, sql } from './session.ts';

// A function finds its tables where it was made to find them, whoever calls it and whatever that session looks through.
const FIX_SEARCH_PATHS = sql('')`
do $$
declare
  one record;
begin
  for one in select p.oid::regprocedure::text as name from pg_proc p
    where p.pronamespace = current_schema()::regnamespace and pg_has_role(p.proowner, 'usage') and not exists (
      select 1 from unnest(p.proconfig) setting where setting like 'search_path=%') loop
    execute format('alter function %s set search_path = %I, pg_temp', one.name, current_schema());
  end loop;
end $$`;

// Where the database is not ours this changes nothing and is no error; doctor tells.
const REVOKE_TEMPORARY = sql('')`
do $$
begin
  execute format('revoke temporary on database %I from public', current_database());
exception when insufficient_privilege then null;
end $$`;

const TEMPORARY = sql('temporary-allowed')`
select exists (
  select 1 from pg_database d, aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) right_of
  where d.datname = current_database() and right_of.grantee = 0 and right_of.privilege_type = 'TEMPORARY') as allowed`;

export async function settleSchema(run: Run): Promise<void> {
  await run(FIX_SEARCH_PATHS);
  await run(REVOKE_TEMPORARY);
}

/** For `doctor`: whether every login of the server may make temporary tables here. */
export async function mayAllMakeTemporary(session: { readonly run: Run }): Promise<boolean> {
  const [row] = await session.run(TEMPORARY);
  return row?.['allowed'] === true;
}

const WRITERS = factWriters();

/** Told apart from the list that the database has: a program of another version knows other facts. */
export const FACT_RIGHTS_SHA256 = sha256Of(JSON.stringify(WRITERS));

const CLEAR_FACT_RIGHTS = sql('')`delete from fact_right`;

const ADD_FACT_RIGHTS = sql('')`
insert into fact_right (type, boundary, actor_kind) select * from unnest($1::text[], $2::text[], $3::text[])`;

const SAY_FACT_RIGHTS = sql('')`update installation set fact_rights = $1`;

export async function writeFactRights(run: Run): Promise<void> {
  await run(CLEAR_FACT_RIGHTS);
  await run(ADD_FACT_RIGHTS, [
    WRITERS.map(({ type }) => type),
    WRITERS.map(({ boundary }) => boundary),
    WRITERS.map(({ actorKind }) => actorKind),
  ]);
  await run(SAY_FACT_RIGHTS, [FACT_RIGHTS_SHA256]);
}
