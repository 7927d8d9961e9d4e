-- Proof and keeping: tiles and signed checkpoints, signing keys, retention and holds, quarantine, and what the roles
-- need to know. Runs on PostgreSQL 14 and newer. Roles and row security are made by store/roles.ts, because whether
-- they can be made depends on who connects.

-- What is true of this database as a whole. Roles belong to the whole server, so their names carry a prefix of their own.
create table installation (
  singleton boolean primary key default true check (singleton),
  role_prefix text not null check (role_prefix ~ '^fw_[0-9a-f]{8}$'),
  -- 'ready', or why the roles could not be made; shown by doctor.
  roles text not null default 'not made yet',
  created_at timestamptz not null default now()
);
insert into installation (role_prefix) values ('fw_' || substr(md5(random()::text || clock_timestamp()::text), 1, 8));

-- Tree ------------------------------------------------------------------------------------------------------------------

-- Only full tiles: 256 hashes of one level. What is not yet in a full tile of level 0 is read from ledger_entry.leaf; what
-- is not yet in one of a higher level, from the roots of the tiles below.
create table ledger_tile (
  tenant text not null,
  boundary text not null,
  level int not null check (level between 0 and 6),
  n bigint not null check (n >= 0),
  root bytea not null check (octet_length(root) = 32),
  bytes bytea not null check (octet_length(bytes) = 8192),
  primary key (tenant, boundary, level, n)
);
-- Hashes do not compress, and beside the row they are read only when they are wanted.
alter table ledger_tile alter column bytes set storage external;

create table ledger_checkpoint (
  tenant text not null,
  boundary text not null,
  size bigint not null check (size > 0),
  root bytea not null check (octet_length(root) = 32),
  -- The signed note, to the byte.
  note bytea not null,
  signed_at timestamptz not null,
  primary key (tenant, boundary, size)
);

-- The last signed head stands in the row that fences the sequencer, so that both move in one transaction.
alter table ledger_head
  add column signed_size bigint not null default 0,
  add column signed_root bytea,
  add column signed_at timestamptz not null default '-infinity',
  -- The version of this log as a subject of the spine.
  add column spine_ver int not null default 0,
  add constraint ledger_head_signed check (signed_size <= size and (signed_size = 0) = (signed_root is null));

-- One per log, and two while one takes over from the other. The private half is wrapped by the tenant key: every process
-- that may become the sequencer of a log needs it, on whatever host, and a copy of the database alone cannot sign.
create table ledger_signing_key (
  tenant text not null,
  boundary text not null,
  id text not null check (id ~ '^[0-9a-f]{8}$'),
  vkey text not null,
  wrapped bytea not null,
  -- Sizes of the log for which it signs.
  first_size bigint not null,
  last_size bigint check (last_size >= first_size - 1),
  ver int not null default 0,
  created_at timestamptz not null default now(),
  primary key (tenant, boundary, id)
);

-- Keys and keeping ------------------------------------------------------------------------------------------------------

-- A rotation gives the one row of a tenant another id and another key; the ledger keeps the history.
alter table ledger_tenant_key add column ver int not null default 0, add column rotations int not null default 0;

alter table ledger_dek
  -- A subject's second key in a month begins when the first has sealed its share.
  add column part int not null default 1,
  -- About how many bodies it has sealed: counted by sample, since a count for each would cost a write for each.
  add column bodies bigint not null default 0,
  add column state text not null default 'live' check (state in ('live', 'shredded')),
  add column retain_until date,
  add column shredded_at timestamptz,
  drop constraint ledger_dek_subject;
update ledger_dek set retain_until = ((month || '-01')::date + interval '1 month' - interval '1 day' + interval '7 years')::date;
alter table ledger_dek
  alter column retain_until set not null,
  add constraint ledger_dek_subject unique (tenant, subject, month, part),
  add constraint ledger_dek_shredded check ((state = 'shredded') = (shredded_at is not null)
    and (state = 'shredded') = (octet_length(wrapped) = 0));

