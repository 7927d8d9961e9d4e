/** Facts of the grants pipeline; each stage writes into a log of its own. */
import type { FactShape } from './shape.ts';

const QUESTION = {
  request_hash: 'digest',
  attempt_count: 'number',
  'last_error_code?': 'text',
  'seen_sha256?': 'digest',
  'seen_bytes?': 'number',
  'document?': 'text',
  'exception?': 'text',
} as const;
const RESOLVED = { n: 'number', 'document?': 'text', 'amends?': 'text' } as const;
const WITHDRAWAL = { 'statement?': 'number', 'replacement?': 'digest' } as const;

export const GRANT_FACTS = {
  'document.ingested': {
    when: 'An award document has been read to its end.',
    fields: {
      records: 'number',
      accepted: 'number',
      repeated: 'number',
      refused: 'number',
      format: 'text',
      'corrects?': 'text',
      'replaces?': 'text',
    },
  },
  'awards.accepted': {
    when: 'A group of awards is frozen; the sealed body holds them.',
    fields: { first: 'number', last: 'number', count: 'number', metadata_sha256: 'digest' },
  },
  'award.amended': {
    when: 'Another record takes the place of an award.',
    fields: { award: 'text', exception: 'text', by: 'text' },
  },
  'award.cancelled': {
    when: 'An award is amended or canceled.',
    fields: { award: 'text', exception: 'text' },
  },
  'fetch.begun': {
    when: 'A document is to be read over a lane.',
    fields: { request_hash: 'digest' },
  },
  'fetch.attempted': { when: 'Before a document is asked for.', fields: QUESTION },
  'fetch.received': { when: 'A document was read in full.', fields: QUESTION },
  'fetch.ingested': { when: 'A fetched document is imported.', fields: QUESTION },
  'fetch.waiting': { when: 'A document could not be read and will be retried.', fields: QUESTION },
  'fetch.fallback': { when: 'A document cannot be read; a person gets it.', fields: QUESTION },
  'feed.ingested': {
    when: 'A bank feed has been read to its end.',
    fields: {
      format: 'text',
      statements: 'number',
      lines: 'number',
      gaps: 'number',
      late: 'number',
    },
  },
  'feed.lines': {
    when: 'A group of bank lines is kept; the sealed body holds them.',
    fields: { first: 'number', last: 'number' },
  },
  'feed.withdrawal_proposed': {
    when: 'A person proposes to withdraw a statement.',
    fields: WITHDRAWAL,
  },
  'feed.restoration_proposed': {
    when: 'A person proposes to restore a statement.',
    fields: WITHDRAWAL,
  },
  'feed.withdrawal_approved': {
    when: 'A second person approves a withdrawal or a restoration.',
    fields: { n: 'number' },
  },
  'feed.withdrawal_refused': {
    when: 'Such a proposal is refused.',
    fields: { n: 'number' },
  },
  'balance.stated': {
    when: 'A person enters the balance of an account.',
    fields: { on: 'day', cents: 'text' },
  },
  'lines.matched': {
    when: 'Open bank lines were matched to expected payments.',
    fields: {
      until: 'day',
      lines: 'number',
      outcomes_sha256: 'digest',
      matched: 'number',
      ignored: 'number',
      netted: 'number',
      review: 'number',
      manual: 'number',
      open: 'number',
    },
  },
  'line.resolved': {
    when: 'A person resolves a bank line.',
    fields: {
      awards: ['text'],
      reason: 'text',
      'cents?': ['number'],
      'fee_cents?': 'number',
      'rest?': 'text',
      'rest_cents?': 'number',
    },
  },
  'line.undone': {
    when: 'A person takes back what was last said of a bank line.',
    fields: { undoes: 'number', reason: 'text' },
  },
  'period.closed': {
    when: 'A period closes with its totals.',
    fields: {
      from: 'day',
      to: 'day',
      account: 'text',
      'closing_cents?': 'text',
      totals_hash: 'digest',
      matched_cents: 'given',
      outcomes: 'given',
    },
  },
  'period.released': {
    when: 'A closed period is released to the rules.',
    fields: { received: 'number', cents: 'text', totals_hash: 'digest' },
  },
  'threshold.crossed': {
    when: 'Receipts come to the amount from which a state asks for registration.',
    fields: { measure: 'text', on: 'day', by: 'text', total_cents: 'text' },
  },
  'registration.checked': {
    when: 'A person attaches a registration check.',
    fields: { jurisdiction: 'text', checked_on: 'day' },
  },
  'verification.begun': {
    when: "A grantor's ledger is to be compared; the sealed body is the question.",
    fields: { request_hash: 'digest', awards: 'number' },
  },
  'verification.attempted': { when: 'Before a grantor ledger is queried.', fields: QUESTION },
  'verification.waiting': {
    when: 'The grantor ledger could not be read and will be retried.',
    fields: QUESTION,
  },
  'verification.verified': { when: 'The two ledgers agree.', fields: QUESTION },
  'verification.differs': {
    when: 'The two ledgers differ; a person gets it.',
    fields: QUESTION,
  },
  'verification.fallback': {
    when: 'The grantor ledger cannot be read; a person gets it.',
    fields: QUESTION,
  },
  'rules.evaluated': {
    when: 'The rules were applied to a year; the sealed body is the result.',
    fields: {
      crossings: 'number',
      obligations: 'number',
      from: 'day',
      to: 'day',
      sha256: 'digest',
    },
  },
  'duty.filed': {
    when: 'A person records that a duty of an award or of the organization is filed, or corrects it; the sealed body has the receipt and the confirmation.',
    fields: {
      filing_kind: 'text',
      period: 'text',
      filed_on: 'day',
      receipt_sha256: 'digest',
      'evidence_sha256?': 'digest',
      'reason?': 'text',
    },
  },
  'report.drawn': {
    when: 'A report was drawn; the sealed body holds its figures.',
    fields: { kind: 'text', from: 'day', to: 'day', figures: 'number', hash: 'digest' },
  },
  'exception.opened': {
    when: 'A stage gives a record to a person; the sealed body is its envelope.',
    fields: {
      boundary: 'text',
      escalation_code: 'text',
      payload_hash: 'digest',
      envelope_hash: 'digest',
      violation_codes: ['text'],
      'amends?': 'text',
    },
  },
  'exception.resolution_proposed': {
    when: 'A person proposes how an exception ends.',
    fields: { resolution: 'text', 'document?': 'text', 'amends?': 'text' },
  },
  'exception.resolution_approved': { when: 'A second person approves.', fields: RESOLVED },
  'exception.resolution_withdrawn': { when: 'The proposal is withdrawn.', fields: RESOLVED },
} as const satisfies Readonly<Record<string, FactShape>>;
