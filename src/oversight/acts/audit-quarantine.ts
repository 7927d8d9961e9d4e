/**
 * Quarantine by people's hands: looking, which compares with the copies outside, and letting the tenant go on, which one
 * person proposes and another approves.
 */
import { type Actor, allow } from '../../access/index.ts';
import {
  canonicalText,
  FilewrightError,
  type PersonId,
  ruledOut,
  sha256Of,
  userFact,
} from '../../core/index.ts';
import type { Filewright } from '../../filewright.ts';
import {
  leaveQuarantine,
  mayTakePart,
  type Quarantine,
  readQuarantine,
  recordFact,
  sequenceAll,
} from '../../ledger/index.ts';
import {
  decideProposal,
  propose,
  proposals,
  raiseTrustAlert,
  type StoredProposal,
} from '../../people/index.ts';
import type { Run } from '../../postgres/index.ts';

type Open = Extract<Quarantine, { state: 'in' | 'out' }>;

const KINDS = ['quarantine'] as const;

export type QuarantineView = Quarantine & {
  /** The release that waits for a second person. */
  readonly release?: {
    readonly proposedBy: PersonId;
    readonly reason: string;
    readonly sha256: string;
  };
};

/** Compares every log with its newest copy outside; one that contradicts puts the tenant into quarantine. */
export async function inspectQuarantine(app: Filewright, actor: Actor): Promise<QuarantineView> {
  allow(actor, 'audit.quarantine');
  const tenant = { id: app.tenant, instance: app.instance };
  await mayTakePart(app.session, tenant, app.copies, app.random);
  const state = await readQuarantine(app.session, app.tenant);
  if (state.state !== 'in') return state;
  const run: Run = (statement, values) => app.session.run(statement, values);
  const made = await proposals(run, app.tenant, KINDS, subjectOf(app, state));
  const open = made.find((each) => each.state === 'open');
  if (open === undefined) return state;
  const { proposedBy, reason, sha256 } = open;
  return { ...state, release: { proposedBy, reason, sha256 } };
}

/**
 * Proposes to end the quarantine. Whoever does it says how many open filings will ask their portals before anything is
 * sent, which shows that they have looked. The proposal holds the hash of the evidence: what comes up later needs another.
 */
export async function proposeRelease(
  app: Filewright,
  actor: Actor,
  request: { readonly settle: number; readonly askNewDays?: number; readonly reason: string },
): Promise<{ readonly sha256: string; readonly mustSettle: number }> {
  allow(actor, 'audit.quarantine.propose');
  const state = requireIn(app, await inspectQuarantine(app, actor));
  requireCount(state, request.settle);
  const evidence = evidenceHash(state);
  const subject = subjectOf(app, state);
  const { settle, askNewDays, reason } = request;
  const sha256 = await app.session.transaction(async (run) => {
    const made = await propose(run, app.tenant, {
      kind: 'quarantine',
      subject,
      terms: { act: 'release', ask_new_days: askNewDays, evidence_sha256: evidence, settle },
      reason,
      by: actor.id,
    });
    const data = { sha256: made.sha256, evidence_sha256: evidence, must_settle: settle };
    // Each proposal is two versions of this subject: made, and declined where it is.
    const about = { kind: 'quarantine_release', id: subject, ver: 2 * made.n - 1 };
    const fact = userFact(app, 'quarantine.release_proposed', actor, data);
    await recordFact(run, { tenant: app.tenant, boundary: 'access' }, about, fact);
    return made.sha256;
  });
  await sequenceAll(app);
  return { sha256, mustSettle: state.mustSettle };
}

