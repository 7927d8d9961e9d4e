-- Review: what people do with exceptions. Whatever sends a filing again is a proposal of one person and an approval of
-- another (proposal), bound to a hash over what will run. The database lets a filing leave `rejected` or `fallout` only along
-- a row in these tables, so that a fault above it cannot send anything nobody approved.
-- Runs on PostgreSQL 14 and newer.

alter table exception add column assigned_to uuid;
alter table exception add constraint exception_assigned_to_person
  foreign key (tenant, assigned_to) references person (tenant, id);

-- The filings of a proposal to send again. A filter was applied when it was proposed, and finds nothing more later.
create table review_item (
  tenant text not null,
  proposal uuid not null,
  filing uuid not null,
  -- Which exception of the filing: a later one needs a proposal of its own.
  n int not null,
  -- The first thing that is done: an earlier send whose fate is unknown is asked about, not repeated.
  action text not null check (action in ('send', 'ask')),
  -- What will be sent: for a replay the filing's own, for a correction the next revision.
  revision int not null check (revision >= 1),
  key text not null,
  payload_sha256 bytea not null check (octet_length(payload_sha256) = 32),
  payload_ct bytea not null check (octet_length(payload_ct) = 32),
  -- How a person knows that an earlier send was not accepted.
  not_filed text check (length(not_filed) between 1 and 500),
  primary key (tenant, proposal, filing),
  foreign key (tenant, proposal) references proposal (tenant, id),
  foreign key (tenant, filing, n) references exception (tenant, filing, n)
);
create index review_item_filing on review_item (tenant, filing, n);

-- Nothing joins what has been decided. The lock makes a decision that is under way wait, and then see the item.
create function guard_review_item() returns trigger language plpgsql as $$
begin
  perform 1 from proposal p where p.tenant = new.tenant and p.id = new.proposal and p.kind in ('replay', 'correct')
    and p.state = 'open' for share;
  if not found then
    raise exception 'proposal % is decided, or is none to send filings again', new.proposal
      using errcode = 'restrict_violation', constraint = 'review_item_open';
  end if;
  return new;
end $$;
create trigger review_item_guard before insert on review_item for each row execute function guard_review_item();
alter table review_item enable always trigger review_item_guard;

-- What one person does alone, because nothing is sent by it.
create table review_act (
  tenant text not null,
  filing uuid not null,
  n int not null,
  no int not null,
  act text not null check (act in ('accepted_as_filed', 'rejected', 'handed_on')),
  by_person uuid not null,
  at timestamptz not null default now(),
  reason text not null check (length(reason) between 1 and 500),
  receipt text check (length(receipt) between 1 and 200),
  -- SHA-256 of the evidence; the evidence itself is the sealed body of the ledger entry.
  evidence_sha256 bytea check (octet_length(evidence_sha256) = 32),
  to_person uuid,
  primary key (tenant, filing, n, no),
  foreign key (tenant, filing, n) references exception (tenant, filing, n),
  foreign key (tenant, by_person) references person (tenant, id),
  foreign key (tenant, to_person) references person (tenant, id),
  constraint review_act_accepted_has_evidence check (
    (act = 'accepted_as_filed') = (receipt is not null) and (act <> 'accepted_as_filed' or evidence_sha256 is not null)),
  constraint review_act_handed_on_to_person check ((act = 'handed_on') = (to_person is not null))
);

-- The payload that a correction replaced, as it stood; its sealed bytes stay where they are.
create table envelope_revision (
  tenant text not null,
  filing uuid not null,
  revision int not null,
  key text not null,
  payload_sha256 bytea not null,
  payload_ct bytea not null,
  replaced_at timestamptz not null default now(),
  proposal uuid not null,
  primary key (tenant, filing, revision),
  constraint envelope_revision_key unique (tenant, key),
  foreign key (tenant, filing) references envelope (tenant, id),
  foreign key (tenant, proposal, filing) references review_item (tenant, proposal, filing)
);

