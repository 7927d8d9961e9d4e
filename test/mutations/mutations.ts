/**
 * What an insider who owns the database, and has no key, may change. Each names the rows that it changes and the reason by
 * which it must be found, in the database and in an export.
 */
export interface Mutation {
  readonly what: string;
  readonly sql: readonly string[];
  /** Among what `audit verify --rows` shows. */
  readonly found: string;
  /** Sealed bodies are opened too. */
  readonly bodies?: boolean;
}

const one = (what: string, sql: string, found: string): Mutation => ({ what, sql: [sql], found });
const ACCEPTED = "(select id from filing where status = 'accepted' order by id limit 1)";
const REJECTED = "(select id from filing where status = 'rejected' order by id limit 1)";
const LAST = "(select id from filing where status = 'accepted' order by id desc limit 1)";
const ZERO = "decode(repeat('00', 32), 'hex')";
const ARTHUR = "(select id from person where name = 'Arthur Approver')";
const CARL = "(select id from person where name = 'Carl Clerk')";
const FIRST_BATCH = '(select id from batch order by id limit 1)';

const FILINGS: readonly Mutation[] = [
  one(
    'a receipt',
    `update filing set receipt = 'FORGED-1' where id = ${ACCEPTED}`,
    'ROW_DIFFERS filing.receipt',
  ),
  one(
    'a rejected filing called accepted',
    `update filing set status = 'accepted', receipt = 'X' where id = ${REJECTED}`,
    'ROW_DIFFERS filing.status',
  ),
  one(
    'an accepted filing called pending',
    `update filing set status = 'pending', step = '{"action":"send"}', receipt = null where id = ${ACCEPTED}`,
    'ROW_DIFFERS filing.status',
  ),
  one(
    'an accepted filing back in the queue',
    `update filing set status = 'fallout', next_at = now() where id = ${ACCEPTED}`,
    'ROW_DIFFERS filing.status',
  ),
  one(
    'a verdict',
    `update filing set verdict = 'rejected' where id = ${ACCEPTED}`,
    'ROW_DIFFERS filing.verdict',
  ),
  one(
    'a code',
    `update filing set code = 'HTTP_422' where id = ${ACCEPTED}`,
    'ROW_DIFFERS filing.code',
  ),
  one(
    'a version',
    `update filing set ver = ver + 1 where id = ${ACCEPTED}`,
    'ROW_DIFFERS filing.ver',
  ),
  one(
    'a count of exceptions',
    `update filing set exceptions = 0 where id = ${REJECTED}`,
    'ROW_DIFFERS filing.exceptions',
  ),
  one(
    'the lane of the queue',
    `update filing set lane = 'US-CA' where id = ${REJECTED}`,
    'ROW_DIFFERS filing.lane',
  ),
  one(
    'the lane of an envelope',
    `update envelope set lane = 'US-CA' where id = ${REJECTED}`,
    'ROW_DIFFERS filing.lane',
  ),
  one(
    'a due moment',
    `update envelope set due = due + interval '1 year' where id = ${REJECTED}`,
    'ROW_DIFFERS filing.due',
  ),
  one(
    'a last safe moment',
    `update filing set last_safe = last_safe + interval '1 day' where id = ${REJECTED}`,
    'ROW_DIFFERS filing.last_safe',
  ),
  one(
    'a first moment',
    `update envelope set not_before = not_before - interval '1 day' where id = ${REJECTED}`,
    'ROW_DIFFERS filing.not_before',
  ),
  one(
    'a payload hash',
    `update envelope set payload_sha256 = ${ZERO} where id = ${REJECTED}`,
    'ROW_DIFFERS filing.payload_sha256',
  ),
  one(
    'the name of a sealed payload',
    `update envelope set payload_ct = ${ZERO} where id = ${REJECTED}`,
    'ROW_DIFFERS filing.payload_ct',
  ),
  one(
    'an idempotency key',
    `update envelope set key = 'fw1-other' where id = ${REJECTED}`,
    'ROW_DIFFERS filing.key',
  ),
  one(
    'a revision',
    `update envelope set revision = revision + 1 where id = ${REJECTED}`,
    'ROW_DIFFERS filing.revision',
  ),
  one(
    'an entity',
    `update envelope set entity_id = 'E-99' where id = ${REJECTED}`,
    'ROW_DIFFERS filing.entity',
  ),
  one(
    'a period',
    `update envelope set period = '1999' where id = ${REJECTED}`,
    'ROW_DIFFERS filing.period',
  ),
  one(
    'an effect',
    `update envelope set effect = 'notice' where id = ${REJECTED}`,
    'ROW_DIFFERS filing.effect',
  ),
  one(
    'an obligation',
    `update envelope set obligation = 'fwo1-other' where id = ${REJECTED}`,
    'ROW_DIFFERS filing.obligation',
  ),
  one(
    'the batch of a filing',
    `update envelope set batch = (select id from batch order by id desc limit 1) where id = ${ACCEPTED}`,
    'ROW_DIFFERS filing.batch',
  ),
  {
    what: 'two payloads exchanged, with their hashes',
    sql: [
      `update envelope e set payload_ct = o.payload_ct, payload_sha256 = o.payload_sha256 from envelope o where e.id = ${ACCEPTED} and o.id = ${LAST}`,
    ],
    found: 'ROW_DIFFERS filing.payload_sha256',
  },
  {
    what: 'a filing gone with all that belongs to it',
    sql: [
      `delete from attempt where filing = ${REJECTED}`,
      `delete from outcome where filing = ${REJECTED}`,
      `delete from envelope where id = ${REJECTED}`,
      `delete from filing where id = ${REJECTED}`,
    ],
    found: 'ENTRY_WITHOUT_ROW filing',
  },
  {
    what: 'a filing that nobody imported',
    sql: [
      `insert into envelope select tenant, gen_random_uuid(), batch, lane, jurisdiction, effect, entity_id, filing_kind, period, revision, 'fw1-new', 'fwo1-new', payload_sha256, payload_ct, not_before, due, last_safe from envelope where id = ${ACCEPTED}`,
    ],
    found: 'ROW_WITHOUT_ENTRY filing',
  },
  one(
    'an attempt called a question',
    `update attempt set action = 'ask' where action = 'send' and filing = ${ACCEPTED}`,
    'ROW_DIFFERS attempt.action',
  ),
  one(
    'an attempt gone',
    `delete from attempt where filing = ${ACCEPTED} and no = 1`,
    'ENTRY_WITHOUT_ROW attempt',
  ),
  one(
    'an attempt that nobody made',
    `insert into attempt (tenant, filing, no, id, action, holder, intent_at) values ('main', ${ACCEPTED}, 99, gen_random_uuid(), 'send', 1, now())`,
    'ROW_WITHOUT_ENTRY attempt',
  ),
  one(
    'an outcome',
    `update outcome set verdict = 'accepted' where filing = ${REJECTED} and counted`,
    'ROW_DIFFERS outcome.verdict',
  ),
  one(
    'the evidence of an outcome',
    `update outcome set ct = ${ZERO} where filing = ${ACCEPTED} and counted`,
    'ROW_DIFFERS outcome.ct',
  ),
  one(
    'an outcome gone',
    `delete from outcome where filing = ${ACCEPTED}`,
    'ENTRY_WITHOUT_ROW outcome',
  ),
  one(
    'the owner of a receipt',
    `update receipt set filing = ${REJECTED} where filing = ${ACCEPTED}`,
    'ROW_DIFFERS receipt.filing',
  ),
  one(
    'a receipt gone',
    `delete from receipt where filing = ${ACCEPTED}`,
    'ENTRY_WITHOUT_ROW receipt',
  ),
  one(
    'a receipt that nobody gave',
    `insert into receipt (tenant, lane, number, filing) values ('main', 'US-DE', 'FORGED', ${REJECTED})`,
    'ROW_WITHOUT_ENTRY receipt',
  ),
  one(
    'a revision that a correction replaced',
    `update envelope_revision set payload_sha256 = ${ZERO}`,
    'ROW_DIFFERS revision.payload_sha256',
  ),
  one('such a revision gone', 'delete from envelope_revision', 'ENTRY_WITHOUT_ROW revision'),
];

