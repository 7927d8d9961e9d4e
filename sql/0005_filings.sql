-- Filings: batches, envelopes, where each filing stands, attempts and outcomes, exceptions and their review.

-- Batches ---------------------------------------------------------------------------------------------------------------

create table batch (
  tenant text not null references tenant,
  id uuid not null,
  source text not null,
  state text not null default 'open' check (state in ('open', 'frozen', 'approved', 'cancelled')),
  prepared_by uuid not null,
  prepared_at timestamptz not null default now(),
  count int,
  sha256 bytea,
  ver int not null default 1,
  primary key (tenant, id),
  foreign key (tenant, prepared_by) references person (tenant, id),
  constraint batch_frozen_has_hash check (state in ('open', 'cancelled') or (count is not null and sha256 is not null))
);

-- Where these lanes lead now, as a proposal to send names it.
create function destinations_of(tenant text, lanes text[]) returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(jsonb_build_object('lane', l.code, 'profile_sha256', encode(l.profile_sha256, 'hex'),
    'origin', l.origin) order by l.code collate "C"), '[]')
  from lane l where l.tenant = $1 and l.code = any ($2)
$$;

-- A batch is sent only as two people agreed: what was frozen when it was proposed, to where its lanes led then.
create function guard_batch() returns trigger language plpgsql as $$
begin
  if not exists (
    select 1 from proposal p where p.tenant = new.tenant and p.kind = 'batch' and p.subject = new.id::text
      and p.state = 'approved' and are_two_parties(p.tenant, p.decided_by, new.prepared_by)
      and p.terms::jsonb = jsonb_build_object('count', new.count, 'sha256', encode(new.sha256, 'hex'),
        'lanes', destinations_of(new.tenant, array(
          select distinct e.lane from envelope e where e.tenant = new.tenant and e.batch = new.id and not e.withdrawn)))
      -- Whoever asked something may approve without the answer; nobody else goes past the question.
      and not exists (select 1 from batch_question q where q.tenant = new.tenant and q.batch = new.id
        and q.answered_at is null and q.asked_by <> p.decided_by)) then
    raise exception 'batch % is not what two people have agreed to send', new.id
      using errcode = 'restrict_violation', constraint = 'batch_agreed';
  end if;
  return new;
end $$;
create trigger batch_guard before insert or update on batch for each row
  when (new.state = 'approved') execute function guard_batch();
alter table batch enable always trigger batch_guard;

-- It is opened, frozen and approved; whose it is never changes, and what was frozen stays what it was, unless its preparer takes
-- it back before anybody approved it (guard_batch_back). The condition itself is the rule.
create function refuse_batch() returns trigger language plpgsql as $$
begin
  raise exception 'batch % is opened, frozen and approved, each once, and nothing else of it ever changes', new.id
    using errcode = 'restrict_violation', constraint = 'batch_states';
end $$;
create trigger batch_begins_open before insert on batch for each row
  when (new.state <> 'open' or new.count is not null or new.sha256 is not null) execute function refuse_batch();
create trigger batch_goes_on before update on batch for each row
  when ((old.state || '>' || new.state) not in ('open>open', 'open>frozen', 'frozen>frozen', 'frozen>approved', 'approved>approved',
      'frozen>open', 'open>cancelled', 'approved>cancelled')
    or (new.tenant, new.id, new.source, new.prepared_by, new.prepared_at)
      is distinct from (old.tenant, old.id, old.source, old.prepared_by, old.prepared_at)
    or (old.state <> 'open' and new.state <> 'open' and (new.count, new.sha256) is distinct from (old.count, old.sha256))
    or (new.state = 'open' and (new.count, new.sha256) is distinct from (null::int, null::bytea)))
  execute function refuse_batch();
alter table batch enable always trigger batch_begins_open, enable always trigger batch_goes_on;

-- Taken back by its preparer alone while nobody has approved it, and while no proposal to send it is open: an approval of what it
-- was can then no longer be given. Cancelled when nothing of it is left.
create function guard_batch_back() returns trigger language plpgsql as $$
begin
  if (old.state = 'approved' or (new.prepared_by is not distinct from acting_person() and not exists (
      select 1 from proposal p where p.tenant = new.tenant and p.kind = 'batch' and p.subject = new.id::text
        and p.state in ('open', 'approved'))))
    and (new.state = 'open' or not exists (
      select 1 from envelope e where e.tenant = new.tenant and e.batch = new.id and not e.withdrawn)) then
    return new;
  end if;
  raise exception 'batch % goes back only by the hand of its preparer, before an approval, or when nothing of it is left', new.id
    using errcode = 'restrict_violation', constraint = 'batch_back';
