-- Probes in slots, and a memory of who was warned of. Runs on PostgreSQL 14 and newer.

-- A probe takes a slot of its lane, like every other request to the portal.
alter table lane drop column probe_holder, drop column probe_until;

-- Of which filing ("slack") or obligation ("unfiled") somebody was told, and under which threshold at the lowest. Alerts
-- are told in groups and acknowledged as such; whoever joins a group later must be told of all the same.
create table warned (
  tenant text not null references tenant,
  kind text not null check (kind in ('slack', 'unfiled')),
  subject text not null check (length(subject) between 1 and 300),
  threshold_ms bigint not null check (threshold_ms >= 0),
  primary key (tenant, kind, subject)
);
