/** Facts of people, what they are told, the register, and the ledger itself. */
import type { FactShape } from './shape.ts';

const OWED = {
  entity: 'text',
  jurisdiction: 'text',
  filing_kind: 'text',
  period: 'text',
  state: 'text',
  as_of: 'day',
  'rule?': 'text',
  rule_version: 'text',
  calendar_version: 'text',
  'due?': 'day',
  'raw?': 'day',
  'fee_cents?': 'number',
  'confidence?': 'text',
  'changed?': [{ field: 'text', from: 'given', to: 'given' }],
} as const;
const ENTITY = {
  jurisdiction: 'text',
  registry_number: 'text',
  kind: 'text',
  origin: 'text',
} as const;
const RECIPIENT = { role: 'text', 'entity_id?': 'text' } as const;
const LOGS = [
  {
    origin: 'text',
    boundary: 'text',
    reason: 'text',
    kept_size: 'number',
    kept_note: 'text',
    size: 'number',
    'root?': 'text',
    'note?': 'text',
  },
] as const;

const CHANGE = { kind: 'text', subject: 'text', sha256: 'digest' } as const;
const KEY = { key: 'text', name: 'text', key_sha256: 'digest' } as const;
const TOKEN = { token: 'text', name: 'text', token_sha256: 'digest' } as const;
const DECIDED = {
  person: 'text',
  name: 'text',
  act: 'text',
  roles: ['text'],
  sha256: 'digest',
  proposed_by: 'text',
} as const;

