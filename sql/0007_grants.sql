-- The grants pipeline: what each stage keeps, and the few tables through which one stage hands something to the next.
-- Which role may touch which of them is said in store/grants/walls.ts. Money is whole cents. Runs on PostgreSQL 14 and newer.

-- Ingestion -------------------------------------------------------------------------------------------------------------

-- One per document that was taken in whole; its id is the SHA-256 of its bytes. Written last, in the transaction of its
-- awards, so that a document that breaks at its end leaves nothing.
create table grant_document (
  tenant text not null references tenant,
  id text not null check (id ~ '^[0-9a-f]{64}$'),
  name text not null check (length(name) between 1 and 500),
  format text not null check (format in ('json', 'ndjson', 'csv', 'xml')),
  received_at timestamptz not null default now(),
  records int not null check (records >= 0),
  accepted int not null check (accepted >= 0),
  repeated int not null check (repeated >= 0),
  refused int not null check (refused >= 0),
  -- The exception that this document corrects.
  replaces uuid,
  primary key (tenant, id),
  constraint grant_document_adds_up check (records = accepted + repeated + refused)
);
create unique index grant_document_replaces on grant_document (tenant, replaces) where replaces is not null;

-- The stamp of an award (idempotency key, payload hash, time, mapping hash) and the figures that the walls need. Everything
-- else of it is sealed, in the log of ingestion and in grant_award_group.
create table grant_award (
  tenant text not null,
  key text not null,
  document text not null,
  ordinal int not null check (ordinal >= 1),
  line int not null,
  grp int not null,
  grantor text not null,
  -- Grantor, award number, year, day and reference: one award however many documents tell of it. Null without a number.
  identity bytea check (octet_length(identity) = 32),
  fiscal_year int not null,
  cents bigint not null check (cents >= 0),
  expected_on date,
  payload_sha256 bytea not null check (octet_length(payload_sha256) = 32),
  mapping_sha256 bytea check (octet_length(mapping_sha256) = 32),
  ingested_at timestamptz not null,
  replaces text,
  primary key (tenant, key),
  constraint grant_award_place unique (tenant, document, ordinal),
  constraint grant_award_identity unique (tenant, identity),
  foreign key (tenant, document) references grant_document (tenant, id) deferrable initially deferred
);
create index grant_award_grantor on grant_award (tenant, grantor);

-- The contract with the stages behind: accepted awards with stamp and mapping, sealed in groups.
create table grant_award_group (
  tenant text not null,
  document text not null,
  n int not null,
  awards int not null check (awards > 0),
  entry uuid not null,
  key text not null,
  bytes bytea not null,
  primary key (tenant, document, n),
  foreign key (tenant, document) references grant_document (tenant, id) deferrable initially deferred
);
alter table grant_award_group alter column bytes set storage external;

-- What any stage adds to the stamp of an award: never a change, always a further record that names the one before.
create table grant_metadata (
  tenant text not null,
  key text not null,
  -- The first record is the stamp itself, in grant_award.
  n int not null check (n >= 2),
  boundary text not null check (boundary in ('ingestion', 'reconciliation', 'rules', 'reporting', 'fallback')),
  compliance_state text not null,
  attempt_count int not null check (attempt_count >= 0),
  hash bytea not null check (octet_length(hash) = 32),
  previous_hash bytea not null check (octet_length(previous_hash) = 32),
  at timestamptz not null default now(),
  primary key (tenant, key, n),
  foreign key (tenant, key) references grant_award (tenant, key)
);

-- Fallback --------------------------------------------------------------------------------------------------------------

-- Where a stage leaves what it can no longer do; it cannot look at it again. The fallback takes it over into its own log.
create table grant_escalation (
  tenant text not null references tenant,
  id uuid not null,
  boundary text not null check (boundary in ('ingestion', 'reconciliation', 'rules', 'reporting')),
  at timestamptz not null default now(),
  key text not null,
  bytes bytea not null,
  primary key (tenant, id)
);

