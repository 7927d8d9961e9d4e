/** Corrections before an approval: a filing with other content takes the place of the one that was frozen, in the same batch. */
import { type Actor, allow, type PersonActor } from '../../access/index.ts';
import {
  type BatchId,
  canonicalBytes,
  checkReason,
  type FilingDraft,
  type FilingId,
  type NewFiling,
  notFound,
  obligationKey,
  ruledOut,
  sha256Hex,
  toRfc3339,
} from '../../core/index.ts';
import type { GateChange } from '../../entities/index.ts';
import { type Correct, type FieldChange, freezeDraft } from '../../intake/index.ts';
import { profilesByLane } from '../../lanes/index.ts';
import { dataKeys, type Installation, sequenceAll } from '../../ledger/index.ts';
import { noteOpened } from '../../people/index.ts';
import { type FilingView, findFiling, findPayload } from '../store/filings.ts';
import { replaceInBatch } from './batch-changes.ts';
import { allowOnDesk } from './desk.ts';
import { openedJson } from './reviews.ts';
import { correctedPayload, editPayload, type FieldEdit } from './reviews-correction.ts';

interface CorrectedFiling {
  readonly batch: BatchId;
  readonly former: FilingId;
  readonly filing: FilingId;
  readonly changes: readonly FieldChange[];
  readonly gateChanges: readonly GateChange[];
  /** Of the batch as it was proposed anew. */
  readonly count: number;
  readonly sha256: string;
}

export async function correctInBatch(
  app: Installation,
  actor: Actor,
  input: { readonly filing: string; readonly edits: readonly FieldEdit[]; readonly reason: string },
): Promise<CorrectedFiling> {
  allow(actor, 'batch.correct');
  const reason = checkReason('--reason', input.reason);
  const filing = await findFiling(app.session, app.tenant, input.filing);
  await allowOnDesk(app, actor, 'batch.correct', { kind: 'filing', id: filing.id });
  requireUnsent(filing);
  await noteOpened(app, actor, 'batch.correct', filing.id);
  const profile = (await profilesByLane(app)).get(filing.lane);
  if (profile === undefined) throw notFound(`Lane ${filing.lane} has no profile; see lane list`);
  const before = openedJson(app, await findPayload(app.session, app.tenant, filing.id));
  const wanted = editPayload(before, input.edits);
  const corrected = await correctedPayload({ app, filing, profile, before, wanted });
  const replacing = await replacement(app, actor, filing, corrected);
  const { batch, id } = filing;
  const filings = [{ id, replacedBy: replacing }];
  const changed = await replaceInBatch(app, actor, { batch, reason, filings });
  await sequenceAll(app);
  if (changed.state !== 'frozen') throw ruledOut(`Batch ${batch} is cancelled`);
  const { changes, gateChanges } = corrected;
  const { count, sha256 } = changed;
  return { batch, former: id, filing: replacing.envelope.id, changes, gateChanges, count, sha256 };
}

async function replacement(
  app: Installation,
  person: PersonActor,
  filing: FilingView,
  corrected: Awaited<ReturnType<typeof correctedPayload>>,
): Promise<NewFiling> {
  const { payload } = corrected;
  const named = (name: string): string => {
    const value = payload[name];
    return typeof value === 'string' ? value : '';
  };
  const draft: FilingDraft = {
    lane: filing.lane,
    jurisdiction: filing.jurisdiction,
    effect: filing.effect,
    entityId: filing.entityId,
    filingKind: filing.filingKind,
    period: filing.period,
    revision: filing.revision,
    // Nothing was sent under it: what is sent first is what takes its place.
    key: filing.key,
    notBefore: filing.notBefore,
    due: filing.due,
    lastSafe: filing.lastSafe,
    obligation: obligationKey({
      pack: 'entity',
      tenant: app.tenant,
      jurisdiction: named('jurisdiction'),
      registryNumber: named('registry_number'),
      filingKind: named('filing_kind'),
      period: named('period'),
    }),
    payload: canonicalBytes(payload),
    payloadSha256: sha256Hex(corrected.sha256),
    changed: corrected.gateChanges.map(({ code, field }) => `${code} ${field}`),
  };
  const month = toRfc3339(app.clock.now()).slice(0, 7);
  const make = () => app.vault.newKey(month);
  const { session, tenant, ids, vault } = app;
  const keys = await dataKeys(session, { tenant, month }, [draft.entityId], make);
  const from = { ids, vault, person: person.id, trace: ids.next() };
  const into = { batch: filing.batch, key: keys.get(draft.entityId), replaces: filing.id };
  return freezeDraft(from, draft, into);
}

/** Corrections of an import, batch by batch; each batch is frozen and proposed anew once for a chunk of rows. */
export function correctionsOf(app: Installation, actor: PersonActor, reason: string): Correct {
  return async (corrections, freeze) => {
    const batches = new Set(corrections.map(({ batch }) => batch));
    for (const batch of [...batches].sort()) {
      const filings: { readonly id: FilingId; readonly replacedBy: NewFiling }[] = [];
      for (const one of corrections) {
        if (one.batch !== batch) continue;
        filings.push({ id: one.former, replacedBy: await freeze(one.draft, one) });
      }
      await replaceInBatch(app, actor, { batch, reason, filings });
    }
  };
}

function requireUnsent({ id, status, attempt }: FilingView): void {
  if (status === 'pending' && attempt === 0) return;
  const remedy =
    status === 'rejected' || status === 'fallout'
      ? 'correct it with review correct'
      : 'see filing show';
  throw ruledOut(`Filing ${id} is ${status} and no longer waits for an approval; ${remedy}`);
}
