/** Corrections, amendments and cancellations, as far as awards are concerned: what may be proposed, and what is then done. */
import {
  type ActorRef,
  type AwardId,
  badInput,
  canonicalBytes,
  type JsonValue,
  notFound,
  ruledOut,
  sha256Hex,
} from '../../../core/index.ts';
import { type AcceptedAward, ingestAward, type Ingested } from '../../rules/intake/ingest.ts';
import { exceptionEnvelope } from '../../rules/intake/exception-envelope.ts';
import { readAwards } from '../../rules/intake/read-awards.ts';
import { stampMetadata } from '../../rules/intake/metadata.ts';
import {
  addAwardEnd,
  agreedCancellations,
  type AwardEnd,
  awardEnds,
  waitingAmendment,
} from '../../store/award-ends.ts';
import {
  awardsByIdentity,
  lockDocument,
  type StoredAward,
  storedAward,
} from '../../store/awards.ts';
import { escalate } from '../../store/escalations.ts';
import type { StageRun } from '../../store/stage.ts';
import { hashOfSource, sameBytes, sha256OfJson } from '../bytes.ts';
import type { AwardSource } from '../contracts.ts';
import { identityOf } from './identity.ts';
import type { IngestionDeps } from './ingestion-deps.ts';

/** What a document would do, once two people have agreed to it. */
interface Correction {
  readonly document: string;
  /** The award that it would replace; undefined where it would be one of its own. */
  readonly amends: AwardId | undefined;
}

/** Throws unless the document is one award that could be taken in, for an exception about `target`. Nothing is stored. */
export function checkCorrection(
  deps: IngestionDeps,
  source: AwardSource,
  target: AwardId | undefined,
): Promise<Correction> {
  return deps.store.transaction(async (at) => {
    const { document, award } = await readCorrection(deps, at, source);
    const identity = identityOf(award.payload);
    const known = (await awardsByIdentity(at, identity === undefined ? [] : [identity])).get(
      identity ?? '',
    );
    if (known === undefined) return { document, amends: undefined };
    if (known.payloads.has(award.metadata.payload_hash)) {
      refuse(
        `${source.name}: this award is already on file with this content, as ${known.key}; dismiss the exception`,
      );
    }
    if (known.key !== target) {
      refuse(
        `${source.name}: this award is already on file with other content, as ${known.key}; change it with grants amend ${known.key}`,
      );
    }
    await standing(at, known.key);
    return { document, amends: known.key };
  });
}

/** Leaves the exception under which two people agree to another record in place of an award; gives its id. */
export function askForAmendment(
  deps: IngestionDeps,
  award: AwardId,
  source: AwardSource,
): Promise<{ readonly exception: string; readonly document: string }> {
  return deps.store.transaction(async (at) => {
    const old = await standing(at, award);
    const { document, award: changed } = await readCorrection(deps, at, source);
    if (changed.payload['grantor_id'] !== old.grantor) {
      refuse(`${source.name}: an amendment must be from the same grantor, ${old.grantor}`);
    }
    const identity = identityOf(changed.payload);
    const known = (await awardsByIdentity(at, identity === undefined ? [] : [identity])).get(
      identity ?? '',
    );
    if (known !== undefined && known.key !== award) {
      refuse(`${source.name}: this is award ${known.key}, which is separate from ${award}`);
    }
    if (known?.payloads.has(changed.metadata.payload_hash) === true) {
      refuse(`${source.name}: has the same content as award ${award}`);
    }
    const exception = await leave(deps, at, {
      award,
      code: 'AWARD_AMENDMENT',
      payload: changed.payload,
    });
    return { exception, document };
  });
}

export function askForCancellation(deps: IngestionDeps, award: AwardId): Promise<string> {
  return deps.store.transaction(async (at) => {
    await standing(at, award);
    return leave(deps, at, { award, code: 'AWARD_CANCELLATION', payload: { award } });
  });
}

