/** `src/dockets/store/dockets.ts` and `assignments.ts`: dockets in and out, and what the assignment table says. */
import { bytesOfHex, moment, parsed, recordset, shown } from './jsonb.ts';
import { addBlob, addFact, type FactRecord } from './ledger-statements.ts';
import { type Query, statement, type StatementWork, type Work } from './query.ts';
import type { DocketRow } from './tables.ts';

export const DOCKET_COLUMNS =
  'id,message_id,source,content_type,payload_sha256,docket,dating,received_by,received_at,state,phase,tier,target,activation,assignment,next_at,closed_at,closed_by,closing,ver,access_ver,handoffs'.split(
    ',',
  );

type Admitted = FactRecord & {
  readonly docket_id: string;
  readonly message_id: string;
  readonly identity: string;
  readonly source: string;
  readonly content_type: string;
  readonly payload_sha256: string;
  readonly docket: DocketRow['docket'];
  readonly state: DocketRow['state'];
  readonly tier: string;
  readonly activation: unknown;
  readonly next_at: number;
  readonly due_on: string | null;
  readonly received_by: string | null;
};

function newRow(one: Admitted, now: number): DocketRow {
  return {
    id: one.docket_id,
    message_id: one.message_id,
    identity: one.identity,
    source: one.source,
    content_type: one.content_type,
    payload_sha256: bytesOfHex(one.payload_sha256),
    payload_ct: String(one.ct),
    docket: one.docket,
    // Nobody brings the same event with other content here.
    dating: null,
    received_by: one.received_by,
    received_at: now,
    state: one.state,
    phase: 'queued',
    tier: one.tier,
    target: null,
    assignment: null,
    activation: one.activation ?? null,
    next_at: moment(one.next_at),
    due_on: one.due_on,
    closed_at: null,
    closed_by: null,
    closing: null,
    ver: 1,
    access_ver: 0,
    handoffs: 0,
  };
}

function* admit(query: Query, [, list]: readonly [string, string]): Work {
  const { tables, now } = query;
  const given = recordset<Admitted>(list).toSorted((a, b) =>
    a.message_id < b.message_id ? -1 : 1,
  );
  const fresh: Admitted[] = [];
  for (const one of given) {
    const done = yield* query.insert(tables.docket, newRow(one, now));
    if (done.kind === 'inserted') fresh.push(one);
  }
  for (const one of fresh) {
    yield* addBlob(query, one);
    yield* addFact(query, one, {
      boundary: 'filing',
      kind: 'docket',
      subject: one.docket_id,
      ver: 1,
    });
  }
  return fresh.map(({ message_id }) => ({ message_id }));
}

function* noteMessage(
  query: Query,
  [, source, message, sha256, , docket]: readonly [
    string,
    string,
    string,
    string,
    string,
    string | null,
  ],
): Work {
  const { tables } = query;
  const done = yield* query.insert(tables.message, { source, message, sha256, docket });
  if (done.kind === 'conflict') return [];
  if (docket !== null) yield* query.refer(tables.docket, docket);
  return [{ message }];
}

function list(
  query: Query,
  [, phases, closed, target, after, limit]: readonly [
    string,
    readonly string[] | null,
    'no' | 'only' | 'too',
    string | null,
    string | null,
    number,
  ],
) {
  const { docket } = query.tables;
  const start = after === null ? undefined : query.find(docket, after);
  return query
    .all(docket)
    .filter(
      (row) =>
        (phases === null || phases.includes(row.phase)) &&
        (closed === 'too' || (row.closed_at !== null) === (closed === 'only')) &&
        (target === null || row.target === target) &&
        (after === null || (start !== undefined && inOrder(start, row) < 0)),
    )
    .toSorted(inOrder)
    .slice(0, limit)
    .map((row) => shown(row, DOCKET_COLUMNS));
}

function inOrder(a: DocketRow, b: DocketRow): number {
  return a.received_at === b.received_at
    ? a.id < b.id
      ? -1
      : a.id === b.id
        ? 0
        : 1
    : a.received_at - b.received_at;
}

function payloads(query: Query, [, ids]: readonly [string, readonly string[]]) {
  const { docket, blob, key } = query.tables;
  return query.all(docket).flatMap(({ id, payload_ct }) => {
    const sealed = ids.includes(id) ? query.find(blob, payload_ct) : undefined;
    const wrapped = sealed === undefined ? undefined : query.find(key, sealed.key);
    if (sealed === undefined || wrapped === undefined) return [];
    return [
      {
        id,
        blob: sealed.bytes,
        blob_entry: sealed.entry,
        key_id: wrapped.id,
        key_month: wrapped.month,
        key_wrapped: wrapped.wrapped,
      },
    ];
  });
}

function* close(
  query: Query,
  [, id, by, closing]: readonly [string, string, string, string],
): Work {
  const { tables, now } = query;
  const rows = yield* query.changeAll(
    tables.docket,
    (row) => row.id === id && row.closed_at === null,
    ({ ver }) => ({
      closed_at: now,
      closed_by: by,
      closing: parsed(closing),
      next_at: null,
      ver: ver + 1,
    }),
  );
  return rows.map(({ ver }) => ({ ver }));
}

function* ask(
  query: Query,
  [, ids, assignment, until]: readonly [string, readonly string[], string, number],
): Work {
  yield* query.changeAll(
    query.tables.docket,
    ({ id }) => ids.includes(id),
    () => ({
      assignment: parsed(assignment) as DocketRow['assignment'],
      next_at: moment(until),
    }),
  );
  return [];
}

function* answer(query: Query, [, id, assignment]: readonly [string, string, string]): Work {
  const { tables, now } = query;
  const rows = yield* query.changeAll(
    tables.docket,
    (row) =>
      row.id === id &&
      row.phase === 'queued' &&
      row.closed_at === null &&
      row.assignment?.['state'] === 'asked',
    ({ next_at }) => ({
      assignment: parsed(assignment) as DocketRow['assignment'],
      next_at: Math.min(next_at ?? now, now),
    }),
  );
  return rows.map((row) => ({ id: row.id }));
}

export const DOCKET_STATEMENTS: Readonly<Record<string, StatementWork>> = {
  'docket-admit': statement(admit),
  'docket-existing': statement((query, [, identities]: readonly [string, readonly string[]]) =>
    query
      .all(query.tables.docket)
      .filter(({ identity }) => identities.includes(identity))
      .map((row) => shown(row, ['id', 'identity', 'payload_sha256'])),
  ),
  'docket-count-up': statement(function* (query, [, id]: readonly [string, string]) {
    const rows = yield* query.changeAll(
      query.tables.docket,
      (row) => row.id === id,
      ({ ver }) => ({ ver: ver + 1 }),
    );
    return rows.map(({ ver }) => ({ ver }));
  }),
  'docket-message-known': statement(
    (query, [, source, message, sha256]: readonly [string, string, string, string]) =>
      query.find(query.tables.message, JSON.stringify([source, message, sha256])) === undefined
        ? []
        : [{ '?column?': 1 }],
  ),
  'docket-message-note': statement(noteMessage),
  'docket-list': statement(list),
  'docket-find': statement((query, [, id]: readonly [string, string]) => {
    const row = query.find(query.tables.docket, id);
    return row === undefined ? [] : [shown(row, DOCKET_COLUMNS)];
  }),
  'docket-payloads': statement(payloads),
  'docket-close': statement(close),
  'docket-assignment-ask': statement(ask),
  'docket-assignment-answer': statement(answer),
};
