/** What crosses the walls between the stages, and what a caller of a stage gets back. Stages share these types and nothing else. */
import type { ActorRef, AwardId, JsonValue, PeriodId, PersonId } from '../../core/index.ts';
import type { AgedEntry } from '../rules/matching/aged.ts';
import type { AwardFormat } from '../rules/intake/award-record.ts';
import type { ClosingSummary } from '../rules/matching/closing-summary.ts';
import type { Crossing } from '../rules/crossings.ts';
import type { FederalExpenditure } from '../rules/reporting/sefa.ts';
import type { Figure } from '../rules/reporting/figure.ts';
import type { GrantPaidOut } from '../rules/reporting/schedule-i.ts';
import type { GrantsLaw } from '../rules/law.ts';
import type { MatchStatus } from '../rules/matching/outcome.ts';
import type { PaidGrant } from '../rules/reporting/form990-report.ts';
import type { PaidToIndividuals } from '../rules/reporting/schedule-i-individuals.ts';
import type { PeriodTotals } from '../rules/matching/period.ts';
import type { Schedules } from '../rules/reporting/report-rows.ts';
import type { Sf425Input } from '../rules/reporting/sf425.ts';
import type { AwardsWanted, AwardView, LinesWanted, LineView, Page } from './list-contracts.ts';
import type { BalanceByPerson, FeedReport, StatementView, Withdrawals } from './bank-contracts.ts';
import type { Exceptions } from './exception-contracts.ts';
import type {
  DocumentLane,
  FetchReport,
  GrantorLedger,
  VerificationReport,
} from './lane-contracts.ts';
import type { RulesReport, RulesRequest } from './rules-contracts.ts';
import type {
  AwardSource,
  FeedSource,
  IngestionReport,
  Organization,
  PeriodName,
} from './source-contracts.ts';
import type { GrantCounts } from '../store/results.ts';
import type { Installation } from '../../ledger/index.ts';

export type * from './bank-contracts.ts';
export type * from './exception-contracts.ts';
export type * from './lane-contracts.ts';
export type * from './list-contracts.ts';
export type * from './rules-contracts.ts';
export type * from './source-contracts.ts';

/** What the pipeline is made of. `Filewright` (app.ts) has all of it but the law. */
export interface PipelineDeps
  extends Pick<
    Installation,
    'session' | 'tenant' | 'instance' | 'tenantKey' | 'clock' | 'ids' | 'random'
  > {
  readonly law: GrantsLaw;
}

// Reconciliation ------------------------------------------------------------------------------------------------------

export interface ReconciliationReport {
  readonly lines: number;
  readonly expectedPayments: number;
  /** Awards that say no day on which their money is expected: nothing can be matched with them. */
  readonly undated: number;
  readonly byStatus: Readonly<Record<MatchStatus, number>>;
  readonly totals: PeriodTotals;
}

/** A period that is to be closed. */
export interface Closing extends PeriodName {
  /** Where the account is held: its last day must be over there. That of New York unless told. */
  readonly zone?: string;
  /** The hash of the preview that a person has seen: nothing else is closed. */
  readonly shown?: string;
}

export interface ClosingPreview extends PeriodName {
  readonly isClosed: boolean;
  /** What must be resolved first, all of it. */
  readonly obstacles: readonly string[];
  readonly summary: ClosingSummary;
  readonly totals: PeriodTotals;
  readonly hash: string;
}

export type CloseReport =
  | {
      readonly kind: 'closed';
      readonly period: PeriodId;
      readonly totals: PeriodTotals;
      readonly release: ReleaseReport;
    }
  | { readonly kind: 'blocked'; readonly obstacles: readonly string[] };