/** Whether an award still stands: not amended, not cancelled. */
export function isStanding(deps: IngestionDeps, award: AwardId): Promise<boolean> {
  return deps.store.transaction(async (at) => !(await awardEnds(at)).has(award));
}

/** Ends what two people have agreed to end. Safe to repeat. */
export async function carryOutCancellations(deps: IngestionDeps): Promise<void> {
  await deps.store.transaction(async (at) => {
    for (const { exception, award } of await agreedCancellations(at)) {
      const actor = { kind: 'service', id: 'ingestion' } as const;
      await withdraw(deps, at, { award, by: undefined, exception }, actor);
    }
  });
}

/** Committed with the record that comes in its place. */
export async function withdraw(
  deps: Pick<IngestionDeps, 'store'>,
  at: StageRun,
  withdrawal: Pick<AwardEnd, 'award' | 'by' | 'exception'>,
  actor: ActorRef,
): Promise<void> {
  const { award, by, exception } = withdrawal;
  await addAwardEnd(at, withdrawal);
  await deps.store.record(at, {
    type: by === undefined ? 'award.cancelled' : 'award.amended',
    actor,
    subject: { kind: 'grant_award_end', id: award, ver: 1 },
    data: { award, exception, ...(by !== undefined && { by }) },
  });
}

async function standing(at: StageRun, award: AwardId): Promise<StoredAward> {
  const found = await storedAward(at, award);
  if (found === undefined) throw notFound(`No award ${award}; see grants unmatched for its key`);
  const gone = (await awardEnds(at)).get(award);
  if (gone !== undefined) {
    refuse(
      gone.by === undefined
        ? `Award ${award} is canceled`
        : `Award ${award} was already amended; the current record is ${gone.by}`,
    );
  }
  const waiting = await waitingAmendment(at, award);
  if (waiting !== undefined) {
    refuse(`Award ${award} already has an open amendment or cancellation: exception ${waiting}`);
  }
  return found;
}

async function readCorrection(
  deps: IngestionDeps,
  at: StageRun,
  source: AwardSource,
): Promise<{ readonly document: string; readonly award: AcceptedAward }> {
  const document = await hashOfSource(source);
  const found: Ingested[] = [];
  const context = { tenant: at.tenant, sourceDocument: document, now: deps.now(), law: deps.law };
  for await (const record of readAwards(source.format, sameBytes(source, document))) {
    if (found.length < 2) found.push(ingestAward(record, context));
  }
  const [only] = found;
  if (only === undefined || found.length > 1) {
    throw badInput(
      `${source.name}: a correction must have exactly one award, found ${found.length === 0 ? 'none' : 'several'}`,
    );
  }
  if (only.kind !== 'accepted') {
    throw badInput(
      `${source.name}: the corrected award would be refused again: ${only.violations.map(({ field, message }) => `${field === '' ? 'record' : field}: ${message}`).join('; ')}`,
    );
  }
  if ((await lockDocument(at, document)) !== undefined) {
    refuse(
      `${source.name}: this document was already imported; if its content is right, resolve the exception with --as-it-came`,
    );
  }
  return { document, award: only };
}

function leave(
  deps: IngestionDeps,
  at: StageRun,
  asked: { readonly award: AwardId; readonly code: string; readonly payload: JsonValue },
): Promise<string> {
  const { award, code, payload } = asked;
  const now = deps.now();
  const id = deps.store.ids.next();
  const envelope = exceptionEnvelope({
    originalPayload: payload,
    metadata: stampMetadata({
      tenant: at.tenant,
      sourceDocument: `amendment:${id}`,
      ordinal: 1,
      payloadHash: sha256Hex(sha256OfJson(payload)),
      mappingHash: null,
      state: 'validated_transient_retry_eligible',
      at: now,
    }),
    escalationCode: code,
    auditTrail: [],
    violations: [],
    amends: award,
    at: now,
  });
  const canonical = canonicalBytes(envelope, { numbers: 'any' });
  return escalate(deps.store, at, award, canonical);
}

function refuse(message: string): never {
  throw ruledOut(message);
}
