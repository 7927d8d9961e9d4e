/**
 * Reviews that send: replay and correct. One person proposes what will run, another approves exactly that, by its hash; the
 * filings then join the queue like all others, and their batch stays as it was frozen.
 */
import { type Actor, allow, type PersonActor } from '../../access/index.ts';
import {
  checkSecondPerson,
  type FactType,
  FilewrightError,
  type LedgerFact,
  notFound,
  ruledOut,
  userFact,
} from '../../core/index.ts';
import { type Installation, partiesOf, sequenceAll } from '../../ledger/index.ts';
import { changedFields, type FieldChange } from '../../intake/index.ts';
import type { GateChange, Payload } from '../../entities/index.ts';
import {
  correctionPayloads,
  findProposal,
  countProposals as countStored,
  listProposals as storedProposals,
  proposalItems,
  type ProposalView,
  proposeReview,
  reviewHash,
  type ReviewItem,
} from '../store/review-proposals.ts';
import { endReview, runReview } from '../store/review-approval.ts';
import { findException, findPayload } from '../store/filings.ts';
import { type ReviewCandidate, reviewCandidates, type ReviewFilter } from '../store/reviews.ts';
import { type Destination, destinationsOf, profilesByLane } from '../../lanes/index.ts';
import { noteOpened } from '../../people/index.ts';
import type { Run } from '../../postgres/index.ts';
import { openedJson } from './reviews.ts';
import { sealedFact } from './reviews-closing.ts';
import { correctedPayload, editPayload, type FieldEdit } from './reviews-correction.ts';
import { checkInTime, checkNotAccepted, checkOpen, replayAction } from './reviews-rules.ts';
import { allowOnDesk } from './desk.ts';

/** As many as one transaction queues in a few seconds; the database has the same bound. */
const PROPOSAL_ITEMS_MAX = 10_000;

export interface Proposed {
  readonly id: string;
  readonly sha256: string;
  readonly items: readonly ReviewItem[];
}

export async function proposeReplay(
  app: Installation,
  actor: Actor,
  input: {
    readonly id: string;
    readonly reason: string;
    readonly notFiled: string | undefined;
  },
): Promise<Proposed> {
  allow(actor, 'review.replay');
  const exception = await findException(app.session, app.tenant, input.id);
  checkOpen(exception);
  const { filing, n, unsettled } = exception;
  checkInTime(filing.id, filing.lastSafe <= app.clock.now());
  const profile = (await profilesByLane(app)).get(filing.lane);
  const action = replayAction({ filing: filing.id, unsettled }, profile, input.notFiled);
  const { revision, key, payloadSha256 } = filing;
  const item = { filing: filing.id, n, action, revision, key, payloadSha256 };
  const to = { filter: undefined, lanes: [filing.lane] };
  return propose(app, { ...input, actor, ...to }, [{ ...item, notFiled: input.notFiled }]);
}

/** The filter is applied once, now. What it finds is fixed, and a typed count keeps a slip from becoming a thousand. */
export async function proposeBulkReplay(
  app: Installation,
  actor: Actor,
  input: {
    readonly filter: ReviewFilter;
    readonly expectCount: number;
    readonly reason: string;
  },
): Promise<Proposed> {
  allow(actor, 'review.replay-many');
  const { filter, expectCount } = input;
  const limit = PROPOSAL_ITEMS_MAX + 1;
  const found = await reviewCandidates(app.session, app.tenant, filter, limit);
  if (found.length !== expectCount || found.length === 0 || found.length === limit) {
    const number = found.length === limit ? `more than ${PROPOSAL_ITEMS_MAX}` : found.length;
    throw new FilewrightError(
      'COUNT_DIFFERS',
      `--expect-count is ${expectCount}, but the filter matches ${number}; 1 to ${PROPOSAL_ITEMS_MAX} filings can be replayed at once`,
    );
  }
  const profiles = await profilesByLane(app);
  const byLane = new Map([...profiles].map(([lane, profile]) => [String(lane), profile]));
  const items = found.map((each: ReviewCandidate): ReviewItem => {
    checkInTime(each.filing, each.isLate);
    const action = replayAction(each, byLane.get(each.lane), undefined);
    const { filing, n, revision, key, payloadSha256 } = each;
    return { filing, n, action, revision, key, payloadSha256, notFiled: undefined };
  });
  // Only what was typed: an absent name must not look like an empty one.
  const typed = Object.fromEntries(Object.entries(filter));
  const lanes = [...new Set(found.map(({ lane }) => lane))];
  return propose(app, { ...input, actor, filter: typed, lanes }, items);
}