const BY_HAND: readonly Mutation[] = [
  one(
    'who has a filing in hand',
    `update taking set by_person = ${ARTHUR} where ended is null`,
    'ROW_DIFFERS taking.by',
  ),
  one(
    'a filing in hand called given back',
    `update taking set ended = 'not_filed', ended_at = now() where ended is null`,
    'ROW_DIFFERS taking.ended',
  ),
  one(
    'what came of a filing in hand',
    `update taking set ended = 'not_filed' where ended = 'unsure'`,
    'ROW_DIFFERS taking.ended',
  ),
  one(
    'a lane of people that programs may claim',
    `update lane set open_from = '-infinity' where code = 'US-NV'`,
    'ROW_DIFFERS lane.paused',
  ),
  one(
    'a lane of people that is called one of programs',
    `update lane set by_hand = false where code = 'US-NV'`,
    'ROW_DIFFERS lane.paused',
  ),
  one('a taking gone', 'delete from taking where ended is null', 'ENTRY_WITHOUT_ROW taking'),
  one(
    'a taking that nobody made',
    `insert into taking (tenant, filing, no, by_person, taken_at, expires_at) values ('main', ${ACCEPTED}, 77, ${ARTHUR}, now(), now())`,
    'ROW_WITHOUT_ENTRY taking',
  ),
  one('what somebody found', 'update look set found = true', 'ROW_DIFFERS look.found'),
  one('where somebody looked', `update look set place = 'elsewhere'`, 'ROW_DIFFERS look.place'),
  one(
    'when somebody looked',
    `update look set looked_at = looked_at - interval '1 hour'`,
    'ROW_DIFFERS look.looked_at',
  ),
  one('a look gone', 'delete from look', 'ENTRY_WITHOUT_ROW look'),
  one(
    'a look that nobody took',
    `insert into look (tenant, filing, no, by_person, found, place, looked_at) values ('main', ${ACCEPTED}, 77, ${ARTHUR}, false, 'nowhere', now())`,
    'ROW_WITHOUT_ENTRY look',
  ),
  one(
    'the file with which an office confirmed',
    `update confirmation set sha256 = ${ZERO}`,
    'ROW_DIFFERS confirmation.sha256',
  ),
  one(
    'a confirmation called shared',
    'update confirmation set shared = true',
    'ROW_DIFFERS confirmation.shared',
  ),
  one('a confirmation gone', 'delete from confirmation', 'ENTRY_WITHOUT_ROW confirmation'),
  one(
    'a confirmation that no office gave',
    `insert into confirmation (tenant, filing, no, sha256, kind, bytes, shared) values ('main', ${ACCEPTED}, 77, ${ZERO}, 'pdf', 9, false)`,
    'ROW_WITHOUT_ENTRY confirmation',
  ),
  one(
    'an attempt by hand that nobody made',
    `insert into attempt (tenant, filing, no, id, action, holder, intent_at) values ('main', ${ACCEPTED}, 77, gen_random_uuid(), 'file', 0, now())`,
    'ROW_WITHOUT_ENTRY attempt',
  ),
  one(
    'who agreed to another receipt',
    `update proposal set decided_by = proposed_by where kind = 'hand' and state = 'approved'`,
    'ROW_DIFFERS proposal.decided_by',
  ),
  one(
    'another receipt that waits called agreed',
    `update proposal set state = 'approved', decided_by = ${ARTHUR}, decided_at = now() where kind = 'hand' and state = 'open'`,
    'ROW_DIFFERS proposal.state',
  ),
  one(
    'another receipt that nobody proposed',
    `insert into proposal (tenant, kind, subject, n, terms, sha256, reason, proposed_by) select tenant, kind, ${ACCEPTED}::text, 9, terms, sha256, reason, proposed_by from proposal where kind = 'hand' and state = 'open'`,
    'ROW_WITHOUT_ENTRY proposal',
  ),
];

