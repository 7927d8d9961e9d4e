/** What stages read over a lane, and what they say about it. */
import type { Exchange, JsonValue } from '../core/index.ts';
import type { BoundaryFailure } from '../packs/grants/index.ts';
import type { IngestionReport } from './source-contracts.ts';

/** Somebody who may read over a lane; `src/delivery/lane-reader.ts` holds a slot for it. */
export interface LaneToRead {
  readonly mayRead: boolean;
  read(path: string): Promise<Exchange>;
}

/** The grantor's own ledger, read over a lane. It must not throw for what the other side does. */
export interface GrantorLedger {
  /** Once false, what is due waits for the next run: the lane must rest. */
  mayRead(): boolean;
  read(grantor: string): Promise<GrantorAnswer>;
}

export type GrantorAnswer =
  /** `{ledger: [{id, payer, ref, amount, expected, currency}]}`, as `readLedger` takes it. */
  | { readonly kind: 'read'; readonly document: JsonValue }
  | { readonly kind: 'failed'; readonly failure: BoundaryFailure };

export interface VerificationReport {
  readonly grantor: string;
  readonly state: 'verified' | 'differs' | 'waiting' | 'fallback';
  readonly attempts: number;
  readonly nextAt: string | undefined;
  readonly lastErrorCode: string | undefined;
  /** What the grantor's ledger says otherwise. */
  readonly differences: readonly string[];
  readonly exception: string | undefined;
}

/** Award documents over a lane. It must not throw for what the other side does. */
export interface DocumentLane {
  /** The lane's code. */
  readonly code: string;
  /** Once false, what is due waits for the next run: the lane must rest. */
  mayRead(): boolean;
  read(path: string): Promise<{
    /** Undefined when the whole document was read. */
    readonly failure: BoundaryFailure | undefined;
    /** What was read of the document, also where the connection was cut. */
    readonly body: Uint8Array | undefined;
  }>;
}

export interface FetchReport {
  readonly lane: string;
  readonly path: string;
  readonly state: 'waiting' | 'ingested' | 'fallback';
  readonly attempts: number;
  readonly nextAt: string | undefined;
  readonly lastErrorCode: string | undefined;
  readonly exception: string | undefined;
  /** What came of the document, once it was read. */
  readonly ingestion: IngestionReport | undefined;
}
