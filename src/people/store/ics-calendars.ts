/** What a calendar said last. The state is that of calendar/ics-state.ts; nobody here looks inside. */
import { optional, type Run, sql } from '../../postgres/index.ts';

const LOCK = sql('ics-lock')`
select lock_name($1, 'ics', $2)`;

const READ = sql('ics-read')`select state from ics_calendar where tenant = $1 and name = $2`;

/** Undefined before the first issue. Two issues at once would both give the same sequence to different dates. */
export async function readIcs(run: Run, tenant: string, name: string): Promise<unknown> {
  await run(LOCK, [tenant, name]);
  const [row] = await run(READ, [tenant, name]);
  return optional(row?.['state'], (state) => state);
}

const WRITE = sql('ics-write')`insert into ics_calendar (tenant, name, state) values ($1, $2, $3)
on conflict (tenant, name) do update set state = excluded.state, ver = ics_calendar.ver + 1, issued_at = now()`;

const MEMBERS = sql('ics-members')`
insert into ics_obligation (tenant, calendar, obligation) select $1, $2, unnest($3::text[]) on conflict do nothing`;

export async function writeIcs(
  run: Run,
  tenant: string,
  ics: { readonly name: string; readonly state: object; readonly obligations: readonly string[] },
): Promise<void> {
  await run(WRITE, [tenant, ics.name, JSON.stringify(ics.state)]);
  await run(MEMBERS, [tenant, ics.name, ics.obligations]);
}
