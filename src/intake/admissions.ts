/** Where drafts are brought: into a batch of the store, or, in a dry run, only before its eyes. */
import {
  type Admission,
  batchId,
  type BatchId,
  type Clock,
  entryId,
  type FactType,
  type FilingDraft,
  type FilingId,
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
import { conflictError, movedDates, remedyOf } from './conflict.ts';
import type { ImportCounts } from './report.ts';

export type Outcome =
  | { readonly kind: 'created' }
  | { readonly kind: 'unchanged'; readonly openIn?: BatchId | undefined }
  /** Put in the place of a filing that nobody had approved; in a dry run, it would be. */
  | { readonly kind: 'corrected' }
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
  /** Rows that differ from a filing of this person that nobody has approved take its place. */
  readonly correct?: Correct | undefined;
}

interface Correction {
  readonly batch: BatchId;
  readonly former: FilingId;
  readonly draft: FilingDraft;
}

/** All those of a call that are of one batch, in one transaction; in no call twice the same filing. */
export type Correct = (
  corrections: readonly Correction[],
  freeze: (draft: FilingDraft, correction: Correction) => Promise<NewFiling>,
) => Promise<void>;

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
    const { correct, store, person } = this.options;
    if (correct === undefined) return this.admitNew(drafts);
    const previews = await store.preview(drafts);
    const corrections = correctionsIn(previews, drafts, person);
    await correct([...corrections.values()], (draft, { batch, former }) =>
      this.replacing(draft, batch, former),
    );
    const isCorrected = (draft: FilingDraft | undefined): boolean =>
      draft !== undefined && corrections.has(draft);
    const rest = drafts.filter((draft) => !isCorrected(draft));
    const isAnyNew = previews.some(({ kind }) => kind === 'created');
    const known = previews.filter((_, at) => !isCorrected(drafts[at]));
    const outcomes = (
      isAnyNew
        ? await this.admitNew(rest)
        : outcomesOf(known, rest, { vault: this.options.vault, person })
    ).values();
    return drafts.map((draft): Outcome => {
      if (corrections.has(draft)) return { kind: 'corrected' };
      const outcome = outcomes.next().value;
      invariant(outcome !== undefined, 'Expected an outcome for each filing.');
      return outcome;
    });
  }

  /** A batch of its own is opened for what is new alone; a file of corrections leaves none. */
  private async admitNew(drafts: readonly FilingDraft[]): Promise<readonly Outcome[]> {
    if (drafts.length === 0) return [];
    const { store, vault } = this.options;
    const batch = this.opened ?? (await this.open());
    const keys = await this.keysFor(drafts);
    const filings = drafts.map((draft) => this.freeze(draft, batch, keys.get(draft.entityId)));
    const admissions = await store.admit(filings);
    if (hasConflict(admissions)) await this.options.onConflict?.();
    return outcomesOf(admissions, drafts, { vault, person: this.options.person });
  }

  private async replacing(
    draft: FilingDraft,
    batch: BatchId,
    replaces: FilingId,
  ): Promise<NewFiling> {
    const key = (await this.keysFor([draft])).get(draft.entityId);
    return this.freeze(draft, batch, key, replaces);
  }

  private async keysFor(drafts: readonly FilingDraft[]): Promise<ReadonlyMap<string, WrappedKey>> {
    const { store, vault, clock } = this.options;
    const month = toRfc3339(clock.now()).slice(0, 7);
    const subjects = [...new Set(drafts.map((draft) => draft.entityId))];
    return store.dataKeys(subjects, month, () => vault.newKey(month));
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

  private freeze(
    draft: FilingDraft,
    batch: BatchId,
    key: WrappedKey | undefined,
    replaces?: FilingId,
  ): NewFiling {
    const { trace, options } = this;
    return freezeDraft({ ...options, trace }, draft, {
      batch,
      key,
      ...(replaces === undefined ? {} : { replaces }),
    });
  }

  private fact(type: FactType, data: LedgerFact['data']): LedgerFact {
    const { ids, person } = this.options;
    const actor = { kind: 'user', id: person } as const;
    return { id: entryId(ids.next()), type, actor, trace: this.trace, data };
  }
}

/** The filing of a draft: its payload sealed, and the fact that tells of it. */
export function freezeDraft(
  from: Pick<BatchAdmissionsOptions, 'ids' | 'vault' | 'person'> & { readonly trace: string },
  draft: FilingDraft,
  into: {
    readonly batch: BatchId;
    readonly key: WrappedKey | undefined;
    readonly replaces?: FilingId;
  },
): NewFiling {
  const { ids, vault, person, trace } = from;
  const { batch, key, replaces } = into;
  invariant(key !== undefined, 'Expected a data key for every entity of the chunk.', {
    entity: draft.entityId,
  });
  const { obligation, payload, changed, ...owed } = draft;
  const data = {
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
    ...(replaces === undefined ? {} : { replaces }),
  };
  const actor = { kind: 'user', id: person } as const;
  const fact: LedgerFact = { id: entryId(ids.next()), type: 'filing.state', actor, trace, data };
  const id = filingId(ids.next());
  const owner = { filing: id, key: draft.key };
  const body = vault.seal({ key, entry: fact.id, body: payload, owner });
  return { envelope: { id, batch, ...owed }, obligation, fact: { ...fact, body } };
}

export function hasConflict(admissions: readonly Admission[]): boolean {
  return admissions.some(({ kind }) => kind !== 'created' && kind !== 'unchanged');
}

/** What of the drafts takes the place of a filing that this person prepared and nobody has approved. */
export function correctionsIn(
  admissions: readonly Admission[],
  drafts: readonly FilingDraft[],
  person: PersonId | undefined,
): ReadonlyMap<FilingDraft, Correction> {
  const found = new Map<FilingDraft, Correction>();
  for (const [at, draft] of drafts.entries()) {
    const admission = admissions[at];
    if (admission === undefined || admission.kind === 'created') continue;
    const { correctable, filing: former } = admission;
    const isSame = admission.kind === 'unchanged' && movedDates(admission, draft, '') === undefined;
    if (isSame || correctable?.how !== 'correct' || correctable.preparedBy !== person) continue;
    found.set(draft, { batch: correctable.batch, former, draft });
  }
  return found;
}

export function outcomesOf(
  admissions: readonly Admission[],
  drafts: readonly FilingDraft[],
  { vault, person }: { readonly vault: Vault; readonly person: PersonId | undefined },
): readonly Outcome[] {
  invariant(admissions.length === drafts.length, 'Expected one admission for each filing.', {
    admissions: admissions.length,
    filings: drafts.length,
  });
  return drafts.map((draft, at): Outcome => {
    const admission = admissions[at];
    invariant(admission !== undefined, 'Expected an admission for each filing.');
    if (admission.kind === 'created') return { kind: 'created' };
    const remedy = remedyOf(admission.correctable, person);
    if (admission.kind === 'unchanged') {
      const error = movedDates(admission, draft, remedy);
      return error === undefined
        ? { kind: 'unchanged', openIn: admission.openIn }
        : { kind: 'changed', error };
    }
    const { filing, existing } = admission;
    const error = conflictError({ vault, filing, existing, payload: draft.payload, remedy });
    return { kind: 'changed', error };
  });
}
