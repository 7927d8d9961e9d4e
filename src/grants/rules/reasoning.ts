/** Builds an answer together with its reasons, so that no date and no verdict can stand without them. */
import {
  addDays,
  addMonths,
  type Confidence,
  type Day,
  formatDay,
  leastConfidence,
  type MonthArithmetic,
  type OfficeCalendar,
  rollForward,
  type Step,
} from '../../calendar/index.ts';
import { invariant, type JsonValue } from '../../core/index.ts';
import { confidenceOf, type Fact } from './facts.ts';

/** A reason that moves no date. */
interface Statement {
  readonly text: string;
  readonly citation?: string;
}

export type Reason = Step | Statement;

export interface Evaluation<Result extends JsonValue = JsonValue> {
  readonly result: Result;
  readonly reasons: readonly Reason[];
  readonly confidence: Confidence;
  /** What a person must confirm first; only an answer without tasks may decide a filing. */
  readonly tasks: readonly string[];
  readonly warnings: readonly string[];
  /** Days that belong to the answer without being it. */
  readonly besides: Readonly<Record<string, Day>>;
  readonly ruleVersion: string;
  /** Undefined where no calendar was asked. */
  readonly calendarVersion: string | undefined;
}

export class Reasoning {
  readonly #ruleVersion: string;
  readonly #reasons: Reason[] = [];
  readonly #tasks: string[] = [];
  readonly #warnings: string[] = [];
  readonly #besides: Record<string, Day> = {};
  #confidence: Confidence = 'high';
  #calendarVersion: string | undefined;
  #day: Day | undefined;

  constructor(ruleVersion: string) {
    this.#ruleVersion = ruleVersion;
  }

  get day(): Day {
    invariant(this.#day !== undefined, 'no date has been set yet');
    return this.#day;
  }

  /** The answer rests on this fact; one that is not verified makes a task of it. */
  rely(fact: Fact, subject: string): this {
    this.#lower(confidenceOf(fact.standing));
    if (fact.standing !== 'verified') {
      this.#tasks.push(`Confirm ${subject}: ${fact.standing} (${fact.source})`);
    }
    return this;
  }

  say(text: string, citation?: string): this {
    this.#reasons.push(citation === undefined ? { text } : { text, citation });
    return this;
  }

  warn(text: string): this {
    this.#warnings.push(text);
    return this;
  }

  task(text: string, confidence: Confidence = 'high'): this {
    this.#lower(confidence);
    this.#tasks.push(text);
    return this;
  }

  beside(name: string, day: Day): this {
    this.#besides[name] = day;
    return this;
  }

  start(day: Day, text: string): this {
    return this.#step({ text, act: { kind: 'start' }, day });
  }

  set(day: Day, text: string, citation: string): this {
    return this.#step({ text, citation, act: { kind: 'set' }, day });
  }

  addDays(days: number, text: string, citation: string): this {
    return this.#step({
      text,
      citation,
      act: { kind: 'add-days', days },
      day: addDays(this.day, days),
    });
  }

  /** So many open days on; only verified closings are skipped, each day that is counted lies behind the one before. */
  businessDays(count: number, calendar: OfficeCalendar, why: Required<Statement>): this {
    this.#calendarVersion = calendar.version;
    this.#cover(this.day, calendar);
    let day = this.day;
    for (let left = count; left > 0; left -= 1) {
      day = rollForward(addDays(day, 1), calendar).day;
    }
    return this.#step({ ...why, act: { kind: 'set' }, day });
  }

  addMonths(months: number, arithmetic: MonthArithmetic, why: Required<Statement>): this {
    const day = addMonths(this.day, months, arithmetic);
    return this.#step({ ...why, act: { kind: 'add-months', months, arithmetic }, day });
  }

  earlierOf(other: Day, text: string, citation: string): this {
    const day = other < this.day ? other : this.day;
    return this.#step({ text, citation, act: { kind: 'earlier-of', other }, day });
  }

  /** Onwards to the first open day; only verified closings count, projected ones are shown beside. */
  roll(calendar: OfficeCalendar, citation: string): this {
    this.#calendarVersion = calendar.version;
    const raw = this.day;
    const { day, skipped } = rollForward(raw, calendar);
    const projected = rollForward(raw, calendar, 'verified-and-projected').day;
    if (projected !== day) this.beside('projected_due', projected);
    this.#cover(raw, calendar);
    if (skipped.length === 0) {
      return this.say(
        `${formatDay(raw)} is a business day (${calendar.title}): it does not move.`,
        citation,
      );
    }
    const closings = skipped.map((closed) => `${formatDay(closed.day)} ${closed.reason}`);
    return this.#step({
      text: `Closed: ${closings.join(', ')}; the next business day is ${formatDay(day)}.`,
      citation,
      act: { kind: 'roll', skipped: skipped.map(({ day: on, reason }) => ({ day: on, reason })) },
      day,
    });
  }

  /** The date stands although the office is closed: says which open day before it is the one to aim for. */
  aimBefore(calendar: OfficeCalendar): this {
    this.#calendarVersion = calendar.version;
    let candidate = this.day;
    while (calendar.closedOn(candidate) !== undefined) candidate = addDays(candidate, -1);
    return candidate === this.day ? this : this.beside('aim_for', candidate);
  }

  end<Result extends JsonValue>(result: Result): Evaluation<Result> {
    return {
      result,
      reasons: this.#reasons,
      confidence: this.#confidence,
      tasks: this.#tasks,
      warnings: this.#warnings,
      besides: this.#besides,
      ruleVersion: this.#ruleVersion,
      calendarVersion: this.#calendarVersion,
    };
  }

  endWithDay(): Evaluation {
    return this.end(formatDay(this.day));
  }

  #cover(day: Day, calendar: OfficeCalendar): void {
    const coverage = calendar.coverageOf(day);
    if (coverage === 'complete') return;
    const known = coverage === 'partial' ? 'only in part' : 'not at all';
    this.task(
      `Check the closings around ${formatDay(day)}: the calendar ${calendar.code} covers that year ${known}`,
      coverage === 'partial' ? 'medium' : 'low',
    );
  }

  #step(step: Step): this {
    this.#reasons.push(step);
    this.#day = step.day;
    return this;
  }

  #lower(confidence: Confidence): void {
    this.#confidence = leastConfidence(this.#confidence, confidence);
  }
}
