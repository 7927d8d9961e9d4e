/** Days as text, counted by this folder's own arithmetic and not by the product's. */

const DAY_MS = 86_400_000;
export const YEAR = 2026;

export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

function isBusinessDay(day: string): boolean {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return weekday !== 0 && weekday !== 6;
}

/** The day itself where it is one, else the next. */
export function businessDayFrom(day: string): string {
  let found = day;
  while (!isBusinessDay(found)) found = dayAfter(found, 1);
  return found;
}

export function businessDaysAfter(day: string, count: number): string {
  let found = businessDayFrom(day);
  for (let left = Math.abs(count); left > 0; left -= 1) {
    do found = dayAfter(found, Math.sign(count));
    while (!isBusinessDay(found));
  }
  return found;
}

export interface Month {
  readonly number: number;
  readonly from: string;
  readonly to: string;
}

export const MONTHS: readonly Month[] = Array.from({ length: 12 }, (_, at) => {
  const number = at + 1;
  const from = `${YEAR}-${String(number).padStart(2, '0')}-01`;
  return { number, from, to: new Date(Date.UTC(YEAR, number, 0)).toISOString().slice(0, 10) };
});

export function monthOf(day: string): Month {
  const month = MONTHS[Number(day.slice(5, 7)) - 1];
  if (month === undefined || !day.startsWith(String(YEAR)))
    throw new Error(`${day} is no day here`);
  return month;
}

/** The last business day of a month. */
export function lastBusinessDay({ to }: Month): string {
  let day = to;
  while (!isBusinessDay(day)) day = dayAfter(day, -1);
  return day;
}

/** `260131` for 2026-01-31. */
export function shortDay(day: string): string {
  return day.slice(2).replaceAll('-', '');
}
