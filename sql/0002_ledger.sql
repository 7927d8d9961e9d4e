-- The ledger: facts on their way in, entries, the tree over them and its signed checkpoints, keys and sealed bodies, retention
-- and holds, quarantine. Roles and row security are made by src/postgres/roles.ts, because whether they can be made depends on
-- who connects.

-- Entries ---------------------------------------------------------------------------------------------------------------

create table ledger_head (
  tenant text not null references tenant,
  boundary text not null check (boundary in
    ('ingestion', 'reconciliation', 'rules', 'reporting', 'fallback', 'filing', 'access', 'spine')),
  size bigint not null default 0,
  -- Roots of the perfect subtrees; with it appending costs two hashes.
  range bytea not null default '',
  last_leaf bytea,
  last_ts timestamptz,
  -- The last signed head stands in the row that fences the sequencer, so that both move in one transaction.
  signed_size bigint not null default 0,
  signed_root bytea,
  signed_at timestamptz not null default '-infinity',
  -- The version of this log as a subject of the spine.
  spine_ver int not null default 0,
  primary key (tenant, boundary),
  constraint ledger_head_signed check (signed_size <= size and (signed_size = 0) = (signed_root is null))
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
-- A queue: rows that are taken leave dead entries at the head of an index, which every later look has to step over. It is swept
-- by number of rows, not by share of the table, and without pauses.
alter table ledger_intake set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0);

-- Which facts exist, into which logs they go and who may be their actor; written by the migrator from core/facts.
create table fact_right (
  type text not null,
  boundary text not null,
  actor_kind text not null check (actor_kind in ('service', 'user', 'system')),
  primary key (type, boundary, actor_kind)
);

-- A fact is taken only from whoever may write its type into its log, and in nobody else's name: what a person did is told by
-- a session in which that person acts, and by no worker, job or sequencer. Asked once for each statement.
create function guard_intake() returns trigger language plpgsql as $$
declare
  wrong record;
begin
  -- Hundreds of facts are of few kinds: each kind is looked up once, and once for each person who is named.
  select f.type, f.boundary, f.actor_kind, f.actor_id into wrong from (
    select type, boundary, actor_kind, min(actor_id) as actor_id from fresh
    group by type, boundary, actor_kind, case when actor_kind = 'user' then actor_id end) f
  where (f.actor_kind = 'user' and f.actor_id is distinct from nullif(current_setting('fw.person', true), '')
      and f.actor_id is distinct from nullif(current_setting('fw.party', true), ''))
    or not exists (
      select 1 from fact_right r where r.type = f.type and r.boundary = f.boundary and r.actor_kind = f.actor_kind)
  limit 1;
  if found then
    raise exception 'a fact % of the log % may not be written here for the actor %/%; acting is %', wrong.type, wrong.boundary,
      wrong.actor_kind, wrong.actor_id, coalesce(acting_person()::text, 'nobody')
      using errcode = 'restrict_violation', constraint = 'fact_written_by_right';
  end if;
  return null;
end $$;
create trigger ledger_intake_guard after insert on ledger_intake referencing new table as fresh
  for each statement execute function guard_intake();
alter table ledger_intake enable always trigger ledger_intake_guard;

create table ledger_entry (
  tenant text not null,
  boundary text not null,
  seq bigint not null,
  id uuid not null,
  bytes bytea not null check (octet_length(bytes) <= 65535),
  leaf bytea not null check (octet_length(leaf) = 32),
  primary key (tenant, boundary, seq),
  constraint ledger_entry_once unique (tenant, boundary, id),
  foreign key (tenant, boundary) references ledger_head (tenant, boundary)
);

-- Facts that no entry can hold: too large, or not to be written in the ledger's one spelling. The sequencer puts them here,
-- with an entry in their place that names their hash and the reason, and goes on; without this, one of them would stop
-- every log of its tenant for good.
create table ledger_set_aside (
  tenant text not null references tenant,
  boundary text not null,
  -- Of the fact, and of the entry that stands in its place unless the fact has no lawful id.
  id uuid not null,
  at timestamptz not null default now(),
  -- The code of the error; the whole of it may quote the fact, and is sealed with it.
  reason text not null check (length(reason) between 1 and 100),
  -- Of ledger_dek: shredding it is the end of the fact's text, and of nothing else here.
  key text not null,
  -- The fact to the byte and the error, sealed as the body of an entry of this log and id.
  sealed bytea not null,
  -- Of the fact's text, in UTF-8; the entry names both.
  bytes int not null check (bytes > 0),
  sha256 bytea not null check (octet_length(sha256) = 32),
  primary key (tenant, boundary, id)
);
-- What is sealed does not get smaller.
alter table ledger_set_aside alter column sealed set storage external;

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
  primary key (tenant, boundary, level, n),
  foreign key (tenant, boundary) references ledger_head (tenant, boundary)
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
  primary key (tenant, boundary, size),
  foreign key (tenant, boundary) references ledger_head (tenant, boundary)
);

