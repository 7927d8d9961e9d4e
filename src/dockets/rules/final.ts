/** The day on which the right is lost, where the law gives one beyond the due day. */
import {
  type Day,
  monthEndToMonthEnd,
  periodEnd,
  rollForward,
  sameNumberDay,
} from '../../calendar/index.ts';
import { arithmeticOf, periodIn } from './formulas.ts';
import type { Matter } from './matter.ts';

export interface FinalDay {
  readonly day: Day;
  readonly reason: string;
}

const EXTENSION_MONTHS_MAX = 5;
const STATUTORY_MONTHS_MAX = 6;
const GRACE_MONTHS = 6;

export function finalOf(matter: Matter, due: Day): FinalDay | undefined {
  const { rule, trigger } = matter;
  switch (rule.final) {
    case undefined:
      return undefined;
    case 'due':
      return { day: due, reason: 'No later day is allowed.' };
    case 'us-reply':
      return lastReplyDay(matter, due, STATUTORY_MONTHS_MAX);
    case 'us-missing-parts':
      return lastReplyDay(matter, due, undefined);
    case 'maintenance-grace': {
      // 35 U.S.C. 41(b): six months of grace with surcharge, counted from the grant like the fee itself.
      const [one] = periodIn(matter).inARow;
      const months = (one?.months ?? 0) + GRACE_MONTHS;
      const day = rolled(matter, sameNumberDay(trigger, months));
      return { day, reason: 'With surcharge, to the end of the grace period (35 U.S.C. 41(b)).' };
    }
    case 'renewal-grace': {
      if (matter.period.kind !== 'renewal') return undefined;
      // Rule 51(2) EPC, J 4/91: from the un-rolled due date, month end to month end.
      const months = 12 * (matter.period.year - 1) + GRACE_MONTHS;
      const day = rolled(matter, monthEndToMonthEnd(trigger, months));
      return {
        day,
        reason: 'With additional fee, to the end of the grace period (Rule 51(2) EPC).',
      };
    }
  }
}

// 37 CFR 1.136(a)(1): the earlier of five months after the period that was set and the statutory maximum.
function lastReplyDay(matter: Matter, due: Day, statutoryMonths: number | undefined): FinalDay {
  if (matter.inputs.checks.extendable === false) {
    return { day: due, reason: 'The case says that the period is not extendable.' };
  }
  const [set] = periodIn(matter).inARow[0]?.terms ?? [];
  const extended = periodEnd(
    matter.trigger,
    {
      terms: [],
      daysFirst: set?.months === 0 ? set.days : 0,
      months: (set?.months ?? 0) + EXTENSION_MONTHS_MAX,
      daysLast: set?.months === 0 ? 0 : (set?.days ?? 0),
    },
    arithmeticOf(matter),
  );
  const maximum =
    statutoryMonths === undefined ? extended : sameNumberDay(matter.trigger, statutoryMonths);
  const day = rolled(matter, extended < maximum ? extended : maximum);
  return {
    // The period that the case gives may already be the longest one.
    day: day > due ? day : due,
    reason:
      'With petition and fee for the longest extension (37 CFR 1.136(a)), unless the action excludes it.',
  };
}

function rolled(matter: Matter, day: Day): Day {
  return rollForward(day, matter.calendar).day;
}
