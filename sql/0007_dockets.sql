-- Dockets and their routing. A docket is one row: what was read of the event, where it stands on its way to somebody who
-- has it, and when it must be looked at again. Its exact bytes are the sealed body of its first ledger entry. The state is
-- the value that the rules of routing made (src/dockets/rules/routing/state.ts); the columns beside it are copies of its parts,
-- for the index and for lists, written in the same statement.

-- Who gets what --------------------------------------------------------------------------------------------------------

-- A document is known by the hash of its rules, so storing it twice changes nothing.
create table routing_document (
  tenant text not null references tenant,
  kind text not null check (kind in ('matrix', 'people')),
  version text not null check (version ~ '^[0-9a-f]{64}$'),
  title text not null check (length(title) between 1 and 500),
  body text not null check (length(body) between 1 and 4000000),
  stored_by text not null,
  stored_at timestamptz not null default now(),
  primary key (tenant, kind, version),
  -- Kept in canonical form, so that whoever approves a version has approved these bytes.
  constraint routing_document_hash check (version = encode(sha256(convert_to(body, 'UTF8')), 'hex'))
);

-- The last one holds. A matrix and the people it names are activated together: neither is sound without the other.
create table routing_setup (
  tenant text not null references tenant,
  n int not null check (n >= 1),
  matrix text not null,
  people text not null,
  matrix_kind text not null default 'matrix' check (matrix_kind = 'matrix'),
  people_kind text not null default 'people' check (people_kind = 'people'),
  activated_by text not null,
  activated_at timestamptz not null default now(),
  primary key (tenant, n),
  foreign key (tenant, matrix_kind, matrix) references routing_document (tenant, kind, version),
  foreign key (tenant, people_kind, people) references routing_document (tenant, kind, version)
);

-- Who gets which docket is what two people agreed to: the last proposal that was approved, made from the setup that it ends,
-- and so used once. An absence moves only the dockets of one person, at once; nothing else of the two documents may differ.
create function guard_routing_setup() returns trigger language plpgsql as $$
begin
  if new.activated_by is distinct from acting_person()::text then
    raise exception 'setup % names % as who activated it, and acting is %', new.n, new.activated_by,
      coalesce(acting_person()::text, 'nobody') using errcode = 'restrict_violation', constraint = 'acting_person';
  end if;
  if not exists (
      select 1 from (
        select p.terms::jsonb as terms from proposal p
        where p.tenant = new.tenant and p.kind = 'matrix' and p.subject = 'setup' and p.state = 'approved'
        order by p.n desc limit 1) last
      where last.terms = jsonb_build_object('matrix', new.matrix, 'people', new.people, 'based_on', new.n - 1))
    and not exists (
      select 1 from routing_setup before
        join routing_document was on was.tenant = new.tenant and was.kind = 'people' and was.version = before.people
        join routing_document will on will.tenant = new.tenant and will.kind = 'people' and will.version = new.people
      where before.tenant = new.tenant and before.n = new.n - 1 and before.matrix = new.matrix
        and was.body::jsonb - 'absences' = will.body::jsonb - 'absences') then
    raise exception 'setup % may only be what two people have agreed, or an absence', new.n
      using errcode = 'restrict_violation', constraint = 'routing_agreed';
  end if;
  return new;
end $$;
create trigger routing_setup_guard before insert on routing_setup for each row execute function guard_routing_setup();
alter table routing_setup enable always trigger routing_setup_guard;

-- The law that open dockets were last dated by; when it is another one, each of them is looked at anew.
create table routing_law (
  tenant text primary key references tenant,
  version text not null,
  changed_at timestamptz not null default now()
);

-- Dockets --------------------------------------------------------------------------------------------------------------

