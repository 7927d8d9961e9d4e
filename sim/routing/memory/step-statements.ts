/** `src/dockets/store/steps.ts`: rows locked, decided elsewhere, written with their handoffs. */
import { DOCKET_COLUMNS } from './docket-statements.ts';
import { moment, recordset, shown } from './jsonb.ts';
import { type Query, type Rows, statement, type StatementWork, type Work } from './query.ts';
import type { DocketRow, HandoffRow } from './tables.ts';
import type { Waiting } from './transaction.ts';

function withNow(row: DocketRow, now: number): Record<string, unknown> {
  return { ...shown(row, DOCKET_COLUMNS), now: Math.floor(now) };
}

function due(query: Query, [, limit]: readonly [string, number]): Rows {
  const { docket } = query.tables;
  const { now } = query;
  const inOrder = query
    .all(docket)
    .filter(({ next_at }) => next_at !== null && next_at <= now)
    .toSorted(
      (a, b) =>
        compared(a.due_on ?? '', b.due_on ?? '') || compared(a.next_at ?? 0, b.next_at ?? 0),
    );
  const locked: Rows = [];
  for (const { id } of inOrder) {
    if (locked.length >= limit) break;
    const row = query.tryLock(docket, id);
    if (row !== undefined) locked.push(withNow(row, query.clock));
  }
  return locked;
}

function compared<Value extends string | number>(a: Value, b: Value): number {
  return a < b ? -1 : Number(a > b);
}

function* lock(query: Query, [, ids]: readonly [string, readonly string[]]): Work {
  const { docket } = query.tables;
  const meant = query.all(docket).filter(({ id }) => ids.includes(id));
  const locked: Rows = [];
  for (const before of meant.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const asked = query.clock;
    const row = yield* query.lock(docket, before.id);
    // The clock is read before the lock, and again only where the row was changed during the wait.
    if (row !== undefined) locked.push(withNow(row, row === before ? asked : query.clock));
  }
  return locked;
}

interface Step {
  readonly docket: string;
  readonly state: DocketRow['state'];
  readonly phase: string;
  readonly tier: string;
  readonly target?: string;
  readonly next_at?: number;
  readonly ver: number;
  readonly access_ver: number;
  readonly handoffs: number;
}

type Started = Omit<HandoffRow, 'started_at' | 'ended_at' | 'outcome' | 'receipt' | 'evidence'> & {
  readonly retry_at?: number;
};

type Ended = Pick<HandoffRow, 'docket' | 'n' | 'outcome' | 'evidence'> & {
  readonly receipt?: string;
};

type Written = readonly [string, string, string, string];

function* write(query: Query, [, stepList, startedList, endedList]: Written): Work {
  const started = recordset<Started>(startedList);
  const { tables } = query;
  // All parts of the statement see the table as it was before it.
  const before = query.all(tables.handoff);
  const pending = query
    .all(tables.work)
    .filter(({ kind, state }) => kind === 'handoff' && state === 'pending');
  let moved = 0;
  for (const step of recordset<Step>(stepList)) moved += (yield* move(query, step)) ? 1 : 0;
  const over = [
    ...(yield* supersede(query, before, started)),
    ...(yield* end(query, before, recordset<Ended>(endedList))),
  ];
  for (const { docket, n } of over) {
    const works = pending.filter((work) => work.docket === docket && work.body['n'] === n);
    for (const work of works) {
      yield* query.change(
        tables.work,
        work,
        ({ state }) => state === 'pending',
        () => ({ state: 'done', next_at: null, ended_at: query.now }),
      );
    }
  }
  for (const one of started) yield* start(query, one);
  return [{ moved: String(moved) }];
}

function* move(query: Query, step: Step): Waiting<boolean> {
  const { docket } = query.tables;
  const row = query.find(docket, step.docket);
  if (row === undefined) return false;
  const { state, phase, tier, target, next_at, ver, access_ver, handoffs } = step;
  yield* query.change(
    docket,
    row,
    () => true,
    () => ({
      state,
      phase,
      tier,
      ver,
      access_ver,
      handoffs,
      target: target ?? null,
      activation: null,
      next_at: moment(next_at),
      due_on: (state['known'] as { readonly due?: string } | undefined)?.due ?? null,
    }),
  );
  return true;
}