-- Signature lines of witnesses under a checkpoint, as they go into its note. They do not refer to it:
-- to look a checkpoint up for that, its owner would need the right to change it.
create table ledger_cosignature (
  tenant text not null,
  boundary text not null,
  size bigint not null,
  -- The verifier key of the witness.
  witness text not null check (length(witness) between 1 and 500),
  line text not null check (length(line) <= 1000 and line ~ '^— [^[:cntrl:]]+\n$'),
  -- By the clock of the witness.
  cosigned_at timestamptz not null,
  primary key (tenant, boundary, size, witness),
  foreign key (tenant, boundary) references ledger_head (tenant, boundary)
);

-- What an authority of time said of a checkpoint (RFC 3161), to the byte. It proves itself: the authority's signature covers
-- the head and the moment. It does not refer to the checkpoint, as above.
create table ledger_timestamp (
  tenant text not null,
  boundary text not null,
  size bigint not null,
  token bytea not null check (octet_length(token) between 1 and 65536),
  -- By the clock of the authority, as the token says.
  stamped_at timestamptz not null,
  primary key (tenant, boundary, size),
  foreign key (tenant, boundary) references ledger_head (tenant, boundary)
);

-- One per log, and two while one takes over from the other. The private half is wrapped by the tenant key: every process
-- that may become the sequencer of a log needs it, on whatever host, and a copy of the database alone cannot sign.
create table ledger_signing_key (
  tenant text not null,
  boundary text not null,
  id text not null check (id ~ '^[0-9a-f]{8}$'),
  vkey text not null,
  wrapped bytea not null,
  -- Over origin, id, vkey and sizes, made with the tenant key: a row without it is not a key (store/signing-key-seal.ts).
  mac bytea not null check (octet_length(mac) = 32),
  -- Sizes of the log for which it signs.
  first_size bigint not null,
  last_size bigint check (last_size >= first_size - 1),
  ver int not null default 0,
  created_at timestamptz not null default now(),
  primary key (tenant, boundary, id),
  foreign key (tenant, boundary) references ledger_head (tenant, boundary)
);

-- Keys and keeping ------------------------------------------------------------------------------------------------------

-- Root key (outside) > tenant key > data key per subject and month. Only wrapped keys are stored.

-- A rotation gives the one row of a tenant another id and another key; the ledger keeps the history.
create table ledger_tenant_key (
  tenant text not null references tenant,
  id text not null,
  wrapped bytea not null,
  -- What is wrapped under this key begins with it: a process that does not know a label looks here again.
  label bytea not null check (octet_length(label) = 8),
  -- The key before, under this one: whoever looks after two turns would never have known the one in the middle.
  former bytea,
  ver int not null default 0,
  rotations int not null default 0,
  rotated_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (tenant, id),
  constraint ledger_tenant_key_one unique (tenant)
);

