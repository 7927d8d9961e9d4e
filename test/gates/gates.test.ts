/** What gates change, notice and refuse before a payload is frozen; on the shipped profiles and the shipped law. */
import { readdirSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { shippedLawGates } from '../../src/filings/acts/reviews-correction.ts';
import { canonicalBytes } from '../../src/core/canonical-json.ts';
import { type Instant, instant, parseRfc3339, toRfc3339 } from '../../src/core/time.ts';
import type { Profile } from '../../src/core/profile.ts';
import { entityGates, type GateResult } from '../../src/entities/rules/gates.ts';
import { FILING_SCHEMAS } from '../../src/entities/rules/gates-schema.ts';
import type { Gated, LawGates, Payload } from '../../src/entities/rules/gates-report.ts';
import { gateAtSend } from '../../src/entities/rules/gates-at-send.ts';
import { readProfile } from '../../src/lanes/profile/read-profile.ts';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';

const root = new URL('../../', import.meta.url);
const shipped = (name: string): Profile =>
  readProfile(readFileSync(new URL(`profiles/${name}.json`, root)), name);

const DE = shipped('us-de');
const CA = shipped('us-ca');
const NY = shipped('us-ny');
let law: LawGates;
beforeAll(async () => {
  law = await shippedLawGates();
});

function at(text: string): Instant {
  const moment = parseRfc3339(text);
  if (moment === undefined) throw new Error(text);
  return moment;
}

const BASE: Payload = {
  jurisdiction: 'US-DE',
  registry_number: '1234567',
  entity_name: 'Alder Point Holdings, Inc.',
  filing_kind: 'annual_report',
  period: '2027',
  fields: {},
};
/** The end of March 1 in New York. */
const DUE = '2027-03-02T04:59:59.999Z';

function gate(
  change: Record<string, unknown>,
  options: { profile?: Profile; due?: string; notBefore?: Instant; withLaw?: boolean } = {},
): GateResult {
  const { profile = DE, due = DUE, notBefore = instant(0), withLaw = true } = options;
  // The table below writes JSON values only.
  const payload = { ...BASE, ...change } as Payload;
  const gated = { payload, notBefore, due: at(due), cutoff: at(due) };
  return entityGates(withLaw ? { law } : {}).run(gated, profile);
}

const refusals = (result: GateResult): string[] =>
  result.refusals.map(({ code, field }) => `${code} ${field}`);
const changes = (result: GateResult): string[] =>
  result.changes.map(({ code, field }) => `${code} ${field}`);

describe('texts', () => {
  it.each([
    ['A\u0000B', 'AB', '0042', '42'],
    ['A\u009fB', 'AB', 'c29f42', '42'],
    ['A\u007f', 'A', '7f', ''],
    ['1209 Orange Street\r\nWilmington', '1209 Orange Street Wilmington', '0d0a', '20'],
    ['A\tB', 'A B', '0942', '2042'],
  ])('%j is sent as %j, and reported in hex', (text, clean, before, after) => {
    const result = gate({ entity_name: text });
    expect(result.gated.payload['entity_name']).toBe(clean);
    const [change] = result.changes;
    expect(change).toMatchObject({ code: 'CONTROL_CHARACTERS', field: '/entity_name' });
    expect(`${change?.before}`).toContain(before.slice(-4));
    expect(`${change?.after}`).toMatch(new RegExp(`^${after}`));
  });

  it('white space behind goes everywhere, before only where the portal wants trimmed texts', () => {
    const fields = { office: '  1 Main Street \u00a0', deep: [{ line: ' x ' }] };
    expect(gate({ fields }).gated.payload['fields']).toEqual({
      office: '1 Main Street',
      deep: [{ line: 'x' }],
    });
    const lax = sampleProfile();
    const result = gate({ fields }, { profile: lax, withLaw: false });
    expect(result.gated.payload['fields']).toEqual({
      office: '  1 Main Street',
      deep: [{ line: ' x' }],
    });
    expect(changes(result)).toEqual([
      'TRAILING_WHITESPACE /fields/office',
      'TRAILING_WHITESPACE /fields/deep/0/line',
    ]);
  });

  it('a key with a control character is refused: without it, it could be another key', () => {
    expect(refusals(gate({ fields: { 'a\u0007': 1, a: 2 } }))).toEqual([
      'CONTROL_CHARACTERS /fields',
    ]);
  });

  it('other than English characters are refused where the portal takes no others', () => {
    const accented = { entity_name: 'Müller & Söhne' };
    expect(refusals(gate(accented))).toEqual(['CHARACTER_SET /entity_name']);
    expect(refusals(gate({ ...accented, jurisdiction: 'US-CA' }, { profile: CA }))).toEqual([]);
  });

  it('half of a surrogate pair has no bytes', () => {
    expect(refusals(gate({ entity_name: 'A\ud800' }, { profile: CA }))).toContain(
      'NOT_UTF8 /entity_name',
    );
  });
});

describe('what a profile asks for', () => {
  it('lengths are counted in characters, not in bytes or halves', () => {
    const long = (count: number) => gate({ entity_name: '𝔄'.repeat(count) }, { profile: CA });
    expect(refusals(long(250))).toEqual([]);
    expect(refusals(gate({ entity_name: 'x'.repeat(201) }))).toEqual(['TOO_LONG /entity_name']);
    expect(refusals(gate({ entity_name: 'x'.repeat(200) }))).toEqual([]);
  });

  it('everything that is wrong is reported at once', () => {
    const result = gate({
      entity_name: 'é'.repeat(201),
      registry_number: '12345678901',
      fee_cents: 600_000,
      fields: { payment_rail: 'card' },
    });
    expect(refusals(result).sort()).toEqual([
      'CHARACTER_SET /entity_name',
      'PAYMENT_RAIL /fields/payment_rail',
      'TOO_LONG /entity_name',
      'TOO_LONG /registry_number',
    ]);
  });

  it('a number has the shape of its registry', () => {
    const number = (registry_number: string) =>
      refusals(gate({ jurisdiction: 'US-CA', registry_number }, { profile: CA }));
    expect(number('C1234567')).toEqual([]);
    expect(number('C123')).toEqual(['REGISTRY_NUMBER /registry_number']);
    // The pattern is for the whole number.
    expect(number('C1234567-X')).toEqual(['REGISTRY_NUMBER /registry_number']);
  });

  it.each([
    [500_000, undefined, 'card', []],
    [500_001, undefined, 'ach', []],
    [500_001, 'ach', 'ach', []],
    [100, 'ach', 'ach', []],
    [500_001, 'card', 'card', ['PAYMENT_RAIL /fields/payment_rail']],
    [100, 'cheque', 'cheque', ['PAYMENT_RAIL /fields/payment_rail']],
    [0, undefined, undefined, []],
  ])('a fee of %s cents by %s goes by %s', (fee_cents, rail, chosen, refused) => {
    const fields = rail === undefined ? {} : { payment_rail: rail };
    const result = gate({ fee_cents, fields });
    expect(refusals(result)).toEqual(refused);
    const after = Object(result.gated.payload['fields']);
    expect(after.payment_rail).toBe(chosen);
    expect(changes(result).includes('PAYMENT_RAIL /fields/payment_rail')).toBe(
      rail === undefined && chosen !== undefined,
    );
  });

  it('the last moment is the portal’s closing time, days before a due day on which it is closed', () => {
    // Delaware closes at 23:45; New York is closed on Saturday 2027-07-31.
    expect(toRfc3339(gate({}).gated.cutoff)).toBe('2027-03-02T04:45:00.000Z');
    const statement = {
      jurisdiction: 'US-NY',
      filing_kind: 'biennial_statement',
      period: '2027-07',
    };
    const result = gate(statement, { profile: NY, due: '2027-08-01T03:59:59.999Z' });
    expect(toRfc3339(result.gated.cutoff)).toBe('2027-07-30T23:30:00.000Z');
    // Not before the first open day of the month, in New York's own time.
    expect(toRfc3339(result.gated.notBefore)).toBe('2027-07-01T10:00:00.000Z');
    expect(changes(result)).toEqual(['PORTAL_HOURS /due', 'TOO_EARLY /not_before']);
    const closed = gate(statement, {
      profile: NY,
      due: '2027-08-01T03:59:59.999Z',
      notBefore: at('2027-07-31T04:00:00Z'),
    });
    expect(refusals(closed)).toEqual(['PORTAL_CLOSED /due']);
  });

  it('a due moment while the portal is open is kept', () => {
    const result = gate({}, { due: '2027-03-01T17:00:00Z' });
    expect(toRfc3339(result.gated.cutoff)).toBe('2027-03-01T17:00:00.000Z');
  });

  it('a second filing for the same entity and kind waits out the duplicate window, or is refused', () => {
    const gates = entityGates();
    const run = (period: string, due: string) => {
      const payload = {
        ...BASE,
        jurisdiction: 'US-CA',
        registry_number: 'C1234567',
        filing_kind: 'statement_of_information',
        period,
      };
      return gates.run({ payload, notBefore: instant(0), due: at(due), cutoff: at(due) }, CA);
    };
    expect(changes(run('2026', '2027-01-31T20:00:00Z'))).toEqual([]);
    // The same obligation again is no second filing.
    expect(changes(run('2026', '2027-01-31T20:00:00Z'))).toEqual([]);
    const later = run('2027', '2027-06-30T20:00:00Z');
    expect(changes(later)).toEqual(['DUPLICATE_WINDOW /not_before']);
    expect(toRfc3339(later.gated.notBefore)).toBe('2027-02-03T20:00:00.000Z');
    expect(refusals(run('2028', '2027-02-02T20:00:00Z'))).toEqual([
      'DUPLICATE_WINDOW /registry_number',
    ]);
  });
});

const DOMESTIC = {
  entity_kind: 'corporation',
  origin: 'domestic',
  formation_date: '2019-08-20',
};

describe('the law', () => {
  const due = (day: string, fields: object = DOMESTIC, change: object = {}) =>
    // Delaware names the tax after the year it is for: that of 2026 is due in March 2027.
    gate({ fields, period: '2026', ...change }, { due: `${day}T20:00:00Z` });

  it('a due date that the rule does not give is refused when later, reported when earlier', () => {
    expect(refusals(due('2027-03-01'))).toEqual([]);
    expect(refusals(due('2027-03-02'))).toEqual(['DUE_AFTER_RULE /due']);
    const early = due('2027-02-15');
    expect(refusals(early)).toEqual([]);
    expect(early.notices.map(({ code }) => code)).toEqual(['DUE_BEFORE_RULE']);
    expect(due('2027-03-01').notices).toEqual([]);
    // Far behind the date of its own period: late for that one, not early for the next.
    expect(refusals(due('2027-11-15'))).toEqual(['DUE_AFTER_RULE /due']);
  });

  it('the date on the state’s record overrides the rule', () => {
    const record = { ...DOMESTIC, state_record_due: '2027-04-15' };
    expect(refusals(due('2027-04-15', record))).toEqual([]);
    expect(refusals(due('2027-04-16', record))).toEqual(['DUE_AFTER_RULE /due']);
  });

  it('what the rules cannot say needs the state’s record; what no one owes is refused', () => {
    const unknown = { entity_kind: 'lp', origin: 'domestic' };
    const montana = sampleProfile({ code: 'US-MT', jurisdiction: 'US-MT' });
    const inMontana = (fields: object) =>
      refusals(
        gate({ jurisdiction: 'US-MT', fields }, { profile: montana, due: '2027-04-01T20:00:00Z' }),
      );
    expect(inMontana(unknown)).toEqual(['STATE_RECORD_NEEDED /fields/state_record_due']);
    expect(inMontana({ ...unknown, state_record_due: '2027-04-01' })).toEqual([]);
    const california = { jurisdiction: 'US-CA', registry_number: 'C1234567', fields: unknown };
    expect(refusals(gate(california, { profile: CA }))).toEqual(['NOTHING_OWED /filing_kind']);
  });

  it('nothing is sent before the window opens', () => {
    // California: the due month and the five before it.
    const change = {
      jurisdiction: 'US-CA',
      registry_number: 'C1234567',
      filing_kind: 'statement_of_information',
      fields: DOMESTIC,
    };
    const result = gate(change, { profile: CA, due: '2027-08-31T20:00:00Z' });
    expect(refusals(result)).toEqual([]);
    expect(changes(result)).toEqual(['WINDOW_OPENS /not_before']);
    expect(toRfc3339(result.gated.notBefore)).toMatch(/^2027-03-01T0[0-8]:00/);
  });

  it('says when it did not look, and why', () => {
    const reasons = (change: Record<string, unknown>) =>
      gate(change, { due: '2027-03-01T20:00:00Z' }).notices.map(
        ({ code, why }) => `${code} ${why}`,
      );
    expect(reasons({})).toEqual([expect.stringMatching(/^OBLIGATION_NOT_CHECKED .*entity_kind/)]);
    const { origin: _origin, ...homeless } = DOMESTIC;
    expect(reasons({ fields: homeless })).toEqual([
      expect.stringMatching(/^OBLIGATION_NOT_CHECKED .*entity_kind and origin are not both given$/),
    ]);
    const { formation_date: _formed, ...unformed } = DOMESTIC;
    expect(reasons({ fields: unformed })).toEqual([
      expect.stringMatching(/^OBLIGATION_NOT_CHECKED .*formation_date/),
    ]);
    expect(reasons({ filing_kind: 'business_licence', fields: DOMESTIC })).toEqual([
      expect.stringMatching(/^OBLIGATION_NOT_CHECKED .*franchise tax/),
    ]);
    expect(refusals(gate({ fields: { ...DOMESTIC, entity_kind: 'gmbh' } }))).toContain(
      'OBLIGATION_INVALID /fields/entity_kind',
    );
  });

  it.each([
    // 8 Del. C. § 503(a): 5,000 shares or fewer $175; 5,001 to 10,000 $250; each further 10,000 $85.
    ['[{"shares":5000,"par":null}]', 17_500, []],
    ['[{"shares":5000,"par":null}]', 22_500, []],
    ['[{"shares":5001,"par":null}]', 25_000, []],
    ['[{"shares":5001,"par":null}]', 17_500, ['TAX_DIFFERS /fee_cents']],
    ['[{"shares":10001,"par":null}]', 33_500, []],
    ['[{"shares":10001,"par":null}]', undefined, ['TAX_FEE_MISSING /fee_cents']],
    ['five thousand', 17_500, ['TAX_INVALID /fields/authorized']],
  ])('the tax on %s at a fee of %s', (authorized, fee_cents, refused) => {
    const fields = { ...DOMESTIC, authorized };
    const fee = fee_cents === undefined ? {} : { fee_cents };
    const result = gate({ filing_kind: 'franchise_tax', fields, ...fee });
    expect(refusals(result)).toEqual(refused);
  });
});

describe('at the moment of sending', () => {
  const now = at('2027-02-01T15:00:00Z');
  const filing = { lastSafe: at('2027-03-01T00:00:00Z') };
  const none = { registry: undefined, lastSentAt: undefined };

  it('an entity that the registry does not know, or not as active, goes to a person', () => {
    const answer = (registry: Parameters<typeof gateAtSend>[1]['registry']) =>
      gateAtSend(filing, { ...none, registry }, CA, now);
    expect(answer({ kind: 'active' })).toEqual({ kind: 'pass' });
    expect(answer({ kind: 'not_found' })).toEqual({ kind: 'refuse', code: 'REGISTRY_NOT_FOUND' });
    expect(answer({ kind: 'inactive', state: 'SUSPENDED' })).toMatchObject({ kind: 'refuse' });
    expect(answer({ kind: 'unclear', code: 'HTTP_500' })).toMatchObject({
      kind: 'wait',
      code: 'REGISTRY_UNCLEAR',
    });
    // Every look-up would post the same password again.
    expect(answer({ kind: 'unclear', code: 'LOGIN_REFUSED' })).toEqual({
      kind: 'halt',
      code: 'LOGIN_REFUSED',
    });
  });

  it('the duplicate window and closed doors are waited out, unless the slack ends before', () => {
    const sent = (lastSentAt: Instant, lastSafe = filing.lastSafe) =>
      gateAtSend({ lastSafe }, { ...none, lastSentAt }, CA, now);
    expect(sent(at('2027-01-29T15:00:00Z'))).toEqual({ kind: 'pass' });
    expect(sent(at('2027-01-29T15:00:01Z'))).toEqual({
      kind: 'wait',
      until: at('2027-02-01T15:00:01Z'),
      code: 'DUPLICATE_WINDOW',
    });
    expect(sent(now, at('2027-02-04T14:59:59Z'))).toEqual({
      kind: 'refuse',
      code: 'DUPLICATE_WINDOW',
    });
    expect(gateAtSend(filing, none, NY, at('2027-02-06T15:00:00Z'))).toEqual({
      kind: 'wait',
      until: at('2027-02-08T11:00:00Z'),
      code: 'PORTAL_HOURS',
    });
  });
});

describe('laws', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({
      unit: fc.constantFrom(
        'a',
        ' ',
        '\u00a0',
        '\t',
        '\n',
        '\r',
        '\u0000',
        '\u001f',
        '\u007f',
        '\u0085',
        '\u009f',
        '\ufeff',
        'é',
        '𝔄',
      ),
    }),
  );
  const payloads = fc.record({
    jurisdiction: fc.constant('US-CA'),
    registry_number: fc.constant('C1234567'),
    entity_name: texts,
    filing_kind: fc.constantFrom('annual_report', 'statement_of_information', 'other_kind'),
    period: fc.constantFrom('2027', '2027-03'),
    fee_cents: fc.integer({ min: 0, max: 2_000_000 }),
    fields: fc.dictionary(
      fc.constantFrom('a', 'b', 'payment_rail', 'line~/x', 'entity_kind'),
      fc.oneof(texts, fc.array(texts, { maxLength: 3 }), fc.record({ inner: texts })),
    ),
  });
  const profiles = fc.constantFrom(DE, CA, NY, sampleProfile());
  const start = (payload: Payload): Gated => {
    const due = at('2027-03-31T20:00:00Z');
    return { payload, notBefore: instant(0), due, cutoff: due };
  };

  it('gating what was gated changes nothing and says nothing new', () => {
    fc.assert(
      fc.property(payloads, profiles, (payload, profile) => {
        const once = entityGates({ law }).run(start(payload), profile);
        const twice = entityGates({ law }).run(once.gated, profile);
        expect(twice.gated).toEqual(once.gated);
        expect(twice.changes).toEqual([]);
        expect(twice.refusals).toEqual(once.refusals);
      }),
      { numRuns: 500 },
    );
  });

  it('no byte changes without being reported, and nothing is reported that did not change', () => {
    fc.assert(
      fc.property(payloads, profiles, (payload, profile) => {
        const { gated, changes: told } = entityGates().run(start(payload), profile);
        const named = new Set(told.map(({ field }) => field));
        const differing = leaves(payload, gated.payload);
        expect(differing.filter((field) => !named.has(field))).toEqual([]);
        for (const { field, before, after } of told) {
          expect(before).not.toBe(after);
          if (field !== '/due' && field !== '/not_before') expect(differing).toContain(field);
        }
        const bytes = Buffer.from(canonicalBytes(gated.payload)).toString('utf8');
        expect(bytes).not.toMatch(/\\u00[01]|\\[bfnrt]|[\u007f-\u009f]/);
      }),
      { numRuns: 500 },
    );
  });
});

