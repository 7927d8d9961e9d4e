/**
 * The dates of a docket, computed anew each time they are needed: before every handing over, in a report, after a
 * change of a calendar. There is no way to route by a date that somebody stored.
 */
import {
  addDays,
  type CompiledCalendar,
  type Day,
  endOfDay,
  formatDay,
  parseDay,
} from '../../../calendar/index.ts';
import { FilewrightError, type Instant } from '../../../core/index.ts';
import { withBasis } from './dating.ts';
import { readPatentCase } from '../case.ts';
import { computeDeadline } from '../compute.ts';
import type { PatentLaw } from '../matter.ts';
import { type Docket, type DocketEvent, officeCodeOf } from './docket.ts';

interface DateConflict {
  readonly date: 'due' | 'final';
  readonly computed: Day;
  readonly stated: Day;
}

export type DocketDates =
  | {
      readonly kind: 'dated';
      readonly asOf: Instant;
      readonly office: string | undefined;
      /** Work target: before any roll, which is a rescue and no working time. */
      readonly soft: Day;
      readonly due: Day;
      readonly final: Day | undefined;
      /** The first instant that is too late for `due`. */
      readonly dueMoment: Instant;
      /** `stated`: only the source says so, the law could not be asked. */
      readonly from: 'law' | 'stated';
      /** Why the dates are not to be trusted blindly; empty where they are verified. */
      readonly unverified: readonly string[];
      readonly conflicts: readonly DateConflict[];
      readonly rule: string | undefined;
      readonly law: { readonly rules: string; readonly calendar: string | undefined };
    }
  | {
      readonly kind: 'undated';
      readonly asOf: Instant;
      readonly office: string | undefined;
      readonly code: string;
      readonly why: string;
    };

/** Where a day ends first on earth. For a stated date whose office nobody knows: earlier is safe. */
const FIRST_ZONE = 'Etc/GMT-14';
const FIRST_ZONE_MS = 14 * 3_600_000;
const DAY_MS = 24 * 3_600_000;

/** The earliest of what is said about the event: as long as two readings are in question, each may be the right one. */
export function datesOf(docket: Docket, law: PatentLaw, now: Instant): DocketDates {
  let dates = datesOfOne(docket, law, now);
  for (const { why, event } of docket.also ?? []) {
    dates = earlierOf(dates, datesOfOne(withBasis(docket, event), law, now), why);
  }
  return dates;
}

function earlierOf(first: DocketDates, other: DocketDates, why: string): DocketDates {
  if (other.kind === 'undated') return first;
  const gives = `${why} gives ${formatDay(other.due)}${other.final === undefined ? '' : `, final ${formatDay(other.final)}`}`;
  if (first.kind === 'undated') {
    return {
      ...other,
      unverified: [...other.unverified, `${gives}; the first reading has no date (${first.why})`],
    };
  }
  if (first.due === other.due && first.final === other.final) return first;
  const isEarlier = other.due < first.due;
  const base = isEarlier ? other : first;
  const finals = [first.final, other.final].filter((day) => day !== undefined);
  const final = finals.length === 0 ? undefined : finals.reduce((a, b) => (a < b ? a : b));
  const unverified = [...first.unverified, ...(isEarlier ? other.unverified : [])];
  const said = `in question: ${gives}, instead of ${formatDay(first.due)}; the earlier date is used until people decide`;
  return { ...base, final, unverified: [...new Set([...unverified, said])] };
}

/** Of the reading that counts, whatever else is in question. */
export function datesOfOne(docket: Docket, law: PatentLaw, now: Instant): DocketDates {
  const { event } = docket;
  if (event === undefined) {
    return undated(now, undefined, 'SCHEMA_DRIFT', 'the record could not be read');
  }
  const office = officeCodeOf(event, law.rules);
  const answer = lawDates(event, law);
  if (answer.ok) return settled(event, { ...answer, law, office, now });
  const { due, final } = event.stated;
  const stated = due ?? final;
  if (stated === undefined) return undated(now, office, answer.code, answer.why);
  const earliest = due !== undefined && final !== undefined && final < due ? final : stated;
  const calendar = calendarOf(office, law);
  return {
    kind: 'dated',
    asOf: now,
    office,
    soft: earliest,
    due: earliest,
    final,
    dueMoment: endOfDay(earliest, calendar?.zone ?? FIRST_ZONE),
    from: 'stated',
    unverified: [`stated by the source only: ${answer.why}`],
    conflicts: [],
    rule: undefined,
    law: { rules: law.rules.version, calendar: versionOf(calendar) },
  };
}

type LawAnswer =
  | { readonly ok: true; readonly deadline: ReturnType<typeof computeDeadline> }
  | { readonly ok: false; readonly code: string; readonly why: string };