const APPROVALS: readonly Mutation[] = [
  one(
    'the state of a batch',
    `update batch set state = 'frozen' where id = ${FIRST_BATCH}`,
    'ROW_DIFFERS batch.state',
  ),
  one(
    'the hash of a batch',
    `update batch set sha256 = ${ZERO} where id = ${FIRST_BATCH}`,
    'ROW_DIFFERS batch.sha256',
  ),
  one(
    'the count of a batch',
    `update batch set count = count + 1 where id = ${FIRST_BATCH}`,
    'ROW_DIFFERS batch.count',
  ),
  one(
    'who prepared a batch',
    `update batch set prepared_by = (select id from person where name = 'Arthur Approver') where id = ${FIRST_BATCH}`,
    'ROW_DIFFERS batch.prepared_by',
  ),
  one(
    'the source of a batch',
    `update batch set source = 'other.csv' where id = ${FIRST_BATCH}`,
    'ROW_DIFFERS batch.source',
  ),
  one(
    'the fees that were approved',
    `update batch_approval set fees = '[{"rail":"card","filings":1,"cents":1}]' where batch = ${FIRST_BATCH}`,
    'ROW_DIFFERS batch_approval.fees',
  ),
  one(
    'an approval gone',
    `delete from batch_approval where batch = ${FIRST_BATCH}`,
    'ENTRY_WITHOUT_ROW batch_approval',
  ),
  one(
    'an approval that is said to have ended',
    `insert into approval_void (tenant, batch, lane, n, cause, filings) values ('main', ${FIRST_BATCH}, 'US-DE', 1, 'expired', 1)`,
    'ROW_WITHOUT_ENTRY approval_void',
  ),
  one(
    'who approved a batch',
    `update proposal set decided_by = proposed_by where kind = 'batch' and subject = ${FIRST_BATCH}::text`,
    'ROW_DIFFERS proposal.decided_by',
  ),
  one(
    'the terms of a proposal',
    `update proposal set terms = '{"count":1,"sha256":"00"}' where kind = 'batch' and subject = ${FIRST_BATCH}::text`,
    'ROW_DIFFERS proposal.terms',
  ),
  one(
    'an open proposal called approved',
    `update proposal set state = 'approved', decided_by = (select id from person where name = 'Arthur Approver'), decided_at = now() where kind = 'replay' and state = 'open'`,
    'ROW_DIFFERS proposal.state',
  ),
  one(
    'the reason of a proposal',
    `update proposal set reason = 'another reason altogether' where kind = 'correct'`,
    'ROW_DIFFERS proposal.reason',
  ),
  one(
    'the hash of a proposal',
    `update proposal set sha256 = ${ZERO} where kind = 'correct'`,
    'ROW_DIFFERS proposal.sha256',
  ),
  one(
    'a proposal gone',
    `delete from proposal where kind = 'correct'`,
    'ENTRY_WITHOUT_ROW proposal',
  ),
  one(
    'a proposal that nobody made',
    `insert into proposal (tenant, kind, subject, n, terms, sha256, reason, proposed_by) select tenant, 'replay', gen_random_uuid()::text, 1, '{}', sha256, reason, proposed_by from proposal where kind = 'correct'`,
    'ROW_WITHOUT_ENTRY proposal',
  ),
  one(
    'what an approved correction sends',
    `update review_item set payload_sha256 = ${ZERO} where proposal in (select id from proposal where kind = 'correct')`,
    'ROW_DIFFERS review_item.payload_sha256',
  ),
  one(
    'the sealed payload of a correction',
    `update review_item set payload_ct = ${ZERO} where proposal in (select id from proposal where kind = 'correct')`,
    'ROW_DIFFERS review_item.payload_ct',
  ),
  one(
    'what an open proposal would send',
    `update review_item set key = 'fw1-other' where proposal in (select id from proposal where kind = 'replay' and state = 'open')`,
    'ROW_DIFFERS proposal.computed_sha256',
  ),
  one(
    'one filing more in an open proposal',
    `insert into review_item select i.tenant, i.proposal, ${ACCEPTED}, i.n, i.action, i.revision, i.key, i.payload_sha256, i.payload_ct, i.not_filed from review_item i join proposal p on p.id = i.proposal and p.kind = 'replay' and p.state = 'open'`,
    'ROW_DIFFERS proposal.computed_sha256',
  ),
  one(
    'the reason of an exception',
    `update exception set reason = 'HTTP_500' where filing = ${REJECTED}`,
    'ROW_DIFFERS exception.reason',
  ),
  one(
    'the envelope of an exception',
    `update exception set ct = ${ZERO} where filing = ${REJECTED}`,
    'ROW_DIFFERS exception.ct',
  ),
  one(
    'who closed an exception',
    `update exception set closed_by = (select id from person where name = 'Arthur Approver') where filing = ${REJECTED} and closed_by is not null`,
    'ROW_DIFFERS exception.closed_by',
  ),
  one(
    'an open exception closed',
    `update exception set closed_at = now(), resolution = 'rejected', closed_by = (select id from person limit 1) where closed_at is null`,
    'ROW_DIFFERS exception.resolution',
  ),
  one(
    'whose an exception is',
    'update exception set assigned_to = null where assigned_to is not null',
    'ROW_DIFFERS exception.assigned_to',
  ),
  one(
    'an exception gone',
    `delete from exception where filing = ${REJECTED}`,
    'ENTRY_WITHOUT_ROW exception',
  ),
  one(
    'the receipt of an accepted review',
    `update review_act set receipt = 'CA-0' where act = 'accepted_as_filed'`,
    'ROW_WITHOUT_ENTRY review_act',
  ),
  one(
    'the evidence of a review',
    `update review_act set evidence_sha256 = ${ZERO} where act = 'accepted_as_filed'`,
    'ENTRY_WITHOUT_ROW review_act',
  ),
  one(
    'a review gone',
    `delete from review_act where act = 'rejected'`,
    'ENTRY_WITHOUT_ROW review_act',
  ),
];

