/** Rows that go into one transaction. No obligation is in it twice, as the store asks. */
import type { FilingDraft, RowError } from '../core/index.ts';
import type { InputRow } from './input-row.ts';
import { CHUNK_BYTES_MAX, CHUNK_ROWS } from './limits.ts';

export type ChunkItem =
  | {
      readonly kind: 'refused';
      readonly row: InputRow;
      readonly errors: readonly RowError[];
    }
  /** `at` is the place of its draft; a copy shares that of the first row with the same content. */
  | { readonly kind: 'draft' | 'copy'; readonly row: InputRow; readonly at: number };

export class Chunk {
  private readonly list: ChunkItem[] = [];
  private readonly draftList: FilingDraft[] = [];
  private readonly places = new Map<string, number>();
  private bytes = 0;

  get items(): readonly ChunkItem[] {
    return this.list;
  }

  get drafts(): readonly FilingDraft[] {
    return this.draftList;
  }

  get isFull(): boolean {
    return this.list.length >= CHUNK_ROWS || this.bytes >= CHUNK_BYTES_MAX;
  }

  refuse(row: InputRow, errors: readonly RowError[]): void {
    this.keep({ kind: 'refused', row, errors });
  }

  /** False when the same obligation with other content is here: then this chunk must be admitted first. */
  add(row: InputRow, draft: FilingDraft): boolean {
    const at = this.places.get(draft.obligation);
    if (at === undefined) {
      this.places.set(draft.obligation, this.draftList.length);
      this.keep({ kind: 'draft', row, at: this.draftList.length });
      this.draftList.push(draft);
      this.bytes += draft.payload.length;
      return true;
    }
    if (this.draftList[at]?.payloadSha256 !== draft.payloadSha256) return false;
    this.keep({ kind: 'copy', row, at });
    return true;
  }

  private keep(item: ChunkItem): void {
    this.list.push(item);
    this.bytes += item.row.raw.length;
  }
}
