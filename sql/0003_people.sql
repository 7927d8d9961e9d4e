-- What people decide and hear: proposals and the second person, events on their way out, alerts.

-- Proposals -------------------------------------------------------------------------------------------------------------

-- Whatever needs a second person: one proposes exactly what will run, another approves that by its hash. The kinds differ in
-- what they are about, and in whose guard asks here before it lets something happen:
--   batch            sends what was frozen; about the batch
--   release          queues filings of a batch again whose approval became void; about the batch
--   cancel           withdraws what of an approved batch nobody has claimed; about the batch
--   replay, correct  send filings again (review_item); about itself
--   exception        resolves an exception of the grants pipeline; about the exception
--   statement        withdraws or restores bank statements; about their feed
--   hold             releases a legal hold, and is made with it; about the hold
--   person           adds or enables a person, or replaces a lost key; about the person (act, name, roles)
--   role             gives or takes roles; about the person (act, roles)
--   quarantine       releases the tenant from quarantine; about the tenant and which time it is
--   lane             gives a lane another profile; about the lane
--   webhook          sends events to an address; about the webhook
--   recipient        sends mail to an address, or through a server ("mail server"); about it
--   matrix           changes who gets which docket; about "setup"
--   key              replaces the root key or the tenant key; about the key that goes
--   docket           changes what the dates of a docket are computed from; about the docket
--   recovery         brings a portal or a target back sooner; about its recovery (CODE/since), or its run
create table proposal (
  tenant text not null references tenant,
  id uuid not null default gen_random_uuid(),
  kind text not null check (kind in ('batch', 'release', 'replay', 'correct', 'exception', 'statement', 'hold',
    'person', 'role', 'quarantine', 'lane', 'hand', 'webhook', 'recipient', 'matrix', 'key',
    'docket', 'recovery', 'cancel')),
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
  -- Until when an approval to send may begin to be used; of other kinds, which run at once, null.
  valid_until timestamptz,
  primary key (tenant, id),
  constraint proposal_numbered unique (tenant, kind, subject, n),
  foreign key (tenant, proposed_by) references person (tenant, id),
  foreign key (tenant, decided_by) references person (tenant, id),
  constraint proposal_decided check ((state = 'open') = (decided_by is null) and (state = 'open') = (decided_at is null)),
  -- An approval says yes to what was proposed; whatever ends it otherwise says why.
  constraint proposal_ended_has_reason check (state in ('open', 'approved') or decision_reason is not null)
);
-- One at a time about a subject; and none after it was approved, where that is an end of it.
create unique index proposal_once on proposal (tenant, kind, subject)
  where state = 'open'
    or (state = 'approved' and kind in ('batch', 'replay', 'correct', 'exception', 'hold', 'quarantine', 'key'));

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

-- Which roles propose each kind, approve it and refuse it: those of its acts in access/roles.ts, with which a test compares it. A function
-- and not a table, because no row can change it.
create function proposal_roles(in_kind text, in_act text) returns text[] language sql immutable as $$
  select case
    when in_kind in ('batch', 'release', 'replay', 'correct', 'hand') then case
      when in_act = 'propose' then array['preparer']
      -- Whoever proposes a batch anew ends what was proposed before.
      when in_act = 'refuse' then array['preparer', 'approver']
      else array['approver'] end
    -- Either of the two who agreed to send it can stop it.
    when in_kind = 'cancel' then case when in_act = 'approve' then array['approver'] else array['preparer', 'approver'] end
    when in_kind = 'exception' then case in_act
      when 'propose' then array['grants.ingestion', 'grants.fallback']
      when 'refuse' then array['grants.fallback']
      else array['approver'] end
    when in_kind = 'statement' then case in_act when 'propose' then array['grants.reconciliation'] else array['approver'] end
    when in_kind = 'hold' then case in_act
      when 'propose' then array['preparer', 'approver', 'docketer', 'admin'] else array['approver'] end
    when in_kind in ('person', 'role', 'key') then array['admin']
    when in_kind in ('quarantine', 'lane', 'webhook', 'recipient') then array['operator', 'admin']
    when in_kind = 'matrix' then array['docketer', 'admin']
    when in_kind = 'docket' then array['docketer']
    when in_kind = 'recovery' then array['operator']
  end
$$;

-- Volatile, so that it sees what was committed while the decision waited for its row.
create function may_in_proposal(in_tenant text, in_person uuid, in_kind text, in_act text) returns boolean
  language sql volatile as $$
  select exists (select 1 from person_role r join person p on p.tenant = r.tenant and p.id = r.person
    where r.tenant = in_tenant and r.person = in_person and r.taken_at is null and p.disabled_at is null
      and r.role = any (proposal_roles(in_kind, in_act)))
