/** What an entry of the ledger is made of. */
import type { JsonValue } from '../core/index.ts';

/** What an entry is about; `ver` counts 1, 2, 3 … for each (kind, id) within one log. */
export interface LedgerSubject {
  readonly kind: string;
  readonly id: string;
  readonly ver: number;
}

export interface LedgerActor {
  readonly kind: 'service' | 'user' | 'system';
  readonly id: string;
}

export type LedgerClass = 'public' | 'internal' | 'confidential' | 'privileged';

/** What an entry says about its sealed body: which key, the blob's hash, the blinded commitment (both hex). */
export interface SealedBody {
  readonly alg: 'A256GCM';
  readonly key: string;
  readonly ct: string;
  readonly cm: string;
}

/** What the transaction of a state change writes; the sequencer adds the place in the log. */
export interface IntakeEntry {
  /** UUIDv7 of the intake row, unique in the log: appending it twice is noticed. */
  readonly id: string;
  /** When it happened, RFC 3339 in UTC with exactly milliseconds. */
  readonly at: string;
  readonly type: string;
  readonly subj: LedgerSubject;
  readonly actor: LedgerActor;
  readonly trace: string;
  readonly cls: LedgerClass;
  /** Facts that may stay readable for ever. Anything else belongs in the sealed body. */
  readonly data: Readonly<Record<string, JsonValue>>;
  readonly body: SealedBody | null;
}

/** An entry as it stands in the log. */
export interface LedgerEntry extends IntakeEntry {
  readonly v: 1;
  readonly log: string;
  readonly seq: number;
  readonly prev: string;
  readonly ts: string;
}

/** The place the sequencer gives to an entry. */
export interface EntryPlace {
  /** The log's origin. */
  readonly log: string;
  readonly seq: number;
  /** Leaf hash of the entry before it, or `genesisPrev(origin)`. */
  readonly prev: Uint8Array;
  /** The sequencer's clock; never before the previous entry's. */
  readonly ts: string;
}