create table docket (
  tenant text not null references tenant,
  id text not null check (length(id) between 1 and 200),
  -- Receivers deduplicate by it: one per event, the same in every attempt and tier.
  message_id text not null,
  source text not null check (length(source) between 1 and 500),
  content_type text not null check (length(content_type) between 1 and 200),
  payload_sha256 bytea not null check (octet_length(payload_sha256) = 32),
  payload_ct bytea not null,
  -- What was read of the event.
  docket jsonb not null,
  -- What the law says is one event, in one spelling: a digest over office, number, event and day, made by the rules.
  identity text not null check (length(identity) between 1 and 200),
  received_at timestamptz not null default now(),
  state jsonb not null,
  phase text not null check (phase in ('queued', 'sending', 'awaiting', 'manual', 'confirmed')),
  tier text not null check (tier in ('PRIMARY', 'SECONDARY', 'TERTIARY', 'MANUAL')),
  -- The target of the hop under way; null while none is chosen.
  target text,
  -- What the assignment table said before the first handoff; null where none was asked. A question without an answer is over
  -- when the docket's next moment has come.
  assignment jsonb,
  -- A trigger that was seen elsewhere and is to be applied at the next step.
  activation jsonb,
  -- When it must be looked at; null only for a docket that is closed, or confirmed and watched to its end.
  next_at timestamptz,
  -- The due day as last computed, null where none is known: what is due at one moment has its turn in this order.
  due_on text,
  closed_at timestamptz,
  closed_by text,
  closing jsonb,
  -- The entries of this docket in the logs `filing` and `access`.
  ver int not null default 1,
  access_ver int not null default 0,
  handoffs int not null default 0,
  primary key (tenant, id),
  constraint docket_one_message unique (tenant, message_id),
  constraint docket_open_is_watched check (next_at is not null or phase = 'confirmed' or closed_at is not null),
  constraint docket_closed_by_person check ((closed_at is null) = (closed_by is null) and (closed_at is null) = (closing is null))
);
create index docket_due on docket (tenant, next_at) where next_at is not null;
create index docket_target on docket (tenant, target) where closed_at is null and phase <> 'confirmed';
create index docket_open on docket (tenant, received_at) where closed_at is null;
-- Dockets that wait for people are looked for by the target that came back.
create index docket_manual on docket (tenant) where phase = 'manual' and closed_at is null;
-- One event is one docket, however its number is written.
create unique index docket_one_event on docket (tenant, identity);
-- Nearly every step changes an indexed column; without room on the page the table grows with each.
alter table docket set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- Messages of brokers that have been committed. The same id with other bytes is no repeat.
create table docket_message (
  tenant text not null references tenant,
  source text not null,
  message text not null,
  sha256 bytea not null check (octet_length(sha256) = 32),
  outcome text not null check (outcome in ('created', 'unchanged', 'conflict', 'set_aside')),
  docket text,
  at timestamptz not null default now(),
  primary key (tenant, source, message, sha256),
  foreign key (tenant, docket) references docket (tenant, id)
);

-- One attempt to hand a docket over. Written with the intent, completed with the outcome; without an end nobody knows
-- whether it arrived. Those below PRIMARY are the fallback log.
create table docket_handoff (
  tenant text not null,
  docket text not null,
  n int not null,
  handoff text not null,
  tier text not null check (tier in ('PRIMARY', 'SECONDARY', 'TERTIARY', 'MANUAL')),
  target text not null,
  party text not null,
  -- A letter of the manual tier waits for others that go to the same mailbox; until it is sent, nothing was tried.
  attempt int not null check (attempt >= 0),
  -- Why the tier above was left, and the targets that were passed over in the same step.
  reason text,
  passed text[] not null default '{}',
  hop jsonb not null,
  dates jsonb not null,
  started_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  -- An attempt that could not be made is none, and a message that cannot be written is no failure of its target.
  outcome text check (
    outcome in ('confirmed', 'sent', 'failed', 'unknown', 'denied', 'refused', 'unsendable', 'not_made')),
  receipt text,
  evidence jsonb,
  primary key (tenant, docket, n),
  foreign key (tenant, docket) references docket (tenant, id),
  constraint docket_handoff_end check ((ended_at is null) = (outcome is null))
);
create index docket_handoff_recent on docket_handoff (tenant, started_at);

-- What a link in a notice stands for. Acknowledged once, by the first.
create table docket_link (
  tenant text not null,
  reference text not null check (reference ~ '^[0-9a-f]{32}$'),
  docket text not null,
  handoff text not null,
  party text not null,
  expires_at timestamptz not null,
  acknowledged_at timestamptz,
  acknowledged_by text,
  primary key (tenant, reference),
  constraint docket_link_once unique (tenant, handoff),
  foreign key (tenant, docket) references docket (tenant, id),
  constraint docket_link_acknowledged check ((acknowledged_at is null) = (acknowledged_by is null))
);

-- Targets and queues ---------------------------------------------------------------------------------------------------

-- The last reading of each queue, and the newest of them before a failure is its baseline.
create table queue_reading (
  tenant text not null references tenant,
  queue text not null,
  -- The target that the queue leads to; null for our own and for intakes.
  target text,
  at timestamptz not null default now(),
  backlog bigint,
  lag_ms bigint,
  evidence jsonb not null,
  triggers jsonb not null,
  primary key (tenant, queue)
);

-- Recovery -------------------------------------------------------------------------------------------------------------

-- When a run has its turn, and who has it, is in the work that has the run's id.
create table recovery_run (
  tenant text not null references tenant,
  id uuid not null,
  target text not null,
  started_at timestamptz not null default now(),
  -- Whether it closes the breaker by itself.
  mode text not null check (mode in ('automatic', 'by_hand')),
  baseline jsonb not null,
  state jsonb not null,
  phase text not null check (phase in ('probing', 'checking', 'awaiting_approval', 'closed', 'abandoned')),
  ver int not null default 1,
  primary key (tenant, id)
);
create unique index recovery_one on recovery_run (tenant, target) where phase not in ('closed', 'abandoned');