/** A reminder takes the place of an earlier notice to the same reader. */
function* supersede(
  query: Query,
  before: readonly HandoffRow[],
  started: readonly Started[],
): Waiting<HandoffRow[]> {
  const found: HandoffRow[] = [];
  for (const one of started.filter(({ tier }) => tier === 'MANUAL')) {
    const isOlder = (row: HandoffRow): boolean =>
      row.docket === one.docket &&
      row.n < one.n &&
      row.tier === 'MANUAL' &&
      row.target === one.target &&
      row.party === one.party &&
      row.ended_at === null;
    for (const row of before.filter(isOlder)) {
      const ended = { ended_at: query.clock, outcome: 'unknown' };
      const next = yield* query.change(query.tables.handoff, row, isOlder, () => ended);
      if (next !== undefined) found.push(next);
    }
  }
  return found;
}

/** Those of the manual tier that ended. */
function* end(
  query: Query,
  before: readonly HandoffRow[],
  ended: readonly Ended[],
): Waiting<HandoffRow[]> {
  const found: HandoffRow[] = [];
  for (const { docket, n, outcome, receipt, evidence } of ended) {
    const row = before.find((one) => one.docket === docket && one.n === n);
    if (row === undefined || row.ended_at !== null) continue;
    const next = yield* query.change(
      query.tables.handoff,
      row,
      ({ ended_at }) => ended_at === null,
      () => ({ ended_at: query.clock, outcome, receipt: receipt ?? null, evidence }),
    );
    if (next?.tier === 'MANUAL') found.push(next);
  }
  return found;
}

function* start(query: Query, { retry_at, ...one }: Started): Waiting<void> {
  const { tables, now } = query;
  yield* query.add(tables.handoff, {
    ...one,
    reason: one.reason ?? null,
    started_at: query.clock,
    ended_at: null,
    outcome: null,
    receipt: null,
    evidence: null,
  });
  yield* query.refer(tables.docket, one.docket);
  if (retry_at === undefined) return;
  yield* query.add(tables.work, {
    id: query.newId(),
    kind: 'handoff',
    target: 'all',
    body: { n: one.n },
    event: null,
    docket: one.docket,
    state: 'pending',
    tries: 0,
    next_at: moment(retry_at),
    created_at: now,
    ended_at: null,
  });
}

interface Activated {
  readonly docket: string;
  readonly tier: string;
  readonly activation: unknown;
}

function* activate(query: Query, [, list]: readonly [string, string]): Work {
  const { docket } = query.tables;
  const found: Rows = [];
  for (const one of recordset<Activated>(list)) {
    const row = query.find(docket, one.docket);
    if (row === undefined) continue;
    const isMeant = ({ tier, phase, closed_at, activation }: DocketRow): boolean =>
      tier === one.tier &&
      ['queued', 'sending', 'awaiting'].includes(phase) &&
      closed_at === null &&
      activation === null;
    if (!isMeant(row)) continue;
    const next = yield* query.change(docket, row, isMeant, ({ next_at }) => ({
      activation: one.activation,
      next_at: Math.min(next_at ?? query.now, query.now),
    }));
    if (next !== undefined) found.push({ id: next.id });
  }
  return found;
}

function* postpone(
  query: Query,
  [, ids, until]: readonly [string, readonly string[], number],
): Work {
  yield* query.changeAll(
    query.tables.docket,
    ({ id }) => ids.includes(id),
    () => ({ next_at: moment(until) }),
  );
  return [];
}

function* wakeAll(query: Query): Work {
  const { now } = query;
  yield* query.changeAll(
    query.tables.docket,
    ({ closed_at, phase, next_at }) =>
      closed_at === null && phase !== 'sending' && (next_at === null || next_at > now),
    () => ({ next_at: now }),
  );
  return [];
}

function* noteLaw(query: Query, [, version]: readonly [string, string]): Work {
  const { law } = query.tables;
  const done = yield* query.insert(law, { version });
  if (done.kind === 'inserted') return [{ version }];
  const next = yield* query.change(
    law,
    done.row,
    (row) => row.version !== version,
    () => ({ version }),
  );
  return next === undefined ? [] : [{ version }];
}

export const STEP_STATEMENTS: Readonly<Record<string, StatementWork>> = {
  'docket-clock': (query) => [{ now: Math.floor(query.clock) }],
  'docket-due': statement(due),
  'docket-lock': statement(lock),
  'docket-steps': statement(write),
  'docket-activate': statement(activate),
  'docket-postpone': statement(postpone),
  'docket-wake-all': wakeAll,
  'routing-law-note': statement(noteLaw),
};