const HOUSE: readonly Mutation[] = [
  one(
    'the name of a person',
    `update person set name = 'Paula P.' where name = 'Paula Preparer'`,
    'ROW_DIFFERS person.name',
  ),
  one(
    'the key of a person',
    `update person_key set sha256 = ${ZERO} where person = ${ARTHUR}`,
    'ROW_DIFFERS person_key.key_sha256',
  ),
  one(
    'whose a key is',
    `update person_key set person = ${ARTHUR} where person = (select id from person where name = 'Judith Hart')`,
    'ROW_DIFFERS person_key.person',
  ),
  one(
    'how long a key is good for',
    `update person_key set expires_at = expires_at + interval '10 years' where person = ${ARTHUR}`,
    'ROW_DIFFERS person_key.days',
  ),
  one(
    'a revoked key',
    'update person_key set revoked_at = null, revoked_by = null where revoked_at is not null',
    'ROW_DIFFERS person_key.revoked_by',
  ),
  one(
    'a key gone',
    'delete from person_key where revoked_at is not null',
    'ENTRY_WITHOUT_ROW person_key',
  ),
  one(
    'a key that nobody got',
    `insert into person_key (tenant, id, person, name, sha256, expires_at) values ('main', gen_random_uuid(), ${ARTHUR}, 'spare', ${ZERO}, now() + interval '1 year')`,
    'ROW_WITHOUT_ENTRY person_key',
  ),
  one(
    'whom a sign-in link lets in',
    `update sign_in_link set person = ${ARTHUR}, sha256 = ${ZERO}`,
    'ROW_DIFFERS sign_in_link.link_sha256',
  ),
  one(
    'whose a session is',
    `update person_session set sha256 = ${ZERO} where way = 'link'`,
    'ROW_DIFFERS person_session.session_sha256',
  ),
  one(
    'a session that was ended',
    'update person_session set ended_at = null, ended_by = null where ended_at is not null',
    'ROW_DIFFERS person_session.ended_by',
  ),
  one(
    'a session that no one began',
    `insert into person_session (tenant, id, person, sha256, way, credential, expires_at) values ('main', gen_random_uuid(), ${ARTHUR}, ${ZERO}, 'key', gen_random_uuid(), now() + interval '1 hour')`,
    'ROW_WITHOUT_ENTRY person_session',
  ),
  one(
    'what a token is good for',
    `update program_token set acts = '{filing.open}'`,
    'ROW_DIFFERS program_token.acts',
  ),
  one(
    'how long a token is good for',
    `update program_token set expires_at = made_at + interval '366 days'`,
    'ROW_DIFFERS program_token.days',
  ),
  one(
    'a role that nobody gave',
    `insert into person_role (tenant, person, role, n) values ('main', ${CARL}, 'admin', 1)`,
    'ROW_WITHOUT_ENTRY person_role',
  ),
  {
    what: 'a role that was taken in the time between',
    sql: [
      `delete from person_role where person = ${CARL} and role = 'preparer' and n = 2`,
      `update person_role set taken_at = null, taken_by = null where person = ${CARL} and role = 'preparer' and n = 1`,
    ],
    found: 'ENTRY_WITHOUT_ROW role_taken',
  },
  one(
    'a role that is held called taken',
    `update person_role set taken_at = now(), taken_by = ${ARTHUR} where person = ${CARL} and role = 'preparer' and n = 2`,
    'ROW_DIFFERS person_role.held',
  ),
  one(
    'who gave a role the first time',
    `update person_role set given_by = ${CARL} where person = ${CARL} and role = 'preparer' and n = 1`,
    'ROW_DIFFERS role_given.given_by',
  ),
  one(
    'who took a role the first time',
    `update person_role set taken_by = ${CARL} where person = ${CARL} and role = 'preparer' and n = 1`,
    'ROW_DIFFERS role_taken.taken_by',
  ),
  one(
    'by which agreement a role was given the first time',
    `update person_role set proposal = gen_random_uuid() where person = ${CARL} and role = 'preparer' and n = 1`,
    'ROW_WITHOUT_ENTRY role_given',
  ),
  one(
    'the first time of a role gone',
    `delete from person_role where person = ${CARL} and role = 'preparer' and n = 1`,
    'ENTRY_WITHOUT_ROW role_given',
  ),
  one(
    'who gave a role',
    `update person_role set given_by = ${CARL} where person = ${CARL} and role = 'viewer'`,
    'ROW_DIFFERS person_role.given_by',
  ),
  one(
    'a role gone',
    `delete from person_role where person = ${ARTHUR} and role = 'approver'`,
    'ENTRY_WITHOUT_ROW person_role',
  ),
  one(
    'two parties called one',
    `update person set party = (select id from person where name = 'Paula Preparer') where name = 'Arthur Approver'`,
    'ROW_DIFFERS person.party',
  ),
  one(
    'the letters by which names are told apart',
    `update person set skeleton = 'other' where name = 'Arthur Approver'`,
    'ROW_DIFFERS person.skeleton',
  ),
  one(
    'the code that makes a key',
    `update person_enrollment set second_sha256 = ${ZERO} where person = ${CARL}`,
    'ROW_DIFFERS enrollment.second_sha256',
  ),
  one(
    'the other code',
    `update person_enrollment set first_sha256 = ${ZERO} where person = ${CARL}`,
    'ROW_DIFFERS enrollment.first_sha256',
  ),
  one(
    'a person who waits called approved',
    `update proposal set state = 'approved', decided_by = ${ARTHUR}, decided_at = now() where kind = 'person' and state = 'open'`,
    'ROW_DIFFERS proposal.state',
  ),
  one(
    'a refused person called approved',
    `update proposal set state = 'approved' where kind = 'person' and state = 'refused'`,
    'ROW_DIFFERS proposal.state',
  ),
  one(
    'who approved a role',
    `update proposal set decided_by = proposed_by where kind = 'role'`,
    'ROW_DIFFERS proposal.decided_by',
  ),
  one(
    'which roles were proposed',
    `update proposal set terms = replace(terms, '"viewer"', '"admin"') where kind = 'person' and state = 'open'`,
    'ROW_DIFFERS proposal.computed_sha256',
  ),
  one(
    'a proposal of a role that nobody made',
    `insert into proposal (tenant, kind, subject, n, terms, sha256, reason, proposed_by) select tenant, 'role', ${ARTHUR}::text, 9, '{}', sha256, reason, proposed_by from proposal where kind = 'correct'`,
    'ROW_WITHOUT_ENTRY proposal',
  ),
  one(
    'a disabled person',
    `update person set disabled_at = null where name = 'Carl Clerk'`,
    'ROW_DIFFERS person.disabled',
  ),
  one('a person gone', `delete from person where name = 'Carl Clerk'`, 'ENTRY_WITHOUT_ROW person'),
  one(
    'a person that nobody added',
    `insert into person (tenant, id, name, skeleton, party) values ('main', gen_random_uuid(), 'Ghost', 'ghost', ${ARTHUR})`,
    'ROW_WITHOUT_ENTRY person',
  ),
  one(
    'a hold called released',
    `update ledger_hold set released_by = (select id from person where name = 'Arthur Approver'), released_at = now() where released_at is null`,
    'ROW_DIFFERS hold.released_by',
  ),
  one(
    'what a hold keeps',
    `update ledger_hold set subject = 'E-99' where released_at is null`,
    'ROW_DIFFERS hold.subject',
  ),
  one(
    'the reason of a hold',
    `update ledger_hold set reason = 'another reason altogether' where released_at is null`,
    'ROW_DIFFERS hold.sha256',
  ),
  one('a hold gone', 'delete from ledger_hold where released_at is null', 'ENTRY_WITHOUT_ROW hold'),
  one(
    'who approved a release',
    `update proposal set decided_by = proposed_by where kind = 'hold' and state = 'approved'`,
    'ROW_DIFFERS proposal.decided_by',
  ),
  one(
    'who started a recovery',
    `update proposal set proposed_by = decided_by where kind = 'recovery'`,
    'ROW_DIFFERS proposal.proposed_by',
  ),
  one(
    'a recovery that nobody approved',
    `update proposal set state = 'open', decided_by = null, decided_at = null where kind = 'recovery'`,
    'ROW_DIFFERS proposal.state',
  ),
  one(
    'of which portal a recovery was approved',
    `update proposal set terms = jsonb_set(terms::jsonb, '{lane}', '"US-NY"')::text where kind = 'recovery'`,
    'ROW_DIFFERS proposal.computed_sha256',
  ),
  one(
    'where a lane leads',
    `update lane set profile = jsonb_set(profile::jsonb, '{baseUrl}', '"https://evil.example"')::text where code = 'US-DE'`,
    'ROW_DIFFERS lane.profile_sha256',
  ),
  one(
    'where a lane leads, with its hash',
    `update lane set profile = jsonb_set(profile::jsonb, '{baseUrl}', '"https://evil.example"')::text, origin = 'https://evil.example', profile_sha256 = ${ZERO} where code = 'US-DE'`,
    'ROW_DIFFERS lane.origin',
  ),
  one(
    'the stored hash of a profile',
    `update lane set profile_sha256 = ${ZERO} where code = 'US-DE'`,
    'ROW_DIFFERS lane.stored_sha256',
  ),
  one(
    'a ceiling',
    `update lane set ceiling = 900 where code = 'US-NY'`,
    'ROW_DIFFERS lane.ceiling',
  ),
  one(
    'the effect of a lane',
    `update lane set effect = 'notice' where code = 'US-DE'`,
    'ROW_DIFFERS lane.effect',
  ),
  one(
    'a paused lane that sends',
    `update lane set state = jsonb_set(state, '{pause}', '{"kind":"none"}'), open_from = '-infinity' where code = 'US-NY'`,
    'ROW_DIFFERS lane.paused',
  ),
  one(
    'a paused lane that sends, by the column that claims go by',
    `update lane set open_from = '-infinity' where code = 'US-NY'`,
    'ROW_DIFFERS lane.paused',
  ),
  one(
    'a lane that only asks',
    `update lane set asks_only = true where code = 'US-CA'`,
    'ROW_DIFFERS lane.paused',
  ),
  one(
    'until when a lane pauses',
    `update lane set state = jsonb_set(state, '{pause}', '{"kind":"until","until":4102444800000,"reason":"throttled"}'), open_from = '2100-01-01T00:00Z' where code = 'US-CA'`,
    'ROW_DIFFERS lane.until',
  ),
  one(
    'an open breaker',
    `update lane set state = jsonb_set(state, '{breaker,state}', '"open"') where code = 'US-CA'`,
    'ROW_DIFFERS lane.breaker',
  ),
  one(
    'where a profile of a lane led',
    `update lane_profile set origin = 'https://evil.example' where lane = 'US-DE'`,
    'ROW_DIFFERS lane_profile.origin',
  ),
  one(
    'the number by which approvals name a profile',
    `update lane set profile_n = 7 where code = 'US-DE'`,
    'ROW_DIFFERS lane.numbered_sha256',
  ),
  one(
    'a profile that nobody approved',
    `insert into lane_profile (tenant, lane, n, sha256, origin) values ('main', 'US-DE', 7, ${ZERO}, 'https://evil.example')`,
    'ROW_WITHOUT_ENTRY lane_profile',
  ),
  one(
    'a profile of a lane gone',
    `delete from lane_profile where lane = 'US-DE'`,
    'ENTRY_WITHOUT_ROW lane_profile',
  ),
  one('a lane gone', `delete from lane where code = 'US-NY'`, 'ENTRY_WITHOUT_ROW lane'),
  one(
    'a lane that nobody added',
    `insert into lane (tenant, code, effect, profile, origin, ceiling, state, longest_service_ms) select tenant, 'US-XX', effect, profile, origin, ceiling, state, longest_service_ms from lane where code = 'US-DE'`,
    'ROW_WITHOUT_ENTRY lane',
  ),
  one(
    'when an obligation is due',
    `update obligation set due = due + 30 where state = 'open'`,
    'ROW_DIFFERS obligation.due',
  ),
  one(
    'an open obligation called met',
    `update obligation set state = 'met' where id = (select min(id) from obligation where state = 'open')`,
    'ROW_DIFFERS obligation.state',
  ),
  one(
    'an obligation gone',
    'delete from obligation where id = (select min(id) from obligation)',
    'ENTRY_WITHOUT_ROW obligation',
  ),
  one(
    'where an entity is registered',
    `update entity set registry_number = registry_number || '9' where id = (select min(id) from entity)`,
    'ROW_DIFFERS entity.registry_number',
  ),
  one(
    'the sealed record of an entity',
    `update entity set ct = ${ZERO} where id = (select min(id) from entity)`,
    'ROW_DIFFERS entity.ct',
  ),
  one(
    'an entity gone',
    'delete from entity where id = (select min(id) from entity)',
    'ENTRY_WITHOUT_ROW entity',
  ),
  one(
    'an entity that nobody recorded',
    `insert into entity (tenant, id, jurisdiction, registry_number, kind, origin, ct, ver) values ('main', 'forged', 'US-DE', '0', 'llc', 'domestic', ${ZERO}, 1)`,
    'ROW_WITHOUT_ENTRY entity',
  ),
  one(
    'a fact that the ledger is said to have set aside',
    `insert into ledger_set_aside (tenant, boundary, id, reason, key, sealed, bytes, sha256) values ('main', 'filing', gen_random_uuid(), 'LIMIT', 'k', '', 9, ${ZERO})`,
    'ROW_WITHOUT_ENTRY set_aside',
  ),
  one(
    'who acknowledged an alert',
    "update alert set acknowledged_by = (select id from person where name = 'Paula Preparer') where acknowledged_by is not null",
    'ROW_DIFFERS alert.acknowledged_by',
  ),
  one(
    'where a webhook leads, on the same host',
    `update subscription set url = 'https://hooks.example/T2/theirs' where approved_at is not null`,
    'ROW_DIFFERS subscription.sha256',
  ),
  one(
    'a webhook that waits called approved',
    'update subscription set approved_at = now() where approved_at is null',
    'ROW_DIFFERS subscription.approved',
  ),
  one(
    'which events a webhook gets',
    `update subscription set types = '{X}' where approved_at is not null`,
    'ROW_DIFFERS subscription.types',
  ),
  one('a webhook gone', 'delete from subscription', 'ENTRY_WITHOUT_ROW subscription'),
  one(
    'a webhook that nobody added',
    `insert into subscription (tenant, id, url, types, allow_private, added_by, approved_at) values ('main', gen_random_uuid(), 'https://evil.example', '{}', false, ${ARTHUR}, now())`,
    'ROW_WITHOUT_ENTRY subscription',
  ),
  one(
    'the mail server',
    `update mail_setting set smtp = 'env:OTHER'`,
    'ROW_DIFFERS mail_setting.smtp',
  ),
  one(
    'the sender of mail',
    `update mail_setting set sender = 'x@evil.example'`,
    'ROW_DIFFERS mail_setting.sender',
  ),
  one(
    'mail on private addresses',
    'update mail_setting set allow_private = true',
    'ROW_DIFFERS mail_setting.allow_private',
  ),
  one('the mail server gone', 'delete from mail_setting', 'ENTRY_WITHOUT_ROW mail_setting'),
  one(
    'a recipient who is one no more',
    'update recipient set removed_at = null where removed_at is not null',
    'ROW_DIFFERS recipient.removed',
  ),
  one(
    'the address of a recipient',
    `update recipient set address = 'x@evil.example' where removed_at is null`,
    'ROW_WITHOUT_ENTRY recipient',
  ),
  one(
    'a recipient gone',
    'delete from recipient where removed_at is null',
    'ENTRY_WITHOUT_ROW recipient',
  ),
  one(
    'a recipient that nobody added',
    `insert into recipient (tenant, role, address) values ('main', 'alert', 'x@evil.example')`,
    'ROW_WITHOUT_ENTRY recipient',
  ),
  one(
    'a quarantine that nobody entered',
    `insert into quarantine (tenant, state, entered_at, evidence) values ('main', 'in', now(), '[]')`,
    'ROW_WITHOUT_ENTRY quarantine',
  ),
  one(
    'a key called shredded',
    `update ledger_dek set state = 'shredded', shredded_at = now(), wrapped = '' where id = (select min(id) from ledger_dek)`,
    'ROW_WITHOUT_ENTRY shredded_key',
  ),
];

