/** Whoever runs the place hears at once that a portal waits for a word; the watch over slack tells of its filings again. */
import { type LaneState } from '../../../core/index.ts';
import type { raiseAlertRow } from '../../../ledger/index.ts';

type Told = Omit<Parameters<typeof raiseAlertRow>[2], 'id'>;

/** Said once for each wait; undefined where none has begun. */
export function approvalAlert(before: LaneState, { code, recovery }: LaneState): Told | undefined {
  const run = recovery?.run;
  if (run?.state !== 'awaiting_approval') return undefined;
  if (before.recovery?.run.state === 'awaiting_approval') return undefined;
  return {
    kind: 'recovery_waits',
    subject: code,
    severity: 'critical',
    recipient: undefined,
    text: `Lane ${code} sends nothing until a person approves (${recovery?.reason}: ${run.reasons.join(', ')}). Check the portal, see recovery status, and continue with recovery approve ${code}.`,
    dedup: `recovery_waits/lane/${code}/${run.since}`.slice(0, 200),
  };
}
