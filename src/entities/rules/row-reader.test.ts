import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instant, toRfc3339 } from '../../core/time.ts';
import { keyOf, obligationKey } from '../../core/identity.ts';
import type { FilingDraft, RowResult } from '../../core/ports.ts';
import type { JsonValue } from '../../core/canonical-json.ts';
import type { Profile } from '../../core/profile.ts';
import { entityRowReader } from './row-reader.ts';

type Row = Readonly<Record<string, JsonValue>>;

function profileOf(code: string, zone?: string): Profile {
  const base = {
    code,
    jurisdiction: code,
    effect: 'filing',
    expectedServiceMs: 60_000,
    personMs: 3_600_000,
  };
  const hours = zone === undefined ? {} : { hours: { zone, weekly: [], closedOn: [] } };
  // The reader looks at these fields only; the rest of a profile would hide what matters here.
  return { ...base, ...hours } as unknown as Profile;
}

const LANES = new Map([
  ['US-DE', profileOf('US-DE', 'America/New_York')],
  ['US-CA', profileOf('US-CA', 'America/Los_Angeles')],
  ['US-NY', profileOf('US-NY', 'America/New_York')],
  ['US-TX', profileOf('TX-WEBFILE')],
]);
const reader = entityRowReader({
  tenant: 'acme',
  lanes: LANES,
  now: () => instant(Date.UTC(2027, 10, 15)),
});

const GOOD: Row = {
  jurisdiction: 'US-DE',
  registry_number: '0012345',
  entity_name: 'Müller & Söhne, Inc.',
  filing_kind: 'franchise_tax',
  period: '2027',
  due: '2028-03-01',
};

const read = (change: Row = {}): RowResult => reader.read({ ...GOOD, ...change });

function errorsOf(change: Row): readonly string[] {
  const result = read(change);
  return result.ok ? [] : result.errors.map((error) => `${error.where}: ${error.why}`);
}

function draftOf(change: Row = {}): FilingDraft {
  const result = read(change);
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return result.draft;
}

const payloadOf = (change: Row = {}): unknown =>
  JSON.parse(Buffer.from(draftOf(change).payload).toString());

describe('a row that is refused', () => {
  it.each<[string, Row, RegExp]>([
    [
      'an unknown jurisdiction',
      { jurisdiction: 'US-XX' },
      /^jurisdiction: .*found "US-XX"; add a profile/,
    ],
    ['a bare state, which may be a country', { jurisdiction: 'DE' }, /use US-DE if that is meant$/],
    ['a jurisdiction in small letters', { jurisdiction: 'us-de' }, /use US-DE if that is meant$/],
    ['an empty needed column', { entity_name: '' }, /^entity_name: is empty, but required$/],
    ['white space alone', { entity_name: ' \u00a0' }, /^entity_name: is empty, but required$/],
    ['a NUL', { registry_number: '12\u00003' }, /^registry_number: .*U\+0000 as character 3/],
    ['a control character in a JSON key', { notes: { 'a\u0007': 1 } }, /^notes: has a key/],
    [
      'a fraction in JSON',
      { notes: { share: 0.5 } },
      /^\/notes\/share: is a number, but not an integer/,
    ],
    [
      'small letters in a registry number',
      { registry_number: 'c12' },
      /^registry_number: expected capital/,
    ],
    ['a zero-width space in it', { registry_number: '1\u200b2' }, /^registry_number: expected/],
    [
      'a registry number as JSON number',
      { registry_number: 12_345 },
      /^registry_number: must be text in quotes/,
    ],
    ['another kind of word', { filing_kind: 'Annual Report' }, /^filing_kind: expected lower-case/],
    ['a period that is none', { period: '2027-13' }, /^period: expected a year or a month/],
    ['a day that does not exist', { due: '2027-02-29' }, /^due: expected a day/],
    ['a local date', { due: '3/1/2028' }, /^due: expected a day/],
    ['an instant without a zone', { due: '2028-03-01T12:00:00' }, /^due: expected a day/],
    ['a mistyped century', { due: '2208-03-01' }, /^due: is more than ten years in the future/],
    [
      'a window that is upside down',
      { not_before: '2028-03-02' },
      /^not_before: is not before due/,
    ],
    ['a fee with a separator', { fee: '1,000' }, /^fee: expected dollars/],
    ['a fee with one decimal', { fee: '50.5' }, /^fee: expected dollars/],
    ['a negative fee', { fee: '-1' }, /^fee: expected dollars/],
    ['a name in the wrong column', { period: 'x'.repeat(300) }, /^period: has 300 characters/],
  ])('%s', (_, change, message) => {
    const errors = errorsOf(change);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(message);
  });

  it('names everything that is wrong at once', () => {
    const row = {
      jurisdiction: 'US-XX',
      registry_number: '',
      due: 'soon',
      fee: 'x',
      notes: { '\u0000': '' },
    };
    const places = errorsOf(row).map((error) => error.split(':')[0] ?? '');
    expect(new Set(places)).toEqual(
      new Set(['notes', 'due', 'fee', 'jurisdiction', 'registry_number']),
    );
  });

  it('never throws, whatever the values are', () => {
    const columns = [...Object.keys(GOOD), 'entity_id', 'not_before', 'fee', 'agent', '__proto__'];
    const change = fc.dictionary(fc.constantFrom(...columns), fc.jsonValue(), {
      noNullPrototype: true,
    });
    fc.assert(
      // fast-check types a JSON value as unknown.
      fc.property(change, (row) => typeof read(row as Row).ok === 'boolean'),
      { numRuns: 500 },
    );
  });

  it('a zone that the runtime does not know stops before the first row', () => {
    const lanes = new Map([['US-DE', profileOf('US-DE', 'America/Dover')]]);
    expect(() => entityRowReader({ tenant: 'acme', lanes })).toThrow(/IANA time zone/);
  });
});