const DOCKETS: readonly Mutation[] = [
  one(
    'a closed docket open again',
    'update docket set next_at = now(), closed_at = null, closed_by = null, closing = null where closed_at is not null',
    'ROW_DIFFERS docket.closed',
  ),
  one(
    'who closed a docket',
    `update docket set closed_by = 'moreau' where closed_at is not null`,
    'ROW_DIFFERS docket.closed_by',
  ),
  one(
    'how a docket was closed',
    `update docket set closing = jsonb_set(closing, '{how}', '"proof"') where closed_at is not null`,
    'ROW_DIFFERS docket.how',
  ),
  one(
    'an open docket called confirmed',
    `update docket set phase = 'confirmed' where id = (select min(id) from docket where closed_at is null)`,
    'ROW_DIFFERS docket.confirmed',
  ),
  one(
    'the payload of a docket',
    `update docket set payload_sha256 = ${ZERO} where id = (select min(id) from docket)`,
    'ROW_DIFFERS docket.payload_sha256',
  ),
  one(
    'what was read of a docket, from which its dates come',
    `update docket set docket = jsonb_set(docket, '{eventCode}', '"OTHER"') where id = (select min(id) from docket)`,
    'ROW_DIFFERS docket.read_sha256',
  ),
  one(
    'a docket called destroyed whose key no entry ends',
    `update docket set docket = docket || '{"destroyed": true}' where id = (select min(id) from docket)`,
    'ROW_DIFFERS docket.read_sha256',
  ),
  one(
    'how a docket was closed, called destroyed',
    `update docket set closing = jsonb_build_object('kind', closing->'kind', 'how', closing->'how', 'destroyed', true) where closed_at is not null`,
    'ROW_DIFFERS docket.in_time',
  ),
  one(
    'a docket gone',
    'delete from docket where id = (select min(id) from docket)',
    'ENTRY_WITHOUT_ROW docket',
  ),
  one(
    'what the dates of a docket are computed from',
    'update docket set dating = null where dating is not null',
    'ROW_DIFFERS docket.dating_sha256',
  ),
  one(
    'who imported a docket',
    `update docket set received_by = ${ARTHUR} where id = (select min(id) from docket)`,
    'ROW_DIFFERS docket.received_by',
  ),
  one(
    'what was read of a second version',
    `update docket_version set read = jsonb_set(read, '{eventCode}', '"OTHER"')`,
    'ROW_DIFFERS docket_version.read_sha256',
  ),
  one('a second version gone', 'delete from docket_version', 'ENTRY_WITHOUT_ROW docket_version'),
  one(
    'what a second docketer read',
    `update docket_second set event = jsonb_set(event, '{period}', '"P9M"')`,
    'ROW_DIFFERS docket_second.event_sha256',
  ),
  one(
    'who docketed an event a second time',
    `update docket_second set by_person = ${ARTHUR}`,
    'ROW_DIFFERS docket_second.by',
  ),
  one(
    'what a third person decided',
    `update docket_second set decided_for = 'second' where decided_for = 'first'`,
    'ROW_DIFFERS docket_second.decided_for',
  ),
  one(
    'that somebody had looked at a date',
    'delete from docket_reveal',
    'ENTRY_WITHOUT_ROW docket_reveal',
  ),
  one(
    'a docket that nobody received',
    `insert into docket select tenant, 'forged', 'forged', source, content_type, payload_sha256, payload_ct, docket, 'forged', received_at, received_by, null, state, phase, tier, target, assignment, activation, next_at from docket where closed_at is null limit 1`,
    'ROW_WITHOUT_ENTRY docket',
  ),
  one(
    'a handoff that nobody made',
    `insert into docket_handoff (tenant, docket, n, handoff, tier, target, party, attempt, hop, dates) select tenant, id, 1, 'forged', 'PRIMARY', 't', 'p', 1, '{}', '{}' from docket limit 1`,
    'ROW_WITHOUT_ENTRY handoff',
  ),
  one(
    'the matrix itself, under its name',
    `update routing_document set body = jsonb_set(body::jsonb, '{title}', '"theirs"')::text where kind = 'matrix'`,
    'ROW_DIFFERS routing_setup.matrix',
  ),
  one(
    'the people that a former matrix named gone',
    `delete from routing_document where kind = 'people' and version = (select people from routing_setup where n = 1)`,
    'ROW_DIFFERS routing_setup.people',
  ),
  one(
    'who said who gets which docket',
    `update routing_setup set activated_by = 'moreau'`,
    'ROW_DIFFERS routing_setup.activated_by',
  ),
  one(
    'who agreed to a matrix',
    `update proposal set decided_by = proposed_by where kind = 'matrix'`,
    'ROW_DIFFERS proposal.decided_by',
  ),
  one(
    'to which matrix two people agreed',
    `update proposal set terms = jsonb_set(terms::jsonb, '{matrix}', '"other"')::text where kind = 'matrix'`,
    'ROW_DIFFERS proposal.computed_sha256',
  ),
  one(
    'a matrix that nobody proposed',
    `insert into proposal (tenant, kind, subject, n, terms, sha256, reason, proposed_by) select tenant, kind, subject, 9, terms, sha256, reason, proposed_by from proposal where kind = 'matrix'`,
    'ROW_WITHOUT_ENTRY proposal',
  ),
];

