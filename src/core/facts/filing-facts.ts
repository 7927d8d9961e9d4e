/** Facts of filings, their batches, lanes and reviews. */
import type { FactShape } from './shape.ts';

const BREAKER = {
  at: 'instant',
  from: 'text',
  to: 'text',
  'lane?': 'text',
  'target?': 'text',
  'failures?': 'number',
  'good?': 'number',
  'since?': 'instant',
  'until?': 'instant',
  'next_probe_at?': 'instant',
  'recovery?': 'text',
} as const;

const DESTINATIONS = [{ lane: 'text', profile_sha256: 'digest', origin: 'text' }] as const;
const PROPOSAL = { review: 'text', kind: 'text', count: 'number', sha256: 'digest' } as const;

export const FILING_FACTS = {
  'batch.opened': {
    when: 'An import opens a batch with its first filing.',
    fields: { source: 'text', prepared_by: 'text' },
  },
  'batch.closed': {
    when: 'An import has ended and its filings are frozen.',
    fields: {
      rows: 'number',
      created: 'number',
      changed: 'number',
      unchanged: 'number',
      refused: 'number',
      input_sha256: 'digest',
      count: 'number',
      sha256: 'digest',
      'lanes?': DESTINATIONS,
    },
  },
  'approval.granted': {
    when: 'A second person approves a batch, or a review proposal.',
    fields: {
      'batch?': 'text',
      'batch_ver?': 'number',
      'fees?': [{ rail: 'text', filings: 'number', cents: 'number' }],
      'review?': 'text',
      'kind?': 'text',
      'lanes?': DESTINATIONS,
      'valid_days?': 'number',
      count: 'number',
      sha256: 'digest',
    },
  },
  'approval.voided': {
    when: 'An approval ends for the filings of a batch on a lane: its profile has changed, or the approval expired.',
    fields: {
      batch: 'text',
      lane: 'text',
      cause: 'text',
      filings: 'number',
      'profile_sha256?': 'digest',
    },
  },
  'release.proposed': {
    when: 'A person proposes to send filings whose approval ended.',
    fields: {
      batch: 'text',
      lanes: DESTINATIONS,
      count: 'number',
      sha256: 'digest',
      reason: 'text',
    },
  },
  'filing.state': {
    when: 'A filing is imported, claimed for a status query, or moved by a person.',
    fields: {
      'from?': 'text',
      'to?': 'text',
      'attempt?': 'number',
      'revision?': 'number',
      'jurisdiction?': 'text',
      'lane?': 'text',
      'filing_kind?': 'text',
      'period?': 'text',
      'due?': 'instant',
      'payload_sha256?': 'digest',
      'key?': 'text',
      'changed?': 'given',
      'action?': 'text',
      'cause?': 'text',
      'reason?': 'text',
      'receipt?': 'text',
      'shared_receipt?': 'flag',
      'evidence_sha256?': 'digest',
      'not_filed?': 'text',
      'proposal?': 'text',
      'proposed_by?': 'text',
    },
  },
  'filing.intent': {
    when: 'Before a filing is sent: the intent is committed.',
    fields: {
      from: 'text',
      to: 'text',
      action: 'text',
      attempt: 'number',
      lane: 'text',
      key: 'text',
      payload_sha256: 'digest',
      'profile_sha256?': 'digest',
    },
  },
  'filing.outcome': {
    when: 'After an attempt: the answer, and what it means.',
    fields: {
      from: 'text',
      to: 'text',
      attempt: 'number',
      verdict: 'text',
      code: 'text',
      lane: 'text',
      payload_sha256: 'digest',
      'receipt_of?': 'text',
    },
  },
  'dlq.enveloped': {
    when: 'A filing becomes an exception; the sealed body is its envelope.',
    fields: {
      filing: 'text',
      revision: 'number',
      reason: 'text',
      to: 'text',
      payload_sha256: 'digest',
    },
  },
  'review.proposed': {
    when: 'A person proposes to send filings again, or a correction.',
    fields: {
      kind: 'text',
      reason: 'text',
      'filing?': 'text',
      'filter?': 'given',
      'revision?': 'number',
      'payload_sha256?': 'digest',
      'former_payload_sha256?': 'digest',
      'fields?': ['text'],
      'lanes?': DESTINATIONS,
      count: 'number',
      sha256: 'digest',
    },
  },
  'review.withdrawn': {
    when: 'A review proposal is withdrawn.',
    fields: { ...PROPOSAL, reason: 'text' },
  },
  'review.assigned': {
    when: 'A person assigns an exception to another person.',
    fields: { to_person: 'text', reason: 'text' },
  },
  'lane.profiled': {
    when: "A portal's profile is added or replaced.",
    fields: {
      lane: 'text',
      ceiling: 'number',
      automation: 'text',
      effect: 'text',
      profile_sha256: 'digest',
      origin: 'text',
    },
  },
  'lane.paused': {
    when: 'A lane stops sending, until a moment or until a person resumes it.',
    fields: { lane: 'text', at: 'instant', reason: 'text', 'until?': 'instant' },
  },
  'lane.resumed': {
    when: 'A lane sends again.',
    fields: { lane: 'text', at: 'instant', reason: 'text' },
  },
  'lane.ceiling': {
    when: 'The number of requests that a lane may have in flight changes.',
    fields: { lane: 'text', at: 'instant', from: 'number', to: 'number', 'reason?': 'text' },
  },
  'breaker.opened': {
    when: 'A lane or a target has failed too often; sending to it stops.',
    fields: BREAKER,
  },
  'breaker.half_open': {
    when: 'A breaker lets one probe through.',
    fields: BREAKER,
  },
  'breaker.closed': {
    when: 'A lane or a target has recovered.',
    fields: BREAKER,
  },
} as const satisfies Readonly<Record<string, FactShape>>;
