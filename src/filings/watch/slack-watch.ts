/**
 * Warns before anything is late: every few minutes a forecast over all that is owed, and an alert for each group in
 * which a filing has fallen under a threshold. What was told is remembered filing by filing: of each somebody hears once
 * for each threshold, also when the alert of those before it was acknowledged meanwhile.
 */
import {
  type BacklogFiling,
  forecast,
  type LaneForecast,
  SLACK_THRESHOLDS_MS,
} from '../rules/forecast.ts';
import { recovered, type SlackWarning, slackWarnings } from '../rules/forecast-warnings.ts';
import { type Clock, toRfc3339 } from '../../core/index.ts';
import { readProfile, storedLanes } from '../../lanes/index.ts';
import { backlogPages, measuredServiceMs } from '../store/forecast.ts';
import { filingsWarned, forgetWarned, rememberWarned } from '../store/warned.ts';
import { type AlertParts, raiseAlert } from '../../people/index.ts';

/** In one look, the most urgent first; the rest follows a few minutes later. */
const ALERTS_AT_ONCE = 200;
const HOUR_MS = 3_600_000;

export interface SlackWatchParts extends AlertParts {
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
export async function watchSlack(parts: SlackWatchParts): Promise<readonly SlackWarning[]> {
  const thresholds = parts.slackThresholdsMs ?? SLACK_THRESHOLDS_MS;
  const run = parts.session.run.bind(parts.session);
  const told = await filingsWarned(run, parts.tenant);
  const forecasts = await everyForecast(parts);
  const fresh = slackWarnings(forecasts, thresholds, told).slice(0, ALERTS_AT_ONCE);
  for (const warning of fresh) {
    await raiseAlert(parts, alertOf(warning));
    // After it: a crash between the two leads to the same alert once more, which is counted.
    await rememberWarned(run, parts.tenant, warning.news);
  }
  await rememberWarned(run, parts.tenant, recovered(forecasts, thresholds, told));
  await forgetWarned(run, parts.tenant, endedOf(told.keys(), forecasts));
  return fresh;
}

function endedOf(told: Iterable<string>, forecasts: readonly LaneForecast[]): readonly string[] {
  const open = new Set(forecasts.flatMap(({ filings }) => filings.map(({ id }) => id)));
  return [...told].filter((id) => !open.has(id));
}

/** The daily digest's figures. */
export async function slackFigures(parts: SlackWatchParts): Promise<SlackFigures> {
  const forecasts = await everyForecast(parts);
  const thresholds = parts.slackThresholdsMs ?? SLACK_THRESHOLDS_MS;
  const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
  return {
    under: thresholds.map((thresholdMs) => ({
      thresholdMs,
      filings: sum(
        forecasts.map(({ filings }) => filings.filter((f) => f.slackMs < thresholdMs).length),
      ),
    })),
    infeasible: sum(forecasts.map(({ infeasible }) => infeasible)),
  };
}

/** Lines for the digest, in the shape of its other figures. */
export function slackLines(figures: SlackFigures): readonly (readonly [string, number])[] {
  return [
    ...figures.under.map(
      ({ thresholdMs, filings }) =>
        [`with less than ${inWords(thresholdMs)} of slack`, filings] as const,
    ),
    ['without a turn before their last safe moment', figures.infeasible],
  ];
}

async function everyForecast(parts: SlackWatchParts) {
  const { session, tenant, clock, slackThresholdsMs } = parts;
  const run = session.run.bind(session);
  const lanes = await storedLanes(session, tenant);
  const ceilings = new Map(lanes.map(({ state }) => [String(state.code), state.ceiling]));
  const measured = await measuredServiceMs(run, tenant, ceilings);
  const backlog: BacklogFiling[] = [];
  for await (const page of backlogPages(run, tenant, undefined)) {
    for (const filing of page) backlog.push(filing);
  }
  const known = lanes.map(({ state, profile }) => ({
    state,
    profile: readProfile(JSON.stringify(profile), `lane ${state.code}`),
    serviceMs: measured.get(state.code),
  }));
  const options = { levers: false, ...(slackThresholdsMs && { thresholdsMs: slackThresholdsMs }) };
  return forecast(known, backlog, clock.now(), options);
}

function alertOf(warning: SlackWarning): Parameters<typeof raiseAlert>[1] {
  const { batch, lane, filings, under, thresholdMs, infeasible, leastSlackMs, news } = warning;
  const moment = toRfc3339(warning.firstLastSafe);
  const what =
    thresholdMs === 0
      ? `${infeasible} of ${filings} filings have no turn before their last safe moment (the first is ${moment}).`
      : `${under} of ${filings} filings have less than ${inWords(thresholdMs)} of slack (the least ${inWords(leastSlackMs)}; the first last safe moment is ${moment}).`;
  // A second message about a group that somebody knows says what is new in it.
  const fresh = [...news.values()].filter((bound) => bound === thresholdMs).length;
  const grown = fresh < under ? ` ${fresh} of them are new since the last alert.` : '';
  return {
    kind: 'slack_low',
    subject: `batch ${batch} on ${lane}`.slice(0, 200),
    severity: warning.severity,
    text: `${what}${grown} See what would save them: filewright forecast ${batch} --lane ${lane}`,
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
