-- The balance law of bank accounts: a period closes only when its opening balance and every entry, counted once, make its
-- closing balance. For that a line says which statement tells it and whether it only announces money, a statement says whether
-- it is a page of a longer one, a person can state a balance, and two people can withdraw a wrong statement.
-- Runs on PostgreSQL 14 and newer.

alter table grant_statement
  -- The bank's own name of the statement; pages of one statement share it.
  add column statement_id text,
  add column page_before boolean not null default false,
  add column page_after boolean not null default false,
  -- What it says of itself and its lines do not show.
  add column doubt text,
  -- camt allows numbers of 15 digits.
  alter column number type bigint;

alter table grant_line
  -- The ordinal of its statement in the feed; null for lines that were taken in before this was kept.
  add column statement int,
  -- A hint (intraday, clearing, pending): it is never money of its own.
  add column announced boolean not null default false,
  -- Its period was closed when it came. It is a second delivery of what was closed, or a question to a person.
  add column late boolean not null default false;
create index grant_line_late on grant_line (tenant, feed) where late;

alter table grant_line_group add column announced int not null default 0 check (announced >= 0);

create or replace function guard_grant_line() returns trigger language plpgsql as $$
declare
  locked record;
begin
  -- Waits for a closing that is under way, and keeps the next one waiting; the look below then sees its period.
  perform pg_advisory_xact_lock_shared(hashtextextended('filewright.grants/' || f.tenant, 0))
  from (select tenant from fresh limit 1) f;
  select f.booked_on, f.account into locked from fresh f
  join grant_period p on p.tenant = f.tenant and p.account = f.account and f.booked_on between p.from_day and p.to_day
  where not f.late limit 1;
  if found then
    raise exception 'the period of account % around % is closed', locked.account, locked.booked_on
      using errcode = 'restrict_violation', constraint = 'grant_period_closed';
  end if;
  return null;
end $$;

-- What a person read from the bank where no feed says it; the last word about a day counts until its period is closed.
create table grant_balance (
  tenant text not null references tenant,
  account text not null check (length(account) between 1 and 100),
  on_day date not null,
  n int not null check (n >= 1),
  cents bigint not null,
  reason text not null check (length(reason) between 1 and 500),
  stated_by uuid not null,
  stated_at timestamptz not null default now(),
  primary key (tenant, account, on_day, n),
  foreign key (tenant, stated_by) references person (tenant, id)
);

-- A wrong statement leaves while nothing of it is closed: one person proposes it, another agrees. A withdrawal that was a
-- mistake is taken back in the same way.
create function guard_statement_proposal() returns trigger language plpgsql as $$
begin
  if new.state in ('open', 'approved') and exists (select 1 from grant_match_line m
    join grant_line l on l.tenant = m.tenant and l.feed = m.feed and l.ordinal = m.ordinal
    where m.tenant = new.tenant and m.feed = new.subject and (new.terms::jsonb->>'statement' is null
      or coalesce(l.statement, 1) = (new.terms::jsonb->>'statement')::int)) then
    raise exception 'a line of feed % is in a closed period', new.subject
      using errcode = 'restrict_violation', constraint = 'grant_withdrawal_open';
  end if;
  return new;
end $$;
create trigger proposal_statement before insert or update on proposal for each row
  when (new.kind = 'statement') execute function guard_statement_proposal();
alter table proposal enable always trigger proposal_statement;

do $$
declare name text;
begin
  foreach name in array array['grant_balance'] loop
    execute format('create trigger %I before update or delete on %I for each row execute function refuse_change()',
      name || '_once', name);
    execute format('alter table %I enable always trigger %I', name, name || '_once');
    execute format('create trigger %I before truncate on %I for each statement execute function refuse_change()',
      name || '_kept', name);
    execute format('alter table %I enable always trigger %I', name, name || '_kept');
  end loop;
end $$;
