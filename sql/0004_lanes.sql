-- Lanes: portals and targets with their limits and breakers, the processes that work for a tenant, and the slots they hold.

create table lane (
  tenant text not null references tenant,
  code text not null,
  -- A filing must not happen twice, a notice must not fail to happen, a question changes nothing.
  effect text not null check (effect in ('filing', 'notice', 'question')),
  -- A target of dockets and a webhook have neither this nor a longest service: they are spoken to without slots.
  profile jsonb,
  ceiling int not null check (ceiling between 1 and 1000),
  -- Pause, breaker and counters as core/lane.ts defines them; changed only by compare-and-set on version.
  state jsonb not null,
  version int not null default 1,
  -- Derived from state, so that the claim statement can read it: when new claims may be made again.
  open_from timestamptz not null default '-infinity',
  -- Derived from state, like open_from: the lane recovers, and nothing is claimed on it but questions.
  asks_only boolean not null default false,
  longest_service_ms int,
  changed_at timestamptz not null default now(),
  ver int not null default 1,
  primary key (tenant, code),
  constraint lane_of_portal check ((profile is null) = (longest_service_ms is null))
);
select keep_forever('lane', may_change => true);

-- One per incarnation of a worker process; the id is the fencing number.
create sequence worker_fence;
create sequence slot_fence;

create table worker (
  tenant text not null references tenant,
  id bigint not null,
  host text not null,
  pid int not null,
  -- When it started, and a random mark that the process itself holds: a row alone ends no process.
  pid_started_at text not null,
  -- A command that asks one portal, and so takes slots of no other lane; null for a worker.
  wants text,
  started_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  primary key (tenant, id)
) with (fillfactor = 50);

create table lane_slot (
  tenant text not null,
  lane text not null,
  n int not null check (n >= 0),
  holder bigint,
  -- Another number each time it is taken, so that a late release cannot free a later taking.
  fence bigint not null default 0,
  expires_at timestamptz not null default '-infinity',
  primary key (tenant, lane, n),
  foreign key (tenant, lane) references lane (tenant, code)
) with (fillfactor = 30);
