/** Ways to a date that one rule has for itself. */
import { addDays, type Day, isWeekend, sameNumberDay } from '../../calendar/index.ts';
import { invalid } from './case.ts';
import { checkOrder } from './choice.ts';
import type { Course } from './course.ts';
import { type Outcome, periodIn, rollIfRuled } from './counting.ts';
import type { Matter } from './matter.ts';
import { plural, sayDay, sayMonths } from './words.ts';

const EARLY_REPLY_MONTHS = 2;
const STATUTORY_MONTHS = 6;

/**
 * MPEP 706.07(f), 714.13: where the first reply came within two months and the advisory action is mailed after the three,
 * the period ends on the day it is mailed, and extensions count from there. 35 U.S.C. 133: six months at most.
 */
export function runFinalAdvisory(course: Course, matter: Matter): Outcome {
  const { trigger, rule, inputs } = matter;
  checkOrder(matter, 'trigger', 'first_reply_date');
  checkOrder(matter, 'first_reply_date', 'advisory_date');
  const [one] = periodIn(matter).inARow;
  const [set, ...extensions] = one?.terms ?? [];
  if (one === undefined || set === undefined || one.daysFirst + one.daysLast > 0) {
    invalid(`period: expected months for ${rule.rule}, such as P3M`);
  }
  const written = extensions.reduce((sum, term) => sum + term.months, 0);
  const extended = written === 0 ? (inputs.extensionMonths ?? 0) : written;
  const start = course.start(trigger, rule.trigger, rule.citation);
  const advisory = advisoryOf(course, matter, set.months);
  const months = (count: number, from: Day): Day =>
    count === 0 ? from : course.months(from, count, { arithmetic: 'same-number' });
  const end =
    advisory === undefined
      ? months(set.months + extended, start)
      : months(
          extended,
          course.set(advisory, {
            text: `The first reply came within ${plural(EARLY_REPLY_MONTHS, 'month')} and the advisory action was mailed after the ${sayMonths(set.months)}, so the period ends on the day it was mailed: ${sayDay(advisory)}.`,
            citation: rule.citation,
          }),
        );
  const cap = sameNumberDay(trigger, STATUTORY_MONTHS);
  const raw =
    end <= cap
      ? end
      : course.earlierOf(end, cap, {
          text: `The law allows at most ${plural(STATUTORY_MONTHS, 'month')} from the final action, to ${sayDay(cap)}`,
          citation: '35 U.S.C. 133',
        });
  return { raw, due: rollIfRuled(course, matter, raw) };
}

/** The mail date of the advisory action, where it ends the period. */
function advisoryOf(
  course: Course,
  { trigger, inputs }: Matter,
  setMonths: number,
): Day | undefined {
  const first = inputs.days.get('first_reply_date');
  const advisory = inputs.days.get('advisory_date');
  if (first === undefined || advisory === undefined) {
    const message = `inputs.${first === undefined ? 'first_reply_date' : 'advisory_date'} is missing: the period was counted without an advisory action, which can only make it end later`;
    course.warnings.push(message);
    course.lower('can-only-be-later', () => message);
    return undefined;
  }
  // 37 CFR 1.7(a): a reply on the next open day is within the two months too.
  const aside = course.aside();
  const early = aside.roll(sameNumberDay(trigger, EARLY_REPLY_MONTHS));
  const regular = aside.roll(sameNumberDay(trigger, setMonths));
  // Here alone a closing that is not known can make a date earlier: the three months may have lasted past the action.
  course.lower(
    aside.confidence === 'high' ? 'high' : 'medium',
    () => 'The closings around the end of the two and the three months were not all read.',
  );
  return first <= early && advisory > regular ? advisory : undefined;
}

// 35 U.S.C. 156(d)(1); MPEP 2754.01: the day of the permission is day one, or the next business day.
export function runFirstDayCounts(course: Course, matter: Matter): Outcome {
  const { trigger, rule, inputs, calendar } = matter;
  const [one] = periodIn(matter).inARow;
  const days = (one?.daysFirst ?? 0) + (one?.daysLast ?? 0);
  if (one === undefined || one.months > 0) invalid(`period: expected days for ${rule.rule}`);
  const late = inputs.after1630Et === true;
  let dayOne = course.start(trigger, rule.trigger, rule.citation);
  if (late) {
    dayOne = course.days(dayOne, 1, {
      text: 'Transmitted after 4:30 p.m. Eastern Time, so the next business day is day one',
      citation: rule.citation,
    });
  }
  if (late || isWeekend(trigger) || calendar.closedOn(trigger) !== undefined) {
    dayOne = course.roll(dayOne);
  }
  const raw = course.days(dayOne, days - 1, {
    text: `Day ${days}, where the first day is counted`,
    citation: rule.citation,
  });
  return { raw, due: rollIfRuled(course, matter, raw) };
}

// Rule 36(1) EPC, Guidelines A-IV, 1.1.1: pending to the day before the mention of grant. Rule 134 does not help.
export function runDayBefore(course: Course, matter: Matter): Outcome {
  const { trigger, rule } = matter;
  const start = course.start(trigger, rule.trigger, rule.citation);
  const before = course.days(addDays(start, 0), -1, {
    text: 'The day before, whatever day that is',
    citation: rule.citation,
  });
  return { raw: before, due: before };
}
