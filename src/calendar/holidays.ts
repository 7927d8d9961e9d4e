/** From a holiday rule to the days on which it is kept. */
import type { HolidayRule, MonthDay, Observance, Standing } from './calendar-file.ts';
import { addDays, type Day, dayOf, daysInMonth, nthWeekday, weekdayOf } from './day.ts';
import type { ClosedDay } from './office-calendar.ts';

const SUNDAY = 0;
const SATURDAY = 6;

/** Every day that the rules close and that belongs to `year` by its holiday; an observed day may lie in the next or last. */
export function holidaysOf(rules: readonly HolidayRule[], year: number): ClosedDay[] {
  const japanese: ClosedDay[] = [];
  const others: ClosedDay[] = [];
  for (const rule of rules) {
    for (const day of daysOfRule(rule, year)) {
      const closed = { ...closing(rule, year), day };
      if (rule.observance === 'japan') japanese.push(closed);
      else others.push(observed(closed, rule.observance));
    }
  }
  return [...others, ...actOnNationalHolidays(japanese)];
}

function daysOfRule(rule: HolidayRule, year: number): Day[] {
  if (year < rule.from || year > rule.to || (year - rule.from) % rule.every !== 0) return [];
  const { place } = rule;
  switch (place.kind) {
    case 'on':
      return place.days.flatMap((on) => dayIn(year, on));
    case 'nth':
      return [nthWeekday(year, place.month, place)];
    case 'easter':
      return [addDays(easterSunday(year), place.offset)];
    case 'before': {
      const end = dayOf(year, place.before.month, place.before.day);
      return [addDays(end, -(((weekdayOf(end) - place.weekday + 6) % 7) + 1))];
    }
    case 'table': {
      const on = place.days.get(year);
      return on === undefined ? [] : dayIn(year, on);
    }
  }
}

/** February 29 is kept in leap years only. */
function dayIn(year: number, on: MonthDay): Day[] {
  return on.day <= daysInMonth(year, on.month) ? [dayOf(year, on.month, on.day)] : [];
}

// The Gregorian reckoning, as Meeus gives it.
function easterSunday(year: number): Day {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const ofCentury = year % 100;
  const correction = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = (19 * golden + century - Math.floor(century / 4) - correction + 15) % 30;
  const weekday =
    (32 + 2 * (century % 4) + 2 * Math.floor(ofCentury / 4) - epact - (ofCentury % 4)) % 7;
  const late = Math.floor((golden + 11 * epact + 22 * weekday) / 451);
  const sum = epact + weekday - 7 * late + 114;
  return dayOf(year, Math.floor(sum / 31), (sum % 31) + 1);
}

function closing(rule: HolidayRule, year: number): Omit<ClosedDay, 'day'> {
  const known = year >= rule.verifiedYears.from && year <= rule.verifiedYears.to;
  return {
    reason: rule.name,
    standing: known ? rule.standing : 'projected',
    source: rule.source,
  };
}

function observed(holiday: ClosedDay, observance: Exclude<Observance, 'japan'>): ClosedDay {
  const weekday = weekdayOf(holiday.day);
  const moved = (days: number, to: string): ClosedDay => ({
    ...holiday,
    day: addDays(holiday.day, days),
    reason: `${holiday.reason}, observed on ${to}`,
  });
  switch (observance) {
    case 'as-is':
      return holiday;
    // 5 U.S.C. 6103(b); E.O. 11582; MPEP 710.05: Saturday's holiday on Friday, Sunday's on Monday.
    case 'us-federal':
      if (weekday === SATURDAY) return moved(-1, 'Friday');
      return weekday === SUNDAY ? moved(1, 'Monday') : holiday;
    // 5 U.S.C. 6103(c): only from Sunday; the statute has no provision for Saturday.
    case 'sunday-to-monday':
      return weekday === SUNDAY ? moved(1, 'Monday') : holiday;
    // Patent Rules (Canada) s. 5: a day that falls on a weekend is kept on the next Monday.
    case 'weekend-to-monday':
      if (weekday === SATURDAY) return moved(2, 'Monday');
      return weekday === SUNDAY ? moved(1, 'Monday') : holiday;
    // The same, where the Monday may be taken by the day before: Sunday 25 leaves Monday to the 26th.
    case 'two-days-to-weekdays':
      if (weekday === SATURDAY) return moved(2, 'Monday');
      if (weekday === SUNDAY) return moved(2, 'Tuesday');
      return holiday;
  }
}

// Act on National Holidays Art. 3(2): a holiday on a Sunday makes the next day that is none a holiday; Art. 3(3): so is
// a day whose neighbours are both national holidays. Substitutes do not count as neighbours.
function actOnNationalHolidays(holidays: readonly ClosedDay[]): ClosedDay[] {
  const national = new Map(holidays.map((holiday) => [holiday.day, holiday]));
  const all = new Map(national);
  const add = (day: Day, reason: string, causes: readonly ClosedDay[]): void => {
    if (all.has(day)) return;
    const standing: Standing = causes.every((cause) => cause.standing === 'verified')
      ? 'verified'
      : 'projected';
    all.set(day, { day, reason, standing, source: causes[0]?.source ?? '' });
  };
  for (const holiday of holidays) {
    if (weekdayOf(holiday.day) === SUNDAY) {
      const causes = [holiday];
      let day = addDays(holiday.day, 1);
      for (let next = national.get(day); next !== undefined; next = national.get(day)) {
        causes.push(next);
        day = addDays(day, 1);
      }
      add(day, `substitute for ${holiday.reason}`, causes);
    }
    const after = national.get(addDays(holiday.day, 2));
    if (after !== undefined) {
      add(
        addDays(holiday.day, 1),
        `national holiday between ${holiday.reason} and ${after.reason}`,
        [holiday, after],
      );
    }
  }
  return [...all.values()];
}
