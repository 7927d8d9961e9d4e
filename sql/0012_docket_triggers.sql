-- Dockets: what is told truly of an attempt, and the two ways back that a docket has.
-- Runs on PostgreSQL 14 and newer.

-- An attempt that could not be made is none, and a message that cannot be written is no failure of its target.
alter table docket_handoff drop constraint docket_handoff_outcome_check;
alter table docket_handoff add constraint docket_handoff_outcome_check check (
  outcome in ('confirmed', 'sent', 'failed', 'unknown', 'denied', 'refused', 'unsendable', 'not_made'));

-- A letter of the manual tier waits for others that go to the same mailbox; until it is sent, nothing was tried.
alter table docket_handoff drop constraint docket_handoff_attempt_check;
alter table docket_handoff add constraint docket_handoff_attempt_check check (attempt >= 0);

-- A docket only ever moves down the tiers until it is confirmed, and confirmed is confirmed. But for two things: while
-- nobody has acted, a target that is well again takes it from the people who wait for it (its state keeps what they know
-- as `held`); and what a broker alone confirmed is not confirmed when nobody takes it from that queue.
drop trigger docket_way on docket;
create trigger docket_way before update on docket for each row
  when (
    (old.phase = 'confirmed' and new.phase <> 'confirmed' and (old.state->>'by') is distinct from old.target)
    or (old.phase = 'manual' and new.phase not in ('manual', 'confirmed') and not (new.state ? 'held'))
    or (new.phase <> 'confirmed' and not (old.phase = 'manual' and new.state ? 'held')
      and array_position(array['PRIMARY', 'SECONDARY', 'TERTIARY', 'MANUAL'], new.tier)
        < array_position(array['PRIMARY', 'SECONDARY', 'TERTIARY', 'MANUAL'], old.tier)))
  execute function refuse_docket_way();
alter table docket enable always trigger docket_way;

-- Dockets that wait for people are looked for by the target that came back.
create index docket_manual on docket (tenant) where phase = 'manual' and closed_at is null;
