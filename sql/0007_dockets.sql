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
  -- Who imported it; null where a program did. Nobody is the second docketer of what they docketed first.
  received_by uuid,
  -- What its dates are computed from beside what was read: readings that are in question, and the one that was agreed on.
  -- Made by docket_dating() alone; null while there is nothing but the first reading.
  dating jsonb,
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

-- The same event, received again with other content. Its dates count with those of the first, whichever is earlier, until two
-- people accept or refuse it. The sealed bytes are the body of its ledger entry.
create table docket_version (
  tenant text not null,
  docket text not null,
  -- The first version is the docket itself.
  n int not null check (n >= 2),
  source text not null check (length(source) between 1 and 500),
  payload_sha256 bytea not null check (octet_length(payload_sha256) = 32),
  payload_ct bytea not null,
  -- What was read of it.
  read jsonb not null,
  received_at timestamptz not null default now(),
  primary key (tenant, docket, n),
  foreign key (tenant, docket) references docket (tenant, id)
);

-- The second docketing: what another person read in the source, without having seen the first date.
create table docket_second (
  tenant text not null,
  docket text not null,
  by_person uuid not null,
  -- What the dates of it are computed from.
  event jsonb not null,
  given_at timestamptz not null default now(),
  -- Where the two differ, a third person says which one holds.
  decided_for text check (decided_for in ('first', 'second')),
  decided_by uuid,
  decision_reason text check (decision_reason = btrim(decision_reason) and length(decision_reason) between 10 and 500),
  decided_at timestamptz,
  primary key (tenant, docket),
  foreign key (tenant, docket) references docket (tenant, id),
  foreign key (tenant, by_person) references person (tenant, id),
  foreign key (tenant, decided_by) references person (tenant, id),
  constraint docket_second_decided check ((decided_for is null) = (decided_by is null)
    and (decided_for is null) = (decision_reason is null) and (decided_for is null) = (decided_at is null))
);

-- Who looked at a date that waits for its second docketing, and said so: they cannot give it any more.
create table docket_reveal (
  tenant text not null,
  docket text not null,
  person uuid not null,
  reason text not null check (reason = btrim(reason) and length(reason) between 10 and 500),
  at timestamptz not null default now(),
  primary key (tenant, docket, person),
  foreign key (tenant, docket) references docket (tenant, id),
  foreign key (tenant, person) references person (tenant, id)
);

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

-- Dates ----------------------------------------------------------------------------------------------------------------

-- Of what was read, what dates are computed from. Nothing of it says whose matter it is.
create function docket_basis(read jsonb) returns jsonb language sql immutable as $$
  select (read->'event') - array['applicationNumber', 'client', 'technologyGroup', 'matter', 'title', 'labels', 'unread']
$$;

-- All that is said of a docket's dates beside the first reading. Volatile, so that it sees what its transaction wrote.
create function docket_dating(in_tenant text, in_docket text) returns jsonb language sql volatile as $$
  with said as (
    select p.n, p.state, p.decided_at, p.terms::jsonb as terms from proposal p
    where p.tenant = in_tenant and p.kind = 'docket' and p.subject = in_docket and p.state in ('open', 'approved')
  ),
  second as (select * from docket_second s where s.tenant = in_tenant and s.docket = in_docket),
  agreed as (
    select event from (
      select terms->'event' as event, decided_at from said where state = 'approved' and terms ? 'event'
      union all
      select event, decided_at from second where decided_for = 'second'
    ) a order by decided_at desc limit 1
  ),
  also as (
    select 1 as part, v.n, 'version ' || v.n as why, docket_basis(v.read) as event from docket_version v
    where v.tenant = in_tenant and v.docket = in_docket and not exists (
      select 1 from said where state = 'approved' and (terms->>'version')::int = v.n)
    union all
    select 2, n, 'proposal ' || n, terms->'event' from said where state = 'open' and terms ? 'event'
    union all
    select 3, 1, 'second docketing', event from second where decided_for is null
  ),
  listed as (select jsonb_agg(jsonb_build_object('why', why, 'event', event) order by part, n) as also from also where event is not null)
  select nullif(jsonb_strip_nulls(jsonb_build_object('event', (select event from agreed), 'also', (select also from listed))), '{}')
$$;

-- By which names a person is known to the routing that holds: their own in the people file, and their teams'.
create function docket_parties(in_tenant text, in_person uuid) returns setof text language sql volatile as $$
  with people as (
    select d.body::jsonb as body from routing_setup s
      join routing_document d on d.tenant = s.tenant and d.kind = 'people' and d.version = s.people
    where s.tenant = in_tenant order by s.n desc limit 1
  ),
  own as (
    select e.key from people, jsonb_each(body->'persons') e, person p
    where p.tenant = in_tenant and p.id = in_person and (e.key = p.name or e.value->>'name' = p.name)
  )
  select key from own
  union
  select t.key from people, jsonb_each(coalesce(body->'teams', '{}')) t
  where exists (select 1 from own where t.value->'members' ? own.key)
$$;

-- The second docketer is of another party than the first, has never been sent the date, and has not asked to see it. Nor has
-- anybody of their party: a second key of the same human is not a second person.
create function guard_docket_second() returns trigger language plpgsql as $$
declare
  first uuid := (select received_by from docket where tenant = new.tenant and id = new.docket);
