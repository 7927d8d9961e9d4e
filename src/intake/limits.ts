/** Bounds of one input file. */

// The longest real payloads (officer lists, addresses) stay below 100 kB. Ten times that leaves room, and a quote that
// is never closed is noticed before it has filled the heap.
export const RECORD_BYTES_MAX = 1024 * 1024;

// One line of a file is at most one record. Longer lines are read on in pieces of this size and thrown away.
export const LINE_BYTES_MAX = RECORD_BYTES_MAX;

// The largest state form has fewer than 100 fields; beyond this the file is a matrix, not a list of filings.
export const COLUMNS_MAX = 500;

// What the error file keeps of a record that was too large to hold: enough to recognise it.
export const CUT_BYTES = 1024;

// Rows in one transaction: at 500 the round trip no longer counts, and a failure repeats less than a second of work.
export const CHUNK_ROWS = 500;

// Rows may be as large as RECORD_BYTES_MAX; this keeps 500 of them from being held at once.
export const CHUNK_BYTES_MAX = 8 * 1024 * 1024;

// A dry run writes nothing, so it must itself remember what it has seen: about 300 bytes a row.
export const DRY_RUN_ROWS_MAX = 1_000_000;

// What the report itself shows; all errors are in the error file.
export const REPORTED_ERRORS_MAX = 100;