create table ledger_hold (
  tenant text not null references tenant,
  id uuid not null,
  -- Whose data is held; null holds everything of the tenant.
  subject text,
  reason text not null check (length(reason) between 1 and 500),
  placed_by uuid not null,
  placed_at timestamptz not null default now(),
  released_by uuid,
  released_at timestamptz,
  ver int not null default 1,
  primary key (tenant, id),
  foreign key (tenant, placed_by) references person (tenant, id),
  foreign key (tenant, released_by) references person (tenant, id),
  constraint hold_second_person check (released_by is null or released_by <> placed_by),
  constraint hold_released_has_person check ((released_by is null) = (released_at is null))
);
create index ledger_hold_open on ledger_hold (tenant) where released_at is null;

-- One run of shredding per row, so that its ledger subject has a version.
create table ledger_shredding (
  tenant text not null references tenant,
  id uuid not null,
  keys int not null,
  blobs int not null,
  at timestamptz not null default now(),
  primary key (tenant, id)
);

-- Quarantine ------------------------------------------------------------------------------------------------------------

-- One row per tenant, from the first time that its database was found to be behind what had been signed.
create table quarantine (
  tenant text primary key references tenant,
  state text not null check (state in ('in', 'out')),
  ver int not null default 1,
  entered_at timestamptz not null,
  -- Which logs, with what was expected and what was found.
  evidence jsonb not null,
  left_at timestamptz,
  left_by uuid,
  -- Filings lost with the backup may be imported again: until then a new one asks its portal before it sends.
  ask_new_until timestamptz,
  -- From leaving until every filing that may have been sent has heard from its portal: only questions go out meanwhile.
  settling boolean not null default false,
  foreign key (tenant, left_by) references person (tenant, id),
  constraint quarantine_left_by_person check ((state = 'out') = (left_by is not null and left_at is not null))
);

-- Walls -----------------------------------------------------------------------------------------------------------------

do $$
declare name text;
begin
  foreach name in array array['ledger_checkpoint', 'ledger_tile'] loop
    execute format('create trigger %I before update or delete on %I for each row execute function refuse_change()',
      name || '_once', name);
    execute format('alter table %I enable always trigger %I', name, name || '_once');
  end loop;
  foreach name in array array['ledger_dek', 'ledger_hold', 'ledger_signing_key', 'ledger_tenant_key', 'ledger_head',
    'ledger_shredding', 'quarantine'] loop
    execute format('create trigger %I before delete on %I for each row execute function refuse_change()',
      name || '_stays', name);
    execute format('alter table %I enable always trigger %I', name, name || '_stays');
  end loop;
  foreach name in array array['ledger_checkpoint', 'ledger_tile', 'ledger_dek', 'ledger_blob', 'ledger_hold',
    'ledger_signing_key', 'ledger_tenant_key', 'ledger_head', 'ledger_shredding', 'quarantine'] loop
    execute format('create trigger %I before truncate on %I for each statement execute function refuse_change()',
      name || '_kept', name);
    execute format('alter table %I enable always trigger %I', name, name || '_kept');
  end loop;
end $$;

create trigger ledger_blob_once before update on ledger_blob for each row execute function refuse_change();
alter table ledger_blob enable always trigger ledger_blob_once;
create trigger ledger_shredding_once before update on ledger_shredding for each row execute function refuse_change();
alter table ledger_shredding enable always trigger ledger_shredding_once;

-- The condition itself is the rule, so that an append costs no function call.
create function refuse_shrinking() returns trigger language plpgsql as $$
begin
  raise exception 'the log %/% may only grow: size % to %, signed % to %', old.tenant, old.boundary, old.size, new.size,
    old.signed_size, new.signed_size using errcode = 'restrict_violation';
end $$;
create trigger ledger_head_grows before update on ledger_head for each row
  when (new.size < old.size or new.signed_size < old.signed_size or new.signed_at < old.signed_at
    or new.spine_ver < old.spine_ver or (new.signed_size = old.signed_size and new.signed_root is distinct from old.signed_root)
    or new.tenant <> old.tenant or new.boundary <> old.boundary)
  execute function refuse_shrinking();
