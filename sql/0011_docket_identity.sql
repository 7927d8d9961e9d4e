-- One event is one docket, however its number is written.
-- Runs on PostgreSQL 14 and newer.

-- What the law says is one event, in one spelling: a digest over office, number, event and day, made by the rules. Null only
-- in rows of before, until the next intake has made it for them.
alter table docket add column identity text check (length(identity) between 1 and 200);
create unique index docket_one_event on docket (tenant, identity);
create index docket_unidentified on docket (tenant, id) where identity is null;

-- Given once. Another identity would let the same event in again.
create function guard_docket_identity() returns trigger language plpgsql as $$
begin
  raise exception 'docket % has its identity, and keeps it', old.id using errcode = 'restrict_violation';
end $$;
create trigger docket_identified before update on docket for each row
  when (old.identity is not null and new.identity is distinct from old.identity)
  execute function guard_docket_identity();
alter table docket enable always trigger docket_identified;
