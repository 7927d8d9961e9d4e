/** Dates as the formats write them. A zone never moves the day: the bank's own calendar day is the booking day. */
import { civilOf, type Day, dayOf, parseDay } from '../../../calendar/index.ts';
import type { FeedPlace } from './feed-events.ts';
import { quoted, refuse } from './refusal.ts';

// SWIFT and BAI2 write no century; 80 to 99 are taken as 1980 to 1999, as SWIFT does.
const CENTURY_PIVOT = 80;

/** `YYMMDD`. */
export function readShortDate(text: string, place: FeedPlace): Day {
  const year = Number(text.slice(0, 2));
  const century = year >= CENTURY_PIVOT ? '19' : '20';
  const day = /^\d{6}$/.test(text)
    ? parseDay(`${century}${text.slice(0, 2)}-${text.slice(2, 4)}-${text.slice(4)}`)
    : undefined;
  return day ?? notADay(text, 'YYMMDD', place);
}

/** `MMDD` near another day: a value date of 31 December may be booked on 2 January of the next year. */
export function readMonthDay(text: string, near: Day, place: FeedPlace): Day {
  const { year } = civilOf(near);
  const candidates = [year - 1, year, year + 1].flatMap((candidate) => {
    const day = /^\d{4}$/.test(text)
      ? parseDay(`${candidate}-${text.slice(0, 2)}-${text.slice(2)}`)
      : undefined;
    return day === undefined ? [] : [day];
  });
  const nearest = candidates.sort((a, b) => Math.abs(a - near) - Math.abs(b - near))[0];
  return nearest ?? notADay(text, 'MMDD', place);
}

/** `YYYY-MM-DD`, alone, with a zone, or with a time. */
export function readIsoDate(text: string, place: FeedPlace): Day {
  const match =
    /^(\d{4}-\d{2}-\d{2})(?:T([01]\d|2[0-4]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?$/.exec(
      text,
    );
  const day = match?.[1] === undefined ? undefined : parseDay(match[1]);
  return day ?? notADay(text, 'YYYY-MM-DD', place);
}

/** OFX: `YYYYMMDD[HHMMSS[.mmm]]`, with an optional zone such as `[-5:EST]`. */
export function readOfxDate(text: string, place: FeedPlace): Day {
  const match =
    /^(\d{4})(\d{2})(\d{2})(?:([01]\d|2[0-4])[0-5]\d(?:[0-5]\d(?:\.\d{1,3})?)?)?(?:\[[+-]?\d{1,2}(?:\.\d{1,2})?(?::[A-Za-z]{1,5})?\])?$/.exec(
      text,
    );
  const day = match === null ? undefined : parseDay(`${match[1]}-${match[2]}-${match[3]}`);
  return day ?? notADay(text, 'YYYYMMDD with an optional time and zone', place);
}

/** NACHA resolution: day of the year, three digits, in the year in which it is nearest. */
export function readDayOfYear(text: string, near: Day, place: FeedPlace): Day {
  const ordinal = /^\d{3}$/.test(text) ? Number(text) : 0;
  if (ordinal < 1 || ordinal > 366) notADay(text, 'a day of the year', place);
  const { year } = civilOf(near);
  const candidates = [year - 1, year, year + 1].flatMap((candidate) => {
    const day = (dayOf(candidate, 1, 1) + ordinal - 1) as Day; // The brand carries no value of its own.
    return civilOf(day).year === candidate ? [day] : [];
  });
  return (
    candidates.sort((a, b) => Math.abs(a - near) - Math.abs(b - near))[0] ??
    notADay(text, 'a day of the year', place)
  );
}

function notADay(text: string, form: string, place: FeedPlace): never {
  return refuse(place, {
    reason: `expected a valid date written as ${form}, but found ${quoted(text)}`,
  });
}