describe('a draft', () => {
  it('has the payload of the pack in canonical bytes, and their hash', () => {
    const draft = draftOf({ fee: '50', agent: 'A\r\n\tB', 'Odd "column"': '' });
    expect(Buffer.from(draft.payload).toString()).toBe(
      '{"entity_name":"Müller & Söhne, Inc.","fee_cents":5000,' +
        '"fields":{"Odd \\"column\\"":"","agent":"A B"},"filing_kind":"franchise_tax",' +
        '"jurisdiction":"US-DE","period":"2027","registry_number":"0012345"}',
    );
    expect(draft.payloadSha256).toBe(hash('sha256', draft.payload, 'hex'));
  });

  it('is known by what the law calls one obligation', () => {
    const obligation = {
      pack: 'entity',
      tenant: 'acme',
      jurisdiction: 'US-DE',
      registryNumber: '0012345',
      filingKind: 'franchise_tax',
      period: '2027',
    } as const;
    const draft = draftOf({ entity_name: 'Another name', fee: '1.00' });
    expect([draft.key, draft.obligation]).toEqual([
      keyOf(obligation, 1),
      obligationKey(obligation),
    ]);
  });

  it('fees are cents', () => {
    const cents = ['0', '0.05', '9', '300.00', '999999999.99'].map((fee) => payloadOf({ fee }));
    expect(cents.map((payload) => (payload as { fee_cents: number }).fee_cents)).toEqual([
      0, 5, 900, 30_000, 99_999_999_999,
    ]);
    expect(payloadOf({ fee: '' })).not.toHaveProperty('fee_cents');
  });

  it.each([
    ['US-DE', '2028-03-01', '2028-03-02T04:59:59.999Z'],
    ['US-CA', '2028-03-12', '2028-03-13T06:59:59.999Z'],
    ['US-CA', '2028-11-05', '2028-11-06T07:59:59.999Z'],
    ['US-TX', '2028-05-15', '2028-05-15T23:59:59.999Z'],
    ['US-DE', '2028-03-01T17:00:00-05:00', '2028-03-01T22:00:00.000Z'],
  ])('%s: due %s is until %s', (jurisdiction, due, expected) => {
    const draft = draftOf({ jurisdiction, due });
    expect(toRfc3339(draft.due)).toBe(expected);
    expect(draft.due - draft.lastSafe).toBe(3_660_000);
  });

  it('may not be sent before the day begins where the portal is', () => {
    const draft = draftOf({ jurisdiction: 'US-NY', not_before: '2028-02-01' });
    expect(toRfc3339(draft.notBefore)).toBe('2028-02-01T05:00:00.000Z');
    expect(draftOf().notBefore).toBe(0);
  });

  it('takes its lane from the profile and its entity from the row', () => {
    expect(draftOf({ jurisdiction: 'US-TX' }).lane).toBe('TX-WEBFILE');
    expect(draftOf().entityId).toBe('US-DE:0012345');
    expect(draftOf({ entity_id: 'E-7' }).entityId).toBe('E-7');
  });
});

describe('the samples', () => {
  const rows = (name: string): readonly Row[] =>
    parse(readFileSync(new URL(`../../../samples/${name}`, import.meta.url)), { columns: true });

  it('entities.csv has about sixty good rows over three states', () => {
    const all = rows('entities.csv');
    expect(all.map((row) => reader.read(row)).filter((result) => !result.ok)).toEqual([]);
    expect(all.length).toBeGreaterThanOrEqual(60);
    expect(new Set(all.map((row) => row.jurisdiction)).size).toBe(3);
    const keys = all.flatMap((row) => {
      const result = reader.read(row);
      return result.ok ? [result.draft.key] : [];
    });
    expect(new Set(keys).size).toBe(all.length);
  });
});