-- The compliance exception ledger (dead-letter queue). The envelope itself is the sealed body of the fallback's entry.
create table grant_exception (
  tenant text not null,
  id uuid not null,
  boundary text not null,
  award_key text not null,
  escalation_code text not null,
  violation_codes text[] not null,
  payload_sha256 bytea not null check (octet_length(payload_sha256) = 32),
  envelope_sha256 bytea not null check (octet_length(envelope_sha256) = 32),
  ct bytea not null check (octet_length(ct) = 32),
  opened_at timestamptz not null default now(),
  primary key (tenant, id),
  foreign key (tenant, id) references grant_escalation (tenant, id)
);

-- What may be proposed for an exception: to take in a corrected document, named by the SHA-256 of its bytes, to dismiss the
-- exception, or to end the award that it is about.
alter table proposal add constraint proposal_resolves check (kind <> 'exception' or (
  coalesce(terms::jsonb->>'resolution', '') in ('reingest', 'dismiss', 'cancel')
  and (terms::jsonb->>'resolution' = 'reingest') = (coalesce(terms::jsonb->>'document', '') ~ '^[0-9a-f]{64}$')
  and (terms::jsonb->>'resolution' <> 'cancel' or terms::jsonb->>'amends' is not null)));

-- A correction comes in only when two people have agreed to exactly these bytes.
create function guard_grant_document() returns trigger language plpgsql as $$
begin
  if not exists (
    select 1 from proposal p
    where p.tenant = new.tenant and p.kind = 'exception' and p.subject = new.replaces::text and p.state = 'approved'
      and p.terms::jsonb->>'resolution' = 'reingest' and p.terms::jsonb->>'document' = new.id) then
    raise exception 'document % corrects exception % without the approval of two people', new.id, new.replaces
      using errcode = 'restrict_violation', constraint = 'grant_document_approved';
  end if;
  return new;
end $$;
create trigger grant_document_guard before insert on grant_document for each row
  when (new.replaces is not null) execute function guard_grant_document();
alter table grant_document enable always trigger grant_document_guard;

-- Reconciliation --------------------------------------------------------------------------------------------------------

create table grant_feed (
  tenant text not null references tenant,
  id text not null check (id ~ '^[0-9a-f]{64}$'),
  name text not null check (length(name) between 1 and 500),
  format text not null,
  received_at timestamptz not null default now(),
  statements int not null check (statements >= 0),
  lines int not null check (lines >= 0),
  primary key (tenant, id)
);

create table grant_statement (
  tenant text not null,
  feed text not null,
  ordinal int not null,
  account text not null,
  currency text,
  number int,
  page int,
  from_day date not null,
  to_day date not null,
  opening_cents bigint,
  closing_cents bigint,
  primary key (tenant, feed, ordinal),
  foreign key (tenant, feed) references grant_feed (tenant, id) deferrable initially deferred
);
create index grant_statement_account on grant_statement (tenant, account, from_day);

-- Figures, number and place of a line, down to which every figure is traced; its texts are sealed in grant_line_group.
create table grant_line (
  tenant text not null,
  feed text not null,
  ordinal int not null check (ordinal >= 1),
  account text not null,
  booked_on date not null,
  cents bigint not null check (cents >= 0),
  currency text not null,
  direction text not null check (direction in ('credit', 'debit')),
  status text not null check (status in ('booked', 'pending', 'information')),
  native_id text,
  place int not null,
  primary key (tenant, feed, ordinal),
  foreign key (tenant, feed) references grant_feed (tenant, id) deferrable initially deferred
);

create table grant_line_group (
  tenant text not null,
  feed text not null,
  n int not null,
  lines int not null check (lines > 0),
  -- First and last booking day, so that what is settled long ago need not be opened again.
  from_day date not null,
  to_day date not null,
  ct bytea not null check (octet_length(ct) = 32),
  primary key (tenant, feed, n),
  foreign key (tenant, feed) references grant_feed (tenant, id) deferrable initially deferred
);

create table grant_period (
  tenant text not null references tenant,
  id uuid not null,
  account text not null,
  from_day date not null,
  to_day date not null check (to_day >= from_day),
  closed_at timestamptz not null default now(),
  closing_cents bigint,
  totals jsonb not null,
  totals_sha256 bytea not null check (octet_length(totals_sha256) = 32),
  primary key (tenant, id)
);
create index grant_period_account on grant_period (tenant, account, from_day);