-- An envelope changes in one way: an approved correction puts the next revision in the place of one that is kept.
create function guard_envelope() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.revision = old.revision + 1
    and (new.tenant, new.id, new.batch, new.lane, new.jurisdiction, new.effect, new.entity_id, new.filing_kind, new.period,
        new.obligation, new.not_before, new.due, new.last_safe, new.created_at)
      = (old.tenant, old.id, old.batch, old.lane, old.jurisdiction, old.effect, old.entity_id, old.filing_kind, old.period,
        old.obligation, old.not_before, old.due, old.last_safe, old.created_at)
    and exists (
      select 1 from review_item i
      join proposal p on p.tenant = i.tenant and p.id = i.proposal and p.kind = 'correct' and p.state = 'approved'
      join filing f on f.tenant = i.tenant and f.id = i.filing and f.status in ('rejected', 'fallout') and f.exceptions = i.n
      -- A new key is safe only where the old one is known not to have been accepted.
      join exception x on x.tenant = i.tenant and x.filing = i.filing and x.n = i.n
        and (x.unsettled is null or i.not_filed is not null)
      where i.tenant = old.tenant and i.filing = old.id and i.revision = new.revision and i.key = new.key
        and i.payload_sha256 = new.payload_sha256 and i.payload_ct = new.payload_ct)
    and exists (
      select 1 from envelope_revision r
      where r.tenant = old.tenant and r.filing = old.id and r.revision = old.revision and r.key = old.key
        and r.payload_sha256 = old.payload_sha256 and r.payload_ct = old.payload_ct) then
    return new;
  end if;
  raise exception 'rows of envelope are written once; only an approved correction adds a revision'
    using errcode = 'restrict_violation';
end $$;
drop trigger envelope_once on envelope;
create trigger envelope_once before update or delete on envelope for each row execute function guard_envelope();
alter table envelope enable always trigger envelope_once;

-- A filing leaves a person's hands only by what a person has put on record. Ordinary ticks never meet the condition.
create function guard_review() returns trigger language plpgsql as $$
begin
  if new.status = 'pending' and exists (
    select 1 from review_item i
    join proposal p on p.tenant = i.tenant and p.id = i.proposal and p.state = 'approved'
    join envelope e on e.tenant = i.tenant and e.id = i.filing
    where i.tenant = old.tenant and i.filing = old.id and i.n = old.exceptions and i.action = new.step->>'action'
      and i.revision = e.revision and i.key = e.key and i.payload_sha256 = e.payload_sha256) then
    return new;
  end if;
  if new.status in ('accepted', 'rejected') and exists (
    select 1 from review_act a
    where a.tenant = old.tenant and a.filing = old.id and a.n = old.exceptions
      and a.act = case new.status when 'accepted' then 'accepted_as_filed' else 'rejected' end
      and (new.status <> 'accepted' or a.receipt = new.receipt)) then
    return new;
  end if;
  raise exception 'filing % may go from % to % only by a review that is on record', old.id, old.status, new.status
    using errcode = 'restrict_violation', constraint = 'filing_reviewed';
end $$;
create trigger filing_reviewed before update on filing for each row
  when (old.status in ('rejected', 'fallout') and new.status <> old.status
    and new.status in ('pending', 'accepted', 'rejected'))
  execute function guard_review();
alter table filing enable always trigger filing_reviewed;

do $$
declare name text;
begin
  foreach name in array array['review_item', 'review_act', 'envelope_revision'] loop
    execute format('create trigger %I before update or delete on %I for each row execute function refuse_change()',
      name || '_once', name);
    execute format('create trigger %I before truncate on %I for each statement execute function refuse_change()',
      name || '_kept', name);
    execute format('alter table %I enable always trigger %I', name, name || '_once');
    execute format('alter table %I enable always trigger %I', name, name || '_kept');
  end loop;
end $$;
