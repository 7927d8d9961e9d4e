/**
 * Every other table, with the reason why nobody looks for a change of it here. A new table is in a mutation, or here; one
 * that gets its mutation leaves this list.
 */
const QUEUE = 'says what is still to be done; what was done, and for whom, is in the entries';
const RUNNING =
  'who works at the moment; it is empty when nobody does, and no entry is made from it';
const KEPT = 'sealed under the tenant key for its own row: another one does not open';
const COMPUTED = 'made anew from what was imported, and in the totals and hashes of what is closed';
const ARRIVED =
  'bytes as they came; the document or feed that brought them is compared by its counts';
const READ_BY =
  'how a table is read; what was read by it is shown before it is taken, and compared afterwards';
const UNKNOWN = 'the entries know nothing of it: an open gap';

export const NOT_MUTATED: Readonly<Record<string, string>> = {
  installation: 'one row about the schema; a changed one stops every command',
  migration: 'which files made the schema; a changed one stops every command',
  tenant: 'its name is part of the origin of each log',
  named_lock: RUNNING,
  fact_right: 'written anew from the code at each migration; test/ledger-store/roles.test.ts',
  ledger_tile: 'needs more entries: test/ledger-store/forgery.test.ts',
  ledger_cosignature: 'each line is verified by the key of its witness: test/witness',
  ledger_timestamp: 'each token is verified by the key of its authority: test/stamps',
  ledger_tenant_key: KEPT,
  ledger_shredding: QUEUE,
  event: QUEUE,
  event_head: QUEUE,
  event_consumer: QUEUE,
  work: QUEUE,
  work_try: QUEUE,
  question: QUEUE,
  question_try: QUEUE,
  request_answer: KEPT,
  subscription_secret: KEPT,
  warned: UNKNOWN,
  refusal: 'how many of a flood the log was told; the refusals that were told are entries',
  worker: RUNNING,
  lane_slot: RUNNING,
  sheet_columns: READ_BY,
  ics_calendar: COMPUTED,
  ics_obligation: COMPUTED,
  routing_law: COMPUTED,
  docket_message: 'which messages are known; the docket that came of one is compared',
  docket_link: 'a link acknowledges as who was named in the handoff, which is compared',
  queue_reading: RUNNING,
  recovery_run: UNKNOWN,
  recovery_evidence: UNKNOWN,
  recovery_difference: UNKNOWN,
  grant_award: ARRIVED,
  grant_award_group: COMPUTED,
  grant_metadata: ARRIVED,
  grant_escalation: QUEUE,
  grant_statement: ARRIVED,
  grant_line: ARRIVED,
  grant_line_group: COMPUTED,
  grant_draft: COMPUTED,
  grant_match: COMPUTED,
  grant_match_line: COMPUTED,
  grant_match_part: COMPUTED,
  grant_crossing: COMPUTED,
  grant_received: COMPUTED,
};
