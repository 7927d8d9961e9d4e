/**
 * Changes of where something goes to: one person proposes one, and it is made when another approves it by its hash. What the
 * kinds have in common; what a change is, each room says by itself.
 */
import type { PersonActor } from '../access/index.ts';
import {
  FilewrightError,
  type Instant,
  type LedgerFact,
  type ProposalKind,
  type ProposalTerms,
  ruledOut,
  userFact,
} from '../core/index.ts';
import { type Installation, recordFact, sequenceAll } from '../ledger/index.ts';
import type { Run } from '../postgres/index.ts';
import { listPeople } from './store/people.ts';
import { decideProposal, proposals, propose, type StoredProposal } from './store/proposals.ts';
import { raiseTrustAlert, type TrustEvent } from './trust-alerts.ts';

type ChangeKind = Extract<
  ProposalKind,
  'lane' | 'hand' | 'webhook' | 'recipient' | 'matrix' | 'docket' | 'recovery' | 'batch' | 'cancel'
>;

/** What a change needs of an installation. */
type ChangeDeps = Pick<Installation, 'tenant' | 'ids'>;

interface Change {
  readonly kind: ChangeKind;
  readonly subject: string;
  readonly terms: ProposalTerms;
  readonly reason: string;
  /** What of it the entry in the ledger says beside kind, subject and hash. */
  readonly shown?: LedgerFact['data'];
}

export interface ChangeView {
  readonly kind: ChangeKind;
  readonly subject: string;
  readonly sha256: string;
  readonly reason: string;
  readonly proposedBy: string;
  readonly proposedAt: Instant;
  readonly terms: ProposalTerms;
}

export async function proposeChange(
  app: Installation,
  actor: PersonActor,
  change: Change,
  also?: (run: Run) => Promise<void>,
): Promise<{ readonly sha256: string }> {
  const made = await app.session.transaction(async (run) => {
    await also?.(run);
    return proposeChangeIn(run, app, actor, change);
  });
  await sequenceAll(app);
  return made;
}

/** In the transaction of something else that begins with it. */
export async function proposeChangeIn(
  run: Run,
  app: ChangeDeps,
  actor: Pick<PersonActor, 'id'>,
  change: Change,
): Promise<{ readonly sha256: string }> {
  const { kind, subject, terms, reason, shown } = change;
  const by = actor.id;
  const made = await propose(run, app.tenant, { kind, subject, terms, reason, by });
  const data = { kind, subject, sha256: made.sha256, reason, ...shown };
  const fact = userFact(app, 'change.proposed', actor, data);
  await record(run, app.tenant, { kind, subject, n: made.n, isEnd: false }, fact);
  return { sha256: made.sha256 };
}

/** Those that wait for a second person. */
export async function openChanges(
  app: Installation,
  kind: ChangeKind,
): Promise<readonly ChangeView[]> {
  const names = new Map((await listPeople(app.session, app.tenant)).map((p) => [p.id, p.name]));
  const run: Run = (statement, values) => app.session.run(statement, values);
  return (await proposals(run, app.tenant, [kind]))
    .filter(({ state }) => state === 'open')
    .map(({ subject, sha256, reason, proposedBy, proposedAt, terms }) => ({
      kind,
      subject,
      sha256,
      reason,
      proposedBy: names.get(proposedBy) ?? proposedBy,
      proposedAt,
      terms,
    }));
}

interface ChangeApproval {
  readonly kind: ChangeKind;
  readonly subject: string;
  /** What the second person saw: an approval of anything else is none. */
  readonly expectHash: string;
  /** Makes the change, in the transaction of its approval. */
  readonly make: (run: Run, proposal: StoredProposal) => Promise<void>;
  /** What the others hear of it; left out where all who may know of it see it in their own lists. */
  readonly event?: (proposal: StoredProposal) => TrustEvent;
}

export async function approveChange(
  app: Installation,
  actor: PersonActor,
  approval: ChangeApproval,
): Promise<StoredProposal> {
  const { expectHash } = approval;
  const done = await app.session.transaction(async (run) => {
    const sha256 = requireHash(expectHash.toLowerCase());
    const proposal = await approveChangeIn(run, app, actor, { ...approval, sha256 });
    if (approval.event !== undefined) {
      await raiseTrustAlert(run, app, actor, approval.event(proposal));
    }
    return proposal;
  });
  await sequenceAll(app);
  return done;
}

