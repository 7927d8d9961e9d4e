/** The deadline of one case. Pure: the same case and the same law give the same answer anywhere. */
import {
  type ClosedDay,
  type DateGrade,
  type Day,
  reliefFor,
  type Step,
} from '../../calendar/index.ts';
import type { PatentCase } from './case.ts';
import { checkLimits, compareInputs, tellContradictions } from './checks.ts';
import { Course } from './course.ts';
import { type FinalDay, finalOf } from './final.ts';
import { runFormula } from './formulas.ts';
import { type Matter, matterOf, type PatentLaw } from './matter.ts';
import type { RuleStanding } from './patent-rule.ts';
import { sayDay } from './words.ts';

export interface PatentDeadline {
  readonly matter: Matter;
  /** Before any roll; work targets hang on it, since the days of the roll are a rescue and no working time. */
  readonly raw: Day;
  readonly due: Day;
  readonly final: FinalDay | undefined;
  /** Where a closing that is only projected would move the date if it came true. */
  readonly projectedDue: Day | undefined;
  readonly confidence: DateGrade;
  /** Why the confidence is not higher; told with the steps. */
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
  readonly skipped: readonly ClosedDay[];
  /** Undefined unless asked for. */
  readonly steps: readonly Step[] | undefined;
}

export function computeDeadline(
  one: PatentCase,
  law: PatentLaw,
  options: { readonly explain: boolean },
): PatentDeadline {
  const matter = matterOf(one, law);
  const course = new Course(matter, { counts: 'verified', explain: options.explain });
  checkLimits(matter, course);
  tellContradictions(one, matter, law.rules, course);
  const { rule } = matter;
  if (matter.periodFromLaw && matter.period.kind === 'period') {
    course.warnings.push(
      `period: not given; the period of the law, ${matter.period.period.text}, was used`,
    );
  }
  course.lower(rule.confidence, () => `The rule ${rule.rule} ${KNOWN[rule.standing]}.`);
  tellFurther(matter, course);
  const outcome = runFormula(course, matter, law.rules);
  compareInputs(matter, outcome, course);
  const due = withRelief(outcome.due, { matter, course, law });
  const projectedDue = course.metProjected ? projected(matter, law, due) : undefined;
  if (projectedDue !== undefined) {
    course.lower(
      'can-only-be-later',
      () =>
        `A projected closing would move the date to ${sayDay(projectedDue)}; it is not verified.`,
    );
  }
  return {
    matter,
    raw: outcome.raw,
    due,
    final: finalOf(matter, { ...outcome, due }),
    projectedDue,
    confidence: course.confidence,
    reasons: course.reasons,
    warnings: course.warnings,
    skipped: course.skipped,
    steps: course.trail,
  };
}

/** What a rule is known by; of a rule that was read, a part may still be unsettled. */
export const KNOWN: Readonly<Record<RuleStanding, string>> = {
  read: 'was read in the law or in an official source, but not in every part',
  secondary: 'was read in a secondary source only',
  memory: 'is from memory: a person must confirm it',
};

/** One event can start two periods, and a docket has one date: the other is said, so that nobody misses it. */
function tellFurther({ also }: Matter, course: Course): void {
  if (also.length === 0) return;
  course.warnings.push(`event_code: the event also starts ${also.join(' and ')}; docket it too`);
}

function projected(matter: Matter, law: PatentLaw, due: Day): Day | undefined {
  const course = new Course(matter, { counts: 'verified-and-projected', explain: false });
  const outcome = runFormula(course, matter, law.rules);
  return outcome.due > due ? outcome.due : undefined;
}

/** After the roll, only later, and never for a date that is no act of the applicant (terms, receipts, window openings). */
function withRelief(
  due: Day,
  at: { readonly matter: Matter; readonly course: Course; readonly law: PatentLaw },
): Day {
  const { matter, course, law } = at;
  if (!matter.rule.roll || law.relief.length === 0) return due;
  const relief = reliefFor(
    {
      office: matter.office.code,
      rule: matter.rule.rule,
      due,
      priorityPeriod: matter.rule.priorityPeriod,
    },
    law.relief,
  );
  if (relief === undefined || relief.newDate <= due) return due;
  return course.set(relief.newDate, {
    text: `Exceptional relief for dates from ${sayDay(relief.from)} to ${sayDay(relief.to)}, approved by ${relief.approvedBy} and ${relief.secondPerson}: ${sayDay(relief.newDate)}.`,
    citation: relief.source,
  });
}
