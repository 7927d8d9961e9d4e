/** The shipped calendars against the tables they come from, and against rules written a second time. */
import Holidays from 'date-holidays';
import { describe, expect, it } from 'vitest';
import {
  addDays,
  type Day,
  dayOf,
  formatDay,
  isWeekend,
  parseDay,
  weekdayOf,
} from '../../src/calendar/day.ts';
import { rollForward } from '../../src/calendar/office-calendar.ts';
import { shippedLaw } from '../../src/system/law-files.ts';

const law = shippedLaw();

function closings(code: string, year: number, standings = ['verified']): string {
  return law
    .calendar(code)
    .closingsOf(year)
    .filter((closed) => standings.includes(closed.standing) && !isWeekend(closed.day))
    .map((closed) => formatDay(closed.day).slice(5))
    .join(' ');
}

function day(text: string): Day {
  const found = parseDay(text);
  if (found === undefined) throw new Error(`no day: ${text}`);
  return found;
}

describe('USPTO, from the rules and the table of closings', () => {
  it.each([
    [2018, '01-01 01-15 02-19 03-21 05-28 07-04 09-03 10-08 11-12 11-22 12-05 12-24 12-25'],
    [2020, '01-01 01-20 02-17 05-25 07-03 09-07 10-12 11-11 11-26 12-24 12-25'],
    // 18 June 2021 is in the statute, but how the Office treated it was not read: projected.
    [2021, '01-01 01-18 01-20 02-15 05-31 07-05 09-06 10-11 11-11 11-25 12-24 12-31'],
    [2022, '01-17 02-21 05-30 06-20 07-04 09-05 10-10 11-11 11-24 12-26'],
    [2023, '01-02 01-16 02-20 05-29 06-19 07-04 09-04 10-09 11-10 11-23 12-25'],
    [2024, '01-01 01-15 02-19 05-27 06-19 07-04 09-02 10-14 11-11 11-28 12-24 12-25'],
    [2025, '01-01 01-09 01-20 02-17 05-26 06-19 07-04 09-01 10-13 11-11 11-27 12-24 12-25 12-26'],
    [2026, '01-01 01-19 02-16 05-25 06-19 07-03 09-07 10-12 11-11 11-26 12-25'],
    [2027, '01-01 01-18 02-15 05-31 06-18 07-05 09-06 10-11 11-11 11-25 12-24 12-31'],
    [2028, '01-17 02-21 05-29 06-19 07-04 09-04 10-09 11-10 11-23 12-25'],
    [2029, '01-01 01-15 02-19 05-28 06-19 07-04 09-03 10-08 11-12 11-22 12-25'],
    [2030, '01-01 01-21 02-18 05-27 06-19 07-04 09-02 10-14 11-11 11-28 12-25'],
  ])('%i', (year, days) => {
    expect(closings('uspto', year)).toBe(days);
  });

  it('shows what is uncertain without letting it move a date', () => {
    expect(closings('uspto', 2021, ['projected'])).toBe('06-18');
    expect(closings('uspto', 2024, ['projected'])).toBe('01-16');
    expect(formatDay(rollForward(day('2024-01-16'), law.calendar('uspto')).day)).toBe('2024-01-16');
  });

  it('takes Emancipation Day for the tax authority and no executive order', () => {
    expect(closings('irs-dc', 2022)).toContain('04-15');
    expect(closings('irs-dc', 2023)).toContain('04-17');
    expect(closings('irs-dc', 2025)).not.toContain('12-24');
  });
});

describe('federal holidays 1971 to 2100', () => {
  it('agree with rules written a second time, by walking the calendar day by day', () => {
    for (let year = 1971; year <= 2100; year += 1) {
      expect(closings('us-federal', year), String(year)).toBe(walkedHolidays(year));
    }
  });

  it('agree with an independent library where it knows the holiday', () => {
    const library = new Holidays('US', { types: ['public'] });
    for (let year = 1986; year <= 2100; year += 1) {
      const theirs = library
        .getHolidays(year)
        .filter((holiday) => !/Inauguration|Election|after Thanksgiving/i.test(holiday.name))
        .map((holiday) => day(holiday.date.slice(0, 10)))
        .filter((found) => !isWeekend(found));
      const ours = law.calendar('us-federal');
      const missing = theirs.filter((found) => ours.closedOn(found) === undefined);
      expect(missing.map(formatDay), String(year)).toEqual([]);
      expect(theirs.length, String(year)).toBeGreaterThanOrEqual(8);
    }
  });
});

