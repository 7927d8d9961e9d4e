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
const RECOVERY = {
  target: 'text',
  step: 'text',
  verdict: 'text',
  evidence: 'measures',
  next: 'text',
  'differences?': 'number',
  breakers: { before: BREAKER, after: BREAKER },
} as const;

export const DOCKET_FACTS = {
  'docket.received': {
    when: 'A docket event comes in; the sealed body is its payload.',
    fields: {
      source: 'text',
      'message?': 'text',
      payload_sha256: 'digest',
      reading: 'text',
      drift: ['text'],
      labels: LABELS,
    },
  },
  'docket.repeated': {
    when: 'The same event comes again, spelled in other bytes.',
    fields: { source: 'text', payload_sha256: 'digest' },
  },
  'docket.conflict': {
    when: 'The same event comes again and says something else.',
    fields: { source: 'text', payload_sha256: 'digest' },
  },
  'docket.assignment': {
    when: 'An assignment table was asked who has the matter.',
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
    when: 'Before a docket is handed to a target: to whom, by which dates.',
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
    when: 'A node of a tier is passed over: no right, absent, or no target.',
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
    when: 'The law or its calendars give other dates than before.',
    fields: { at: 'instant', from: DATES, to: DATES },
  },
  'docket.manual_required': {
    when: 'Only a person can go on with a docket; a clock of two hours runs.',
    fields: {
      at: 'instant',
      flag: 'text',
      reason: 'text',
      review_by: 'instant',
      'target?': 'text',
    },
  },
  'docket.manual_found': {
    when: 'Somebody of the manual tier can be asked at last.',
    fields: { at: 'instant', review_by: 'instant', 'target?': 'text' },
  },
  'docket.manual_told': {
    when: 'A notice to the manual tier got through.',
    fields: { at: 'instant', target: 'text', party: 'text' },
  },
  'docket.manual_unreached': {
    when: 'A notice to the manual tier cannot be delivered.',
    fields: { at: 'instant', target: 'text', 'code?': 'text', 'next?': 'text' },
  },
  'docket.manual_overdue': {
    when: 'The two hours have run out and nobody has acted.',
    fields: { at: 'instant', round: 'number', review_by: 'instant', 'target?': 'text' },
  },
  'docket.returned': {
    when: 'A target that had failed is well again and gets the docket.',
    fields: { at: 'instant', tier: 'text', target: 'text' },
  },
  'docket.late': {
    when: 'The due moment has passed without a confirmation.',
    fields: { at: 'instant', 'due?': 'day' },
  },
  'docket.confirmed': {
    when: 'Somebody has the docket, by a receipt or an acknowledgement.',
    fields: { at: 'instant', tier: 'text', by: 'text', 'target?': 'text', 'receipt?': 'text' },
  },
  'docket.closed': {
    when: 'A docket ends with a proof, an override, or as seen.',
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
    when: 'A person has compared what went past a failed target.',
    fields: { differences: 'number' },
  },
  'recovery.started': {
    when: "A target's breaker opens: its way back begins.",
    fields: { target: 'text', opened_at: 'instant', queues: [LEVEL] },
  },
  'recovery.step': { when: 'A check of the way back has ended.', fields: RECOVERY },
  'recovery.closed': { when: 'The last check was good; the breaker is closed.', fields: RECOVERY },
  'routing.activated': {
    when: 'A routing matrix and a people file come into force.',
    fields: { matrix: 'digest', people: 'digest' },
  },
} as const satisfies Readonly<Record<string, FactShape>>;
