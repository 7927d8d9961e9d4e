-- Dockets: who may be told of them, who has them, and what is left of them.
-- Runs on PostgreSQL 14 and newer.

-- What an alert or a mail says about a docket is for those who may see that docket, so each names the one it is about.
alter table alert add column docket text;
alter table notice add column docket text;

-- Those of before: an alert about a docket has its id as its subject, and a mail about an alert is known by its reason.
update alert a set docket = d.id from docket d where d.tenant = a.tenant and d.id = a.subject;
update notice n set docket = a.docket from alert a
  where a.tenant = n.tenant and a.docket is not null and n.dedup like 'alert/' || a.id || '/%';

-- What the assignment table said before the first handoff; null where none was asked. A question without an answer is over
-- when the docket's next moment has come.
alter table docket add column assignment jsonb;

-- What was read of an event stays as it was read, until the key of its client is destroyed: then it goes, too. Only of a
-- docket that is closed, whose sealed bytes are gone, and only to the row that says so.
create or replace function guard_docket() returns trigger language plpgsql as $$
declare
  is_destroyed boolean := (new.docket, new.source, new.closing) is distinct from (old.docket, old.source, old.closing)
    and new.docket ? 'destroyed' and old.closed_at is not null
    and not exists (select 1 from ledger_blob b where b.tenant = old.tenant and b.ct = old.payload_ct);
begin
  if (new.tenant, new.id, new.message_id, new.content_type, new.payload_sha256, new.payload_ct, new.received_at)
    is distinct from (old.tenant, old.id, old.message_id, old.content_type, old.payload_sha256, old.payload_ct,
      old.received_at)
    or (not is_destroyed and (new.docket, new.source) is distinct from (old.docket, old.source)) then
    raise exception 'docket % was received as it is, and stays so', old.id using errcode = 'restrict_violation';
  end if;
  if old.closed_at is not null and ((new.closed_at, new.closed_by) is distinct from (old.closed_at, old.closed_by)
    or (not is_destroyed and new.closing is distinct from old.closing)) then
    raise exception 'docket % is closed, and stays so', old.id using errcode = 'restrict_violation';
  end if;
  if new.ver < old.ver or new.access_ver < old.access_ver then
    raise exception 'docket % may only count up', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