$$;

-- The one guard of the second person.
create function guard_proposal() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.state <> 'open' then
      raise exception 'proposal % may not begin as %', new.id, new.state
        using errcode = 'restrict_violation', constraint = 'proposal_begins_open';
    end if;
    if not may_in_proposal(new.tenant, new.proposed_by, new.kind, 'propose') then
      raise exception 'a % is not proposed by this person: disabled, or without a role for it', new.kind
        using errcode = 'restrict_violation', constraint = 'proposal_role';
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
  -- Whoever proposed may only take it back, and nobody else can. Who approves is of another party: a second name or key of
  -- the same human is not a second person.
  if (new.decided_by = old.proposed_by) <> (new.state = 'withdrawn')
    or (new.state = 'approved' and not are_two_parties(new.tenant, old.proposed_by, new.decided_by))
    or exists (select 1 from person where tenant = new.tenant and id = new.decided_by and disabled_at is not null) then
    raise exception 'proposal % may not be % by this person: another one decides, of another party and not disabled', old.id, new.state
      using errcode = 'restrict_violation', constraint = 'proposal_second_person';
  end if;
  -- Taking back one's own needs no role: it may have been taken away since.
  if (new.state = 'approved' and not may_in_proposal(new.tenant, new.decided_by, new.kind, 'approve'))
    or (new.state = 'refused' and not may_in_proposal(new.tenant, new.decided_by, new.kind, 'refuse')) then
    raise exception 'proposal % is not % by this person, who has no role for it', old.id, new.state
      using errcode = 'restrict_violation', constraint = 'proposal_role';
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
create trigger proposal_who_proposes before insert on proposal for each row execute function guard_actor('proposed_by');
create trigger proposal_who_decides before update on proposal for each row execute function guard_actor('decided_by');
alter table proposal enable always trigger proposal_who_proposes, enable always trigger proposal_who_decides;
select keep_forever('proposal', may_change => true);

-- Two codes make the first key of a person, or the one that replaces a lost key: who proposed has one (its hash is among the
-- terms), who approved the other. Neither of them alone can become that person. Used once: person_key_enrolled_once.
create table person_enrollment (
  tenant text not null,
  proposal uuid not null,
  person uuid not null,
  first_sha256 bytea not null check (octet_length(first_sha256) = 32),
  second_sha256 bytea not null check (octet_length(second_sha256) = 32),
  expires_at timestamptz not null,
  primary key (tenant, proposal),
  foreign key (tenant, proposal) references proposal (tenant, id),
  foreign key (tenant, person) references person (tenant, id)
);
create function guard_enrollment() returns trigger language plpgsql as $$
begin
  if not is_agreed(new.tenant, new.proposal, new.person, array['add', 'key'])
    or not exists (select 1 from proposal p where p.tenant = new.tenant and p.id = new.proposal
      and p.terms::jsonb ->> 'code_sha256' = encode(new.first_sha256, 'hex')) then
    perform refuse_person(new.person, 'enrolls only as two parties agreed', 'person_key_issued');
  end if;
  return new;
end $$;
create trigger person_enrollment_guard before insert on person_enrollment
  for each row execute function guard_enrollment();
alter table person_enrollment enable always trigger person_enrollment_guard;
select keep_forever('person_enrollment');

-- Signing in over the wire ------------------------------------------------------------------------------------------------

-- Lets its holder in once, within ten minutes, as the person. Made by oneself, or by somebody who counts as the same person:
-- whoever makes a link has it, and can act as whom it names.
create table sign_in_link (
  tenant text not null,
  id uuid not null,
  person uuid not null,
  sha256 bytea not null check (octet_length(sha256) = 32),
  made_by uuid not null,
  made_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (tenant, id),
  constraint sign_in_link_once unique (sha256),
  constraint sign_in_link_short check (expires_at <= made_at + interval '10 minutes'),
  foreign key (tenant, person) references person (tenant, id),
  foreign key (tenant, made_by) references person (tenant, id)
);
create function guard_sign_in_link() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.used_at is not null or are_two_parties(new.tenant, new.made_by, new.person) then
      perform refuse_person(new.person, 'gets a sign-in link from itself, or from somebody who counts as the same person',
        'sign_in_link_own');
    end if;
    new.made_at := now();
  elsif old.used_at is not null or new.used_at is null
    or (to_jsonb(new) - 'used_at') is distinct from (to_jsonb(old) - 'used_at') then
    perform refuse_person(old.person, 'a sign-in link is used once, and nothing else of it ever changes', 'sign_in_link_stays');
  end if;
  return new;
