/** `src/dockets/store/setup.ts`: matrices and people as documents, and which pair of them holds. */
import { shown } from './jsonb.ts';
import { type Query, type Rows, statement, type StatementWork, type Work } from './query.ts';
import type { SetupRow } from './tables.ts';

const SETUP_COLUMNS = 'n,matrix,people,activated_by,activated_at'.split(',');

function newest(query: Query): SetupRow | undefined {
  return query
    .all(query.tables.setup)
    .reduce<SetupRow | undefined>(
      (last, row) => (last === undefined || row.n > last.n ? row : last),
      undefined,
    );
}

function active(query: Query): Rows {
  const row = newest(query);
  return row === undefined ? [] : [shown(row, SETUP_COLUMNS)];
}

function* keep(
  query: Query,
  [, kind, version, title, body]: readonly [string, string, string, string, string],
): Work {
  yield* query.insert(query.tables.document, { kind, version, title, body });
  return [];
}

function* activate(
  query: Query,
  [, matrix, people, by]: readonly [string, string, string, string],
): Work {
  const { tables, now } = query;
  const n = (newest(query)?.n ?? 0) + 1;
  const row = { n, matrix, people, activated_by: by, activated_at: now };
  yield* query.add(tables.setup, row);
  return [shown(row, SETUP_COLUMNS)];
}

export const SETUP_STATEMENTS: Readonly<Record<string, StatementWork>> = {
  'routing-document-keep': statement(keep),
  'routing-document-find': statement(
    (query, [, kind, version]: readonly [string, string, string]) => {
      const row = query.find(query.tables.document, `${kind} ${version}`);
      return row === undefined ? [] : [shown(row, ['kind', 'version', 'title', 'body'])];
    },
  ),
  'routing-setup-active': active,
  'routing-setup-lock': function* (query) {
    yield* query.lockName('routing');
    return [{ lock_name: '' }];
  },
  'routing-setup-activate': statement(activate),
};
