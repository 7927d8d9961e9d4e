/** Where drafts are brought: into a batch of the store, or, in a dry run, only before its eyes. */
import {
  type Admission,
  batchId,
  type BatchId,
  type Clock,
  entryId,
  type FactType,
  type FilingDraft,
  filingId,
  type Ids,
  type IntakeStore,
  invariant,
  type LedgerFact,
  type NewFiling,
  type PersonId,
  type RowError,
  type Sha256Hex,
  toRfc3339,
  type Vault,
  type WrappedKey,
} from '../core/index.ts';
import { conflictError, movedDates } from './conflict.ts';
import type { ImportCounts } from './report.ts';

export type Outcome =
  | { readonly kind: 'created' }
  | { readonly kind: 'unchanged'; readonly openIn?: BatchId | undefined }
  | { readonly kind: 'changed'; readonly error: RowError };

interface ClosedBatch {
  readonly count: number;
  readonly sha256: Sha256Hex;
}

export interface Admissions {
  /** Undefined until the first draft has come, and always in a dry run. */
  readonly batch: BatchId | undefined;
  /** One outcome for each draft, in order. All obligations in a call differ. `lines` are those of the drafts. */
  admit(drafts: readonly FilingDraft[], lines: readonly number[]): Promise<readonly Outcome[]>;
  close(counts: ImportCounts, inputSha256: Sha256Hex): Promise<ClosedBatch | undefined>;
}

export interface BatchAdmissionsOptions {
  readonly store: IntakeStore;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Who prepares the batch; another person must approve it. */
  readonly person: PersonId;
  /** What the batch is called, usually the name of the file. */
  readonly batchName: string;
  /** An open batch to go on with. */
  readonly resume: BatchId | undefined;
  /** Awaited before what a filing holds is compared with a row that differs: the row's report quotes it. */
  readonly onConflict?: (() => Promise<void>) | undefined;
}

/**
 * Freezes drafts into a batch. A crash leaves: before `openBatch`, nothing; before `closeBatch`, an open batch with
 * the chunks that were committed. Nothing of an open batch is sent. The same import again, with `resume`, finds those
 * rows unchanged and adds the others.
 */
export class BatchAdmissions implements Admissions {
  private readonly options: BatchAdmissionsOptions;
  private readonly trace: string;
  private opened: BatchId | undefined;

  constructor(options: BatchAdmissionsOptions) {
    this.options = options;
    this.trace = options.ids.next();
    this.opened = options.resume;
  }

  get batch(): BatchId | undefined {
    return this.opened;
  }

  async admit(drafts: readonly FilingDraft[]): Promise<readonly Outcome[]> {
    if (drafts.length === 0) return [];
    const { store, vault, clock } = this.options;
    const batch = this.opened ?? (await this.open());
    const month = toRfc3339(clock.now()).slice(0, 7);
    const subjects = [...new Set(drafts.map((draft) => draft.entityId))];
    const keys = await store.dataKeys(subjects, month, () => vault.newKey(month));
    const filings = drafts.map((draft) => this.freeze(draft, batch, keys.get(draft.entityId)));
    const admissions = await store.admit(filings);
    if (hasConflict(admissions)) await this.options.onConflict?.();
    return outcomesOf(admissions, drafts, vault);
  }

  async close(counts: ImportCounts, inputSha256: Sha256Hex): Promise<ClosedBatch | undefined> {
    const { opened } = this;
    if (opened === undefined) return undefined;
    const data = { ...counts, input_sha256: inputSha256 };
    const closed = await this.options.store.closeBatch(opened, this.fact('batch.closed', data));
    const isComplete =
      this.options.resume === undefined
        ? closed.count === counts.created
        : closed.count >= counts.created;
    invariant(
      isComplete,
      `Expected ${counts.created} filings in the batch, found ${closed.count}.`,
      {
        batch: opened,
      },
    );
    return closed;
  }

  private async open(): Promise<BatchId> {
    const { store, ids, person, batchName } = this.options;
    const id = batchId(ids.next());
    const fact = this.fact('batch.opened', { source: batchName, prepared_by: person });
    await store.openBatch({ id, source: batchName, preparedBy: person, fact });
    this.opened = id;
    return id;
  }

  private freeze(draft: FilingDraft, batch: BatchId, key: WrappedKey | undefined): NewFiling {
    invariant(key !== undefined, 'Expected a data key for every entity of the chunk.', {
      entity: draft.entityId,
    });
    const { obligation, payload, changed, ...owed } = draft;
    const fact = this.fact('filing.state', {
      from: null,
      to: 'pending',
      attempt: 0,
      revision: draft.revision,
      jurisdiction: draft.jurisdiction,
      lane: draft.lane,
      filing_kind: draft.filingKind,
      period: draft.period,
      due: toRfc3339(draft.due),
      payload_sha256: draft.payloadSha256,
      key: draft.key,
      batch,
      obligation,
      entity: draft.entityId,
      effect: draft.effect,
      not_before: toRfc3339(draft.notBefore),
      last_safe: toRfc3339(draft.lastSafe),
      ...(changed === undefined ? {} : { changed }),
    });
    const id = filingId(this.options.ids.next());
    const owner = { filing: id, key: draft.key };
    const body = this.options.vault.seal({ key, entry: fact.id, body: payload, owner });
    return { envelope: { id, batch, ...owed }, obligation, fact: { ...fact, body } };
  }

  private fact(type: FactType, data: LedgerFact['data']): LedgerFact {
    const { ids, person } = this.options;
    const actor = { kind: 'user', id: person } as const;
    return { id: entryId(ids.next()), type, actor, trace: this.trace, data };
  }
}

export function hasConflict(admissions: readonly Admission[]): boolean {
  return admissions.some(({ kind }) => kind !== 'created' && kind !== 'unchanged');
}

export function outcomesOf(
  admissions: readonly Admission[],
  drafts: readonly FilingDraft[],
  vault: Vault,
): readonly Outcome[] {
  invariant(admissions.length === drafts.length, 'Expected one admission for each filing.', {
    admissions: admissions.length,
    filings: drafts.length,
  });
  return drafts.map((draft, at): Outcome => {
    const admission = admissions[at];
    invariant(admission !== undefined, 'Expected an admission for each filing.');
    if (admission.kind === 'created') return { kind: 'created' };
    if (admission.kind === 'unchanged') {
      const error = movedDates(admission, draft);
      return error === undefined
        ? { kind: 'unchanged', openIn: admission.openIn }
        : { kind: 'changed', error };
    }
    const { filing, existing } = admission;
    const error = conflictError({ vault, filing, existing, payload: draft.payload });
    return { kind: 'changed', error };
  });
}