/** Pointers of the texts that differ, and of those that only the second has. */
function leaves(before: unknown, after: unknown, at_ = ''): string[] {
  if (typeof after !== 'object' || after === null) return before === after ? [] : [at_];
  return Object.entries(after).flatMap(([name, value]) => {
    const step = name.replaceAll('~', '~0').replaceAll('/', '~1');
    return leaves(Object(before)[name], value, `${at_}/${step}`);
  });
}

describe('schemas', () => {
  it('schemas/ holds what the code says, and nothing else', () => {
    const files = readdirSync(new URL('schemas/', root)).sort();
    expect(files).toEqual([...FILING_SCHEMAS.keys()].map((kind) => `${kind}.json`).sort());
    for (const [kind, schema] of FILING_SCHEMAS) {
      const text = readFileSync(new URL(`schemas/${kind}.json`, root), 'utf8');
      expect(JSON.parse(text), kind).toEqual(JSON.parse(JSON.stringify(schema)));
    }
  });

  it.each([
    ['an unknown member', { colour: 'blue' }, 'SCHEMA '],
    ['a fee that is no whole number of cents', { fee_cents: 1.5 }, 'SCHEMA /fee_cents'],
    ['a period that is none', { period: '27' }, 'SCHEMA /period'],
    [
      'a day that is no day',
      { fields: { formation_date: 'March' } },
      'SCHEMA /fields/formation_date',
    ],
  ])('%s is refused with its place', (_, change, refused) => {
    expect(refusals(gate(change, { withLaw: false }))).toContain(refused);
  });
});
