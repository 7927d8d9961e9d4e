/** What the portal sees of a lane: never more than its ceiling at once, and no filing while it is held. */
import type { Profile } from '../../src/core/profile.ts';
import type { Flight, LaneVersion } from '../evidence.ts';
import { type Book, groupBy, isSynthetic, type Rule } from './book.ts';

/** Clock readings of one moment may differ by the time a transaction takes. */
const INSTANT_MS = 1;
/** Two workers read the database's clock through answers that may be slow: so far may their times be apart. */
const READING_MS = 1_300;

const ceiling: Rule = {
  name: 'ceiling',
  check: (book) =>
    book.evidence.profiles.flatMap((profile) => {
      // As the portal counts: filings, questions and probes alike, each until the portal is done with it.
      const changes = book.evidence.flights
        .filter((flight) => flight.lane === profile.code && flight.arrivedAt !== undefined)
        .flatMap((flight) => [
          { at: flight.arrivedAt ?? 0, by: 1 },
          { at: flight.finishedAt ?? Number.POSITIVE_INFINITY, by: -1 },
        ])
        .sort((a, b) => a.at - b.at || a.by - b.by);
      const versions = versionsOf(book, profile);
      let inFlight = 0;
      return changes.flatMap(({ at, by }) => {
        inFlight += by;
        const allowed = ceilingInForce(book, profile, versions, at);
        if (by < 0 || inFlight <= allowed) return [];
        return [`${profile.code}: ${inFlight} in flight at ${book.at(at)}, allowed ${allowed}`];
      });
    }),
};

/**
 * The largest ceiling of the last while: after a live lowering, what was in flight ends first, and a worker that has not
 * heard of it may go on for as long as its lease lasts.
 */
function ceilingInForce(
  book: Book,
  profile: Profile,
  versions: readonly LaneVersion[],
  at: number,
): number {
  const since = at - book.evidence.leaseMs - profile.longestServiceMs - profile.timeoutMs;
  let allowed = 0;
  versions.forEach(({ at: from, row }, index) => {
    const until = versions[index + 1]?.at ?? Number.POSITIVE_INFINITY;
    if (from <= at && until >= since) allowed = Math.max(allowed, row.state.ceiling);
  });
  return allowed;
}

const breaker: Rule = {
  name: 'breaker',
  check: (book) =>
    book.evidence.profiles.flatMap((profile) => [
      ...sentWhileHeld(book, profile),
      ...overlappingProbes(book, profile),
      ...backTooEasily(book, profile),
      ...neverOpened(book, profile),
    ]),
};

/** While it is held no filing is claimed, and what was claimed before is sent within a lease or given back. */
function sentWhileHeld(book: Book, profile: Profile): string[] {
  return heldSpans(book, profile).flatMap(({ from, to }) => [
    ...book.evidence.attempts
      .filter(({ filing, action, intentAt }) => {
        const lane = book.evidence.filings.find((other) => other.id === filing)?.lane;
        const sends = action === 'send' || action === 'resend';
        return sends && lane === profile.code && intentAt > from && intentAt < to;
      })
      .map(({ intentAt }) => `${profile.code}: an intent at ${book.at(intentAt)} while held`),
    ...flightsOf(book, profile, 'submit')
      .filter(({ writtenAt, key }) => {
        const at = writtenAt ?? 0;
        return at > from + book.evidence.leaseMs && at < to && !isSynthetic(key);
      })
      .map(({ writtenAt }) => `${profile.code}: sent at ${book.at(writtenAt)} while held`),
  ]);
}

/** At the portal no two overlap, whoever sent them and whatever became of the first. */
function overlappingProbes(book: Book, profile: Profile): string[] {
  const probes = flightsOf(book, profile, 'health')
    .filter(({ arrivedAt }) => arrivedAt !== undefined)
    .sort((a, b) => (a.arrivedAt ?? 0) - (b.arrivedAt ?? 0));
  return probes.slice(1).flatMap((probe, index) => {
    const last = probes[index];
    const endsAt = last?.finishedAt ?? Number.POSITIVE_INFINITY;
    if (endsAt <= (probe.arrivedAt ?? 0)) return [];
    return [`${profile.code}: two probes at once at ${book.at(probe.arrivedAt)}`];
  });
}

/**
 * Two good probes, as far apart as the profile asks, and a person's word where the portal cannot show by itself that it is
 * well. What a person has paused, a person resumes; what the portal did, nobody undoes by a word.
 */
