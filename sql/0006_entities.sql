-- The register: entities, what they owe, and .ics calendars.

-- What lists and rules need is plain; names, form fields, shares and addresses are in the sealed body that `ct` names.
create table entity (
  tenant text not null references tenant,
  id text not null check (length(id) between 1 and 200),
  jurisdiction text not null check (length(jurisdiction) between 1 and 16),
  registry_number text not null check (length(registry_number) between 1 and 64),
  kind text not null check (kind in ('corporation', 'llc', 'lp', 'llp', 'nonprofit', 'pc', 'pllc')),
  origin text not null check (origin in ('domestic', 'foreign')),
  formation_date date,
  fiscal_year_end text check (fiscal_year_end ~ '^\d{2}-\d{2}$'),
  -- A rule that a person chose where none was read for this sort of entity.
  rule_id text,
  -- The dates on the record of the state by filing kind; they override the rule.
  state_record_due jsonb not null default '{}' check (jsonb_typeof(state_record_due) = 'object'),
  ct bytea not null check (octet_length(ct) = 32),
  ver int not null check (ver >= 1),
  recorded_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  primary key (tenant, id),
  constraint entity_registry_number unique (tenant, jurisdiction, registry_number)
);

-- What the law asks of an entity. The id is the obligation key of core/identity.ts, so a filing for it has the same.
create table obligation (
  tenant text not null,
  id text not null check (id ~ '^fwo1-[0-9a-f]{32}$'),
  entity text not null,
  jurisdiction text not null,
  registry_number text not null,
  sort text not null check (sort in ('periodic', 'initial', 'publication')),
  filing_kind text not null,
  -- 'unknown' where only the record of the state can say the date.
  period text not null,
  state text not null check (state in ('open', 'record_needed', 'nothing_owed', 'met', 'superseded')),
  -- The day of the question: the same question again after the rules have changed gives the same occurrence.
  as_of date not null,
  rule_id text,
  rule_version text not null,
  calendar_version text not null,
  -- Before any roll; what comes after it is the next occurrence.
  raw date,
  not_before date,
  due date,
  final date,
  penalty_free_until date,
  schedule_by date,
  -- The portal's last open minute, as a moment and in the portal's own time.
  cutoff timestamptz,
  cutoff_text text,
  fee_cents bigint check (fee_cents >= 0),
  confidence text not null check (confidence in ('high', 'medium', 'low')),
  -- Steps, alarms, notes and figures as the rules gave them; why, where there is no date.
  answer jsonb not null,
  -- Why it was superseded.
  ended text check (length(ended) between 1 and 500),
  ver int not null check (ver >= 1),
  computed_at timestamptz not null default now(),
  primary key (tenant, id),
  foreign key (tenant, entity) references entity (tenant, id),
  constraint obligation_open_has_date check (state <> 'open' or (due is not null and raw is not null)),
  constraint obligation_asked_has_no_period check ((state in ('record_needed', 'nothing_owed')) <= (period = 'unknown')),
  constraint obligation_superseded_has_reason check (state <> 'superseded' or ended is not null)
);
create index obligation_entity on obligation (tenant, entity);
create index obligation_due on obligation (tenant, due, id) where state = 'open';
create index obligation_asked on obligation (tenant, id) where state = 'record_needed';

-- What an .ics calendar said last, so that identities stay, sequences rise, and what leaves is cancelled.
create table ics_calendar (
  tenant text not null references tenant,
  name text not null check (length(name) between 1 and 200),
  state jsonb not null,
  ver int not null default 1,
  issued_at timestamptz not null default now(),
  primary key (tenant, name)
);

create table ics_obligation (
  tenant text not null,
  calendar text not null,
  obligation text not null,
  primary key (tenant, calendar, obligation),
  foreign key (tenant, calendar) references ics_calendar (tenant, name),
  foreign key (tenant, obligation) references obligation (tenant, id)
);

-- Which column of their tables people have confirmed to be which of ours, by the set of the names; null: it is left out.
create table sheet_columns (
  tenant text not null references tenant,
  of_rows text not null check (of_rows in ('filings', 'entities', 'bank', 'awards', 'outcomes')),
  headers bytea not null check (octet_length(headers) = 32),
  columns jsonb not null check (jsonb_typeof(columns) = 'object'),
  confirmed_by uuid not null,
  confirmed_at timestamptz not null default now(),
  primary key (tenant, of_rows, headers),
  foreign key (tenant, confirmed_by) references person (tenant, id)
);
create trigger sheet_columns_actor before insert or update on sheet_columns for each row
  execute function guard_actor('confirmed_by');
alter table sheet_columns enable always trigger sheet_columns_actor;

-- Nothing the register has known disappears: it is changed with a ledger fact, or superseded.
select keep_forever(name, may_change => true) from unnest(array['entity', 'obligation']) name;

-- A met obligation stays met; a superseded one may come back when the record is corrected again.
create function refuse_unmeeting() returns trigger language plpgsql as $$
begin
  raise exception 'obligation % is met, and stays so', old.id using errcode = 'restrict_violation';
end $$;
create trigger obligation_met before update on obligation for each row
  when (old.state = 'met' and new.state <> 'met') execute function refuse_unmeeting();
alter table obligation enable always trigger obligation_met;