end $$;
create trigger batch_goes_back before update on batch for each row
  when (new.state = 'cancelled' and old.state <> 'cancelled' or (old.state = 'frozen' and new.state = 'open'))
  execute function guard_batch_back();
alter table batch enable always trigger batch_goes_back;

-- What somebody who may approve a batch asked about it, and what was answered.
create table batch_question (
  tenant text not null,
  batch uuid not null,
  n int not null check (n >= 1),
  -- Null: about all of it.
  filing uuid,
  asked_by uuid not null,
  asked_at timestamptz not null default now(),
  question text not null check (question = btrim(question) and length(question) between 10 and 500),
  answered_by uuid,
  answered_at timestamptz,
  answer text check (answer = btrim(answer) and length(answer) between 10 and 500),
  primary key (tenant, batch, n),
  foreign key (tenant, batch) references batch (tenant, id),
  foreign key (tenant, asked_by) references person (tenant, id),
  foreign key (tenant, answered_by) references person (tenant, id),
  constraint batch_question_answered check (
    (answer is null) = (answered_by is null) and (answer is null) = (answered_at is null))
);
create index batch_question_open on batch_question (tenant, batch) where answered_at is null;
create trigger batch_question_asks before insert on batch_question for each row execute function guard_actor('asked_by');
create trigger batch_question_answers before update on batch_question for each row execute function guard_actor('answered_by');
create function guard_batch_question() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' and new.answered_at is null or tg_op = 'UPDATE' and old.answered_at is null
    and (new.tenant, new.batch, new.n, new.filing, new.asked_by, new.asked_at, new.question)
      is not distinct from (old.tenant, old.batch, old.n, old.filing, old.asked_by, old.asked_at, old.question) then
    return new;
  end if;
  raise exception 'question % about batch % is asked once and answered once', new.n, new.batch
    using errcode = 'restrict_violation', constraint = 'batch_question_once';
end $$;
create trigger batch_question_guard before insert or update on batch_question for each row execute function guard_batch_question();
alter table batch_question enable always trigger batch_question_asks, enable always trigger batch_question_answers,
  enable always trigger batch_question_guard;

-- The fees by payment rail that the second person saw; the hash and the count are in the proposal.
create table batch_approval (
  tenant text not null,
  batch uuid not null,
  fees jsonb not null check (jsonb_typeof(fees) = 'array'),
  primary key (tenant, batch),
  foreign key (tenant, batch) references batch (tenant, id)
);

-- Approvals that no longer count for the filings of a batch on a lane: what was approved before lets none of them go.
create table approval_void (
  tenant text not null,
  batch uuid not null,
  lane text not null,
  n int not null check (n >= 1),
  cause text not null check (cause in ('profile', 'expired', 'stopped')),
  filings int not null check (filings >= 1),
  at timestamptz not null default clock_timestamp(),
  primary key (tenant, batch, lane, n),
  foreign key (tenant, batch) references batch (tenant, id)
);

-- Filings ---------------------------------------------------------------------------------------------------------------

-- What is owed to whom by when. Changed only by a correction (guard_envelope).
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
  -- By a row of withdrawal, which comes first: nothing of it was ever sent, so that another filing may have its obligation and key.
  withdrawn boolean not null default false,
  primary key (tenant, id),
  foreign key (tenant, batch) references batch (tenant, id),
  foreign key (tenant, lane) references lane (tenant, code)
);
-- One filing per obligation: the same obligation with other content is a conflict, never a second filing.
create unique index envelope_obligation on envelope (tenant, obligation) where not withdrawn;
create unique index envelope_key on envelope (tenant, key) where not withdrawn;
-- Where a withdrawn one is looked for by its key, or what was owed is told with all that was ever made of it.
create index envelope_former on envelope (tenant, obligation) where withdrawn;

-- Nothing joins what was frozen: it would leave under an approval that nobody gave it. Asked once for each statement.
create function guard_envelope_joins() returns trigger language plpgsql as $$
declare
  closed uuid;
begin
  select b.id into closed from fresh f join batch b on b.tenant = f.tenant and b.id = f.batch and b.state <> 'open' limit 1;
  if found then
    raise exception 'batch % is frozen, and takes no more filings', closed
      using errcode = 'restrict_violation', constraint = 'envelope_joins_open';
  end if;
  return null;
