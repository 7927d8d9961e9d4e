/** What a second person does with a proposal of each kind: the act that it takes, and the command that shows it. */
import type { ActName } from '../../access/index.ts';
import type { ProposalKind } from '../../core/index.ts';

interface Decision {
  readonly act: ActName;
  /** `%` stands for what it is about. */
  readonly what: string;
  readonly next: (proposal: {
    readonly id: string;
    readonly subject: string;
    readonly sha256: string;
  }) => string;
}

/** Batches to send are listed with their filings (inbox.ts). */
export const DECISIONS: Readonly<Record<Exclude<ProposalKind, 'batch' | 'release'>, Decision>> = {
  cancel: {
    act: 'batch.cancel.approve',
    what: 'withdraw what was stopped of batch %',
    next: ({ subject, sha256 }) => `batch cancel ${subject} --approve --expect-hash ${sha256}`,
  },
  replay: {
    act: 'review.approve',
    what: 'send filings again',
    next: ({ id }) => `review proposal ${id}`,
  },
  correct: {
    act: 'review.approve',
    what: 'send a corrected filing',
    next: ({ id }) => `review proposal ${id}`,
  },
  hand: {
    act: 'hand.approve',
    what: 'correct what was recorded of filing %',
    next: () => 'hand corrections',
  },
  exception: {
    act: 'grants.exception.approve',
    what: 'resolve a grant exception',
    next: ({ subject }) => `grants exceptions show ${subject}`,
  },
  statement: {
    act: 'grants.withdrawal.decide',
    what: 'withdraw or restore bank statements',
    next: () => 'grants statements',
  },
  hold: {
    act: 'retention.release',
    what: 'release a legal hold',
    next: ({ subject }) => `retention release ${subject}`,
  },
  person: { act: 'user.approve', what: 'add or enable a person', next: () => 'user proposals' },
  role: { act: 'user.approve', what: 'change the roles of a person', next: () => 'user proposals' },
  quarantine: {
    act: 'audit.quarantine.approve',
    what: 'release the installation from quarantine',
    next: () => 'audit quarantine status',
  },
  lane: { act: 'lane.decide', what: 'another profile for lane %', next: () => 'lane proposals' },
  webhook: {
    act: 'webhook.decide',
    what: 'send events to a webhook',
    next: () => 'webhook proposals',
  },
  recipient: { act: 'mail.decide', what: 'send mail to %', next: () => 'mail proposals' },
  matrix: {
    act: 'route.decide',
    what: 'another routing of dockets',
    next: () => 'route proposals',
  },
  docket: {
    act: 'docket.approve',
    what: 'change the dates of docket %',
    next: ({ subject }) => `docket proposals ${subject}`,
  },
  key: { act: 'key.rotate', what: 'replace a key', next: () => 'key list' },
  recovery: {
    act: 'recovery.approve',
    what: 'bring % back sooner',
    next: () => 'recovery status',
  },
};
