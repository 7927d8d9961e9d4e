export { changedFields, type FieldChange } from './conflict.ts';
export {
  type GoodRow,
  type ReadRow,
  type RowOutcome,
  type RowReading,
  runImport,
} from './import-run.ts';
export { importRows } from './import.ts';
export { openRowFile, readableFileBytes, rowFormatOf, unreadableFile } from './input-file.ts';
export type { Input, InputFormat } from './input.ts';
export type { ImportCounts, ImportReport, ImportRunReport } from './report.ts';
