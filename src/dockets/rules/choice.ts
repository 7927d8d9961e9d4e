/** The later or the earlier of periods with starts of their own: each end un-rolled, then one is taken. */
import {
  type Day,
  formatDay,
  type PeriodChoice,
  periodEnd,
  type PeriodFrom,
} from '../../calendar/index.ts';
import { invalid } from './case.ts';
import type { Course } from './course.ts';
import { arithmeticOf } from './counting.ts';
import type { Matter } from './matter.ts';
import { sayDay } from './words.ts';

/**
 * An input that is missing leaves its period out. Of "the later of" the date is then a day that is safe and may in truth be
 * later; of "the earlier of" nothing is safe, and the case is refused.
 */
export function runChoice(course: Course, matter: Matter, choice: PeriodChoice): Day {
  const missing: string[] = [];
  const end = endOf(course, matter, { part: choice, missing });
  if (end === undefined) {
    invalid(`inputs.${missing[0] ?? ''}: ${matter.rule.rule} cannot be computed without it`);
  }
  for (const name of missing) {
    const message = `inputs.${name} is missing: with it the date can only be later than this`;
    course.warnings.push(message);
    course.lower('can-only-be-later', () => message);
  }
  return end;
}

interface Place {
  readonly part: PeriodChoice | PeriodFrom;
  /** Names of inputs that the case does not give. */
  readonly missing: string[];
}

function endOf(course: Course, matter: Matter, { part, missing }: Place): Day | undefined {
  if (part.kind === 'from') return endFrom(course, matter, { part, missing });
  if (part.pick === 'earlier' && isIncomplete(part, matter)) {
    for (const name of absentIn(part, matter)) missing.push(name);
    return undefined;
  }
  let best: Day | undefined;
  for (const one of part.parts) {
    const end = endOf(course, matter, { part: one, missing });
    if (end === undefined) continue;
    best = best === undefined ? end : pickOf(course, matter, { pick: part.pick, end, best });
  }
  return best;
}

function pickOf(
  course: Course,
  matter: Matter,
  at: { readonly pick: PeriodChoice['pick']; readonly end: Day; readonly best: Day },
): Day {
  const { citation } = matter.rule;
  const said = { text: `${sayDay(at.best)} and ${sayDay(at.end)} are compared`, citation };
  return at.pick === 'later'
    ? course.laterOf(at.end, at.best, said)
    : course.earlierOf(at.end, at.best, said);
}

function endFrom(
  course: Course,
  matter: Matter,
  at: { readonly part: PeriodFrom; readonly missing: string[] },
): Day | undefined {
  const { from, period } = at.part;
  const start = startOf(from, matter);
  if (start === undefined) {
    at.missing.push(from);
    return undefined;
  }
  course.start(
    start,
    from === 'trigger' ? matter.rule.trigger : from.replaceAll('_', ' '),
    matter.rule.citation,
  );
  return course.period(start, period, arithmeticOf(matter));
}

function startOf(from: string, { trigger, inputs }: Matter): Day | undefined {
  return from === 'trigger' ? trigger : inputs.days.get(from);
}

function isIncomplete(choice: PeriodChoice, matter: Matter): boolean {
  return absentIn(choice, matter).length > 0;
}

function absentIn(choice: PeriodChoice, matter: Matter): string[] {
  return choice.parts.flatMap((part) =>
    part.kind === 'choice'
      ? absentIn(part, matter)
      : startOf(part.from, matter) === undefined
        ? [part.from]
        : [],
  );
}

/** The same without steps and without a roll, to compare two texts of one limit; undefined where an input is missing. */
export function choiceEnd(choice: PeriodChoice, matter: Matter): Day | undefined {
  const ends: Day[] = [];
  for (const part of choice.parts) {
    const start = part.kind === 'from' ? startOf(part.from, matter) : undefined;
    const end =
      part.kind === 'choice'
        ? choiceEnd(part, matter)
        : start && periodEnd(start, part.period, arithmeticOf(matter));
    if (end === undefined) return undefined;
    ends.push(end);
  }
  return ends.reduce((best, end) => ((choice.pick === 'later') === end > best ? end : best));
}

/** Two documents in the wrong order: a day typed into the wrong field moves the limit by months. */
export function checkOrder(matter: Matter, first: string, second: string): void {
  const [a, b] = [startOf(first, matter), startOf(second, matter)];
  if (a === undefined || b === undefined || a <= b) return;
  const named = (name: string): string => (name === 'trigger' ? 'trigger_date' : `inputs.${name}`);
  invalid(`${named(second)}: ${formatDay(b)} is before ${named(first)}, ${formatDay(a)}`);
}