-- How much the last matching matched of what is open; made anew by the next one.
create table grant_draft (
  tenant text not null primary key references tenant,
  matched int not null
);

-- Outcomes of a closed period, for ever.
create table grant_match (
  tenant text not null,
  id uuid not null,
  ordinal int not null,
  rule text not null,
  status text not null check (status in ('matched', 'ignored', 'netted')),
  repeats text,
  reason jsonb not null,
  period uuid not null,
  primary key (tenant, id),
  foreign key (tenant, period) references grant_period (tenant, id)
);
create index grant_match_period on grant_match (tenant, period);

-- Each line has one outcome: the key says so.
create table grant_match_line (
  tenant text not null,
  feed text not null,
  ordinal int not null,
  match uuid not null,
  primary key (tenant, feed, ordinal),
  foreign key (tenant, feed, ordinal) references grant_line (tenant, feed, ordinal),
  foreign key (tenant, match) references grant_match (tenant, id)
);
create index grant_match_line_match on grant_match_line (tenant, match);

-- Money is given for an award once.
create table grant_match_receipt (
  tenant text not null,
  award text not null,
  match uuid not null,
  primary key (tenant, award),
  foreign key (tenant, award) references grant_award (tenant, key),
  foreign key (tenant, match) references grant_match (tenant, id)
);
create index grant_match_receipt_match on grant_match_receipt (tenant, match);

-- What a person decided about a line that the rules could not.
create table grant_settlement (
  tenant text not null,
  feed text not null,
  ordinal int not null,
  n int not null,
  awards text[] not null,
  reason text not null check (length(reason) between 1 and 500),
  settled_by uuid not null,
  settled_at timestamptz not null default now(),
  primary key (tenant, feed, ordinal, n),
  foreign key (tenant, feed, ordinal) references grant_line (tenant, feed, ordinal),
  foreign key (tenant, settled_by) references person (tenant, id)
);

-- A threshold that the money of a year crossed, and the check that a person attached for it.
create table grant_crossing (
  tenant text not null references tenant,
  jurisdiction text not null,
  fiscal_year_end date not null,
  measure text not null,
  on_day date not null,
  by_award text not null,
  document jsonb not null,
  found_at timestamptz not null default now(),
  primary key (tenant, jurisdiction, fiscal_year_end)
);

create table grant_check (
  tenant text not null references tenant,
  id uuid not null,
  jurisdiction text not null,
  checked_on date not null,
  evidence text not null check (length(evidence) between 1 and 500),
  attached_by uuid not null,
  attached_at timestamptz not null default now(),
  primary key (tenant, id),
  foreign key (tenant, attached_by) references person (tenant, id)
);

create table grant_handoff (
  tenant text not null,
  period uuid not null,
  received int not null check (received >= 0),
  cents numeric not null,
  passed_at timestamptz not null default now(),
  primary key (tenant, period),
  foreign key (tenant, period) references grant_period (tenant, id)
);

-- The contract with rules and reporting: money that is matched, closed and handed off. An award is in it once.
create table grant_received (
  tenant text not null,
  award text not null,
  period uuid not null,
  received_on date not null,
  cents bigint not null check (cents >= 0),
  rule text not null,
  payload_sha256 bytea not null check (octet_length(payload_sha256) = 32),
  -- Lines of the bank: id, number, day, cents, feed and place.
  bank jsonb not null,
  primary key (tenant, award),
  foreign key (tenant, award) references grant_award (tenant, key),
  foreign key (tenant, period) references grant_handoff (tenant, period) deferrable initially deferred
);
create index grant_received_on on grant_received (tenant, received_on);

-- A closed period takes no more lines, and no period lies over another of its account.
create function guard_grant_line() returns trigger language plpgsql as $$
declare
  locked record;