end $$;
create trigger envelope_joins_open after insert on envelope referencing new table as fresh
  for each statement execute function guard_envelope_joins();
alter table envelope enable always trigger envelope_joins_open;

create index envelope_batch on envelope (tenant, batch);
-- The gate before a send asks when the same entity last filed the same kind on the lane.
create index envelope_entity on envelope (tenant, entity_id, filing_kind);

-- The steps of core/filing.ts, with their fields and no others: a worker could do nothing with another one but end.
create function is_step(step jsonb) returns boolean language plpgsql immutable as $$
begin
  return coalesce(case step->>'action'
    when 'send' then step = '{"action": "send"}'
    when 'resend' then jsonb_typeof(step->'firstSentAt') = 'number' and jsonb_typeof(step->'lastSentAt') = 'number'
      and step - '{action,firstSentAt,lastSentAt}'::text[] = '{}'
    when 'ask' then jsonb_typeof(step->'firstSentAt') = 'number' and jsonb_typeof(step->'lastSentAt') = 'number'
      and step->>'cause' in ('unknown', 'conflict', 'throttled')
      and jsonb_typeof(step->'unclear') = 'number' and jsonb_typeof(coalesce(step->'notFoundAt', '0')) = 'number'
      and step - '{action,cause,firstSentAt,lastSentAt,notFoundAt,unclear}'::text[] = '{}'
    when 'poll' then jsonb_typeof(step->'firstSentAt') = 'number' and jsonb_typeof(step->'lastSentAt') = 'number'
      and jsonb_typeof(step->'until') = 'number'
      and jsonb_typeof(step->'unclear') = 'number' and jsonb_typeof(coalesce(step->'submissionId', '""')) = 'string'
      and step - '{action,submissionId,firstSentAt,lastSentAt,until,unclear}'::text[] = '{}'
    else false end, false);
end $$;

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
  -- For which profile of its lane, and until when, two people have approved that it is sent.
  profile_n int,
  approved_until timestamptz,
  verdict text,
  code text,
  receipt text,
  -- The ledger's subject version; assigned while this row is locked, so that the order is right per filing.
  ver int not null default 1,
  exceptions int not null default 0,
  primary key (tenant, id),
  foreign key (tenant, id) references envelope (tenant, id),
  foreign key (tenant, lane) references lane (tenant, code),
  constraint filing_held_is_not_queued check (holder is null or next_at is null),
  constraint filing_end_has_no_step check ((status in ('accepted', 'rejected', 'fallout')) = (step is null)),
  constraint filing_accepted_has_receipt check (status <> 'accepted' or receipt is not null),
  -- Every statement that writes a filing reads this condition anew, so that it names what a first send passes through, and
  -- leaves the rest to a function that is called for the rest alone.
  constraint filing_step_known check (step is null or step = '{"action": "send"}' or is_step(step))
) with (fillfactor = 50);
create index filing_queue on filing (tenant, lane, last_safe, id) where next_at is not null;
create index filing_holder on filing (tenant, holder) where holder is not null;
create index filing_exception on filing (tenant, status, last_safe, id) where status in ('rejected', 'fallout');
-- What is not done, in the order of claiming: the forecast reads it every few minutes, and nothing of what is done.
create index filing_open on filing (tenant, lane, last_safe, id) where status <> 'accepted';
-- A queue: rows that are claimed leave dead entries at the head of an index, as those of ledger_intake do.
alter table filing set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0);

-- The condition itself is the table of legal transitions (core/filing.ts), so a legal change costs no function call.
create function refuse_transition() returns trigger language plpgsql as $$
begin
  raise exception 'filing % may not go from % to %', old.id, old.status, new.status
    using errcode = 'restrict_violation';
end $$;

create trigger filing_transition before update on filing for each row
  when (old.status <> new.status and (old.status || '>' || new.status) not in (
    'pending>submitted', 'pending>fallout', 'pending>rejected',
    'submitted>pending', 'submitted>accepted', 'submitted>rejected', 'submitted>fallout',
    'rejected>pending', 'rejected>accepted',
    'fallout>pending', 'fallout>accepted', 'fallout>rejected'))
  execute function refuse_transition();
alter table filing enable always trigger filing_transition;

