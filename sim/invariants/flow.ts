/** Once nothing goes wrong any more, work that may be done is done. */
import { type Book, type Rule, short } from './book.ts';

/** As src/lanes/store/slots.ts: a slot rests so long when nobody on its holder's host has seen that holder dead. */
const UNCONFIRMED_MS = 15_000;
/** Forty filings one after the other, each as slow as an honest portal is here. */
const QUEUE_MS_MAX = 12_000;

/** Work-conserving: on an open lane a queued filing gets its turn. Looked at only after the faults have worn off. */
const workConserving: Rule = {
  name: 'work_conserving',
  check: (book) =>
    book.evidence.filings.flatMap((filing) => {
      const versions = book.versions(filing.id);
      return versions.flatMap(({ at, row }, index) => {
        if (row.nextAt === undefined) return [];
        const until = versions[index + 1]?.at ?? book.evidence.endMs;
        const from = Math.max(
          row.nextAt,
          at,
          wornOffAt(book, filing.lane),
          lastChange(book, filing.lane, until),
        );
        if (until - from <= QUEUE_MS_MAX) return [];
        return [
          `${short(filing.key)} on ${filing.lane} waited from ${book.at(from)} to ${book.at(until)}`,
        ];
      });
    }),
};

function wornOffAt(book: Book, lane: string): number {
  const { healedAt, leaseMs, workers, endMs } = book.evidence;
  const isUnconfirmed = workers.some(
    ({ endedAt, expiresAt }) => endedAt === undefined && expiresAt < endMs,
  );
  const restMs = (isUnconfirmed ? UNCONFIRMED_MS : 0) + book.profile(lane).longestServiceMs;
  return healedAt + leaseMs + restMs;
}

/** A lane that changes may have been closed until then. */
function lastChange(book: Book, lane: string, before: number): number {
  const changes = book.evidence.laneVersions.filter(
    ({ at, row }) => row.state.code === lane && at < before,
  );
  return changes.at(-1)?.at ?? 0;
}

export const FLOW_RULES: readonly Rule[] = [workConserving];