/** Monday holidays by counting Mondays, fixed ones by looking at the day and its neighbours. */
function walkedHolidays(year: number): string {
  const found: string[] = [];
  const mondays = new Map<number, number>();
  let thursdaysOfNovember = 0;
  const fixed = (month: number, date: number): boolean =>
    (month === 1 && date === 1) ||
    (month === 6 && date === 19 && year >= 2021) ||
    (month === 7 && date === 4) ||
    (month === 11 && date === 11 && year >= 1978) ||
    (month === 12 && date === 25);
  for (let at = dayOf(year, 1, 1); at <= dayOf(year, 12, 31); at = addDays(at, 1)) {
    const parts = (other: Day): [number, number] => {
      const [, month, date] = formatDay(other).split('-').map(Number);
      return [month ?? 0, date ?? 0];
    };
    const [month, date] = parts(at);
    const weekday = weekdayOf(at);
    const count = (mondays.get(month) ?? 0) + (weekday === 1 ? 1 : 0);
    mondays.set(month, count);
    if (month === 11 && weekday === 4) thursdaysOfNovember += 1;
    const lastMonday = weekday === 1 && parts(addDays(at, 7))[0] !== month;
    const nthMonday = (n: number): boolean => weekday === 1 && count === n;
    const kept =
      (month === 1 && nthMonday(3) && year >= 1986) ||
      (month === 2 && nthMonday(3)) ||
      (month === 5 && lastMonday) ||
      (month === 9 && nthMonday(1)) ||
      (month === 10 && nthMonday(2)) ||
      (month === 10 && nthMonday(4) && year <= 1977) ||
      (month === 11 && weekday === 4 && thursdaysOfNovember === 4) ||
      (weekday >= 1 && weekday <= 5 && fixed(month, date)) ||
      (weekday === 5 && fixed(...parts(addDays(at, 1)))) ||
      (weekday === 1 && fixed(...parts(addDays(at, -1))));
    if (kept) found.push(formatDay(at).slice(5));
  }
  return found.join(' ');
}