alter table ledger_head enable always trigger ledger_head_grows;

create function guard_signing_key() returns trigger language plpgsql as $$
begin
  if (new.tenant, new.boundary, new.id, new.vkey, new.first_size, new.created_at)
    is distinct from (old.tenant, old.boundary, old.id, old.vkey, old.first_size, old.created_at)
    or (old.last_size is not null and new.last_size is distinct from old.last_size) or new.ver < old.ver then
    raise exception 'signing key % may only be wrapped anew or retired, and only once', old.id
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger ledger_signing_key_guard before update on ledger_signing_key for each row
  execute function guard_signing_key();
alter table ledger_signing_key enable always trigger ledger_signing_key_guard;

create function guard_data_key() returns trigger language plpgsql as $$
declare
  least_date date := ((new.month || '-01')::date + interval '1 month' - interval '1 day' + interval '7 years')::date;
  tenant_key text;
begin
  if tg_op = 'INSERT' then
    new.retain_until := greatest(coalesce(new.retain_until, least_date), least_date);
    -- A process that still holds a tenant key from before a rotation would wrap with it, and nobody could open that.
    select id into tenant_key from ledger_tenant_key k where k.tenant = new.tenant and k.rotations > 0;
    if tenant_key is not null and current_setting('fw.tenant_key', true) is distinct from tenant_key then
      raise exception 'the tenant key of % is % now; start this process again', new.tenant, tenant_key
        using errcode = 'object_not_in_prerequisite_state';
    end if;
    return new;
  end if;
  if (new.tenant, new.id, new.subject, new.month, new.part, new.created_at)
    is distinct from (old.tenant, old.id, old.subject, old.month, old.part, old.created_at) then
    raise exception 'what data key % is for may not change', old.id using errcode = 'restrict_violation';
  end if;
  if new.retain_until < old.retain_until then
    raise exception 'data key % is kept until %; that may be extended, never shortened', old.id, old.retain_until
      using errcode = 'restrict_violation';
  end if;
  if old.state = 'shredded' then
    raise exception 'data key % is shredded, and stays so', old.id using errcode = 'restrict_violation';
  end if;
  if new.state = 'shredded' then
    if old.retain_until >= (now() at time zone 'UTC')::date then
      raise exception 'data key % is kept until %', old.id, old.retain_until using errcode = 'restrict_violation';
    end if;
    if exists (select 1 from ledger_hold h where h.tenant = old.tenant and h.released_at is null
      and (h.subject is null or h.subject = old.subject)) then
      raise exception 'data key % is under a legal hold', old.id using errcode = 'restrict_violation';
    end if;
  end if;
  return new;
end $$;
create trigger ledger_dek_guard before insert or update on ledger_dek for each row execute function guard_data_key();
alter table ledger_dek enable always trigger ledger_dek_guard;

create function guard_blob_removal() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from ledger_dek k where k.tenant = old.tenant and k.id = old.key and k.state = 'shredded') then
    raise exception 'a sealed body may be removed only after its key % was shredded', old.key
      using errcode = 'restrict_violation';
  end if;
  return old;
end $$;
create trigger ledger_blob_removal before delete on ledger_blob for each row execute function guard_blob_removal();
alter table ledger_blob enable always trigger ledger_blob_removal;

create function guard_hold() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    -- Waits for a shredding that is under way, and keeps the next one waiting.
    perform pg_advisory_xact_lock(hashtextextended('filewright.hold/' || new.tenant, 0));
    if new.released_at is not null then
      raise exception 'hold % may not begin as released', new.id using errcode = 'restrict_violation';
    end if;
    return new;
  end if;
  if old.released_at is not null or new.released_at is null
    or (new.tenant, new.id, new.subject, new.reason, new.placed_by, new.placed_at)
      is distinct from (old.tenant, old.id, old.subject, old.reason, old.placed_by, old.placed_at) then
    raise exception 'hold % may only be released, and only once', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger ledger_hold_guard before insert or update on ledger_hold for each row execute function guard_hold();
alter table ledger_hold enable always trigger ledger_hold_guard;

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
