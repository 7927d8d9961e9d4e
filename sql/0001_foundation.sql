-- The foundation: tenants, people, batches, lanes and slots, filings, attempts and outcomes, exceptions, the outbox
-- and the ledger. Never edited once released. Runs on PostgreSQL 14 and newer; unqualified names resolve in the schema
-- that the migrator puts on the search path.

create table tenant (
  id text primary key check (id ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  -- First part of every ledger origin; a scheme-less name without spaces or plus signs.
  instance text not null check (instance ~ '^[a-z0-9][a-z0-9.-]{0,100}$'),
  created_at timestamptz not null default now()
);

create table person (
  tenant text not null references tenant,
  id uuid not null,
  name text not null check (length(name) between 1 and 200),
  key_sha256 bytea not null check (octet_length(key_sha256) = 32),
  ver int not null default 1,
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  primary key (tenant, id),
  unique (tenant, name),
  unique (key_sha256)
);

create table batch (
  tenant text not null references tenant,
  id uuid not null,
  source text not null,
  state text not null default 'open' check (state in ('open', 'frozen', 'approved')),
  prepared_by uuid not null,
  prepared_at timestamptz not null default now(),
  count int,
  sha256 bytea,
  ver int not null default 1,
  primary key (tenant, id),
  foreign key (tenant, prepared_by) references person (tenant, id),
  constraint batch_frozen_has_hash check (state = 'open' or (count is not null and sha256 is not null))
);

-- Proposals -------------------------------------------------------------------------------------------------------------

-- Whatever needs a second person: one proposes exactly what will run, another approves that by its hash. The kinds differ in
-- what they are about, and in whose guard asks here before it lets something happen:
--   batch            sends what was frozen; about the batch
--   replay, correct  send filings again (review_item); about itself
--   exception        resolves an exception of the grants pipeline; about the exception
--   statement        withdraws or restores bank statements; about their feed
create table proposal (
  tenant text not null references tenant,
  id uuid not null default gen_random_uuid(),
  kind text not null check (kind in ('batch', 'replay', 'correct', 'exception', 'statement')),
  subject text not null check (subject ~ '^[^[:cntrl:]]{1,200}$'),
  -- Which proposal of the kind about its subject.
  n int not null check (n >= 1),
  -- What will run, as canonical JSON.
  terms text not null check (jsonb_typeof(terms::jsonb) = 'object'),
  sha256 bytea not null check (octet_length(sha256) = 32),
  -- The rule for a reason is that of core/approval.ts.
  reason text not null check (reason = btrim(reason) and length(reason) between 10 and 500),
  proposed_by uuid not null,
  proposed_at timestamptz not null default now(),
  state text not null default 'open' check (state in ('open', 'approved', 'refused', 'withdrawn')),
  decided_by uuid,
  decided_at timestamptz,
  decision_reason text check (decision_reason = btrim(decision_reason) and length(decision_reason) between 10 and 500),
  primary key (tenant, id),
  constraint proposal_numbered unique (tenant, kind, subject, n),
  foreign key (tenant, proposed_by) references person (tenant, id),
  foreign key (tenant, decided_by) references person (tenant, id),
  constraint proposal_decided check ((state = 'open') = (decided_by is null) and (state = 'open') = (decided_at is null)),
  -- An approval says yes to what was proposed; whatever ends it otherwise says why.
  constraint proposal_ended_has_reason check (state in ('open', 'approved') or decision_reason is not null)
);
-- One at a time about a subject, and none after it was approved; but statements go and come back.
create unique index proposal_once on proposal (tenant, kind, subject)
  where state = 'open' or (state = 'approved' and kind <> 'statement');

-- Over what will run; the program composes the same bytes by itself (core/approval.ts). Volatile, so that it sees what was
-- committed while the decision waited for its row.
create function proposal_hash(p proposal) returns bytea language plpgsql volatile as $$
declare
  items text := '';
begin
  if p.kind in ('replay', 'correct') then
    select coalesce(string_agg(
      i.filing || ' ' || i.n || ' ' || i.action || ' ' || i.revision || ' ' || i.key || ' ' ||
      encode(i.payload_sha256, 'hex') || ' ' ||
      coalesce(encode(sha256(convert_to(i.not_filed, 'UTF8')), 'hex'), '-') || E'\n', '' order by i.filing), '')
    into items from review_item i where i.tenant = p.tenant and i.proposal = p.id;
  end if;
  return sha256(convert_to('filewright proposal 1' || E'\n' || p.kind || ' ' || p.subject || ' ' ||
    encode(sha256(convert_to(p.reason, 'UTF8')), 'hex') || E'\n' || p.terms || E'\n' || items, 'UTF8'));
end $$;

-- The one guard of the second person.
create function guard_proposal() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.state <> 'open' then
      raise exception 'proposal % may not begin as %', new.id, new.state
        using errcode = 'restrict_violation', constraint = 'proposal_begins_open';
    end if;
    new.proposed_at := now();
    return new;
  end if;
  if old.state <> 'open' or new.state = 'open'
    or (new.tenant, new.id, new.kind, new.subject, new.n, new.terms, new.reason, new.proposed_by, new.proposed_at)
      is distinct from
      (old.tenant, old.id, old.kind, old.subject, old.n, old.terms, old.reason, old.proposed_by, old.proposed_at) then
    raise exception 'proposal % is decided once, and nothing else of it ever changes', old.id
      using errcode = 'restrict_violation', constraint = 'proposal_decided_once';
  end if;
  -- Whoever proposed may only take it back, and nobody else can.
  if (new.decided_by = old.proposed_by) <> (new.state = 'withdrawn') or exists (
    select 1 from person where tenant = new.tenant and id = new.decided_by and disabled_at is not null) then
    raise exception 'proposal % may not be % by this person: another one decides, who is not disabled', old.id, new.state
      using errcode = 'restrict_violation', constraint = 'proposal_second_person';
  end if;
  -- The decision names the hash that the person saw.
  if new.sha256 is distinct from old.sha256
    or (new.state = 'approved' and old.sha256 is distinct from proposal_hash(old)) then
    raise exception 'proposal % is decided for another hash than that of what would run', old.id
      using errcode = 'restrict_violation', constraint = 'proposal_same_hash';
  end if;
  new.decided_at := now();
  return new;
end $$;
create trigger proposal_guard before insert or update on proposal for each row execute function guard_proposal();
alter table proposal enable always trigger proposal_guard;

-- A batch is sent only as two people agreed: what was frozen when it was proposed.
create function guard_batch() returns trigger language plpgsql as $$
begin
  if not exists (
    select 1 from proposal p where p.tenant = new.tenant and p.kind = 'batch' and p.subject = new.id::text
      and p.state = 'approved' and p.proposed_by = new.prepared_by
      and p.terms::jsonb = jsonb_build_object('count', new.count, 'sha256', encode(new.sha256, 'hex'))) then
    raise exception 'batch % is not what two people have agreed to send', new.id
      using errcode = 'restrict_violation', constraint = 'batch_agreed';
  end if;
  return new;
end $$;
create trigger batch_guard before insert or update on batch for each row
  when (new.state = 'approved') execute function guard_batch();
alter table batch enable always trigger batch_guard;

-- Lanes -----------------------------------------------------------------------------------------------------------------

create table lane (
  tenant text not null references tenant,
  code text not null,
  profile jsonb not null,
  ceiling int not null check (ceiling between 1 and 1000),
  -- Pause, breaker and counters as core/lane.ts defines them; changed only by compare-and-set on version.
  state jsonb not null,
  version int not null default 1,
  -- Derived from state, so that the claim statement can read it: when new claims may be made again.
  open_from timestamptz not null default '-infinity',
  longest_service_ms int not null,
  probe_holder bigint,
  probe_until timestamptz,
  ver int not null default 1,
  primary key (tenant, code)
);

-- One per incarnation of a worker process; the id is the fencing number.
create sequence worker_fence;
create sequence slot_fence;

create table worker (
  tenant text not null references tenant,
  id bigint not null,
  host text not null,
  pid int not null,
  pid_started_at text not null,
  -- A command that asks one portal, and so takes slots of no other lane; null for a worker.
  wants text,
  started_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  primary key (tenant, id)
) with (fillfactor = 50);

create table lane_slot (
  tenant text not null,
  lane text not null,
  n int not null check (n >= 0),
  holder bigint,
  -- Another number each time it is taken, so that a late release cannot free a later taking.
  fence bigint not null default 0,
  expires_at timestamptz not null default '-infinity',
  primary key (tenant, lane, n),
  foreign key (tenant, lane) references lane (tenant, code)
) with (fillfactor = 30);

-- Filings ---------------------------------------------------------------------------------------------------------------

-- What is owed to whom by when. Immutable.
create table envelope (
  tenant text not null references tenant,
  id uuid not null,
  batch uuid not null,
  lane text not null,
  jurisdiction text not null,
  effect text not null check (effect in ('filing', 'notice')),
  entity_id text not null,
  filing_kind text not null,
  period text not null,
  revision int not null check (revision >= 1),
  key text not null,
  obligation text not null,
  payload_sha256 bytea not null check (octet_length(payload_sha256) = 32),
  payload_ct bytea not null check (octet_length(payload_ct) = 32),
  not_before timestamptz not null,
  due timestamptz not null,
  last_safe timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (tenant, id),
  -- One filing per obligation: the same obligation with other content is a conflict, never a second filing.
  constraint envelope_obligation unique (tenant, obligation),
  constraint envelope_key unique (tenant, key),
  foreign key (tenant, batch) references batch (tenant, id),
  foreign key (tenant, lane) references lane (tenant, code)
);
create index envelope_batch on envelope (tenant, batch);

-- Where it stands. Narrow, because every attempt rewrites it twice. The table itself is the queue: next_at null means
-- not queued (held for approval, in somebody's hands, or at its end).
create table filing (
  tenant text not null,
  id uuid not null,
  lane text not null,
  last_safe timestamptz not null,
  status text not null check (status in ('pending', 'submitted', 'accepted', 'rejected', 'fallout')),
  attempt int not null default 0,
  attempt_id uuid,
  step jsonb,
  failures int not null default 0,
  failing_since timestamptz,
  captcha_marks int not null default 0,
  holder bigint,
  claim text check (claim in ('turn', 'orphan', 'late')),
  next_at timestamptz,
  verdict text,
  code text,
  receipt text,
  -- The ledger's subject version; assigned while this row is locked, so that the order is right per filing.
  ver int not null default 1,
  exceptions int not null default 0,
  primary key (tenant, id),
  foreign key (tenant, id) references envelope (tenant, id),
  constraint filing_held_is_not_queued check (holder is null or next_at is null),
  constraint filing_end_has_no_step check ((status in ('accepted', 'rejected', 'fallout')) = (step is null)),
  constraint filing_accepted_has_receipt check (status <> 'accepted' or receipt is not null)
) with (fillfactor = 50);
create index filing_queue on filing (tenant, lane, last_safe, id) where next_at is not null;
create index filing_holder on filing (tenant, holder) where holder is not null;
create index filing_exception on filing (tenant, status, last_safe, id) where status in ('rejected', 'fallout');

create table attempt (
  tenant text not null,
  filing uuid not null,
  no int not null,
  id uuid not null,
  action text not null check (action in ('send', 'resend', 'ask', 'poll')),
  holder bigint not null,
  intent_at timestamptz not null,
  primary key (tenant, filing, no)
);

-- One per (attempt, holder): a late answer of a former holder stays as evidence beside the one that counted.
create table outcome (
  tenant text not null,
  filing uuid not null,
  no int not null,
  holder bigint not null,
  verdict text not null,
  code text not null,
  at timestamptz not null,
  ct bytea,
  counted boolean not null,
  primary key (tenant, filing, no, holder)
);

-- What automation may no longer touch, in its sealed envelope (the dead-letter queue).
create table exception (
  tenant text not null,
  filing uuid not null,
  n int not null,
  status text not null check (status in ('rejected', 'fallout')),
  reason text not null,
  -- When a send whose fate is unknown went out: a replay must ask first.
  unsettled jsonb,
  ct bytea not null,
  opened_at timestamptz not null,
  closed_at timestamptz,
  closed_by uuid,
  resolution text,
  primary key (tenant, filing, n),
  foreign key (tenant, filing) references envelope (tenant, id),
  foreign key (tenant, closed_by) references person (tenant, id)
);

create table outbox_event (
  tenant text not null,
  id uuid not null,
  type text not null,
  filing uuid not null,
  at timestamptz not null,
  delivered_at timestamptz,
  primary key (tenant, id)
);

-- Ledger ----------------------------------------------------------------------------------------------------------------

create table ledger_head (
  tenant text not null references tenant,
  boundary text not null check (boundary in
    ('ingestion', 'reconciliation', 'rules', 'reporting', 'fallback', 'filing', 'access', 'spine')),
  size bigint not null default 0,
  -- Roots of the perfect subtrees; with it appending costs two hashes.
  range bytea not null default '',
  last_leaf bytea,
  last_ts timestamptz,
  primary key (tenant, boundary)
);

create table ledger_intake (
  n bigserial,
  tenant text not null,
  boundary text not null,
  id uuid not null,
  at timestamptz not null,
  type text not null,
  subj_kind text not null,
  subj_id text not null,
  subj_ver int not null,
  actor_kind text not null,
  actor_id text not null,
  trace text not null,
  cls text not null default 'internal' check (cls in ('public', 'internal', 'confidential', 'privileged')),
  data jsonb not null,
  body jsonb,
  -- By log, so that an empty one is seen to be empty without stepping over the others' dead rows.
  primary key (tenant, boundary, n)
);

create table ledger_entry (
  tenant text not null,
  boundary text not null,
  seq bigint not null,
  id uuid not null,
  bytes bytea not null check (octet_length(bytes) <= 65535),
  leaf bytea not null check (octet_length(leaf) = 32),
  primary key (tenant, boundary, seq),
  constraint ledger_entry_once unique (tenant, boundary, id)
);

-- Keys: root key (outside) > tenant key > data key per subject and month. Only wrapped keys are stored.
create table ledger_tenant_key (
  tenant text not null references tenant,
  id text not null,
  wrapped bytea not null,
  created_at timestamptz not null default now(),
  primary key (tenant, id)
);

create table ledger_dek (
  tenant text not null,
  id text not null,
  subject text not null,
  month text not null check (month ~ '^\d{4}-\d{2}$'),
  wrapped bytea not null,
  created_at timestamptz not null default now(),
  primary key (tenant, id),
  constraint ledger_dek_subject unique (tenant, subject, month)
);

-- Sealed bodies, named by the hash of the sealed bytes. Written once, in the transaction of the fact they belong to.
create table ledger_blob (
  ct bytea primary key check (octet_length(ct) = 32),
  tenant text not null,
  boundary text not null,
  entry uuid not null,
  key text not null,
  bytes bytea not null
);
alter table ledger_blob alter column bytes set storage external;

-- Queues: rows that are claimed or taken leave dead entries at the head of an index, which every later look has to step
-- over. They are swept by number of rows, not by share of the table, and without pauses.
alter table filing set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0);
alter table ledger_intake set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0);

