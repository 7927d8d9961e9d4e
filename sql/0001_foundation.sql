-- The foundation: the installation, tenants, persons, and the walls that keep what is written. Never edited once released. Runs
-- on PostgreSQL 14 and newer, as all files here; unqualified names resolve in the schema that the migrator puts on the search
-- path. One file for each room that stores something, in an order in which each refers only to files before it.
--
-- In every table `ver` is the row's version as a subject of the ledger: it rises with each entry about it, and with nothing
-- else. `version` tells one state or text from another (the one that was read from the one that stands now, one law from the
-- next); the ledger does not count it.
--
-- Each row belongs to its tenant by a foreign key, mostly by way of the row that it is about. What every tick writes never refers
-- to `tenant` or `lane` itself: each commit would lock that one row, and those that overlap would queue for it.

-- What is true of this database as a whole. Roles belong to the whole server, so their names carry a prefix of their own.
create table installation (
  singleton boolean primary key default true check (singleton),
  role_prefix text not null check (role_prefix ~ '^fw_[0-9a-f]{8}$'),
  -- 'ready', or why the roles could not be made; shown by doctor.
  roles text not null default 'not made yet',
  -- The SHA-256 of the list of facts and their writers that stands in fact_right.
  fact_rights text not null default '',
  created_at timestamptz not null default now()
);
insert into installation (role_prefix) values ('fw_' || substr(md5(random()::text || clock_timestamp()::text), 1, 8));

