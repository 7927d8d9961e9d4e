export { changedFields, type FieldChange } from './conflict.ts';
export { importRows, type ImportOptions } from './import.ts';
export {
  type GoodRow,
  type ReadRow,
  type RowOutcome,
  type RowReading,
  runImport,
} from './import-run.ts';
export { type Input, type InputFormat, openInput } from './input.ts';
export type {
  GateReport,
  ImportCounts,
  ImportReport,
  ImportRunReport,
  LaneCounts,
  ReportedError,
} from './report.ts';
