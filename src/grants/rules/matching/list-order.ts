/** The order in which outcomes are listed: by rule, and within a rule by their first line, or expected payment where there is none. */
import { type FoundOutcome, MATCH_RULES } from './outcome.ts';
import { byDateAndNativeId, byExpectedDate } from './workbench.ts';

const RANKS = new Map<string, number>(MATCH_RULES.map((rule, rank) => [rule, rank]));

export function inListOrder(one: FoundOutcome, other: FoundOutcome): number {
  const byRule = rankOf(one.outcome.rule) - rankOf(other.outcome.rule);
  if (byRule !== 0) return byRule;
  const [line, otherLine] = [one.lines[0], other.lines[0]];
  if (line !== undefined && otherLine !== undefined) return byDateAndNativeId(line, otherLine);
  const [expectedPayment, otherExpectedPayment] = [
    one.expectedPayments[0],
    other.expectedPayments[0],
  ];
  if (expectedPayment === undefined || otherExpectedPayment === undefined) return 0;
  return byExpectedDate(expectedPayment, otherExpectedPayment);
}

/** Of what the rules did not decide: before all of them. */
export const NO_RULE = -1;

export function rankOf(rule: string): number {
  return RANKS.get(rule) ?? NO_RULE;
}
