import type { DocketReading } from '../rules/docket/read-row.ts';
import type { NotedMessage } from '../store/dockets.ts';

/** A docket event as it came, and what was read of it. */
export interface IncomingDocket {
  /** Exactly as they came; they go out the same. */
  readonly payload: Uint8Array;
  readonly contentType: string;
  /** File, queue or stream, for the record. */
  readonly source: string;
  /** What `readDocketRow` or `readDocketDocument` made of them. */
  readonly reading: DocketReading;
  /** The broker's message, so that a repeat is known before anything is read. */
  readonly message?: NotedMessage;
}