end $$;
create trigger sign_in_link_guard before insert or update on sign_in_link for each row execute function guard_sign_in_link();
create trigger sign_in_link_who before insert on sign_in_link for each row execute function guard_actor('made_by');
alter table sign_in_link enable always trigger sign_in_link_guard, enable always trigger sign_in_link_who;
select keep_forever('sign_in_link', may_change => true);

-- A person who is signed in. `credential` is the key or the link that was shown for it; a session of a key ends with the key.
-- Only the hash of its token is stored.
create table person_session (
  tenant text not null,
  id uuid not null,
  person uuid not null,
  sha256 bytea not null check (octet_length(sha256) = 32),
  way text not null check (way in ('key', 'link')),
  credential uuid not null,
  started_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  ended_by uuid,
  primary key (tenant, id),
  constraint person_session_once unique (sha256),
  constraint person_session_ended check ((ended_at is null) = (ended_by is null)),
  constraint person_session_short check (expires_at <= started_at + interval '12 hours'),
  foreign key (tenant, person) references person (tenant, id),
  foreign key (tenant, ended_by) references person (tenant, id)
);
create index person_session_of on person_session (tenant, person, started_at);

create function guard_person_session() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.ended_at is not null
      or exists (select 1 from person where tenant = new.tenant and id = new.person and disabled_at is not null)
      or not (case new.way
        when 'key' then exists (select 1 from person_key k where k.tenant = new.tenant and k.id = new.credential
          and k.person = new.person and k.revoked_at is null and k.expires_at > now())
        -- Used in this very transaction: no link lets two in.
        else exists (select 1 from sign_in_link l where l.tenant = new.tenant and l.id = new.credential
          and l.person = new.person and l.used_at = now() and l.expires_at > now()) end) then
      perform refuse_person(new.person, 'signs in with a key or a link of its own that is good now', 'person_session_shown');
    end if;
    new.started_at := now();
    return new;
  end if;
  if (to_jsonb(new) - array['last_used_at', 'ended_at', 'ended_by'])
      is distinct from (to_jsonb(old) - array['last_used_at', 'ended_at', 'ended_by'])
    or new.last_used_at < old.last_used_at
    or (old.ended_at is not null and (new.ended_at, new.ended_by) is distinct from (old.ended_at, old.ended_by)) then
    perform refuse_person(old.person, 'a session is used and ended, and nothing else of it ever changes', 'person_session_stays');
  end if;
  if old.ended_at is null and new.ended_at is not null and (new.ended_by is distinct from acting_person()
    or not (new.ended_by = new.person or exists (select 1 from person_role r where r.tenant = new.tenant
      and r.person = new.ended_by and r.role = 'admin' and r.taken_at is null))) then
    perform refuse_person(old.person, 'its session is ended by itself or by an administrator', 'person_session_stays');
  end if;
  return new;
end $$;
create trigger person_session_guard before insert or update on person_session
  for each row execute function guard_person_session();
create trigger person_session_who before insert on person_session for each row execute function guard_actor('person');
alter table person_session enable always trigger person_session_guard, enable always trigger person_session_who;
select keep_forever('person_session', may_change => true);

-- With which another program acts for its owner, in these acts alone (access/delegated.ts says which can be given at all).
create table program_token (
  tenant text not null,
  id uuid not null,
  owner uuid not null,
  name text not null check (name = btrim(name) and length(name) between 1 and 100 and name !~ '[[:cntrl:]]'),
  acts text[] not null check (cardinality(acts) between 1 and 200),
  sha256 bytea not null check (octet_length(sha256) = 32),
  made_at timestamptz not null default now(),
  expires_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  revoked_by uuid,
  primary key (tenant, id),
  constraint program_token_once unique (sha256),
  constraint program_token_revoked check ((revoked_at is null) = (revoked_by is null)),
  constraint program_token_short check (expires_at <= made_at + interval '366 days'),
  foreign key (tenant, owner) references person (tenant, id),
  foreign key (tenant, revoked_by) references person (tenant, id)
);
create index program_token_of on program_token (tenant, owner);