-- What the second person left out when they approved the rest of a batch. It waits until an approval names it again.
create table held_back (
  tenant text not null,
  filing uuid not null,
  batch uuid not null,
  by_person uuid not null,
  at timestamptz not null default now(),
  reason text not null check (reason = btrim(reason) and length(reason) between 10 and 500),
  primary key (tenant, filing),
  foreign key (tenant, filing) references envelope (tenant, id),
  foreign key (tenant, batch) references batch (tenant, id),
  foreign key (tenant, by_person) references person (tenant, id)
);
create trigger held_back_actor before insert on held_back for each row execute function guard_actor('by_person');
create function guard_held_back() returns trigger language plpgsql as $$
begin
  if exists (select 1 from envelope e join batch b on b.tenant = e.tenant and b.id = e.batch and b.state = 'frozen'
    where e.tenant = new.tenant and e.id = new.filing and e.batch = new.batch and not e.withdrawn
      and are_two_parties(b.tenant, b.prepared_by, new.by_person)) then
    return new;
  end if;
  raise exception 'filing % is held back only by the second person, when the rest of its batch is approved', new.filing
    using errcode = 'restrict_violation', constraint = 'held_back_in_time';
end $$;
create trigger held_back_guard before insert on held_back for each row execute function guard_held_back();
alter table held_back enable always trigger held_back_actor, enable always trigger held_back_guard;

create function is_held_back(in_tenant text, in_filing uuid, in_batch uuid) returns boolean language sql stable as $$
  select exists (select 1 from held_back h where h.tenant = in_tenant and h.filing = in_filing and not exists (
    select 1 from proposal p where p.tenant = in_tenant and p.kind = 'release' and p.subject = in_batch::text
      and p.state = 'approved' and p.decided_at > h.at))
$$;

-- Nothing is sent that two people did not agree to. A filing waits unqueued until its batch is approved, and that is asked
-- when it joins the queue, once. Afterwards it is enough that whatever is claimed came out of the queue: the condition of
-- filing_claimed is the rule, so that a claim costs no function call.
create function guard_approved() returns trigger language plpgsql as $$
begin
  if not exists (
    select 1 from envelope e join batch b on b.tenant = e.tenant and b.id = e.batch and b.state = 'approved'
    where e.tenant = new.tenant and e.id = new.id and not is_held_back(e.tenant, e.id, e.batch)) then
    raise exception 'filing % is of a batch that is not approved, or was held back', new.id
      using errcode = 'restrict_violation', constraint = 'filing_approved';
  end if;
  return new;
end $$;
create trigger filing_begins before insert on filing for each row
  when (new.status <> 'pending' or new.attempt <> 0 or new.next_at is not null or new.holder is not null)
  execute function guard_approved();
create trigger filing_queued before update on filing for each row
  when (old.status = 'pending' and old.attempt = 0 and old.next_at is null
    and (new.next_at is not null or new.holder is not null))
  execute function guard_approved();
create function refuse_claim() returns trigger language plpgsql as $$
begin
  raise exception 'filing % may be claimed only out of the queue, with the next number of its attempts', old.id
    using errcode = 'restrict_violation', constraint = 'filing_claimed';
end $$;
create trigger filing_claimed before update on filing for each row
  when ((new.attempt <> old.attempt and (old.next_at is null or new.attempt <> old.attempt + 1))
    or (old.status = 'pending' and new.status = 'submitted' and new.attempt = old.attempt)
    or new.id <> old.id or new.tenant <> old.tenant or new.lane <> old.lane)
  execute function refuse_claim();

-- What was accepted stays as it was accepted, under a receipt that is this filing's; a person may name one that two share.
create function guard_receipt() returns trigger language plpgsql as $$
begin
  if old.status <> 'accepted' and exists (
    select 1 from receipt r where r.tenant = new.tenant and r.lane = new.lane and r.number = new.receipt
      and (r.filing = new.id or old.status <> 'submitted')) then
    return new;
  end if;
  -- A slip of the pen is corrected as two people agreed, and by nothing else.
  if old.status = 'accepted' and new.status = 'accepted' and exists (
    select 1 from receipt r where r.tenant = new.tenant and r.lane = new.lane and r.number = new.receipt and r.filing = new.id)
    and exists (
    select 1 from (
      select p.terms::jsonb as terms from proposal p
      where p.tenant = new.tenant and p.kind = 'hand' and p.subject = new.id::text and p.state = 'approved'
      order by p.n desc limit 1) last
    where last.terms->>'receipt' = new.receipt and last.terms->>'former_receipt' = old.receipt) then
    return new;
  end if;
  raise exception 'filing % may not have the receipt %: it is not on record as its own, or another one was accepted', new.id,
    new.receipt using errcode = 'restrict_violation', constraint = 'filing_receipt';
