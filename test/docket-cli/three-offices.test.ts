/**
 * Two hundred dockets of three offices, from the table that a docketing clerk exports to the last one closed with its proof, by commands
 * alone. Every date is computed here a second time, by counting months, on days that no office rolls; no docket is left without a way on.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, textAt } from '../fixtures/cli.ts';
import { DeskLine, listAt, type Person } from './desk-line.ts';

const COUNT = 200;
const DAY_MS = 86_400_000;

interface Office {
  readonly name: string;
  readonly months: number;
  readonly number: (n: number) => string;
  /** The same number as another system of the firm writes it. */
  readonly spelled: (n: number) => string;
  readonly record: object;
}

const OFFICES: readonly Office[] = [
  {
    name: 'US',
    months: 3,
    number: (n) => `18/${500_000 + n}`,
    spelled: (n) => `US 18/${500 + Math.floor(n / 1000)},${String(n % 1000).padStart(3, '0')}`,
    record: { event_code: 'CTNF', period: 'P3M', filing_date: '2024-03-11' },
  },
  {
    name: 'EP',
    months: 4,
    number: (n) => `EP241${String(10_000 + n)}`,
    spelled: (n) => `EP 241${String(10_000 + n)}`,
    record: {
      event_code: 'EPO-FORM-2001',
      office: 'EP',
      rule: 'EP-NOTIFICATION',
      period: 'P4M',
      filing_date: '2024-05-06',
    },
  },
  {
    name: 'JP',
    months: 3,
    number: (n) => `2025-${500_000 + n}`,
    spelled: (n) => `2025-${500_000 + n}`,
    record: {
      event_code: 'A131',
      filing_country: 'JP',
      rule: 'JP-OA-OVERSEAS',
      period: 'P3M',
      filing_date: '2025-02-03',
    },
  },
];

/** Tuesdays to Thursdays on which all three offices are open. */
const CLOSED = new Set(['2027-02-11', '2027-02-23', '2027-01-12']);

function dueAfter(event: string, months: number): string {
  const [year = 0, month = 0, day = 0] = event.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 + months, day)).toISOString().slice(0, 10);
}

/** An event day whose period ends on such a day, and on the same number of a month. */
function eventDay(from: number, months: number): string {
  for (let at = from; ; at += 1) {
    const event = new Date(Date.UTC(2026, 9, 12) + at * DAY_MS).toISOString().slice(0, 10);
    const due = dueAfter(event, months);
    const weekday = new Date(`${due}T00:00:00Z`).getUTCDay();
    if (weekday >= 2 && weekday <= 4 && !CLOSED.has(due) && due.slice(8) === event.slice(8))
      return event;
  }
}

interface Planned {
  readonly office: Office;
  readonly number: string;
  readonly due: string;
  readonly line: string;
  readonly again: string;
}

const PLANNED: readonly Planned[] = Array.from({ length: COUNT }, (_, n) => {
  const office = OFFICES[n % OFFICES.length];
  if (office === undefined) throw new Error('no office');
  const event = eventDay(n % 28, office.months);
  const more = {
    event_date: event,
    client: ['Northwind', 'Contoso'][n % 2],
    technology_group: 'BIO',
  };
  const line = (number: string): string =>
    JSON.stringify({ application_number: number, ...office.record, ...more, matter: `M-${n}` });
  return {
    office,
    number: office.number(n),
    due: dueAfter(event, office.months),
    line: line(office.number(n)),
    again: line(office.spelled(n)),
  };
});

let desk: DeskLine;
let hart: Person;

beforeAll(async () => {
  desk = await DeskLine.make();
  hart = await desk.person('Judith Hart');
  const files = ['matrix', 'people'].map((name) => desk.path(`samples/patent-${name}.json`));
  await desk.route([...files], hart);
});
afterAll(() => desk.close());

const all = async (...more: string[]): Promise<readonly Json[]> =>
  listAt(await desk.data(['docket', 'list', '--limit', '500', ...more], hart), 'dockets');

describe('two hundred dockets of three offices', () => {
  it('come in once, in whatever spelling, and as the dry run said', async () => {
    const file = await desk.file('events.ndjson', PLANNED.map(({ line }) => `${line}\n`).join(''));
    const counts = { rows: COUNT, created: COUNT, refused: 0 };
    const words = ['docket', 'import', file];
    expect(await desk.data([...words, '--dry-run'], hart)).toMatchObject(counts);
    expect(await desk.data(words, hart)).toMatchObject(counts);
    const again = await desk.file('again.ndjson', PLANNED.map((one) => `${one.again}\n`).join(''));
    const known = await desk.data(['docket', 'import', again], hart);
    expect(known).toMatchObject({ created: 0, unchanged: COUNT, changed: 0 });
  });

  it('have the dates that counting gives, each to be shown', async () => {
    const found = await all();
    expect(found).toHaveLength(COUNT);
    const dates = new Map(
      found.map((one) => [textAt(one, 'applicationNumber'), textAt(one, 'due')]),
    );
    expect(PLANNED.filter(({ number, due }) => dates.get(number) !== due)).toEqual([]);
    for (const { name } of OFFICES) {
      const one = PLANNED.find(({ office }) => office.name === name);
      const docket = found.find((each) => each['applicationNumber'] === one?.number);
      const shown = await desk.run(['docket', 'show', textAt(docket, 'docket')], hart);
      expect(shown).toMatchObject({ code: 0 });
      expect(shown.stdout, name).toContain(one?.number);
    }
  });

  it('each ends with its proof, and none is left without a way on', async () => {
    const filedAt = `${new Date().toISOString().slice(0, 19)}Z`;
    const document = await desk.file('reply.pdf', '%PDF-1.7 reply');
    for (const [n, one] of (await all()).entries()) {
      const proof = [
        ['--receipt', `EFS-${n}`, '--filed-at', filedAt],
        ['--document', document, '--filed-at', filedAt],
        ['--override', 'abandoned by the client in writing'],
      ][n % 3];
      await desk.data(['docket', 'close', textAt(one, 'docket'), ...(proof ?? [])], hart);
    }
    expect(await all()).toEqual([]);
    expect(await all('--closed')).toHaveLength(COUNT);
    expect(await desk.run(['audit', 'verify', '--bodies', '--rows'])).toMatchObject({ code: 0 });
  });
});
