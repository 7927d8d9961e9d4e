/**
 * The rows of the memory store: the columns of sql/0005_filings.sql for one tenant. Rows are replaced, never changed
 * in place, so a checker may keep one.
 */
import type {
  AttemptId,
  BatchId,
  Claim,
  EntryId,
  Envelope,
  Filing,
  FilingId,
  Instant,
  LaneCode,
  LaneState,
  PersonId,
  Sha256Hex,
  StepAction,
  Unsettled,
  WorkerId,
} from '../../core/index.ts';

export interface WorkerRow {
  readonly id: WorkerId;
  readonly host: string;
  readonly pid: number;
  readonly pidStartedAt: string;
  readonly wants: LaneCode | undefined;
  readonly expiresAt: Instant;
  readonly endedAt: Instant | undefined;
}

export interface SlotRow {
  readonly lane: LaneCode;
  readonly n: number;
  readonly fence: string;
  readonly holder: WorkerId | undefined;
  readonly expiresAt: Instant;
}

export interface LaneRow {
  readonly state: LaneState;
  /** Derived from the state: when new claims may be made again. */
  readonly openFrom: Instant;
  /** Derived from the state: nothing is claimed but questions. */
  readonly asksOnly: boolean;
  readonly longestServiceMs: number;
  /** The ledger's subject version. */
  readonly ver: number;
}

export interface BatchRow {
  readonly id: BatchId;
  readonly source: string;
  readonly preparedBy: PersonId;
  readonly state: 'open' | 'frozen' | 'approved';
  readonly frozen: { readonly count: number; readonly sha256: Sha256Hex } | undefined;
  readonly ver: number;
}

export interface FilingRow extends Omit<Filing, keyof Envelope> {
  readonly envelope: Envelope;
  readonly obligation: string;
  /** Names the sealed payload. */
  readonly payloadCt: string;
  readonly attemptId: AttemptId | undefined;
  readonly claim: Claim['reason'] | undefined;
  /** Undefined: not queued (held for approval, in somebody's hands, or at its end). */
  readonly nextAt: Instant | undefined;
  readonly verdict: string | undefined;
  readonly code: string | undefined;
  readonly receipt: string | undefined;
  readonly ver: number;
  readonly exceptions: number;
}

export interface AttemptRow {
  readonly filing: FilingId;
  readonly no: number;
  readonly id: AttemptId;
  readonly action: StepAction;
  readonly holder: WorkerId;
  readonly intentAt: Instant;
}

/** `counted` is false for the late answer of a former holder: evidence alone. */
export interface OutcomeRow {
  readonly filing: FilingId;
  readonly no: number;
  readonly holder: WorkerId;
  readonly verdict: string;
  readonly code: string;
  readonly at: Instant;
  readonly ct: string | undefined;
  readonly counted: boolean;
}

export interface ExceptionRow {
  readonly filing: FilingId;
  readonly n: number;
  readonly status: 'rejected' | 'fallout';
  readonly reason: string;
  readonly unsettled: Unsettled | undefined;
  readonly ct: string;
  readonly openedAt: Instant;
}

export interface OutboxRow {
  readonly id: EntryId;
  readonly type: 'COMPLIANCE_FILING_COMPLETE';
  readonly filing: FilingId;
  readonly at: Instant;
}

export interface BlobRow {
  readonly ct: string;
  readonly entry: EntryId;
  readonly key: string;
  readonly bytes: Uint8Array;
}

/** What a jsonb column gives back: the value without undefined fields, and nobody else's object. */
export function asStored<T>(value: T): T {
  // JSON keeps every type that is stored this way, except undefined fields, which their readers treat as absent.
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T);
}
