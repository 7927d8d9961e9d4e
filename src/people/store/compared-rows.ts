/** Rows of people and of what they decide, as they are held against the ledger. */
import { proposalHash } from '../../core/index.ts';
import type { FoundRow } from '../../ledger/index.ts';
import { cursorRows, hex, orNull, type Row, type Run, sql, text } from '../../postgres/index.ts';

const PEOPLE = sql('compared-people')`
select id, name, skeleton, party, disabled_at is not null as disabled, ver from person where tenant = $1`;

const KEYS = sql('compared-person-keys')`
select id, person, name, sha256, issued_by, proposal, revoked_by,
  round(extract(epoch from expires_at - created_at) / 86400) as days from person_key where tenant = $1`;

const LINKS = sql('compared-sign-in-links')`
select id, person, sha256, made_by from sign_in_link where tenant = $1`;

const SESSIONS = sql('compared-person-sessions')`
select id, person, sha256, way, credential, ended_by,
  round(extract(epoch from expires_at - started_at) / 3600) as hours from person_session where tenant = $1`;

const TOKENS = sql('compared-program-tokens')`
select id, owner, name, acts, sha256, revoked_by,
  round(extract(epoch from expires_at - made_at) / 86400) as days from program_token where tenant = $1`;

// The latest of each; earlier ones were taken, and a role that is held at all shows.
const ROLES = sql('compared-person-roles')`
select distinct on (person, role) person, role, given_by, proposal, taken_by, taken_proposal,
  bool_or(taken_at is null) over (partition by person, role) as held
from person_role where tenant = $1 order by person, role, n desc`;

const ROLE_PERIODS = sql('compared-role-periods')`
select person, role, given_by, proposal, taken_by, taken_proposal from person_role where tenant = $1`;

const ENROLLMENTS = sql('compared-enrollments')`
select proposal, person, first_sha256, second_sha256 from person_enrollment where tenant = $1`;

const HOLDS = sql('compared-holds')`
select id, subject, reason, placed_by, released_by, ver from ledger_hold where tenant = $1`;

const PROPOSALS = sql('compared-proposals')`
select id, kind, subject, n, terms, sha256, reason, proposed_by, state, decided_by, decision_reason
from proposal where tenant = $1 order by id`;

const SUBSCRIPTIONS = sql('compared-subscriptions')`
select s.id, s.url, s.types, s.allow_private, s.removed_at is not null as removed,
  s.approved_at is not null as approved, p.reason
from subscription s
left join proposal p on p.tenant = s.tenant and p.kind = 'webhook' and p.subject = s.id::text and p.n = 1
where s.tenant = $1`;

const RECIPIENTS = sql('compared-recipients')`
select role, entity_id, address, removed_at is not null as removed, ver from recipient where tenant = $1`;

const MAIL = sql('compared-mail')`
select smtp, sender, allow_private, ver from mail_setting where tenant = $1`;

const ALERTS = sql('compared-alerts')`
select id, acknowledged_by from alert where tenant = $1 and acknowledged_by is not null`;

export async function* comparedPeople(run: Run, tenant: string): AsyncGenerator<FoundRow> {
  for await (const row of cursorRows(run, PEOPLE, [tenant])) {
    yield {
      kind: 'person',
      id: text(row['id']),
      fields: {
        name: text(row['name']),
        skeleton: text(row['skeleton']),
        party: text(row['party']),
        disabled: row['disabled'] === true,
        ver: Number(row['ver']),
      },
    };
  }
  yield* comparedKeys(run, tenant);
  yield* comparedSignIns(run, tenant);
  yield* comparedHouse(run, tenant);
}

