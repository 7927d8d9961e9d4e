/** What stages read over a lane, and what they say about it. */
import type { Exchange, JsonValue } from '../../core/index.ts';
import type { BoundaryFailure } from '../rules/intake/failures.ts';
import type { IngestionReport } from './source-contracts.ts';

/** Somebody who may read over a lane; `src/lanes/live/lane-reader.ts` holds a slot for it. */
export interface LaneToRead {
  readonly mayRead: boolean;
  read(path: string): Promise<Exchange>;
}

/** A lane as a stage asks it: for one subject at a time. It must not throw for what the other side does. */
interface AskedLane<Answer> {
  /** The lane's code: a question is asked again over the lane on which it was asked first, and over no other. */
  readonly code: string;
  /** Once false, what is due waits for the next run: the lane must rest. */
  mayRead(): boolean;
  read(subject: string): Promise<Answer>;
}

/** What every report of a question says. */
export interface QuestionReport {
  readonly attempts: number;
  readonly nextAt: string | undefined;
  readonly lastErrorCode: string | undefined;
  readonly exception: string | undefined;
}

/** The grantors' own ledgers, by grantor. */
export type GrantorLedger = AskedLane<GrantorAnswer>;

export type GrantorAnswer =
  /** `{ledger: [{id, payer, ref, amount, expected, currency}]}`, as `readLedger` takes it. */
  | { readonly kind: 'read'; readonly document: JsonValue }
  | { readonly kind: 'failed'; readonly failure: BoundaryFailure };

export interface VerificationReport extends QuestionReport {
  readonly grantor: string;
  readonly state: 'verified' | 'differs' | 'waiting' | 'fallback';
  /** What the grantor's ledger says otherwise. */
  readonly differences: readonly string[];
}

/** Award documents, by path. */
export type DocumentLane = AskedLane<DocumentAnswer>;

interface DocumentAnswer {
  /** Undefined when the whole document was read. */
  readonly failure: BoundaryFailure | undefined;
  /** What was read of the document, also where the connection was cut. */
  readonly body: Uint8Array | undefined;
}

export interface FetchReport extends QuestionReport {
  readonly lane: string;
  readonly path: string;
  readonly state: 'waiting' | 'ingested' | 'fallback';
  /** What came of the document, once it was read. */
  readonly ingestion: IngestionReport | undefined;
}
