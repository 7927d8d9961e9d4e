import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDay } from '../../src/calendar/day.ts';
import { type DocketReading, readDocketRow } from '../../src/dockets/rules/docket/read-row.ts';
import { docketOf, driftDocket } from '../../src/dockets/rules/docket/docket.ts';
import { eventOf, law, PAYLOAD, readSample, REJECTION, type Row, rowsOf } from './firm.ts';

function driftOf(row: Row): DocketReading & { kind: 'drift' } {
  const reading = readDocketRow(row);
  if (reading.kind !== 'drift') throw new Error(`no drift: ${JSON.stringify(reading)}`);
  return reading;
}

function without(name: string, changes: Row = {}): Row {
  return Object.fromEntries(
    Object.entries({ ...REJECTION, ...changes }).filter(([key]) => key !== name),
  );
}

describe('a docket row', () => {
  it('needs only the three mandatory fields', () => {
    const { event } = eventOf(
      readDocketRow({ application_number: '1', filing_date: '2024-02-29', event_code: 'CTNF' }),
    );
    expect(event.applicationNumber).toBe('1');
    expect(formatDay(event.filingDate)).toBe('2024-02-29');
    expect(event.labels).toEqual({ classification: [], privilege: [] });
  });

  it('keeps labels from a list and from a cell with semicolons alike', () => {
    const list = eventOf(readDocketRow({ ...REJECTION, classification: ['b', 'a'] })).event.labels;
    const cell = eventOf(readDocketRow({ ...REJECTION, classification: 'a; b' })).event.labels;
    expect(cell).toEqual(list);
    expect(list.classification).toEqual(['a', 'b']);
  });

  it('tells all wrong values at once, and calls none of them drift', () => {
    const reading = readDocketRow({
      ...REJECTION,
      filing_date: '2025-02-29',
      due_date: '2026-13-01',
      period: 'three months',
      client: 'a\u0000b',
    });
    expect(reading.kind).toBe('refused');
    if (reading.kind !== 'refused') return;
    expect(reading.errors.map(({ where }) => where)).toEqual([
      'filing_date',
      'period',
      'due_date',
      'client',
    ]);
  });
});

