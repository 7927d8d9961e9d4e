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
  created_at timestamptz not null default now()
);
insert into installation (role_prefix) values ('fw_' || substr(md5(random()::text || clock_timestamp()::text), 1, 8));

create table tenant (
  id text primary key check (id ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  -- First part of every ledger origin; a scheme-less name without spaces or plus signs.
  instance text not null check (instance ~ '^[a-z0-9][a-z0-9.-]{0,100}$'),
  created_at timestamptz not null default now()
);

create table person (
  tenant text not null references tenant,
  id uuid not null,
  name text not null check (length(name) between 1 and 200),
  key_sha256 bytea not null check (octet_length(key_sha256) = 32),
  ver int not null default 1,
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  primary key (tenant, id),
  unique (tenant, name),
  unique (key_sha256)
);

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