create table tenant (
  id text primary key check (id ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  -- First part of every ledger origin; a scheme-less name without spaces or plus signs.
  instance text not null check (instance ~ '^[a-z0-9][a-z0-9.-]{0,100}$'),
  created_at timestamptz not null default now()
);

-- Who acts. A person keeps a name after leaving: nobody else is ever called the same, or looks the same (skeleton, made by
-- core/person-name.ts).
--
-- `party`: the person who stands for everybody that one of them vouched for alone. The second person is of another party, so
-- that one human with any number of keys and names stays one (access/party.ts says the same).
create table person (
  tenant text not null references tenant,
  id uuid not null,
  name text not null check (name = btrim(name) and length(name) between 1 and 200
    and name !~ '[[:cntrl:]\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]'),
  skeleton text not null check (length(skeleton) between 1 and 1000),
  party uuid not null,
  ver int not null default 1,
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  primary key (tenant, id),
  constraint person_name unique (tenant, name),
  constraint person_skeleton unique (tenant, skeleton),
  foreign key (tenant, party) references person (tenant, id)
);
create index person_party on person (tenant, party);

-- A key belongs to one person, who may have several. Only its hash is stored. `issued_by` is null for the key that a founder
-- got at installation; `proposal` names the one that two parties agreed to.
create table person_key (
  tenant text not null,
  id uuid not null,
  person uuid not null,
  name text not null check (name = btrim(name) and length(name) between 1 and 100 and name !~ '[[:cntrl:]]'),
  sha256 bytea not null check (octet_length(sha256) = 32),
  issued_by uuid,
  proposal uuid,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  revoked_by uuid,
  primary key (tenant, id),
  constraint person_key_once unique (sha256),
  constraint person_key_enrolled_once unique (tenant, proposal),
  foreign key (tenant, person) references person (tenant, id),
  foreign key (tenant, issued_by) references person (tenant, id),
  foreign key (tenant, revoked_by) references person (tenant, id),
  constraint person_key_revoked check ((revoked_at is null) = (revoked_by is null))
);
create index person_key_of on person_key (tenant, person);

-- Who had which role, from when to when, and by whose word: null at installation. access/roles.ts says what each may do.
create table person_role (
  tenant text not null,
  person uuid not null,
  role text not null check (role in ('viewer', 'preparer', 'approver', 'operator', 'docketer', 'grants.ingestion',
    'grants.reconciliation', 'grants.rules', 'grants.reporting', 'grants.fallback', 'auditor', 'admin')),
  -- How often the person got it.
  n int not null check (n >= 1),
  given_by uuid,
  given_at timestamptz not null default now(),
  proposal uuid,
  taken_by uuid,
  taken_at timestamptz,
  taken_proposal uuid,
  primary key (tenant, person, role, n),
  foreign key (tenant, person) references person (tenant, id),
  foreign key (tenant, given_by) references person (tenant, id),
  foreign key (tenant, taken_by) references person (tenant, id),
  constraint person_role_taken check ((taken_at is null) = (taken_by is null))
);
create unique index person_role_held on person_role (tenant, person, role) where taken_at is null;

-- Who acts --------------------------------------------------------------------------------------------------------------

-- The person whose key was shown to this session. Workers and jobs have none, and so decide nothing in anybody's name.
create function acting_person() returns uuid language sql stable as $$
  select nullif(current_setting('fw.person', true), '')::uuid
$$;

-- What the row says of who did it is who acts. The column's name is the trigger's argument.
create function guard_actor() returns trigger language plpgsql as $$
declare
  named uuid := (to_jsonb(new)->>tg_argv[0])::uuid;
begin
  if named is distinct from acting_person() then
    raise exception '% names % as %, and acting is %', tg_table_name, coalesce(named::text, 'nobody'), tg_argv[0],
      coalesce(acting_person()::text, 'nobody') using errcode = 'restrict_violation', constraint = 'acting_person';
  end if;
  return new;
end $$;

-- One at a time -----------------------------------------------------------------------------------------------------------

-- What must not be done twice at once is locked by a row of ours. An advisory lock can be taken by every login of the server,
-- and a stranger with no right to anything here could keep us waiting for ever.
create table named_lock (
  tenant text not null references tenant,
  name text not null check (length(name) between 1 and 100),
  primary key (tenant, name)
);

-- Until the end of the transaction. Of names without number one row stands for many: `about` finds it.
create function lock_name(of_tenant text, of_name text, about text default null, shared boolean default false)
returns void language plpgsql as $$
declare
  locked text := of_name || coalesce('/' || (hashtext(about) & 63), '');
begin
  loop
    if shared then
      perform 1 from named_lock l where l.tenant = of_tenant and l.name = locked for share;
    else
      perform 1 from named_lock l where l.tenant = of_tenant and l.name = locked for update;
    end if;
    exit when found;
    -- Waits for whoever makes the same row at this moment; the next look finds it.
    insert into named_lock (tenant, name) values (of_tenant, locked) on conflict do nothing;
  end loop;
end $$;

-- Walls -----------------------------------------------------------------------------------------------------------------

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are written once and never changed or removed', tg_table_name
    using errcode = 'restrict_violation';
end $$;

-- No row of the table is ever removed or, unless rows of it may change, changed. ALWAYS: session_replication_role = replica
-- must not switch the wall off.
create function keep_forever(name text, may_change boolean default false) returns void language plpgsql as $$
declare
  row_wall text := name || case when may_change then '_stays' else '_once' end;
  table_wall text := name || '_kept';
begin
  execute format('create trigger %I before %s on %I for each row execute function refuse_change()',
    row_wall, case when may_change then 'delete' else 'update or delete' end, name);
  execute format('create trigger %I before truncate on %I for each statement execute function refuse_change()',
    table_wall, name);
  execute format('alter table %I enable always trigger %I, enable always trigger %I', name, row_wall, table_wall);
end $$;

-- Two people are two people -----------------------------------------------------------------------------------------------

-- Before anybody's key was used the installation is being made, and whoever makes it names its first two people.
create function is_founding(in_tenant text, people_max int) returns boolean language sql volatile as $$
  select (select count(*) from person where tenant = in_tenant) <= people_max
    and not exists (select 1 from person_key where tenant = in_tenant and last_used_at is not null)
$$;

-- Whether two persons are of different parties, as things stand now: volatile, so that it sees what was committed while a
-- decision waited for its row.
create function are_two_parties(in_tenant text, one uuid, other uuid) returns boolean language sql volatile as $$
  select count(distinct party) = 2 from person where tenant = in_tenant and id in (one, other)
$$;

-- The party whose word is enough because no other has an administrator; null where two have one.
create function lone_party(in_tenant text) returns uuid language sql volatile as $$
  select case when count(distinct p.party) = 1 then min(p.party::text)::uuid end
  from person p join person_role r on r.tenant = p.tenant and r.person = p.id
  where p.tenant = in_tenant and p.disabled_at is null and r.role = 'admin' and r.taken_at is null
$$;

create function is_last_admin(in_tenant text, in_person uuid) returns boolean language sql volatile as $$
  select count(*) filter (where p.id = in_person) > 0 and count(*) filter (where p.id <> in_person) = 0
  from person p join person_role r on r.tenant = p.tenant and r.person = p.id
  where p.tenant = in_tenant and p.disabled_at is null and r.role = 'admin' and r.taken_at is null
$$;

-- What two parties agreed to about a person, by one of these acts.
create function is_agreed(in_tenant text, in_proposal uuid, in_person uuid, acts text[]) returns boolean
  language plpgsql volatile as $$
begin
  return exists (select 1 from proposal where tenant = in_tenant and id = in_proposal and kind in ('person', 'role')
    and subject = in_person::text and state = 'approved' and terms::jsonb ->> 'act' = any (acts));
end $$;

create function refuse_person(in_person uuid, why text, rule text) returns void language plpgsql as $$
begin
  raise exception 'person %: %', in_person, why using errcode = 'restrict_violation', constraint = rule;
end $$;

create function guard_person() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.party = new.id then
      -- Others are there already: `before insert` does not count the new row.
      if not is_founding(new.tenant, 1) and not exists (select 1 from proposal p where p.tenant = new.tenant
        and p.kind = 'person' and p.subject = new.id::text and p.state = 'approved'
        and p.terms::jsonb ->> 'act' = 'add' and p.terms::jsonb ->> 'name' = new.name) then
        perform refuse_person(new.id, 'is a party of its own only at installation, or where two parties vouched for it',
          'person_vouched');
      end if;
    elsif new.party is distinct from lone_party(new.tenant) then
      perform refuse_person(new.id, 'is added by one party alone only where no other has an administrator', 'person_vouched');
    end if;
    return new;
  end if;
  if (new.tenant, new.id, new.name, new.skeleton, new.created_at)
    is distinct from (old.tenant, old.id, old.name, old.skeleton, old.created_at) then
    perform refuse_person(old.id, 'keeps its name, and everything else that says who it is', 'person_stays');
  end if;
  -- Parties join, and never part.
  if new.party <> old.party and new.party is distinct from lone_party(new.tenant) then
    perform refuse_person(old.id, 'joins only the party that vouched for it alone', 'person_vouched');
  end if;
  if old.disabled_at is null and new.disabled_at is not null and is_last_admin(new.tenant, new.id) then
    perform refuse_person(old.id, 'is the last administrator, who stays', 'last_admin');
  end if;
  if old.disabled_at is not null and new.disabled_at is null and new.party is distinct from lone_party(new.tenant)
    and not exists (select 1 from proposal p where p.tenant = new.tenant and p.kind = 'person' and p.subject = new.id::text
      and p.state = 'approved' and p.terms::jsonb ->> 'act' = 'enable' and p.decided_at >= old.disabled_at) then
    perform refuse_person(old.id, 'is enabled again only as two parties agreed', 'person_vouched');
  end if;
  return new;
end $$;
create trigger person_guard before insert or update on person for each row execute function guard_person();
alter table person enable always trigger person_guard;
select keep_forever('person', may_change => true);

create function guard_person_key() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if (new.tenant, new.id, new.person, new.name, new.sha256, new.issued_by, new.proposal, new.created_at, new.expires_at)
      is distinct from
      (old.tenant, old.id, old.person, old.name, old.sha256, old.issued_by, old.proposal, old.created_at, old.expires_at)
      or (old.revoked_at is not null and (new.revoked_at, new.revoked_by) is distinct from (old.revoked_at, old.revoked_by))
      or (old.last_used_at is not null and new.last_used_at is null) then
      perform refuse_person(old.person, 'a key is used and revoked, and nothing else of it ever changes', 'person_key_stays');
    end if;
    return new;
  end if;
  -- Whoever can issue a key to a person is that person: the person itself, the party it belongs to where that is the only
  -- one with an administrator, or two parties together.
  if not coalesce(case
    when new.proposal is not null then is_agreed(new.tenant, new.proposal, new.person, array['add', 'key'])
    when new.issued_by is null then is_founding(new.tenant, 2)
      and not exists (select 1 from person_key k where k.tenant = new.tenant and k.person = new.person)
    when new.issued_by = new.person then true
    else lone_party(new.tenant) = all (select p.party from person p where p.tenant = new.tenant
      and p.id in (new.person, new.issued_by))
  end, false) then
    perform refuse_person(new.person, 'gets a key from itself, or as two parties agreed', 'person_key_issued');
  end if;
  return new;
end $$;
create trigger person_key_guard before insert or update on person_key for each row execute function guard_person_key();
alter table person_key enable always trigger person_key_guard;
select keep_forever('person_key', may_change => true);

create function guard_person_role() returns trigger language plpgsql as $$
declare
  by_whom uuid := case when tg_op = 'INSERT' then new.given_by else new.taken_by end;
  agreed uuid := case when tg_op = 'INSERT' then new.proposal else new.taken_proposal end;
begin
  if tg_op = 'UPDATE' and (old.taken_at is not null or new.taken_at is null
    or (new.tenant, new.person, new.role, new.n, new.given_by, new.given_at, new.proposal)
      is distinct from (old.tenant, old.person, old.role, old.n, old.given_by, old.given_at, old.proposal)) then
    perform refuse_person(old.person, 'a role is given once and taken once', 'person_role_stays');
  end if;
  if tg_op = 'UPDATE' and new.role = 'admin' and is_last_admin(new.tenant, new.person) then
    perform refuse_person(new.person, 'is the last administrator, who stays', 'last_admin');
  end if;
  if not coalesce(case
    when agreed is not null then is_agreed(new.tenant, agreed, new.person,
        case when tg_op = 'INSERT' then array['add', 'give'] else array['take'] end)
      and (select p.terms::jsonb -> 'roles' ? new.role from proposal p where p.tenant = new.tenant and p.id = agreed)
    when by_whom is null then tg_op = 'INSERT' and is_founding(new.tenant, 2)
    -- Alone nobody gives what they do not have, nor anything to themselves.
    else by_whom <> new.person
      and exists (select 1 from person p where p.tenant = new.tenant and p.id = by_whom and p.party = lone_party(new.tenant))
      and (tg_op = 'UPDATE' or exists (select 1 from person_role r where r.tenant = new.tenant and r.person = by_whom
        and r.role = new.role and r.taken_at is null))
  end, false) then
    perform refuse_person(new.person, 'gets and loses roles by another person''s word, or as two parties agreed',
      'person_role_given');
  end if;
  return new;
end $$;
create trigger person_role_guard before insert or update on person_role for each row execute function guard_person_role();
alter table person_role enable always trigger person_role_guard;
select keep_forever('person_role', may_change => true);