begin
  if tg_op = 'INSERT' then
    if new.by_person is distinct from acting_person() or new.decided_for is not null
      or not exists (select 1 from person_role r join person p on p.tenant = r.tenant and p.id = r.person
        where r.tenant = new.tenant and r.person = new.by_person and r.role = 'docketer' and r.taken_at is null
          and p.disabled_at is null)
      or (first is not null and not are_two_parties(new.tenant, first, new.by_person))
      or exists (select 1 from docket_reveal v where v.tenant = new.tenant and v.docket = new.docket
        and not are_two_parties(new.tenant, v.person, new.by_person))
      or exists (select 1 from docket_handoff h where h.tenant = new.tenant and h.docket = new.docket
        and h.party in (select docket_parties(new.tenant, new.by_person))) then
      raise exception 'docket % is docketed a second time by a docketer of another party, who has not seen the first date', new.docket
        using errcode = 'restrict_violation', constraint = 'docket_second_blind';
    end if;
    new.given_at := clock_timestamp();
    return new;
  end if;
  if old.decided_for is not null or new.decided_for is null
    or (new.tenant, new.docket, new.by_person, new.event, new.given_at)
      is distinct from (old.tenant, old.docket, old.by_person, old.event, old.given_at)
    or new.decided_by is distinct from acting_person()
    or not exists (select 1 from person_role r join person p on p.tenant = r.tenant and p.id = r.person
      where r.tenant = new.tenant and r.person = new.decided_by and r.role = 'docketer' and r.taken_at is null
        and p.disabled_at is null)
    or not are_two_parties(new.tenant, old.by_person, new.decided_by)
    or (first is not null and not are_two_parties(new.tenant, first, new.decided_by)) then
    raise exception 'the two docketings of % are decided once, by a third person', old.docket
      using errcode = 'restrict_violation', constraint = 'docket_second_third';
  end if;
  new.decided_at := clock_timestamp();
  return new;
end $$;
create trigger docket_second_guard before insert or update on docket_second
  for each row execute function guard_docket_second();
alter table docket_second enable always trigger docket_second_guard;
create trigger docket_reveal_actor before insert on docket_reveal for each row execute function guard_actor('person');
alter table docket_reveal enable always trigger docket_reveal_actor;

-- A version stays as it came in, until the key of its client is destroyed.
create function guard_docket_version() returns trigger language plpgsql as $$
begin
  if (new.tenant, new.docket, new.n, new.payload_sha256, new.payload_ct, new.received_at)
    is distinct from (old.tenant, old.docket, old.n, old.payload_sha256, old.payload_ct, old.received_at)
    or not new.read ? 'destroyed'
    or exists (select 1 from ledger_blob b where b.tenant = old.tenant and b.ct = old.payload_ct) then
    raise exception 'version % of docket % was received as it is, and stays so', old.n, old.docket
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger docket_version_received before update on docket_version
  for each row execute function guard_docket_version();
alter table docket_version enable always trigger docket_version_received;

create function guard_new_docket() returns trigger language plpgsql as $$
begin
  if new.dating is not null or (new.received_by is not null and new.received_by is distinct from acting_person()) then
    raise exception 'docket % begins with what was read, by the person who acts', new.id
      using errcode = 'restrict_violation', constraint = 'docket_begins';
  end if;
  return new;
end $$;
create trigger docket_begun before insert on docket for each row execute function guard_new_docket();
alter table docket enable always trigger docket_begun;

-- Walls -----------------------------------------------------------------------------------------------------------------

-- What came in stays as it came in, whatever a fault above the database tries, until the key of its client is destroyed: then
-- what was read of it goes, too. Only of a docket that is closed, whose sealed bytes are gone, and only to the row that says so.
create function guard_docket() returns trigger language plpgsql as $$
declare
  is_destroyed boolean := (new.docket, new.source, new.closing) is distinct from (old.docket, old.source, old.closing)
    and new.docket ? 'destroyed' and old.closed_at is not null
    and not exists (select 1 from ledger_blob b where b.tenant = old.tenant and b.ct = old.payload_ct);
begin
  if (new.tenant, new.id, new.message_id, new.content_type, new.payload_sha256, new.payload_ct, new.received_at, new.received_by)
    is distinct from (old.tenant, old.id, old.message_id, old.content_type, old.payload_sha256, old.payload_ct,
      old.received_at, old.received_by)
    or (not is_destroyed and (new.docket, new.source) is distinct from (old.docket, old.source)) then
    raise exception 'docket % was received as it is, and stays so', old.id using errcode = 'restrict_violation';
  end if;
  if new.dating is distinct from old.dating and new.dating is distinct from docket_dating(old.tenant, old.id) then
    raise exception 'docket % has its dates from what was read, and from what two people agreed to', old.id
      using errcode = 'restrict_violation', constraint = 'docket_dated';
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
-- as `held`); and what a broker alone confirmed is not confirmed when nobody takes it from that queue. A person may give away
-- what they have: then whoever gets it confirms anew.
create function refuse_docket_way() returns trigger language plpgsql as $$
begin
  raise exception 'docket % may not go from % % to % %', old.id, old.phase, old.tier, new.phase, new.tier
    using errcode = 'restrict_violation';
end $$;
create trigger docket_way before update on docket for each row
  when (
    (old.phase = 'confirmed' and new.phase <> 'confirmed' and (old.state->>'by') is distinct from old.target
      and not (new.state ? 'given'))
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

select keep_forever(name) from unnest(array['routing_document', 'routing_setup', 'docket_message', 'docket_reveal',
  'recovery_evidence']) name;
select keep_forever(name, may_change => true) from unnest(array['docket', 'docket_version', 'docket_second',
  'docket_handoff', 'docket_link', 'recovery_run', 'recovery_difference']) name;
