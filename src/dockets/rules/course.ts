/**
 * One way from a trigger to a date. The arithmetic happens here and once only; when a trail is kept, each move also
 * leaves its step, so that an explained answer cannot differ from a quick one.
 */
import {
  addDays,
  addMonths,
  type ClosedDay,
  type CompiledCalendar,
  type DateGrade,
  type Day,
  lesserGrade,
  type MonthArithmetic,
  type OnePeriod,
  rollForward,
  type Step,
} from '../../calendar/index.ts';
import type { PatentOffice } from './rules-file.ts';
import { plural, sayDay, sayMonths } from './words.ts';

type Counts = 'verified' | 'verified-and-projected';

export class Course {
  readonly trail: Step[] | undefined;
  confidence: DateGrade = 'high';
  /** Why the confidence is not higher. */
  readonly reasons: string[] = [];
  readonly warnings: string[] = [];
  /** Every closed day that moved the date. */
  readonly skipped: ClosedDay[] = [];
  /** Whether a projected closing was met, which would move the date if it were verified. */
  metProjected = false;
  readonly #office: PatentOffice;
  readonly #calendar: CompiledCalendar;
  readonly #counts: Counts;

  constructor(
    place: { readonly office: PatentOffice; readonly calendar: CompiledCalendar },
    how: { readonly counts: Counts; readonly explain: boolean },
  ) {
    this.#office = place.office;
    this.#calendar = place.calendar;
    this.#counts = how.counts;
    this.trail = how.explain ? [] : undefined;
  }

