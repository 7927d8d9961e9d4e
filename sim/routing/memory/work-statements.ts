/** `src/work/store/queue.ts`, as far as routers claim from it, and `src/lanes/store/target-lanes.ts`. */
import { parsed, shown } from './jsonb.ts';
import { type Query, type Rows, statement, type StatementWork, type Work } from './query.ts';
import type { WorkRow } from './tables.ts';

const CLAIM_COLUMNS = ['id', 'target', 'tries', 'body', 'event', 'created_at'];

type Claim = readonly [string, string, string, number, number, string | null];

function* claim(query: Query, [, kind, target, limit, claimMs, only]: Claim): Work {
  const { tables, now } = query;
  const due = query
    .all(tables.work)
    .filter(
      (row) =>
        row.state === 'pending' &&
        row.kind === kind &&
        row.target === target &&
        (row.next_at ?? now) <= now &&
        (only === null || row.id === only),
    )
    .toSorted((a, b) => (a.next_at ?? 0) - (b.next_at ?? 0) || (a.id < b.id ? -1 : 1));
  const claimed: WorkRow[] = [];
  for (const row of due) {
    if (claimed.length >= limit) break;
    if (query.tryLock(tables.work, row.id) === undefined) continue;
    const next = yield* query.change(
      tables.work,
      row,
      () => true,
      ({ tries }) => ({ next_at: now + claimMs, tries: tries + 1 }),
    );
    if (next !== undefined) claimed.push(next);
  }
  return claimed
    .toSorted((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1))
    .map((row) => ({ ...shown(row, CLAIM_COLUMNS), claimed_at: Math.floor(now) }));
}

function lanes(query: Query): Rows {
  return query
    .all(query.tables.lane)
    .toSorted((a, b) => (a.code < b.code ? -1 : 1))
    .map((row) => shown(row, ['code', 'state', 'version', 'ver', 'changed_at']));
}

function* addLane(
  query: Query,
  [, code, state, ver]: readonly [string, string, string, number],
): Work {
  const row = { code, state: parsed(state), version: 1, ver, changed_at: query.now };
  const done = yield* query.insert(query.tables.lane, row);
  return done.kind === 'inserted' ? [{ version: 1 }] : [];
}

function* changeLane(
  query: Query,
  [, code, state, ver, version]: readonly [string, string, string, number, number],
): Work {
  const rows = yield* query.changeAll(
    query.tables.lane,
    (row) => row.code === code && row.version === version,
    (row) => ({ state: parsed(state), version: row.version + 1, ver, changed_at: query.now }),
  );
  return rows.map((row) => ({ version: row.version }));
}

export const WORK_STATEMENTS: Readonly<Record<string, StatementWork>> = {
  'work-claim': statement(claim),
  'target-lanes': lanes,
  'target-lane-add': statement(addLane),
  'target-lane-change': statement(changeLane),
};
