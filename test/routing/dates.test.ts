import { describe, expect, it } from 'vitest';
import { formatDay } from '../../src/calendar/day.ts';
import { toRfc3339 } from '../../src/core/time.ts';
import type { Party } from '../../src/dockets/rules/access/people.ts';
import type { Viewer } from '../../src/dockets/rules/access/visible.ts';
import { closingOf } from '../../src/dockets/rules/docket/closing.ts';
import { datesOf, type DocketDates } from '../../src/dockets/rules/docket/dates.ts';
import { type Docket, driftDocket } from '../../src/dockets/rules/docket/docket.ts';
import { marksOf, reportRows } from '../../src/dockets/rules/docket/report.ts';
import { movedDockets } from '../../src/dockets/rules/docket/moved.ts';
import type { PatentLaw } from '../../src/dockets/rules/matter.ts';
import { addWorkingMs } from '../../src/dockets/rules/routing/working-time.ts';
import { shippedLaw } from '../../src/system/law-files.ts';
import { at, docket, law, PAYLOAD, people } from './firm.ts';

const NOW = at('2026-11-16T15:00:00Z');
const HOUR_MS = 3_600_000;

function dated(one: Docket, at_ = NOW): DocketDates & { kind: 'dated' } {
  const dates = datesOf(one, law, at_);
  if (dates.kind !== 'dated') throw new Error(dates.why);
  return dates;
}

const days = ({ soft, due, final }: DocketDates & { kind: 'dated' }): (string | undefined)[] =>
  [soft, due, final].map((day) => (day === undefined ? undefined : formatDay(day)));

/** A calendar of the firm that closes one more day. */
function lawWithClosing(day: string): PatentLaw {
  const text = JSON.stringify({
    kind: 'calendar',
    code: 'uspto',
    title: 'Firm',
    version: 'test.1',
    zone: 'America/New_York',
    extends: 'uspto',
    checked: '2026-11-15',
    dates: [{ date: day, reason: 'Storm', standing: 'verified', source: 'test' }],
  });
  return { ...law, calendars: shippedLaw().calendarsWith([{ file: 'firm.json', text }]) };
}

describe('the dates of a docket', () => {
  it('come from the law and its calendar', () => {
    const dates = dated(docket());
    expect(days(dates)).toEqual(['2027-02-02', '2027-02-02', '2027-05-03']);
    expect(toRfc3339(dates.dueMoment)).toBe('2027-02-03T05:00:00.000Z');
    expect(dates.unverified).toEqual([]);
    expect(dates.law.calendar).toMatch(/^uspto@/);
  });

  it.each([
    ['event_date', '2026-11-17', []],
    ['event_date', '2026-11-18', ['event_date: 2026-11-18 is in the future']],
    ['event_date', '2062-11-02', ['event_date: 2062-11-02 is in the future']],
    ['filing_date', '2062-03-11', ['filing_date: 2062-03-11 is in the future']],
  ])(
    'are not verified where the %s is %s: a mistyped year looks like any other',
    (name, day, why) => {
      // At this moment it is 17 November where days begin first.
      expect(dated(docket({ [name]: day })).unverified).toEqual(why);
    },
  );

  it('roll on the calendar of the right office', () => {
    // 26 January 2027 is a Tuesday in the United States and a working day in Munich.
    const ep = docket({
      event_code: 'EPO-FORM-2001',
      rule: 'EP-ROLL',
      period: 'P2M',
      event_date: '2026-10-25',
    });
    expect(dated(ep).office).toBe('EP');
    expect(toRfc3339(dated(ep).dueMoment)).toMatch(/T23:00:00\.000Z$/);
  });

  it.each([
    ['2027-01-29', '2027-01-29'],
    ['2027-02-05', '2027-02-02'],
    ['2027-02-02', '2027-02-02'],
  ])('where the source states %s, %s counts: the earlier wins', (stated, due) => {
    const dates = dated(docket({ due_date: stated }));
    expect(formatDay(dates.due)).toBe(due);
    expect(dates.conflicts).toHaveLength(stated === '2027-02-02' ? 0 : 1);
    expect(dates.unverified).toHaveLength(stated === '2027-02-02' ? 0 : 1);
  });

  it('a final date that the source states before the due date is the due date', () => {
    expect(days(dated(docket({ final_date: '2027-01-11' })))).toEqual([
      '2027-01-11',
      '2027-01-11',
      '2027-01-11',
    ]);
  });

  it('fall back to what the source states, and say so, where the law cannot answer', () => {
    const dates = dated(docket({ event_code: 'XYZ', office: 'US', due_date: '2027-01-04' }));
    expect(dates).toMatchObject({ from: 'stated', office: 'US' });
    expect(dates.unverified[0]).toMatch(
      /^stated by the source only: .*unknown event.*a person must look/,
    );
    expect(toRfc3339(dates.dueMoment)).toBe('2027-01-05T05:00:00.000Z');
  });

  it('end where a day ends first on earth, when the office is unknown', () => {
    const dates = dated(docket({ event_code: 'XYZ', due_date: '2027-01-04' }));
    expect(toRfc3339(dates.dueMoment)).toBe('2027-01-04T10:00:00.000Z');
  });

  it.each([
    [{ event_code: 'XYZ' }, 'JURISDICTION_UNRESOLVED'],
    [{ period: '' }, 'CASE_INVALID'],
    [{ event_date: '' }, 'CASE_INVALID'],
    [{ rule: 'NO-SUCH' }, 'RULE_UNKNOWN'],
  ])('are unknown for %j, with the reason', (changes, code) => {
    expect(datesOf(docket(changes), law, NOW)).toMatchObject({ kind: 'undated', code });
  });
});