  /** A course of its own on the same calendar, for a comparison that leaves no steps. */
  aside(): Course {
    return new Course(
      { office: this.#office, calendar: this.#calendar },
      { counts: this.#counts, explain: false },
    );
  }

  /** The words are made only where somebody will read them. */
  lower(grade: DateGrade, reason: () => string): void {
    if (grade === 'high') return;
    this.confidence = lesserGrade(this.confidence, grade);
    if (this.trail === undefined) return;
    const text = reason();
    if (!this.reasons.includes(text)) this.reasons.push(text);
  }

  start(day: Day, what: string, citation?: string): Day {
    this.trail?.push({
      text: `Start: ${sayDay(day)}, the ${what}.`,
      ...(citation === undefined ? {} : { citation }),
      act: { kind: 'start' },
      day,
    });
    return day;
  }

  /** A whole period without a roll in between; days that stand first are counted first. */
  period(start: Day, period: OnePeriod, arithmetic: MonthArithmetic): Day {
    let day = start;
    if (period.daysFirst !== 0) day = this.days(day, period.daysFirst);
    if (period.months !== 0) {
      const extensions = period.terms.length - 1 - (period.daysFirst === 0 ? 0 : 1);
      day = this.months(day, period.months, { arithmetic, extensions });
    }
    return period.daysLast === 0 ? day : this.days(day, period.daysLast);
  }

  months(
    start: Day,
    months: number,
    how: {
      readonly arithmetic: MonthArithmetic;
      readonly extensions?: number;
      readonly citation?: string;
    },
  ): Day {
    const day = addMonths(start, months, how.arithmetic);
    this.trail?.push({
      text: `${months < 0 ? 'Minus' : 'Plus'} ${sayMonths(months)}${wayOf(how)}: ${sayDay(day)}.`,
      citation: how.citation ?? this.#office.monthsCitation,
      act: { kind: 'add-months', months, arithmetic: how.arithmetic },
      day,
    });
    return day;
  }

  days(start: Day, days: number, said?: { readonly text: string; readonly citation: string }): Day {
    const day = addDays(start, days);
    this.trail?.push({
      text: `${said?.text ?? `Plus ${plural(days, 'calendar day')}`}: ${sayDay(day)}.`,
      citation: said?.citation ?? this.#office.daysCitation,
      act: { kind: 'add-days', days },
      day,
    });
    return day;
  }

  /** Section by section the same: never backwards, one day at a time, verified closings only. */
  roll(day: Day): Day {
    const rolled = rollForward(day, this.#calendar, this.#counts);
    for (const closed of rolled.skipped) {
      this.skipped.push(closed);
      if (closed.standing !== 'verified') this.#movedBySecondHand(closed);
    }
    if (this.#calendar.closedOn(rolled.day) !== undefined) this.metProjected = true;
    this.#doubt(day, rolled.day);
    this.trail?.push({
      text: this.#rollText(day, rolled),
      citation: this.#office.rollCitation,
      act: {
        kind: 'roll',
        skipped: rolled.skipped.map((closed) => ({ day: closed.day, reason: closed.reason })),
      },
      day: rolled.day,
    });
    return rolled.day;
  }

  earlierOf(day: Day, other: Day, said: { readonly text: string; readonly citation: string }): Day {
    const earlier = other < day ? other : day;
    this.trail?.push({
      text: `${said.text}: the earlier is ${sayDay(earlier)}.`,
      citation: said.citation,
      act: { kind: 'earlier-of', other },
      day: earlier,
    });
    return earlier;
  }

  laterOf(day: Day, other: Day, said: { readonly text: string; readonly citation: string }): Day {
    const later = other > day ? other : day;
    this.trail?.push({
      text: `${said.text}: the later is ${sayDay(later)}.`,
      citation: said.citation,
      act: { kind: 'later-of', other },
      day: later,
    });
    return later;
  }

  set(day: Day, said: { readonly text: string; readonly citation: string }): Day {
    this.trail?.push({ ...said, act: { kind: 'set' }, day });
    return day;
  }

  /** The closing moves the date; where it turns out to be none, the date was earlier. So a person must confirm it. */
  #movedBySecondHand(closed: ClosedDay): void {
    this.lower(
      closed.standing === 'unconfirmed' ? 'low' : 'medium',
      () =>
        `The closing on ${sayDay(closed.day)} (${closed.reason}) ${closed.standing === 'unconfirmed' ? 'needs to be confirmed' : 'was read in a secondary source'}: ${closed.source}. Without it the date would be ${sayDay(closed.day)}.`,
    );
  }

  /** A closing that was never read cannot be known, and can only move the date later. */
  #doubt(from: Day, to: Day): void {
    if (this.#extentOf(from, to) !== 'complete') {
      this.lower('can-only-be-later', () => this.#doubtText(from, to));
    }
  }

  #extentOf(from: Day, to: Day): 'complete' | 'partial' | 'none' {
    const [first, last] = [this.#calendar.coverageOf(from), this.#calendar.coverageOf(to)];
    if (first === 'none' || last === 'none') return 'none';
    return first === 'partial' || last === 'partial' ? 'partial' : 'complete';
  }

  #doubtText(from: Day, to: Day): string {
    const calendar = this.#calendar;
    const extent = this.#extentOf(from, to);
    const doubtful = calendar.coverageOf(from) === extent ? from : to;
    return extent === 'none'
      ? `No list of closings was read for ${sayDay(doubtful)} (${calendar.title}): only ${calendar.openWeekends ? '' : 'Saturdays, Sundays and '}closings that are known move the date. A closing that is not known can only move it later.`
      : `The closings of ${calendar.title} around ${sayDay(doubtful)} were read in part: ${calendar.coverageNoteOf(doubtful) ?? ''}`;
  }

  #rollText(
    day: Day,
    rolled: { readonly day: Day; readonly skipped: readonly ClosedDay[] },
  ): string {
    const projected = this.#calendar.closedOn(rolled.day);
    const doubt =
      this.#extentOf(day, rolled.day) === 'complete' ? '' : ` ${this.#doubtText(day, rolled.day)}`;
    const aside =
      projected === undefined
        ? doubt
        : `${doubt} A closing is projected for this day (${projected.reason}) but not verified, so it does not move the date.`;
    if (rolled.skipped.length === 0 && this.#calendar.workingDays.has(day)) {
      return `${sayDay(day)} is declared a working day, so the ${this.#office.title} is open: the date stays.${aside}`;
    }
    if (rolled.skipped.length === 0) {
      return `The ${this.#office.title} is open on ${sayDay(day)} as far as is verified: the date stays.${aside}`;
    }
    const list = rolled.skipped
      .map((closed) => `${sayDay(closed.day)} (${closed.reason}; ${closed.source})`)
      .join(', ');
    return `The ${this.#office.title} is closed on ${list}. The next open day is ${sayDay(rolled.day)}.${aside}`;
  }
}

function wayOf(how: {
  readonly arithmetic: MonthArithmetic;
  readonly extensions?: number;
}): string {
  const whole =
    how.extensions === undefined || how.extensions < 1
      ? ''
      : ', period and extension counted as one from the start';
  switch (how.arithmetic) {
    case 'same-number':
      return `${whole}, to the day with the same number or the month’s last day`;
    case 'japanese':
      return `${whole}, counted from the next day, ending before the corresponding day or with the month`;
    case 'month-end':
      return `${whole}, to the last day of the month`;
  }
}
