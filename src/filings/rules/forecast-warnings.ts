/**
 * Which warnings a forecast asks for. Filings are told of in groups, and remembered one by one: a group of which somebody
 * was told, and who has acknowledged it, may grow afterwards. Pure.
 */
import type { Turn } from './forecast-queue.ts';
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

interface Group {
  readonly batch: string;
  readonly lane: string;
  readonly hour: number;
  filings: number;
  infeasible: number;
  leastSlackMs: number;
  firstLastSafe: Instant;
  /** How many are under each of the thresholds, in their order. */
  readonly under: number[];
  readonly news: Map<string, number>;
}

/**
 * One look over all that is owed, filing by filing. What it holds are the groups, and of filings only those of whom nobody was
 * told yet, or who have recovered.
 */
export class SlackLook {
  /**
   * What is remembered of filings that have recovered: as if they had been told of under the threshold next to where they
   * are now. So whoever falls as deep again is news again, and a forecast that wavers around a threshold is not.
   */
  readonly recovered = new Map<string, number>();
  readonly #thresholds: readonly number[];
  readonly #groups = new Map<string, Group>();

  constructor(thresholdsMs: readonly number[]) {
    this.#thresholds = inOrder(thresholdsMs);
  }

  /** `toldMs`: the lowest threshold under which somebody was told of it; undefined: nobody was. */
  add(
    { batch, lane }: { readonly batch: string; readonly lane: string },
    turn: Turn,
    toldMs: number | undefined,
  ): void {
    const thresholds = this.#thresholds;
    const slackMs = effectiveSlackMs(turn);
    const group = this.#groupOf(batch, lane, turn.lastSafe);
    group.filings += 1;
    group.infeasible += turn.startsAt === undefined ? 1 : 0;
    group.leastSlackMs = Math.min(group.leastSlackMs, slackMs);
    group.firstLastSafe = instant(Math.min(group.firstLastSafe, turn.lastSafe));
    const lowest = thresholds.findIndex((bound) => isUnder(slackMs, bound));
    const at = lowest === -1 ? thresholds.length : lowest;
    for (let above = at; above < thresholds.length; above += 1) {
      group.under[above] = (group.under[above] ?? 0) + 1;
    }
    const bound = thresholds[at];
    if (bound !== undefined && bound < (toldMs ?? Number.POSITIVE_INFINITY)) {
      group.news.set(turn.id, bound);
    }
    const next = thresholds[at - 1] ?? 0;
    if (toldMs !== undefined && toldMs < next) this.recovered.set(turn.id, next);
  }

  /**
   * The warnings due now, the most urgent first. A filing that has fallen under several thresholds at once is told of
   * under the lowest of them, which covers the others; so is a group in which several are new.
   */
  warnings(): readonly SlackWarning[] {
    return [...this.#groups.values()]
      .filter(({ news }) => news.size > 0)
      .map((group) => warningOf(group, this.#thresholds))
      .sort((a, b) => a.leastSlackMs - b.leastSlackMs);
  }

  #groupOf(batch: string, lane: string, lastSafe: Instant): Group {
    const hour = Math.floor(lastSafe / GROUP_MS) * GROUP_MS;
    const name = `${batch}/${lane}/${hour}`;
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    const fresh: Group = {
      batch,
      lane,
      hour,
      filings: 0,
      infeasible: 0,
      leastSlackMs: Number.POSITIVE_INFINITY,
      firstLastSafe: lastSafe,
      under: [],
      news: new Map(),
    };
    this.#groups.set(name, fresh);
    return fresh;
  }
}

function inOrder(thresholdsMs: readonly number[]): readonly number[] {
  const isSeen = thresholdsMs.some((thresholdMs) => thresholdMs >= LOOK_AHEAD_MS);
  const all = isSeen ? thresholdsMs : [...thresholdsMs, LOOK_AHEAD_MS];
  return [...new Set([...all, 0])].sort((a, b) => a - b);
}

/** Gone is gone: at nothing left, not only below it. */
function isUnder(slackMs: number, thresholdMs: number): boolean {
  return thresholdMs === 0 ? slackMs <= 0 : slackMs < thresholdMs;
}

function effectiveSlackMs({ slackMs, startsAt }: Turn): number {
  return startsAt === undefined ? Math.min(slackMs, 0) : slackMs;
}

function warningOf(group: Group, thresholds: readonly number[]): SlackWarning {
  const { batch, lane, hour, under, news, ...figures } = group;
  const thresholdMs = [...news.values()].reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const lowest = thresholds.find((bound) => bound > 0) ?? 0;
  return {
    batch,
    lane,
    thresholdMs,
    key: `slack/${batch}/${lane}/${toRfc3339(instant(hour))}/${thresholdMs}`,
    severity: thresholdMs <= lowest ? 'critical' : 'warning',
    under: under[thresholds.indexOf(thresholdMs)] ?? 0,
    ...figures,
    news,
  };
}
