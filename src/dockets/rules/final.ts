/** The day on which the right is lost, where the law gives one beyond the due day. */
import {
  addMonths,
  type Day,
  type OnePeriod,
  periodEnd,
  rollForward,
  sameNumberDay,
} from '../../calendar/index.ts';
import { arithmeticOf, type Outcome, renewalDueDay, setTermOf } from './counting.ts';
import type { FinalRule } from './final-rule.ts';
import type { Matter } from './matter.ts';
import { sayDay } from './words.ts';

export interface FinalDay {
  readonly day: Day;
  /** On what condition the right lasts so long. */
  readonly condition: string;
}

const EXTENSION_MONTHS_MAX = 5;
const STATUTORY_MONTHS_MAX = 6;
const GRACE_MONTHS = 6;

export function finalOf(matter: Matter, at: Outcome): FinalDay | undefined {
  const { final } = matter.rule;
  if (final === undefined) return undefined;
  const { due } = at;
  const isFixed = matter.inputs.checks.extendable === false;
  if (isFixed && final.kind !== 'grace' && final.kind !== 'maintenance-grace') {
    return { day: due, condition: 'The case says that the period is not extendable.' };
  }
  const found = latestOf(final, matter, at);
  if (found === undefined) return undefined;
  const { day, skipped } = rollForward(found.day, matter.calendar);
  // The period that the case gives may already be the longest one.
  if (day <= due) return { day: due, condition: found.condition };
  const doubt = skipped.find(({ standing }) => standing !== 'verified');
  return {
    day,
    condition:
      doubt === undefined
        ? found.condition
        : `${found.condition} The closing on ${sayDay(doubt.day)} needs to be confirmed; without it this is ${sayDay(doubt.day)}.`,
  };
}

/** Before its roll. */
function latestOf(final: FinalRule, matter: Matter, at: Outcome): FinalDay | undefined {
  const { trigger } = matter;
  switch (final.kind) {
    case 'due':
      return { day: at.raw, condition: 'No later day is allowed.' };
    case 'us-reply':
      return lastReplyDay(matter, STATUTORY_MONTHS_MAX);
    case 'us-missing-parts':
      return lastReplyDay(matter, undefined);
    case 'maintenance-grace': {
      if (matter.period.kind !== 'period') return undefined;
      // 35 U.S.C. 41(b): six months of grace with surcharge, counted from the grant like the fee itself.
      const [one] = matter.period.period.inARow;
      const day = sameNumberDay(trigger, (one?.months ?? 0) + GRACE_MONTHS);
      return {
        day,
        condition: 'With surcharge, to the end of the grace period (35 U.S.C. 41(b)).',
      };
    }
    case 'grace':
      return { day: graceEnd(matter, at, final.months), condition: final.condition };
    case 'total':
      return { day: endFromStart(matter, at, final.period), condition: final.condition };
    case 'extension':
      return { day: extended(matter, at, final.period), condition: final.condition };
    case 'after-end':
      return {
        day: periodEnd(at.raw, final.period, arithmeticOf(matter)),
        condition: final.condition,
      };
    case 'late-entry':
      return lateEntry(final, matter);
  }
}

/** From the un-rolled due date: J 4/91; PatKostG 7(1); Patents Act 1977 s. 25(4). */
function graceEnd(matter: Matter, { raw }: Outcome, months: number): Day {
  const { period, rule } = matter;
  if (period.kind !== 'renewal') return addMonths(raw, months, arithmeticOf(matter));
  const due = renewalDueDay(matter, period.year);
  return addMonths(
    due,
    months,
    rule.renewal.dueAt === 'month-end' ? 'month-end' : arithmeticOf(matter),
  );
}

function endFromStart(matter: Matter, { deemed }: Outcome, period: OnePeriod): Day {
  return periodEnd(deemed ?? matter.trigger, period, arithmeticOf(matter));
}

/** What was set and the longest extension as one period. */
function extended(matter: Matter, at: Outcome, more: OnePeriod): Day {
  const set = setTermOf(matter);
  if (set === undefined) return at.raw;
  const isInDays = set.months === 0;
  return endFromStart(matter, at, {
    terms: [],
    daysFirst: isInDays ? set.days : 0,
    months: set.months + more.months,
    daysLast: (isInDays ? 0 : set.days) + more.daysFirst + more.daysLast,
  });
}

function lateEntry(
  final: FinalRule & { readonly kind: 'late-entry' },
  matter: Matter,
): FinalDay | undefined {
  const [one] = matter.period.kind === 'period' ? matter.period.period.inARow : [];
  const months = matter.inputs.lateEntryMonths ?? final.months.get(matter.office.code);
  if (months === undefined || one === undefined) return undefined;
  const day = addMonths(matter.trigger, one.months + months, arithmeticOf(matter));
  return { day, condition: final.condition };
}

// 37 CFR 1.136(a)(1): the earlier of five months after the period that was set and the statutory maximum.
function lastReplyDay(matter: Matter, statutoryMonths: number | undefined): FinalDay {
  const set = setTermOf(matter);
  const extension = periodEnd(
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
    statutoryMonths === undefined ? extension : sameNumberDay(matter.trigger, statutoryMonths);
  return {
    day: extension < maximum ? extension : maximum,
    condition:
      'With petition and fee for the longest extension (37 CFR 1.136(a)), unless the action excludes it.',
  };
}
