/**
 * Warns before anything is late: every few minutes a forecast over all that is owed, and an alert for each group in
 * which a filing has fallen under a threshold. What was told is remembered filing by filing: of each somebody hears once
 * for each threshold, also when the alert of those before it was acknowledged meanwhile. The backlog is read lane by lane in
 * the order of claims and played as it comes, so that what is held does not grow with it.
 */
import { type BacklogFiling, LanePlay, SLACK_THRESHOLDS_MS } from '../rules/forecast.ts';
import type { Turn } from '../rules/forecast-queue.ts';
import { SlackLook, type SlackWarning } from '../rules/forecast-warnings.ts';
import { type Clock, toRfc3339 } from '../../core/index.ts';
import { readProfile, storedLanes } from '../../lanes/index.ts';
import { backlogPages, filingsInFlight, measuredServiceMs } from '../store/forecast.ts';
import { filingsWarned, forgetEnded, rememberWarned } from '../store/warned.ts';
import { type AlertDeps, raiseAlert } from '../../people/index.ts';

/** In one look, the most urgent first; the rest follows a few minutes later. */
const ALERTS_AT_ONCE = 200;
const HOUR_MS = 3_600_000;

export interface SlackWatchDeps extends AlertDeps {
  readonly clock: Clock;
  /** Default: seven days, two days, four hours. */
  readonly slackThresholdsMs?: readonly number[];
}

export interface SlackFigures {
  /** Filings of every lane under each threshold, and those without a turn in time. */
  readonly under: readonly { readonly thresholdMs: number; readonly filings: number }[];
  readonly infeasible: number;
}

/** Looks once and raises what has to be raised. Returns the warnings that were new. */
export async function watchSlack(deps: SlackWatchDeps): Promise<readonly SlackWarning[]> {
  const { tenant } = deps;
  const run = deps.session.run.bind(deps.session);
  const look = new SlackLook(deps.slackThresholdsMs ?? SLACK_THRESHOLDS_MS);
  const withTold = async (page: readonly BacklogFiling[]) => {
    const ids = page.map(({ id }) => id);
    const told = await filingsWarned(run, tenant, ids);
    return page.map((filing) => ({ ...filing, toldMs: told.get(filing.id) }));
  };
  await playBacklog(deps, withTold, (filing, turn) => look.add(filing, turn, filing.toldMs));
  const fresh = look.warnings().slice(0, ALERTS_AT_ONCE);
  for (const warning of fresh) {
    await raiseAlert(deps, alertOf(warning));
    // After it: a crash between the two leads to the same alert once more, which is counted.
    await rememberWarned(run, tenant, warning.news);
  }
  await rememberWarned(run, tenant, look.recovered);
  await forgetEnded(run, tenant);
  return fresh;
}

/** The daily digest's figures. */
export async function slackFigures(deps: SlackWatchDeps): Promise<SlackFigures> {
  const under = (deps.slackThresholdsMs ?? SLACK_THRESHOLDS_MS).map((thresholdMs) => ({
    thresholdMs,
    filings: 0,
  }));
  let infeasible = 0;
  const asRead = async (page: readonly BacklogFiling[]) => page;
  await playBacklog(deps, asRead, (_filing, { slackMs, startsAt }) => {
    for (const figure of under) figure.filings += slackMs < figure.thresholdMs ? 1 : 0;
    infeasible += startsAt === undefined ? 1 : 0;
  });
  return { under, infeasible };
}

/** Lines for the digest, in the shape of its other figures. */
export function slackLines(figures: SlackFigures): readonly (readonly [string, number])[] {
  return [
    ...figures.under.map(
      ({ thresholdMs, filings }) =>
        [`with less than ${inWords(thresholdMs)} of slack`, filings] as const,
    ),
    ['that cannot be sent before their last safe moment', figures.infeasible],
  ];
}

/** Every lane's queue, page by page; `prepare` adds to a page what is needed when a turn is told. */
async function playBacklog<F extends BacklogFiling>(
  deps: SlackWatchDeps,
  prepare: (page: readonly BacklogFiling[]) => Promise<readonly F[]>,
  tell: (filing: F, turn: Turn) => void,
): Promise<void> {
  const { session, tenant } = deps;
  const now = deps.clock.now();
  const run = session.run.bind(session);
  const lanes = await storedLanes(session, tenant);
  const ceilings = new Map(lanes.map(({ state }) => [String(state.code), state.ceiling]));
  const measured = await measuredServiceMs(run, tenant, ceilings);
  const inFlight = await filingsInFlight(run, tenant);
  for (const { state, profile: stored } of lanes) {
    const profile = readProfile(stored, `lane ${state.code}`);
    const lane = { state, profile, serviceMs: measured.get(state.code) };
    const play = new LanePlay(lane, inFlight.get(state.code) ?? 0, now, tell);
    for await (const page of backlogPages(run, tenant, state.code)) {
      for (const filing of await prepare(page)) play.add(filing);
    }
    play.end();
  }
}

function alertOf(warning: SlackWarning): Parameters<typeof raiseAlert>[1] {
  const { batch, lane, filings, under, thresholdMs, infeasible, leastSlackMs, news } = warning;
  const moment = toRfc3339(warning.firstLastSafe);
  const what =
    thresholdMs === 0
      ? `${infeasible} of ${filings} filings cannot be sent before their last safe moment (the first is ${moment}).`
      : `${under} of ${filings} filings have less than ${inWords(thresholdMs)} of slack (the least ${inWords(leastSlackMs)}; the first last safe moment is ${moment}).`;
  // A second message about a group that somebody knows says what is new in it.
  const fresh = [...news.values()].filter((bound) => bound === thresholdMs).length;
  const grown = fresh < under ? ` ${fresh} of them are new since the last alert.` : '';
  return {
    kind: 'slack_low',
    subject: `batch ${batch} on ${lane}`.slice(0, 200),
    severity: warning.severity,
    text: `${what}${grown} See what would fix it: filewright forecast ${batch} --lane ${lane}`,
    dedup: warning.key,
    hasNews: true,
  };
}

/** Whole days, hours or minutes: a threshold is a round figure, and so is what is left of it. */
function inWords(ms: number): string {
  if (ms <= 0) return 'nothing';
  if (ms >= 48 * HOUR_MS) return `${Math.floor(ms / (24 * HOUR_MS))} days`;
  if (ms >= 2 * HOUR_MS) return `${Math.floor(ms / HOUR_MS)} hours`;
  return `${Math.floor(ms / 60_000)} minutes`;
}