begin
  -- Waits for a closing that is under way, and keeps the next one waiting; the look below then sees its period.
  perform pg_advisory_xact_lock_shared(hashtextextended('filewright.grants/' || f.tenant, 0))
  from (select tenant from fresh limit 1) f;
  select f.booked_on, f.account into locked from fresh f
  join grant_period p on p.tenant = f.tenant and p.account = f.account and f.booked_on between p.from_day and p.to_day
  limit 1;
  if found then
    raise exception 'the period of account % around % is closed', locked.account, locked.booked_on
      using errcode = 'restrict_violation', constraint = 'grant_period_closed';
  end if;
  return null;
end $$;
create trigger grant_line_guard after insert on grant_line referencing new table as fresh
  for each statement execute function guard_grant_line();
alter table grant_line enable always trigger grant_line_guard;

create function guard_grant_period() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('filewright.grants/' || new.tenant, 0));
  if exists (select 1 from grant_period p where p.tenant = new.tenant and p.account = new.account
    and p.from_day <= new.to_day and p.to_day >= new.from_day) then
    raise exception 'a period of account % within % to % is closed already', new.account, new.from_day, new.to_day
      using errcode = 'restrict_violation', constraint = 'grant_period_closed';
  end if;
  return new;
end $$;
create trigger grant_period_guard before insert on grant_period for each row execute function guard_grant_period();
alter table grant_period enable always trigger grant_period_guard;

-- Money goes on only when every threshold that was crossed up to then has its check.
create function guard_grant_handoff() returns trigger language plpgsql as $$
declare
  missing text;
begin
  select string_agg(c.jurisdiction, ', ' order by c.jurisdiction) into missing
  from grant_crossing c join grant_period p on p.tenant = new.tenant and p.id = new.period
  where c.tenant = new.tenant and c.on_day <= p.to_day
    and not exists (select 1 from grant_check k where k.tenant = c.tenant and k.jurisdiction = c.jurisdiction
      and k.checked_on >= c.on_day);
  if missing is not null then
    raise exception 'the registration check of % is not attached', missing
      using errcode = 'restrict_violation', constraint = 'grant_handoff_checked';
  end if;
  return new;
end $$;
create trigger grant_handoff_guard before insert on grant_handoff for each row execute function guard_grant_handoff();
alter table grant_handoff enable always trigger grant_handoff_guard;

-- Rules and reporting ---------------------------------------------------------------------------------------------------

create table grant_evaluation (
  tenant text not null references tenant,
  id uuid not null,
  evaluated_at timestamptz not null default now(),
  crossings int not null,
  obligations int not null,
  sha256 bytea not null check (octet_length(sha256) = 32),
  ct bytea not null check (octet_length(ct) = 32),
  primary key (tenant, id)
);

create table grant_report (
  tenant text not null references tenant,
  id uuid not null,
  kind text not null,
  from_day date not null,
  to_day date not null,
  figures int not null,
  sha256 bytea not null check (octet_length(sha256) = 32),
  ct bytea not null check (octet_length(ct) = 32),
  reported_at timestamptz not null default now(),
  primary key (tenant, id)
);

-- Walls -----------------------------------------------------------------------------------------------------------------

do $$
declare name text;
begin
  foreach name in array array['grant_document', 'grant_award', 'grant_award_group', 'grant_metadata', 'grant_escalation',
    'grant_exception', 'grant_feed', 'grant_statement', 'grant_line', 'grant_line_group',
    'grant_period', 'grant_match', 'grant_match_line', 'grant_match_receipt', 'grant_settlement', 'grant_crossing', 'grant_check', 'grant_handoff', 'grant_received',
    'grant_evaluation', 'grant_report'] loop
    execute format('create trigger %I before update or delete on %I for each row execute function refuse_change()',
      name || '_once', name);
    execute format('alter table %I enable always trigger %I', name, name || '_once');
  end loop;
  for name in select c.relname from pg_class c join pg_namespace s on s.oid = c.relnamespace
    where s.nspname = current_schema() and c.relkind = 'r' and c.relname like 'grant\_%' loop
    execute format('create trigger %I before truncate on %I for each statement execute function refuse_change()',
      name || '_kept', name);
    execute format('alter table %I enable always trigger %I', name, name || '_kept');
  end loop;
end $$;
