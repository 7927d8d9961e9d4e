import {
  type FilingDraft,
  type IntakeStore,
  overLimit,
  type PersonId,
  type Sha256Hex,
  type Vault,
} from '../core/index.ts';
import {
  type Admissions,
  type BatchAdmissionsOptions,
  correctionsIn,
  hasConflict,
  type Outcome,
  outcomesOf,
} from './admissions.ts';
import { DRY_RUN_ROWS_MAX } from './limits.ts';

/** Says what an import would do and writes nothing. What the file itself has said so far it must remember. */
export class PreviewAdmissions implements Admissions {
  readonly batch = undefined;
  private readonly store: IntakeStore;
  private readonly vault: Vault;
  private readonly person: PersonId;
  private readonly corrects: boolean;
  private readonly onConflict: (() => Promise<void>) | undefined;
  private readonly seen = new Map<string, { readonly sha256: Sha256Hex; readonly line: number }>();

  constructor(
    options: Pick<BatchAdmissionsOptions, 'store' | 'vault' | 'onConflict' | 'person' | 'correct'>,
  ) {
    this.person = options.person;
    this.corrects = options.correct !== undefined;
    this.store = options.store;
    this.vault = options.vault;
    this.onConflict = options.onConflict;
  }

  async admit(
    drafts: readonly FilingDraft[],
    lines: readonly number[],
  ): Promise<readonly Outcome[]> {
    if (drafts.length === 0) return [];
    const asked = drafts.map(({ obligation, payloadSha256 }) => ({ obligation, payloadSha256 }));
    const admissions = await this.store.preview(asked);
    if (hasConflict(admissions)) await this.onConflict?.();
    const { vault, person } = this;
    const outcomes = outcomesOf(admissions, drafts, { vault, person });
    const corrections = correctionsIn(admissions, this.corrects ? drafts : [], person);
    return outcomes.map((outcome, at) => {
      const draft = drafts[at];
      if (draft !== undefined && corrections.has(draft)) return { kind: 'corrected' };
      if (outcome.kind !== 'created' || draft === undefined) return outcome;
      return this.remember(draft, lines[at] ?? 0);
    });
  }

  async close(): Promise<undefined> {
    return undefined;
  }

  private remember(draft: FilingDraft, line: number): Outcome {
    const first = this.seen.get(draft.obligation);
    if (first === undefined) {
      if (this.seen.size >= DRY_RUN_ROWS_MAX) {
        throw overLimit(
          `Expected at most ${DRY_RUN_ROWS_MAX} new filings in a dry run, found more. Split the file.`,
          { details: { line } },
        );
      }
      this.seen.set(draft.obligation, { sha256: draft.payloadSha256, line });
      return { kind: 'created' };
    }
    if (first.sha256 === draft.payloadSha256) return { kind: 'unchanged' };
    const why = `is the same obligation as line ${first.line} of this file, with other content`;
    return { kind: 'changed', error: { where: 'row', why } };
  }
}