create table ledger_dek (
  tenant text not null references tenant,
  id text not null,
  subject text not null,
  month text not null check (month ~ '^\d{4}-\d{2}$'),
  -- A subject's second key in a month begins when the first has sealed its share.
  part int not null default 1,
  wrapped bytea not null,
  -- About how many bodies it has sealed: counted by sample, since a count for each would cost a write for each.
  bodies bigint not null default 0,
  state text not null default 'live' check (state in ('live', 'shredded')),
  retain_until date not null,
  created_at timestamptz not null default now(),
  shredded_at timestamptz,
  primary key (tenant, id),
  constraint ledger_dek_subject unique (tenant, subject, month, part),
  constraint ledger_dek_shredded check ((state = 'shredded') = (shredded_at is not null)
    and (state = 'shredded') = (octet_length(wrapped) = 0))
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

-- A sealed body names a data key that is there. Asked once for each statement: as a foreign key it locked the key, which
-- nobody can remove or rename, once for each body.
create function guard_blob_key() returns trigger language plpgsql as $$
declare
  missing text;
begin
  select f.key into missing from (select distinct tenant, key from fresh) f
  where not exists (select 1 from ledger_dek k where k.tenant = f.tenant and k.id = f.key)
  limit 1;
  if found then
    raise exception 'a sealed body names the data key %, which is not there', missing
      using errcode = 'foreign_key_violation', constraint = 'ledger_blob_key';
  end if;
  return null;
end $$;
create trigger ledger_blob_key after insert on ledger_blob referencing new table as fresh
  for each statement execute function guard_blob_key();
alter table ledger_blob enable always trigger ledger_blob_key;

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

select keep_forever(name) from unnest(array['ledger_entry', 'ledger_set_aside', 'ledger_tile', 'ledger_checkpoint',
  'ledger_cosignature', 'ledger_timestamp', 'ledger_shredding']) name;
select keep_forever(name, may_change => true) from unnest(array['ledger_head', 'ledger_signing_key', 'ledger_tenant_key',
  'ledger_dek', 'ledger_hold', 'quarantine']) name;

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

-- A process that holds a tenant key from before a rotation would wrap with it, and nobody could open that.
create function refuse_former_key(of_tenant text, key_id text, blob bytea) returns void language plpgsql as $$
begin
  if exists (select 1 from ledger_tenant_key t where t.tenant = of_tenant and t.label is distinct from substring(blob for 8)) then
    raise exception 'key % is wrapped under another key than the tenant key of %', key_id, of_tenant
      using errcode = 'restrict_violation', constraint = 'key_under_current';
  end if;
end $$;

create function guard_signing_key() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or new.wrapped is distinct from old.wrapped then
    perform refuse_former_key(new.tenant, new.id, new.wrapped);
  end if;
  if tg_op = 'INSERT' then
    return new;
  end if;
  if (new.tenant, new.boundary, new.id, new.vkey, new.first_size, new.created_at)
    is distinct from (old.tenant, old.boundary, old.id, old.vkey, old.first_size, old.created_at)
    or (old.last_size is not null and new.last_size is distinct from old.last_size) or new.ver < old.ver then
    raise exception 'signing key % may only be wrapped anew or retired, and only once', old.id
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger ledger_signing_key_guard before insert or update on ledger_signing_key for each row
  execute function guard_signing_key();
alter table ledger_signing_key enable always trigger ledger_signing_key_guard;

-- Whoever opens everything is replaced by two people: the transaction that wraps a tenant's key anew, or gives it another, is
-- the one in which a second person approved just that (guard_proposal).
create function guard_tenant_key() returns trigger language plpgsql as $$
declare
  is_turn boolean := new.id <> old.id;
begin
  if new.tenant <> old.tenant or new.created_at <> old.created_at or new.rotations <> old.rotations + is_turn::int
    or (not is_turn and (new.label, new.former, new.rotated_at) is distinct from (old.label, old.former, old.rotated_at))
    or not exists (select 1 from proposal p where p.kind = 'key' and p.state = 'approved' and p.decided_at = now()
      and case when is_turn then p.tenant = old.tenant and p.subject = 'tenant/' || old.id else p.subject like 'root/%' end) then
    raise exception 'the key % of % is replaced only as two people agreed', old.id, old.tenant
      using errcode = 'restrict_violation', constraint = 'key_by_two_people';
  end if;
  return new;
end $$;
create trigger ledger_tenant_key_guard before update on ledger_tenant_key for each row execute function guard_tenant_key();
alter table ledger_tenant_key enable always trigger ledger_tenant_key_guard;

create function guard_data_key() returns trigger language plpgsql as $$
declare
  least_date date := ((new.month || '-01')::date + interval '1 month' - interval '1 day' + interval '7 years')::date;
begin
  if tg_op = 'INSERT' then
    new.retain_until := greatest(coalesce(new.retain_until, least_date), least_date);
    perform refuse_former_key(new.tenant, new.id, new.wrapped);
    return new;
  end if;
  if new.state = 'live' and new.wrapped is distinct from old.wrapped then
    perform refuse_former_key(new.tenant, new.id, new.wrapped);
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

create trigger ledger_blob_once before update on ledger_blob for each row execute function refuse_change();
create trigger ledger_blob_kept before truncate on ledger_blob for each statement execute function refuse_change();
alter table ledger_blob enable always trigger ledger_blob_once, enable always trigger ledger_blob_kept;
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

-- Out of quarantine only by a second person (guard_proposal), for this time and not for an earlier one.
create function guard_quarantine() returns trigger language plpgsql as $$
begin
  if new.ver < old.ver or (old.state = 'in' and new.state = 'out' and not exists (
    select 1 from proposal p where p.tenant = old.tenant and p.kind = 'quarantine' and p.state = 'approved'
      and p.subject = old.tenant || '#' || old.ver and p.decided_by = new.left_by)) then
    raise exception 'the release of tenant % from quarantine is not approved', old.tenant using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger quarantine_guard before update on quarantine for each row execute function guard_quarantine();
alter table quarantine enable always trigger quarantine_guard;

create function guard_hold() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    -- Waits for a shredding that is under way, and keeps the next one waiting.
    perform lock_name(new.tenant, 'hold');
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
  -- The second person is the proposal's affair (guard_proposal).
  if not exists (select 1 from proposal p where p.tenant = old.tenant and p.kind = 'hold' and p.subject = old.id::text
    and p.state = 'approved' and p.proposed_by = old.placed_by and p.decided_by = new.released_by) then
    raise exception 'the release of hold % is not approved', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger ledger_hold_guard before insert or update on ledger_hold for each row execute function guard_hold();
alter table ledger_hold enable always trigger ledger_hold_guard;
-- Of a release the person is compared with the proposal's decision, which asks who acts.
create trigger ledger_hold_actor before insert on ledger_hold for each row execute function guard_actor('placed_by');
alter table ledger_hold enable always trigger ledger_hold_actor;