export const HOUSE_FACTS = {
  'person.added': {
    when: 'A person is added, at installation or by others.',
    fields: { name: 'text', skeleton: 'text', party: 'text', roles: ['text'], 'proposal?': 'text' },
  },
  'person.disabled': { when: "A person's keys are disabled.", fields: { name: 'text' } },
  'person.enabled': {
    when: 'A disabled person is enabled again.',
    fields: { name: 'text', 'proposal?': 'text' },
  },
  'person.joined': {
    when: 'One party alone gave a person of another a key; both count as one from then on.',
    fields: { party: 'text' },
  },
  'person.proposed': {
    when: 'An administrator proposes to add or enable a person, to change roles, or to replace a key.',
    fields: {
      person: 'text',
      name: 'text',
      act: 'text',
      sha256: 'digest',
      'roles?': ['text'],
      'code_sha256?': 'digest',
    },
  },
  'person.approved': {
    when: 'An administrator of another party approves it.',
    fields: { ...DECIDED, 'code_sha256?': 'digest' },
  },
  'person.refused': { when: 'It is refused, or taken back.', fields: DECIDED },
  'role.given': {
    when: 'A person gets roles.',
    fields: { roles: ['text'], 'proposal?': 'text' },
  },
  'role.taken': {
    when: 'A person loses roles.',
    fields: { roles: ['text'], 'proposal?': 'text' },
  },
  'key.added': {
    when: 'A person gets a key; after so many days it expires.',
    fields: { ...KEY, days: 'number', 'proposal?': 'text' },
  },
  'key.revoked': { when: 'A key is revoked.', fields: KEY },
  'link.made': {
    when: 'A person makes a link that signs someone in once, within ten minutes.',
    fields: { link: 'text', link_sha256: 'digest', made_by: 'text' },
  },
  'session.started': {
    when: 'A person signs in to the service, with a key or a link.',
    fields: {
      session: 'text',
      session_sha256: 'digest',
      way: 'text',
      credential: 'text',
      hours: 'number',
      address: 'text',
    },
  },
  'session.ended': {
    when: 'A person signs out, or an administrator ends the session.',
    fields: { session: 'text', session_sha256: 'digest' },
  },
  'token.added': {
    when: 'A person makes a token with which a program acts for them, in these acts alone.',
    fields: { ...TOKEN, acts: ['text'], days: 'number' },
  },
  'token.revoked': { when: 'A token is revoked.', fields: TOKEN },
  'request.done': {
    when: 'The service did what a request asked for: which act, in which session or by which token, from where.',
    fields: { act: 'text', 'session?': 'text', 'token?': 'text', address: 'text', request: 'text' },
  },
  'change.proposed': {
    when: 'A person proposes a change of a lane, a webhook, a recipient, the mail server or the routing matrix, starts a recovery, proposes a batch again, or stops one.',
    fields: {
      ...CHANGE,
      reason: 'text',
      'profile_sha256?': 'digest',
      'origin?': 'text',
      'host?': 'text',
      'matrix?': 'digest',
      'people?': 'digest',
    },
  },
  'change.approved': {
    when: 'A second person approves a change; it is made at once.',
    fields: CHANGE,
  },
  'change.refused': {
    when: 'A second person refuses a change, or the first one withdraws it.',
    fields: { ...CHANGE, reason: 'text' },
  },
  'access.opened': {
    when: 'A person opens sealed data, or an act that anyone at the machine may do opens it.',
    fields: { act: 'text', subject: 'text' },
  },
  'access.refused': {
    when: 'An act is refused; a flood of refusals is folded, and `times` says how many.',
    fields: { act: 'text', subject: 'text', times: 'number' },
  },
  'alert.acknowledged': { when: 'A person acknowledges an alert.', fields: { alert: 'text' } },
  'subscription.added': {
    when: 'A webhook is added.',
    fields: { host: 'text', types: ['text'], allow_private: 'flag' },
  },
  'subscription.enabled': { when: 'A webhook is enabled again.', fields: {} },
  'subscription.disabled': {
    when: 'A webhook is disabled, by a person or because it is gone.',
    fields: { 'reason?': 'text' },
  },
  'subscription.removed': { when: 'A webhook is removed.', fields: {} },
  'subscription.rotated': { when: 'A webhook gets another secret.', fields: {} },
  'mail.set': {
    when: 'The mail server is set.',
    fields: { smtp: 'text', server: 'text', sender: 'text', allow_private: 'flag' },
  },
  'recipient.added': { when: 'An email recipient is added.', fields: RECIPIENT },
  'recipient.removed': { when: 'An email recipient is removed.', fields: RECIPIENT },
  'entity.recorded': { when: 'An entity is added to the register.', fields: ENTITY },
  'entity.changed': {
    when: 'The record of an entity changes; values about people are sealed.',
    fields: {
      ...ENTITY,
      changed: [{ field: 'text', old: 'given', new: 'given' }],
      changed_sealed: ['text'],
    },
  },
  'obligation.computed': { when: 'The rules find a new obligation.', fields: OWED },
  'obligation.moved': { when: 'A date or a fee of an obligation changes.', fields: OWED },
  'obligation.restated': {
    when: 'An obligation is recomputed; its dates and fee stay the same.',
    fields: OWED,
  },
  'obligation.met': {
    when: 'A filing was accepted for an obligation.',
    fields: { entity: 'text', 'why?': 'text' },
  },
  'obligation.superseded': {
    when: 'An obligation is no longer owed.',
    fields: { entity: 'text', 'why?': 'text' },
  },
  'hold.placed': {
    when: 'A legal hold is placed on one subject, or on everything.',
    fields: { hold: 'text', 'subject?': 'text', sha256: 'digest' },
  },
  'hold.released': { when: 'A second person releases a hold.', fields: { hold: 'text' } },
  'retention.shredded': {
    when: 'Keys past their retention date are destroyed.',
    fields: { backup_days: 'number', keys: ['text'], count: 'number', blobs: 'number' },
  },
  'key.rotated': {
    when: 'A signing key, a tenant key or the root key is replaced.',
    fields: {
      'level?': 'text',
      'old?': 'text',
      'new?': 'text',
      'first_size?': 'number',
      'after?': 'text',
      'data_keys?': 'number',
    },
  },
  'key.retired': {
    when: 'The older of two signing keys is retired.',
    fields: { vkey: 'text', last_size: 'number' },
  },
  'spine.head': {
    when: 'A log has a new checkpoint.',
    fields: { origin: 'text', size: 'number', root: 'digest' },
  },
  'quarantine.entered': {
    when: 'The database contradicts checkpoints kept outside it.',
    fields: { logs: LOGS },
  },
  'quarantine.left': {
    when: 'A second person releases the tenant from quarantine.',
    fields: {
      logs: LOGS,
      must_settle: 'number',
      ask_new_days: 'number',
      proposed_by: 'text',
      'release?': 'number',
    },
  },
  'quarantine.release_proposed': {
    when: 'A person proposes to release the tenant from quarantine.',
    fields: { sha256: 'digest', evidence_sha256: 'digest', must_settle: 'number' },
  },
  'quarantine.release_declined': {
    when: 'The release of the tenant from quarantine is declined or withdrawn.',
    fields: { sha256: 'digest' },
  },
  'ledger.set_aside': {
    when: 'A fact with an invalid type could not be written; this entry replaces it.',
    fields: { set_aside: { reason: 'text', sha256: 'digest', bytes: 'number' } },
  },
} as const satisfies Readonly<Record<string, FactShape>>;
