/**
 * Into which log a fact of each type goes, and who may be its actor. The database holds every session to it (`fact_right` in
 * sql/0002_ledger.sql), and a fact in a person's name is taken only where that person acts.
 */
import { LEDGER_BOUNDARIES, type LedgerBoundary } from '../boundary.ts';
import type { ActorRef } from '../ports.ts';
import { FACTS, type FactType } from './catalogue.ts';
import { GRANT_FACTS } from './grant-facts.ts';

interface FactWriter {
  readonly type: FactType;
  readonly boundary: LedgerBoundary;
  readonly actorKind: ActorRef['kind'];
}

type Kinds = readonly ActorRef['kind'][];

/** The stage whose facts begin with this word. */
const STAGE_OF: Readonly<Record<string, LedgerBoundary>> = {
  document: 'ingestion',
  awards: 'ingestion',
  award: 'ingestion',
  fetch: 'ingestion',
  rules: 'rules',
  duty: 'rules',
  report: 'reporting',
  exception: 'fallback',
};

/** What filings, dockets, the register and people write. */
const HOUSE: readonly LedgerBoundary[] = ['filing', 'access'];

/** Of a log of their own, or of every log. */
const LOGS: { readonly [Type in FactType]?: readonly LedgerBoundary[] } = {
  'spine.head': ['spine'],
  'key.rotated': LEDGER_BOUNDARIES,
  'key.retired': LEDGER_BOUNDARIES,
};

const ANYBODY: Kinds = ['service', 'system', 'user'];
const PERSON: Kinds = ['user'];
const PROGRAM: Kinds = ['service', 'system'];

/** What only a person decides, and what no person can say of a portal or of a log. */
const ACTORS: { readonly [Type in FactType]?: Kinds } = {
  'approval.granted': PERSON,
  'release.proposed': PERSON,
  'batch.changed': PERSON,
  'batch.cancelled': PERSON,
  'batch.asked': PERSON,
  'batch.answered': PERSON,
  'filing.held_back': PERSON,
  'review.proposed': PERSON,
  'review.withdrawn': PERSON,
  'review.assigned': PERSON,
  'lane.profiled': PERSON,
  'person.proposed': PERSON,
  'person.approved': PERSON,
  'person.refused': PERSON,
  'person.enabled': PERSON,
  'person.joined': PERSON,
  'person.disabled': PERSON,
  'key.revoked': PERSON,
  'link.made': PERSON,
  'session.started': PERSON,
  'session.ended': PERSON,
  'token.added': PERSON,
  'token.revoked': PERSON,
  'request.done': PERSON,
  'role.taken': PERSON,
  'change.proposed': PERSON,
  'change.approved': PERSON,
  'change.refused': PERSON,
  'routing.activated': PERSON,
  'alert.acknowledged': PERSON,
  'subscription.added': PERSON,
  'subscription.removed': PERSON,
  'subscription.rotated': PERSON,
  'mail.set': PERSON,
  'recipient.added': PERSON,
  'recipient.removed': PERSON,
  'hold.placed': PERSON,
  'hold.released': PERSON,
  'quarantine.left': PERSON,
  'docket.reviewed': PERSON,
  'docket.seconded': PERSON,
  'docket.second_decided': PERSON,
  'docket.revealed': PERSON,
  'docket.given': PERSON,
  'feed.withdrawal_proposed': PERSON,
  'feed.restoration_proposed': PERSON,
  'feed.withdrawal_approved': PERSON,
  'feed.withdrawal_refused': PERSON,
  'balance.stated': PERSON,
  'line.resolved': PERSON,
  'line.undone': PERSON,
  'registration.checked': PERSON,
  'duty.filed': PERSON,
  'exception.resolution_proposed': PERSON,
  'exception.resolution_approved': PERSON,
  'exception.resolution_withdrawn': PERSON,
  'approval.voided': PROGRAM,
  'spine.head': PROGRAM,
  'quarantine.entered': PROGRAM,
};

export function factWriters(): readonly FactWriter[] {
  // The keys of an object that is typed by them.
  const types = Object.keys(FACTS) as FactType[];
  return types.flatMap((type) =>
    logsOf(type).flatMap((boundary) =>
      (ACTORS[type] ?? ANYBODY).map((actorKind) => ({ type, boundary, actorKind })),
    ),
  );
}

function logsOf(type: FactType): readonly LedgerBoundary[] {
  const own = LOGS[type];
  if (own !== undefined) return own;
  if (!Object.hasOwn(GRANT_FACTS, type)) return HOUSE;
  return [STAGE_OF[type.slice(0, type.indexOf('.'))] ?? 'reconciliation'];
}