async function propose(
  app: Installation,
  input: {
    readonly actor: PersonActor;
    readonly reason: string;
    readonly filter: Readonly<Record<string, string>> | undefined;
    readonly lanes: readonly string[];
  },
  items: readonly ReviewItem[],
): Promise<Proposed> {
  const { actor, reason, filter } = input;
  const lanes = await leadingTo(app, input.lanes);
  const id = app.ids.next();
  const fact = userFact(app, 'review.proposed', actor, {
    kind: 'replay',
    reason,
    ...(filter === undefined ? { filing: items[0]?.filing ?? null } : { filter: { ...filter } }),
  });
  const review = { id, kind: 'replay', by: actor.id, reason, filter, lanes, items, fact } as const;
  const sha256 = await proposeReview(app.session, app.tenant, review);
  await sequenceAll(app);
  return { id, sha256, items };
}

async function leadingTo(app: Installation, codes: readonly string[]): Promise<Destination[]> {
  const run: Run = (statement, values) => app.session.run(statement, values);
  return destinationsOf(run, app.tenant, codes);
}

interface ProposedCorrection extends Proposed {
  readonly changes: readonly FieldChange[];
  readonly gateChanges: readonly GateChange[];
}

export async function proposeCorrection(
  app: Installation,
  actor: Actor,
  input: {
    readonly id: string;
    readonly reason: string;
    readonly notFiled: string | undefined;
    /** The whole payload, or some of its fields. */
    readonly wanted: { readonly payload: Payload } | { readonly edits: readonly FieldEdit[] };
  },
): Promise<ProposedCorrection> {
  allow(actor, 'review.correct');
  const { reason, notFiled, wanted } = input;
  const exception = await findException(app.session, app.tenant, input.id);
  checkOpen(exception);
  const { filing, n } = exception;
  checkInTime(filing.id, filing.lastSafe <= app.clock.now());
  const profile = (await profilesByLane(app)).get(filing.lane);
  checkNotAccepted(exception, profile, notFiled);
  if (profile === undefined) throw notFound(`Lane ${filing.lane} has no profile; see lane list`);
  const before = openedJson(app, await findPayload(app.session, app.tenant, filing.id));
  const corrected = await correctedPayload({
    app,
    filing,
    profile,
    before,
    wanted: 'payload' in wanted ? wanted.payload : editPayload(before, wanted.edits),
  });
  const item: ReviewItem = {
    filing: filing.id,
    n,
    action: 'send',
    revision: filing.revision + 1,
    key: corrected.key,
    payloadSha256: corrected.sha256,
    notFiled,
  };
  const id = app.ids.next();
  // The names of the fields only: what stood in them is sealed with the two payloads.
  const data = {
    kind: 'correct',
    reason,
    filing: filing.id,
    revision: item.revision,
    key: corrected.key,
    payload_sha256: corrected.sha256,
    former_payload_sha256: filing.payloadSha256,
    fields: corrected.changes.map((change) => change.field),
  };
  const fact = await sealedFact(app, actor, filing, data, corrected.payload, 'review.proposed', {
    filing: filing.id,
    key: corrected.key,
  });
  const sha256 = await proposeReview(app.session, app.tenant, {
    id,
    kind: 'correct',
    by: actor.id,
    reason,
    filter: undefined,
    lanes: await leadingTo(app, [filing.lane]),
    items: [item],
    fact,
  });
  await sequenceAll(app);
  const { changes, gateChanges } = corrected;
  return { id, sha256, items: [item], changes, gateChanges };
}

export interface OpenedProposal {
  readonly proposal: ProposalView;
  readonly items: readonly ReviewItem[];
  /** Field by field, for a correction. */
  readonly changes: readonly FieldChange[];
}

