/** Lanes: compare-and-set of their state. */
import {
  CLOSED,
  instant,
  invariant,
  type LaneCode,
  type LaneState,
  type LedgerFact,
} from '../../core/index.ts';
import { isDraining, opensAt } from '../../lanes/index.ts';
import { ensureSlots } from './leases.ts';
import { asStored } from './rows.ts';
import type { Tables } from './tables.ts';

export interface NewLane {
  readonly code: LaneCode;
  readonly ceiling: number;
  readonly longestServiceMs: number;
}

export function addLane(tables: Tables, lane: NewLane, fact?: LedgerFact): void {
  invariant(!tables.lanes.has(lane.code), 'A lane is added once', { lane: lane.code });
  tables.lanes.set(lane.code, {
    state: {
      code: lane.code,
      version: 1,
      ceiling: lane.ceiling,
      pause: { kind: 'none' },
      breaker: CLOSED,
      throttles: 0,
      missing: 0,
      resumedAt: undefined,
    },
    openFrom: instant(0),
    asksOnly: false,
    longestServiceMs: lane.longestServiceMs,
    // Without a fact the log does not know the lane yet, and its first change is version 1.
    ver: fact === undefined ? 0 : 1,
  });
  ensureSlots(tables, lane.code, lane.ceiling);
  if (fact === undefined) return;
  tables.addBlob(fact);
  tables.ledger.record('filing', { kind: 'lane', id: lane.code, ver: 1 }, fact, tables.now());
}

export function changeLane(
  tables: Tables,
  expected: LaneState,
  next: LaneState,
  facts: readonly LedgerFact[],
): boolean {
  const row = tables.lanes.get(expected.code);
  if (row === undefined || row.state.version !== expected.version) return false;
  const state = { ...asStored(next), code: expected.code, version: expected.version + 1 };
  tables.lanes.set(expected.code, {
    ...row,
    state,
    openFrom: opensAt(state),
    asksOnly: isDraining(state),
    ver: row.ver + facts.length,
  });
  ensureSlots(tables, expected.code, state.ceiling);
  for (const [index, fact] of facts.entries()) {
    tables.addBlob(fact);
    const subject = { kind: 'lane', id: expected.code, ver: row.ver + index + 1 };
    tables.ledger.record('filing', subject, fact, tables.now());
  }
  return true;
}
