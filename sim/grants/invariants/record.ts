/** What was written down stays, says who decided, and is said once. */
import { createHash } from 'node:crypto';
import { crossingDay } from '../book-of-seed.ts';
import type { Evidence, Violation } from '../evidence.ts';
import { LASTING, type Look, type Row } from '../look.ts';

const INVARIANT_OF: Readonly<Record<string, string>> = {
  grant_metadata: 'metadata_append_only',
  grant_exception: 'exceptions_untouched',
  grant_escalation: 'exceptions_untouched',
};

/** Every row that was ever seen is seen again at every later look, letter for letter. */
export function frozen({ looks }: Evidence): Violation[] {
  const found: Violation[] = [];
  for (const table of LASTING) {
    let before: ReadonlySet<string> = new Set();
    for (const { after, look } of looks) {
      const now = new Set(look.tables[table].flatMap(lastingParts));
      const gone = [...before].find((row) => !now.has(row));
      if (gone !== undefined) {
        const text = `after ${after}: a row of ${table} is changed or gone: ${gone}`;
        found.push({ invariant: INVARIANT_OF[table] ?? 'frozen', text });
      }
      before = now;
    }
  }
  return found;
}

/** What was proposed stays from the beginning, what was decided of it from then on. */
function lastingParts(row: Row): string[] {
  const { state, decided_by, decided_at, decision_reason, ...proposed } = row;
  if (!('proposed_by' in row)) return [JSON.stringify(row)];
  const decided = { state, decided_by, decided_at, decision_reason };
  return [
    JSON.stringify(proposed),
    ...(state === 'open' ? [] : [JSON.stringify({ id: row['id'], ...decided })]),
  ];
}

/** No money goes on over a threshold without a check that has seen it; the day is that of the hidden truth. */
export function handoffChecked({ book, looks }: Evidence): Violation[] {
  const day = crossingDay(book);
  if (day === undefined) return [];
  return looks.flatMap(({ after, look }) => {
    const { grant_check: checks, grant_release: releases, grant_period: periods } = look.tables;
    if (checks.some((check) => String(check['checked_on']) >= day)) return [];
    const late = releases.filter(({ period }) =>
      periods.some(({ id, to_day: to }) => id === period && String(to) >= day),
    );
    if (late.length === 0) return [];
    const text = `after ${after}: ${late.length} handed on, PA was crossed on ${day}, and nothing is attached`;
    return [{ invariant: 'release_checked', text }];
  });
}

/** Awards whose money was released carry a second record that names the first by its hash; nobody else has one. */
export function metadataChain({ looks }: Evidence): Violation[] {
  const found: Violation[] = [];
  const say = (text: string): void => void found.push({ invariant: 'metadata_append_only', text });
  const {
    grant_metadata: records,
    grant_award: awards,
    grant_received: received,
  } = tablesOf(looks);
  const released = new Set(received.map((row) => row['award']));
  for (const key of released) {
    if (!records.some((record) => record['key'] === key))
      say(`${String(key)} has no second record`);
  }
  for (const record of records) {
    const award = awards.find((row) => row['key'] === record['key']);
    if (!released.has(record['key'])) say(`${String(record['key'])} was never released`);
    if (record['n'] !== 2) say(`record ${String(record['n'])} of ${String(record['key'])}`);
    const first = firstRecord(award ?? {});
    if (record['previous_hash'] !== bytesHex(first))
      say(`a record of ${String(record['key'])} names another one before it`);
    const after = {
      ...first,
      boundary: 'reconciliation',
      compliance_state: 'reconciled',
      previous_hash: hashOf(first),
    };
    if (record['hash'] !== bytesHex(after))
      say(`a record of ${String(record['key'])} has another hash than its content`);
  }
  return found;
}

/** As ingestion stamped it; written a second time here, so that both must agree. */
function firstRecord(award: Row): Row {
  const hex = (value: unknown): string | null =>
    typeof value === 'string' ? value.slice(2) : null;
  return {
    attempt_count: 0,
    boundary: 'ingestion',
    compliance_state: 'validated_transient_retry_eligible',
    idempotency_key: award['key'],
    ingestion_timestamp: new Date(String(award['ingested_at'])).toISOString(),
    mapping_hash: hex(award['mapping_sha256']),
    payload_hash: hex(award['payload_sha256']),
    previous_hash: null,
    replaces: award['replaces'] ?? null,
  };
}

function hashOf(record: Row): string {
  const sorted = Object.fromEntries(
    Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}

/** As PostgreSQL writes bytes. */
function bytesHex(record: Row): string {
  return `\\x${hashOf(record)}`;
}

/** Only those exceptions are resolved that people resolved, two of them, and the replacement names what it replaces. */
export function exceptionsUntouched({ book, looks }: Evidence): Violation[] {
  const found: Violation[] = [];
  const say = (text: string): void => void found.push({ invariant: 'exceptions_untouched', text });
  const tables = tablesOf(looks);
  const { proposal: proposals, grant_exception: exceptions } = tables;
  const decisions = proposals.filter(({ kind, state }) => kind === 'exception' && state !== 'open');
  if (decisions.length !== book.corrections.size) say(`${decisions.length} decisions`);
  for (const decision of decisions) {
    if (decision['proposed_by'] === decision['decided_by']) say('one person did both');
  }
  const replacements = tables.grant_award.filter((award) => award['replaces'] !== null);
  if (replacements.length !== book.corrections.size) say(`${replacements.length} replacements`);
  for (const { replaces, document } of replacements) {
    const exception = exceptions.find((one) => one['award_key'] === replaces);
    const source = tables.grant_document.find(({ id }) => id === document);
    if (exception === undefined || source?.['replaces'] !== exception['id']) {
      say('a replacement does not name the exception that it replaces');
    }
  }
  return found;
}

/** A thing that happened once is told once, however often its command was run. */
export function oneFact({ book, looks }: Evidence): Violation[] {
  const look = looks.at(-1)?.look;
  if (look === undefined) return [];
  const { tables, facts } = look;
  const questions = (purpose: string, state: string): number =>
    tables.question.filter((row) => row['purpose'] === purpose && row['state'] === state).length;
  const expected: Readonly<Record<string, number>> = {
    'document.ingested': tables.grant_document.length,
    'feed.ingested': tables.grant_feed.length,
    'exception.opened': tables.grant_exception.length,
    'period.closed': book.months.length,
    'period.released': book.months.length,
    'line.resolved': tables.grant_resolution.filter((row) => row['undoes'] === null).length,
    'fetch.ingested': questions('fetch', 'done'),
    'fetch.fallback': questions('fetch', 'fallback'),
    'verification.verified': questions('verification', 'done'),
    'threshold.crossed': crossingDay(book) === undefined ? 0 : 1,
    'registration.checked': tables.grant_check.length,
  };
  return Object.entries(expected).flatMap(([type, count]) =>
    (facts[type] ?? 0) === count
      ? []
      : [
          {
            invariant: 'one_fact',
            text: `${facts[type] ?? 0} facts ${type}, for ${count} of them`,
          },
        ],
  );
}

function tablesOf(looks: Evidence['looks']): Look['tables'] {
  const last = looks.at(-1);
  if (last === undefined) throw new Error('a world without a look');
  return last.look.tables;
}