create function guard_program_token() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.revoked_at is not null then
      perform refuse_person(new.owner, 'a token begins unrevoked', 'program_token_stays');
    end if;
    new.made_at := now();
    return new;
  end if;
  if (to_jsonb(new) - array['last_used_at', 'revoked_at', 'revoked_by'])
      is distinct from (to_jsonb(old) - array['last_used_at', 'revoked_at', 'revoked_by'])
    or (old.last_used_at is not null and new.last_used_at is null)
    or (old.revoked_at is not null and (new.revoked_at, new.revoked_by) is distinct from (old.revoked_at, old.revoked_by)) then
    perform refuse_person(old.owner, 'a token is used and revoked, and nothing else of it ever changes', 'program_token_stays');
  end if;
  if old.revoked_at is null and new.revoked_at is not null and (new.revoked_by is distinct from acting_person()
    or not (new.revoked_by = new.owner or exists (select 1 from person_role r where r.tenant = new.tenant
      and r.person = new.revoked_by and r.role = 'admin' and r.taken_at is null))) then
    perform refuse_person(old.owner, 'its token is revoked by itself or by an administrator', 'program_token_stays');
  end if;
  return new;
end $$;
create trigger program_token_guard before insert or update on program_token for each row execute function guard_program_token();
create trigger program_token_who before insert on program_token for each row execute function guard_actor('owner');
alter table program_token enable always trigger program_token_guard, enable always trigger program_token_who;
select keep_forever('program_token', may_change => true);

-- The first answer to a request under its Idempotency-Key, written in the transaction of what it did. Sealed under a data
-- key as payloads are: some answers show a secret, once. `asked` is whose request it was.
create table request_answer (
  tenant text not null references tenant,
  asked uuid not null,
  key_sha256 bytea not null check (octet_length(key_sha256) = 32),
  request_sha256 bytea not null check (octet_length(request_sha256) = 32),
  status int check (status between 200 and 299),
  id uuid,
  key text,
  sealed bytea,
  at timestamptz not null default now(),
  primary key (tenant, asked, key_sha256),
  foreign key (tenant, asked) references person (tenant, id),
  constraint request_answer_whole check ((status is null) = (sealed is null) and (status is null) = (key is null)
    and (status is null) = (id is null))
);
create index request_answer_at on request_answer (tenant, at);

-- Whether two people agreed to the newest proposal about this recovery (guards of lane and recovery_run).
create function require_recovery_agreed(in_tenant text, in_subject text) returns void language plpgsql as $$
begin
  if coalesce((select p.state from proposal p where p.tenant = in_tenant and p.kind = 'recovery' and p.subject = in_subject
    order by p.n desc limit 1), 'none') <> 'approved' then
    raise exception 'recovery % was started by a person, and goes on only as two people have agreed', in_subject
      using errcode = 'restrict_violation', constraint = 'recovery_agreed';
  end if;
end $$;

-- Events ----------------------------------------------------------------------------------------------------------------

create table event (
  tenant text not null references tenant,
  id uuid not null,
  type text not null,
  at timestamptz not null,
  filing uuid,
  -- Ids, status and dates; never payload data. Fixed when the event is taken, so that every attempt sends the same.
  data jsonb not null,
  -- Counted up in the order of the commits, so that who has heard of one has heard of all before it. Null for an event that is
  -- for one receiver alone.
  n bigint,
  primary key (tenant, id)
);
create unique index event_numbered on event (tenant, n);
-- Locked by whoever numbers events, until the commit.
create table event_head (
  tenant text primary key references tenant,
  last bigint not null check (last >= 0)
);
create index event_recent on event (tenant, at);
create index event_filing on event (tenant, filing) where filing is not null;

-- Who wants to hear -------------------------------------------------------------------------------------------------------

-- Whether it is told is in its lane (webhook/ID).
create table subscription (
  tenant text not null references tenant,
  id uuid not null,
  url text not null check (length(url) between 1 and 2000),
  -- Empty: every type.
  types text[] not null,
  allow_private boolean not null,
  added_by uuid not null,
  added_at timestamptz not null default now(),
  -- Null: it waits for a second person, and nothing is sent to it.
  approved_at timestamptz,
  removed_at timestamptz,
  ver int not null default 1,
  primary key (tenant, id),
  foreign key (tenant, added_by) references person (tenant, id)
);

-- Events go where two people have agreed, and the address of a webhook stays what they saw.
create function guard_subscription() returns trigger language plpgsql as $$
begin
  if (tg_op = 'UPDATE' and (new.url, new.types, new.allow_private) is distinct from (old.url, old.types, old.allow_private))
    or (new.approved_at is not null and not exists (
      select 1 from proposal p where p.tenant = new.tenant and p.kind = 'webhook' and p.subject = new.id::text
        and p.state = 'approved' and p.terms::jsonb = jsonb_build_object('url', new.url, 'types', to_jsonb(new.types),
          'allow_private', new.allow_private))) then
    raise exception 'webhook % may only be what two people have agreed', new.id
      using errcode = 'restrict_violation', constraint = 'subscription_agreed';
  end if;
  return new;
