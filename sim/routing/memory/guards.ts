/** What triggers and check constraints of `sql/` refuse, for the tables of routing. */
import { CHECK_VIOLATION, PgError, RESTRICT_VIOLATION } from './pg-error.ts';
import type { DocketRow, HandoffRow, LinkRow, RunRow, WorkRow } from './tables.ts';

const TIERS = ['PRIMARY', 'SECONDARY', 'TERTIARY', 'MANUAL'];

function refuse(code: string, message: string): never {
  throw new PgError(code, message);
}

export function noGuard(): void {
  // Nothing in `sql/` keeps rows of this table from being changed.
}

/** `keep_forever(table)`. */
export function neverChanged(before: object | undefined): void {
  if (before !== undefined) refuse(RESTRICT_VIOLATION, 'rows of this table stay as they are');
}

/** Triggers come before the checks of constraints. */
export function guardDocket(before: DocketRow | undefined, after: DocketRow): void {
  if (before !== undefined) guardDocketWay(before, after);
  if (after.next_at === null && after.phase !== 'confirmed' && after.closed_at === null) {
    refuse(CHECK_VIOLATION, 'docket_open_is_watched');
  }
  const isClosed = after.closed_at !== null;
  if (isClosed !== (after.closed_by !== null) || isClosed !== (after.closing !== null)) {
    refuse(CHECK_VIOLATION, 'docket_closed_by_person');
  }
}

function guardDocketWay(before: DocketRow, after: DocketRow): void {
  if (before.closed_at !== null && before.closed_at !== after.closed_at) {
    refuse(RESTRICT_VIOLATION, `docket ${before.id} is closed, and stays so`);
  }
  if (after.ver < before.ver || after.access_ver < before.access_ver) {
    refuse(RESTRICT_VIOLATION, `docket ${before.id} may only count up`);
  }
  if (isWrongWay(before, after)) {
    refuse(
      RESTRICT_VIOLATION,
      `docket ${before.id} may not go from ${before.phase} ${before.tier} to ${after.phase} ${after.tier}`,
    );
  }
}

function isWrongWay(before: DocketRow, after: DocketRow): boolean {
  const isHeld = 'held' in after.state;
  const isConfirmed = after.phase === 'confirmed';
  const isGiven = 'given' in after.state;
  const isBrokers = before.state['by'] === before.target;
  if (before.phase === 'confirmed' && !isConfirmed && !isBrokers && !isGiven) {
    return true;
  }
  if (before.phase === 'manual' && !['manual', 'confirmed'].includes(after.phase) && !isHeld) {
    return true;
  }
  const isUp = TIERS.indexOf(after.tier) < TIERS.indexOf(before.tier);
  return !isConfirmed && !(before.phase === 'manual' && isHeld) && isUp;
}

export function guardHandoff(before: HandoffRow | undefined, after: HandoffRow): void {
  const isEnded = before !== undefined && before.ended_at !== null;
  const isSame =
    before?.ended_at === after.ended_at &&
    before?.outcome === after.outcome &&
    before?.receipt === after.receipt;
  if (isEnded && !isSame) {
    refuse(RESTRICT_VIOLATION, `handoff ${before.n} of docket ${before.docket} has ended`);
  }
  if ((after.ended_at === null) !== (after.outcome === null)) {
    refuse(CHECK_VIOLATION, 'docket_handoff_end');
  }
}

export function guardLink(_before: LinkRow | undefined, after: LinkRow): void {
  if ((after.acknowledged_at === null) !== (after.acknowledged_by === null)) {
    refuse(CHECK_VIOLATION, 'docket_link_acknowledged');
  }
}

/** There are no proposals here: nobody starts a recovery, and one that somebody has started is approved by nobody. */
export function guardRun(before: RunRow | undefined, after: RunRow): void {
  if (before?.mode !== 'by_hand') return;
  const { step } = after.state as { readonly step?: string };
  if (after.mode !== 'by_hand' || after.phase === 'closed' || step === 'synthetic') {
    refuse(RESTRICT_VIOLATION, 'recovery_agreed');
  }
}

export function guardWork(_before: WorkRow | undefined, after: WorkRow): void {
  if ((after.state === 'pending') !== (after.next_at !== null)) {
    refuse(CHECK_VIOLATION, 'work_pending_has_turn');
  }
}
