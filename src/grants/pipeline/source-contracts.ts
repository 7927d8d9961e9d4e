/** What goes into the stages, and what the first one says of it. */
import type { AwardFormat, AwardRecord, Violation } from '../rules/intake/award-record.ts';
import type { FeedEvent, FeedFormat } from '../rules/feeds/feed-events.ts';

/** Bytes that can be read twice: once to know what they are, once to take them in. */
export interface ByteSource {
  /** For people; a file's name. */
  readonly name: string;
  open(): AsyncIterable<Uint8Array>;
}

export interface AwardSource extends ByteSource {
  readonly format: AwardFormat;
  /** What a table says, read with its columns; `expected` is the hash of the bytes that are taken in. */
  readonly records?: (expected: string) => Iterable<AwardRecord>;
}

export interface FeedSource extends ByteSource {
  readonly format: FeedFormat | 'detect';
  /** What a table says, read with its columns; `expected` is the hash of the bytes that are taken in. */
  readonly events?: (expected: string) => Iterable<FeedEvent>;
}

/** A record that went to the compliance exception ledger. */
export interface RefusedRecord {
  readonly ordinal: number;
  readonly line: number;
  readonly kind: 'quarantined' | 'refused' | 'conflicting';
  /** The exception's id, for `exceptions.show`. */
  readonly exception: string;
  readonly violations: readonly Violation[];
}

export interface IngestionReport {
  /** SHA-256 of the bytes; the document's identity. */
  readonly document: string;
  readonly records: number;
  readonly accepted: number;
  /** Known already from another document, with the same content: counted once. */
  readonly repeated: number;
  readonly refused: number;
  /** The first of them; the exceptions list has all. */
  readonly refusals: readonly RefusedRecord[];
  /** The very same document was taken in before: nothing was done. */
  readonly isRepeatedDocument: boolean;
}

/** Days as YYYY-MM-DD, both included. */
export interface PeriodName {
  readonly account: string;
  readonly from: string;
  readonly to: string;
}

/** Where the organisation asks for money: these states' thresholds are watched. */
export interface Organization {
  readonly states: readonly string[];
  /** `MM-DD`. */
  readonly fiscalYearEnd: string;
}
