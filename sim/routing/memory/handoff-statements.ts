/** `src/dockets/store/handoffs.ts`, `manual.ts` and `queues.ts`: notices of the manual tier, links, and queues. */
import { moment, parsed, recordset, shown } from './jsonb.ts';
import { type Query, type Rows, statement, type StatementWork, type Work } from './query.ts';
import { type DocketRow, handoffKey, type HandoffRow, type WorkRow } from './tables.ts';

const HANDOFF_COLUMNS =
  'docket,n,handoff,tier,target,party,attempt,reason,hop,dates,started_at,ended_at,outcome,receipt,evidence'.split(
    ',',
  );
const LINK_COLUMNS =
  'reference,docket,handoff,party,expires_at,acknowledged_at,acknowledged_by'.split(',');
const READING_COLUMNS = 'queue,target,at,backlog,lag_ms,evidence,triggers'.split(',');
const WOKEN_MAX = 500;

function isNotice({ kind, target, state }: WorkRow): boolean {
  return kind === 'handoff' && target === 'all' && state === 'pending';
}

function isDueNotice(row: WorkRow, now: number): boolean {
  return isNotice(row) && row.next_at !== null && row.next_at <= now;
}

/** The handoff that a notice is about. */
function handoffOf(query: Query, { docket, body }: WorkRow): HandoffRow | undefined {
  return query.find(query.tables.handoff, handoffKey(docket ?? '', Number(body['n'])));
}

function* dropSettled(query: Query): Work {
  const { tables, now } = query;
  const settled = query.all(tables.work).filter((row) => {
    if (!isDueNotice(row, now)) return false;
    const docket = query.find(tables.docket, row.docket ?? '');
    return docket !== undefined && (docket.phase === 'confirmed' || docket.closed_at !== null);
  });
  for (const row of settled) {
    yield* query.change(
      tables.work,
      row,
      (one) => isDueNotice(one, now),
      () => ({ state: 'dropped', next_at: null, ended_at: now }),
    );
  }
  return [];
}

function* countTries(query: Query, [, ids]: readonly [string, readonly string[]]): Work {
  const { tables } = query;
  const found: Rows = [];
  for (const work of query.all(tables.work).filter(({ id }) => ids.includes(id))) {
    const handoff = handoffOf(query, work);
    if (handoff === undefined || handoff.ended_at !== null) continue;
    const next = yield* query.change(
      tables.handoff,
      handoff,
      ({ ended_at }) => ended_at === null,
      ({ attempt }) => ({ attempt: attempt + 1 }),
    );
    if (next !== undefined) found.push(shown(next, HANDOFF_COLUMNS));
  }
  return found;
}

type Retried = readonly [string, string, number, number, string];

function* retry(query: Query, [, docket, n, afterMs, evidence]: Retried): Work {
  const { tables, now } = query;
  const isOf = (row: WorkRow): boolean =>
    row.kind === 'handoff' &&
    row.state === 'pending' &&
    row.docket === docket &&
    row.body['n'] === n;
  const works = query.all(tables.work).filter(isOf);
  const handoff = query.find(tables.handoff, handoffKey(docket, n));
  if (handoff === undefined || handoff.ended_at !== null) return [];
  const kept = yield* query.change(
    tables.handoff,
    handoff,
    ({ ended_at }) => ended_at === null,
    () => ({ evidence: parsed(evidence) }),
  );
  if (kept === undefined) return [];
  for (const work of works) {
    yield* query.change(tables.work, work, isOf, () => ({ next_at: now + afterMs }));
  }
  return [];
}

type Link = readonly [string, string, string, string, string, number];

function* addLink(query: Query, [, reference, docket, handoff, party, until]: Link): Work {
  const { tables, now } = query;
  const expires_at = moment(until) ?? 0;
  const named = { reference, docket, handoff, party, expires_at };
  const row = { ...named, acknowledged_at: null, acknowledged_by: null };
  const done = yield* query.insert(tables.link, row, 'docket_link_once');
  if (done.kind === 'inserted') {
    yield* query.refer(tables.docket, docket);
    return [];
  }
  if (done.unique !== 'docket_link_once') throw tables.link.violation(done.unique);
  yield* query.change(
    tables.link,
    done.row,
    (one) => one.expires_at <= now,
    () => ({ expires_at }),
  );
  return [];
}

function* useLink(query: Query, [, reference, by]: readonly [string, string, string]): Work {
  const rows = yield* query.changeAll(
    query.tables.link,
    (row) => row.reference === reference && row.acknowledged_at === null,
    () => ({ acknowledged_at: query.now, acknowledged_by: by }),
  );
  return rows.map((row) => ({ reference: row.reference }));
}

/** The rows are chosen before any is locked; of those only the phase and the end are asked again. */
function* wakeManual(query: Query, [, targets]: readonly [string, readonly string[]]): Work {
  const { tables, now } = query;
  const woken = query
    .all(tables.docket)
    .filter(({ phase, closed_at, next_at, state }) => {
      const waitsFor = (state['waitsFor'] ?? []) as readonly string[];
      const isWaiting = phase === 'manual' && closed_at === null && (next_at ?? now) > now;
      return isWaiting && waitsFor.some((target) => targets.includes(target));
    })
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .slice(0, WOKEN_MAX);
  for (const row of woken) {
    yield* query.change(
      tables.docket,
      row,
      ({ phase, closed_at }) => phase === 'manual' && closed_at === null,
      () => ({ next_at: now }),
    );
  }
  return [];
}

