/** The compliance exception ledger: opened by machines, resolved only by people, two of them. */
import {
  canonicalBytes,
  FilewrightError,
  notFound,
  type PersonId,
  toRfc3339,
} from '../../../core/index.ts';
import { checkEnvelope, type ExceptionEnvelope } from '../../rules/intake/exception-envelope.ts';
import {
  addException,
  decideResolution,
  exceptionActs,
  keepOpenExceptions,
  proposeResolution,
  replacementKey,
  type Resolution,
  type StoredException,
  storedExceptions,
  waitingEscalations,
} from '../../store/escalations.ts';
import type { StageStore, StageRun } from '../../store/stage.ts';
import type { ExceptionSummary, ExceptionView } from '../contracts.ts';

export interface FallbackDeps {
  readonly store: StageStore;
}

const ACTOR = { kind: 'service', id: 'fallback' } as const;

/** Takes over what the stages have left here. Safe to repeat: what is taken over is not taken again. */
export async function takeOver(deps: FallbackDeps): Promise<number> {
  let taken = 0;
  for (;;) {
    const count = await deps.store.transaction((at) => takeSome(deps, at));
    if (count === 0) return taken;
    taken += count;
  }
}

async function takeSome(deps: FallbackDeps, at: StageRun): Promise<number> {
  const waiting = await waitingEscalations(deps.store, at);
  await deps.store.prepareKeys(
    at,
    waiting.map(({ id }) => id),
  );
  for (const { id, boundary, envelope: document } of waiting) {
    // Written by a stage from an envelope; its own hash is asked next.
    const envelope = document as ExceptionEnvelope;
    checkEnvelope(envelope);
    const { escalation_code: escalationCode, idempotency_key: awardKey } =
      envelope.compliance_metadata;
    const ct = await deps.store.record(at, {
      type: 'exception.opened',
      actor: ACTOR,
      subject: { kind: 'grant_exception', id, ver: 1 },
      data: {
        boundary,
        escalation_code: escalationCode,
        payload_hash: envelope.payload_hash,
        envelope_hash: envelope.envelope_hash,
        violation_codes: envelope.violation_codes,
        ...(envelope.amends !== undefined && { amends: envelope.amends }),
      },
      body: { about: id, canonical: canonicalBytes(document, { numbers: 'any' }) },
    });
    await addException(at, {
      id,
      boundary,
      awardKey,
      escalationCode,
      violationCodes: envelope.violation_codes,
      payloadSha256: envelope.payload_hash,
      envelopeSha256: envelope.envelope_hash,
      ct: ct ?? '',
      amends: envelope.amends,
    });
  }
  await keepOpenExceptions(at);
  return waiting.length;
}

export async function listExceptions(
  deps: FallbackDeps,
  filter: { readonly isOpen?: boolean } = {},
): Promise<readonly ExceptionSummary[]> {
  const stored = await deps.store.transaction((at) => storedExceptions(at, filter));
  return stored.map(summaryOf);
}

/** Without what is offered: that depends on awards, of which the fallback knows nothing. */
export async function showException(
  deps: FallbackDeps,
  id: string,
): Promise<Omit<ExceptionView, 'options'>> {
  return deps.store.transaction(async (at) => {
    const stored = await findException(at, id);
    const body = await deps.store.openBody(at, stored.ct);
    // The seal proves the bytes, the envelope's own hash the content.
    const envelope = JSON.parse(Buffer.from(body).toString('utf8')) as ExceptionEnvelope;
    checkEnvelope(envelope);
    const acts = await exceptionActs(at, id);
    return {
      ...summaryOf(stored),
      envelope,
      acts: acts.map((act) => ({ ...act, at: toRfc3339(act.at) })),
      replacedBy:
        stored.document === undefined ? undefined : await replacementKey(at, stored.document),
    };
  });
}

async function findException(at: StageRun, id: string): Promise<StoredException> {
  const [stored] = await storedExceptions(at, { id });
  if (stored === undefined) throw notFound(`No exception ${id}; see the list of exceptions`);
  return stored;
}

export async function propose(deps: FallbackDeps, id: string, proposal: Resolution): Promise<void> {
  const { resolution, document, amends, by } = proposal;
  await deps.store.transaction(async (at) => {
    await findException(at, id);
    const n = await proposeResolution(at, id, proposal);
    await deps.store.record(at, {
      type: 'exception.resolution_proposed',
      actor: { kind: 'user', id: by },
      subject: { kind: 'grant_exception', id, ver: 2 * n },
      data: {
        resolution,
        ...(document !== undefined && { document }),
        ...(amends !== undefined && { amends }),
      },
    });
  });
}

export async function decide(
  deps: FallbackDeps,
  id: string,
  decision: {
    readonly approves: boolean;
    readonly reason: string;
    readonly by: PersonId;
    /** The hash of the document that the person saw. */
    readonly seen?: string;
  },
): Promise<void> {
  const { approves, reason, by, seen } = decision;
  await deps.store.transaction(async (at) => {
    await findException(at, id);
    const { n, document, amends } = await decideResolution(at, id, { approves, reason, by });
    if (seen !== undefined && seen !== document) {
      // Thrown after the decision: it is undone with the transaction.
      throw new FilewrightError(
        'HASH_DIFFERS',
        `Exception ${id}: the proposal names the document ${document ?? 'none'}, the approved one is ${seen}`,
      );
    }
    await deps.store.record(at, {
      type: `exception.resolution_${approves ? 'approved' : 'withdrawn'}`,
      actor: { kind: 'user', id: by },
      subject: { kind: 'grant_exception', id, ver: 2 * n + 1 },
      data: {
        n,
        ...(document !== undefined && { document }),
        ...(amends !== undefined && { amends }),
      },
    });
  });
}

function summaryOf(stored: StoredException): ExceptionSummary {
  const { id, awardKey, escalationCode, violationCodes, payloadSha256, state, amends } = stored;
  return {
    id,
    amends,
    escalationCode,
    violationCodes,
    state,
    idempotencyKey: awardKey,
    // A check constraint holds the column to the stages that escalate.
    from: stored.boundary as ExceptionSummary['from'],
    payloadHash: payloadSha256,
    openedAt: toRfc3339(stored.openedAt),
  };
}
