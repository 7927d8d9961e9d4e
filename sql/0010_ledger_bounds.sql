-- Facts that no entry can hold: too large, or not to be written in the ledger's one spelling. The sequencer puts them here,
-- with an entry in their place that names their hash and the reason, and goes on; without this, one of them would stop
-- every log of its tenant for good.
-- Runs on PostgreSQL 14 and newer.

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

create trigger ledger_set_aside_once before update or delete on ledger_set_aside for each row
  execute function refuse_change();
alter table ledger_set_aside enable always trigger ledger_set_aside_once;
create trigger ledger_set_aside_kept before truncate on ledger_set_aside for each statement
  execute function refuse_change();
alter table ledger_set_aside enable always trigger ledger_set_aside_kept;
