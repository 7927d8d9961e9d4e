/** What the rules are asked, and what they answer. */
import type { AwardHolder } from '../rules/obligations/award-terms.ts';
import type { Crossing, MeasuredAmount } from '../rules/crossings.ts';
import type { Evaluation } from '../rules/reasoning.ts';
import type { GrantObligation } from '../rules/obligations/award-obligations.ts';
import type { Subaward, SubawardAnswer } from '../rules/subawards.ts';
import type { Organization } from './source-contracts.ts';

export interface RulesRequest extends Organization {
  /** Days of one fiscal year, as YYYY-MM-DD, both included; what was received earlier in that year counts as well. */
  readonly from: string;
  readonly to: string;
  /** Federal money that was spent; nothing of the pipeline knows it. Without it no single audit is judged. */
  readonly expenditures?: readonly MeasuredAmount[];
  /** Money that was passed on, by the award's own number: held against the limits of its terms. */
  readonly subawards?: readonly SubawardOfAward[];
  /** Which return the organisation files and where it is registered: no award says it, and it decides dates. */
  readonly holder?: AwardHolder;
}

export interface SubawardOfAward extends Subaward {
  readonly awardId: string;
}

export interface JudgedSubawards extends SubawardAnswer {
  readonly award: string;
  readonly evaluation: Evaluation;
}

export interface RulesReport {
  readonly crossings: readonly Crossing[];
  readonly subawards: readonly JudgedSubawards[];
  readonly obligations: readonly GrantObligation[];
  /** What was owed for awards that were amended or cancelled since, and is owed no more. */
  readonly withdrawn: readonly GrantObligation[];
  /** What a person must find out first. */
  readonly tasks: readonly string[];
}