describe('JPO, from the Act on National Holidays', () => {
  const closure = /\b(12-29|12-30|12-31|01-02|01-03)\b ?/g;
  it.each([
    [
      2020,
      '01-01 01-13 02-11 02-23 02-24 03-20 04-29 05-03 05-04 05-05 05-06 07-23 07-24 08-10 09-21 09-22 11-03 11-23',
    ],
    [
      2021,
      '01-01 01-11 02-11 02-23 03-20 04-29 05-03 05-04 05-05 07-22 07-23 08-08 08-09 09-20 09-23 11-03 11-23',
    ],
    [
      2022,
      '01-01 01-10 02-11 02-23 03-21 04-29 05-03 05-04 05-05 07-18 08-11 09-19 09-23 10-10 11-03 11-23',
    ],
    [
      2023,
      '01-01 01-02 01-09 02-11 02-23 03-21 04-29 05-03 05-04 05-05 07-17 08-11 09-18 09-23 10-09 11-03 11-23',
    ],
    [
      2024,
      '01-01 01-08 02-11 02-12 02-23 03-20 04-29 05-03 05-04 05-05 05-06 07-15 08-11 08-12 09-16 09-22 09-23 10-14 11-03 11-04 11-23',
    ],
    [
      2025,
      '01-01 01-13 02-11 02-23 02-24 03-20 04-29 05-03 05-04 05-05 05-06 07-21 08-11 09-15 09-23 10-13 11-03 11-23 11-24',
    ],
    [
      2026,
      '01-01 01-12 02-11 02-23 03-20 04-29 05-03 05-04 05-05 05-06 07-20 08-11 09-21 09-22 09-23 10-12 11-03 11-23',
    ],
    [
      2027,
      '01-01 01-11 02-11 02-23 03-21 03-22 04-29 05-03 05-04 05-05 07-19 08-11 09-20 09-23 10-11 11-03 11-23',
    ],
    [
      2028,
      '01-01 01-10 02-11 02-23 03-20 04-29 05-03 05-04 05-05 07-17 08-11 09-18 09-22 10-09 11-03 11-23',
    ],
    [
      2029,
      '01-01 01-08 02-11 02-12 02-23 03-20 04-29 04-30 05-03 05-04 05-05 07-16 08-11 09-17 09-23 09-24 10-08 11-03 11-23',
    ],
    [
      2030,
      '01-01 01-14 02-11 02-23 03-20 04-29 05-03 05-04 05-05 05-06 07-15 08-11 08-12 09-16 09-23 10-14 11-03 11-04 11-23',
    ],
  ])('%i', (year, days) => {
    const weekdays = days.split(' ').filter((text) => !isWeekend(day(`${year}-${text}`)));
    const expected = `${weekdays.join(' ')} `.replaceAll(closure, '').trim();
    const ours = `${closings('jpo', year, ['verified', 'projected'])} `
      .replaceAll(closure, '')
      .trim();
    expect(ours).toBe(expected);
  });

  it('is closed from 29 December to 3 January in every year', () => {
    for (const text of ['2004-12-31', '2024-12-30', '2044-12-29', '2045-01-03']) {
      expect(law.calendar('jpo').closedOn(day(text))?.standing).toBe('verified');
    }
  });

  it('lets an equinox that no gazette has fixed move nothing, nor what follows from it', () => {
    expect(closings('jpo', 2029, ['projected'])).toBe('03-20 09-24');
    expect(law.calendar('jpo').coverageOf(day('2029-09-24'))).toBe('partial');
    expect(closings('jpo', 2027, ['projected'])).toBe('');
  });
});

describe('EPO and WIPO, from their notices', () => {
  it('has 18 weekday closings at the EPO in 2023, each of them by one office at least', () => {
    expect(closings('epo', 2023)).toBe(
      '01-06 03-08 04-07 04-10 04-27 05-01 05-05 05-18 05-29 06-08 08-15 10-03 11-01 12-25 12-26 12-27 12-28 12-29',
    );
    expect(law.calendar('epo').closedOn(day('2023-03-08'))?.reason).toContain('Berlin');
    expect(law.calendar('epo').closedOn(day('2023-04-27'))?.reason).toContain('The Hague');
  });

  it('carries no closing of one year into another', () => {
    expect(closings('epo', 2019)).toBe('01-01');
    expect(closings('epo', 1998)).toBe('');
    expect(closings('epo', 2022, ['verified', 'projected'])).toBe('12-26 12-27 12-28 12-29 12-30');
    expect(law.calendar('epo').coverageOf(day('2022-06-01'))).toBe('none');
  });

  it('takes the International Bureau’s days from the Newsletters only', () => {
    expect(closings('wipo', 2017)).toBe('01-02 04-14 04-17 05-25 06-05 09-07 12-25 12-29');
    expect(closings('wipo', 2019)).toBe('01-01 04-19 04-22 05-30 06-10 09-05 12-25 12-31');
    expect(closings('wipo', 2026)).toBe('');
    expect(closings('wipo', 2026, ['projected'])).toBe('01-01 04-03 04-06 05-14 05-25 09-10 12-25');
  });

  it('knows no state holiday as verified', () => {
    for (const code of ['us-de', 'us-ca', 'us-ny']) {
      expect(closings(code, 2026)).toBe('');
      expect(closings(code, 2026, ['projected'])).toContain('07-03');
      expect(law.calendar(code).coverageOf(day('2026-07-03'))).toBe('none');
    }
  });
});