end $$;
create trigger filing_under_receipt before update on filing for each row
  when (new.status = 'accepted' and (old.status <> 'accepted' or new.receipt is distinct from old.receipt))
  execute function guard_receipt();
alter table filing enable always trigger filing_begins, enable always trigger filing_queued,
  enable always trigger filing_claimed, enable always trigger filing_under_receipt;

-- After a restored backup, a filing that is imported again may have been sent in the time that was lost.
create function ask_before_sending() returns trigger language plpgsql as $$
declare
  entered timestamptz;
begin
  select entered_at into entered from quarantine q
  where q.tenant = new.tenant and (q.state = 'in' or q.ask_new_until > now());
  if entered is not null and new.step->>'action' = 'send' then
    new.step := jsonb_build_object('action', 'ask', 'cause', 'unknown', 'firstSentAt', 0,
      'lastSentAt', floor(extract(epoch from entered) * 1000)::bigint, 'unclear', 0);
  end if;
  return new;
end $$;
create trigger filing_ask_first before insert on filing for each row execute function ask_before_sending();
alter table filing enable always trigger filing_ask_first;

create table attempt (
  tenant text not null,
  filing uuid not null,
  no int not null,
  id uuid not null,
  -- `file` and `look` are a person's, and their holder is 0: no worker has that number.
  action text not null check (action in ('send', 'resend', 'ask', 'poll', 'file', 'look')),
  holder bigint not null check ((holder = 0) = (action in ('file', 'look'))),
  intent_at timestamptz not null,
  primary key (tenant, filing, no),
  -- Not to filing: the row of a filing is locked by whoever claims it, and a late answer would wait there.
  foreign key (tenant, filing) references envelope (tenant, id)
);

-- One per (attempt, holder): a late answer of a former holder stays as evidence beside the one that counted.
-- Neither this nor receipt names its envelope by a foreign key: attempt does, and each further one took 11 us a row, 2 % of
-- a send, to lock an envelope that nobody can delete.
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
-- How long the lanes have taken lately.
create index outcome_recent on outcome (tenant, at) where counted;

-- A receipt is one filing's. Whoever comes with it second, on the same lane, has proven nothing.
create table receipt (
  tenant text not null,
  lane text not null,
  number text not null,
  filing uuid not null,
  -- What a person typed is one number in all its spellings (core/receipt-spelling.ts); what a program read has none.
  spelling text,
  primary key (tenant, lane, number)
);
create unique index receipt_spelled_once on receipt (tenant, lane, spelling) where spelling is not null;

-- It passes to another filing only when the one that had it has another number since: a slip that two people corrected.
create function guard_receipt_passes() returns trigger language plpgsql as $$
begin
  if (new.tenant, new.lane, new.number) = (old.tenant, old.lane, old.number) and ((new.filing = old.filing and new.spelling is distinct from old.spelling) or exists (
    select 1 from filing f where f.tenant = old.tenant and f.id = old.filing and f.status = 'accepted' and f.receipt <> old.number)) then
    return new;
  end if;
  raise exception 'receipt % is that of filing %', old.number, old.filing
    using errcode = 'restrict_violation', constraint = 'receipt_passes';
end $$;
create trigger receipt_passes before update on receipt for each row execute function guard_receipt_passes();
alter table receipt enable always trigger receipt_passes;

-- Review ----------------------------------------------------------------------------------------------------------------

-- What people do with exceptions. Whatever sends a filing again is a proposal of one person and an approval of another
-- (proposal), bound to a hash over what will run. The database lets a filing leave `rejected` or `fallout` only along a row in
-- these tables, so that a fault above it cannot send anything nobody approved.

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
  assigned_to uuid,
  closed_at timestamptz,
  closed_by uuid,
  resolution text,
  primary key (tenant, filing, n),
  foreign key (tenant, filing) references envelope (tenant, id),
  foreign key (tenant, closed_by) references person (tenant, id),
  constraint exception_assigned_to_person foreign key (tenant, assigned_to) references person (tenant, id)
);

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
  act text not null check (act in ('accepted_as_filed', 'rejected', 'assigned')),
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
  constraint review_act_assigned_to_person check ((act = 'assigned') = (to_person is not null))
);

