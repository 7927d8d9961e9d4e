/** How long a tier may keep a docket unconfirmed. */
import type { OfficeCalendar } from '../../../calendar/index.ts';
import { addMs, type Instant, instant } from '../../../core/index.ts';
import type { DocketDates } from '../docket/dates.ts';
import type { RoutingPolicy } from './policy.ts';
import type { Tier } from './tiers.ts';
import { addWorkingMs } from './working-time.ts';

/** The last moment at which a person can still act in peace; undefined where no date is known. */
export function lastSafeOf(dates: DocketDates, policy: RoutingPolicy): Instant | undefined {
  return dates.kind === 'dated' ? addMs(dates.dueMoment, -policy.reserveMs) : undefined;
}

/**
 * Working time of the office, but never more than an even share of the slack: with three tiers before a person, the
 * first may use a third of what is left. So a weekend or a holiday cannot carry a timer past the due date. A docket
 * without a date may be due at any moment, and has the shortest timer.
 */
export function confirmBy(input: {
  readonly tier: Exclude<Tier, 'MANUAL'>;
  /** This one and those after it, without MANUAL. */
  readonly tiersLeft: number;
  readonly dates: DocketDates;
  readonly calendar: OfficeCalendar | undefined;
  readonly policy: RoutingPolicy;
  readonly now: Instant;
}): Instant {
  const { policy, now } = input;
  const soonest = addMs(now, policy.confirmMsMin);
  const lastSafe = lastSafeOf(input.dates, policy);
  if (lastSafe === undefined) return soonest;
  const nominalMs = policy.confirmMs[input.tier];
  const nominal =
    input.calendar === undefined
      ? addMs(now, nominalMs)
      : addWorkingMs(now, nominalMs, { calendar: input.calendar, workingDay: policy.workingDay });
  const share = addMs(now, Math.floor((lastSafe - now) / Math.max(1, input.tiersLeft)));
  const wanted = Math.max(Math.min(nominal, share), soonest);
  // Not past the last safe moment, not even for the shortest timer.
  return instant(Math.max(Math.min(wanted, lastSafe), now));
}
