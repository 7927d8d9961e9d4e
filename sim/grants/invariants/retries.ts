/** What cannot be read is asked for again as the rules say: recorded first, not too soon, not too often, never after a no. */
import type { Evidence, ReadAtTarget, Violation } from '../evidence.ts';
import type { Look, Row } from '../look.ts';

const DELAY_MS_MIN = 2_000;
const IN_A_ROW_MAX = 3;

/** A question that is asked until it is answered: about a grantor's ledger, or for a document. */
interface Asked {
  readonly subject: string;
  readonly row: Row;
  readonly tries: readonly Row[];
}

export function retryRules({ looks, reads, surprises }: Evidence): Violation[] {
  const last = looks.at(-1)?.look.tables;
  if (last === undefined) return [];
  const isOver = !surprises.some(({ invariant }) => invariant === 'runs_again');
  const asked = askedIn(last);
  return [
    ...recordedFirst(reads),
    ...asked.flatMap((one) => {
      const texts = [...faultsOf(one, readsOf(one, asked, reads))];
      if (isOver && one.row['state'] === 'waiting') texts.push('is still waiting at the end');
      return texts.map((text) => ({ invariant: 'retry_rules', text: `${one.subject} ${text}` }));
    }),
    ...asked.flatMap((one) => quarantine(one, readsOf(one, asked, reads))),
    ...looks.flatMap(({ after, look }) => unfinished(after, look.tables)),
  ];
}

function askedIn(tables: Look['tables']): readonly Asked[] {
  return tables.question.map((row) => ({
    subject: String(row['subject']),
    row,
    tries: tables.question_try
      .filter(({ question }) => question === row['id'])
      .toSorted((one, other) => Number(one['n']) - Number(other['n'])),
  }));
}

/** A command that is given again after its question was answered asks a new one, with a record of its own. */
function readsOf(
  { subject, row }: Asked,
  asked: readonly Asked[],
  reads: readonly ReadAtTarget[],
): ReadAtTarget[] {
  const startOf = (one: Row): number => Date.parse(String(one['started_at']));
  const later = asked.filter((one) => one.subject === subject && startOf(one.row) > startOf(row));
  const end = Math.min(...later.map((one) => startOf(one.row)));
  return reads.filter(
    (read) => read.subject === subject && read.at >= startOf(row) && read.at < end,
  );
}

/** At no moment is a document in the books while its fetch still waits for it: both are one commit. */
function unfinished(after: string, tables: Look['tables']): Violation[] {
  return tables.question
    .filter(({ state, seen_whole: isWhole }) => state === 'waiting' && isWhole === true)
    .filter(({ seen_sha256: seen }) =>
      tables.grant_document.some(({ id }) => seen === `\\x${String(id)}`),
    )
    .map(({ subject }) => ({
      invariant: 'retry_rules',
      text: `after ${after}: ${String(subject)} is taken in, and still waited for`,
    }));
}

/** Bytes that are others than before are never taken for the document. */
function quarantine({ subject, row }: Asked, reads: readonly ReadAtTarget[]): Violation[] {
  const changed = reads.findLast(({ answer }) => answer === 'changed');
  if (changed === undefined || row['state'] !== 'done') return [];
  // One that died before it could say so has read the right document again since.
  const isGood = reads.some(({ at, answer }) => at > changed.at && answer === 'good');
  return isGood ? [] : [{ invariant: 'quarantine', text: `${subject} was taken in as changed` }];
}

function recordedFirst(reads: readonly ReadAtTarget[]): Violation[] {
  const seen = new Map<string, number>();
  return reads.flatMap(({ subject, attemptsOnRecord }) => {
    const count = (seen.get(subject) ?? 0) + 1;
    seen.set(subject, count);
    if (attemptsOnRecord >= count) return [];
    const text = `${subject}: read ${count} was made with ${attemptsOnRecord} attempts on record`;
    return [{ invariant: 'snapshot_first', text }];
  });
}

function* faultsOf({ row, tries }: Asked, reads: readonly ReadAtTarget[]): Generator<string> {
  const attempts = tries.filter(({ kind }) => kind === 'attempt');
  if (attempts.length !== row['tries'])
    yield `counts ${String(row['tries'])} tries, with ${attempts.length} on record`;
  const failures = tries.filter(({ kind }) => kind === 'failure');
  if (failures.length > IN_A_ROW_MAX) yield `failed ${failures.length} times on record`;
  const moments = new Set(reads.map(({ at }) => at));
  if (moments.size < reads.length) yield 'was asked twice at the same moment';
  for (const failure of failures) {
    const at = Date.parse(String(failure['at']));
    const next = reads.find((read) => read.at > at);
    if (next === undefined) continue;
    if (isPermanent(String(failure['last_error_code'])))
      yield 'was asked again after a permanent failure';
    if (next.at - at < DELAY_MS_MIN) yield `was asked again after ${next.at - at} ms`;
  }
}

function isPermanent(code: string): boolean {
  return /^HTTP_40[0134]$/.test(code);
}
