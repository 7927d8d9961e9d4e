import * as fc from 'fast-check';
import ICAL from 'ical.js';
import { describe, expect, it } from 'vitest';
import { plainLines } from '../core/plain.ts';
import { instant } from '../core/time.ts';
import { addDays, type Day, dayOf, formatDay } from './day.ts';
import { readIcsState } from './ics-state.ts';
import { icsCalendar, type IcsEntry } from './ics.ts';
import { foldLine } from './ics-text.ts';

const stamp = instant(Date.UTC(2026, 10, 15, 7, 5, 9));
const later = instant(Date.UTC(2026, 10, 16));

const entry = (identity: string, change: Partial<IcsEntry> = {}): IcsEntry => ({
  identity,
  date: 'due',
  day: dayOf(2026, 12, 31),
  kind: 'form990',
  jurisdiction: 'US',
  reference: `ref-${identity}`,
  cls: 'ordinary',
  ...change,
});

/** A line separator, and a turn of the direction of writing. */
const TURNED = {
  identity: 'a',
  date: 'due',
  day: dayOf(2026, 12, 31),
  kind: 'form990',
  reference: '\u2028 \u202e x',
  cls: 'ordinary',
} as const;

/** What an independent reader makes of the text. */
function eventsOf(text: string) {
  const calendar = new ICAL.Component(ICAL.parse(text));
  return calendar.getAllSubcomponents('vevent').map((component) => {
    const event = new ICAL.Event(component);
    return {
      uid: event.uid,
      start: event.startDate.toString(),
      end: event.endDate.toString(),
      allDay: event.startDate.isDate,
      summary: event.summary,
      sequence: event.sequence,
      status: component.getFirstPropertyValue('status'),
      cls: component.getFirstPropertyValue('class'),
      stamp: String(component.getFirstPropertyValue('dtstamp')),
    };
  });
}

const anyText = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 120 })
  // Control characters are refused, and tested below.
  .filter((text) => text.trim() !== '' && text.length <= 200 && !/\p{Cc}/u.test(text));

const anyEntries = fc.uniqueArray(
  fc.record({
    identity: fc.string({ minLength: 1 }),
    date: fc.constantFrom('due' as const, 'final' as const),
    // Whole days since 1970 are a day.
    day: fc.integer({ min: dayOf(1900, 1, 1), max: dayOf(2200, 1, 1) }).map((day) => day as Day),
    kind: anyText,
    reference: anyText,
    cls: fc.constantFrom('ordinary' as const, 'privileged' as const),
  }),
  { selector: ({ identity, date }) => `${date} ${identity}`, maxLength: 12 },
);