async function* comparedKeys(run: Run, tenant: string): AsyncGenerator<FoundRow> {
  for await (const row of cursorRows(run, KEYS, [tenant])) {
    yield {
      kind: 'person_key',
      id: text(row['id']),
      fields: {
        person: text(row['person']),
        name: text(row['name']),
        key_sha256: hex(row['sha256']),
        issued_by: orNull(row['issued_by'], text),
        proposal: orNull(row['proposal'], text),
        revoked_by: orNull(row['revoked_by'], text),
        days: Number(row['days']),
      },
    };
  }
  for await (const row of cursorRows(run, ROLES, [tenant])) {
    yield {
      kind: 'person_role',
      id: `${text(row['person'])}/${text(row['role'])}`,
      fields: {
        held: row['held'] === true,
        given_by: orNull(row['given_by'], text),
        proposal: orNull(row['proposal'], text),
        taken_by: orNull(row['taken_by'], text),
        taken_proposal: orNull(row['taken_proposal'], text),
      },
    };
  }
  yield* comparedPeriods(run, tenant);
  for await (const row of cursorRows(run, ENROLLMENTS, [tenant])) {
    yield {
      kind: 'enrollment',
      id: text(row['proposal']),
      fields: {
        person: text(row['person']),
        first_sha256: hex(row['first_sha256']),
        second_sha256: hex(row['second_sha256']),
      },
    };
  }
}

/** What lets a person or a program in over the wire. */
async function* comparedSignIns(run: Run, tenant: string): AsyncGenerator<FoundRow> {
  for await (const row of cursorRows(run, LINKS, [tenant])) {
    const fields = {
      person: text(row['person']),
      link_sha256: hex(row['sha256']),
      made_by: text(row['made_by']),
    };
    yield { kind: 'sign_in_link', id: text(row['id']), fields };
  }
  for await (const row of cursorRows(run, SESSIONS, [tenant])) {
    const fields = {
      person: text(row['person']),
      session_sha256: hex(row['sha256']),
      way: text(row['way']),
      credential: text(row['credential']),
      hours: Number(row['hours']),
      ended_by: orNull(row['ended_by'], text),
    };
    yield { kind: 'person_session', id: text(row['id']), fields };
  }
  for await (const row of cursorRows(run, TOKENS, [tenant])) {
    const fields = {
      owner: text(row['owner']),
      name: text(row['name']),
      // A list of texts by the type of its column.
      acts: row['acts'] as readonly string[],
      token_sha256: hex(row['sha256']),
      days: Number(row['days']),
      revoked_by: orNull(row['revoked_by'], text),
    };
    yield { kind: 'program_token', id: text(row['id']), fields };
  }
}

/** Every time that a role was given, and every time that it was taken. */
async function* comparedPeriods(run: Run, tenant: string): AsyncGenerator<FoundRow> {
  for await (const row of cursorRows(run, ROLE_PERIODS, [tenant])) {
    const of = (proposal: unknown): string =>
      `${text(row['person'])}/${text(row['role'])}/${proposal === null ? 'null' : text(proposal)}`;
    const { given_by: giver, taken_by: taker } = row;
    const given = { given_by: orNull(giver, text) };
    yield { kind: 'role_given', id: of(row['proposal']), fields: given };
    if (taker === null) continue;
    yield { kind: 'role_taken', id: of(row['taken_proposal']), fields: { taken_by: text(taker) } };
  }
}

/** Where mail goes. */
async function* comparedMail(run: Run, tenant: string): AsyncGenerator<FoundRow> {
  for await (const row of cursorRows(run, RECIPIENTS, [tenant])) {
    const id = `${text(row['role'])}/${text(row['entity_id'])}/${text(row['address'])}`;
    const fields = { removed: row['removed'] === true, ver: Number(row['ver']) };
    // An entity's agent comes with its record, whose entry names the sealed text alone.
    const isQuiet = row['role'] === 'registered_agent' && row['entity_id'] !== '';
    yield { kind: 'recipient', id, fields, isQuiet };
  }
  for await (const row of cursorRows(run, MAIL, [tenant])) {
    const fields = {
      smtp: text(row['smtp']),
      sender: text(row['sender']),
      allow_private: row['allow_private'] === true,
      ver: Number(row['ver']),
    };
    yield { kind: 'mail_setting', id: tenant, fields };
  }
}

