/** What would save the filings that cannot make it: more slots, an earlier opening, people. Pure. */
import { playQueue, type QueueRules, type Turn, type WaitingFiling } from './forecast-queue.ts';
import { OpenSpans } from './forecast-hours.ts';
import { addMs, instant, type Instant, type Profile } from '../../core/index.ts';

const HOUR_MS = 3_600_000;
const SECOND_MS = 1_000;
/** As the database allows for a lane. */
const CEILING_MAX = 1_000;
/** More people at once than this is not a lever. */
const PEOPLE_MAX = 1_000;

export interface Levers {
  /** The least ceiling with which every waiting filing makes it; undefined: no number of slots helps. */
  readonly ceiling: number | undefined;
  /** The latest moment at which an opening ahead of hours or pause saves all; undefined: it would not help. */
  readonly openBy: Instant | undefined;
  readonly people: PeopleLever;
}

/** Filing by hand, from now on and round the clock, what has no turn in time. */
interface PeopleLever {
  readonly filings: number;
  /** How many must be done in each hour; undefined when nobody can be in time. */
  readonly perHour: number | undefined;
  /** How many people at once, each needing the profile's time for one filing. */
  readonly atOnce: number | undefined;
  /** Whose due moment is nearer than the time a person needs. */
  readonly beyond: number;
}

export function leversFor(
  input: {
    readonly waiting: readonly WaitingFiling[];
    readonly rules: QueueRules;
    /** Counted filings without a turn. */
    readonly missed: readonly Turn[];
    readonly profile: Profile;
    readonly byHand: boolean;
  },
  now: Instant,
): Levers {
  const { waiting, rules, missed, profile, byHand } = input;
  const ids = new Set(missed.map(({ id }) => id));
  const mustNotMiss = (id: string): boolean => ids.has(id);
  const isSaved = (changes: Partial<QueueRules>): boolean =>
    playQueue(waiting, { ...rules, ...changes, mustNotMiss }, now).turns.every(
      ({ id, startsAt }) => startsAt !== undefined || !ids.has(id),
    );
  return {
    ceiling: byHand ? undefined : leastCeiling(isSaved, rules, waiting.length),
    openBy: byHand ? undefined : latestOpening(isSaved, rules, now),
    people: peopleFor(missed, profile, now),
  };
}

/** The latest start with which no waiting filing misses; a later start never helps, so halving finds it. */
export function startBy(
  waiting: readonly WaitingFiling[],
  rules: QueueRules,
  now: Instant,
): Instant | undefined {
  const end = waiting.reduce((latest, { lastSafe }) => Math.max(latest, lastSafe), Number(now));
  const fits = (at: number): boolean => playQueue(waiting, startingAt(rules, at), now).missed === 0;
  return latestMoment(fits, Number(now), end);
}

function startingAt(rules: QueueRules, at: number): QueueRules {
  const from = instant(Math.max(at, rules.from));
  const { slowStart } = rules;
  return {
    ...rules,
    from,
    slowStart: slowStart === undefined ? undefined : { ...slowStart, resumedAt: from },
  };
}

function leastCeiling(
  isSaved: (changes: Partial<QueueRules>) => boolean,
  rules: QueueRules,
  waiting: number,
): number | undefined {
  let high = Math.min(CEILING_MAX, waiting + rules.inFlight);
  let low = rules.ceiling;
  if (high <= low || !isSaved({ ceiling: high })) return undefined;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (isSaved({ ceiling: middle })) high = middle;
    else low = middle;
  }
  return high;
}

function latestOpening(
  isSaved: (changes: Partial<QueueRules>) => boolean,
  rules: QueueRules,
  now: Instant,
): Instant | undefined {
  const opening = rules.spans.at(rules.from)?.from ?? rules.from;
  if (Math.max(opening, rules.from) <= now) return undefined;
  const fits = (at: number): boolean =>
    isSaved({ ...startingAt({ ...rules, from: now }, at), opensEarly: true });
  return latestMoment(fits, Number(now), Math.max(opening, rules.from));
}

/** To the second, by halving: `fits` holds up to some moment and not after it. */
function latestMoment(
  fits: (at: number) => boolean,
  from: number,
  to: number,
): Instant | undefined {
  if (!fits(from)) return undefined;
  let good = from;
  let bad = to + SECOND_MS;
  while (bad - good > SECOND_MS) {
    const middle = Math.floor((good + bad) / 2);
    if (fits(middle)) good = middle;
    else bad = middle;
  }
  return instant(good);
}

function peopleFor(missed: readonly Turn[], profile: Profile, now: Instant): PeopleLever {
  const { personMs, expectedServiceMs } = profile;
  // The due moment less a person's own time: the last safe moment leaves room for the portal as well.
  const latest = missed.map(({ lastSafe }) => addMs(lastSafe, expectedServiceMs)).sort(ascending);
  const possible = latest.filter((at) => at >= now && at + personMs > now);
  const beyond = latest.length - possible.length;
  if (possible.length === 0) {
    return { filings: missed.length, perHour: undefined, atOnce: undefined, beyond };
  }
  const rates = possible.map((at, index) => ((index + 1) * HOUR_MS) / (at + personMs - now));
  return {
    filings: missed.length,
    perHour: Math.ceil(rates.reduce((most, rate) => Math.max(most, rate), 0)),
    atOnce: leastPeople(possible, personMs, now),
    beyond,
  };
}

function leastPeople(
  latest: readonly number[],
  personMs: number,
  now: Instant,
): number | undefined {
  const waiting = latest.map((at, index) => ({
    id: String(index).padStart(9, '0'),
    readyAt: now,
    // A start in the very last moment is in time for a person.
    lastSafe: instant(at + 1),
  }));
  const spans = new OpenSpans(undefined);
  const fits = (ceiling: number): boolean =>
    playQueue(
      waiting,
      {
        ceiling,
        serviceMs: personMs,
        spans,
        from: now,
        opensEarly: false,
        slowStart: undefined,
        inFlight: 0,
        mustNotMiss: () => true,
      },
      now,
    ).missed === 0;
  let low = 0;
  let high = Math.min(PEOPLE_MAX, waiting.length);
  if (!fits(high)) return undefined;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (fits(middle)) high = middle;
    else low = middle;
  }
  return high;
}

function ascending(a: number, b: number): number {
  return a - b;
}
