/** Bounds of one feed. What is beyond them is an attack or not a bank feed; the heap never grows with the feed. */

// The longest real line is a BAI2 text of a few hundred characters; without a line end nothing may pile up.
export const LINE_CHARS_MAX = 64 * 1024;

// One tag, text or comment. The longest text of the camt schema has 500 characters, of OFX 255.
export const TOKEN_CHARS_MAX = 64 * 1024;

// The deepest path of the camt schema has about twenty levels, of OFX about ten.
export const DEPTH_MAX = 64;

// One entry, balance or account with everything inside it, without the payments of a batch.
export const ELEMENT_CHARS_MAX = 256 * 1024;
export const ELEMENT_NODES_MAX = 10_000;

// Payments booked as one line. A payroll or a summary deposit stays far below; each takes about 300 bytes.
export const DETAILS_MAX = 20_000;
export const DETAILS_CHARS_MAX = 8 * 1024 * 1024;

// Physical lines that belong to one BAI2 record or one MT940 field.
export const CONTINUATIONS_MAX = 1_000;

// All of them together: a thousand lines of full length would be a heap of their own.
export const RECORD_CHARS_MAX = 256 * 1024;

// NACHA: the addenda count of a CTX entry has four digits.
export const ADDENDA_MAX = 9_999;

// References kept for one line; the rest of a longer text is in its description.
export const REFERENCES_MAX = 64;

// A longer word is not a reference of any bank or payer.
export const REFERENCE_CHARS_MAX = 64;

// What a message quotes of the feed.
export const QUOTED_CHARS_MAX = 60;
