export type { Delimiter } from './csv-quotes.ts';
export { csvCell, csvLine, neutralCell, originalCell } from './csv-cell.ts';
export { openCsv, type CsvOptions } from './csv.ts';
export type { CsvHeader } from './csv-header.ts';
export { changedFields, type FieldChange } from './conflict.ts';
export { importRows, type ImportOptions } from './import.ts';
export { ErrorFile } from './error-file.ts';
export { type Input, type InputFormat, openInput } from './input.ts';
export { ERROR_COLUMNS, type ColumnMapping, type InputRow } from './input-row.ts';
export { COLUMNS_MAX, CHUNK_ROWS, RECORD_BYTES_MAX } from './limits.ts';
export { ndjsonRows } from './ndjson.ts';
export type {
  GateReport,
  ImportCounts,
  ImportReport,
  LaneCounts,
  ReportedError,
} from './report.ts';
