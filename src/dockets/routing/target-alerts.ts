/** What people who run the place are told of targets. Names and no numbers: how many dockets there are is not for everybody. */
import { type Instant, type TargetId, toRfc3339 } from '../../core/index.ts';
import type { raiseAlertRow } from '../../ledger/index.ts';

type Told = Omit<Parameters<typeof raiseAlertRow>[2], 'id'>;

/** One for each hour in which it opens: a target that comes and goes is told of again, and does not fill a mailbox. */
export function breakerAlert(target: TargetId, since: Instant): Told {
  return {
    kind: 'target_failing',
    subject: target,
    severity: 'warning',
    recipient: undefined,
    text: `The target ${target} is failing, and dockets have bypassed it since ${toRfc3339(since)}. It is tried again automatically. See recovery status, and check the target.`,
    dedup: `target_failing/${target}/${toRfc3339(since).slice(0, 13)}`.slice(0, 200),
  };
}

/** Said once for each run that waits; it stays out until somebody has approved. */
export function approvalAlert(target: TargetId, run: string): Told {
  return {
    kind: 'recovery_waits',
    subject: target,
    severity: 'critical',
    recipient: undefined,
    text: `The recovery of the target ${target} needs a person, and dockets bypass it until then. See recovery status, compare, and continue with recovery approve ${target}.`,
    dedup: `recovery_waits/${run}`,
  };
}

/** At once, and not when their two hours are over. Which dockets, the list says to whoever may see them. */
export function differencesAlert(target: TargetId, run: string): Told {
  return {
    kind: 'recovery_differences',
    subject: target,
    severity: 'warning',
    recipient: undefined,
    text: `The docket database of the target ${target} and the fallback log do not agree. List the differences that you may see with recovery differences --target ${target}, check them, and confirm each with recovery review.`,
    dedup: `recovery_differences/${run}`,
  };
}