end $$;
create trigger subscription_guard before insert or update on subscription for each row execute function guard_subscription();
alter table subscription enable always trigger subscription_guard;

-- Sealed under a data key as payloads are. Two at a time: during a rotation both sign.
create table subscription_secret (
  tenant text not null,
  subscription uuid not null,
  id uuid not null,
  key text not null,
  sealed bytea not null,
  added_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null default 'infinity',
  primary key (tenant, id),
  foreign key (tenant, subscription) references subscription (tenant, id)
);
create index subscription_secret_of on subscription_secret (tenant, subscription);

create table mail_setting (
  tenant text primary key references tenant,
  -- A reference (env:, file:), never the address with its password.
  smtp text not null check (smtp ~ '^(env|file):'),
  sender text not null,
  allow_private boolean not null,
  changed_at timestamptz not null default now(),
  ver int not null default 1
);

create table recipient (
  tenant text not null references tenant,
  role text not null check (role in ('registered_agent', 'alert', 'digest')),
  -- Empty: whoever has no recipient of its own.
  entity_id text not null default '',
  address text not null check (length(address) between 3 and 320),
  removed_at timestamptz,
  ver int not null default 1,
  primary key (tenant, role, entity_id, address)
);

create table event_consumer (
  tenant text not null references tenant,
  name text not null check (name ~ '^[a-z][a-z0-9_]{0,59}$'),
  types text[] not null,
  primary key (tenant, name)
);

-- Refusals --------------------------------------------------------------------------------------------------------------

-- How often each actor was refused each act within a day, and how many of these the ledger has been told: a flood is counted
-- here and folded into few entries (src/access/refusals.ts).
create table refusal (
  tenant text not null references tenant,
  actor text not null check (length(actor) between 1 and 200),
  act text not null check (length(act) between 1 and 100),
  since timestamptz not null default now(),
  times bigint not null default 0,
  told bigint not null default 0 check (told between 0 and times),
  primary key (tenant, actor, act)
);

-- Alerts ------------------------------------------------------------------------------------------------------------------

-- How often somebody was told, and when they are told again, is in the work that has the alert's id.
create table alert (
  tenant text not null references tenant,
  id uuid not null,
  kind text not null check (kind ~ '^[a-z][a-z0-9_]{0,59}$'),
  subject text not null check (length(subject) between 1 and 200),
  -- The one it is about: only who may see that docket is told.
  docket text,
  severity text not null check (severity in ('info', 'warning', 'critical')),
  -- Null: the tenant's recipients of alerts.
  recipient text,
  text text not null check (length(text) between 1 and 10000),
  -- Whose act it is about: nobody of that party can acknowledge it (guard_alert).
  caused_by uuid,
  dedup text not null check (length(dedup) between 1 and 200),
  raised int not null default 1,
  raised_at timestamptz not null default now(),
  last_raised_at timestamptz not null default now(),
  acknowledged_at timestamptz,
  acknowledged_by uuid,
  -- The ledger hears of the acknowledgement alone, so it counts from there.
  ver int not null default 0,
  primary key (tenant, id),
  foreign key (tenant, acknowledged_by) references person (tenant, id),
  foreign key (tenant, caused_by) references person (tenant, id),
  constraint alert_acknowledged_by_person check ((acknowledged_at is null) = (acknowledged_by is null))
);
create trigger alert_actor before update on alert for each row
  when (new.acknowledged_by is distinct from old.acknowledged_by) execute function guard_actor('acknowledged_by');
create function guard_alert() returns trigger language plpgsql as $$
begin
  if not are_two_parties(new.tenant, old.caused_by, new.acknowledged_by) then
    raise exception 'alert % is about what this party did', new.id
      using errcode = 'restrict_violation', constraint = 'alert_acknowledged_by_another';
  end if;
  return new;
end $$;
create trigger alert_by_another before update on alert for each row
  when (old.caused_by is not null and new.acknowledged_by is distinct from old.acknowledged_by)
  execute function guard_alert();
alter table alert enable always trigger alert_actor, enable always trigger alert_by_another;
create unique index alert_open on alert (tenant, dedup) where acknowledged_at is null;

-- Of which filing ("slack") or obligation ("unfiled") somebody was told, and under which threshold at the lowest. Alerts
-- are told in groups and acknowledged as such; whoever joins a group later must be told of all the same.
create table warned (
  tenant text not null references tenant,
  kind text not null check (kind in ('slack', 'unfiled')),
  subject text not null check (length(subject) between 1 and 300),
  threshold_ms bigint not null check (threshold_ms >= 0),
  primary key (tenant, kind, subject)
);
