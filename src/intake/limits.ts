/** Bounds of one import; those of its rows are in `core/csv/limits.ts`. */

// Rows in one transaction: at 500 the round trip no longer counts, and a failure repeats less than a second of work.
export const CHUNK_ROWS = 500;

// Rows may be as large as RECORD_BYTES_MAX; this keeps 500 of them from being held at once.
export const CHUNK_BYTES_MAX = 8 * 1024 * 1024;

// A dry run writes nothing, so it must itself remember what it has seen: about 300 bytes a row.
export const DRY_RUN_ROWS_MAX = 1_000_000;

// What the report itself shows; all errors are in the error file.
export const REPORTED_ERRORS_MAX = 100;
