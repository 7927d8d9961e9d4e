/** `src/dockets/store/recovery.ts` and `differences.ts`: runs with their evidence, and what they found. */
import { moment, parsed, recordset, shown } from './jsonb.ts';
import { type Query, type Rows, statement, type StatementWork, type Work } from './query.ts';
import type { DifferenceRow, HandoffRow, RunRow } from './tables.ts';

const RUN_COLUMNS = 'id,target,started_at,mode,baseline,state,phase,ver'.split(',');
const DIFFERENCE_COLUMNS =
  'run,docket,kind,found_at,review_by,evidence,overdue,reviewed_at,reviewed_by'.split(',');
const EVIDENCE_COLUMNS = 'n,step,verdict,at,by,evidence'.split(',');

function isOver({ phase }: RunRow): boolean {
  return phase === 'closed' || phase === 'abandoned';
}

type Start = readonly [string, string, string, string, string, string, string, number];

function* start(query: Query, values: Start): Work {
  const [, id, target, mode, baseline, state, phase, nextAt] = values;
  const { tables, now } = query;
  const done = yield* query.insert(tables.run, {
    id,
    target,
    mode,
    phase,
    started_at: now,
    baseline: parsed(baseline),
    state: parsed(state),
    ver: 1,
  });
  if (done.kind === 'conflict') return [];
  yield* query.add(tables.work, {
    id,
    kind: 'recovery',
    target: 'all',
    body: {},
    event: null,
    docket: null,
    state: 'pending',
    tries: 0,
    next_at: moment(nextAt),
    created_at: now,
    ended_at: null,
  });
  return [{ id }];
}

function* lock(query: Query, [, id]: readonly [string, string]): Work {
  const { tables } = query;
  const asked = query.clock;
  const before = [query.find(tables.run, id), query.find(tables.work, id)];
  if (before.includes(undefined)) return [];
  const run = yield* query.lock(tables.run, id);
  const work = yield* query.lock(tables.work, id);
  if (run === undefined || work === undefined) return [];
  const isSame = run === before[0] && work === before[1];
  const now = Math.floor(isSame ? asked : query.clock);
  return [{ ...shown(run, RUN_COLUMNS), lease: work.tries, now }];
}

type Write = readonly [string, string, string, string, number | null, string, number];

function* write(query: Query, [, id, state, phase, nextAt, mode, ver]: Write): Work {
  const { tables, now } = query;
  yield* query.changeAll(
    tables.work,
    (row) => row.id === id,
    ({ tries }) => ({
      tries: tries + 1,
      state: nextAt === null ? 'done' : 'pending',
      next_at: moment(nextAt),
      ended_at: nextAt === null ? now : null,
    }),
  );
  yield* query.changeAll(
    tables.run,
    (row) => row.id === id,
    () => ({ state: parsed(state), phase, mode, ver }),
  );
  return [];
}

type Evidence = readonly [string, string, number, string, string, string, string];

function* addEvidence(query: Query, [, run, n, step, verdict, by, evidence]: Evidence): Work {
  const { tables } = query;
  const row = { run, n, step, verdict, at: query.clock, by, evidence: parsed(evidence) };
  yield* query.add(tables.evidence, row);
  yield* query.refer(tables.run, run);
  return [];
}

function isAt({ target, passed }: HandoffRow, wanted: string): boolean {
  return target === wanted || passed.includes(wanted);
}

type Passed = readonly [string, string, number, string, number];

function passed(query: Query, [, target, since, after, count]: Passed): Rows {
  const { docket, handoff } = query.tables;
  const handoffs = query.all(handoff);
  return query
    .all(docket)
    .filter(
      ({ id }) =>
        id > after &&
        handoffs.some((one) => one.docket === id && isAt(one, target) && one.started_at >= since),
    )
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .slice(0, count)
    .map((row) => {
      const receipts = handoffs.flatMap((one) =>
        one.docket === row.id && one.target === target && one.receipt !== null ? [one.receipt] : [],
      );
      const columns = shown(row, ['id', 'message_id', 'payload_sha256', 'phase']);
      return { ...columns, receipts: String(new Set(receipts).size) };
    });
}

function passedEvent(query: Query, [, target, since]: readonly [string, string, number]): Rows {
  const { docket, handoff } = query.tables;
  const [newest] = query
    .all(handoff)
    .filter((one) => isAt(one, target) && one.started_at >= since)
    .flatMap((one) => {
      const row = query.find(docket, one.docket);
      return row !== undefined && 'event' in row.docket ? [{ row, at: one.started_at }] : [];
    })
    .toSorted((a, b) => b.at - a.at || (a.row.id < b.row.id ? -1 : 1));
  return newest === undefined ? [] : [{ docket: newest.row.docket }];
}