describe('a changed calendar', () => {
  it('lists what moved, with the day that closed, and nothing else', () => {
    const dockets = [docket(), docket({ application_number: '2', event_date: '2026-11-03' })];
    const moved = movedDockets(dockets, { before: law, after: lawWithClosing('2027-02-02') }, NOW);
    expect(moved).toEqual([
      {
        id: dockets[0]?.id,
        earlier: false,
        soft: { from: '2027-02-02', to: '2027-02-02' },
        due: { from: '2027-02-02', to: '2027-02-03' },
        final: { from: '2027-05-03', to: '2027-05-03' },
        why: ['2027-02-02 is closed now: Storm (test)'],
      },
    ]);
    const back = movedDockets(dockets, { before: lawWithClosing('2027-02-02'), after: law }, NOW);
    expect(back[0]?.earlier).toBe(true);
  });

  it('does not move a date that the source states earlier', () => {
    const stated = docket({ due_date: '2027-01-29' });
    expect(
      movedDockets([stated], { before: law, after: lawWithClosing('2027-02-02') }, NOW),
    ).toEqual([]);
  });
});

describe('closing', () => {
  const one = docket();
  const closing = (dates = datesOf(one, law, NOW)) => ({ dates, law, now: NOW });

  it('of a hard date needs proof of filing or a named override', () => {
    expect(() => closingOf(one, { kind: 'seen', by: 'ruiz' }, closing())).toThrow(
      'stays open: it has the hard date 2027-02-02',
    );
    expect(closingOf(one, { kind: 'proof', receipt: 'EFS-1', filedAt: NOW }, closing())).toEqual({
      how: 'proof',
      inTime: true,
    });
    expect(
      closingOf(
        one,
        { kind: 'override', by: 'hart', reason: 'client abandons the case' },
        closing(),
      ),
    ).toEqual({ how: 'override', inTime: undefined });
  });

  it.each([
    [{ kind: 'proof', receipt: ' ', filedAt: NOW }, 'no receipt'],
    [{ kind: 'proof', receipt: 'x', filedAt: at('2026-11-16T15:00:01Z') }, 'in the future'],
    [{ kind: 'override', by: ' ', reason: 'client abandons the case' }, 'named person'],
    [{ kind: 'override', by: 'hart', reason: 'ok' }, 'reason'],
  ] as const)('%j is refused', (what, message) => {
    expect(() => closingOf(one, what, closing())).toThrow(message);
  });

  it('says whether the filing was in time, at the office', () => {
    const now = at('2027-03-01T00:00:00Z');
    const filed = (text: string) =>
      closingOf(
        one,
        { kind: 'proof', receipt: 'x', filedAt: at(text) },
        { dates: datesOf(one, law, now), law, now },
      );
    expect(filed('2027-02-03T04:59:59Z').inTime).toBe(true);
    expect(filed('2027-02-03T05:00:00Z').inTime).toBe(false);
  });

  it('of a docket without a date needs the same: a date may exist and be unknown', () => {
    const undated = docket({ event_code: 'XYZ' });
    expect(() =>
      closingOf(undated, { kind: 'seen', by: 'x' }, closing(datesOf(undated, law, NOW))),
    ).toThrow('its date is not known');
  });

  it('of a receipt, which creates no duty, needs only to be seen', () => {
    const receipt = docket({
      rule: 'US-RECEIPT-ET',
      period: 'receipt',
      event_date: '2026-11-02T15:00:00Z',
    });
    expect(
      closingOf(receipt, { kind: 'seen', by: 'x' }, closing(datesOf(receipt, law, NOW))).how,
    ).toBe('seen');
  });
});

