/**
 * What the invariants look at: what the portals truly received and did, every version of every row, and the ledger's
 * bytes. Nothing in it was computed by the code under test.
 */
import type { Exchange } from '../src/core/exchange.ts';
import type { Profile } from '../src/core/profile.ts';
import type {
  AttemptRow,
  ExceptionRow,
  FilingRow,
  LaneRow,
  OutboxRow,
  OutcomeRow,
  WorkerRow,
} from '../src/testing/memory/rows.ts';
import type { Endpoint } from '../src/testing/simulator/faults.ts';
import type { SimFiling } from './world/filings-of-seed.ts';

/** One request from the moment the product asked for it, with the moments that only the world knows. */
export interface Flight {
  readonly number: number;
  readonly lane: string;
  readonly endpoint: Endpoint;
  readonly key: string;
  readonly bodySha256: string;
  readonly pid: number;
  readonly calledAt: number;
  /** How wrong the sender's wall clock was at the write, and for how long it had been. */
  skewMs: number;
  skewForMs: number;
  /** Undefined: nothing was written, or it never arrived, or the portal is not done with it. */
  writtenAt: number | undefined;
  arrivedAt: number | undefined;
  finishedAt: number | undefined;
  /** The status the portal answered with; 0 for a cut or silence. */
  status: number;
  /** What the status endpoint said, read from the answer's own bytes. */
  stateWord: string | undefined;
  /** The portal's stay-away moment, where the answer named a sensible one. */
  stayAwayUntil: number | undefined;
  /** What the client was told, and when; undefined when it died first. */
  answeredAt: number | undefined;
  exchange: Exchange | undefined;
}

export interface FilingVersion {
  readonly at: number;
  readonly row: FilingRow;
}

export interface LaneVersion {
  readonly at: number;
  readonly row: LaneRow;
  /** True when a person made the change. */
  readonly byPerson: boolean;
}

/** A worker's row as it was written at that moment. */
export interface WorkerVersion {
  readonly at: number;
  readonly row: WorkerRow;
}

/** One time that a portal took a filing. */
export interface TrueAcceptance {
  readonly lane: string;
  readonly key: string;
  readonly receipt: string;
  readonly sha256: string;
  readonly at: number;
}

export interface Evidence {
  readonly startMs: number;
  readonly endMs: number;
  /** When the faults stopped. */
  readonly healedAt: number;
  readonly leaseMs: number;
  readonly profiles: readonly Profile[];
  readonly filings: readonly SimFiling[];
  readonly flights: readonly Flight[];
  readonly acceptances: readonly TrueAcceptance[];
  readonly filingVersions: readonly FilingVersion[];
  readonly laneVersions: readonly LaneVersion[];
  readonly rows: readonly FilingRow[];
  readonly attempts: readonly AttemptRow[];
  readonly outcomes: readonly OutcomeRow[];
  readonly exceptions: readonly ExceptionRow[];
  readonly outbox: readonly OutboxRow[];
  readonly workers: readonly WorkerRow[];
  readonly workerVersions: readonly WorkerVersion[];
  readonly ledger: {
    readonly origin: string;
    readonly entries: readonly Uint8Array[];
    readonly waiting: number;
    /** As the sequencer's own head says. */
    readonly rootHex: string | undefined;
  };
  /** Opens a sealed body by the hash of its bytes: the parts, not the product's way of opening them. */
  readonly sealed: (ct: string) => SealedParts;
  readonly tenantKey: Uint8Array;
  /** Spans in which the database answered nobody. */
  readonly outages: readonly { readonly from: number; readonly to: number }[];
  /** Spans in which no process was running at all, or all of them were stopped. */
  readonly idleSpans: readonly { readonly from: number; readonly to: number }[];
  /** Exceptions that left the product: a broken assumption, never an expected outcome. */
  readonly crashes: readonly string[];
}

export interface SealedParts {
  readonly blob: Uint8Array;
  readonly entry: string;
  readonly keyId: string;
  readonly wrapped: Uint8Array;
}

/** A rule that did not hold, with what shows it. */
export interface Violation {
  readonly invariant: string;
  readonly detail: string;
}