/** Ends the quarantine as another person proposed it. */
export async function approveRelease(
  app: Filewright,
  actor: Actor,
  request: { readonly sha256?: string } = {},
): Promise<{ readonly mustSettle: number; readonly beginAnew: readonly string[] }> {
  allow(actor, 'audit.quarantine.approve');
  const state = requireIn(app, await inspectQuarantine(app, actor));
  refuseDamaged(state);
  const subject = subjectOf(app, state);
  const run: Run = (statement, values) => app.session.run(statement, values);
  const open = (await proposals(run, app.tenant, KINDS, subject)).find(
    (each) => each.state === 'open',
  );
  const terms = termsOf(open);
  requireCount(state, terms.settle);
  if (terms.evidence !== evidenceHash(state)) {
    throw ruledOut(
      'More evidence was found since this release was proposed; decline it, look at audit quarantine status, and propose it again',
    );
  }
  let release = 0;
  const { tenantKey, random, copies, known } = app;
  const tenant = { id: app.tenant, instance: app.instance };
  const left = await leaveQuarantine(app.session, tenant, actor.id, {
    tenantKey,
    random,
    copies,
    known,
    ...(terms.askNewDays === undefined ? {} : { askNewDays: terms.askNewDays }),
    approve: async (inner) => {
      const about = { kinds: KINDS, subject, what: 'The release from quarantine' };
      const by = { approves: true, by: actor.id, ...request };
      const { n, proposedBy } = await decideProposal(inner, app.tenant, about, by);
      release = n;
      const did = 'approved that the quarantine ends';
      const event = { kind: 'quarantine_left', subject: app.tenant, did } as const;
      await raiseTrustAlert(inner, app, actor, { ...event, severity: 'warning' });
      return proposedBy;
    },
    // Asked for after the decision, which says how often a release of this quarantine was proposed.
    fact: (type) => userFact(app, type, actor, type === 'quarantine.left' ? { release } : {}),
  });
  await sequenceAll(app);
  return left;
}

/** Ends the proposal; the quarantine stays. */
export async function declineRelease(
  app: Filewright,
  actor: Actor,
  request: { readonly reason: string },
): Promise<void> {
  allow(actor, 'audit.quarantine.decline');
  const state = requireIn(app, await inspectQuarantine(app, actor));
  const subject = subjectOf(app, state);
  await app.session.transaction(async (run) => {
    const about = { kinds: KINDS, subject, what: 'The release from quarantine' };
    const by = { approves: false, by: actor.id, reason: request.reason };
    const { n, sha256 } = await decideProposal(run, app.tenant, about, by);
    const fact = userFact(app, 'quarantine.release_declined', actor, { sha256 });
    const log = { tenant: app.tenant, boundary: 'access' };
    await recordFact(run, log, { kind: 'quarantine_release', id: subject, ver: 2 * n }, fact);
  });
  await sequenceAll(app);
}

/** The tenant, and which time it is: a release is for one quarantine, never for the next. */
function subjectOf(app: Filewright, { ver }: Open): string {
  return `${app.tenant}#${ver}`;
}

function evidenceHash({ contradictions }: Open): string {
  // As it came from JSON.
  return sha256Of(canonicalText(JSON.parse(JSON.stringify(contradictions))));
}

function requireIn(app: Filewright, state: QuarantineView): Open {
  if (state.state === 'in') return state;
  throw ruledOut(`The tenant ${app.tenant} is not in quarantine`);
}

function requireCount({ mustSettle }: Open, settle: number): void {
  if (mustSettle === settle) return;
  throw new FilewrightError(
    'COUNT_DIFFERS',
    `${mustSettle} open filings must be settled with their portals, and the release says ${settle}; see audit quarantine status`,
  );
}

/** A log that cannot be read cannot go on; letting it go would only end in the sequencer. */
function refuseDamaged({ contradictions }: Open): void {
  const damaged = contradictions.find(({ reason }) => reason === 'damaged');
  if (damaged === undefined) return;
  throw ruledOut(
    `The stored hashes of ${damaged.origin} are damaged. Restore the database from a backup first; see audit verify`,
  );
}

function termsOf(open: StoredProposal | undefined): {
  readonly settle: number;
  readonly askNewDays: number | undefined;
  readonly evidence: unknown;
} {
  if (open === undefined) {
    throw ruledOut(
      'No release from quarantine is proposed; one person proposes it with audit quarantine propose, another approves it',
    );
  }
  const { settle, ask_new_days: days, evidence_sha256: evidence } = open.terms;
  return {
    settle: Number(settle),
    askNewDays: days === undefined ? undefined : Number(days),
    evidence,
  };
}
