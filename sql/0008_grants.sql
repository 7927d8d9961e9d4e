-- The grants pipeline: what each stage keeps, and the few tables through which one stage hands something to the next.
-- Which role may touch which of them is said in src/postgres/grant-walls.ts. Money is whole cents.

-- Ingestion -------------------------------------------------------------------------------------------------------------

-- One per document that was taken in whole; its id is the SHA-256 of its bytes. Written last, in the transaction of its
-- awards, so that a document that breaks at its end leaves nothing.
create table grant_document (
  tenant text not null references tenant,
  id text not null check (id ~ '^[0-9a-f]{64}$'),
  name text not null check (length(name) between 1 and 500),
  format text not null check (format in ('json', 'ndjson', 'csv', 'xml', 'table')),
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
  -- Several records of one award, one in place of the other: only the last stands.
  generation int not null default 0 check (generation >= 0),
  primary key (tenant, key),
  constraint grant_award_place unique (tenant, document, ordinal),
  constraint grant_award_identity unique (tenant, identity, generation),
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
  -- Which award it is about to replace or to end; null for one that is no word about an award that stands.
  amends text,
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

-- One amendment of an award at a time: of two that wait, the second could never be taken in.
create unique index proposal_amends on proposal (tenant, (terms::jsonb->>'amends'))
  where kind = 'exception' and terms::jsonb->>'amends' is not null and state in ('open', 'approved');

-- An award that no longer stands: what came in its place, or nothing where it was cancelled. Once for each award.
create table grant_award_end (
  tenant text not null,
  award text not null,
  exception uuid not null,
  by_award text,
  withdrawn_at timestamptz not null default now(),
  primary key (tenant, award),
  foreign key (tenant, award) references grant_award (tenant, key),
  foreign key (tenant, by_award) references grant_award (tenant, key) deferrable initially deferred,
  constraint grant_award_end_of_another check (by_award <> award)
);
create unique index grant_award_end_by on grant_award_end (tenant, by_award) where by_award is not null;

create function guard_grant_award_end() returns trigger language plpgsql as $$
begin
  if not exists (
    select 1 from proposal p
    where p.tenant = new.tenant and p.kind = 'exception' and p.subject = new.exception::text and p.state = 'approved'
      and p.terms::jsonb->>'amends' = new.award
      and p.terms::jsonb->>'resolution' = case when new.by_award is null then 'cancel' else 'reingest' end) then
    raise exception 'award % is amended or cancelled without the approval of two people', new.award
      using errcode = 'restrict_violation', constraint = 'grant_award_end_approved';
  end if;
  return new;
end $$;
create trigger grant_award_end_guard before insert on grant_award_end for each row
  execute function guard_grant_award_end();
alter table grant_award_end enable always trigger grant_award_end_guard;

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
  -- The bank's own name of the statement; pages of one statement share it.
  statement_id text,
  -- camt allows numbers of 15 digits.
  number bigint,
  page int,
  page_before boolean not null default false,
  page_after boolean not null default false,
  from_day date not null,
  to_day date not null,
  opening_cents bigint,
  closing_cents bigint,
  -- What it says of itself and its lines do not show.
  doubt text,
  primary key (tenant, feed, ordinal),
  foreign key (tenant, feed) references grant_feed (tenant, id) deferrable initially deferred
);
create index grant_statement_account on grant_statement (tenant, account, from_day);

-- Figures, number and place of a line, down to which every figure is traced; its texts are sealed in grant_line_group.
create table grant_line (
  tenant text not null,
  feed text not null,
  ordinal int not null check (ordinal >= 1),
  -- The ordinal of its statement in the feed; null for lines that were taken in before this was kept.
  statement int,
  account text not null,
  booked_on date not null,
  cents bigint not null check (cents >= 0),
  currency text not null,
  direction text not null check (direction in ('credit', 'debit')),
  status text not null check (status in ('booked', 'pending', 'information')),
  native_id text,
  place int not null,
  -- A hint (intraday, clearing, pending): it is never money of its own.
  announced boolean not null default false,
  -- Its period was closed when it came. It is a second delivery of what was closed, or a question to a person.
  late boolean not null default false,
  primary key (tenant, feed, ordinal),
  foreign key (tenant, feed) references grant_feed (tenant, id) deferrable initially deferred
);
create index grant_line_late on grant_line (tenant, feed) where late;

