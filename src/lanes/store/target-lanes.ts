/**
 * The lanes of dockets' targets, which have no portal: no profile, no slots, and the same breaker in the same place, shared
 * by all processes. How such a target is spoken to is the business of whoever sends to it.
 */
import {
  type BreakerState,
  type Instant,
  type LaneState,
  targetId,
  type TargetId,
} from '../../core/index.ts';
import { type Run, sql, text, when } from '../../postgres/index.ts';
import { freshLane, laneStateJson } from './lane-json.ts';

export interface TargetLane {
  readonly target: TargetId;
  readonly breaker: BreakerState;
  /** Zero for a target that never failed and has no row. */
  readonly version: number;
  /** Its last entry in the log. */
  readonly ver: number;
  readonly changedAt: Instant;
}

/** A target may have the name of a portal. */
const PREFIX = 'target/';

/** The name of a target's lane, as its entries in the log have it. */
export function targetLaneCode(target: TargetId): string {
  return `${PREFIX}${target}`;
}

const READ = sql('target-lanes')`
select code, state, version, ver, changed_at from lane where tenant = $1 and code like '${PREFIX}%' order by code`;

export async function readTargetLanes(run: Run, tenant: string): Promise<TargetLane[]> {
  return (await run(READ, [tenant])).map((row) => ({
    target: targetId(text(row['code']).slice(PREFIX.length)),
    // Written by changeTargetLanes alone.
    breaker: (row['state'] as LaneState).breaker,
    version: Number(row['version']),
    ver: Number(row['ver']),
    changedAt: when(row['changed_at']),
  }));
}

const ADD = sql('target-lane-add')`
insert into lane (tenant, code, effect, ceiling, state, ver) values ($1, $2, 'notice', 1, $3, $4)
  on conflict do nothing returning version`;

const CHANGE = sql('target-lane-change')`
update lane set state = $3, version = version + 1, ver = $4, changed_at = now()
  where tenant = $1 and code = $2 and version = $5 returning version`;

/**
 * Compare-and-set on the version that was read. False when somebody else was faster: the transaction must be rolled
 * back and everything in it decided anew. Changes go in the order of the targets, so that two never wait in a circle.
 */
export async function changeTargetLanes(
  run: Run,
  tenant: string,
  changes: readonly Omit<TargetLane, 'changedAt'>[],
): Promise<boolean> {
  const inOrder = changes.toSorted((a, b) => (a.target < b.target ? -1 : 1));
  for (const { target, breaker, version, ver } of inOrder) {
    const code = targetLaneCode(target);
    const state = laneStateJson({ ...freshLane(code, 1), breaker });
    const rows =
      version === 0
        ? await run(ADD, [tenant, code, state, ver])
        : await run(CHANGE, [tenant, code, state, ver, version]);
    if (rows.length === 0) return false;
  }
  return true;
}
