/**
 * Who may do what, as the design of roles says it (states are for everyone; payloads for whoever works with them; nobody
 * approves by the role with which they prepare). Written beside the program's table and never made from it: where the two
 * differ, one of them is wrong.
 */

/** Short for the roles, in the order of the columns that a person would draw. */
const ROLE = {
  v: 'viewer',
  p: 'preparer',
  a: 'approver',
  o: 'operator',
  d: 'docketer',
  i: 'grants.ingestion',
  r: 'grants.reconciliation',
  u: 'grants.rules',
  e: 'grants.reporting',
  f: 'grants.fallback',
  t: 'auditor',
  s: 'admin',
} as const;
type Letter = keyof typeof ROLE;

/** Roles by letter; after a plus who else: `m` whoever sits at the machine without a key, `g` another program. */
const TABLE: Readonly<Record<string, readonly string[]>> = {
  'vpaodiruefts+mg': [
    'alert.list audit.checkpoint audit.export audit.heads audit.log audit.quarantine audit.set-aside.list',
    'audit.set-aside.show audit.verify batch.list batch.status entity.list entity.show event.list filing.list',
    'inbox.list user.whoami hand.list filing.show forecast.show forecast.unfiled grants.exception.list grants.obligations grants.periods',
    'grants.statements grants.status grants.withdrawal.list lane.list mail.log mail.show',
    'obligation.ics obligation.foresee obligation.list rehearsal.plan retention.status review.list',
    'review.proposals route.check user.list user.proposals webhook.list webhook.log',
  ],
  'vpaodiruefts+m': ['database.status installation.inspect user.enroll'],
  vpaodiruefts: [
    'lane.proposals mail.proposals webhook.proposals user.key.add user.key.list user.key.revoke',
    'session.list session.revoke token.add token.list token.revoke user.link',
  ],
  'paodiruefs+m': [
    'batch.run docket.consume forecast.warn forecast.warn-unfiled jobs.run portal.check route.run route.start',
    'worker.run',
  ],
  paodiruefs: ['alert.ack'],
  p: [
    'batch.correct batch.withdraw batch.create batch.import batch.propose entity.import obligation.recompute review.accept review.assign',
    'review.correct review.reject review.replay review.replay-many hand.correct hand.renew hand.say hand.take',
  ],
  pa: ['batch.answer batch.cancel batch.cancel.refuse hand.refuse review.withdraw'],
  pat: [
    'hand.corrections hand.evidence hand.sheet batch.review batch.terms diagnose.payload entity.open filing.defend filing.open review.proposal review.show',
  ],
  paot: ['diagnose.blocks diagnose.conflicts diagnose.sessions'],
  pads: ['retention.hold'],
  a: [
    'batch.ask batch.refuse batch.cancel.approve batch.approve hand.approve review.approve grants.exception.approve grants.withdrawal.decide retention.release',
  ],
  o: ['lane.change recovery.approve recovery.run'],
  od: ['recovery.review recovery.review-many'],
  odt: ['recovery.differences recovery.status route.show'],
  'os+m': [
    'acknowledgement.serve database.backup database.restore database.start database.stop service.serve',
    'witness.serve',
  ],
  os: [
    'audit.quarantine.approve audit.quarantine.decline audit.quarantine.propose event.resend lane.add lane.decide',
    'mail.decide mail.recipient mail.set mail.test webhook.add webhook.change webhook.decide webhook.rotate',
    'webhook.test',
  ],
  d: [
    'docket.ack docket.approve docket.close docket.decide docket.give docket.import docket.propose docket.refuse',
    'docket.second route.absent',
  ],
  dt: [
    'docket.ics docket.list docket.moved docket.proposals docket.report docket.reveal docket.show diagnose.route',
  ],
  ds: ['route.decide route.import route.proposals'],
  i: ['grants.amend grants.cancel-award grants.fetch grants.ingest'],
  ir: ['grants.read-lane grants.retry'],
  if: ['grants.exception.reingest'],
  r: [
    'grants.attach-check grants.close grants.ingest-feed grants.reconcile grants.release grants.resolve',
    'grants.state-balance grants.undo grants.verify grants.withdrawal.propose',
  ],
  irueft: [
    'grants.awards grants.duty.evidence grants.lines grants.preview-closing grants.unmatched',
  ],
  ret: ['grants.trace'],
  u: ['grants.evaluate'],
  ue: ['grants.duty.file'],
  et: ['grants.report'],
  f: ['grants.exception.propose grants.exception.withdraw'],
  fat: ['grants.exception.show'],
  's+m': ['key.list user.found'],
  s: [
    'key.rotate retention.run user.add user.approve user.disable user.enable user.key.replace user.refuse user.role',
  ],
};

interface Cell {
  readonly roles: readonly string[];
  readonly isForMachine: boolean;
  readonly isForProgram: boolean;
}

export const CELLS: ReadonlyMap<string, Cell> = new Map(
  Object.entries(TABLE).flatMap(([who, lines]) => {
    const [letters = '', others = ''] = who.split('+');
    const cell: Cell = {
      // Each is a letter of the table above.
      roles: Array.from(letters, (letter) => ROLE[letter as Letter]),
      isForMachine: others.includes('m'),
      isForProgram: others.includes('g'),
    };
    return lines.flatMap((line) => line.split(' ')).map((act) => [act, cell] as const);
  }),
);
