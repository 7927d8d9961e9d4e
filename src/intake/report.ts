import type { BatchId, LaneCode, RowNote, Sha256Hex } from '../core/index.ts';
import { REPORTED_ERRORS_MAX } from './limits.ts';

interface LaneCounts {
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
}

/** `rows` is the sum of the other four. */
export interface ImportCounts extends LaneCounts {
  readonly rows: number;
  readonly refused: number;
}

export interface ReportedError {
  readonly line: number;
  readonly where: string;
  readonly why: string;
  readonly code?: string;
}

/** Errors of one kind in one column. */
export interface ErrorGroup {
  readonly where: string;
  /** What the first of them says. */
  readonly why: string;
  readonly code?: string;
  readonly count: number;
  /** The first few. */
  readonly lines: readonly number[];
}

/** What every import tells, whatever it brings in. */
export interface ImportRunReport extends ImportCounts {
  /** Every error, by kind, the most frequent first. */
  readonly groups: readonly ErrorGroup[];
  /** The first hundred; those of the error file are all in it. */
  readonly errors: readonly ReportedError[];
  /** Where the error file is; undefined when there is none. */
  readonly errorFile: string | undefined;
}

/** What gates changed or noticed in rows that were good. */
interface GateReport {
  /** How often, by code. */
  readonly counts: Readonly<Record<string, number>>;
  /** The first hundred changes, with what was there before and after. */
  readonly changes: readonly (RowNote & { readonly line: number })[];
  /** The first of each code that changed nothing. */
  readonly notices: readonly (RowNote & { readonly line: number })[];
}

/** What an import of filings tells beside. */
export interface ImportReport extends ImportRunReport {
  /** Undefined in a dry run, and when no row could be read as a filing. */
  readonly batch: BatchId | undefined;
  /** The frozen batch: what a second person approves. Undefined where there is no batch. */
  readonly count: number | undefined;
  readonly sha256: Sha256Hex | undefined;
  /** Over the bytes of the input. */
  readonly inputSha256: Sha256Hex;
  readonly lanes: ReadonlyMap<LaneCode, LaneCounts>;
  readonly gates: GateReport;
  /** Of those that changed: so many took the place of filings that nobody had approved. The others conflict. */
  readonly corrected: number;
  /** Batches of imports that did not finish, with so many of the unchanged rows: none of those is sent. */
  readonly unfinished: readonly { readonly batch: BatchId; readonly rows: number }[];
}

/** Counts what only filings have, while the rows pass. */
export class FilingTally {
  corrected = 0;
  private readonly lanes = new Map<LaneCode, { -readonly [K in keyof LaneCounts]: number }>();
  private readonly unfinished = new Map<BatchId, number>();
  private readonly gateCounts = new Map<string, number>();
  private readonly gateChanges: (RowNote & { readonly line: number })[] = [];
  private readonly gateNotices: (RowNote & { readonly line: number })[] = [];

  count(lane: LaneCode, outcome: keyof LaneCounts): void {
    let counts = this.lanes.get(lane);
    if (counts === undefined) {
      counts = { created: 0, changed: 0, unchanged: 0 };
      this.lanes.set(lane, counts);
    }
    counts[outcome] += 1;
  }

  unfinishedIn(batch: BatchId | undefined): void {
    if (batch !== undefined) this.unfinished.set(batch, (this.unfinished.get(batch) ?? 0) + 1);
  }

  gated(line: number, notes: readonly RowNote[]): void {
    for (const note of notes) {
      const count = this.gateCounts.get(note.code) ?? 0;
      this.gateCounts.set(note.code, count + 1);
      if (note.change === undefined) {
        if (count === 0) this.gateNotices.push({ line, ...note });
      } else if (this.gateChanges.length < REPORTED_ERRORS_MAX) {
        this.gateChanges.push({ line, ...note });
      }
    }
  }

  result(): Pick<ImportReport, 'lanes' | 'gates' | 'unfinished' | 'corrected'> {
    const gates = {
      counts: Object.fromEntries(this.gateCounts),
      changes: this.gateChanges,
      notices: this.gateNotices,
    };
    const unfinished = [...this.unfinished].map(([batch, rows]) => ({ batch, rows }));
    return { lanes: this.lanes, gates, unfinished, corrected: this.corrected };
  }
}
