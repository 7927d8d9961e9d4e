/** Rows as filings: the pack reads a draft from each, `Admissions` admits drafts of which no two are one obligation. */
import { type FilingDraft, invariant, type RowReader } from '../core/index.ts';
import type { Admissions } from './admissions.ts';
import type { GoodRow, Importer, ReadRow, RowOutcome, RowReading } from './import-run.ts';
import type { Input } from './input.ts';
import { FilingTally } from './report.ts';

type DraftRow = ReadRow<FilingDraft>;

export class FilingRows implements Importer<FilingDraft> {
  readonly tally = new FilingTally();
  readonly rows: Input['rows'];
  readonly errorFormat: Input['errorFormat'];
  readonly placeOf: Input['placeOf'];
  private readonly reader: RowReader;
  private readonly admissions: Admissions;

  constructor(input: Input, reader: RowReader, admissions: Admissions) {
    this.rows = input.rows;
    this.errorFormat = input.errorFormat;
    this.placeOf = (ours) => input.placeOf(ours);
    this.reader = reader;
    this.admissions = admissions;
  }

  read(row: GoodRow): RowReading<FilingDraft> {
    const result = this.reader.read(row.row);
    if (!result.ok) return result;
    const notes = result.notes?.map((note) => ({ ...note, where: this.placeOf(note.where) }));
    if (notes !== undefined) this.tally.gated(row.line, notes);
    return { ok: true, item: result.draft };
  }

  async admit(rows: readonly DraftRow[]): Promise<readonly RowOutcome[]> {
    const outcomes: RowOutcome[] = [];
    for (const group of apart(rows)) outcomes.push(...(await this.admitGroup(group)));
    return outcomes;
  }

  private async admitGroup(group: readonly DraftRow[]): Promise<readonly RowOutcome[]> {
    const firsts = new Map<string, DraftRow>();
    for (const one of group) {
      if (!firsts.has(one.item.obligation)) firsts.set(one.item.obligation, one);
    }
    const asked = [...firsts.values()];
    const answers = await this.admissions.admit(
      asked.map(({ item }) => item),
      asked.map(({ row }) => row.line),
    );
    const byRow = new Map(asked.map((one, at) => [one, answers[at]]));
    return group.map((one) => {
      const first = firsts.get(one.item.obligation);
      const answer = first === undefined ? undefined : byRow.get(first);
      invariant(answer !== undefined, 'Expected an outcome for each row.');
      // A copy of a row that was created says nothing new; one of a conflict is the same conflict.
      const isCopy = first !== one && (answer.kind === 'created' || answer.kind === 'corrected');
      if (answer.kind === 'corrected' && !isCopy) this.tally.corrected += 1;
      const said = answer.kind === 'corrected' ? 'changed' : answer.kind;
      const kind = isCopy ? 'unchanged' : said;
      this.tally.count(one.item.lane, kind);
      if (answer.kind === 'unchanged' && answer.openIn !== this.admissions.batch) {
        this.tally.unfinishedIn(answer.openIn);
      }
      return answer.kind === 'changed' ? { kind, errors: [answer.error] } : { kind };
    });
  }
}

/**
 * The rows in groups in which one obligation has one content. Where the file contradicts itself, the first of the two
 * rows counts, so it must be in the store before the other one is looked at.
 */
function apart(rows: readonly DraftRow[]): readonly (readonly DraftRow[])[] {
  const groups: DraftRow[][] = [];
  let group: DraftRow[] = [];
  let contents = new Map<string, string>();
  for (const one of rows) {
    const { obligation, payloadSha256 } = one.item;
    if ((contents.get(obligation) ?? payloadSha256) !== payloadSha256) {
      groups.push(group);
      group = [];
      contents = new Map();
    }
    contents.set(obligation, payloadSha256);
    group.push(one);
  }
  return [...groups, group];
}