function lawDates(event: DocketEvent, law: PatentLaw): LawAnswer {
  if (event.eventDate === undefined) {
    return { ok: false, code: 'CASE_INVALID', why: 'event_date: no day from which a period runs' };
  }
  try {
    const one = readPatentCase({ ...caseOf(event), trigger_date: event.eventDate });
    return { ok: true, deadline: computeDeadline(one, law, { explain: false }) };
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    return { ok: false, code: error.code, why: error.message };
  }
}

/** The event in the words of `readPatentCase` and of `compareCase`. */
export function caseOf(event: DocketEvent): Readonly<Record<string, unknown>> {
  return {
    office: event.office,
    filing_country: event.filingCountry,
    event_code: event.eventCode,
    rule: event.rule,
    period: event.period,
    trigger_date: event.eventDate,
    inputs: event.inputs,
  };
}

/** The earlier of two dates that disagree wins: acting early costs a day, acting late costs the right. */
function settled(
  event: DocketEvent,
  at: {
    readonly deadline: ReturnType<typeof computeDeadline>;
    readonly law: PatentLaw;
    readonly office: string | undefined;
    readonly now: Instant;
  },
): DocketDates {
  const { deadline, law, now } = at;
  const { calendar, rule } = deadline.matter;
  const conflicts: DateConflict[] = [];
  const earlier = (date: 'due' | 'final', computed: Day, stated: Day | undefined): Day => {
    if (stated === undefined || stated === computed) return computed;
    conflicts.push({ date, computed, stated });
    return stated < computed ? stated : computed;
  };
  const lawFinal = deadline.final?.day;
  const final =
    lawFinal === undefined ? event.stated.final : earlier('final', lawFinal, event.stated.final);
  // As of that day it is lost, so the day before is the last on which somebody can act.
  const lawDue = rule.asOf === 'loss' ? addDays(deadline.due, -1) : deadline.due;
  let due = earlier('due', lawDue, event.stated.due);
  if (final !== undefined && final < due) due = final;
  return {
    kind: 'dated',
    asOf: now,
    office: deadline.matter.office.code,
    soft: deadline.raw < due ? deadline.raw : due,
    due,
    final,
    dueMoment: endOfDay(due, calendar.zone),
    from: 'law',
    unverified: [
      ...(SAFE.has(deadline.confidence)
        ? []
        : [`confidence ${deadline.confidence}`, ...deadline.reasons]),
      ...furtherOf(deadline),
      ...aheadOf(event, now),
      ...conflicts.map(
        ({ date, computed, stated }) =>
          `${date}: the source states ${formatDay(stated)}, the law gives ${formatDay(computed)}; the earlier date is used`,
      ),
    ],
    conflicts,
    rule: rule.rule,
    law: { rules: law.rules.version, calendar: versionOf(calendar) },
  };
}

/** A date that can only be later is safe to act by, so it needs no person's confirmation. */
const SAFE: ReadonlySet<string> = new Set(['high', 'can-only-be-later']);

/** A docket has one date; what else its event starts must be docketed by a person. */
function furtherOf({ matter }: ReturnType<typeof computeDeadline>): string[] {
  if (matter.also.length === 0) return [];
  return [`the event also starts ${matter.also.join(' and ')}: docket it too`];
}

/**
 * A year mistyped makes a date that is too late and looks like any other. Not refused: an office may post-date what it
 * sends by some days.
 */
function aheadOf(event: DocketEvent, now: Instant): string[] {
  // Where a day begins first on earth. Days are counted from 1970; a zone's own arithmetic would cost more than the date.
  const today = Math.floor((now + FIRST_ZONE_MS) / DAY_MS);
  const day = parseDay((event.eventDate ?? '').slice(0, 10));
  return [
    ...(day !== undefined && day > today ? [`event_date: ${formatDay(day)} is in the future`] : []),
    ...(event.filingDate > today
      ? [`filing_date: ${formatDay(event.filingDate)} is in the future`]
      : []),
  ];
}

function undated(
  asOf: Instant,
  office: string | undefined,
  code: string,
  why: string,
): DocketDates {
  return { kind: 'undated', asOf, office, code, why };
}

/** The calendar of the office in whose working hours timers run. */
export function calendarOf(
  office: string | undefined,
  law: PatentLaw,
): CompiledCalendar | undefined {
  const known = office === undefined ? undefined : law.rules.offices.get(office);
  // A calendar without weekends is none to work by.
  const code = known?.limitsOnly === true ? undefined : known?.calendar;
  return code === undefined ? undefined : law.calendars.get(code);
}

function versionOf(calendar: CompiledCalendar | undefined): string | undefined {
  return calendar === undefined ? undefined : `${calendar.code}@${calendar.version}`;
}

/** Whether something that arrived at `at` arrived in time for the due date. */
export function isInTime(dates: DocketDates & { kind: 'dated' }, at: Instant): boolean {
  return at < dates.dueMoment;
}
