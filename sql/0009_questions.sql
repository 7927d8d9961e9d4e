-- Questions to lanes: for an award document (ingestion), about a grantor's ledger (reconciliation). What is asked is frozen
-- when it is first asked, every try is on record before it is made, and row security shows a stage its own purpose alone
-- (store/grants/walls.ts). Runs on PostgreSQL 14 and newer.

create table question (
  tenant text not null references tenant,
  id uuid not null,
  purpose text not null check (purpose in ('fetch', 'verification')),
  lane text not null,
  -- A path below the lane, or a grantor.
  subject text not null check (length(subject) between 1 and 2000),
  -- What every try asks: in clear, or sealed in the log where it names references.
  request jsonb,
  request_ct bytea check (octet_length(request_ct) = 32),
  request_sha256 bytea not null check (octet_length(request_sha256) = 32),
  started_at timestamptz not null,
  tries int not null default 0,
  in_a_row int not null default 0,
  -- While somebody tries, when his lease ends; otherwise when the next try is due.
  next_at timestamptz,
  state text not null default 'waiting' check (state in ('waiting', 'done', 'fallback')),
  last_error_code text,
  -- The most that was ever read of a document: a retry must find the same bytes.
  seen_bytes bigint check (seen_bytes >= 0),
  seen_sha256 bytea check (octet_length(seen_sha256) = 32),
  seen_whole boolean not null default false,
  document text check (document ~ '^[0-9a-f]{64}$'),
  exception uuid,
  ver int not null default 1,
  primary key (tenant, id),
  constraint question_purpose unique (tenant, id, purpose),
  constraint question_frozen check ((request is null) <> (request_ct is null)),
  constraint question_waits check ((state = 'waiting') = (next_at is not null)),
  constraint question_seen check ((seen_bytes is null) = (seen_sha256 is null)),
  constraint question_fetched check ((state = 'done' and purpose = 'fetch') = (document is not null)),
  constraint question_person check ((state = 'fallback') = (exception is not null)),
  foreign key (tenant, document) references grant_document (tenant, id) deferrable initially deferred
);
create unique index question_open on question (tenant, purpose, lane, subject) where state = 'waiting';

-- Committed before every try, and after every one that failed. The key lets a try be made once.
create table question_try (
  tenant text not null,
  question uuid not null,
  purpose text not null,
  n int not null check (n >= 1),
  kind text not null check (kind in ('attempt', 'failure')),
  last_error_code text not null,
  retry_deadline timestamptz not null,
  payload_hash text not null,
  at timestamptz not null,
  primary key (tenant, question, n, kind),
  foreign key (tenant, question, purpose) references question (tenant, id, purpose)
);

create function guard_question() returns trigger language plpgsql as $$
begin
  if (new.tenant, new.id, new.purpose, new.lane, new.subject, new.request, new.request_ct, new.request_sha256, new.started_at)
    is distinct from
    (old.tenant, old.id, old.purpose, old.lane, old.subject, old.request, old.request_ct, old.request_sha256, old.started_at)
    or new.tries not in (old.tries, old.tries + 1) or old.state <> 'waiting'
    or coalesce(new.seen_bytes, -1) < coalesce(old.seen_bytes, -1) or (old.seen_whole and not new.seen_whole) then
    raise exception 'a retry of % may not change what it asks for, nor forget what it saw, nor begin again', old.id
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger question_guard before update on question for each row execute function guard_question();
alter table question enable always trigger question_guard;

create trigger question_stays before delete on question for each row execute function refuse_change();
alter table question enable always trigger question_stays;
create trigger question_kept before truncate on question for each statement execute function refuse_change();
alter table question enable always trigger question_kept;
create trigger question_try_once before update or delete on question_try for each row execute function refuse_change();
alter table question_try enable always trigger question_try_once;
create trigger question_try_kept before truncate on question_try for each statement execute function refuse_change();
alter table question_try enable always trigger question_try_kept;