const GRANTS: readonly Mutation[] = [
  one(
    'the totals of a closed period',
    `update grant_period set totals_sha256 = ${ZERO}`,
    'ROW_DIFFERS period.totals_hash',
  ),
  one(
    'the money of a closed period',
    `update grant_period set totals = jsonb_set(totals, '{matchedCents}', '{"USD":"1"}')`,
    'ROW_DIFFERS period.matched_cents',
  ),
  one(
    'the days of a closed period',
    'update grant_period set to_day = to_day + 1',
    'ROW_DIFFERS period.to',
  ),
  one(
    'the closing balance of a period',
    'update grant_period set closing_cents = coalesce(closing_cents, 0) + 1',
    'ROW_DIFFERS period.closing_cents',
  ),
  one('a closed period gone', 'delete from grant_period', 'ENTRY_WITHOUT_ROW period'),
  one(
    'what a period released',
    'update grant_release set cents = cents + 1',
    'ROW_DIFFERS release.cents',
  ),
  one(
    'a balance that a person stated',
    'update grant_balance set cents = cents + 1',
    'ROW_DIFFERS balance.cents',
  ),
  one(
    'what a person said of a bank line',
    `update grant_resolution set awards = '{}', cents = null where undoes is null`,
    'ROW_DIFFERS resolution.awards',
  ),
  one(
    'which word about a bank line was taken back',
    'update grant_resolution set undoes = null',
    'ROW_DIFFERS resolution.undoes',
  ),
  one(
    'the code of a grants exception',
    `update grant_exception set escalation_code = 'OTHER'`,
    'ROW_DIFFERS grant_exception.escalation_code',
  ),
  one(
    'a grants exception gone',
    'delete from grant_exception',
    'ENTRY_WITHOUT_ROW grant_exception',
  ),
  one(
    'who resolved a grants exception',
    `update proposal set decided_by = proposed_by where kind = 'exception'`,
    'ROW_DIFFERS proposal.decided_by',
  ),
  one(
    'how a grants exception ends',
    `update proposal set terms = '{"amends":"x","resolution":"cancel"}' where kind = 'exception'`,
    'ROW_DIFFERS proposal.terms',
  ),
  one(
    'the count of a document',
    'update grant_document set accepted = accepted + 1, records = records + 1',
    'ROW_DIFFERS grant_document.accepted',
  ),
  one(
    'a registration that nobody checked',
    `insert into grant_check (tenant, id, jurisdiction, checked_on, evidence, attached_by) values ('main', gen_random_uuid(), 'PA', '2026-01-01', 'none', ${ARTHUR})`,
    'ROW_WITHOUT_ENTRY grant_check',
  ),
  one(
    'an evaluation that nobody made',
    `insert into grant_evaluation (tenant, id, crossings, obligations, sha256, ct) values ('main', gen_random_uuid(), 0, 0, ${ZERO}, ${ZERO})`,
    'ROW_WITHOUT_ENTRY grant_evaluation',
  ),
  one(
    'the day on which a duty was filed',
    'update grant_duty set filed_on = filed_on - 1',
    'ROW_DIFFERS grant_duty.filed_on',
  ),
  one('a filed duty gone', 'delete from grant_duty', 'ENTRY_WITHOUT_ROW grant_duty'),
  one(
    'a report that nobody drew',
    `insert into grant_report (tenant, id, kind, from_day, to_day, figures, sha256, ct) values ('main', gen_random_uuid(), 'sefa', '2026-01-01', '2026-03-31', 1, ${ZERO}, ${ZERO})`,
    'ROW_WITHOUT_ENTRY grant_report',
  ),
  one(
    'an award that is said to have ended',
    `insert into grant_award_end (tenant, award, exception) select tenant, key, gen_random_uuid() from grant_award limit 1`,
    'ROW_WITHOUT_ENTRY award_end',
  ),
  one(
    'the lines of a feed',
    'update grant_feed set lines = lines + 1',
    'ROW_DIFFERS grant_feed.lines',
  ),
];

