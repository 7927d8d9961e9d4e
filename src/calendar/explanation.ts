/** Why a date is what it is: numbered steps that a person can read and a program can replay. */
import type { Day } from './day.ts';

/**
 * How far a result may be trusted.
 * - `high`: every rule and every closed day that mattered was read in the law or in an official notice.
 * - `medium`: a rule or a closing was read in a secondary source only, or lies outside a table's coverage without effect.
 * - `low`: from memory, by analogy, or the year has no verified table; a person must confirm.
 */
export type Confidence = 'high' | 'medium' | 'low';

export interface Step {
  /** One plain sentence. */
  readonly text: string;
  /** Statute, rule or notice; undefined only for steps that repeat an input. */
  readonly citation?: string;
  /** What was done, so that the steps can be replayed. */
  readonly act: StepAct;
  /** The day after this step. */
  readonly day: Day;
}

export type StepAct =
  | { readonly kind: 'start' }
  | { readonly kind: 'add-months'; readonly months: number; readonly arithmetic: MonthArithmetic }
  | { readonly kind: 'add-days'; readonly days: number }
  | { readonly kind: 'roll'; readonly skipped: readonly SkippedDay[] }
  /** A day fixed by the law itself or taken from a record: "March 1", "the state's record says". */
  | { readonly kind: 'set' }
  /** The earlier of the day so far and another one. */
  | { readonly kind: 'earlier-of'; readonly other: Day }
  /** The later of the two. */
  | { readonly kind: 'later-of'; readonly other: Day };

/** `same-number`: 37 CFR, Rule 131 EPC, PCT Rule 80; `japanese`: Patent Act Art. 3(1); `month-end`: Rule 51(2) EPC. */
export type MonthArithmetic = 'same-number' | 'japanese' | 'month-end';

export interface SkippedDay {
  readonly day: Day;
  readonly reason: string;
}

/**
 * Of one date. `can-only-be-later`: what is not known is a closing of the office, and a closing that is not known can only
 * move the date later. To act by the date is safe, so no person needs to confirm it first.
 */
export type DateGrade = Confidence | 'can-only-be-later';

const ORDER: Readonly<Record<DateGrade, number>> = {
  low: 0,
  medium: 1,
  'can-only-be-later': 2,
  high: 3,
};

/** A chain is as strong as its weakest link. */
export function leastConfidence(...all: readonly Confidence[]): Confidence {
  return all.reduce((least, one) => (ORDER[one] < ORDER[least] ? one : least), 'high');
}

/** The same of the grades of dates: a doubt about the rule weighs more than a closing that is not known. */
export function lesserGrade(a: DateGrade, b: DateGrade): DateGrade {
  return ORDER[b] < ORDER[a] ? b : a;
}
