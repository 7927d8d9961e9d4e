/** Facts on their way to the ledger, the keys of their sealed bodies, and alerts. */
import { bytesOfHex, jsonb, recordset, shown } from './jsonb.ts';
import { type Query, statement, type StatementWork, type Work } from './query.ts';
import type { AlertRow, IntakeRow } from './tables.ts';
import type { Waiting } from './transaction.ts';

/** As `factJson` of the ledger writes it. */
export interface FactRecord {
  readonly id: string;
  readonly type: string;
  readonly data: IntakeRow['data'];
  readonly body: { readonly key: string } | null;
  readonly ct: string | null;
  readonly blob: string | null;
}

export function* addBlob(query: Query, { id, body, ct, blob }: FactRecord): Waiting<void> {
  if (ct === null) return;
  const bytes = Buffer.from(blob ?? '', 'base64');
  yield* query.add(query.tables.blob, { ct, entry: id, key: body?.key ?? '', bytes });
}

export function* addFact(
  query: Query,
  { id, type, data }: FactRecord,
  of: {
    readonly boundary: string;
    readonly kind: string;
    readonly subject: string;
    readonly ver: number;
  },
): Waiting<void> {
  const { tables, now } = query;
  yield* query.add(tables.intake, {
    n: tables.nextFact(),
    boundary: of.boundary,
    id,
    at: now,
    type,
    subj_kind: of.kind,
    subj_id: of.subject,
    subj_ver: of.ver,
    data,
  });
}

type Recorded = readonly [string, string, string, string, string, number];

function* record(query: Query, [, boundary, text, kind, subject, ver]: Recorded): Work {
  const fact = jsonb(JSON.parse(text)) as FactRecord;
  yield* addBlob(query, fact);
  yield* addFact(query, fact, { boundary, kind, subject, ver });
  return [];
}

type Listed = FactRecord & {
  readonly boundary: string;
  readonly kind: string;
  readonly subject: string;
  readonly ver: number;
};

function* recordAll(query: Query, [, list]: readonly [string, string]): Work {
  for (const fact of recordset<Listed>(list)) {
    yield* addBlob(query, fact);
    yield* addFact(query, fact, fact);
  }
  return [];
}

function* addKeys(
  query: Query,
  [, month, subjects, ids, wrapped]: readonly [
    string,
    string,
    readonly string[],
    readonly string[],
    readonly string[],
  ],
): Work {
  const made: Record<string, unknown>[] = [];
  for (const [index, subject] of subjects.entries()) {
    const row = {
      id: ids[index] ?? '',
      subject,
      month,
      wrapped: bytesOfHex(wrapped[index] ?? ''),
    };
    const done = yield* query.insert(query.tables.key, row);
    if (done.kind === 'inserted') made.push(shown(row, KEY_COLUMNS));
  }
  return made;
}

const KEY_COLUMNS = ['subject', 'id', 'month', 'wrapped'];
const SEVERITIES = ['info', 'warning', 'critical'];

type Raised = readonly [
  tenant: string,
  id: string,
  kind: string,
  subject: string,
  severity: string,
  recipient: string | null,
  text: string,
  dedup: string,
  rank: number,
  docket: string | null,
  hasNews: boolean,
];

function* raise(query: Query, values: Raised): Work {
  const [, id, kind, subject, severity, recipient, text, dedup, rank, docket, hasNews] = values;
  const { tables, now } = query;
  const isOpen = (one: AlertRow): boolean => one.dedup === dedup && one.acknowledged_at === null;
  const seen = query.all(tables.alert).find(isOpen);
  const before = seen === undefined ? undefined : yield* query.lock(tables.alert, seen.id);
  const isWorse =
    before !== undefined && isOpen(before) && rank > SEVERITIES.indexOf(before.severity) + 1;
  const fresh: AlertRow = {
    id,
    kind,
    subject,
    severity,
    recipient,
    text,
    dedup,
    docket,
    raised: 1,
    raised_at: now,
    last_raised_at: now,
    acknowledged_at: null,
  };
  const done = yield* query.insert(tables.alert, fresh, 'alert_open');
  const raised =
    done.kind === 'inserted'
      ? fresh
      : yield* query.change(tables.alert, done.row, isOpen, (row) => ({
          raised: row.raised + 1,
          last_raised_at: now,
          text,
          severity: rank > SEVERITIES.indexOf(row.severity) + 1 ? severity : row.severity,
        }));
  if (raised === undefined) throw new Error('nobody acknowledges alerts in the twin');
  if (raised.raised === 1 || isWorse || hasNews) yield* tell(query, raised.id, isWorse);
  return [{ id: raised.id }];
}

/** The work of telling of an alert has its id. */
function* tell(query: Query, id: string, isWorse: boolean): Waiting<void> {
  const { tables, now } = query;
  const done = yield* query.insert(tables.work, {
    id,
    kind: 'alert',
    target: 'all',
    body: {},
    event: null,
    docket: null,
    state: 'pending',
    tries: 0,
    next_at: now,
    created_at: now,
    ended_at: null,
  });
  if (done.kind === 'inserted') return;
  yield* query.change(
    tables.work,
    done.row,
    ({ state }) => state !== 'pending' || isWorse,
    () => ({ state: 'pending', next_at: now, ended_at: null }),
  );
}

export const LEDGER_STATEMENTS: Readonly<Record<string, StatementWork>> = {
  'docket-facts': statement(recordAll),
  'record-fact': statement(record),
  'record-bare-fact': statement(record),
  'dek-find': statement(
    (query, [, month, subjects]: readonly [string, string, readonly string[]]) =>
      query
        .all(query.tables.key)
        .filter((row) => row.month === month && subjects.includes(row.subject))
        .toSorted((a, b) => (a.subject < b.subject ? -1 : 1))
        .map((row) => shown(row, KEY_COLUMNS)),
  ),
  'dek-add': statement(addKeys),
  'alert-raise': statement(raise),
};
