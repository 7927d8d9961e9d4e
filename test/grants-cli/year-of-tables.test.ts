/**
 * A year of a nonprofit that has nothing but spreadsheets: awards in a workbook, the bank's own CSV for each quarter, and an accountant
 * who types only what the guide says. Every open item must have a way to its end, every quarter closes on what was shown, and the
 * year is what the table of awards says to the cent. What is expected is computed here from the tables, never asked of the product.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, textAt } from '../fixtures/cli.ts';
import { xlsxFile } from '../fixtures/xlsx-file.ts';
import { House, listAt } from './house.ts';

const ACCOUNT = '5500981';
const OPENING = 1_250_000;
/** None of these funders gives enough to cross a state's threshold; that is another test's story. */
const STATES = ['--states', 'PA'] as const;

interface Planned {
  readonly funder: string;
  readonly number: string;
  readonly cents: number;
  readonly on: string;
  readonly reference: string;
}

const FUNDERS = ['Harbor Foundation', 'Birch Trust', 'Fern Fund', 'The Größe Family Fund'];
/** Two a month; the last one is expected after the year. */
const AWARDS: readonly Planned[] = Array.from({ length: 25 }, (_, n) => {
  const month = Math.floor(n / 2);
  const day = new Date(Date.UTC(2025, month, n % 2 === 0 ? 6 : 21)).toISOString().slice(0, 10);
  return {
    funder: FUNDERS[n % FUNDERS.length] ?? '',
    number: `T-${100 + n}`,
    cents: 20_000 + n * 1_337,
    on: day,
    reference: `REF-2025-${100 + n}`,
  };
});

interface Booking {
  readonly on: string;
  readonly cents: number;
  readonly text: string;
  /** What the accountant must say of it; nothing where the reference says all. */
  readonly say?: (keys: ReadonlyMap<string, string>) => readonly string[];
}

const after = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
const key = (keys: ReadonlyMap<string, string>, number: string): string => {
  const found = keys.get(number);
  if (found === undefined) throw new Error(`no award ${number}`);
  return found.slice(0, 16);
};
const dollars = (cents: number): string => (cents / 100).toFixed(2);

/** As the bank books it: by reference, one short without a word, two in one deposit, and a fee each month. */
function bookings(): readonly Booking[] {
  const all: Booking[] = [];
  for (const [n, { on, cents, funder, reference, number }] of AWARDS.slice(0, 24).entries()) {
    const other = AWARDS[n + 1];
    if (n === 5) {
      // The bank of the funder kept 15 dollars, and named no reference.
      const say = (keys: ReadonlyMap<string, string>) => [
        '--award',
        key(keys, number),
        '--fee',
        '15.00',
      ];
      all.push({ on: after(on, 2), cents: cents - 1_500, text: `WIRE ${funder}`, say });
    } else if (n === 10 && other !== undefined) {
      const say = (keys: ReadonlyMap<string, string>) => [
        '--split',
        `${key(keys, number)}=${dollars(cents)}`,
        `${key(keys, other.number)}=${dollars(other.cents)}`,
      ];
      all.push({ on: after(on, 3), cents: cents + other.cents, text: 'DEPOSIT 2 CHECKS', say });
    } else if (n !== 11) {
      all.push({ on: after(on, 1), cents, text: `${funder} ${reference}` });
    }
  }
  for (let month = 0; month < 12; month += 1) {
    const on = new Date(Date.UTC(2025, month, 28)).toISOString().slice(0, 10);
    const say = (): readonly string[] => ['--not-grant-money'];
    all.push({ on, cents: -1_200 - month, text: 'MONTHLY SERVICE CHARGE', say });
  }
  return all.toSorted((a, b) => a.on.localeCompare(b.on));
}

const BOOKINGS = bookings();
const quarterOf = ({ on }: Booking): number => Math.floor((Number(on.slice(5, 7)) - 1) / 3) + 1;

/** Newest first, parentheses, a title and a total: as this bank's site saves it. */
function bankTable(quarter: number, opening: number): { text: string; closing: number } {
  let balance = opening;
  const rows = BOOKINGS.filter((one) => quarterOf(one) === quarter).map(({ on, cents, text }) => {
    balance += cents;
    const amount = cents < 0 ? `(${dollars(-cents)})` : `"$${dollars(cents)}"`;
    const [year, month, day] = on.split('-');
    return `${month}/${day}/${year},${text},${amount},${dollars(balance)}`;
  });
  const head = 'Date,Description,Amount,Balance';
  const lines = ['Account activity', '', head, ...rows.toReversed(), `Total,,${rows.length},`];
  return { text: lines.join('\r\n'), closing: balance };
}

let house: House;
let nora: readonly string[];
const keys = new Map<string, string>();

beforeAll(async () => {
  house = await House.open();
  ({ nora } = await house.twoPeople());
});
afterAll(() => house.close());