function lastSuccess(query: Query, [, target, before]: readonly [string, string, number]): Rows {
  const moments = query
    .all(query.tables.handoff)
    .flatMap((one) =>
      one.target === target &&
      (one.outcome === 'confirmed' || one.outcome === 'sent') &&
      one.ended_at !== null &&
      one.ended_at < before
        ? [one.started_at]
        : [],
    );
  return [{ at: moments.length === 0 ? null : Math.floor(Math.max(...moments)) }];
}

type Found = Pick<DifferenceRow, 'docket' | 'kind' | 'evidence'>;

function* addDifferences(
  query: Query,
  [, run, list, reviewBy]: readonly [string, string, string, number],
): Work {
  const { tables, now } = query;
  const added: Found[] = [];
  for (const { docket, kind, evidence } of recordset<Found>(list)) {
    const done = yield* query.insert(tables.difference, {
      run,
      docket,
      kind,
      evidence,
      found_at: now,
      review_by: moment(reviewBy) ?? now,
      overdue: 0,
      reviewed_at: null,
      reviewed_by: null,
    });
    if (done.kind === 'inserted') added.push({ docket, kind, evidence });
  }
  for (const { docket } of added) {
    yield* query.refer(tables.run, run);
    yield* query.refer(tables.docket, docket);
  }
  return [];
}

type Listed = readonly [
  string,
  string | null,
  boolean,
  string | null,
  number,
  string | null,
  string | null,
];

function differences(query: Query, [, run, all, docket, limit, kind, target]: Listed): Rows {
  const { tables } = query;
  return query
    .all(tables.difference)
    .filter(
      (row) =>
        (run === null || row.run === run) &&
        (all || row.reviewed_at === null) &&
        (docket === null || row.docket === docket) &&
        (kind === null || row.kind === kind) &&
        (target === null || query.find(tables.run, row.run)?.target === target),
    )
    .toSorted(byReview)
    .slice(0, limit)
    .map((row) => shown(row, DIFFERENCE_COLUMNS));
}

function byReview(a: DifferenceRow, b: DifferenceRow): number {
  const order = (row: DifferenceRow): string => `${row.docket} ${row.kind}`;
  return a.review_by - b.review_by || (order(a) < order(b) ? -1 : 1);
}

type Reviewed = readonly [string, string, string, string | null, string | null];

function* review(query: Query, [, docket, by, kind, target]: Reviewed): Work {
  const { tables, now } = query;
  const rows = yield* query.changeAll(
    tables.difference,
    (row) =>
      row.docket === docket &&
      row.reviewed_at === null &&
      (kind === null || row.kind === kind) &&
      (target === null || query.find(tables.run, row.run)?.target === target),
    () => ({ reviewed_at: now, reviewed_by: by }),
  );
  return rows.map(({ run }) => ({ run }));
}

function* overdue(query: Query, [, clockMs, limit]: readonly [string, number, number]): Work {
  const { tables, now } = query;
  const isDue = (row: DifferenceRow): boolean => row.reviewed_at === null && row.review_by <= now;
  const due = query.all(tables.difference).filter(isDue).toSorted(byReview).slice(0, limit);
  const found: Rows = [];
  for (const row of due) {
    const next = yield* query.change(tables.difference, row, isDue, (one) => ({
      overdue: one.overdue + 1,
      review_by: now + clockMs,
    }));
    if (next !== undefined) found.push(shown(next, DIFFERENCE_COLUMNS));
  }
  return found;
}

export const RECOVERY_STATEMENTS: Readonly<Record<string, StatementWork>> = {
  'recovery-start': statement(start),
  'recovery-find': statement((query, [, ids]: readonly [string, readonly string[]]) =>
    query
      .all(query.tables.run)
      .filter(({ id }) => ids.includes(id))
      .map((row) => shown(row, RUN_COLUMNS)),
  ),
  'recovery-lock': statement(lock),
  'recovery-write': statement(write),
  'recovery-evidence-add': statement(addEvidence),
  'recovery-open': statement((query, [, target]: readonly [string, string]) =>
    query
      .all(query.tables.run)
      .filter((row) => row.target === target && !isOver(row))
      .map((row) => shown(row, RUN_COLUMNS)),
  ),
  'recovery-list': statement((query, [, limit]: readonly [string, number]) =>
    query
      .all(query.tables.run)
      .toSorted((a, b) => Number(isOver(a)) - Number(isOver(b)) || b.started_at - a.started_at)
      .slice(0, limit)
      .map((row) => shown(row, RUN_COLUMNS)),
  ),
  'recovery-evidence-of': statement((query, [, run]: readonly [string, string]) =>
    query
      .all(query.tables.evidence)
      .filter((row) => row.run === run)
      .toSorted((a, b) => a.n - b.n)
      .map((row) => shown(row, EVIDENCE_COLUMNS)),
  ),
  'docket-passed': statement(passed),
  'docket-passed-event': statement(passedEvent),
  'docket-last-success': statement(lastSuccess),
  'recovery-differences-add': statement(addDifferences),
  'recovery-differences': statement(differences),
  'recovery-difference-review': statement(review),
  'recovery-differences-overdue': statement(overdue),
};