describe('schema drift', () => {
  it.each(['application_number', 'filing_date', 'event_code'])('%s missing', (name) => {
    expect(driftOf(without(name)).changes).toEqual([
      { field: name, mandatory: true, change: 'missing' },
    ]);
    expect(driftOf({ ...REJECTION, [name]: null }).changes[0]?.change).toBe('missing');
    expect(driftOf({ ...REJECTION, [name]: '  ' }).changes[0]?.change).toBe('missing');
  });

  it.each([
    ['application_number', 'applicationNumberText', '18/1'],
    ['application_number', 'Application Number', '18/1'],
    ['application_number', 'appl_no', '18/1'],
    ['application_number', 'aplication_number', 18],
    ['filing_date', 'filingDate', '2024-03-11'],
    ['filing_date', 'date_filed', '2024-03-11'],
    ['filing_date', 'filing_dt', '11.03.2024'],
    ['event_code', 'EventCode', 'CTNF'],
    ['event_code', 'document_code', 'CTNF'],
    ['event_code', 'event_cd', 'CTNF'],
  ])('%s renamed to %s', (name, likely, value) => {
    expect(driftOf(without(name, { [likely]: value, colour: 'red' })).changes).toEqual([
      { field: name, mandatory: true, change: 'renamed', likely },
    ]);
  });

  it('does not take a field of another kind for the missing one', () => {
    // "event_date" is a field of its own, and an object holds no code.
    expect(driftOf(without('event_code', { event_codes: { a: 1 } })).changes[0]?.change).toBe(
      'missing',
    );
    expect(driftOf(without('filing_date', { filing_data: 'none' })).changes[0]?.change).toBe(
      'missing',
    );
  });

  it.each([
    ['application_number', 18_300_101, 'a number'],
    ['application_number', ['18'], 'a list'],
    ['filing_date', '03/11/2024', 'a text like 99/99/9999'],
    ['filing_date', 20_240_311, 'a number'],
    ['filing_date', '2024-03-11T00:00:00Z', 'a text like 9999-99-99A99:99:99A'],
    ['event_code', { code: 'CTNF' }, 'an object'],
  ])('%s retyped', (name, value, found) => {
    const [change] = driftOf({ ...REJECTION, [name]: value }).changes;
    expect(change).toMatchObject({ field: name, change: 'retyped', found });
  });

  it('tells all that changed, with the other faults of the record', () => {
    const reading = driftOf(without('event_code', { filing_date: 5, due_date: '2026-02-30' }));
    expect(reading.changes.map(({ field, change }) => `${field} ${change}`)).toEqual([
      'filing_date retyped',
      'event_code missing',
    ]);
    expect(reading.errors.map(({ where }) => where)).toEqual([
      'filing_date',
      'event_code',
      'due_date',
    ]);
  });

  it('never repeats a value, which may be confidential', () => {
    const reading = driftOf({ ...REJECTION, filing_date: 'Secret', application_number: 987_654 });
    expect(JSON.stringify(reading.changes)).not.toMatch(/Secret|987654/);
  });

  it('labels that cannot be read never become no labels', () => {
    for (const privilege of [{ marker: 7 }, [['x', 2.5]], 12]) {
      expect(driftOf({ ...REJECTION, privilege }).glimpse.labels.privilege).toContain('unread');
    }
    const renamed = eventOf(readDocketRow(without('privilege', { privlge: ['attorney-client'] })));
    expect(renamed.event.labels.privilege).toEqual(['unread']);
    const deep: Row = {};
    let inner = deep;
    for (let depth = 0; depth < 40; depth += 1) inner = inner['more'] = {};
    inner['privilege'] = 'attorney-client';
    expect(eventOf(readDocketRow({ ...REJECTION, deep })).event.labels).toEqual({
      classification: ['unread'],
      privilege: ['attorney-client', 'unread'],
    });
  });

  it('the sample shows each class', () => {
    const kinds = rowsOf(readSample('patent-docket-drift.ndjson')).map((row) =>
      driftOf(row).changes.map(({ change }) => change),
    );
    expect(kinds).toEqual([['renamed'], ['retyped', 'retyped'], ['missing']]);
  });

  it('a record that could not be read is a docket all the same, known by its bytes', () => {
    const { glimpse } = driftOf(without('event_code'));
    const one = driftDocket(glimpse, { tenant: 'firm', payloadSha256: PAYLOAD });
    expect(one).toMatchObject({ client: 'Northwind', eventCode: 'SCHEMA_DRIFT', event: undefined });
    expect(driftDocket(glimpse, { tenant: 'firm', payloadSha256: PAYLOAD }).messageId).toBe(
      one.messageId,
    );
  });
});

describe('the message id', () => {
  const at = { tenant: 'firm', rules: law.rules, payloadSha256: PAYLOAD };

  it('is the same however the office was named, and whatever else the record says', () => {
    const ids = [
      REJECTION,
      { ...REJECTION, office: 'US' },
      { ...REJECTION, filing_country: 'US', title: 'x', extra: 1 },
    ].map((row) => docketOf(eventOf(readDocketRow(row)).event, at).messageId);
    expect(new Set(ids).size).toBe(1);
  });

  it('differs for another event of the same application', () => {
    const ids = [REJECTION, { ...REJECTION, event_date: '2026-11-03' }].map(
      (row) => docketOf(eventOf(readDocketRow(row)).event, at).messageId,
    );
    expect(new Set(ids).size).toBe(2);
  });
});

it('any record whatever gives a reading', () => {
  const names = fc.oneof(
    fc.constantFrom('application_number', 'filing_date', 'event_code', 'privilege', 'inputs'),
    fc.string(),
  );
  const row = fc.dictionary(names, fc.jsonValue() as fc.Arbitrary<Row[string]>);
  fc.assert(
    fc.property(row, (one) => {
      expect(['event', 'drift', 'refused']).toContain(readDocketRow(one).kind);
    }),
    { numRuns: 300 },
  );
});
