import type { CheckVerdict } from '../../lanes/index.ts';
import type { Difference } from '../rules/reconcile.ts';

/** What a check of a recovery came to, and what that was made of. */
export interface CheckResult {
  readonly verdict: CheckVerdict;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly differences?: readonly Difference[];
}

export function good(evidence: CheckResult['evidence']): CheckResult {
  return { verdict: { kind: 'good' }, evidence };
}

export function bad(why: string, evidence: CheckResult['evidence']): CheckResult {
  return { verdict: { kind: 'bad', why }, evidence: { why, ...evidence } };
}