-- A file proves one filing, however it came in.
create index review_act_proof on review_act (tenant, evidence_sha256) where act = 'accepted_as_filed';
create trigger review_act_actor before insert on review_act for each row execute function guard_actor('by_person');
alter table review_act enable always trigger review_act_actor;

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
  if tg_op = 'UPDATE' and new.withdrawn and not old.withdrawn and to_jsonb(new) - 'withdrawn' = to_jsonb(old) - 'withdrawn'
    and exists (select 1 from withdrawal w where w.tenant = new.tenant and w.filing = new.id) then
    return new;
  end if;
  raise exception 'rows of envelope are written once; only an approved correction adds a revision'
    using errcode = 'restrict_violation';
end $$;
create trigger envelope_once before update or delete on envelope for each row execute function guard_envelope();
create trigger envelope_kept before truncate on envelope for each statement execute function refuse_change();
alter table envelope enable always trigger envelope_once, enable always trigger envelope_kept;

-- A filing leaves a person's hands only by what a person has put on record. Ordinary ticks never meet the condition.
create function guard_review() returns trigger language plpgsql as $$
begin
  if new.status = 'pending' and exists (
    select 1 from review_item i
    join proposal p on p.tenant = i.tenant and p.id = i.proposal and p.state = 'approved'
    join envelope e on e.tenant = i.tenant and e.id = i.filing
    where i.tenant = old.tenant and i.filing = old.id and i.n = old.exceptions and i.action = new.step->>'action'
      and i.revision = e.revision and i.key = e.key and i.payload_sha256 = e.payload_sha256
      and new.approved_until = p.valid_until and exists (
        select 1 from lane l where l.tenant = new.tenant and l.code = new.lane and l.profile_n = new.profile_n
          and p.terms::jsonb->'lanes' @> destinations_of(new.tenant, array[new.lane]))) then
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

-- Withdrawn -------------------------------------------------------------------------------------------------------------

-- A filing that nobody ever sent, and nobody ever will. Before an approval its preparer alone says so, while the batch is open or
-- was taken back, or of what the second person left out; afterwards two people.
create table withdrawal (
  tenant text not null,
  filing uuid not null,
  by_person uuid not null,
  at timestamptz not null default clock_timestamp(),
  reason text not null check (reason = btrim(reason) and length(reason) between 10 and 500),
  -- Of kind cancel. Null: nobody had approved that it is sent.
  proposal uuid,
  -- The filing in its place, which comes with it.
  replaced_by uuid,
  -- The hash that was approved for the batch is over this filing too.
  covered boolean not null,
  primary key (tenant, filing),
  foreign key (tenant, filing) references envelope (tenant, id),
  foreign key (tenant, by_person) references person (tenant, id),
  foreign key (tenant, proposal) references proposal (tenant, id),
  constraint withdrawal_replaced foreign key (tenant, replaced_by) references envelope (tenant, id) deferrable initially deferred
);
create trigger withdrawal_actor before insert on withdrawal for each row execute function guard_actor('by_person');

-- The lock of the filing makes a claim that is under way wait, or come too late: exactly one of the two has it. What asks before
-- it is sent may have been sent in a time that was lost (ask_before_sending), so that its key is not free.
create function guard_withdrawal() returns trigger language plpgsql as $$
declare
  b batch;
begin
  select x.* into b from batch x where x.tenant = new.tenant
    and x.id = (select e.batch from envelope e where e.tenant = new.tenant and e.id = new.filing) for update;
  perform 1 from filing f where f.tenant = new.tenant and f.id = new.filing and f.status = 'pending' and f.attempt = 0
    and f.holder is null and f.step = '{"action": "send"}' for update;
  if found and (case
    when new.proposal is not null then b.state = 'approved' and exists (
      select 1 from proposal p where p.tenant = new.tenant and p.id = new.proposal and p.kind = 'cancel'
        and p.subject = b.id::text and p.state = 'approved' and p.decided_by = new.by_person)
    else new.by_person = b.prepared_by
      and (b.state = 'open' or (b.state = 'approved' and is_held_back(b.tenant, new.filing, b.id))) end) then
    new.covered := b.state = 'approved';
    return new;
  end if;
  raise exception 'filing % is not withdrawn: it was claimed, or it takes other people to say so', new.filing
    using errcode = 'restrict_violation', constraint = 'withdrawal_in_time';
end $$;
create trigger withdrawal_guard before insert on withdrawal for each row execute function guard_withdrawal();

