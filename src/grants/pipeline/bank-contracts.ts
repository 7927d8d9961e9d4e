/** What people do about statements of the bank: look at them, withdraw one, state a balance. */
import type { PersonId } from '../../core/index.ts';
import type { FeedFormat } from '../rules/feeds/feed-events.ts';
import type { FeedSource, PeriodName } from './source-contracts.ts';

export interface FeedReport {
  /** SHA-256 of the bytes; names the feed in every trace. */
  readonly feed: string;
  readonly format: FeedFormat;
  readonly statements: number;
  readonly lines: number;
  /** What does not follow on the statement before it; such a gap blocks closing. */
  readonly gaps: readonly string[];
  /** Lines in a closed period that it did not have; each waits for a person. */
  readonly late: readonly string[];
  readonly isRepeatedFeed: boolean;
}

/** Takes a wrong statement out before its lines are closed; it counts when another person has agreed. */
interface ProposedWithdrawal {
  /** The feed's id, or enough of its beginning to tell it from all others. */
  readonly feed: string;
  /** Which statement of the feed; all of them unless told. */
  readonly statement?: number;
  /** Takes an earlier withdrawal back instead. */
  readonly restores?: boolean;
  /** What comes in its place: read once, so that the second person agrees to these bytes. */
  readonly replacement?: FeedSource;
  readonly reason: string;
  readonly by: PersonId;
}

export interface WithdrawalView {
  readonly feed: string;
  readonly name: string;
  readonly statement: number | undefined;
  readonly restores: boolean;
  readonly replacement: string | undefined;
  readonly reason: string;
  /** Who proposed can only withdraw it, anybody else refuse it. */
  readonly state: 'proposed' | 'approved' | 'refused' | 'withdrawn';
}

/** A balance at the end of a day, read at the bank where no feed says it. */
export interface BalanceByPerson {
  readonly account: string;
  readonly on: string;
  readonly cents: number;
  readonly reason: string;
  readonly by: PersonId;
}

/** A statement as it is kept; cents. */
export interface StatementView extends PeriodName {
  readonly feed: string;
  readonly statement: number;
  readonly format: string;
  readonly number: number | undefined;
  readonly page: number | undefined;
  readonly openingCents: number | undefined;
  readonly closingCents: number | undefined;
}

export interface Withdrawals {
  list(): Promise<readonly WithdrawalView[]>;
  /** The whole id of the feed. */
  propose(withdrawal: ProposedWithdrawal): Promise<string>;
  /** Another person agrees, or anybody refuses it. */
  decide(
    feed: string,
    decision: {
      readonly decision: 'approved' | 'refused';
      readonly reason: string;
      readonly by: PersonId;
    },
  ): Promise<string>;
}
