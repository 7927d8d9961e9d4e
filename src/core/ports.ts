/**
 * The interfaces to the outside world. No room reads the clock, the dice, the environment, the network or the store
 * except through these, so that the simulation can put its own behind the same code.
 */
import type { Verdict } from './verdict.ts';
import type { Unsettled } from './decision.ts';
import type { Exchange } from './exchange.ts';
import type { FactType } from './facts/catalogue.ts';
import type { Envelope, Filing, FilingStatus, Step } from './filing.ts';
import type {
  AttemptId,
  BatchId,
  EntryId,
  FilingId,
  IdempotencyKey,
  LaneCode,
  PersonId,
  Sha256Hex,
  WorkerId,
} from './ids.ts';
import type { JsonValue } from './canonical-json.ts';
import type { LaneState, SlotRef, SlotView, WorkerView } from './lane.ts';
import type { Profile } from './profile.ts';
import type { Instant } from './time.ts';

/** Time as this process sees it. Leases are given by the database's clock and only counted down by `monotonicMs`. */
export interface Clock {
  now(): Instant;
  monotonicMs(): number;
  /** Resolves after `ms`, or at once when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Random {
  bytes(count: number): Uint8Array;
}

/** UUIDv7 texts. */
export interface Ids {
  next(): string;
}

// ---------------------------------------------------------------------------------------------------------------------
// Portal

export interface SendRequest {
  readonly profile: Profile;
  readonly key: IdempotencyKey;
  readonly payload: Uint8Array;
  readonly contentType: string;
}

export interface StatusRequest {
  readonly profile: Profile;
  readonly key: IdempotencyKey;
  /** Given when the portal has named one. */
  readonly submissionId?: string;
}

/**
 * Asked synchronously, directly before the first byte is written. A check any earlier lets a worker that slept
 * through its lease send: undici queues a dispatch behind `setImmediate`.
 */
export interface WriteGuard {
  mayWrite(): boolean;
  /** Aborts a request in flight when the lease is lost. */
  readonly signal: AbortSignal;
}

export interface Portal {
  send(request: SendRequest, guard: WriteGuard): Promise<Exchange>;
  ask(request: StatusRequest, guard: WriteGuard): Promise<Exchange>;
  probe(profile: Profile, guard: WriteGuard): Promise<Exchange>;
  /**
   * Keeps one idle session of the lane alive, where its profile asks for that; the caller holds a slot meanwhile.
   * Undefined when none was due.
   */
  tend?(profile: Profile, guard: WriteGuard): Promise<Exchange | undefined>;
  /** An answer on this lane was another filing's: no connection that is open now may bring the next one. */
  distrust?(lane: LaneCode): void;
}

/** What is known only at the moment of sending: whether the filing may go out now. */
export type GateAnswer =
  | { readonly kind: 'pass' }
  /** Not yet, and nothing of the filing was written. */
  | ({ readonly kind: 'wait'; readonly until: Instant; readonly code: string } & GateEffect)
  /** A person has to file it, or to correct it. */
  | ({ readonly kind: 'refuse'; readonly code: string } & GateEffect)
  /** The portal asked for a pause, which holds for the whole lane. */
  | ({
      readonly kind: 'pause';
      readonly verdict: Verdict & { readonly kind: 'throttled' };
    } & GateEffect)
  /** Every filing of the lane would meet it, so the lane stops and the filing keeps its place. */
  | ({ readonly kind: 'halt'; readonly code: string } & GateEffect);

/** What a gate leaves behind at the portal. */
interface GateEffect {
  /** A request of the gate was lost: the portal may still be at work on it, so the slot rests. */
  readonly mayBeBusy?: true;
}

/** Asked before a first send, while the filing has a slot: the gate's own requests count against the ceiling. */
export interface SendGate {
  /** False where the profile leaves nothing to ask; then a send costs nothing more. */
  concerns(profile: Profile): boolean;
  check(
    request: {
      readonly filing: Filing;
      readonly profile: Profile;
      readonly payload: Uint8Array;
      readonly now: Instant;
    },
    guard: WriteGuard,
  ): Promise<GateAnswer>;
}

// ---------------------------------------------------------------------------------------------------------------------
// Sealing

/** A sealed body as the ledger entry names it; hex texts. */
interface SealedBody {
  readonly alg: 'A256GCM';
  readonly key: string;
  readonly ct: string;
  readonly cm: string;
}

/** A data key as stored: wrapped, never in the clear. */
export interface WrappedKey {
  readonly id: string;
  /** `YYYY-MM` of the month it serves. */
  readonly month: string;
  readonly wrapped: Uint8Array;
}

/** Whose payload a sealed body is: put in the place of another filing's, or under another key, it does not open. */
export interface PayloadOwner {
  readonly filing: string;
  /** The idempotency key of the revision. */
  readonly key: string;
}

export interface SealedPayload {
  readonly blob: Uint8Array;
  /** The ledger entry the blob belongs to; part of what authenticates it. */
  readonly entry: EntryId;
  readonly key: WrappedKey;
  /** Of a filing's payload: what the row that leads to it says it is. Undefined for every other body. */
  readonly owner?: PayloadOwner;
}

/** Seals and opens bodies of one log. Keys in the clear live only in its bounded cache. */
export interface Vault {
  /** A fresh data key for a subject and a month, wrapped. */
  newKey(month: string): WrappedKey;
  seal(input: {
    readonly key: WrappedKey;
    readonly entry: EntryId;
    readonly body: Uint8Array;
    readonly owner?: PayloadOwner;
  }): {
    readonly sealed: SealedBody;
    readonly blob: Uint8Array;
  };
  open(payload: SealedPayload): Uint8Array;
  /** The data key in the clear, for a verifier. */
  dataKey(key: WrappedKey): Uint8Array;
  /** Drops keys that were destroyed. */
  forget(ids: readonly string[]): void;
}

// ---------------------------------------------------------------------------------------------------------------------
// Ledger intake

export type ActorRef = { readonly kind: 'service' | 'user' | 'system'; readonly id: string };

/** A fact to be recorded in the transaction of the change it speaks of. `ver` is assigned under the subject's row lock. */
export interface LedgerFact {
  readonly id: EntryId;
  readonly type: FactType;
  readonly actor: ActorRef;
  readonly trace: string;
  readonly data: Readonly<Record<string, JsonValue>>;
  readonly body?: { readonly sealed: SealedBody; readonly blob: Uint8Array };
}

// ---------------------------------------------------------------------------------------------------------------------
// Delivery store

/** A filing that this worker holds: its intent is committed under `worker` and `filing.attempt`. */
export interface Claim {
  readonly filing: Filing;
  readonly worker: WorkerId;
  readonly attempt: AttemptId;
  /** Why it was handed out. `orphan`: its former holder is dead. `late`: its slack is gone. */
  readonly reason: 'turn' | 'orphan' | 'late';
  readonly payload: SealedPayload;
  /** The profile of its lane that it may be sent by: the one that its approval names. */
  readonly profileN?: number;
}

/** What became of a claim. Recorded only if the claim still holds; otherwise it is kept as evidence alone. */
export interface OutcomeRecord {
  readonly filing: FilingId;
  readonly worker: WorkerId;
  readonly attempt: number;
  readonly verdict: string;
  readonly code: string;
  readonly from: FilingStatus;
  readonly to: FilingStatus;
  /** Undefined in an end state. */
  readonly next: { readonly step: Step; readonly delayMs: number } | undefined;
  readonly failures: number;
  readonly failingSince: Instant | undefined;
  readonly captchaMarks: number;
  readonly receipt: string | undefined;
  readonly lane: LaneCode;
  readonly fact: LedgerFact;
  /** Present exactly when `to` is rejected or fallout. */
  readonly exception:
    | {
        readonly reason: string;
        readonly unsettled: Unsettled | undefined;
        readonly fact: LedgerFact;
      }
    | undefined;
}

export interface AttemptRecord {
  readonly attempt: number;
  readonly id: AttemptId;
  readonly action: string;
  readonly intentAt: Instant;
  readonly outcome:
    | {
        readonly at: Instant;
        readonly verdict: string;
        readonly code: string;
        /** The sealed exchange, as recorded with the outcome's ledger entry. */
        readonly sealed: SealedPayload | undefined;
      }
    | undefined;
}

export interface Survey {
  readonly now: Instant;
  readonly lanes: readonly LaneState[];
  readonly slots: readonly SlotView[];
  readonly workers: readonly WorkerView[];
}

/**
 * How many filings of a lane are wanted. `after` skips what lies before a filing that was claimed a moment ago: claimed
 * filings leave dead entries at the head of the queue, and every look would step over all of them again.
 */
export interface TurnWant {
  readonly lane: LaneCode;
  readonly count: number;
  readonly after?: Pick<Envelope, 'lastSafe' | 'id'>;
  /** The profile by which they would be sent; nothing is claimed while the lane has another. Left out where lanes have one. */
  readonly profileN?: number;
}

export interface TickInput {
  readonly worker: WorkerId;
  readonly outcomes: readonly OutcomeRecord[];
  readonly wants: readonly TurnWant[];
  /** One id for each filing that may be claimed; unused ones are dropped. */
  readonly attemptIds: readonly AttemptId[];
}

/** A claim that could not be handled. */
export interface ClaimFault {
  readonly filing: FilingId;
  readonly code: string;
  /** `set_aside`: it goes to a person as an exception. `left`: not even that was possible, and it stays where it is. */
  readonly what: 'set_aside' | 'left';
}

export interface TickAnswer {
  readonly claims: readonly Claim[];
  /**
   * Claims that would be accepted with a receipt that another filing of the lane has. Nothing of their outcome is
   * recorded, and the worker holds them still.
   */
  readonly disputed: readonly Pick<OutcomeRecord, 'filing' | 'attempt'>[];
}

/**
 * Each method is one transaction. A method that fails may or may not have committed; calling it again with the same
 * arguments is safe.
 */
export interface DeliveryStore {
  registerWorker(input: {
    readonly host: string;
    readonly pid: number;
    readonly pidStartedAt: string;
    /** A command's one lane: workers let it have a turn there. */
    readonly wants?: LaneCode;
  }): Promise<{ readonly id: WorkerId; readonly now: Instant }>;
  /** Extends the worker and its slots by the lease, each only while it is still live. */
  beat(worker: WorkerId): Promise<{ readonly alive: boolean; readonly now: Instant }>;
  /** Marks a worker as ended (clean stop, or its process was seen dead): its slots may be used again. */
  endWorker(worker: WorkerId): Promise<void>;
  survey(): Promise<Survey>;
  acquireSlots(
    worker: WorkerId,
    wants: readonly { readonly lane: LaneCode; readonly count: number; readonly ceiling: number }[],
  ): Promise<readonly SlotRef[]>;
  releaseSlots(worker: WorkerId, slots: readonly SlotRef[]): Promise<void>;
  tick(input: TickInput): Promise<TickAnswer>;
  /** Claims held by `worker` beyond those it knows of: the answer to an earlier tick was lost. */
  adopt(worker: WorkerId, known: readonly FilingId[]): Promise<readonly Claim[]>;
  /** Filings held by workers that are dead become this worker's, to be settled. */
  takeOrphans(worker: WorkerId, limit: number): Promise<readonly Claim[]>;
  /** Queued filings whose last safe moment has passed, or will pass before their lane opens again. */
  takeLate(worker: WorkerId, limit: number): Promise<readonly Claim[]>;
  /** Compare-and-set of a lane's state; false when somebody changed it meanwhile. */
  changeLane(expected: LaneState, next: LaneState, facts: readonly LedgerFact[]): Promise<boolean>;
  /**
   * The slot for the one probe of a lane, also while the lane is held: its first one, and only when no other is in use or
   * rests. Undefined when it cannot be had now.
   */
  leaseProbe(worker: WorkerId, lane: LaneCode): Promise<SlotRef | undefined>;
  /** Filings of a lane about which the portal has to be asked since that moment, or is being asked. */
  openQuestions(lane: LaneCode, since: Instant): Promise<number>;
  history(filing: FilingId): Promise<readonly AttemptRecord[]>;
  /** The filing that a receipt of the lane belongs to. */
  receiptOwner(lane: LaneCode, number: string): Promise<FilingId | undefined>;
  /** Alerts people to a claim that could not be handled; once for each filing, however often it is reported. */
  reportFault(fault: ClaimFault): Promise<void>;
  /** The data key of a subject for a month, made on first use. `make` wraps a fresh key; it may be called and not used. */
  dataKey(subject: string, month: string, make: () => WrappedKey): Promise<WrappedKey>;
}

/** Turns committed facts into ledger entries. One at a time per log, guarded by a lock and a compare-and-set. */
export interface SequencerStore {
  /** Returns how many entries were appended; 0 when there was nothing to do or another process is the sequencer. */
  sequence(limit: number): Promise<number>;
}

/** Processes on this host, to make sure that a dead worker is dead before its slots are used again. */
export interface Processes {
  /** This machine, boot and process namespace: a pid means nothing anywhere else. */
  readonly host: string;
  /** `startedAt`: a text that no other process can have: its start, and a random mark that it holds. */
  readonly self: { readonly pid: number; readonly startedAt: string };
  /** False when no process has that pid, or another one has it by now. */
  isRunning(pid: number, startedAt: string): boolean;
  /** Ends it for good and returns true once it is gone; false when we may not, or when it is not that worker's process. */
  end(pid: number, startedAt: string): Promise<boolean>;
}

/** One line of the operational log: only these fields exist, so nothing else can leak. */
export interface LogRecord {
  readonly level: 'info' | 'warn' | 'error';
  readonly event: string;
  readonly trace_id?: string;
  readonly filing_id?: string;
  readonly entity_id?: string;
  readonly jurisdiction?: string;
  readonly lane?: string;
  readonly status?: string;
  readonly payload_sha256?: string;
  readonly verdict?: string;
  readonly attempt?: number;
  /** Of a request to the service: its route as the table has it, never the address, which may hold a secret. */
  readonly route?: string;
  readonly http_status?: number;
  readonly ms?: number;
  /** A code of ours or of the portal's status line; never a message that could quote a payload. */
  readonly error?: string;
}

export interface Log {
  write(record: LogRecord): void;
}

// ---------------------------------------------------------------------------------------------------------------------
// Intake

/** What a pack makes of one input row: a filing ready to be frozen, or every reason why not. */
export type RowResult =
  | { readonly ok: true; readonly draft: FilingDraft; readonly notes?: readonly RowNote[] }
  | { readonly ok: false; readonly errors: readonly RowError[] };

/** What a gate changed in a good row, or what somebody should know about it. */
export interface RowNote extends RowError {
  readonly code: string;
  /** Undefined where nothing was changed. Hex where bytes were taken out. */
  readonly change: { readonly before: string; readonly after: string } | undefined;
}

export interface RowError {
  /** The column (CSV) or JSON pointer (NDJSON) at fault. */
  readonly where: string;
  readonly why: string;
  /** The gate that refuses it. */
  readonly code?: string;
}

export interface FilingDraft extends Omit<Envelope, 'id' | 'batch'> {
  readonly obligation: string;
  /** Canonical JSON: exactly these bytes are hashed, sealed and sent. */
  readonly payload: Uint8Array;
  /** What gates changed in the payload, as "CODE field"; never a value. Goes into the ledger with the filing. */
  readonly changed?: readonly string[];
}

/** A pack's door for rows. Values are texts (CSV) or JSON values (NDJSON), after the column mapping. */
export interface RowReader {
  /** Names of the columns it knows, those it needs first. */
  readonly columns: readonly {
    readonly name: string;
    readonly needed: boolean;
    readonly meaning: string;
  }[];
  /** The same for tables that people keep: with the names they give, and what stands in the cells. */
  readonly sheet?: SheetColumns;
  read(row: Readonly<Record<string, JsonValue>>): RowResult;
}

/** What stands in a cell, so that it can be read as people write it. */
export type SheetValue =
  | 'text'
  /** A text that the pack cleans itself, and says so. */
  | 'name'
  | 'number'
  | 'jurisdiction'
  | 'kind'
  | 'origin'
  | 'words'
  | 'period'
  | 'day'
  | 'past-day'
  | 'month-day'
  | 'money'
  /** Dollars that may be below zero: what a bank books. */
  | 'signed-money'
  | 'figure'
  | 'tax-class'
  | 'flag';

export interface SheetColumn {
  readonly name: string;
  readonly needed: boolean;
  readonly value: SheetValue;
  /** Other names that people give it. */
  readonly also: readonly string[];
}

export interface SheetColumns {
  readonly columns: readonly SheetColumn[];
  /** Further names that are read as they are, with what stands in them. */
  readonly own: (name: string) => SheetValue | undefined;
  /** Every jurisdiction that a cell may name, by code. */
  readonly jurisdictions: ReadonlySet<string>;
}

export interface NewFiling {
  readonly envelope: Envelope;
  readonly obligation: string;
  /** The creation fact; its body is the sealed payload. */
  readonly fact: LedgerFact;
}

/**
 * `unchanged`: the same obligation with the same payload exists; its dates come back, because a row that moves only a
 * date must not pass as "nothing new". `conflict`: the same obligation with another payload.
 */
export type Admission =
  | { readonly kind: 'created' }
  | {
      readonly kind: 'unchanged';
      readonly filing: FilingId;
      readonly dates: Pick<Envelope, 'notBefore' | 'due'>;
      /** The batch that holds it, where that is still open: nothing of it is sent before its import is finished. */
      readonly openIn?: BatchId;
      readonly correctable?: Correctable;
    }
  | {
      readonly kind: 'conflict';
      readonly filing: FilingId;
      readonly existing: SealedPayload;
      readonly correctable?: Correctable;
    };

/** Nobody has claimed the filing that exists, so that there is a way out of it. */
export interface Correctable {
  /**
   * `correct`: nobody has approved it, and its preparer can put the row in its place. `withdraw`: the second person held it back.
   * `stop`: it is approved.
   */
  readonly how: 'correct' | 'withdraw' | 'stop';
  readonly batch: BatchId;
  readonly preparedBy: PersonId;
}

export interface IntakeStore {
  openBatch(input: {
    readonly id: BatchId;
    readonly source: string;
    readonly preparedBy: PersonId;
    readonly fact: LedgerFact;
  }): Promise<void>;
  /** One transaction; one admission for each filing, in order. All keys and obligations in a call must differ. */
  admit(filings: readonly NewFiling[]): Promise<readonly Admission[]>;
  /** What `admit` would say, writing nothing. */
  preview(
    filings: readonly { readonly obligation: string; readonly payloadSha256: Sha256Hex }[],
  ): Promise<readonly Admission[]>;
  /** Freezes the batch: its count and the hash over its filings are what a second person approves. */
  closeBatch(
    batch: BatchId,
    fact: LedgerFact,
  ): Promise<{ readonly count: number; readonly sha256: Sha256Hex }>;
  /** Data keys for many subjects, made on first use. */
  dataKeys(
    subjects: readonly string[],
    month: string,
    make: () => WrappedKey,
  ): Promise<ReadonlyMap<string, WrappedKey>>;
}
