/** Bounds of a workbook. A file of one megabyte can unpack to gigabytes; these are looked at before and while it does. */

// A sheet has at most 1,048,576 rows, and an import of 100,000 takes 77 MB of heap (bench/RESULTS.md).
// A million rows of 500 characters.
export const SHEET_BYTES_MAX = 512 * 1024 * 1024;

// Every text of such a sheet, kept as bytes beside the heap.
export const STRINGS_BYTES_MAX = 256 * 1024 * 1024;

// The list of sheets, their addresses, the number formats.
export const PART_BYTES_MAX = 16 * 1024 * 1024;

// A workbook has some thirty parts, and one with pictures a few hundred.
export const PARTS_MAX = 10_000;

// Excel holds 32,767 characters in a cell; markup between two signs of it is never longer.
export const TOKEN_CHARACTERS_MAX = 1024 * 1024;

// Each is looked at for each row below its first.
export const MERGES_MAX = 10_000;

export const SHEETS_MAX = 1_000;
