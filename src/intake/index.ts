export { type Correct, freezeDraft } from './admissions.ts';
export { changedFields, type FieldChange } from './conflict.ts';
export {
  type GoodRow,
  type ReadRow,
  type RowOutcome,
  type RowReading,
  runImport,
} from './import-run.ts';
export { importRows, type RowSource } from './import.ts';
export { openRowFile, readableFileBytes, rowFormatOf, unreadableFile } from './input-file.ts';
export type { Input } from './input.ts';
export type { ImportCounts, ImportReport, ImportRunReport } from './report.ts';
export { type Encoding, ENCODINGS } from './sheet/encoding.ts';
export {
  type ConfirmedColumns,
  type OpenedSheet,
  openSheet,
  type SheetChoices,
  type SheetReport,
} from './sheet/open-sheet.ts';
export { type Asked, SheetQuestion } from './sheet/question.ts';
