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
  -- The code of the error, and the whole of it.
  reason text not null check (length(reason) between 1 and 100),
  message text not null check (length(message) between 1 and 1000),
  -- The fact to the byte; the entry names the SHA-256 of this text.
  fact text not null,
  sha256 bytea not null check (octet_length(sha256) = 32),
  primary key (tenant, boundary, id)
);

create trigger ledger_set_aside_once before update or delete on ledger_set_aside for each row
  execute function refuse_change();
alter table ledger_set_aside enable always trigger ledger_set_aside_once;
create trigger ledger_set_aside_kept before truncate on ledger_set_aside for each statement
  execute function refuse_change();
alter table ledger_set_aside enable always trigger ledger_set_aside_kept;
