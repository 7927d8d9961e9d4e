/**
 * What the contract suite needs of a store: its ports as two processes see them, its clock, and a look at the rows. The
 * same tests run on every implementation, so whatever they promise the simulation may rely on.
 */
import type { BatchId, FilingId, LaneCode, PersonId, WorkerId } from '../../src/core/ids.ts';
import type {
  DeliveryStore,
  Ids,
  IntakeStore,
  SequencerStore,
  Vault,
} from '../../src/core/ports.ts';
import type { FilingStatus, Step } from '../../src/core/filing.ts';
import type { Instant } from '../../src/core/time.ts';

export const LEASE_MS = 5_000;

export interface Ports {
  readonly delivery: DeliveryStore;
  readonly intake: IntakeStore;
  readonly sequencer: SequencerStore;
}

export interface World {
  /** Two processes on one database. */
  readonly here: Ports;
  readonly there: Ports;
  readonly vault: Vault;
  readonly ids: Ids;
  readonly person: PersonId;
  readonly origin: string;
  /** The database's clock. */
  now(): Promise<Instant>;
  /** Lets time pass for everything that is stored. */
  advance(ms: number): Promise<void>;
  addLane(lane: { code: LaneCode; ceiling: number; longestServiceMs: number }): Promise<void>;
  /** A second person approves. */
  release(batch: BatchId): Promise<void>;
  filing(id: FilingId): Promise<StoredFiling>;
  outcomes(id: FilingId): Promise<readonly StoredOutcome[]>;
  exceptions(id: FilingId): Promise<readonly { readonly n: number; readonly reason: string }[]>;
  /** Filings for which an event waits to be delivered. */
  outbox(): Promise<readonly FilingId[]>;
  /** Facts that are committed and not yet in the log. */
  waiting(): Promise<number>;
  entries(): Promise<readonly Uint8Array[]>;
  close(): Promise<void>;
}

export interface StoredFiling {
  readonly status: FilingStatus;
  readonly attempt: number;
  readonly step: Step | undefined;
  readonly holder: WorkerId | undefined;
  readonly isQueued: boolean;
  readonly receipt: string | undefined;
  readonly ver: number;
}

export interface StoredOutcome {
  readonly no: number;
  readonly holder: WorkerId;
  readonly verdict: string;
  readonly counted: boolean;
}

export type OpenWorld = () => Promise<World>;
