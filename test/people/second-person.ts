/**
 * Every act, by whether one person may do it alone. Written by hand and not taken from src/access: an act that is new there
 * is missing here, and its test fails until somebody has said what one person can do with it.
 */
import type { ActName } from '../../src/access/rights.ts';
import type { ProposalKind } from '../../src/core/approval.ts';

interface SecondPerson {
  readonly propose: readonly ActName[];
  readonly approve: readonly ActName[];
  /** As those who approve, where it is not said. */
  readonly refuse?: readonly ActName[];
}

/** What cannot be undone, or changes where something goes or who may do what. */
export const TWO_PEOPLE: Readonly<Record<ProposalKind, SecondPerson>> = {
  batch: {
    propose: ['batch.import', 'batch.create', 'batch.propose'],
    approve: ['batch.approve'],
    // Proposing a batch anew ends what was proposed before.
    refuse: ['batch.approve', 'batch.propose'],
  },
  release: {
    propose: ['batch.propose'],
    approve: ['batch.approve'],
    refuse: ['batch.approve', 'batch.propose'],
  },
  replay: {
    propose: ['review.replay', 'review.replay-many'],
    approve: ['review.approve'],
    refuse: ['review.withdraw'],
  },
  correct: {
    propose: ['review.correct'],
    approve: ['review.approve'],
    refuse: ['review.withdraw'],
  },
  exception: {
    propose: ['grants.exception.propose', 'grants.amend', 'grants.cancel-award'],
    approve: ['grants.exception.approve'],
    refuse: ['grants.exception.withdraw'],
  },
  statement: {
    propose: ['grants.withdrawal.propose'],
    approve: ['grants.withdrawal.decide'],
  },
  hold: { propose: ['retention.hold'], approve: ['retention.release'] },
  person: {
    propose: ['user.add', 'user.enable', 'user.key.replace'],
    approve: ['user.approve'],
    refuse: ['user.refuse'],
  },
  role: { propose: ['user.role'], approve: ['user.approve'], refuse: ['user.refuse'] },
  quarantine: {
    propose: ['audit.quarantine.propose'],
    approve: ['audit.quarantine.approve'],
    refuse: ['audit.quarantine.decline'],
  },
  lane: { propose: ['lane.add'], approve: ['lane.decide'] },
  webhook: { propose: ['webhook.add', 'webhook.change'], approve: ['webhook.decide'] },
  recipient: { propose: ['mail.set', 'mail.recipient'], approve: ['mail.decide'] },
  matrix: { propose: ['route.import'], approve: ['route.decide'] },
  key: { propose: ['key.rotate'], approve: ['key.rotate'] },
};

/** What one person does alone, each with why that is enough. */
export const ALONE: Readonly<Record<string, readonly ActName[]>> = {
  'asks for the second person in an act of its own (recovery/recovery.test.ts)': [
    'recovery.approve',
    'recovery.run',
  ],
  'sends nothing: what it brings in waits for an approval, or is matched and released by further acts':
    [
      'entity.import',
      'docket.import',
      'grants.ingest',
      'grants.ingest-feed',
      'grants.fetch',
      'grants.read-lane',
      'grants.retry',
      'grants.attach-check',
      'grants.verify',
      'grants.exception.reingest',
      'obligation.recompute',
    ],
  'says what happened, in the person’s name': [
    'alert.ack',
    'docket.ack',
    'docket.close',
    'review.accept',
    'review.reject',
    'review.assign',
    'recovery.review',
    'recovery.review-many',
    'grants.resolve',
    'grants.state-balance',
    'grants.reconcile',
    'grants.close',
    'grants.release',
    'grants.evaluate',
  ],
  'only takes away, or cannot wait': [
    'user.disable',
    'user.key.revoke',
    'lane.change',
    'route.absent',
    'retention.run',
  ],
  'gives nobody else anything': ['user.key.add', 'webhook.rotate', 'event.resend'],
  'sends no data of anybody, to where two people agreed or where its person says': [
    'webhook.test',
    'mail.test',
  ],
  'is before there is anybody': ['user.found'],
  'needs the codes of two administrators': ['user.enroll'],
  'keeps an installation running': [
    'acknowledgement.serve',
    'audit.checkpoint',
    'batch.run',
    'database.backup',
    'database.restore',
    'database.start',
    'database.stop',
    'docket.consume',
    'forecast.warn',
    'forecast.warn-unfiled',
    'jobs.run',
    'portal.check',
    'route.run',
    'route.start',
    'witness.serve',
    'worker.run',
  ],
};

/** Shows something, and changes nothing. */
export const READS: readonly ActName[] = [
  'alert.list',
  'audit.export',
  'audit.heads',
  'audit.log',
  'audit.quarantine',
  'audit.set-aside.list',
  'audit.set-aside.show',
  'audit.verify',
  'batch.list',
  'batch.status',
  'batch.terms',
  'database.status',
  'diagnose.blocks',
  'diagnose.conflicts',
  'diagnose.payload',
  'diagnose.route',
  'diagnose.sessions',
  'docket.ics',
  'docket.list',
  'docket.moved',
  'docket.report',
  'docket.show',
  'entity.list',
  'entity.open',
  'entity.show',
  'event.list',
  'filing.defend',
  'filing.list',
  'filing.open',
  'filing.show',
  'forecast.show',
  'forecast.unfiled',
  'grants.exception.list',
  'grants.exception.show',
  'grants.obligations',
  'grants.periods',
  'grants.report',
  'grants.statements',
  'grants.status',
  'grants.trace',
  'grants.unmatched',
  'grants.withdrawal.list',
  'installation.inspect',
  'key.list',
  'lane.list',
  'lane.proposals',
  'mail.log',
  'mail.proposals',
  'mail.show',
  'obligation.foresee',
  'obligation.ics',
  'obligation.list',
  'recovery.differences',
  'recovery.status',
  'rehearsal.plan',
  'retention.status',
  'review.list',
  'review.proposal',
  'review.proposals',
  'review.show',
  'route.check',
  'route.proposals',
  'route.show',
  'user.key.list',
  'user.list',
  'user.proposals',
  'webhook.list',
  'webhook.log',
  'webhook.proposals',
];
