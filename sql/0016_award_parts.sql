-- An award has parts: it is paid in several bookings, some of which come back; and it may be amended or cancelled, by two
-- people. Runs on PostgreSQL 14 and newer.

-- Parts -----------------------------------------------------------------------------------------------------------------

-- What one booking brought to one award, frozen with its period. The sum of an award's parts is what it has received.
create table grant_match_part (
  tenant text not null,
  match uuid not null,
  award text not null,
  feed text not null,
  ordinal int not null,
  -- Before what a bank on the way kept; below zero where money was taken back.
  cents bigint not null check (cents <> 0),
  fee_cents bigint not null default 0,
  -- Goods and services, which come with the first payment.
  goods_cents bigint not null default 0 check (goods_cents >= 0),
  -- The line of the payment that this one takes back, where it is known.
  takes_back text,
  primary key (tenant, match, award, feed, ordinal),
  foreign key (tenant, match) references grant_match (tenant, id),
  foreign key (tenant, award) references grant_award (tenant, key)
);
create index grant_match_part_award on grant_match_part (tenant, award);

-- What was closed before had one match for an award: its money, on the first of its lines, as it was handed on.
insert into grant_match_part (tenant, match, award, feed, ordinal, cents, goods_cents)
select r.tenant, r.match, r.award, l.feed, l.ordinal,
  case when m.rule = 'person' and m.reason->'bankCents' <> m.reason->'ledgerCents'
    then (m.reason->>'bankCents')::bigint else a.cents - goods.cents end, goods.cents
from grant_match_receipt r
join grant_match m on m.tenant = r.tenant and m.id = r.match
join grant_award a on a.tenant = r.tenant and a.key = r.award
join lateral (
  select x.feed, x.ordinal from grant_match_line x join grant_line g on g.tenant = x.tenant and g.feed = x.feed
    and g.ordinal = x.ordinal
  where x.tenant = r.tenant and x.match = r.match order by g.booked_on, x.feed, x.ordinal limit 1) l on true
-- Of one award alone the match itself says how much of it was goods; of several nobody recorded it.
join lateral (select case when (select count(*) from grant_match_receipt s where s.tenant = r.tenant and s.match = r.match) = 1
  then greatest(a.cents - (m.reason->>'ledgerCents')::bigint, 0) else 0 end as cents) goods on true
where m.status = 'matched';
-- It said that an award has one match, which is no longer so; everything in it is in the parts now.
drop table grant_match_receipt;

-- A booking by itself: its own day, what it brought, what the bank kept of it, and which payment it takes back.
alter table grant_received
  add column feed text,
  add column ordinal int,
  add column fee_cents bigint not null default 0,
  -- Null in what was handed on before: then the award's own document says it.
  add column goods_cents bigint,
  add column takes_back text,
  drop constraint grant_received_cents_check,
  add constraint grant_received_cents_check check (cents <> 0);
alter table grant_received disable trigger grant_received_once;
update grant_received set feed = bank->0->>'feed', ordinal = split_part(bank->0->>'line', '#', 2)::int;
alter table grant_received enable always trigger grant_received_once;
alter table grant_received
  alter column feed set not null,
  alter column ordinal set not null,
  drop constraint grant_received_pkey,
  add primary key (tenant, award, period, feed, ordinal);

-- What a person says that the bank kept of a payment.
alter table grant_settlement add column fee_cents bigint not null default 0 check (fee_cents >= 0);

-- One booked sum for several gifts: what each award has of it, and what they leave. While the rest is open nothing of the line
-- counts; otherwise the rest pays none of the awards.
alter table grant_settlement
  -- As many as the awards, in their order; null where one award has whatever the line brings, and where none has anything.
  add column cents bigint[],
  add column rest_cents bigint not null default 0 check (rest_cents >= 0),
  add column rest_open boolean not null default false,
  add constraint grant_settlement_each check (cents is null or cardinality(cents) = cardinality(awards)),
  add constraint grant_settlement_rest check (rest_cents = 0 or (cents is not null and cardinality(cents) > 0)),
  add constraint grant_settlement_open check (not rest_open or rest_cents > 0);

