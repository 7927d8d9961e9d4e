/** Files that people write: every fault is refused with its line, and layers do what they say. */
import { describe, expect, it } from 'vitest';
import { compileCalendars } from '../../src/calendar/calendar-set.ts';
import { dateAtOffice, endOfDay, parseInstant } from '../../src/calendar/office-time.ts';
import { formatDay, parseDay } from '../../src/calendar/day.ts';
import { readCalendarFile } from '../../src/calendar/calendar-file.ts';
import { readReliefFile } from '../../src/calendar/relief.ts';
import { FilewrightError } from '../../src/core/errors.ts';
import { instant } from '../../src/core/time.ts';
import { shippedLaw } from '../../src/system/law-files.ts';

const GOOD = [
  '{',
  '  "kind": "calendar", "code": "firm", "title": "Firm",',
  '  "version": "1", "checked": "2026-01-01", "zone": "Europe/Berlin",',
  '  "weekend": "Rule 134(1) EPC", "sites": { "M": "Munich" },',
  '  "coverage": [{ "from": "2026-01-01", "to": "2026-12-31", "extent": "complete", "note": "all" }],',
  '  "rules": [',
  '    { "name": "Day", "on": "05-02", "from": 2020, "to": 2030, "standing": "verified", "source": "x" }',
  '  ],',
  '  "dates": [',
  '    { "date": "2026-03-04", "reason": "Storm", "sites": ["M"], "standing": "verified", "source": "x" },',
  '    { "from": "2026-08-03", "to": "2026-08-05", "reason": "Move", "standing": "projected", "source": "x" }',
  '  ]',
  '}',
].join('\n');

function refusalOf(text: string): string {
  try {
    readCalendarFile(text, 'firm.json');
  } catch (error) {
    if (error instanceof FilewrightError) return `${error.code} ${error.message}`;
    throw error;
  }
  throw new Error('the file was not refused');
}

describe('a calendar file', () => {
  it('is read', () => {
    const calendar = compileCalendars([{ file: 'firm.json', text: GOOD }]).get('firm');
    const closed = (text: string): string | undefined =>
      calendar?.closedOn(parseDay(text) ?? raise())?.reason;
    expect(closed('2026-03-04')).toBe('Storm (Munich)');
    expect(closed('2026-08-04')).toBe('Move');
    expect(closed('2029-05-02')).toBe('Day');
    expect(closed('2031-05-02')).toBeUndefined();
    expect(closed('2026-03-07')).toBe('Saturday');
  });

  it.each([
    ['a day that does not exist', '"2026-03-04"', '"2026-02-30"', 10, 'a valid date'],
    ['an unknown key', '"reason": "Storm"', '"raeson": "Storm"', 10, '"reason" is missing'],
    ['a further key', '"reason": "Storm"', '"reason": "Storm", "half": true', 10, 'unknown key'],
    ['an unknown site', '["M"]', '["Z"]', 10, 'one of M'],
    ['a standing that does not exist', '"projected"', '"certain"', 11, 'one of verified'],
    ['an end before its beginning', '"2026-08-05"', '"2026-08-01"', 11, 'ends before'],
    ['a closing of months', '"2026-08-05"', '"2026-11-05"', 11, 'at most 40 days'],
    ['a zone that does not exist', 'Europe/Berlin', 'Europe/Bonn', 3, 'is not an IANA time zone'],
    ['years in the wrong order', '"to": 2030', '"to": 2010', 7, 'a whole number from 2020'],
    ['two places for one holiday', '"on": "05-02"', '"on": "05-02", "table": {}', 7, 'exactly one'],
    ['a day of no year', '"05-02"', '"02-30"', 7, 'MM-DD'],
    ['broken JSON', '"sites": {', '"sites": [', 4, 'strict JSON'],
    ['a coverage of no extent', '"complete"', '"whole"', 5, 'one of complete'],
  ])('with %s is refused by line and reason', (_what, from, to, line, reason) => {
    expect(GOOD).toContain(from);
    const message = refusalOf(GOOD.replace(from, to));
    expect(message).toContain('CALENDAR_FILE_INVALID firm.json');
    expect(message).toMatch(new RegExp(`line ${line}\\b`));
    expect(message).toContain(reason);
  });

  it('that gives a day twice is refused with both lines', () => {
    const twice = GOOD.replace('"from": "2026-08-03", "to": "2026-08-05"', '"date": "2026-03-04"');
    expect(refusalOf(twice)).toMatch(/line 11.*already given on line 10/);
  });

  it('without a weekend must extend another', () => {
    expect(refusalOf(GOOD.replace('"weekend": "Rule 134(1) EPC", ', ''))).toContain('"extends"');
  });
});