-- What it means comes with the row, so that nobody can write the one without the other.
create function withdraw_filing() returns trigger language plpgsql as $$
begin
  update envelope set withdrawn = true where tenant = new.tenant and id = new.filing;
  update filing set status = 'rejected', step = null, next_at = null, profile_n = null, approved_until = null,
    verdict = 'withdrawn', code = 'WITHDRAWN', ver = ver + 1
  where tenant = new.tenant and id = new.filing;
  return null;
end $$;
create trigger withdrawal_withdraws after insert on withdrawal for each row execute function withdraw_filing();
alter table withdrawal enable always trigger withdrawal_actor, enable always trigger withdrawal_guard,
  enable always trigger withdrawal_withdraws;

create function guard_withdrawn() returns trigger language plpgsql as $$
begin
  if new.attempt = 0 and new.exceptions = 0 and exists (
    select 1 from withdrawal w where w.tenant = new.tenant and w.filing = new.id) then
    return new;
  end if;
  raise exception 'filing % may go from % to % only by a withdrawal that is on record', old.id, old.status, new.status
    using errcode = 'restrict_violation', constraint = 'filing_withdrawn';
end $$;
create trigger filing_withdrawn before update on filing for each row
  when (old.status = 'pending' and new.status = 'rejected') execute function guard_withdrawn();
alter table filing enable always trigger filing_withdrawn;

-- By hand ---------------------------------------------------------------------------------------------------------------

-- On a lane of people a filing is taken by one of them, for a time. The same statuses as everywhere: taking is the intent,
-- what the person says is the outcome, and a taking that ended without a word is an unknown outcome that somebody looks after.
create table taking (
  tenant text not null,
  filing uuid not null,
  -- Which attempt of the filing it is.
  no int not null,
  by_person uuid not null,
  taken_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  ended text check (ended in ('filed', 'refused', 'not_filed', 'unsure', 'lost')),
  primary key (tenant, filing, no),
  foreign key (tenant, filing) references envelope (tenant, id),
  foreign key (tenant, by_person) references person (tenant, id),
  constraint taking_ended_somehow check ((ended_at is null) = (ended is null))
);
-- Never two people on one filing.
create unique index taking_one_at_a_time on taking (tenant, filing) where ended_at is null;
create index taking_open on taking (tenant, expires_at) where ended_at is null;
create trigger taking_actor before insert on taking for each row execute function guard_actor('by_person');

-- A person looks away for longer than this, or goes home.
create function taking_longest() returns interval language sql immutable as $$ select interval '4 hours' $$;

-- Judged by the database's clock alone. Taken only out of the queue, while the word of two people stands; renewed only while it
-- lasts; ended once, by who has it, or as lost when its time is over.
create function guard_taking() returns trigger language plpgsql as $$
declare
  at timestamptz := clock_timestamp();
begin
  if tg_op = 'INSERT' then
    new.taken_at := at;
    if new.ended_at is null and new.expires_at > at and new.expires_at <= at + taking_longest() and exists (
      select 1 from filing f join lane l on l.tenant = f.tenant and l.code = f.lane and l.by_hand
      where f.tenant = new.tenant and f.id = new.filing and f.status = 'pending' and f.step->>'action' = 'send'
        and f.attempt + 1 = new.no and f.next_at <= at and f.profile_n = l.profile_n and f.approved_until > at)
      -- After a quarantine only questions go out until all are answered, by people too.
      and not exists (select 1 from quarantine q where q.tenant = new.tenant and (q.state = 'in' or q.settling)) then
      return new;
    end if;
    raise exception 'filing % is not free to be taken: it waits for an approval, for its first day, or another person has it', new.filing
      using errcode = 'restrict_violation', constraint = 'taking_free';
  end if;
  if old.ended_at is null
    and (new.tenant, new.filing, new.no, new.by_person, new.taken_at) = (old.tenant, old.filing, old.no, old.by_person, old.taken_at)
    and (case
      when new.ended = 'lost' then old.expires_at <= at and new.expires_at = old.expires_at
      when old.expires_at <= at or are_two_parties(old.tenant, old.by_person, acting_person()) or acting_person() is null then false
      when new.ended is null then new.expires_at between old.expires_at and at + taking_longest()
      else new.expires_at = old.expires_at end) then
    if new.ended is not null then
      new.ended_at := at;
    end if;
    return new;
  end if;
  raise exception 'the taking of filing % is renewed or ended only by the person who has it, and only while it lasts', old.filing
    using errcode = 'restrict_violation', constraint = 'taking_in_time';
end $$;
create trigger taking_guard before insert or update on taking for each row execute function guard_taking();
alter table taking enable always trigger taking_actor, enable always trigger taking_guard;