describe('an .ics calendar', () => {
  it('is all-day on the legal date, due and final apart', () => {
    const entries = [entry('a'), entry('a', { date: 'final', day: dayOf(2028, 2, 29) })];
    const { text, counts } = icsCalendar({ name: 'Dates', entries, stamp });
    expect(counts).toEqual({ entries: 2, active: 2, cancelled: 0 });
    const [due, final] = eventsOf(text);
    expect(due).toMatchObject({
      start: '2026-12-31',
      end: '2027-01-01',
      allDay: true,
      summary: 'Due: form990, US, ref-a',
      sequence: 0,
      status: 'CONFIRMED',
      stamp: '2026-11-15T07:05:09Z',
    });
    expect(final).toMatchObject({ start: '2028-02-29', end: '2028-03-01' });
    expect(final?.summary).toMatch(/^Last day: /);
    expect(final?.uid).not.toBe(due?.uid);
  });

  it('every list agrees with what an independent reader finds, in lines of at most 75 octets', () => {
    fc.assert(
      fc.property(anyEntries, anyText, (entries, name) => {
        const { text, counts } = icsCalendar({ name, entries, stamp });
        expect(text.endsWith('\r\n')).toBe(true);
        for (const line of text.slice(0, -2).split('\r\n')) {
          expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
          expect(Buffer.from(line).toString()).toBe(line);
        }
        const found = eventsOf(text);
        expect(counts.active).toBe(entries.length);
        expect(found.map(({ start, end }) => `${start} ${end}`).sort()).toEqual(
          entries.map(({ day }) => `${formatDay(day)} ${formatDay(addDays(day, 1))}`).sort(),
        );
        const shown = entries.filter(({ cls }) => cls === 'ordinary');
        for (const { date, kind, reference } of shown) {
          const summary = `${date === 'due' ? 'Due' : 'Last day'}: ${kind}, ${reference}`;
          // What steers a reader's screen is shown as U+FFFD, as everywhere.
          expect(found.map((event) => event.summary)).toContain(plainLines(summary));
        }
      }),
      { examples: [[[TURNED], 'A line and a turn']] },
    );
  });

  it('does not hang on the order of the list', () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        const one = icsCalendar({ name: 'x', entries, stamp });
        const other = icsCalendar({ name: 'x', entries: entries.toReversed(), stamp });
        expect(other.text).toBe(one.text);
      }),
    );
  });

  it('the same list again changes no byte, even at a later moment', () => {
    const first = icsCalendar({ name: 'x', entries: [entry('a'), entry('b')], stamp });
    const second = icsCalendar({
      name: 'x',
      entries: [entry('b'), entry('a')],
      previous: readIcsState(JSON.parse(JSON.stringify(first.state))),
      stamp: later,
    });
    expect(second.text).toBe(first.text);
  });

  it('a moved date or a changed text keeps its event and raises its sequence by one', () => {
    const first = icsCalendar({ name: 'x', entries: [entry('a'), entry('b')], stamp });
    const second = icsCalendar({
      name: 'x',
      entries: [entry('a', { day: dayOf(2027, 1, 4) }), entry('b')],
      previous: first.state,
      stamp: later,
    });
    const third = icsCalendar({
      name: 'x',
      entries: [entry('a', { day: dayOf(2027, 1, 4), kind: 'form990-EZ' }), entry('b')],
      previous: second.state,
      stamp: later,
    });
    const sequences = (text: string) =>
      Object.fromEntries(eventsOf(text).map(({ uid, sequence }) => [uid, sequence]));
    const [b, a] = eventsOf(second.text);
    expect(Object.keys(sequences(third.text)).sort()).toEqual(
      Object.keys(sequences(first.text)).sort(),
    );
    expect(a).toMatchObject({ start: '2027-01-04', sequence: 1, stamp: '2026-11-16T00:00:00Z' });
    expect(b).toMatchObject({ sequence: 0, stamp: '2026-11-15T07:05:09Z' });
    expect(sequences(third.text)).toEqual({ [String(a?.uid)]: 2, [String(b?.uid)]: 0 });
  });

  it('what leaves the list is canceled, stays canceled, and may come back', () => {
    const first = icsCalendar({ name: 'x', entries: [entry('a'), entry('b')], stamp });
    const second = icsCalendar({
      name: 'x',
      entries: [entry('b')],
      previous: first.state,
      stamp: later,
    });
    const third = icsCalendar({
      name: 'x',
      entries: [entry('b')],
      previous: second.state,
      stamp: later,
    });
    const fourth = icsCalendar({
      name: 'x',
      entries: [entry('a'), entry('b')],
      previous: third.state,
      stamp: later,
    });
    expect(second.counts).toEqual({ entries: 1, active: 1, cancelled: 1 });
    const of = (text: string) => eventsOf(text).find(({ summary }) => summary.endsWith('ref-a'));
    expect(of(second.text)).toMatchObject({ status: 'CANCELLED', sequence: 1 });
    expect(of(third.text)).toMatchObject({ status: 'CANCELLED', sequence: 1 });
    expect(of(fourth.text)).toMatchObject({ status: 'CONFIRMED', sequence: 2 });
  });

  it('shows nothing of a privileged entry but kind, jurisdiction and a token', () => {
    const secret = entry('Smith v. Jones', { reference: 'Smith-Jones-4711', cls: 'privileged' });
    const { text, state } = icsCalendar({ name: 'x', entries: [secret], stamp });
    expect(text + JSON.stringify(state)).not.toMatch(/Smith|Jones|4711/);
    const [event] = eventsOf(text);
    expect(event?.summary).toBe(`Due: form990, US, #${event?.uid.slice(0, 8)}`);
    expect(event?.cls).toBe('CONFIDENTIAL');
  });

  it('refuses a date that appears twice, control characters and a broken state', () => {
    const feed = (entries: IcsEntry[]) => () => icsCalendar({ name: 'x', entries, stamp });
    expect(feed([entry('a'), entry('a', { day: dayOf(2027, 1, 1) })])).toThrow(/twice/);
    expect(feed([entry('a', { kind: 'x\u0007' })])).toThrow(/^kind: /);
    expect(feed([entry('a', { reference: 'x\r\nDTSTART:1' })])).toThrow(/^reference: /);
    expect(() => readIcsState({ version: 1, events: { u: { sequence: -1 } } })).toThrow(
      /u\.status/,
    );
    expect(() => readIcsState({ version: 2, events: {} })).toThrow(/version/);
  });

  it('folds between characters, never inside one', () => {
    const line = `SUMMARY:${'é'.repeat(33)}x😀😀`;
    const folded = foldLine(line).split('\r\n');
    expect(folded.map((part) => Buffer.byteLength(part))).toEqual([75, 9]);
    expect(folded.join('').replace(' ', '')).toBe(line);
    // The space at the head of a continued line counts as well.
    const long = foldLine('x'.repeat(200)).split('\r\n');
    expect(long.map((part) => part.length)).toEqual([75, 75, 52]);
  });

  it('escapes what would end a value or start another', () => {
    const entries = [entry('a', { reference: 'a;b,c\\n:"d"' })];
    const { text } = icsCalendar({ name: 'x', entries, stamp });
    expect(text).toContain('SUMMARY:Due: form990\\, US\\, a\\;b\\,c\\\\n:"d"\r\n');
  });
});
