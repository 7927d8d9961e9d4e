/** The closed days of one office, as compiled from a calendar file. */
import { addDays, type Day } from './day.ts';

export interface ClosedDay {
  readonly day: Day;
  readonly reason: string;
  /**
   * `verified` (a notice or statute was read) moves a date. So does `secondary` (the rule was read, the day is that of a
   * library that agrees with it) and `unconfirmed` (a library alone), with less confidence: without it the date is earlier.
   * `projected` moves none and is shown beside it.
   */
  readonly standing: 'verified' | 'secondary' | 'unconfirmed' | 'projected';
  readonly source: string;
}

export interface OfficeCalendar {
  /** Stable name: `us-federal-dc`, `uspto`, `epo`, `wipo`, `jpo`, `irs-dc`, `us-de`, `us-ca`, `us-ny`. */
  readonly code: string;
  readonly title: string;
  /** Changes with every change of content. */
  readonly version: string;
  /** IANA zone in which the office's day ends. */
  readonly zone: string;
  /** The closing on that day, weekends included; undefined when the office is open as far as is known. */
  closedOn(day: Day): ClosedDay | undefined;
  /** Whether the closings of that day's year were read in full, in part, or not at all. */
  coverageOf(day: Day): 'complete' | 'partial' | 'none';
}

/** More closed days in a row than any office ever had; a longer run is a broken calendar file. */
const ROLL_DAYS_MAX = 60;

export interface Rolled {
  readonly day: Day;
  readonly skipped: readonly ClosedDay[];
}

/** The first day at or after `day` that is open; with `standings` says which closings count. Never backwards. */
export function rollForward(
  day: Day,
  calendar: OfficeCalendar,
  counts: 'verified' | 'verified-and-projected' = 'verified',
): Rolled {
  const skipped: ClosedDay[] = [];
  let candidate = day;
  for (let tries = 0; tries < ROLL_DAYS_MAX; tries += 1) {
    const closed = calendar.closedOn(candidate);
    if (closed === undefined || (closed.standing === 'projected' && counts === 'verified')) {
      return { day: candidate, skipped };
    }
    skipped.push(closed);
    candidate = addDays(candidate, 1);
  }
  throw new Error(
    `calendar ${calendar.code} has ${ROLL_DAYS_MAX} closed days in a row from its day ${day}: correct the calendar file`,
  );
}