function backTooEasily(book: Book, profile: Profile): string[] {
  return heldSpans(book, profile).flatMap(({ from, to, versions, endedByPerson }) => {
    if (to === Number.POSITIVE_INFINITY) return [];
    const hasFailed = versions.some(({ row }) => row.state.recovery !== undefined);
    if (!hasFailed) return endedByPerson ? [] : [`${profile.code}: a pause ended by itself`];
    if (endedByPerson) return [`${profile.code}: a blind reset at ${book.at(to)}`];
    const good = flightsOf(book, profile, 'health').filter(
      ({ exchange, answeredAt }) =>
        exchange?.kind === 'answer' &&
        exchange.status === 200 &&
        (answeredAt ?? 0) > from &&
        (answeredAt ?? 0) <= to,
    );
    const times = good.map((probe) => probe.answeredAt ?? 0);
    const spacingMs = Math.max(...times) - Math.min(...times);
    const isSpaced = spacingMs >= profile.breaker.probeSpacingMs - READING_MS;
    const isProbed = good.length >= 2 && isSpaced;
    const isApproved = versions.some(
      ({ row, byPerson }) => byPerson && row.state.recovery?.run.state === 'checking',
    );
    const needsWord = profile.status === undefined && profile.synthetic === undefined;
    return [
      ...(isProbed
        ? []
        : [`${profile.code}: back at ${book.at(to)} after ${good.length} good probes`]),
      ...(needsWord && !isApproved
        ? [`${profile.code}: back at ${book.at(to)} without a word`]
        : []),
    ];
  });
}

const FAILING = new Set(['transient', 'unknown', 'status_unclear']);
const NEUTRAL = new Set([
  'unsent',
  'orphaned',
  'late',
  'throttled',
  'status_throttled',
  'drift',
  'session',
]);

/**
 * So many failures in a row that no order of commits can excuse a breaker that stayed closed: the policy's number, two
 * whose successes between were lost with their process, and two for each other request that may have been under way.
 */
function neverOpened(book: Book, profile: Profile): string[] {
  const filings = new Set(
    book.evidence.filings.filter(({ lane }) => lane === profile.code).map(({ id }) => id),
  );
  const rows = book.evidence.outcomes
    .filter((row) => row.counted && filings.has(row.filing) && !NEUTRAL.has(row.verdict))
    .sort((a, b) => a.at - b.at);
  const versions = versionsOf(book, profile);
  const most = Math.max(...versions.map(({ row }) => row.state.ceiling));
  const limit = profile.breaker.failures + 2 * most;
  const stops = versions.filter(({ row }) => row.state.pause.kind === 'held').map(({ at }) => at);
  const run: number[] = [];
  for (const { verdict, at } of rows) {
    if (!FAILING.has(verdict)) run.length = 0;
    else run.push(at);
    const since = run[0] ?? at;
    if (run.length > limit && !stops.some((stop) => stop >= since - profile.timeoutMs)) {
      return [`${profile.code}: ${run.length} failures in a row at ${book.at(at)}, still closed`];
    }
  }
  return [];
}

/** A pause that the portal asked for, once recorded, is kept: no new intent on the lane before its end. */
const throttle: Rule = {
  name: 'throttle',
  check: (book) => {
    const intents = groupBy(
      book.evidence.attempts,
      ({ filing }) => book.evidence.filings.find((other) => other.id === filing)?.lane ?? '',
    );
    return book.evidence.flights.flatMap((flight) => {
      const { stayAwayUntil, exchange, lane } = flight;
      if (stayAwayUntil === undefined || exchange?.kind !== 'answer') return [];
      const recordedAt = book.outcomeOf(flight)?.at;
      if (recordedAt === undefined) return [];
      const isResumed = book.evidence.laneVersions.some(
        ({ at, row, byPerson }) =>
          byPerson &&
          row.state.code === lane &&
          at >= (flight.answeredAt ?? recordedAt) &&
          at <= stayAwayUntil,
      );
      if (isResumed) return [];
      return (intents.get(lane) ?? [])
        .filter(({ intentAt }) => intentAt > recordedAt + INSTANT_MS && intentAt < stayAwayUntil)
        .map(
          ({ intentAt }) =>
            `${lane}: an intent at ${book.at(intentAt)} in a pause until ${book.at(stayAwayUntil)}`,
        );
    });
  },
};

interface HeldSpan {
  readonly from: number;
  readonly to: number;
  readonly versions: readonly LaneVersion[];
  readonly endedByPerson: boolean;
}

/** A breaker that is not closed always holds its lane. */
function heldSpans(book: Book, profile: Profile): HeldSpan[] {
  const spans: HeldSpan[] = [];
  let versions: LaneVersion[] = [];
  const end = (to: number, endedByPerson: boolean): void => {
    const from = versions[0]?.at;
    if (from !== undefined) spans.push({ from, to, versions, endedByPerson });
    versions = [];
  };
  for (const version of versionsOf(book, profile)) {
    const { pause, breaker: state } = version.row.state;
    if (pause.kind === 'held' || state.state !== 'closed') versions.push(version);
    else end(version.at, version.byPerson);
  }
  end(Number.POSITIVE_INFINITY, false);
  return spans;
}

function versionsOf(book: Book, profile: Profile): readonly LaneVersion[] {
  return book.evidence.laneVersions.filter(({ row }) => row.state.code === profile.code);
}

function flightsOf(book: Book, profile: Profile, endpoint: Flight['endpoint']): Flight[] {
  return book.evidence.flights.filter(
    (flight) =>
      flight.lane === profile.code &&
      flight.endpoint === endpoint &&
      flight.writtenAt !== undefined,
  );
}

export const LANE_RULES: readonly Rule[] = [ceiling, breaker, throttle];
