/** The queue of one lane played minute by minute, as plainly as it can be said: the judge of the forecast. */
import { isOpen } from '../../src/lanes/rules/hours.ts';
import { instant } from '../../src/core/time.ts';
import type { OpeningHours } from '../../src/core/profile.ts';

export const MINUTE_MS = 60_000;

export interface PlainFiling {
  readonly id: string;
  readonly readyAt: number;
  readonly lastSafe: number;
}

export interface PlainLane {
  readonly ceiling: number;
  readonly serviceMinutes: number;
  readonly hours: OpeningHours | undefined;
  readonly from: number;
  readonly resumedAt: number | undefined;
  readonly stepMinutes: number;
}

/** When each filing begins; undefined: it never does in time. Every moment given must be a whole minute. */
export function playByMinute(
  filings: readonly PlainFiling[],
  lane: PlainLane,
  now: number,
  minutes: number,
): Map<string, number | undefined> {
  const begun = new Map<string, number | undefined>();
  for (let minute = 0; minute < minutes; minute += 1) {
    const at = now + minute * MINUTE_MS;
    if (at < lane.from || !isOpen(lane.hours, instant(at))) continue;
    const busy = [...begun.values()].filter(
      (start) => start !== undefined && start + lane.serviceMinutes * MINUTE_MS > at,
    ).length;
    let free = widthAt(lane, at) - busy;
    const eligible = filings
      .filter((filing) => !begun.has(filing.id) && filing.readyAt <= at && filing.lastSafe > at)
      .sort((a, b) => a.lastSafe - b.lastSafe || (a.id < b.id ? -1 : 1));
    for (const filing of eligible) {
      if (free <= 0) break;
      begun.set(filing.id, at);
      free -= 1;
    }
  }
  for (const { id } of filings) if (!begun.has(id)) begun.set(id, undefined);
  return begun;
}

function widthAt(lane: PlainLane, at: number): number {
  if (lane.resumedAt === undefined || lane.stepMinutes === 0) return lane.ceiling;
  let width = 1;
  for (
    let step = lane.resumedAt + lane.stepMinutes * MINUTE_MS;
    step <= at && width < lane.ceiling;
    step += lane.stepMinutes * MINUTE_MS
  ) {
    width *= 2;
  }
  return Math.min(width, lane.ceiling);
}
