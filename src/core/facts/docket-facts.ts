/** Facts of dockets on their way to people, and of targets on their way back. */
import type { FactShape } from './shape.ts';

const LABELS = { classification: ['text'], privilege: ['text'] } as const;
const DATES = { 'due?': 'day', 'final?': 'day' } as const;
const BREAKER = {
  state: 'text',
  'failures?': 'number',
  'good?': 'number',
  'since?': 'instant',
  'until?': 'instant',
  'next_probe_at?': 'instant',
} as const;
const SIDE = { tier: 'text', 'target?': 'text', 'breaker?': BREAKER } as const;
const LEVEL = { queue: 'text', 'backlog?': 'number', 'lag_ms?': 'number' } as const;
/** Of a docket target, or of a portal's lane. */
const OF = { 'target?': 'text', 'lane?': 'text', 'at?': 'instant' } as const;
const RECOVERY = {
  ...OF,
  step: 'text',
  verdict: 'text',
  evidence: 'measures',
  next: 'text',
  'differences?': 'number',
  'breakers?': { before: BREAKER, after: BREAKER },
} as const;

export const DOCKET_FACTS = {
  'docket.received': {
    when: 'A docket event is received; the sealed body is its payload.',
    fields: {
      source: 'text',
      'message?': 'text',
      payload_sha256: 'digest',
      read_sha256: 'digest',
      reading: 'text',
      drift: ['text'],
      labels: LABELS,
    },
  },
  'docket.repeated': {
    when: 'The same event is received again, in other bytes.',
    fields: { source: 'text', payload_sha256: 'digest' },
  },
  'docket.conflict': {
    when: 'The same event is received again with other content.',
    fields: {
      source: 'text',
      payload_sha256: 'digest',
      'version?': 'number',
      'read_sha256?': 'digest',
    },
  },
  'docket.dated': {
    when: 'What the dates of a docket are computed from has changed, or is in question.',
    fields: { why: 'text', 'dating_sha256?': 'digest' },
  },
  'docket.seconded': {
    when: 'A second person has docketed the event without seeing the first date.',
    fields: { event_sha256: 'digest', 'due?': 'day', 'final?': 'day', equal: 'flag' },
  },
  'docket.second_decided': {
    when: 'A third person has decided between two docketings that differ.',
    fields: { for: 'text', reason: 'text' },
  },
  'docket.revealed': {
    when: 'A person looked at a date before its second docketing, and can no longer give that.',
    fields: { reason: 'text' },
  },
  'docket.assignment': {
    when: 'An assignment table was queried for the owner of the matter.',
    fields: {
      state: 'text',
      table: 'text',
      'party?': 'text',
      'code?': 'text',
      'status?': 'number',
      'elapsed_ms?': 'number',
      'connect_ms?': 'number',
      'tls_handshake_ms?': 'number',
    },
  },
  'docket.handoff': {
    when: 'Before a handoff: to which target, with which dates.',
    fields: {
      id: 'text',
      handoff: 'text',
      tier: 'text',
      target: 'text',
      party: 'text',
      stands_in_for: ['text'],
      attempt: 'number',
      labels: LABELS,
      payload_sha256: 'digest',
      matrix: 'digest',
      ...DATES,
      law: { 'rules?': 'text', 'calendar?': 'text', 'undated?': 'text' },
      'unverified?': 'number',
    },
  },
  'docket.transition': {
    when: 'A docket leaves one tier for another.',
    fields: {
      at: 'instant',
      from: SIDE,
      to: SIDE,
      reason: 'text',
      'activation?': 'text',
      'trigger?': { code: 'text', subject: 'text' },
      'evidence?': { measure: 'text', measured: 'given', threshold: 'text' },
      labels: LABELS,
      matrix: 'digest',
    },
  },
  'docket.skipped': {
    when: 'A place in a tier is skipped: no right, absent, or no target.',
    fields: {
      at: 'instant',
      tier: 'text',
      node: 'text',
      target: 'text',
      reason: 'text',
      why: 'text',
    },
  },
  'docket.redated': {
    when: 'The law or its calendars now give other dates.',
    fields: { at: 'instant', from: DATES, to: DATES },
  },
  'docket.manual_required': {
    when: 'A docket needs a person; a two-hour clock starts.',
    fields: {
      at: 'instant',
      flag: 'text',
      reason: 'text',
      review_by: 'instant',
      'target?': 'text',
    },
  },
  'docket.manual_found': {
    when: 'A person of the manual tier can be notified again.',
    fields: { at: 'instant', review_by: 'instant', 'target?': 'text' },
  },
  'docket.manual_told': {
    when: 'A notice to the manual tier was delivered.',
    fields: { at: 'instant', target: 'text', party: 'text' },
  },
  'docket.manual_unreached': {
    when: 'A notice to the manual tier cannot be delivered.',
    fields: { at: 'instant', target: 'text', 'code?': 'text', 'next?': 'text' },
  },
  'docket.manual_overdue': {
    when: 'The two hours have passed without action.',
    fields: { at: 'instant', round: 'number', review_by: 'instant', 'target?': 'text' },
  },
  'docket.returned': {
    when: 'A failed target has recovered and gets the docket.',
    fields: { at: 'instant', tier: 'text', target: 'text' },
  },
  'docket.given': {
    when: 'A person gives a docket to another, or its owner is away: it is no longer confirmed.',
    fields: { at: 'instant', 'from?': 'text', 'to?': 'text', tier: 'text', reason: 'text' },
  },
  'docket.late': {
    when: 'The due moment has passed without a confirmation.',
    fields: { at: 'instant', 'due?': 'day' },
  },
  'docket.confirmed': {
    when: 'The docket is confirmed, by a receipt or an acknowledgment.',
    fields: { at: 'instant', tier: 'text', by: 'text', 'target?': 'text', 'receipt?': 'text' },
  },
  'docket.closed': {
    when: 'A docket is closed with proof, with an override, or as seen.',
    fields: {
      how: 'text',
      'by?': 'text',
      'receipt?': 'text',
      'filed_at?': 'instant',
      'reason?': 'text',
      'in_time?': 'flag',
      'due?': 'day',
    },
  },
  'docket.reviewed': {
    when: 'A person has reviewed the differences of a failed target.',
    fields: { differences: 'number' },
  },
  'recovery.started': {
    when: 'A lane or a target has failed: its recovery begins.',
    fields: { ...OF, opened_at: 'instant', 'reason?': 'text', 'code?': 'text', 'queues?': [LEVEL] },
  },
  'recovery.step': { when: 'A recovery check has ended.', fields: RECOVERY },
  'recovery.closed': {
    when: 'The last check was good; filings or dockets are sent there again.',
    fields: RECOVERY,
  },
  'routing.activated': {
    when: 'A routing matrix and a people file take effect.',
    fields: { matrix: 'digest', people: 'digest' },
  },
} as const satisfies Readonly<Record<string, FactShape>>;
