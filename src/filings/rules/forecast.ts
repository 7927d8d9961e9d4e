/**
 * When each lane clears, which filings come too close to their last safe moment, which cannot make it, and what would
 * save them. Pure: `batch run`, the command `forecast`, the alerts and the comparison in `rehearse` all ask this.
 */
import {
  type HoldReason,
  instant,
  type Instant,
  type LaneState,
  type Profile,
} from '../../core/index.ts';
import { OpenSpans } from './forecast-hours.ts';
import { type Levers, leversFor, startBy } from './forecast-levers.ts';
import {
  inOrderOfClaims,
  QueuePlay,
  type QueueRules,
  type Turn,
  type WaitingFiling,
} from './forecast-queue.ts';
import { NEVER, opensAt, recoversAt, waitsForPerson } from '../../lanes/index.ts';

const HOUR_MS = 3_600_000;

/** A week to plan, two days to act, four hours to drop everything else. */
export const SLACK_THRESHOLDS_MS: readonly number[] = [168 * HOUR_MS, 48 * HOUR_MS, 4 * HOUR_MS];

export interface ForecastLane {
  readonly state: LaneState;
  readonly profile: Profile;
  /** How long a slot is busy with one filing, as measured; undefined: what the profile expects. */
  readonly serviceMs: number | undefined;
}

/**
 * `queued`: has its turn when it comes. `approval`: its batch waits for a second person. `in_flight`: with the portal
 * now. `person`: an exception that somebody has to work on.
 */
type BacklogState = 'queued' | 'approval' | 'in_flight' | 'person';

export interface BacklogFiling extends WaitingFiling {
  readonly lane: string;
  readonly batch: string;
  readonly state: BacklogState;
}

export interface ForecastOptions {
  /** Largest first is not needed. */
  readonly thresholdsMs?: readonly number[];
  /** Whose filings are counted; the others compete for turns all the same. */
  readonly counts?: (filing: BacklogFiling) => boolean;
  /** Levers cost a few dozen runs of the queue; progress lines do without. */
  readonly levers?: boolean;
}

interface FilingOutlook extends Turn {
  readonly batch: string;
  readonly state: BacklogState;
}

export interface LaneForecast {
  readonly lane: string;
  /** Counted filings that are neither accepted nor closed, by state. */
  readonly open: Readonly<Record<BacklogState, number>>;
  /** All of these are for people: the profile does not allow automation. */
  readonly byHand: boolean;
  readonly serviceMs: number;
  readonly ceiling: number;
  /** Undefined when nothing can be sent: no work, or a portal that does not open. */
  readonly clearsAt: Instant | undefined;
  readonly leastSlackMs: number | undefined;
  readonly atRisk: readonly { readonly thresholdMs: number; readonly filings: number }[];
  /** Have no turn before their last safe moment. */
  readonly infeasible: number;
  /** The lane stands still until a person acts; everything here supposes that it is resumed now. */
  readonly held: HoldReason | undefined;
  /** Where somebody must act first (approve, resume): until when, so that every filing still makes it. */
  readonly startBy: Instant | undefined;
  readonly levers: Levers | undefined;
  /** Every counted filing, the most urgent first. */
  readonly filings: readonly FilingOutlook[];
}

/** One forecast for each lane that has counted filings, in the order of `lanes`. */
export function forecast(
  lanes: readonly ForecastLane[],
  backlog: readonly BacklogFiling[],
  now: Instant,
  options: ForecastOptions = {},
): readonly LaneForecast[] {
  const byLane = groupByLane(backlog);
  return lanes.flatMap((lane) => {
    const filings = byLane.get(lane.state.code) ?? [];
    const counts = options.counts ?? (() => true);
    return filings.some(counts) ? [forecastLane(lane, filings, now, options)] : [];
  });
}

function forecastLane(
  lane: ForecastLane,
  filings: readonly BacklogFiling[],
  now: Instant,
  options: ForecastOptions,
): LaneForecast {
  const { state, profile } = lane;
  const outlooks: FilingOutlook[] = [];
  const counts = options.counts ?? (() => true);
  const inFlight = filings.filter((filing) => filing.state === 'in_flight').length;
  const play = new LanePlay<BacklogFiling>(lane, inFlight, now, (filing, turn) => {
    if (counts(filing)) outlooks.push({ ...turn, batch: filing.batch, state: filing.state });
  });
  for (const filing of inOrderOfClaims(filings)) play.add(filing);
  play.end();
  outlooks.sort((a, b) => a.slackMs - b.slackMs || a.lastSafe - b.lastSafe);
  const { rules, byHand } = play;
  const waiting = filings.filter((filing) => isWaiting(filing) && !byHand);
  const missed = outlooks.filter(({ startsAt }) => startsAt === undefined);
  const held =
    state.pause.kind === 'held' && waitsForPerson(state) ? state.pause.reason : undefined;
  const mustAct = held !== undefined || waiting.some((filing) => filing.state === 'approval');
  const thresholds = options.thresholdsMs ?? SLACK_THRESHOLDS_MS;
  const wantsLevers = options.levers !== false;
  return {
    lane: state.code,
    open: countStates(outlooks),
    byHand,
    serviceMs: rules.serviceMs,
    ceiling: state.ceiling,
    clearsAt: play.clearsAt,
    leastSlackMs: outlooks[0]?.slackMs,
    atRisk: thresholds.map((thresholdMs) => ({
      thresholdMs,
      filings: outlooks.filter(({ slackMs }) => slackMs < thresholdMs).length,
    })),
    infeasible: missed.length,
    held,
    startBy: wantsLevers && mustAct && play.missed === 0 ? startBy(waiting, rules, now) : undefined,
    levers:
      wantsLevers && missed.length > 0
        ? leversFor({ waiting, rules, missed, profile, byHand }, now)
        : undefined,
    filings: outlooks,
  };
}