/** Whether a closed period's money went on to the rules. */
export type ReleaseReport =
  | { readonly kind: 'passed'; readonly period: PeriodId; readonly received: number }
  | {
      readonly kind: 'blocked';
      readonly period: PeriodId;
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

/** Decides what the matcher left to a person: the lines are for these expected payments, or for none. */
export interface ResolvedByPerson {
  /** The id of the line, or enough of its beginning to tell it from all other open ones. */
  readonly line: string;
  readonly expectedPayments: readonly string[];
  /** A split: what each of them has of the line, in their order. All that is open of each unless told. */
  readonly cents?: readonly number[];
  /** What the bank kept of the payment: the award is paid with it. None unless told. */
  readonly feeCents?: number;
  /**
   * What the expected payments, each with all that is open of it, leave of the line. `open`: not known yet; the line waits, its
   * expected payments wait with it, and nothing of it counts. `none`: it pays none of our awards. None unless told.
   */
  readonly rest?: { readonly state: 'open' | 'none'; readonly cents: number };
  readonly reason: string;
  readonly by: PersonId;
}

export interface ResolvedLine {
  /** Its whole id. */
  readonly line: string;
  /** By their whole keys. */
  readonly expectedPayments: readonly string[];
}

/** Takes back what was last said of a line; what was said before it counts again. */
export interface UndoneByPerson {
  /** As in `ResolvedByPerson`. */
  readonly line: string;
  readonly reason: string;
  readonly by: PersonId;
}

export interface UndoneLine {
  readonly line: string;
  /** What had been said. */
  readonly undone: { readonly awards: readonly string[]; readonly reason: string };
}

export interface PeriodView extends PeriodName {
  readonly id: PeriodId;
  readonly closedAt: string;
  readonly totalsHash: string;
  readonly isReleased: boolean;
}

// Reporting -----------------------------------------------------------------------------------------------------------

const REPORT_KINDS = ['990', 'schedule-b', 'schedule-i', 'sf425', 'sefa'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

/** Which money: received from day to day, both included, as YYYY-MM-DD. */
interface ReportDays {
  readonly from: string;
  readonly to: string;
}

/** Nothing of the pipeline knows what was paid out or spent: reports about that are given it. */
export type ReportRequest = ReportDays &
  (
    | { readonly kind: '990'; readonly paid?: readonly PaidGrant[] }
    | {
        readonly kind: 'schedule-b';
        /** The special rule, for those who meet the support test; by all contributions of the year, line 1h. */
        readonly special?: { readonly contributionsCents?: bigint };
      }
    | {
        readonly kind: 'schedule-i';
        readonly paidOut: readonly GrantPaidOut[];
        readonly toIndividuals?: readonly PaidToIndividuals[];
      }
    | {
        readonly kind: 'sf425';
        /** The award's own number; its expected payments become line 10a, its amount line 10d. */
        readonly award: string;
        readonly spent?: Partial<
          Omit<Sf425Input, 'cashReceipts' | 'federalFundsAuthorized' | 'indirectRate'>
        >;
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
  /** True where received money is zero because no period of these days is closed and released. */
  readonly isNothingReleased?: boolean;
  /** The structured export: what was asked, figures with their traces, rows, counts and remarks. */
  readonly document: JsonValue;
  /** Of the document, as recorded in the reporting log. */
  readonly hash: string;
}

// The whole -----------------------------------------------------------------------------------------------------------

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
  /** Proposes another record in place of an award; gives the exception under which a second person agrees to it. */
  amend(
    award: AwardId,
    amendment: { readonly source: AwardSource; readonly reason: string },
    by: PersonId,
  ): Promise<string>;
  /** Proposes that an award ends: nothing more is expected of it or owed for it. Gives the exception, as above. */
  cancelAward(award: AwardId, why: { readonly reason: string }, by: PersonId): Promise<string>;
  ingestFeed(source: FeedSource, actor: ActorRef): Promise<FeedReport>;
  /** Asks the grantor's ledger about the awards of a grantor; what fails transiently waits in the retry queue. */
  verifyGrantor(grantor: string, ledger: GrantorLedger): Promise<VerificationReport>;
  /** Tries again what is due at `clock.now()`. */
  runRetryQueue(ledger: GrantorLedger): Promise<readonly VerificationReport[]>;
  /** Matches every open line up to a day; may be repeated until the period is closed. */
  reconcilePeriod(period: Pick<PeriodName, 'to'>, actor: ActorRef): Promise<ReconciliationReport>;
  resolve(decision: ResolvedByPerson): Promise<ResolvedLine>;
  undo(decision: UndoneByPerson): Promise<UndoneLine>;
  /** What is expected later than the day is among it, marked as such. */
  unmatched(asOf: string): Promise<readonly AgedEntry[]>;
  lines(wanted: LinesWanted): Promise<Page<LineView>>;
  awards(wanted: AwardsWanted): Promise<Page<AwardView>>;
  /** Of an account, or of all; without those that are withdrawn. */
  statements(account?: string): Promise<readonly StatementView[]>;
  stateBalance(balance: BalanceByPerson): Promise<void>;
  readonly withdrawals: Withdrawals;
  previewClosing(closing: Closing, organization: Organization): Promise<ClosingPreview>;
  closePeriod(period: Closing, organization: Organization, actor: ActorRef): Promise<CloseReport>;
  attachRegistrationCheck(check: AttachedCheck): Promise<void>;
  /** Tries the release of a closed period again, after a check was attached or a crash. */
  release(period: PeriodId, organization: Organization, actor: ActorRef): Promise<ReleaseReport>;
  periods(): Promise<readonly PeriodView[]>;
  /** Thresholds and obligations of what was released. */
  evaluateRules(request: RulesRequest, actor: ActorRef): Promise<RulesReport>;
  reportFigures(request: ReportRequest, actor: ActorRef): Promise<ReportFigures>;
  /** A figure by its name, down to bank line and payload hash, as plain JSON. */
  trace(request: ReportRequest, figure: string): Promise<JsonValue>;
  readonly exceptions: Exceptions;
  status(): Promise<GrantCounts>;
}
