/** What a calendar feed said last. The state is that of calendar/feed-state.ts; nobody here looks inside. */
import { optional, type Run, sql } from '../../postgres/index.ts';

const LOCK = sql('feed-lock')`
select pg_advisory_xact_lock(hashtextextended('filewright.feed/' || $1 || '/' || $2, 0))`;

const READ = sql('feed-read')`select state from feed where tenant = $1 and name = $2`;

/** Undefined before the first issue. Two issues at once would both give the same sequence to different dates. */
export async function readFeed(run: Run, tenant: string, name: string): Promise<unknown> {
  await run(LOCK, [tenant, name]);
  const [row] = await run(READ, [tenant, name]);
  return optional(row?.['state'], (state) => state);
}

const WRITE = sql('feed-write')`insert into feed (tenant, name, state) values ($1, $2, $3)
on conflict (tenant, name) do update set state = excluded.state, ver = feed.ver + 1, issued_at = now()`;

const MEMBERS = sql('feed-members')`
insert into feed_obligation (tenant, feed, obligation) select $1, $2, unnest($3::text[]) on conflict do nothing`;

export async function writeFeed(
  run: Run,
  tenant: string,
  feed: { readonly name: string; readonly state: object; readonly obligations: readonly string[] },
): Promise<void> {
  await run(WRITE, [tenant, feed.name, JSON.stringify(feed.state)]);
  await run(MEMBERS, [tenant, feed.name, feed.obligations]);
}
