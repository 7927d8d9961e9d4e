/** What changes between two versions of the calendars, day by day, before anybody publishes the newer one. */
import type { CalendarSet } from './calendar-set.ts';
import type { CompiledCalendar } from './compile-calendar.ts';
import { civilOf, type Day } from './day.ts';
import type { ClosedDay } from './office-calendar.ts';

export interface DayChange {
  readonly day: Day;
  /** Undefined: open. */
  readonly was: ClosedDay | undefined;
  readonly now: ClosedDay | undefined;
}

export interface CalendarChange {
  readonly code: string;
  /** Undefined: there was or is no calendar of that code. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly days: readonly DayChange[];
}

/** Every calendar whose version or closings differ; `years` bounds how far rules are laid out. */
export function compareCalendars(
  before: CalendarSet,
  after: CalendarSet,
  years: { readonly from: number; readonly to: number },
): CalendarChange[] {
  const codes = [...new Set([...before.keys(), ...after.keys()])].sort();
  return codes.flatMap((code) => {
    const [was, now] = [before.get(code), after.get(code)];
    const days: DayChange[] = [];
    for (let year = years.from; year <= years.to; year += 1) {
      days.push(...changesOfYear(was, now, year));
    }
    if (was?.version === now?.version && days.length === 0) return [];
    return [{ code, from: was?.version, to: now?.version, days }];
  });
}

function changesOfYear(
  before: CompiledCalendar | undefined,
  after: CompiledCalendar | undefined,
  year: number,
): DayChange[] {
  const was = new Map((before?.closingsOf(year) ?? []).map((closed) => [closed.day, closed]));
  const now = new Map((after?.closingsOf(year) ?? []).map((closed) => [closed.day, closed]));
  const days = [...new Set([...was.keys(), ...now.keys()])].sort((a, b) => a - b);
  return days
    .map((day) => ({ day, was: was.get(day), now: now.get(day) }))
    .concat(declaredDays(before, after, year))
    .filter((change) => change.was?.standing !== change.now?.standing)
    .sort((a, b) => a.day - b.day);
}

/** Saturdays and Sundays that one of the two declares to be working days: no closing tells of them. */
function declaredDays(
  before: CompiledCalendar | undefined,
  after: CompiledCalendar | undefined,
  year: number,
): DayChange[] {
  const declared = new Set([...(before?.workingDays ?? []), ...(after?.workingDays ?? [])]);
  return [...declared]
    .filter((day) => civilOf(day).year === year)
    .map((day) => ({ day, was: before?.closedOn(day), now: after?.closedOn(day) }));
}
