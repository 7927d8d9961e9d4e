-- One queue for everything that is not a filing, a docket or a question: events on their way out, notices, what consumers
-- have to hear, alerts that are told again, notices of the manual tier, targets that are brought back, and the timetable.
-- Whoever asks for work adds it in the transaction of the fact that asks for it. Runs on PostgreSQL 14 and newer.

create table work (
  -- Without a foreign key: every tick that accepts something would lock the row of its tenant, which all ticks share.
  tenant text not null,
  id uuid not null,
  kind text not null check (kind in ('event', 'webhook', 'mail', 'consume', 'alert', 'timetable', 'recovery', 'handoff')),
  -- Whom it is for: a webhook, a consumer, an entry of the timetable. What is for one target waits for no other.
  target text not null check (length(target) between 1 and 200),
  body jsonb not null default '{}',
  event uuid,
  -- The docket that it is about; only who may see that one may see this.
  docket text,
  -- The same reason never makes it a second time.
  dedup text check (length(dedup) between 1 and 500),
  state text not null default 'pending' check (state in ('pending', 'done', 'failed', 'dropped')),
  -- Counts this try too while somebody tries: that is the fence for its outcome.
  tries int not null default 0,
  -- While somebody tries, when his claim ends; otherwise when the next try is due.
  next_at timestamptz default now(),
  code text,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (tenant, id),
  foreign key (tenant, event) references event (tenant, id),
  constraint work_pending_has_turn check ((state = 'pending') = (next_at is not null)),
  constraint work_says_what check (
    case kind when 'event' then body ? 'type' when 'mail' then body ?& array['origin', 'recipient', 'subject', 'text']
      when 'webhook' then event is not null and body ? 'origin' when 'consume' then event is not null else true end)
);
-- Who looks for work steps from target to target here, and reads one row of each.
create index work_due on work (tenant, kind, target, next_at) where state = 'pending';
create unique index work_once on work (tenant, dedup) where dedup is not null;
create index work_event on work (tenant, event) where event is not null;
create index work_docket on work (tenant, docket) where docket is not null and state = 'pending';
create index work_recent on work (tenant, kind, created_at) where kind in ('webhook', 'mail');
-- Every accepted filing leaves a dead row here when its event is taken.
alter table work set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0);

-- Tries that leave the house: written before the send and completed after it. Without an end, nobody knows whether the
-- receiver got it.
create table work_try (
  tenant text not null,
  work uuid not null,
  n int not null,
  started_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  verdict text check (verdict in ('sent', 'transient', 'unknown', 'permanent', 'gone')),
  code text,
  primary key (tenant, work, n),
  foreign key (tenant, work) references work (tenant, id)
);
