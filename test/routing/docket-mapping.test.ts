import { describe, expect, it } from 'vitest';
import { formatDay } from '../../src/calendar/day.ts';
import type { JsonValue } from '../../src/core/canonical-json.ts';
import { parseStrictJson } from '../../src/core/strict-json.ts';
import { NO_GLIMPSE } from '../../src/dockets/rules/docket/docket.ts';
import { readDocketDocument } from '../../src/dockets/rules/docket/map-document.ts';
import { readDocketMapping } from '../../src/dockets/rules/docket/mapping-file.ts';
import { eventOf, readMapping, readSample } from './firm.ts';

const uspto = readDocketMapping(readMapping('uspto-file-wrapper.json'));
const epo = readDocketMapping(readMapping('epo-register.json'));
const wrapper = (): JsonValue => parseStrictJson(readSample('patent-uspto-file-wrapper.json'));

/** A copy of the sample with one text replaced in its JSON. */
function altered(sample: string, from: string, to: string): JsonValue {
  const text = JSON.stringify(parseStrictJson(readSample(sample)));
  expect(text).toContain(from);
  return parseStrictJson(text.replace(from, to));
}

describe('a file wrapper of the USPTO', () => {
  it('gives the mailed action, under the code that the law knows', () => {
    const { readings, skipped } = readDocketDocument(wrapper(), uspto);
    expect(readings).toHaveLength(1);
    const [reading] = readings;
    if (reading === undefined) return;
    const { event } = eventOf(reading);
    expect(event).toMatchObject({
      applicationNumber: '18300401',
      eventCode: 'CTNF',
      eventDate: '2026-11-02',
      office: 'US',
      client: 'Northwind',
      technologyGroup: '1652',
      matter: 'NW-0401',
    });
    expect(formatDay(event.filingDate)).toBe('2024-03-11');
    expect([...skipped]).toEqual([
      ['CTNF', 1],
      ['DOCK', 1],
    ]);
  });

  it.each([
    ['"applicationNumberText"', '"applicationNumber"', 'application_number renamed'],
    ['"filingDate"', '"dateOfFiling"', 'filing_date missing'],
    ['"filingDate"', '"filingDt"', 'filing_date renamed'],
    ['"18300401"', '18300401', 'application_number retyped'],
    ['"eventCode":"MCTNF"', '"eventCd":"MCTNF"', 'event_code renamed'],
    ['"eventDataBag"', '"events"', '/eventDataBag missing'],
    ['"patentFileWrapperDataBag"', '"results"', '/patentFileWrapperDataBag missing'],
  ])('%s as %s is drift', (from, to, change) => {
    const { readings } = readDocketDocument(
      altered('patent-uspto-file-wrapper.json', from, to),
      uspto,
    );
    const changes = readings.flatMap((one) => (one.kind === 'drift' ? one.changes : []));
    expect(changes.map((one) => `${one.field} ${one.change}`)).toEqual([change]);
  });
});

describe('a list of a document', () => {
  type Wrapper = { patentFileWrapperDataBag: { eventDataBag: JsonValue[] }[] };
  const bag = () => wrapper() as unknown as Wrapper;

  it.each([
    [
      'patent-uspto-file-wrapper.json',
      uspto,
      '"eventDataBag"',
      '"eventsDataBag"',
      '/eventsDataBag',
    ],
    [
      'patent-epo-register.json',
      epo,
      '"reg:register-documents"',
      '"reg:register-document-list"',
      '/ops:world-patent-data/ops:register-search/reg:register-document-list',
    ],
  ])('%s: under another name is reported with that name', (sample, mapping, from, to, likely) => {
    const { readings } = readDocketDocument(altered(sample, from, to), mapping);
    expect(readings).toMatchObject([{ kind: 'drift', changes: [{ change: 'renamed', likely }] }]);
  });

  it('with more events than are read is drift, and never cut in silence', () => {
    const document = bag();
    const [record] = document.patentFileWrapperDataBag;
    const [event = null] = record?.eventDataBag ?? [];
    if (record === undefined) throw new Error('the sample has a record');
    record.eventDataBag = Array.from({ length: 20_001 }, () => event);
    const { readings } = readDocketDocument(document, uspto);
    const drift = readings.filter(({ kind }) => kind === 'drift');
    expect(drift).toMatchObject([
      { changes: [{ field: '/eventDataBag', change: 'retyped', found: 'one of 20001' }] },
    ]);
    record.eventDataBag.pop();
    const whole = readDocketDocument(document, uspto);
    expect(whole.readings.filter(({ kind }) => kind === 'drift')).toEqual([]);
  });

  it('with records of others is hidden from people who may see only the drifted one', () => {
    const one = altered('patent-uspto-file-wrapper.json', '"filingDate"', '"filed"');
    const alone = readDocketDocument(one, uspto).readings[0];
    expect(alone).toMatchObject({ kind: 'drift', glimpse: { client: 'Northwind' } });
    const { patentFileWrapperDataBag: others } = bag();
    const drifted = (one as unknown as Wrapper).patentFileWrapperDataBag;
    const both = { patentFileWrapperDataBag: [...drifted, ...others] } as unknown as JsonValue;
    const [first, second] = readDocketDocument(both, uspto).readings;
    expect(first).toMatchObject({ kind: 'drift', glimpse: NO_GLIMPSE });
    expect(second).toMatchObject({ kind: 'event', event: { client: 'Northwind' } });
  });
});

describe('an answer of the European register', () => {
  it('gives its events, with dates written without dashes', () => {
    const document = parseStrictJson(readSample('patent-epo-register.json'));
    const { readings } = readDocketDocument(document, epo);
    const [reading] = readings;
    if (reading === undefined) throw new Error('nothing was read');
    expect(eventOf(reading).event).toMatchObject({
      applicationNumber: '24100501',
      eventCode: '0008299EXPT',
      eventDate: '2026-10-12',
      office: 'EP',
      client: 'Contoso',
    });
  });

  it('a date in another spelling is drift, not another date', () => {
    const { readings } = readDocketDocument(
      altered('patent-epo-register.json', '"20240506"', '"06.05.2024"'),
      epo,
    );
    expect(readings[0]).toMatchObject({
      kind: 'drift',
      changes: [{ field: 'filing_date', change: 'retyped', found: 'a text like 99.99.9999' }],
    });
  });
});

it('a mapping without a mandatory field is refused by its line', () => {
  const { file, text } = readMapping('epo-register.json');
  const broken = text.replace('"event_code": { "from"', '"period": { "from"');
  expect(() => readDocketMapping({ file, text: broken })).toThrow(
    /epo-register\.json, line \d+, \/fields: "event_code" is mandatory/,
  );
});