-- Started by a person, it gets to its test record and its end only as two people have agreed.
create function guard_recovery_run() returns trigger language plpgsql as $$
begin
  perform require_recovery_agreed(old.tenant, old.id::text);
  return new;
end $$;
create trigger recovery_agreed before update on recovery_run for each row
  when (old.mode = 'by_hand' and (new.mode <> 'by_hand' or new.phase = 'closed' or new.state->>'step' = 'synthetic'))
  execute function guard_recovery_run();
alter table recovery_run enable always trigger recovery_agreed;

create table recovery_evidence (
  tenant text not null,
  run uuid not null,
  n int not null,
  step text not null check (step in ('health', 'schema', 'drain', 'reconciliation', 'approval', 'synthetic', 'closed')),
  verdict text not null check (verdict in ('good', 'wait', 'bad')),
  at timestamptz not null default clock_timestamp(),
  by text not null,
  evidence jsonb not null,
  primary key (tenant, run, n),
  foreign key (tenant, run) references recovery_run (tenant, id)
);

-- What the fallback log and the primary docket database do not agree about.
create table recovery_difference (
  tenant text not null,
  run uuid not null,
  docket text not null,
  kind text not null check (kind in ('missing', 'differs', 'twice', 'unconfirmed', 'manual')),
  flag text not null default 'MANUAL_ESCALATION_REQUIRED' check (flag = 'MANUAL_ESCALATION_REQUIRED'),
  found_at timestamptz not null default now(),
  review_by timestamptz not null,
  evidence jsonb not null,
  -- How often its clock has run out and somebody was told.
  overdue int not null default 0,
  reviewed_at timestamptz,
  reviewed_by text,
  primary key (tenant, run, docket, kind),
  foreign key (tenant, run) references recovery_run (tenant, id),
  foreign key (tenant, docket) references docket (tenant, id),
  constraint recovery_difference_reviewed check ((reviewed_at is null) = (reviewed_by is null))
);
create index recovery_difference_open on recovery_difference (tenant, review_by) where reviewed_at is null;
create index recovery_difference_docket on recovery_difference (tenant, docket);

-- Walls -----------------------------------------------------------------------------------------------------------------

-- What came in stays as it came in, whatever a fault above the database tries, until the key of its client is destroyed: then
-- what was read of it goes, too. Only of a docket that is closed, whose sealed bytes are gone, and only to the row that says so.
create function guard_docket() returns trigger language plpgsql as $$
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
create trigger docket_received before update on docket for each row execute function guard_docket();
alter table docket enable always trigger docket_received;

-- Given once. Another identity would let the same event in again.
create function guard_docket_identity() returns trigger language plpgsql as $$
begin
  raise exception 'docket % has its identity, and keeps it', old.id using errcode = 'restrict_violation';
end $$;
create trigger docket_identified before update on docket for each row
  when (new.identity <> old.identity)
  execute function guard_docket_identity();
alter table docket enable always trigger docket_identified;

-- A docket only ever moves down the tiers until it is confirmed, and confirmed is confirmed. But for two things: while
-- nobody has acted, a target that is well again takes it from the people who wait for it (its state keeps what they know
-- as `held`); and what a broker alone confirmed is not confirmed when nobody takes it from that queue.
create function refuse_docket_way() returns trigger language plpgsql as $$
begin
  raise exception 'docket % may not go from % % to % %', old.id, old.phase, old.tier, new.phase, new.tier
    using errcode = 'restrict_violation';
end $$;
create trigger docket_way before update on docket for each row
  when (
    (old.phase = 'confirmed' and new.phase <> 'confirmed' and (old.state->>'by') is distinct from old.target)
    or (old.phase = 'manual' and new.phase not in ('manual', 'confirmed') and not (new.state ? 'held'))
    or (new.phase <> 'confirmed' and not (old.phase = 'manual' and new.state ? 'held')
      and array_position(array['PRIMARY', 'SECONDARY', 'TERTIARY', 'MANUAL'], new.tier)
        < array_position(array['PRIMARY', 'SECONDARY', 'TERTIARY', 'MANUAL'], old.tier)))
  execute function refuse_docket_way();
alter table docket enable always trigger docket_way;

-- An outcome is told once.
create function refuse_second_end() returns trigger language plpgsql as $$
begin
  raise exception 'handoff % of docket % has ended', old.n, old.docket using errcode = 'restrict_violation';
end $$;
create trigger docket_handoff_ended before update on docket_handoff for each row
  when (old.ended_at is not null and (old.ended_at, old.outcome, old.receipt)
    is distinct from (new.ended_at, new.outcome, new.receipt))
  execute function refuse_second_end();
alter table docket_handoff enable always trigger docket_handoff_ended;

select keep_forever(name) from unnest(array['routing_document', 'routing_setup', 'docket_message', 'recovery_evidence']) name;
select keep_forever(name, may_change => true) from unnest(array['docket', 'docket_handoff', 'docket_link',
  'recovery_run', 'recovery_difference']) name;
