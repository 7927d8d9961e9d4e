-- Award documents that ingestion reads over a lane: the retry queue of that boundary, and what it saw on every attempt.
-- Runs on PostgreSQL 14 and newer.

create table grant_fetch (
  tenant text not null references tenant,
  id uuid not null,
  lane text not null,
  path text not null check (length(path) between 1 and 2000),
  format text not null check (format in ('json', 'ndjson', 'csv', 'xml')),
  -- Of lane, path and format: what every attempt asks for.
  request_sha256 bytea not null check (octet_length(request_sha256) = 32),
  started_at timestamptz not null,
  attempts int not null default 0,
  in_a_row int not null default 0,
  next_at timestamptz,
  state text not null default 'waiting' check (state in ('waiting', 'ingested', 'fallback')),
  last_error_code text,
  -- The most that was ever read of the document: a retry must find the same bytes.
  seen_bytes bigint check (seen_bytes >= 0),
  seen_sha256 bytea check (octet_length(seen_sha256) = 32),
  seen_whole boolean not null default false,
  document text check (document ~ '^[0-9a-f]{64}$'),
  exception uuid,
  ver int not null default 1,
  primary key (tenant, id),
  constraint grant_fetch_waits check ((state = 'waiting') = (next_at is not null)),
  constraint grant_fetch_seen check ((seen_bytes is null) = (seen_sha256 is null)),
  constraint grant_fetch_ingested check ((state = 'ingested') = (document is not null)),
  foreign key (tenant, document) references grant_document (tenant, id) deferrable initially deferred
);
create unique index grant_fetch_open on grant_fetch (tenant, lane, path) where state = 'waiting';

-- Committed before every attempt, and after every failure.
create table grant_fetch_snapshot (
  tenant text not null,
  fetch_id uuid not null,
  n int not null,
  kind text not null check (kind in ('attempt', 'failure')),
  attempt_count int not null,
  last_error_code text not null,
  retry_deadline timestamptz not null,
  payload_hash text not null,
  at timestamptz not null,
  primary key (tenant, fetch_id, n),
  foreign key (tenant, fetch_id) references grant_fetch (tenant, id)
);

create function guard_grant_fetch() returns trigger language plpgsql as $$
begin
  if (new.tenant, new.id, new.lane, new.path, new.format, new.request_sha256, new.started_at)
    is distinct from (old.tenant, old.id, old.lane, old.path, old.format, old.request_sha256, old.started_at)
    or new.attempts < old.attempts or old.state <> 'waiting'
    or coalesce(new.seen_bytes, -1) < coalesce(old.seen_bytes, -1) or (old.seen_whole and not new.seen_whole) then
    raise exception 'a retry of % may not change what it asks for, nor forget what it saw, nor begin again', old.id
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger grant_fetch_guard before update on grant_fetch for each row execute function guard_grant_fetch();
alter table grant_fetch enable always trigger grant_fetch_guard;

create trigger grant_fetch_stays before delete on grant_fetch for each row execute function refuse_change();
alter table grant_fetch enable always trigger grant_fetch_stays;
create trigger grant_fetch_kept before truncate on grant_fetch for each statement execute function refuse_change();
alter table grant_fetch enable always trigger grant_fetch_kept;
create trigger grant_fetch_snapshot_once before update or delete on grant_fetch_snapshot for each row
  execute function refuse_change();
alter table grant_fetch_snapshot enable always trigger grant_fetch_snapshot_once;
create trigger grant_fetch_snapshot_kept before truncate on grant_fetch_snapshot for each statement
  execute function refuse_change();
alter table grant_fetch_snapshot enable always trigger grant_fetch_snapshot_kept;
