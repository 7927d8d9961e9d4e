/** A table, however it is kept: what its first rows say, and a way to read it from there on. */
import type {
  ColumnMapping,
  CsvHeader,
  HeadRecord,
  InputRow,
  Sha256Hex,
} from '../../core/index.ts';
import type { DayCount } from './xlsx/cell-text.ts';

export interface TableReading {
  /** Rows above the header, blank ones not counted. */
  readonly above: number;
  readonly mapping: ColumnMapping;
  readonly needed: readonly string[];
  /** Further columns that are read under their own names. */
  readonly kept: ReadonlySet<string>;
}

export interface Table {
  /** How it was read, in words: its encoding and separator, or its sheet. */
  readonly form: readonly string[];
  /** What a person should know of it. */
  readonly remarks: readonly string[];
  readonly head: readonly HeadRecord[];
  readonly days: DayCount;
  /** How a person finds the row again. */
  readonly rowWord: 'line' | 'row';
  open(
    reading: TableReading,
  ): Promise<{ readonly header: CsvHeader; readonly rows: AsyncIterable<InputRow> }>;
  /** Of the file's bytes as they were read; refuses where they changed in between. */
  inputSha256(): Promise<Sha256Hex>;
  close(): void;
}