/** In the transaction of what it lets happen. */
export async function approveChangeIn(
  run: Run,
  app: ChangeDeps,
  actor: Pick<PersonActor, 'id'>,
  approval: Pick<ChangeApproval, 'kind' | 'subject'> & {
    readonly make?: ChangeApproval['make'];
    readonly sha256?: string;
  },
): Promise<StoredProposal> {
  const { kind, subject, make, sha256 } = approval;
  const seen = sha256 === undefined ? {} : { sha256 };
  const decision = { approves: true, by: actor.id, ...seen };
  const proposal = await decide(run, app, { kind, subject }, decision);
  await make?.(run, proposal);
  const data = { kind, subject, sha256: proposal.sha256 };
  const fact = userFact(app, 'change.approved', actor, data);
  await record(run, app.tenant, { kind, subject, n: proposal.n, isEnd: true }, fact);
  return proposal;
}

/** By who proposed it, or by somebody else; nothing changes. */
export async function refuseChange(
  app: Installation,
  actor: PersonActor,
  refusal: {
    readonly kind: ChangeKind;
    readonly subject: string;
    readonly reason: string;
    /** What the proposal had held up goes on, in the same transaction. */
    readonly undo?: (run: Run) => Promise<void>;
  },
): Promise<StoredProposal> {
  const { undo, ...refused } = refusal;
  const done = await app.session.transaction(async (run) => {
    const proposal = await refuseChangeIn(run, app, actor, refused);
    await undo?.(run);
    return proposal;
  });
  await sequenceAll(app);
  return done;
}

/** In the transaction of what takes its place, or of what else ends with it. */
export async function refuseChangeIn(
  run: Run,
  app: ChangeDeps,
  actor: Pick<PersonActor, 'id'>,
  { kind, subject, reason }: Omit<Parameters<typeof refuseChange>[2], 'undo'>,
): Promise<StoredProposal> {
  const decision = { approves: false, by: actor.id, reason };
  const proposal = await decide(run, app, { kind, subject }, decision);
  const data = { kind, subject, sha256: proposal.sha256, reason };
  const fact = userFact(app, 'change.refused', actor, data);
  await record(run, app.tenant, { kind, subject, n: proposal.n, isEnd: true }, fact);
  return proposal;
}

function requireHash(sha256: string): string {
  if (/^[0-9a-f]{64}$/.test(sha256)) return sha256;
  throw new FilewrightError('HASH_DIFFERS', '--expect-hash is not a SHA-256 in 64 hex digits');
}

async function decide(
  run: Run,
  app: ChangeDeps,
  { kind, subject }: { readonly kind: ChangeKind; readonly subject: string },
  decision: Parameters<typeof decideProposal>[3],
): Promise<StoredProposal> {
  const what = `The change of ${NOUN[kind]} ${subject}`;
  const known = await proposals(run, app.tenant, [kind], subject);
  if (!known.some(({ state }) => state === 'open')) {
    throw ruledOut(`${what} has no open proposal; it was already decided, or never proposed`);
  }
  return decideProposal(run, app.tenant, { kinds: [kind], subject, what }, decision);
}

const NOUN = {
  lane: 'lane',
  hand: 'the outcome of filing',
  webhook: 'webhook',
  recipient: 'recipient',
  matrix: 'the routing',
  docket: 'the dates of docket',
  recovery: 'the recovery',
  batch: 'batch',
  cancel: 'batch',
} as const;

/**
 * Each proposal leaves two entries: that it was made, and how it ended. The first one of a batch is made with the entry of its
 * freezing, so that proposals of batches are counted one by one.
 */
async function record(
  run: Run,
  tenant: string,
  change: {
    readonly kind: ChangeKind;
    readonly subject: string;
    readonly n: number;
    readonly isEnd: boolean;
  },
  fact: LedgerFact,
): Promise<void> {
  const { kind, subject: about, n, isEnd } = change;
  const subject =
    kind === 'batch'
      ? { kind: 'proposal', id: `${kind}/${about}/${n}`, ver: isEnd && n > 1 ? 2 : 1 }
      : { kind: 'change', id: `${kind}/${about}`, ver: isEnd ? n * 2 : n * 2 - 1 };
  await recordFact(run, { tenant, boundary: 'access' }, subject, fact);
}