/** Holds, webhooks, mail, alerts. */
async function* comparedHouse(run: Run, tenant: string): AsyncGenerator<FoundRow> {
  for await (const row of cursorRows(run, HOLDS, [tenant])) {
    const id = text(row['id']);
    const reason = text(row['reason']);
    const proposed = { kind: 'hold', subject: id, terms: { act: 'release' }, reason } as const;
    yield {
      kind: 'hold',
      id,
      fields: {
        subject: orNull(row['subject'], text),
        placed_by: text(row['placed_by']),
        released_by: orNull(row['released_by'], text),
        // The ledger does not tell the reason: it knows the hash of the proposal, which covers it.
        sha256: proposalHash(proposed),
        ver: Number(row['ver']),
      },
    };
  }
  for await (const row of cursorRows(run, SUBSCRIPTIONS, [tenant])) yield webhookRow(row);
  yield* comparedMail(run, tenant);
  for await (const row of cursorRows(run, ALERTS, [tenant])) {
    const fields = { acknowledged_by: text(row['acknowledged_by']) };
    yield { kind: 'alert', id: text(row['id']), fields };
  }
}

function webhookRow(row: Row): FoundRow {
  const [id, url] = [text(row['id']), text(row['url'])];
  // A list of texts by the type of its column.
  const types = row['types'] as readonly string[];
  const allow_private = row['allow_private'] === true;
  const reason = orNull(row['reason'], text) ?? '';
  const terms = { url, types, allow_private };
  return {
    kind: 'subscription',
    id,
    fields: {
      host: URL.canParse(url) ? new URL(url).host : null,
      types,
      allow_private,
      removed: row['removed'] === true,
      approved: row['approved'] === true,
      // The rest of the address may be a secret: the ledger knows the hash of the proposal, which covers it.
      sha256: proposalHash({ kind: 'webhook', subject: id, terms, reason }),
    },
  };
}

/** Kinds whose entries name a proposal by what it is about and which one it is. */
const BY_SUBJECT: readonly string[] = [
  'batch',
  'replay',
  'correct',
  'exception',
  'statement',
  'hold',
  'quarantine',
  'lane',
  'hand',
  'webhook',
  'recipient',
  'matrix',
  'docket',
  'recovery',
  'cancel',
];
/** Kinds whose entries name it by its id. Of any other kind entries may speak in either way, or not at all. */
const BY_ID: readonly string[] = ['person', 'role', 'release'];

/** Each proposal is followed by its own items: the hash that was approved is made from both. */
export async function* comparedProposals(
  run: Run,
  tenant: string,
  itemsOf: (proposal: string) => AsyncIterable<FoundRow>,
): AsyncGenerator<FoundRow> {
  for await (const row of cursorRows(run, PROPOSALS, [tenant])) {
    const kind = text(row['kind']);
    const subject = text(row['subject']);
    const fields = {
      kind,
      subject,
      terms: text(row['terms']),
      sha256: hex(row['sha256']),
      reason: text(row['reason']),
      proposed_by: text(row['proposed_by']),
      state: text(row['state']),
      decided_by: orNull(row['decided_by'], text),
      decision_reason: orNull(row['decision_reason'], text),
    };
    if (!BY_SUBJECT.includes(kind)) {
      const isQuiet = !BY_ID.includes(kind);
      yield { kind: 'proposal', id: text(row['id']), fields, isQuiet };
    }
    if (!BY_ID.includes(kind)) {
      const id = `${kind}/${subject}/${text(row['n'])}`;
      yield { kind: 'proposal', id, fields, isQuiet: !BY_SUBJECT.includes(kind) };
    }
    if (kind === 'replay' || kind === 'correct') yield* itemsOf(text(row['id']));
  }
}