-- Walls -----------------------------------------------------------------------------------------------------------------

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are written once and never changed or removed', tg_table_name
    using errcode = 'restrict_violation';
end $$;

do $$
declare name text;
begin
  foreach name in array array['envelope', 'attempt', 'outcome', 'ledger_entry'] loop
    execute format('create trigger %I before update or delete on %I for each row execute function refuse_change()',
      name || '_once', name);
    execute format('create trigger %I before truncate on %I for each statement execute function refuse_change()',
      name || '_kept', name);
    -- ALWAYS: session_replication_role = replica must not switch the wall off.
    execute format('alter table %I enable always trigger %I', name, name || '_once');
    execute format('alter table %I enable always trigger %I', name, name || '_kept');
  end loop;
end $$;

-- The condition itself is the table of legal transitions (core/filing.ts), so a legal change costs no function call.
create function refuse_transition() returns trigger language plpgsql as $$
begin
  raise exception 'filing % may not go from % to %', old.id, old.status, new.status
    using errcode = 'restrict_violation';
end $$;

create trigger filing_transition before update on filing for each row
  when (old.status <> new.status and (old.status || '>' || new.status) not in (
    'pending>submitted', 'pending>fallout',
    'submitted>pending', 'submitted>accepted', 'submitted>rejected', 'submitted>fallout',
    'rejected>pending', 'rejected>accepted',
    'fallout>pending', 'fallout>accepted', 'fallout>rejected'))
  execute function refuse_transition();
alter table filing enable always trigger filing_transition;

create trigger proposal_stays before delete on proposal for each row execute function refuse_change();
create trigger proposal_kept before truncate on proposal for each statement execute function refuse_change();
alter table proposal enable always trigger proposal_stays;
alter table proposal enable always trigger proposal_kept;

create trigger filing_kept before delete on filing for each row execute function refuse_change();
alter table filing enable always trigger filing_kept;