-- Money goes on only when no award has received less than nothing, nor, unless a person said so, more than was promised.
create function guard_grant_parts() returns trigger language plpgsql as $$
declare
  wrong text;
begin
  select s.award into wrong from (
    select p.award, sum(p.cents) as cents, bool_or(m.rule = 'person') as settled from grant_match_part p
    join grant_match m on m.tenant = p.tenant and m.id = p.match
    where p.tenant = new.tenant and p.award in (
      select q.award from grant_match_part q join grant_match n on n.tenant = q.tenant and n.id = q.match
      where n.tenant = new.tenant and n.period = new.period)
    group by p.award) s
  join grant_award a on a.tenant = new.tenant and a.key = s.award
  -- A payment may have been counted for the award that this one replaces.
  where (s.cents < 0 and a.replaces is null) or (s.cents > a.cents and not s.settled) limit 1;
  if wrong is not null then
    raise exception 'award % would have received less than nothing, or more than it promises', wrong
      using errcode = 'restrict_violation', constraint = 'grant_parts_add_up';
  end if;
  return new;
end $$;
create trigger grant_handoff_parts before insert on grant_handoff for each row execute function guard_grant_parts();
alter table grant_handoff enable always trigger grant_handoff_parts;

-- Amendments and cancellations ------------------------------------------------------------------------------------------

-- Several records of one award, one in place of the other: only the last stands.
alter table grant_award add column generation int not null default 0 check (generation >= 0);
alter table grant_award drop constraint grant_award_identity,
  add constraint grant_award_identity unique (tenant, identity, generation);

-- Which award an exception is about to replace or to end; null for one that is no word about an award that stands.
alter table grant_exception add column amends text;
-- One amendment of an award at a time: of two that wait, the second could never be taken in.
create unique index proposal_amends on proposal (tenant, (terms::jsonb->>'amends'))
  where kind = 'exception' and terms::jsonb->>'amends' is not null and state in ('open', 'approved');

-- An award that no longer stands: what came in its place, or nothing where it was cancelled. Once for each award.
create table grant_award_end (
  tenant text not null,
  award text not null,
  exception uuid not null,
  by_award text,
  withdrawn_at timestamptz not null default now(),
  primary key (tenant, award),
  foreign key (tenant, award) references grant_award (tenant, key),
  foreign key (tenant, by_award) references grant_award (tenant, key) deferrable initially deferred,
  constraint grant_award_end_of_another check (by_award <> award)
);
create unique index grant_award_end_by on grant_award_end (tenant, by_award) where by_award is not null;

create function guard_grant_award_end() returns trigger language plpgsql as $$
begin
  if not exists (
    select 1 from proposal p
    where p.tenant = new.tenant and p.kind = 'exception' and p.subject = new.exception::text and p.state = 'approved'
      and p.terms::jsonb->>'amends' = new.award
      and p.terms::jsonb->>'resolution' = case when new.by_award is null then 'cancel' else 'reingest' end) then
    raise exception 'award % is amended or cancelled without the approval of two people', new.award
      using errcode = 'restrict_violation', constraint = 'grant_award_end_approved';
  end if;
  return new;
end $$;
create trigger grant_award_end_guard before insert on grant_award_end for each row
  execute function guard_grant_award_end();
alter table grant_award_end enable always trigger grant_award_end_guard;

-- Walls -----------------------------------------------------------------------------------------------------------------

do $$
declare name text;
begin
  foreach name in array array['grant_match_part', 'grant_award_end'] loop
    execute format('create trigger %I before update or delete on %I for each row execute function refuse_change()',
      name || '_once', name);
    execute format('alter table %I enable always trigger %I', name, name || '_once');
    execute format('create trigger %I before truncate on %I for each statement execute function refuse_change()',
      name || '_kept', name);
    execute format('alter table %I enable always trigger %I', name, name || '_kept');
  end loop;
end $$;
