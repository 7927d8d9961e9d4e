/** Which warnings a forecast asks for: one for each group of filings and threshold, never twice. Pure. */
import type { FilingOutlook, LaneForecast } from './forecast.ts';
import { instant, type Instant, toRfc3339 } from './time.ts';

/**
 * Filings of one batch and lane whose last safe moments lie in the same hour are told of together: five thousand
 * reports due on one day are one message, and nobody hears of a filing more than an hour before its own turn.
 */
const GROUP_MS = 3_600_000;

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
}

interface Group {
  readonly batch: string;
  readonly lane: string;
  readonly hour: number;
  readonly filings: FilingOutlook[];
}

/**
 * The warnings due now, the most urgent first. A group that has fallen under several thresholds at once is told of
 * under the lowest of them, which covers the others.
 */
export function slackWarnings(
  forecasts: readonly LaneForecast[],
  thresholdsMs: readonly number[],
): readonly SlackWarning[] {
  const thresholds = [...new Set([...thresholdsMs, 0])].sort((a, b) => a - b);
  return groupsOf(forecasts)
    .flatMap((group) => {
      const slacks = group.filings.map(effectiveSlackMs);
      const least = slacks.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
      const thresholdMs = thresholds.find((bound) => isUnder(least, bound));
      if (thresholdMs === undefined) return [];
      return [warningOf(group, thresholdMs, { least, slacks, thresholds })];
    })
    .sort((a, b) => a.leastSlackMs - b.leastSlackMs);
}

/** The keys that make a warning superfluous: its own, and those of the same group under lower thresholds. */
export function coveringKeys(warning: SlackWarning, thresholdsMs: readonly number[]): string[] {
  return [...new Set([0, ...thresholdsMs])]
    .filter((bound) => bound <= warning.thresholdMs)
    .map((bound) => `${warning.key.slice(0, warning.key.lastIndexOf('/'))}/${bound}`);
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
  thresholdMs: number,
  by: {
    readonly least: number;
    readonly slacks: readonly number[];
    readonly thresholds: readonly number[];
  },
): SlackWarning {
  const lowest = by.thresholds.find((bound) => bound > 0) ?? 0;
  const moments = group.filings.map(({ lastSafe }) => lastSafe);
  return {
    batch: group.batch,
    lane: group.lane,
    thresholdMs,
    key: `slack/${group.batch}/${group.lane}/${toRfc3339(instant(group.hour))}/${thresholdMs}`,
    severity: thresholdMs <= lowest ? 'critical' : 'warning',
    filings: group.filings.length,
    under: by.slacks.filter((slackMs) => isUnder(slackMs, thresholdMs)).length,
    leastSlackMs: by.least,
    firstLastSafe: instant(moments.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)),
    infeasible: group.filings.filter(({ startsAt }) => startsAt === undefined).length,
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
