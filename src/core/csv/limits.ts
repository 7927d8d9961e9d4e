/** Bounds of one input of rows. */

// The longest real payloads (officer lists, addresses) stay below 100 kB. Ten times that leaves room, and a quote that
// is never closed is noticed before it has filled the heap.
export const RECORD_BYTES_MAX = 1024 * 1024;

// One line of a file is at most one record. Longer lines are read on in pieces of this size and thrown away.
export const LINE_BYTES_MAX = RECORD_BYTES_MAX;

// The largest state form has fewer than 100 fields; beyond this the file is a matrix, not a list of filings.
export const COLUMNS_MAX = 500;

// What the error file keeps of a record that was too large to hold: enough to recognise it.
export const CUT_BYTES = 1024;
