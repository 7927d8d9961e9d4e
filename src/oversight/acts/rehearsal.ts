/** What a rehearsal is made of, and what came of it beside the forecast. Nothing here writes. */
import { type Actor, allow } from '../../access/index.ts';
import type { Filewright } from '../../filewright.ts';
import {
  type BacklogFiling,
  DEFAULT_SETTINGS,
  forecast,
  type LaneForecast,
  readOutlook,
  type Scope,
  serviceMsOf,
  Worker,
  type WorkerPorts,
} from '../../filings/index.ts';
import { type Instant, type LaneState, type Profile, ruledOut } from '../../core/index.ts';

/** The engine's rows of one filing take some ten kilobytes, and lanes are rehearsed one after the other. */
const LANE_FILINGS_MAX = 50_000;
/** No other process competes for the lease, so beats may be rare; each is an event of its own. */
const LEASE_MS = 600_000;
/** How long the worker waits between two looks when nothing wakes it (delivery/worker.ts). */
const IDLE_LOOK_MS = 50;

/** What the rehearsal room needs to play one lane. */
interface LanePlan {
  readonly profile: Profile;
  readonly state: LaneState;
  readonly serviceMs: number;
  readonly filings: readonly BacklogFiling[];
  readonly startAt: Instant;
  readonly settings: { readonly leaseMs: number; readonly looksMs: readonly number[] };
  readonly createWorker: (ports: WorkerPorts) => Worker;
}

interface RehearsalPlan {
  readonly lanes: readonly LanePlan[];
  readonly forecasts: readonly LaneForecast[];
  /** Filings that were asked for; the others only take their turns. */
  readonly counted: ReadonlySet<string>;
}

interface End {
  readonly id: string;
  readonly to: 'accepted' | 'rejected' | 'fallout';
  readonly code: string;
  readonly at: Instant;
}

export interface LaneOutcome {
  readonly lane: string;
  readonly filings: number;
  readonly accepted: number;
  /** Given to people, by reason. */
  readonly toPeople: Readonly<Record<string, number>>;
  /** Their last safe moment passed before they were with the portal; without a person they are late. */
  readonly late: number;
  readonly open: number;
  readonly clearsAt: Instant | undefined;
  readonly forecastClearsAt: Instant | undefined;
  readonly forecastInfeasible: number;
}

export async function planRehearsal(
  app: Filewright,
  actor: Actor,
  scope: Scope,
): Promise<RehearsalPlan> {
  allow(actor, 'rehearsal.plan');
  const { lanes, backlog, counts, now } = await readOutlook(app, scope);
  const counted = backlog.filter((filing) => counts(filing) && filing.state !== 'person');
  const ids = new Set(counted.map(({ id }) => id));
  const plans = lanes.map((lane): LanePlan => {
    const filings = backlog.filter(
      (filing) => filing.lane === lane.state.code && filing.state !== 'person',
    );
    if (filings.length > LANE_FILINGS_MAX) {
      throw ruledOut(
        `${filings.length} filings are open on ${lane.state.code}, and a rehearsal handles at most ${LANE_FILINGS_MAX} on one lane; use forecast instead`,
      );
    }
    return {
      profile: lane.profile,
      state: lane.state,
      serviceMs: serviceMsOf(lane),
      filings,
      startAt: now,
      settings: {
        leaseMs: LEASE_MS,
        looksMs: [IDLE_LOOK_MS, DEFAULT_SETTINGS.manageMs, DEFAULT_SETTINGS.sequenceMs],
      },
      createWorker: (ports) => new Worker(ports, { leaseMs: LEASE_MS }),
    };
  });
  const forecasts = forecast(lanes, backlog, now, {
    levers: false,
    counts: ({ id }) => ids.has(id),
  });
  return {
    lanes: plans.filter(({ filings }) => filings.some(({ id }) => ids.has(id))),
    forecasts,
    counted: ids,
  };
}

/** What became of the counted filings of one lane. */
export function laneOutcome(
  plan: RehearsalPlan,
  lane: LanePlan,
  ends: readonly End[],
): LaneOutcome {
  const counted = ends.filter(({ id }) => plan.counted.has(id));
  const filings = lane.filings.filter(({ id }) => plan.counted.has(id)).length;
  const toPeople: Record<string, number> = {};
  for (const { to, code } of counted) {
    if (to !== 'accepted') toPeople[code] = (toPeople[code] ?? 0) + 1;
  }
  const known = plan.forecasts.find((one) => one.lane === lane.state.code);
  return {
    lane: lane.state.code,
    filings,
    accepted: counted.filter(({ to }) => to === 'accepted').length,
    toPeople,
    late: toPeople['SLACK_GONE'] ?? 0,
    open: filings - counted.length,
    clearsAt: counted.at(-1)?.at,
    forecastClearsAt: known?.clearsAt,
    forecastInfeasible: known?.infeasible ?? 0,
  };
}