-- What somebody found who looked whether a filing of unknown fate is there. "Not there" proves nothing while the search of the
-- office may not show it yet.
create table look (
  tenant text not null,
  filing uuid not null,
  no int not null,
  by_person uuid not null,
  at timestamptz not null default clock_timestamp(),
  found boolean not null,
  place text not null check (length(place) between 3 and 200),
  looked_at timestamptz not null,
  primary key (tenant, filing, no),
  foreign key (tenant, filing) references envelope (tenant, id),
  foreign key (tenant, by_person) references person (tenant, id),
  constraint look_is_past check (looked_at <= at + interval '1 minute')
);
create trigger look_actor before insert on look for each row execute function guard_actor('by_person');
create function guard_look() returns trigger language plpgsql as $$
begin
  if exists (
      select 1 from filing f where f.tenant = new.tenant and f.id = new.filing and f.attempt + 1 = new.no
        and f.holder is null and f.next_at is not null and f.step->>'action' <> 'send')
    and (new.found or not exists (
      select 1 from taking t join filing f on f.tenant = t.tenant and f.id = t.filing
      join lane l on l.tenant = f.tenant and l.code = f.lane
      where t.tenant = new.tenant and t.filing = new.filing and (t.ended_at is null or new.looked_at <
        least(t.ended_at, t.expires_at) + coalesce((l.profile::jsonb->'byHand'->>'visibleAfterMs')::bigint, 0) * interval '1 millisecond'
        and t.ended <> 'not_filed'))) then
    return new;
  end if;
  raise exception 'filing % is not one to look for, or it was looked for too early to prove anything', new.filing
    using errcode = 'restrict_violation', constraint = 'look_proves';
end $$;
create trigger look_guard before insert on look for each row execute function guard_look();
alter table look enable always trigger look_actor, enable always trigger look_guard;

-- A filing goes into a person's hands and out of them only along these rows. A tick has a holder, and never meets a condition.
create function guard_hand() returns trigger language plpgsql as $$
begin
  if exists (select 1 from look k where k.tenant = new.tenant and k.filing = new.id and k.no = new.attempt)
    or exists (
      select 1 from taking t where t.tenant = new.tenant and t.filing = new.id and t.no = new.attempt
        and case when new.attempt <> old.attempt then t.ended_at is null else t.ended_at is not null and old.next_at is null end) then
    return new;
  end if;
  raise exception 'filing % is in a person''s hands, or goes there, without a row that says so', old.id
    using errcode = 'restrict_violation', constraint = 'filing_by_hand';
end $$;
create trigger filing_taken before update on filing for each row
  when (new.status = 'submitted' and new.holder is null and old.holder is null and new.attempt <> old.attempt)
  execute function guard_hand();
create trigger filing_put_down before update on filing for each row
  when (old.status = 'submitted' and old.holder is null and old.next_at is null and old.step->>'action' = 'send')
  execute function guard_hand();
-- What waits for a look leaves only by one: nothing else than a claim, or the end of an approval, touches it.
create trigger filing_looked_for before update on filing for each row
  when (old.status = 'submitted' and old.holder is null and old.next_at is not null and new.holder is null and new.status <> 'submitted')
  execute function guard_hand();
alter table filing enable always trigger filing_taken, enable always trigger filing_put_down, enable always trigger filing_looked_for;

-- The confirmation that came with an outcome: one file proves one filing, unless a person says that the office gave it for several.
create table confirmation (
  tenant text not null,
  filing uuid not null,
  no int not null,
  sha256 bytea not null check (octet_length(sha256) = 32),
  kind text not null check (kind in ('pdf', 'png', 'jpeg', 'mail')),
  bytes int not null check (bytes > 0),
  shared boolean not null,
  primary key (tenant, filing, no),
  foreign key (tenant, filing) references envelope (tenant, id)
);
create unique index confirmation_once on confirmation (tenant, sha256) where not shared;
create index confirmation_file on confirmation (tenant, sha256);

-- Walls -----------------------------------------------------------------------------------------------------------------

select keep_forever(name) from unnest(array['batch_approval', 'approval_void', 'attempt', 'outcome', 'review_item', 'review_act',
  'envelope_revision', 'look', 'confirmation', 'withdrawal', 'held_back']) name;
select keep_forever(name, may_change => true) from unnest(array['batch', 'batch_question', 'filing', 'taking', 'receipt'])
  name;