/** Those that wait for a second person; with `all`, decided ones too. */
export async function listProposals(
  app: Installation,
  actor: Actor,
  filter: { readonly all: boolean; readonly limit: number; readonly after?: string },
): Promise<readonly ProposalView[]> {
  allow(actor, 'review.proposals');
  return storedProposals(app.session, app.tenant, filter);
}

export async function countProposals(
  app: Installation,
  actor: Actor,
  { all }: { readonly all: boolean },
): Promise<number> {
  allow(actor, 'review.proposals');
  return countStored(app.session, app.tenant, all);
}

export async function openProposal(
  app: Installation,
  actor: Actor,
  id: string,
): Promise<OpenedProposal> {
  allow(actor, 'review.proposal');
  const proposal = await findProposal(app.session, app.tenant, id);
  const items = await proposalItems(app.session, app.tenant, id);
  const [item] = items;
  if (proposal.kind !== 'correct' || item === undefined) return { proposal, items, changes: [] };
  await allowOnDesk(app, actor, 'review.proposal', { kind: 'filing', id: item.filing });
  await noteOpened(app, actor, 'review.proposal', item.filing);
  const sealed = await correctionPayloads(app.session, app.tenant, id, item.filing);
  const changes = changedFields(openedJson(app, sealed.before), openedJson(app, sealed.after));
  return { proposal, items, changes };
}

/** `expectHash` is what the second person saw: an approval of anything else is none. */
export async function approveReview(
  app: Installation,
  actor: Actor,
  input: { readonly id: string; readonly expectHash: string },
): Promise<ProposalView> {
  allow(actor, 'review.approve');
  const { expectHash } = input;
  const proposal = await openProposalOf(app, input.id);
  const items = await proposalItems(app.session, app.tenant, proposal.id);
  const first = proposal.proposedById;
  const run = app.session.run.bind(app.session);
  const parties = await partiesOf(run, app.tenant, [actor.id, first]);
  checkSecondPerson(`Proposal ${proposal.id}`, actor.id, [first], parties);
  const willRun = reviewHash(proposal, items);
  if (expectHash.toLowerCase() !== willRun || willRun !== proposal.sha256) {
    throw new FilewrightError(
      'HASH_DIFFERS',
      `--expect-hash is not the hash of what proposal ${proposal.id} would run (${willRun})`,
    );
  }
  const fact = decisionFact(app, 'approval.granted', actor, proposal);
  const decision = { proposal, approves: true, by: actor.id, sha256: willRun, fact };
  await runReview(app.session, app.tenant, decision, (item, from) =>
    userFact(app, 'filing.state', actor, {
      from,
      to: 'pending',
      cause: proposal.kind,
      action: item.action,
      reason: proposal.reason,
      proposal: proposal.id,
      proposed_by: proposal.proposedById,
      exception: item.n,
      revision: item.revision,
      key: item.key,
      payload_sha256: item.payloadSha256,
      ...(item.notFiled === undefined ? {} : { not_filed: item.notFiled }),
    }),
  );
  await sequenceAll(app);
  return proposal;
}

export async function withdrawReview(
  app: Installation,
  actor: Actor,
  input: { readonly id: string; readonly reason: string },
): Promise<ProposalView> {
  allow(actor, 'review.withdraw');
  const { reason } = input;
  const proposal = await openProposalOf(app, input.id);
  const fact = decisionFact(app, 'review.withdrawn', actor, proposal);
  await endReview(app.session, app.tenant, {
    proposal,
    approves: false,
    by: actor.id,
    reason,
    fact: { ...fact, data: { ...fact.data, reason } },
  });
  await sequenceAll(app);
  return proposal;
}

async function openProposalOf(app: Installation, id: string): Promise<ProposalView> {
  const proposal = await findProposal(app.session, app.tenant, id);
  if (proposal.decision === 'open') return proposal;
  throw ruledOut(
    `Proposal ${id} was ${proposal.decision} by ${proposal.decidedBy}; a decision is final`,
  );
}

function decisionFact(
  app: Installation,
  type: FactType,
  actor: PersonActor,
  proposal: ProposalView,
): LedgerFact {
  const { id, kind, count, sha256 } = proposal;
  const lanes =
    type === 'approval.granted' ? { lanes: proposal.lanes.map((one) => ({ ...one })) } : {};
  return userFact(app, type, actor, { review: id, kind, count, sha256, ...lanes });
}
