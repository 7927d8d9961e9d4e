/** Breakers of targets, shared by all processes. */
import type { BreakerState, Instant } from '../../core/index.ts';
import { type Statement, text, when } from '../../postgres/index.ts';
import type { Run } from './docket-rows.ts';

export interface StoredBreaker {
  readonly target: string;
  readonly state: BreakerState;
  /** Zero for a target that never failed and has no row. */
  readonly ver: number;
  /** Its last entry in the log. */
  readonly logVer: number;
  readonly changedAt: Instant;
}

const READ: Statement = {
  name: 'docket-breakers',
  text: `select target, state, ver, log_ver, changed_at from docket_breaker where tenant = $1 order by target`,
};

export async function readBreakers(run: Run, tenant: string): Promise<StoredBreaker[]> {
  return (await run(READ, [tenant])).map((row) => ({
    target: text(row['target']),
    // Written by changeBreakers alone.
    state: row['state'] as BreakerState,
    ver: Number(row['ver']),
    logVer: Number(row['log_ver']),
    changedAt: when(row['changed_at']),
  }));
}

const ADD: Statement = {
  name: 'docket-breaker-add',
  text: `insert into docket_breaker (tenant, target, state, ver, log_ver) values ($1, $2, $3, 1, $4)
    on conflict do nothing returning ver`,
};

const CHANGE: Statement = {
  name: 'docket-breaker-change',
  text: `update docket_breaker set state = $3, ver = ver + 1, log_ver = $4, changed_at = now()
    where tenant = $1 and target = $2 and ver = $5 returning ver`,
};

/**
 * Compare-and-set on the version that was read. False when somebody else was faster: the transaction must be rolled
 * back and everything in it decided anew. Changes go in the order of the targets, so that two never wait in a circle.
 */
export async function changeBreakers(
  run: Run,
  tenant: string,
  changes: readonly {
    readonly target: string;
    readonly state: BreakerState;
    readonly ver: number;
    readonly logVer: number;
  }[],
): Promise<boolean> {
  const inOrder = changes.toSorted((a, b) => (a.target < b.target ? -1 : 1));
  for (const { target, state, ver, logVer } of inOrder) {
    const value = JSON.stringify(state);
    const rows =
      ver === 0
        ? await run(ADD, [tenant, target, value, logVer])
        : await run(CHANGE, [tenant, target, value, logVer, ver]);
    if (rows.length === 0) return false;
  }
  return true;
}
