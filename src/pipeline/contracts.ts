/** What crosses the walls between the stages, and what a caller of a stage gets back. Stages share these types and nothing else. */
import type { ActorRef, Clock, Ids, JsonValue, PersonId, Random } from '../core/index.ts';
import type {
  AgedEntry,
  AwardFormat,
  Crossing,
  ExceptionEnvelope,
  FederalExpenditure,
  Figure,
  GrantPaidOut,
  GrantsLaw,
  MatchStatus,
  PaidGrant,
  PaidToIndividuals,
  PeriodTotals,
  Schedules,
  Sf425Input,
  Violation,
} from '../packs/grants/index.ts';
import type { FeedFormat } from '../packs/grants/feeds/index.ts';
import type { Session } from '../store/index.ts';
import type {
  DocumentLane,
  FetchReport,
  GrantorLedger,
  VerificationReport,
} from './lane-contracts.ts';
import type { RulesReport, RulesRequest } from './rules-contracts.ts';

export type * from './lane-contracts.ts';
export type * from './rules-contracts.ts';

/** What the pipeline is made of. `Filewright` (app.ts) has all of it but the law. */
export interface PipelineParts {
  readonly session: Session;
  readonly tenant: string;
  readonly instance: string;
  readonly tenantKey: Uint8Array;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly law: GrantsLaw;
}

/** Bytes that can be read twice: once to know what they are, once to take them in. */
export interface ByteSource {
  /** For people; a file's name. */
  readonly name: string;
  open(): AsyncIterable<Uint8Array>;
}

export interface AwardSource extends ByteSource {
  readonly format: AwardFormat;
}

export interface FeedSource extends ByteSource {
  readonly format: FeedFormat | 'detect';
}

// Ingestion -----------------------------------------------------------------------------------------------------------

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

// Reconciliation ------------------------------------------------------------------------------------------------------

export interface FeedReport {
  /** SHA-256 of the bytes; names the feed in every trace. */
  readonly feed: string;
  readonly format: FeedFormat;
  readonly statements: number;
  readonly lines: number;
  /** What does not follow on the statement before it; such a gap blocks closing. */
  readonly gaps: readonly string[];
  readonly isRepeatedFeed: boolean;
}