/**
 * One lane played filing by filing, in the order of claims, so that a backlog need not be held to be forecast: whoever waits for
 * a turn is told of when it is known, the others at once.
 */
export class LanePlay<F extends BacklogFiling> {
  readonly rules: QueueRules;
  /** All of these are for people: the profile does not allow automation. */
  readonly byHand: boolean;
  readonly #queue: QueuePlay<F>;
  readonly #now: Instant;
  readonly #tell: (filing: F, turn: Turn) => void;

  constructor(
    lane: ForecastLane,
    inFlight: number,
    now: Instant,
    tell: (filing: F, turn: Turn) => void,
  ) {
    this.rules = rulesOf(lane, inFlight, now);
    this.byHand = lane.profile.driver !== 'person' && lane.profile.automation !== 'allowed';
    this.#queue = new QueuePlay(this.rules, now, tell);
    this.#now = now;
    this.#tell = tell;
  }

  get missed(): number {
    return this.#queue.missed;
  }

  get clearsAt(): Instant | undefined {
    return this.#queue.clearsAt;
  }

  add(filing: F): void {
    if (filing.state === 'in_flight') this.#tell(filing, sent(filing, this.#now));
    else if (this.byHand || filing.state === 'person')
      this.#tell(filing, byPerson(filing, this.#now));
    else this.#queue.add(filing);
  }

  /** Nobody else comes. */
  end(): void {
    this.#queue.end();
  }
}

/** How long a slot is busy with one filing: as measured, or as the profile expects. */
export function serviceMsOf({ serviceMs, profile }: ForecastLane): number {
  // What people have in hand for hours says nothing of how long one filing takes them.
  if (profile.driver === 'person') return profile.expectedServiceMs;
  // A portal that takes every filing with 202 is asked once more about each.
  const requests = profile.received.always === true ? 2 : 1;
  return serviceMs ?? profile.expectedServiceMs * requests;
}

/** The lane as a queue. A person's word is supposed to come now; a recovery takes its checks; a pause ends by itself. */
function rulesOf(lane: ForecastLane, inFlight: number, now: Instant): QueueRules {
  const { state, profile } = lane;
  const opens = opensAt(state);
  const from = opens === NEVER ? (recoversAt(state, profile, now) ?? now) : opens;
  const isResuming = from > now || opens === NEVER || state.resumedAt !== undefined;
  const resumedAt = opens === NEVER ? from : (state.resumedAt ?? from);
  const { slowStartStepMs } = profile;
  return {
    ceiling: state.ceiling,
    serviceMs: serviceMsOf(lane),
    spans: new OpenSpans(profile.hours),
    from: instant(Math.max(from, now)),
    opensEarly: false,
    slowStart:
      isResuming && slowStartStepMs > 0 ? { resumedAt, stepMs: slowStartStepMs } : undefined,
    inFlight,
  };
}

function isWaiting({ state }: BacklogFiling): boolean {
  return state === 'queued' || state === 'approval';
}

/** A person can begin at once; what they need is already taken off the last safe moment. */
function byPerson({ id, lastSafe }: BacklogFiling, now: Instant): Turn {
  const slackMs = lastSafe - now;
  return { id, lastSafe, slackMs, startsAt: slackMs > 0 ? now : undefined };
}

function sent({ id, lastSafe }: BacklogFiling, now: Instant): Turn {
  return { id, lastSafe, slackMs: lastSafe - now, startsAt: now };
}

function countStates(filings: readonly FilingOutlook[]): Record<BacklogState, number> {
  const counts = { queued: 0, approval: 0, in_flight: 0, person: 0 };
  for (const { state } of filings) counts[state] += 1;
  return counts;
}

function groupByLane(backlog: readonly BacklogFiling[]): Map<string, BacklogFiling[]> {
  const lanes = new Map<string, BacklogFiling[]>();
  for (const filing of backlog) {
    const known = lanes.get(filing.lane);
    if (known === undefined) lanes.set(filing.lane, [filing]);
    else known.push(filing);
  }
  return lanes;
}