create table grant_line_group (
  tenant text not null,
  feed text not null,
  n int not null,
  lines int not null check (lines > 0),
  announced int not null default 0 check (announced >= 0),
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

-- What one booking brought to one award, frozen with its period. The sum of an award's parts is what it has received.
create table grant_match_part (
  tenant text not null,
  match uuid not null,
  award text not null,
  feed text not null,
  ordinal int not null,
  -- Before what a bank on the way kept; below zero where money was taken back.
  cents bigint not null check (cents <> 0),
  fee_cents bigint not null default 0,
  -- Goods and services, which come with the first payment.
  goods_cents bigint not null default 0 check (goods_cents >= 0),
  -- The line of the payment that this one takes back, where it is known.
  takes_back text,
  primary key (tenant, match, award, feed, ordinal),
  foreign key (tenant, match) references grant_match (tenant, id),
  foreign key (tenant, award) references grant_award (tenant, key)
);
create index grant_match_part_award on grant_match_part (tenant, award);

-- What a person decided about a line that the rules could not.
create table grant_resolution (
  tenant text not null,
  feed text not null,
  ordinal int not null,
  n int not null,
  awards text[] not null,
  -- What the bank kept of the payment, as the person says.
  fee_cents bigint not null default 0 check (fee_cents >= 0),
  -- One booked sum for several gifts: what each award has of it, and what they leave. While the rest is open nothing of the
  -- line counts; otherwise the rest pays none of the awards. As many as the awards, in their order; null where one award has
  -- whatever the line brings, and where none has anything.
  cents bigint[],
  rest_cents bigint not null default 0 check (rest_cents >= 0),
  rest_open boolean not null default false,
  -- A word that takes an earlier one back, by its number: then what was said before that one counts again.
  undoes int,
  reason text not null check (length(reason) between 1 and 500),
  resolved_by uuid not null,
  resolved_at timestamptz not null default now(),
  primary key (tenant, feed, ordinal, n),
  constraint grant_resolution_undo check (undoes is null or (undoes < n and cardinality(awards) = 0 and fee_cents = 0
    and cents is null and rest_cents = 0)),
  constraint grant_resolution_undone foreign key (tenant, feed, ordinal, undoes)
    references grant_resolution (tenant, feed, ordinal, n),
  constraint grant_resolution_each check (cents is null or cardinality(cents) = cardinality(awards)),
  constraint grant_resolution_rest check (rest_cents = 0 or (cents is not null and cardinality(cents) > 0)),
  constraint grant_resolution_open check (not rest_open or rest_cents > 0),
  foreign key (tenant, feed, ordinal) references grant_line (tenant, feed, ordinal),
  foreign key (tenant, resolved_by) references person (tenant, id)
);

create unique index grant_resolution_undone_once on grant_resolution (tenant, feed, ordinal, undoes)
  where undoes is not null;

-- What is closed stays as it was closed: nothing more is said of its lines, and nothing is taken back. An undo
-- undoes a word, never another undo.
create function guard_grant_resolution() returns trigger language plpgsql as $$
begin
  if exists (select 1 from grant_match_line x
    where x.tenant = new.tenant and x.feed = new.feed and x.ordinal = new.ordinal) then
    raise exception 'the period of line %#% is closed', new.feed, new.ordinal
      using errcode = 'restrict_violation', constraint = 'grant_resolution_closed';
  end if;
  if exists (select 1 from grant_resolution r where r.tenant = new.tenant and r.feed = new.feed
    and r.ordinal = new.ordinal and r.n = new.undoes and r.undoes is not null) then
    raise exception 'line %#%: an undo cannot be undone', new.feed, new.ordinal
      using errcode = 'restrict_violation', constraint = 'grant_resolution_undo_of_word';
  end if;
  return new;
end $$;
create trigger grant_resolution_guard before insert on grant_resolution for each row
  execute function guard_grant_resolution();
alter table grant_resolution enable always trigger grant_resolution_guard;

-- What a person read from the bank where no feed says it; the last word about a day counts until its period is closed.
create table grant_balance (
  tenant text not null references tenant,
  account text not null check (length(account) between 1 and 100),
  on_day date not null,
  n int not null check (n >= 1),
  cents bigint not null,
  reason text not null check (length(reason) between 1 and 500),
  stated_by uuid not null,
  stated_at timestamptz not null default now(),
  primary key (tenant, account, on_day, n),
  foreign key (tenant, stated_by) references person (tenant, id)
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

create table grant_release (
  tenant text not null,
  period uuid not null,
  received int not null check (received >= 0),
  cents numeric not null,
  released_at timestamptz not null default now(),
  primary key (tenant, period),
  foreign key (tenant, period) references grant_period (tenant, id)
);

-- The contract with rules and reporting: money that is matched, closed and released. A booking
-- by itself: its own day, what it brought, what the bank kept of it, and which payment it takes back.
create table grant_received (
  tenant text not null,
  award text not null,
  period uuid not null,
  feed text not null,
  ordinal int not null,
  received_on date not null,
  cents bigint not null check (cents <> 0),
  fee_cents bigint not null default 0,
  -- Null in what was released before: then the award's own document says it.
  goods_cents bigint,
  takes_back text,
  rule text not null,
  payload_sha256 bytea not null check (octet_length(payload_sha256) = 32),
  -- Lines of the bank: id, number, day, cents, feed and place.
  bank jsonb not null,
  primary key (tenant, award, period, feed, ordinal),
  foreign key (tenant, award) references grant_award (tenant, key),
  foreign key (tenant, period) references grant_release (tenant, period) deferrable initially deferred
);
create index grant_received_on on grant_received (tenant, received_on);

-- A closed period takes no more lines, and no period lies over another of its account.
create function guard_grant_line() returns trigger language plpgsql as $$
declare
  locked record;
begin
  -- Waits for a closing that is under way, and keeps the next one waiting; the look below then sees its period.
  perform lock_name(f.tenant, 'grants', shared => true)
  from (select tenant from fresh limit 1) f;
  select f.booked_on, f.account into locked from fresh f
  join grant_period p on p.tenant = f.tenant and p.account = f.account and f.booked_on between p.from_day and p.to_day
  where not f.late limit 1;
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
  perform lock_name(new.tenant, 'grants');
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
create function guard_grant_release() returns trigger language plpgsql as $$
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
      using errcode = 'restrict_violation', constraint = 'grant_release_checked';
  end if;
  return new;
end $$;
create trigger grant_release_guard before insert on grant_release for each row execute function guard_grant_release();
alter table grant_release enable always trigger grant_release_guard;

-- A wrong statement leaves while nothing of it is closed: one person proposes it, another agrees. A withdrawal that was a
-- mistake is taken back in the same way.
create function guard_statement_proposal() returns trigger language plpgsql as $$
begin
  if new.state in ('open', 'approved') and exists (select 1 from grant_match_line m
    join grant_line l on l.tenant = m.tenant and l.feed = m.feed and l.ordinal = m.ordinal
    where m.tenant = new.tenant and m.feed = new.subject and (new.terms::jsonb->>'statement' is null
      or coalesce(l.statement, 1) = (new.terms::jsonb->>'statement')::int)) then
    raise exception 'a line of feed % is in a closed period', new.subject
      using errcode = 'restrict_violation', constraint = 'grant_withdrawal_open';
  end if;
  return new;
end $$;
create trigger proposal_statement before insert or update on proposal for each row
  when (new.kind = 'statement') execute function guard_statement_proposal();
alter table proposal enable always trigger proposal_statement;

-- Money goes on only when no award has received less than nothing, nor, unless a person said so, more than was promised.
create function guard_grant_parts() returns trigger language plpgsql as $$
declare
  wrong text;
begin
  select s.award into wrong from (
    select p.award, sum(p.cents) as cents, bool_or(m.rule = 'person') as resolved from grant_match_part p
    join grant_match m on m.tenant = p.tenant and m.id = p.match
    where p.tenant = new.tenant and p.award in (
      select q.award from grant_match_part q join grant_match n on n.tenant = q.tenant and n.id = q.match
      where n.tenant = new.tenant and n.period = new.period)
    group by p.award) s
  join grant_award a on a.tenant = new.tenant and a.key = s.award
  -- A payment may have been counted for the award that this one replaces.
  where (s.cents < 0 and a.replaces is null) or (s.cents > a.cents and not s.resolved) limit 1;
  if wrong is not null then
    raise exception 'award % would have received less than nothing, or more than it promises', wrong
      using errcode = 'restrict_violation', constraint = 'grant_parts_add_up';
  end if;
  return new;
end $$;
create trigger grant_release_parts before insert on grant_release for each row execute function guard_grant_parts();
alter table grant_release enable always trigger grant_release_parts;

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

-- A duty of an award, or of the organization, that a person has filed: the receipt is sealed with the confirmation. A slip is
-- corrected by another party with a reason; what was said before stays.
create table grant_duty (
  tenant text not null references tenant,
  -- As the list of obligations names it.
  obligation text not null check (obligation ~ '^fwo1-[0-9a-f]{32}$'),
  n int not null check (n >= 1),
  filing_kind text not null check (length(filing_kind) between 1 and 100),
  period text not null check (length(period) between 1 and 40),
  filed_on date not null,
  receipt_sha256 bytea not null check (octet_length(receipt_sha256) = 32),
  -- Of what all spellings of the receipt have in common (core/receipt-spelling.ts).
  receipt_spelling bytea not null check (octet_length(receipt_spelling) = 32),
  evidence_sha256 bytea check (octet_length(evidence_sha256) = 32),
  ct bytea not null check (octet_length(ct) = 32),
  reason text check (length(reason) between 1 and 500),
  filed_by uuid not null,
  recorded_at timestamptz not null default now(),
  primary key (tenant, obligation, n),
  constraint grant_duty_corrected check ((n > 1) = (reason is not null)),
  foreign key (tenant, filed_by) references person (tenant, id)
);
create index grant_duty_receipt on grant_duty (tenant, receipt_sha256);

create function guard_grant_duty() returns trigger language plpgsql as $$
begin
  if new.n > 1 and not exists (select 1 from grant_duty d
    where d.tenant = new.tenant and d.obligation = new.obligation and d.n = new.n - 1
      and are_two_parties(d.tenant, d.filed_by, new.filed_by)) then
    raise exception 'what one person recorded of obligation % is corrected by another', new.obligation
      using errcode = 'restrict_violation', constraint = 'grant_duty_by_another';
  end if;
  return new;
end $$;
create trigger grant_duty_guard before insert on grant_duty for each row execute function guard_grant_duty();
create trigger grant_duty_actor before insert on grant_duty for each row execute function guard_actor('filed_by');
alter table grant_duty enable always trigger grant_duty_guard, enable always trigger grant_duty_actor;

-- Questions -------------------------------------------------------------------------------------------------------------

-- Questions to lanes: for an award document (ingestion), about a grantor's ledger (reconciliation). What is asked is frozen
-- when it is first asked, every try is on record before it is made, and row security shows a stage its own purpose alone
-- (src/postgres/grant-walls.ts).

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

-- Walls -----------------------------------------------------------------------------------------------------------------

-- But the draft, which is made anew.
select keep_forever(name) from unnest(array['grant_document', 'grant_award', 'grant_award_group', 'grant_award_end',
  'grant_metadata', 'grant_escalation', 'grant_exception', 'grant_feed', 'grant_statement', 'grant_line', 'grant_line_group',
  'grant_balance', 'grant_period', 'grant_match', 'grant_match_line', 'grant_match_part', 'grant_resolution', 'grant_crossing',
  'grant_check', 'grant_release', 'grant_received', 'grant_evaluation', 'grant_report', 'grant_duty', 'question_try']) name;
select keep_forever('question', may_change => true);