it('the workbook of awards is confirmed once and is read to the cent', async () => {
  const head = ['Funder', 'Grant Number', 'Award Amount', 'FY', 'Expected Date', 'Reference'];
  const serial = (day: string) => ({ serial: Date.parse(day) / 86_400_000 + 25_569 });
  // One of them comes with a calendar of reports.
  const calendar = {
    organization: 'SMALL-HOUSE',
    period_start: serial('2025-01-01'),
    period_end: serial('2025-12-31'),
    fiscal_year_end: '12-31',
    reporting_frequency: 'annual',
    guidance_version: '2024',
  };
  const rows = AWARDS.map(({ funder, number, cents, on, reference }, n) => {
    const more = n === 0 ? Object.values(calendar) : [];
    return [funder, number, cents / 100, 2025, serial(on), reference, ...more];
  });
  const names = [...head, ...Object.keys(calendar)];
  const sheets = [{ name: 'Grants 2025', rows: [names, ...rows] }];
  await writeFile(join(house.folder, 'grants.xlsx'), xlsxFile({ sheets }));
  const ingest = [...nora, 'grants', 'ingest', 'grants.xlsx'];
  expect(await house.run(...ingest)).toMatchObject({ code: 2 });
  // What the return asks of every award, said once for all rows.
  const line = ['--set', 'federal_alignment=true', '--set', 'funder_type=foundation'];
  await house.data([...ingest, '--accept-map', ...line]);
  const found = await house.data([
    ...nora,
    'grants',
    'awards',
    '--as-of',
    '2025-01-01',
    '--limit',
    '100',
  ]);
  const awards = listAt(found, 'awards');
  expect(awards.map((one) => [one['awardId'], one['cents'], one['expectedOn']])).toEqual(
    AWARDS.map(({ number, cents, on }) => [number, cents, on]),
  );
  for (const one of awards) keys.set(textAt(one, 'awardId'), textAt(one, 'key'));
});

it('each quarter comes in, is explained line by line, and closes as it was shown', async () => {
  let opening = OPENING;
  for (const quarter of [1, 2, 3, 4]) {
    const { text, closing } = bankTable(quarter, opening);
    const name = await house.file(`bank-q${quarter}.csv`, text);
    // The days that were asked for at the bank's site: its first and last rows are others.
    const days = ['--days', `2025-Q${quarter}`];
    const feed = [...nora, 'grants', 'feed', name, '--account', ACCOUNT, ...days];
    // The first table of this bank is confirmed, and no later one asked about.
    await house.data(quarter === 1 ? [...feed, '--accept-map'] : feed);
    const to = `2025-${String(quarter * 3).padStart(2, '0')}-${quarter === 1 || quarter === 4 ? 31 : 30}`;
    await house.run(...nora, 'grants', 'reconcile', '--to', to);
    const found = await house.data([...nora, 'grants', 'unmatched', '--as-of', to]);
    const open = listAt(found, 'entries').filter((one) => one['side'] === 'bank');
    const unsaid = BOOKINGS.filter((one) => quarterOf(one) === quarter && one.say !== undefined);
    const cents = (one: Json): number =>
      Number(one['amountCents']) * (one['direction'] === 'debit' ? -1 : 1);
    expect(open.map(cents).sort((a, b) => a - b)).toEqual(
      unsaid.map((one) => one.cents).sort((a, b) => a - b),
    );
    for (const entry of open) {
      const booking = unsaid.find((one) => one.cents === cents(entry) && one.on === entry['since']);
      const words = booking?.say?.(keys) ?? [];
      const resolve = ['grants', 'resolve', textAt(entry, 'id'), ...words];
      await house.data([...nora, ...resolve, '--reason', 'as the letter of the funder says']);
    }
    const close = ['grants', 'close', `2025-Q${quarter}`, '--account', ACCOUNT, ...STATES];
    const closed = await house.data(await house.closing([...nora, ...close]));
    expect(closed).toMatchObject({ kind: 'closed' });
    opening = closing;
  }
});

it('the year is what the tables say, to the cent, and what is owed ends with its proof', async () => {
  const found = await house.data([
    ...nora,
    'grants',
    'awards',
    '--as-of',
    '2025-12-31',
    '--limit',
    '100',
  ]);
  expect(
    listAt(found, 'awards').map((one) => [one['awardId'], one['closedCents'], one['state']]),
  ).toEqual(
    AWARDS.map(({ number, cents }, n) =>
      n < 24 ? [number, cents, 'received'] : [number, 0, 'expected'],
    ),
  );
  const left = await house.data([...nora, 'grants', 'unmatched', '--as-of', '2025-12-31']);
  expect(listAt(left, 'entries')).toEqual([]);
  expect(listAt(left, 'upcoming')).toHaveLength(1);
  const rules = ['grants', 'rules', '2025', ...STATES, '--return', '990', '--registration', 'PA'];
  await house.data([...nora, ...rules]);
  const owed = listAt(await house.data(['obligation', 'list']), 'obligations');
  const duty = owed.find((one) => one['filingKind'] === 'form990');
  await house.file('990.pdf', '%PDF-1.7 accepted');
  const proof = [
    '--receipt',
    'EFILE-2025-1',
    '--filed-on',
    '2026-05-14',
    '--confirmation',
    '990.pdf',
  ];
  await house.data([...nora, 'grants', 'filed', textAt(duty, 'id'), ...proof]);
  const met = listAt(await house.data(['obligation', 'list', '--state', 'met']), 'obligations');
  expect(met.map((one) => one['id'])).toContain(textAt(duty, 'id'));
  const report = await house.run(...nora, 'report', '990', '--period', '2025');
  expect(report.code, report.stderr).toBe(0);
  expect(await house.data(['grants', 'exceptions', 'list'])).toMatchObject({ exceptions: [] });
  expect(await house.run('audit', 'verify', '--bodies', '--rows')).toMatchObject({ code: 0 });
});
