-- Events on their way out. The outbox is a queue that the tick writes; whoever fans out moves its rows into `event` and
-- makes, in the same transaction, a notice for every subscription and a consumption for every consumer that wants the
-- type. The tick pays nothing for it: the outbox gets no further index, and stays nearly empty.

-- Alerts are events without a filing; what such an event says is its data.
alter table outbox_event alter column filing drop not null;
alter table outbox_event add column data jsonb;
alter table outbox_event add constraint outbox_event_says_something check (filing is not null or data is not null);
alter table outbox_event set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0);

create table event (
  tenant text not null references tenant,
  id uuid not null,
  type text not null,
  at timestamptz not null,
  filing uuid,
  -- Ids, status and dates; never payload data. Fixed when the event is taken, so that every attempt sends the same.
  data jsonb not null,
  primary key (tenant, id)
);
create index event_recent on event (tenant, at);
create index event_filing on event (tenant, filing) where filing is not null;

-- Who wants to hear -------------------------------------------------------------------------------------------------------

create table subscription (
  tenant text not null references tenant,
  id uuid not null,
  url text not null check (length(url) between 1 and 2000),
  -- Empty: every type.
  types text[] not null,
  allow_private boolean not null,
  added_by uuid not null,
  added_at timestamptz not null default now(),
  disabled_at timestamptz,
  disabled_reason text,
  removed_at timestamptz,
  ver int not null default 1,
  primary key (tenant, id),
  foreign key (tenant, added_by) references person (tenant, id),
  constraint subscription_disabled_has_reason check ((disabled_at is null) = (disabled_reason is null))
);

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

-- What is under way -------------------------------------------------------------------------------------------------------

-- One message to one receiver. It must not fail to happen, and may happen twice: receivers know it again by its id.
create table notice (
  tenant text not null references tenant,
  id uuid not null,
  channel text not null check (channel in ('webhook', 'mail')),
  -- What is served by one sender at a time: a subscription's id, or 'mail'.
  target text not null,
  origin text not null check (origin in ('event', 'alert', 'digest', 'agent', 'test')),
  event uuid,
  subscription uuid,
  recipient text,
  subject text,
  body text,
  -- The same reason never makes a second notice.
  dedup text not null,
  state text not null default 'pending' check (state in ('pending', 'sent', 'failed', 'dropped')),
  attempts int not null default 0,
  next_at timestamptz,
  claimed_until timestamptz,
  code text,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (tenant, id),
  constraint notice_once unique (tenant, dedup),
  constraint notice_pending_has_turn check ((state = 'pending') = (next_at is not null)),
  constraint notice_has_receiver check (
    case channel when 'webhook' then subscription is not null and event is not null
    else recipient is not null and subject is not null and body is not null end),
  foreign key (tenant, event) references event (tenant, id),
  foreign key (tenant, subscription) references subscription (tenant, id)
);
create index notice_due on notice (tenant, target, next_at) where state = 'pending';
create index notice_event on notice (tenant, event) where event is not null;
create index notice_recent on notice (tenant, created_at);

-- Written before the send and completed after it: without an end, nobody knows whether the receiver got it.
create table notice_attempt (
  tenant text not null,
  notice uuid not null,
  no int not null,
  started_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  verdict text check (verdict in ('sent', 'transient', 'unknown', 'permanent', 'gone')),
  code text,
  primary key (tenant, notice, no),
  foreign key (tenant, notice) references notice (tenant, id)
);

create table event_consumption (
  tenant text not null,
  consumer text not null,
  event uuid not null,
  state text not null default 'pending' check (state in ('pending', 'done', 'failed')),
  attempts int not null default 0,
  next_at timestamptz default now(),
  code text,
  ended_at timestamptz,
  primary key (tenant, consumer, event),
  foreign key (tenant, event) references event (tenant, id),
  constraint event_consumption_pending_has_turn check ((state = 'pending') = (next_at is not null))
);
create index event_consumption_due on event_consumption (tenant, consumer, next_at) where state = 'pending';

-- Alerts ------------------------------------------------------------------------------------------------------------------

create table alert (
  tenant text not null references tenant,
  id uuid not null,
  kind text not null check (kind ~ '^[a-z][a-z0-9_]{0,59}$'),
  subject text not null check (length(subject) between 1 and 200),
  severity text not null check (severity in ('info', 'warning', 'critical')),
  -- Null: the tenant's recipients of alerts.
  recipient text,
  text text not null check (length(text) between 1 and 10000),
  dedup text not null check (length(dedup) between 1 and 200),
  raised int not null default 1,
  raised_at timestamptz not null default now(),
  last_raised_at timestamptz not null default now(),
  -- How often somebody was told, and when they are told again; null when never again.
  told int not null default 0,
  tell_at timestamptz,
  acknowledged_at timestamptz,
  acknowledged_by uuid,
  -- The ledger hears of the acknowledgement alone, so it counts from there.
  ver int not null default 0,
  primary key (tenant, id),
  foreign key (tenant, acknowledged_by) references person (tenant, id),
  constraint alert_acknowledged_by_person check ((acknowledged_at is null) = (acknowledged_by is null)),
  constraint alert_acknowledged_is_quiet check (acknowledged_at is null or tell_at is null)
);
create unique index alert_open on alert (tenant, dedup) where acknowledged_at is null;
create index alert_tell on alert (tenant, tell_at) where tell_at is not null;