const CHANGES: readonly Mutation[] = [
  one(
    'why a filing was withdrawn',
    `update withdrawal set reason = 'because somebody said so'`,
    'ROW_DIFFERS withdrawal.reason',
  ),
  one('a withdrawal gone', 'delete from withdrawal', 'ENTRY_WITHOUT_ROW withdrawal'),
  one(
    'a withdrawal that nobody made',
    `insert into withdrawal (tenant, filing, by_person, reason, covered) select tenant, id, ${ARTHUR}, 'because somebody said so', true from filing where status = 'accepted' limit 1`,
    'ROW_WITHOUT_ENTRY withdrawal',
  ),
  one(
    'a withdrawal that the approved hash is said to cover',
    'update withdrawal set covered = not covered',
    'ROW_DIFFERS withdrawal.covered',
  ),
  one(
    'who agreed to a withdrawal',
    'update withdrawal set proposal = null where proposal is not null',
    'ROW_DIFFERS withdrawal.proposal',
  ),
  one(
    'a withdrawn filing that stands again',
    `update envelope set withdrawn = false where withdrawn`,
    'ROW_DIFFERS filing.withdrawn',
  ),
  one(
    'a withdrawn filing in the queue',
    `update filing set status = 'pending', step = '{"action":"send"}', next_at = now() where verdict = 'withdrawn'`,
    'ROW_DIFFERS filing.status',
  ),
  one('what was held back, gone', 'delete from held_back', 'ENTRY_WITHOUT_ROW held_back'),
  one(
    'who held a filing back',
    `update held_back set by_person = ${CARL}`,
    'ROW_DIFFERS held_back.by',
  ),
  one(
    'the answer to a question',
    `update batch_question set answer = 'yes, all of them are'`,
    'ROW_DIFFERS batch_question.answer',
  ),
  one('a question gone', 'delete from batch_question', 'ENTRY_WITHOUT_ROW batch_question'),
  one(
    'a cancelled batch that waits again',
    `update batch set state = 'open' where state = 'cancelled' and count is null`,
    'ROW_DIFFERS batch.state',
  ),
  one(
    'why a batch was refused',
    `update proposal set decision_reason = 'because somebody said so' where kind = 'batch' and state = 'refused'`,
    'ROW_DIFFERS proposal.decision_reason',
  ),
];

export const MUTATIONS: readonly Mutation[] = [
  ...FILINGS,
  ...CHANGES,
  ...BY_HAND,
  ...APPROVALS,
  ...HOUSE,
  ...DOCKETS,
  ...GRANTS,
];
