-- A receipt is one filing's. Whoever comes with it second, on the same lane, has proven nothing.
-- Runs on PostgreSQL 14 and newer.

create table receipt (
  tenant text not null,
  lane text not null,
  number text not null,
  filing uuid not null,
  primary key (tenant, lane, number)
);

-- What is on record belongs to the filing that came first; a second use of before stays as it was recorded.
insert into receipt (tenant, lane, number, filing)
select distinct on (tenant, lane, receipt) tenant, lane, receipt, id
from filing where receipt is not null order by tenant, lane, receipt, id;

create trigger receipt_once before update or delete on receipt for each row execute function refuse_change();
alter table receipt enable always trigger receipt_once;
create trigger receipt_kept before truncate on receipt for each statement execute function refuse_change();
alter table receipt enable always trigger receipt_kept;