describe('the report', () => {
  const hart = people.parties.get('hart') as Party;
  const viewer: Viewer = { party: hart, people };
  const open = [
    { docket: docket({ application_number: 'b' }), owner: 'ruiz', state: 'confirmed' },
    {
      docket: docket({ application_number: 'a', event_date: '2026-08-17' }),
      owner: undefined,
      state: 'MANUAL',
    },
    {
      docket: docket({ application_number: 'c', event_date: '2026-08-18', due_date: '2026-11-30' }),
      owner: 'lind',
      state: 'PRIMARY',
    },
    {
      docket: docket({ application_number: 'd', event_date: '2026-08-12' }),
      owner: 'lind',
      state: 'PRIMARY',
    },
    {
      docket: docket({ application_number: 'e', event_code: 'XYZ' }),
      owner: 'lind',
      state: 'PRIMARY',
    },
  ];

  it('is by due date and owner, the undated first, unverified dates marked', () => {
    const rows = reportRows(open, { law, now: at('2026-11-17T15:00:00Z'), viewer });
    expect(
      rows.map((row) => [row.applicationNumber, row.due, row.mark, row.unverified.length]),
    ).toEqual([
      ['e', undefined, 'undated', 1],
      ['d', '2026-11-12', 'late', 0],
      ['a', '2026-11-17', 'today', 0],
      ['c', '2026-11-18', 'soon', 1],
      ['b', '2027-02-02', 'open', 0],
    ]);
    expect(marksOf(rows)).toEqual({ undated: 1, late: 1, today: 1, soon: 1, open: 1 });
  });

  it('shows and counts only what the viewer may see', () => {
    const contoso = {
      docket: docket({ client: 'Contoso', technology_group: 'X' }),
      owner: 'x',
      state: 'y',
    };
    const ruiz = people.parties.get('ruiz') as Party;
    const rows = reportRows([...open, contoso], { law, now: NOW, viewer: { party: ruiz, people } });
    expect(rows).toHaveLength(5);
  });

  it('holds a record that could not be read', () => {
    const glimpse = {
      applicationNumber: undefined,
      client: 'A',
      technologyGroup: undefined,
      labels: docket().labels,
    };
    const lost = driftDocket(glimpse, { tenant: 'firm', payloadSha256: PAYLOAD });
    const [row] = reportRows([{ docket: lost, owner: undefined, state: 'MANUAL' }], {
      law,
      now: NOW,
      viewer,
    });
    expect(row).toMatchObject({ mark: 'undated', eventCode: 'SCHEMA_DRIFT' });
  });
});

describe('working time', () => {
  const uspto = law.calendars.get('uspto');
  const epo = law.calendars.get('epo');
  if (uspto === undefined || epo === undefined) throw new Error('the calendars are shipped');
  const workingDay = { fromMinute: 9 * 60, toMinute: 17 * 60 };
  const after = (from: string, hours: number, calendar = uspto) =>
    toRfc3339(addWorkingMs(at(from), hours * HOUR_MS, { calendar, workingDay }));

  it.each([
    ['within the day', '2026-11-16T15:00:00Z', 4, '2026-11-16T19:00:00.000Z'],
    ['up to its very end', '2026-11-16T14:00:00Z', 8, '2026-11-16T22:00:00.000Z'],
    ['from before it opens', '2026-11-16T05:00:00Z', 1, '2026-11-16T15:00:00.000Z'],
    ['over the night', '2026-11-16T21:00:00Z', 4, '2026-11-17T17:00:00.000Z'],
    ['over a weekend', '2026-11-20T21:00:00Z', 4, '2026-11-23T17:00:00.000Z'],
    ['over Thanksgiving', '2026-11-25T21:00:00Z', 4, '2026-11-27T17:00:00.000Z'],
    // Clocks go back on 1 November 2026: from Friday at UTC-4 to Monday at UTC-5.
    ['over a change of the clocks', '2026-10-30T20:00:00Z', 2, '2026-11-02T15:00:00.000Z'],
  ])('%s', (_name, from, hours, to) => {
    expect(after(from, hours)).toBe(to);
  });

  it('ends whatever the matrix says: ten days of two hours each would be half a year', () => {
    const short = { fromMinute: 9 * 60, toMinute: 11 * 60 };
    const end = addWorkingMs(at('2026-11-16T15:00:00Z'), 240 * HOUR_MS, {
      calendar: uspto,
      workingDay: short,
    });
    expect(toRfc3339(end)).toBe('2027-03-16T15:00:00.000Z');
  });

  it('is that of the docket’s office', () => {
    // Christmas at the EPO lasts from 24 December to 1 January, and 2 January 2026 is a Friday.
    expect(after('2025-12-23T15:00:00Z', 2, epo)).toBe('2026-01-02T09:00:00.000Z');
    expect(after('2025-12-23T15:00:00Z', 2)).toBe('2025-12-23T17:00:00.000Z');
  });
});