export interface ReconciliationReport {
  readonly lines: number;
  readonly receipts: number;
  /** Awards that say no day on which their money is expected: nothing can be matched with them. */
  readonly undated: number;
  readonly byStatus: Readonly<Record<MatchStatus, number>>;
  readonly totals: PeriodTotals;
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

export type CloseReport =
  | {
      readonly kind: 'closed';
      readonly period: string;
      readonly totals: PeriodTotals;
      readonly handoff: HandoffReport;
    }
  | { readonly kind: 'blocked'; readonly obstacles: readonly string[] };

/** Whether a closed period's money went on to the rules. */
export type HandoffReport =
  | { readonly kind: 'passed'; readonly period: string; readonly received: number }
  | {
      readonly kind: 'blocked';
      readonly period: string;
      readonly reasons: readonly string[];
      readonly crossings: readonly Crossing[];
    };

export interface AttachedCheck {
  readonly jurisdiction: string;
  readonly checkedOn: string;
  /** Number of the registration, or why none is needed. */
  readonly evidence: string;
  readonly by: PersonId;
}

/** Decides what the matcher left to a person: the lines are for these receipts, or for none. */
export interface SettledByPerson {
  /** The id of the line, or enough of its beginning to tell it from all other open ones. */
  readonly line: string;
  readonly receipts: readonly string[];
  readonly reason: string;
  readonly by: PersonId;
}

export interface SettledLine {
  /** Its whole id. */
  readonly line: string;
}

export interface PeriodView extends PeriodName {
  readonly id: string;
  readonly closedAt: string;
  readonly totalsHash: string;
  readonly isHandedOff: boolean;
}

// Reporting -----------------------------------------------------------------------------------------------------------

export const REPORT_KINDS = ['990', 'schedule-i', 'sf425', 'sefa'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

/** Which money: received from day to day, both included, as YYYY-MM-DD. */
export interface ReportDays {
  readonly from: string;
  readonly to: string;
}

/** Nothing of the pipeline knows what was paid out or spent: reports about that are given it. */
export type ReportRequest = ReportDays &
  (
    | { readonly kind: '990'; readonly paid?: readonly PaidGrant[] }
    | {
        readonly kind: 'schedule-i';
        readonly paidOut: readonly GrantPaidOut[];
        readonly toIndividuals?: readonly PaidToIndividuals[];
      }
    | {
        readonly kind: 'sf425';
        /** The award's own number; its receipts become line 10a, its amount line 10d. */
        readonly award: string;
        readonly spent?: Partial<Omit<Sf425Input, 'cashReceipts' | 'federalFundsAuthorized'>>;
      }
    | {
        readonly kind: 'sefa';
        readonly expenditures: readonly FederalExpenditure[];
        /** Titles by assistance listing. */
        readonly listings: ReadonlyMap<string, string>;
      }
  );

export interface ReportFigures extends Schedules {
  readonly kind: ReportKind;
  readonly figures: readonly Figure[];
  /** Remarks and tasks for whoever files it. */
  readonly remarks: readonly string[];
  /** True where received money is zero because no period of these days is closed and handed on. */
  readonly isNothingHanded?: boolean;
  /** The structured export: what was asked, figures with their traces, rows, counts and remarks. */
  readonly document: JsonValue;
  /** Of the document, as recorded in the reporting log. */
  readonly hash: string;
}

// Fallback ------------------------------------------------------------------------------------------------------------

export interface ExceptionSummary {
  readonly id: string;
  readonly idempotencyKey: string;
  readonly from: 'ingestion' | 'reconciliation' | 'rules' | 'reporting';
  readonly escalationCode: string;
  readonly violationCodes: readonly string[];
  readonly payloadHash: string;
  readonly openedAt: string;
  readonly state: 'open' | 'proposed' | 'approved' | 'dismissed' | 'reingested';
}

export interface ExceptionView extends ExceptionSummary {
  readonly envelope: ExceptionEnvelope;
  readonly acts: readonly ExceptionAct[];
  /** The award that came in its place, once it was taken in again. */
  readonly replacedBy: string | undefined;
}

export interface ExceptionAct {
  readonly act: 'proposed' | 'approved' | 'withdrawn';
  readonly resolution: 'reingest' | 'dismiss';
  /** SHA-256 of the corrected document; undefined for a dismissal. */
  readonly document: string | undefined;
  readonly by: PersonId;
  readonly at: string;
  readonly reason: string;
}

export type Resolution =
  /** The corrected document, whole: exactly one award. */
  | { readonly kind: 'reingest'; readonly source: AwardSource; readonly reason: string }
  | { readonly kind: 'dismiss'; readonly reason: string };

export interface Exceptions {
  list(filter?: { readonly isOpen?: boolean }): Promise<readonly ExceptionSummary[]>;
  show(id: string): Promise<ExceptionView>;
  /** The first person says what shall be done. */
  propose(id: string, resolution: Resolution, by: PersonId): Promise<void>;
  /**
   * Another person agrees; nothing of it can be undone. A dismissal ends the exception. With `seen`, the hash of the
   * document that the person looked at, nothing else is agreed to.
   */
  approve(id: string, by: PersonId, seen?: string): Promise<void>;
  withdraw(id: string, by: PersonId, reason: string): Promise<void>;
  /** Takes the approved document in, as a new record that names the old one. */
  reingest(id: string, source: AwardSource, by: PersonId): Promise<IngestionReport>;
}

// The whole -----------------------------------------------------------------------------------------------------------

export interface PipelineStatus {
  readonly documents: number;
  readonly awards: number;
  readonly feeds: number;
  readonly lines: number;
  readonly matched: number;
  readonly openExceptions: number;
  readonly waitingRetries: number;
  readonly closedPeriods: number;
  readonly blockedHandoffs: number;
}

export interface Pipeline {
  ingestAwards(source: AwardSource, actor: ActorRef): Promise<IngestionReport>;
  /** Reads an award document over a lane and takes it in; what fails transiently waits in the retry queue. */
  fetchAwards(
    wanted: { readonly path: string; readonly format: AwardFormat },
    lane: DocumentLane,
    actor: ActorRef,
  ): Promise<FetchReport>;
  /** Reads again what is due on a lane at `clock.now()`. */
  runFetchQueue(lane: DocumentLane): Promise<readonly FetchReport[]>;
  ingestFeed(source: FeedSource, actor: ActorRef): Promise<FeedReport>;
  /** Asks the grantor's ledger about the awards of a grantor; what fails transiently waits in the retry queue. */
  verifyGrantor(grantor: string, ledger: GrantorLedger): Promise<VerificationReport>;
  /** Tries again what is due at `clock.now()`. */
  runRetryQueue(ledger: GrantorLedger): Promise<readonly VerificationReport[]>;
  /** Matches every open line up to a day; may be repeated until the period is closed. */
  reconcilePeriod(period: Pick<PeriodName, 'to'>, actor: ActorRef): Promise<ReconciliationReport>;
  settle(decision: SettledByPerson): Promise<SettledLine>;
  unmatched(asOf: string): Promise<readonly AgedEntry[]>;
  closePeriod(
    period: PeriodName,
    organization: Organization,
    actor: ActorRef,
  ): Promise<CloseReport>;
  attachRegistrationCheck(check: AttachedCheck): Promise<void>;
  /** Tries the handoff of a closed period again, after a check was attached or a crash. */
  handOff(period: string, organization: Organization, actor: ActorRef): Promise<HandoffReport>;
  periods(): Promise<readonly PeriodView[]>;
  /** Thresholds and obligations of what was handed off. */
  evaluateRules(request: RulesRequest, actor: ActorRef): Promise<RulesReport>;
  reportFigures(request: ReportRequest, actor: ActorRef): Promise<ReportFigures>;
  /** A figure by its name, down to bank line and payload hash, as plain JSON. */
  trace(request: ReportRequest, figure: string): Promise<JsonValue>;
  readonly exceptions: Exceptions;
  status(): Promise<PipelineStatus>;
}
