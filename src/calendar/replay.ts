/** Steps are evidence: replayed from the first, they must end on the day that was answered. */
import { addMonths } from './arithmetic.ts';
import { addDays, type Day, formatDay } from './day.ts';
import type { Step } from './explanation.ts';

/** The day that the steps lead to; throws where a step does not give the day it claims. */
export function replaySteps(steps: readonly Step[]): Day {
  let day: Day | undefined;
  for (const [index, step] of steps.entries()) {
    day = replayStep(step, day);
    if (day !== step.day) {
      throw new Error(
        `step ${index + 1} claims ${formatDay(step.day)}, its act gives ${day === undefined ? 'nothing' : formatDay(day)}`,
      );
    }
  }
  if (day === undefined) throw new Error('there are no steps to replay');
  return day;
}

function replayStep(step: Step, day: Day | undefined): Day | undefined {
  const { act } = step;
  if (act.kind === 'start' || act.kind === 'set') return step.day;
  if (day === undefined) return undefined;
  switch (act.kind) {
    case 'add-months':
      return addMonths(day, act.months, act.arithmetic);
    case 'add-days':
      return addDays(day, act.days);
    case 'roll':
      // One day further for each closed day, and each of them must be the very next one.
      return act.skipped.every((skipped, index) => skipped.day === addDays(day, index))
        ? addDays(day, act.skipped.length)
        : undefined;
    case 'earlier-of':
      return act.other < day ? act.other : day;
    case 'later-of':
      return act.other > day ? act.other : day;
  }
}
