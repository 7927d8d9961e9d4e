/** The evidence with the indexes that several rules need. */
import type { Profile } from '../../src/core/profile.ts';
import type { AttemptRow, OutcomeRow } from '../../src/testing/memory/rows.ts';
import type { Evidence, FilingVersion, Flight } from '../evidence.ts';
import type { SimFiling } from '../world/filings-of-seed.ts';

export interface Rule {
  readonly name: string;
  /** One text for each way in which the rule does not hold. */
  readonly check: (book: Book) => readonly string[];
}

/** A submission whose bytes left the client. */
export interface Post extends Flight {
  readonly writtenAt: number;
}

export class Book {
  readonly evidence: Evidence;
  readonly filingByKey: ReadonlyMap<string, SimFiling>;
  readonly postsByKey: ReadonlyMap<string, readonly Post[]>;
  readonly asksByKey: ReadonlyMap<string, readonly Flight[]>;
  readonly versionsByFiling: ReadonlyMap<string, readonly FilingVersion[]>;
  readonly #attempts: ReadonlyMap<string, readonly AttemptRow[]>;
  readonly #outcomes: ReadonlyMap<string, readonly OutcomeRow[]>;
  readonly #pidOf: ReadonlyMap<string, number>;

  constructor(evidence: Evidence) {
    this.evidence = evidence;
    this.filingByKey = new Map(evidence.filings.map((filing) => [filing.key, filing]));
    const posts = evidence.flights.filter(isPost).sort((a, b) => a.writtenAt - b.writtenAt);
    this.postsByKey = groupBy(posts, (post) => post.key);
    const asks = evidence.flights.filter((flight) => flight.endpoint === 'status');
    this.asksByKey = groupBy(asks, (ask) => ask.key);
    this.versionsByFiling = groupBy(evidence.filingVersions, ({ row }) => row.envelope.id);
    this.#attempts = groupBy(evidence.attempts, (attempt) => attempt.filing);
    this.#outcomes = groupBy(evidence.outcomes, (outcome) => outcome.filing);
    this.#pidOf = new Map(evidence.workers.map((worker) => [worker.id, worker.pid]));
  }

  profile(lane: string): Profile {
    const profile = this.evidence.profiles.find((other) => other.code === lane);
    if (profile === undefined) throw new Error(`There is no lane ${lane}`);
    return profile;
  }

  versions(filing: string): readonly FilingVersion[] {
    return this.versionsByFiling.get(filing) ?? [];
  }

  attempts(filing: string): readonly AttemptRow[] {
    return this.#attempts.get(filing) ?? [];
  }

  /** Those that counted, in the order of the attempts. */
  outcomes(filing: string): readonly OutcomeRow[] {
    const rows = this.#outcomes.get(filing) ?? [];
    return rows.filter((row) => row.counted).sort((a, b) => a.no - b.no || a.at - b.at);
  }

  /** The intent under which a request was made: the latest one of its process before the call. */
  attemptOf(flight: Flight): AttemptRow | undefined {
    const filing = this.filingByKey.get(flight.key);
    if (filing === undefined) return undefined;
    return this.attempts(filing.id).findLast(
      (attempt) =>
        attempt.intentAt <= flight.calledAt && this.#pidOf.get(attempt.holder) === flight.pid,
    );
  }

  /** The outcome that this very request led to, where it was committed and counted. */
  outcomeOf(flight: Flight): OutcomeRow | undefined {
    const attempt = this.attemptOf(flight);
    if (attempt === undefined || flight.answeredAt === undefined) return undefined;
    return this.outcomes(attempt.filing).find(
      (row) => row.no === attempt.no && row.holder === attempt.holder,
    );
  }

  /** Milliseconds of [from, to] in which the database was away or no process ran. */
  deadMs(from: number, to: number): number {
    const { outages, idleSpans } = this.evidence;
    return [...outages, ...idleSpans].reduce(
      (sum, span) => sum + Math.max(0, Math.min(span.to, to) - Math.max(span.from, from)),
      0,
    );
  }

  /** Seconds since the start, for messages. */
  at(ms: number | undefined): string {
    return ms === undefined ? 'never' : `${((ms - this.evidence.startMs) / 1000).toFixed(3)}s`;
  }
}

export function short(key: string): string {
  return key.slice(-6);
}

export function groupBy<T>(list: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of list) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

function isPost(flight: Flight): flight is Post {
  return flight.endpoint === 'submit' && flight.writtenAt !== undefined;
}

/** Of a recovery, to see whether the portal works: no filing, and without effect. */
export function isSynthetic(key: string): boolean {
  return key.startsWith('recovery-');
}
