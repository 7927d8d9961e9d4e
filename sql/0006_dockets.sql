-- Dockets and their routing. A docket is one row: what was read of the event, where it stands on its way to somebody who
-- has it, and when it must be looked at again. Its exact bytes are the sealed body of its first ledger entry. The state is
-- the value that the rules of routing made (packs/patent/routing/state.ts); the columns beside it are copies of its parts,
-- for the index and for lists, written in the same statement.
-- Runs on PostgreSQL 14 and newer.

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
  primary key (tenant, kind, version)
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
  received_at timestamptz not null default now(),
  state jsonb not null,
  phase text not null check (phase in ('queued', 'sending', 'awaiting', 'manual', 'confirmed')),
  tier text not null check (tier in ('PRIMARY', 'SECONDARY', 'TERTIARY', 'MANUAL')),
  -- The target of the hop under way; null while none is chosen.
  target text,
  -- A trigger that was seen elsewhere and is to be applied at the next step.
  activation jsonb,
  -- When it must be looked at; null only for a docket that is closed, or confirmed and watched to its end.
  next_at timestamptz,
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
  primary key (tenant, source, message, sha256)
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
  attempt int not null check (attempt >= 1),
  -- Why the tier above was left, and the targets that were passed over in the same step.
  reason text,
  passed text[] not null default '{}',
  hop jsonb not null,
  dates jsonb not null,
  started_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  outcome text check (outcome in ('confirmed', 'sent', 'failed', 'unknown', 'denied', 'refused')),
  receipt text,
  evidence jsonb,
  -- Only for notices of the manual tier, which have no tier below them to fall to: when they are tried (again).
  retry_at timestamptz,
  primary key (tenant, docket, n),
  foreign key (tenant, docket) references docket (tenant, id),
  constraint docket_handoff_end check ((ended_at is null) = (outcome is null))
);
create index docket_handoff_retry on docket_handoff (tenant, retry_at) where retry_at is not null;
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

-- Shared by all processes; changed by compare-and-set on `ver`.
create table docket_breaker (
  tenant text not null references tenant,
  target text not null,
  state jsonb not null,
  ver int not null,
  -- Entries of this breaker in the log.
  log_ver int not null default 0,
  changed_at timestamptz not null default now(),
  primary key (tenant, target)
);

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
  next_at timestamptz,
  -- The one probe of a breaker that is not closed: whoever holds the lease runs it, by the database's clock.
  leased_by uuid,
  leased_until timestamptz,
  ver int not null default 1,
  primary key (tenant, id),
  constraint recovery_open_has_turn check (
    (phase in ('probing', 'checking')) = (next_at is not null))
);
create unique index recovery_one on recovery_run (tenant, target) where phase not in ('closed', 'abandoned');
create index recovery_due on recovery_run (tenant, next_at) where next_at is not null;

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

-- Walls ----------------------------------------------------------------------------------------------------------------

-- What came in stays as it came in, whatever a fault above the database tries.
create function guard_docket() returns trigger language plpgsql as $$
begin
  if (new.tenant, new.id, new.message_id, new.source, new.content_type, new.payload_sha256, new.payload_ct, new.docket,
      new.received_at)
    is distinct from (old.tenant, old.id, old.message_id, old.source, old.content_type, old.payload_sha256, old.payload_ct,
      old.docket, old.received_at) then
    raise exception 'docket % was received as it is, and stays so', old.id using errcode = 'restrict_violation';
  end if;
  if old.closed_at is not null and (new.closed_at, new.closed_by, new.closing)
    is distinct from (old.closed_at, old.closed_by, old.closing) then
    raise exception 'docket % is closed, and stays so', old.id using errcode = 'restrict_violation';
  end if;
  if new.ver < old.ver or new.access_ver < old.access_ver then
    raise exception 'docket % may only count up', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger docket_received before update on docket for each row execute function guard_docket();
alter table docket enable always trigger docket_received;

-- Confirmed is confirmed, and a docket only ever moves down the tiers until then.
create function refuse_docket_way() returns trigger language plpgsql as $$
begin
  raise exception 'docket % may not go from % % to % %', old.id, old.phase, old.tier, new.phase, new.tier
    using errcode = 'restrict_violation';
end $$;
create trigger docket_way before update on docket for each row
  when (
    (old.phase = 'confirmed' and new.phase <> 'confirmed') or (old.phase = 'manual' and new.phase not in ('manual', 'confirmed'))
    or (new.phase <> 'confirmed' and array_position(array['PRIMARY', 'SECONDARY', 'TERTIARY', 'MANUAL'], new.tier)
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

do $$
declare name text;
begin
  foreach name in array array['routing_document', 'routing_setup', 'docket_message', 'recovery_evidence'] loop
    execute format('create trigger %I before update or delete on %I for each row execute function refuse_change()',
      name || '_once', name);
    execute format('alter table %I enable always trigger %I', name, name || '_once');
  end loop;
  foreach name in array array['docket', 'docket_handoff', 'docket_link', 'docket_breaker', 'recovery_run',
    'recovery_difference'] loop
    execute format('create trigger %I before delete on %I for each row execute function refuse_change()',
      name || '_stays', name);
    execute format('alter table %I enable always trigger %I', name, name || '_stays');
  end loop;
  foreach name in array array['routing_document', 'routing_setup', 'docket', 'docket_message', 'docket_handoff',
    'docket_link', 'docket_breaker', 'recovery_run', 'recovery_evidence', 'recovery_difference'] loop
    execute format('create trigger %I before truncate on %I for each statement execute function refuse_change()',
      name || '_kept', name);
    execute format('alter table %I enable always trigger %I', name, name || '_kept');
  end loop;
end $$;
