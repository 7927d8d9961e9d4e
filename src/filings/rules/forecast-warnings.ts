/**
 * Which warnings a forecast asks for. Filings are told of in groups, and remembered one by one: a group of which somebody
 * was told, and who has acknowledged it, may grow afterwards. Pure.
 */
import type { FilingOutlook, LaneForecast } from './forecast.ts';
import { instant, type Instant, toRfc3339 } from '../../core/index.ts';

/**
 * Filings of one batch and lane whose last safe moments lie in the same hour are told of together: five thousand
 * reports due on one day are one message, and nobody hears of a filing more than an hour before its own turn.
 */
const GROUP_MS = 3_600_000;

/** How often the watch looks; its timetable (jobs/start.ts) says the same. */
const LOOK_EVERY_MS = 5 * 60_000;
/**
 * Two looks: one may come late, after a busy minute or a restart. Whatever has less left than this when it comes in is told
 * of at once, and the largest threshold is never below it: a filing could pass through all of them between two looks.
 */
export const LOOK_AHEAD_MS = 2 * LOOK_EVERY_MS;

export interface SlackWarning {
  readonly batch: string;
  readonly lane: string;
  /** The threshold under which the group has fallen; 0: no turn before the last safe moment. */
  readonly thresholdMs: number;
  /** The same group and threshold give the same key. */
  readonly key: string;
  readonly severity: 'warning' | 'critical';
  readonly filings: number;
  /** Of those, how many are under the threshold by now. */
  readonly under: number;
  readonly leastSlackMs: number;
  readonly firstLastSafe: Instant;
  readonly infeasible: number;
  /** Those of whom nobody was told under their threshold yet, each with that threshold. */
  readonly news: ReadonlyMap<string, number>;
}

/** By filing: the lowest threshold under which somebody was told of it. */
type Told = ReadonlyMap<string, number>;

interface Group {
  readonly batch: string;
  readonly lane: string;
  readonly hour: number;
  readonly filings: FilingOutlook[];
}

/**
 * The warnings due now, the most urgent first. A filing that has fallen under several thresholds at once is told of
 * under the lowest of them, which covers the others; so is a group in which several are new.
 */
export function slackWarnings(
  forecasts: readonly LaneForecast[],
  thresholdsMs: readonly number[],
  told: Told,
): readonly SlackWarning[] {
  const thresholds = inOrder(thresholdsMs);
  return groupsOf(forecasts)
    .flatMap((group) => {
      const news = new Map<string, number>();
      for (const filing of group.filings) {
        const bound = boundOf(filing, thresholds);
        if (bound !== undefined && bound < (told.get(filing.id) ?? Number.POSITIVE_INFINITY))
          news.set(filing.id, bound);
      }
      return news.size === 0 ? [] : [warningOf(group, news, thresholds)];
    })
    .sort((a, b) => a.leastSlackMs - b.leastSlackMs);
}

/**
 * What is remembered of filings that have recovered: as if they had been told of under the threshold next to where they
 * are now. So whoever falls as deep again is news again, and a forecast that wavers around a threshold is not.
 */
export function recovered(
  forecasts: readonly LaneForecast[],
  thresholdsMs: readonly number[],
  told: Told,
): Told {
  const thresholds = inOrder(thresholdsMs);
  const changes = new Map<string, number>();
  for (const { filings } of forecasts) {
    for (const filing of filings) {
      const before = told.get(filing.id);
      if (before === undefined) continue;
      const bound = boundOf(filing, thresholds);
      const at = bound === undefined ? thresholds.length : thresholds.indexOf(bound);
      const next = thresholds[at - 1] ?? 0;
      if (before < next) changes.set(filing.id, next);
    }
  }
  return changes;
}

function inOrder(thresholdsMs: readonly number[]): readonly number[] {
  const isSeen = thresholdsMs.some((thresholdMs) => thresholdMs >= LOOK_AHEAD_MS);
  const all = isSeen ? thresholdsMs : [...thresholdsMs, LOOK_AHEAD_MS];
  return [...new Set([...all, 0])].sort((a, b) => a - b);
}

/** The lowest threshold under which a filing has fallen. */
function boundOf(filing: FilingOutlook, thresholds: readonly number[]): number | undefined {
  const slackMs = effectiveSlackMs(filing);
  return thresholds.find((bound) => isUnder(slackMs, bound));
}

/** Gone is gone: at nothing left, not only below it. */
function isUnder(slackMs: number, thresholdMs: number): boolean {
  return thresholdMs === 0 ? slackMs <= 0 : slackMs < thresholdMs;
}

function effectiveSlackMs({ slackMs, startsAt }: FilingOutlook): number {
  return startsAt === undefined ? Math.min(slackMs, 0) : slackMs;
}

function warningOf(
  group: Group,
  news: ReadonlyMap<string, number>,
  thresholds: readonly number[],
): SlackWarning {
  const least = (all: Iterable<number>): number =>
    [...all].reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const thresholdMs = least(news.values());
  const slacks = group.filings.map(effectiveSlackMs);
  const lowest = thresholds.find((bound) => bound > 0) ?? 0;
  const moments = group.filings.map(({ lastSafe }) => lastSafe);
  return {
    batch: group.batch,
    lane: group.lane,
    thresholdMs,
    key: `slack/${group.batch}/${group.lane}/${toRfc3339(instant(group.hour))}/${thresholdMs}`,
    severity: thresholdMs <= lowest ? 'critical' : 'warning',
    filings: group.filings.length,
    under: slacks.filter((slackMs) => isUnder(slackMs, thresholdMs)).length,
    leastSlackMs: least(slacks),
    firstLastSafe: instant(least(moments)),
    infeasible: group.filings.filter(({ startsAt }) => startsAt === undefined).length,
    news,
  };
}

function groupsOf(forecasts: readonly LaneForecast[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const { lane, filings } of forecasts) {
    for (const filing of filings) {
      const hour = Math.floor(filing.lastSafe / GROUP_MS) * GROUP_MS;
      const name = `${filing.batch}/${lane}/${hour}`;
      const known = groups.get(name);
      if (known !== undefined) known.filings.push(filing);
      else groups.set(name, { batch: filing.batch, lane, hour, filings: [filing] });
    }
  }
  return [...groups.values()];
}