type Collected = readonly [string, readonly string[], number, number];

function* collect(query: Query, [, mailboxes, quietMs, wholeMs]: Collected): Work {
  const { tables, now } = query;
  const due = query.all(tables.work).filter((row) => isDueNotice(row, now));
  const waves = new Set(
    due.length === 0
      ? []
      : query
          .all(tables.handoff)
          .filter(({ tier, started_at }) => tier === 'MANUAL' && started_at > now - quietMs)
          .map(({ target }) => target),
  );
  for (const row of due) {
    const handoff = handoffOf(query, row);
    if (handoff === undefined || !waves.has(handoff.target)) continue;
    const { target, attempt, ended_at, started_at } = handoff;
    const isFirst = mailboxes.includes(target) && attempt === 0 && ended_at === null;
    if (!isFirst || started_at <= now - wholeMs) continue;
    yield* query.change(
      tables.work,
      row,
      (one) => isDueNotice(one, now),
      () => ({ next_at: now + quietMs }),
    );
  }
  return [];
}

function confirmedBy(query: Query, [, target, since]: readonly [string, string, number]): Rows {
  const { docket, handoff } = query.tables;
  const taken = new Set(
    query
      .all(handoff)
      .filter(
        (one) => one.target === target && one.outcome === 'confirmed' && one.started_at >= since,
      )
      .map((one) => one.docket),
  );
  return query
    .all(docket)
    .filter((row) => isUntold(row) && row.state['by'] === target && taken.has(row.id))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .slice(0, WOKEN_MAX)
    .map((row) => shown(row, ['id', 'message_id', 'tier']));
}

function isUntold({ phase, closed_at, activation }: DocketRow): boolean {
  return phase === 'confirmed' && closed_at === null && activation === null;
}

interface NotTaken {
  readonly docket: string;
  readonly activation: unknown;
}

function* notTaken(query: Query, [, list]: readonly [string, string]): Work {
  const { docket } = query.tables;
  for (const { docket: id, activation } of recordset<NotTaken>(list)) {
    const row = query.find(docket, id);
    if (row === undefined || !isUntold(row)) continue;
    yield* query.change(docket, row, isUntold, () => ({ activation, next_at: query.now }));
  }
  return [];
}

function ownQueue(query: Query, [, target]: readonly [string, string | null]): Rows {
  const { now } = query;
  const due = query
    .all(query.tables.docket)
    .flatMap(({ next_at, target: at }) =>
      next_at !== null && next_at <= now && (target === null || at === target) ? [next_at] : [],
    );
  const oldest = due.length === 0 ? null : Math.floor(Math.min(...due));
  return [{ backlog: String(due.length), oldest }];
}

type Noted = readonly [string, string, string | null, number | null, number | null, string, string];

function* noteReading(query: Query, values: Noted): Work {
  const [, queue, target, backlog, lagMs, evidence, triggers] = values;
  const { reading } = query.tables;
  const row = {
    queue,
    target,
    at: query.now,
    backlog: backlog === null ? null : String(backlog),
    lag_ms: lagMs === null ? null : String(lagMs),
    evidence: parsed(evidence),
    triggers: parsed(triggers),
  };
  const done = yield* query.insert(reading, row);
  if (done.kind === 'conflict') {
    yield* query.change(
      reading,
      done.row,
      () => true,
      () => row,
    );
  }
  return [];
}

export const HANDOFF_STATEMENTS: Readonly<Record<string, StatementWork>> = {
  'docket-handoffs': statement((query, [, docket]: readonly [string, string]) =>
    query
      .all(query.tables.handoff)
      .filter((row) => row.docket === docket)
      .toSorted((a, b) => a.n - b.n)
      .map((row) => shown(row, HANDOFF_COLUMNS)),
  ),
  'docket-notices-drop': dropSettled,
  'docket-notices-try': statement(countTries),
  'docket-notice-retry': statement(retry),
  'docket-link-add': statement(addLink),
  'docket-link-of': statement((query, [, handoff]: readonly [string, string]) =>
    query
      .all(query.tables.link)
      .filter((row) => row.handoff === handoff)
      .map((row) => shown(row, LINK_COLUMNS)),
  ),
  'docket-link-find': statement((query, [, reference]: readonly [string, string]) => {
    const row = query.find(query.tables.link, reference);
    return row === undefined ? [] : [shown(row, LINK_COLUMNS)];
  }),
  'docket-link-use': statement(useLink),
  'docket-manual-wake': statement(wakeManual),
  'docket-notices-collect': statement(collect),
  'docket-confirmed-by': statement(confirmedBy),
  'docket-not-taken': statement(notTaken),
  'docket-queue-own': statement(ownQueue),
  'queue-reading-note': statement(noteReading),
  'queue-readings': (query) =>
    query
      .all(query.tables.reading)
      .toSorted((a, b) => (a.queue < b.queue ? -1 : 1))
      .map((row) => shown(row, READING_COLUMNS)),
};
