-- Lanes: portals and targets with their limits and breakers, the processes that work for a tenant, and the slots they hold.

create table lane (
  tenant text not null references tenant,
  code text not null,
  -- A filing must not happen twice, a notice must not fail to happen, a question changes nothing.
  effect text not null check (effect in ('filing', 'notice', 'question')),
  -- A target of dockets and a webhook have neither this nor a longest service: they are spoken to without slots.
  -- Canonical JSON, so that its hash is that of these very bytes; the guard below computes it.
  profile text check (jsonb_typeof(profile::jsonb) = 'object'),
  profile_sha256 bytea,
  -- Which profile of the lane it is (lane_profile): filings that were approved for another one are not claimed.
  profile_n int,
  -- Where it sends to: scheme, host and port.
  origin text check (length(origin) between 1 and 300),
  ceiling int not null check (ceiling between 1 and 1000),
  -- Pause, breaker and counters as core/lane.ts defines them; changed only by compare-and-set on version.
  state jsonb not null,
  version int not null default 1,
  -- Derived from state, so that the claim statement can read it: when new claims may be made again.
  open_from timestamptz not null default '-infinity',
  -- Derived from state, like open_from: the lane recovers, and nothing is claimed on it but questions.
  asks_only boolean not null default false,
  -- Derived from the profile: people file here, and no worker claims anything.
  by_hand boolean not null default false,
  longest_service_ms int,
  changed_at timestamptz not null default now(),
  ver int not null default 1,
  primary key (tenant, code),
  constraint lane_of_portal check ((profile is null) = (longest_service_ms is null)),
  constraint lane_leads_somewhere check ((profile is null) = (origin is null))
);
select keep_forever('lane', may_change => true);

-- The profiles that a lane has had, by number: the same profile has the same number again.
create table lane_profile (
  tenant text not null references tenant,
  lane text not null,
  n int not null check (n >= 1),
  sha256 bytea not null check (octet_length(sha256) = 32),
  origin text not null,
  since timestamptz not null default now(),
  primary key (tenant, lane, n),
  constraint lane_profile_once unique (tenant, lane, sha256)
);
select keep_forever('lane_profile');

-- A lane begins with the profile that one person gave it, because nothing leaves by it before an approval names that
-- profile. Every later one is what two people agreed to: the last proposal that was approved for the lane.
create function guard_lane_profile() returns trigger language plpgsql as $$
begin
  new.profile_sha256 := sha256(convert_to(new.profile, 'UTF8'));
  new.by_hand := new.profile::jsonb->>'driver' is not distinct from 'person';
  if tg_op = 'UPDATE' and not exists (
    select 1 from (
      select p.terms::jsonb as terms from proposal p
      where p.tenant = new.tenant and p.kind = 'lane' and p.subject = new.code and p.state = 'approved'
      order by p.n desc limit 1) last
    where last.terms->>'profile_sha256' = encode(new.profile_sha256, 'hex') and last.terms->>'origin' = new.origin) then
    raise exception 'lane % may have another profile only as two people have agreed', new.code
      using errcode = 'restrict_violation', constraint = 'lane_profile_agreed';
  end if;
  insert into lane_profile (tenant, lane, n, sha256, origin)
  select new.tenant, new.code, coalesce(max(n), 0) + 1, new.profile_sha256, new.origin from lane_profile
  where tenant = new.tenant and lane = new.code
  on conflict on constraint lane_profile_once do nothing;
  select n into new.profile_n from lane_profile
  where tenant = new.tenant and lane = new.code and sha256 = new.profile_sha256;
  return new;
end $$;
create trigger lane_profile_first before insert on lane for each row
  when (new.profile is not null) execute function guard_lane_profile();
create trigger lane_profile_changed before update on lane for each row
  when ((new.profile, new.profile_sha256, new.profile_n, new.origin, new.by_hand) is distinct from
    (old.profile, old.profile_sha256, old.profile_n, old.origin, old.by_hand))
  execute function guard_lane_profile();
alter table lane enable always trigger lane_profile_first, enable always trigger lane_profile_changed;

-- The claim of a worker (filings/store/tick.ts) asks when a lane opens. One whose filings people carry never does, whatever
-- its state says; so that rule is held here and costs a claim nothing. After the guard of the profile, by its name.
create function keep_closed() returns trigger language plpgsql as $$
begin
  new.open_from := case when new.by_hand or new.state->'pause'->>'kind' = 'held' then 'infinity' else '-infinity' end;
  return new;
end $$;
create trigger lane_stays_closed before insert or update on lane for each row
  when (new.by_hand and new.open_from <> 'infinity') execute function keep_closed();
-- Back with a portal, it opens as its pause says.
create trigger lane_takes_workers before update on lane for each row
  when (old.by_hand and not new.by_hand) execute function keep_closed();
alter table lane enable always trigger lane_stays_closed, enable always trigger lane_takes_workers;

-- A recovery that a person started goes beyond its probes only as two people have agreed. One that begins anew, for a
-- graver reason, is another one.
create function guard_lane_recovery() returns trigger language plpgsql as $$
begin
  perform require_recovery_agreed(new.tenant, new.code || '/' || (old.state->'recovery'->>'since'));
  return new;
end $$;
create trigger lane_recovery_agreed before update on lane for each row
  when (old.state->'recovery'->'hurriedBy'->0 is not null
    and old.state->'recovery'->'run'->>'state' in ('probing', 'awaiting_approval')
    and (new.state->'recovery' is null or new.state->'recovery'->'run'->>'state' not in ('probing', 'awaiting_approval')
      or (new.state->'recovery'->'hurriedBy'->0 is null
        and new.state->'recovery'->'since' is not distinct from old.state->'recovery'->'since')))
  execute function guard_lane_recovery();
alter table lane enable always trigger lane_recovery_agreed;

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