describe('layers', () => {
  const layer = (fields: object, dates: readonly object[]): { file: string; text: string } => ({
    file: 'layer.json',
    text: JSON.stringify({
      kind: 'calendar',
      title: 'Layer',
      version: '9',
      checked: '2026-01-01',
      zone: 'America/New_York',
      ...fields,
      dates,
    }),
  });
  const storm = { date: '2026-02-03', reason: 'Storm', standing: 'verified', source: 'notice' };
  const day = parseDay('2026-02-03') ?? raise();

  it('lie on top of the shipped calendar of the same code', () => {
    const set = shippedLaw().calendarsWith([layer({ code: 'uspto', extends: 'uspto' }, [storm])]);
    expect(set.get('uspto')?.closedOn(day)?.reason).toBe('Storm');
    expect(set.get('uspto')?.closedOn(parseDay('2025-12-24') ?? raise())?.source).toContain(
      '14371',
    );
    expect(set.get('uspto')?.version).toMatch(/^9\+uspto@/);
    expect(shippedLaw().calendar('uspto').closedOn(day)).toBeUndefined();
  });

  it('reach the calendars that extend the changed one', () => {
    const added = layer({ code: 'us-federal', extends: 'us-federal' }, [storm]);
    const set = shippedLaw().calendarsWith([added]);
    expect(set.get('uspto')?.closedOn(day)?.reason).toBe('Storm');
    expect(set.get('us-ny')?.closedOn(day)?.standing).toBe('projected');
  });

  it('can open a day again, which only makes dates earlier', () => {
    const open = { ...storm, date: '2025-12-24', standing: 'open' };
    const set = shippedLaw().calendarsWith([layer({ code: 'uspto', extends: 'uspto' }, [open])]);
    expect(set.get('uspto')?.closedOn(parseDay('2025-12-24') ?? raise())).toBeUndefined();
  });

  it('refuse a calendar that is not there, and circles', () => {
    expect(() =>
      shippedLaw().calendarsWith([layer({ code: 'a1', extends: 'no-such' }, [])]),
    ).toThrow(/no calendar of that code/);
    const one = layer({ code: 'a1', extends: 'b1' }, []);
    const two = { ...layer({ code: 'b1', extends: 'a1' }, []), file: 'two.json' };
    expect(() => shippedLaw().calendarsWith([one, two])).toThrow(/cycle/);
  });
});

describe('relief', () => {
  const relief = (changes: object): string =>
    JSON.stringify({
      kind: 'relief',
      version: '1',
      checked: '2026-01-01',
      overlays: [
        {
          office: 'EP',
          from: '2026-03-02',
          to: '2026-03-04',
          new_date: '2026-03-09',
          applies_to: ['*'],
          source: 'notice',
          approved_by: 'Ada',
          second_person: 'Ben',
          ...changes,
        },
      ],
    });

  it.each([
    [{ second_person: ' ada' }, 'a second, different person'],
    [{ second_person: '' }, 'expected a text'],
    [{ new_date: '2026-03-04' }, 'can only move a date later'],
    [{ applies_to: [] }, 'at least one rule'],
  ])('%j is refused', (changes, reason) => {
    expect(() => readReliefFile(relief(changes), 'relief.json')).toThrow(reason);
  });

  it('by two people is read', () => {
    expect(readReliefFile(relief({}), 'relief.json').overlays).toHaveLength(1);
  });
});

describe('the end of a day', () => {
  it.each([
    ['2025-03-09', 'America/New_York', '2025-03-10T04:00:00.000Z'],
    ['2025-03-08', 'America/New_York', '2025-03-09T05:00:00.000Z'],
    ['2025-11-02', 'America/New_York', '2025-11-03T05:00:00.000Z'],
    ['2024-03-30', 'Europe/Berlin', '2024-03-30T23:00:00.000Z'],
    ['2024-03-31', 'Europe/Berlin', '2024-03-31T22:00:00.000Z'],
    ['2025-03-31', 'Asia/Tokyo', '2025-03-31T15:00:00.000Z'],
  ])('%s in %s', (text, zone, end) => {
    const day = parseDay(text) ?? raise();
    const at = endOfDay(day, zone);
    expect(new Date(at).toISOString()).toBe(end);
    // The instant is exclusive: one millisecond earlier it is still that day.
    expect(formatDay(dateAtOffice(instant(at - 1), zone))).toBe(text);
    expect(dateAtOffice(at, zone)).toBe(day + 1);
  });

  it('reads instants with an offset and nothing else', () => {
    expect(parseInstant('2025-03-11T03:59:59Z')).toBe(Date.UTC(2025, 2, 11, 3, 59, 59));
    expect(parseInstant('2025-03-11T04:59:59+01:00')).toBe(Date.UTC(2025, 2, 11, 3, 59, 59));
    expect(parseInstant('2025-03-11')).toBeUndefined();
    expect(parseInstant('2025-03-11T03:59:59')).toBeUndefined();
  });
});

function raise(): never {
  throw new Error('no such day');
}
