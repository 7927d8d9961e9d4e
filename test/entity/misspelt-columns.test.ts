/** A column that is almost a known one is refused with its place and the name meant; any other goes into the form as it is. */
import { describe, expect, it } from 'vitest';
import { registerLaw } from '../../src/entities/acts/law.ts';
import type { RowError } from '../../src/core/ports.ts';
import { importRows } from '../../src/intake/import.ts';
import { countingIds, importOptions, MemoryIntake } from '../fixtures/memory-intake.ts';
import { entityRowReader } from '../../src/entities/rules/row-reader.ts';
import { readRecord } from '../../src/entities/rules/register/read-record.ts';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';

const profile = {
  ...sampleProfile(),
  code: 'US-DE',
  jurisdiction: 'US-DE',
  limits: { fields: [{ at: '/fields/business_description', required: true }] },
};
const reader = entityRowReader({
  tenant: 'acme',
  // Of a profile's limits the reader asks for the places alone.
  lanes: new Map([['US-DE', profile as unknown as ReturnType<typeof sampleProfile>]]),
});
const ROW = {
  jurisdiction: 'US-DE',
  registry_number: '0012345',
  entity_name: 'Alder',
  filing_kind: 'annual_report',
  period: '2027',
  due: '2028-03-01',
  business_description: 'Retail',
};

function errorsOf(more: Readonly<Record<string, string>>): readonly RowError[] {
  const result = reader.read({ ...ROW, ...more });
  return result.ok ? [] : result.errors;
}

const MISSPELT: readonly (readonly [string, string])[] = [
  ['state_record_date', 'state_record_due'],
  ['record_due', 'state_record_due'],
  ['State Record Due', 'state_record_due'],
  ['stateRecordDue', 'state_record_due'],
  ['state_recrod_due', 'state_record_due'],
  ['stat_record_deu', 'state_record_due'],
  ['state_record_due_date', 'state_record_due'],
  // The register's way to name a filing kind; a filing has one kind, and the gate would not read it.
  ['state_record_due.annual_report', 'state_record_due'],
  ['Fee', 'fee'],
  ['fees', 'fee'],
  ['Not Before', 'not_before'],
  ['not_befor', 'not_before'],
  ['entity-id', 'entity_id'],
  ['enity_kind', 'entity_kind'],
  ['orgin', 'origin'],
  ['orogin', 'origin'],
  ['formation_dat', 'formation_date'],
  ['fiscal_yaer_end', 'fiscal_year_end'],
  ['taxclass', 'tax_class'],
  ['filing_date_choise', 'filing_date_choice'],
  ['Rule-ID', 'rule_id'],
  ['autorized', 'authorized'],
  ['isued', 'issued'],
  ['gros_assets', 'gross_assets'],
  ['tax_yaer', 'tax_year'],
  ['large_filler', 'large_filer'],
  ['payment_rial', 'payment_rail'],
  // Named by the portal's profile alone.
  ['busines_description', 'business_description'],
];

const OTHERS = [
  'agent',
  'signatory',
  'principal_office',
  'issuer',
  'feed',
  'free',
  'dues_paid',
  'formation_state',
  'state_record_number',
  'entity_type',
  'fiscal_year',
  'tax_id',
  'rule',
  'period_name',
  'x'.repeat(500),
];

describe('a column of a filing that is almost a known one', () => {
  it.each(MISSPELT)('%s is refused, and %s named', (name, meant) => {
    const [error, ...others] = errorsOf({ [name]: '2027-12-01' });
    expect(others).toEqual([]);
    expect(error?.where).toBe(name);
    expect(error?.why).toMatch(new RegExp(`like ${meant} .*(correct the name|drop it)`));
  });

  it('is let pass where it is empty: nothing is lost', () => {
    expect(errorsOf({ state_record_date: '' })).toEqual([]);
  });

  it.each(OTHERS)('%s is another one', (name) => {
    expect(errorsOf({ [name]: 'x' })).toEqual([]);
  });

  it('is no misspelling where the portal’s profile names it itself', () => {
    const own = { ...profile, limits: { fields: [{ at: '/fields/fees', required: true }] } };
    const lanes = new Map([['US-DE', own as unknown as ReturnType<typeof sampleProfile>]]);
    const result = entityRowReader({ tenant: 'acme', lanes }).read({ ...ROW, fees: '3' });
    expect(result.ok).toBe(true);
  });
});

describe('its place', () => {
  const text = {
    csv: `${Object.keys(ROW).join()},Fees\n${Object.values(ROW).join()},5\n`,
    ndjson: `${JSON.stringify({ ...ROW, Fees: '5' })}\n`,
  };
  it.each([
    ['csv', 2, 'Fees'],
    ['ndjson', 1, '/Fees'],
  ] as const)('is reported in %s', async (kind, line, where) => {
    const store = new MemoryIntake();
    const report = await importRows({
      ...importOptions(text[kind], store),
      ids: countingIds(),
      format: { kind },
      reader,
    });
    expect(report).toMatchObject({ created: 0, refused: 1, errors: [{ line, where }] });
  });

  it('is mended by a mapping', async () => {
    const store = new MemoryIntake();
    const report = await importRows({
      ...importOptions(text.csv, store),
      ids: countingIds(),
      reader,
      mapping: { fee: 'Fees' },
    });
    expect(report).toMatchObject({ created: 1, refused: 0 });
  });
});

describe('a column of the register that is almost a known one', () => {
  const { rules } = registerLaw();
  const row = {
    jurisdiction: 'US-WY',
    registry_number: '1',
    entity_name: 'E',
    entity_kind: 'llc',
    origin: 'domestic',
    formation_date: '2019-05-20',
  };
  it.each([
    ['state_recrod_due', 'state_record_due'],
    ['taxclass', 'tax_class'],
    ['agent_emial', 'agent_email'],
    ['fiscal_year_ends', 'fiscal_year_end'],
  ])('%s is refused, and %s named', (name, meant) => {
    const result = readRecord({ ...row, [name]: '1' }, rules);
    expect(result).toMatchObject({ ok: false, errors: [{ where: name }] });
    expect(JSON.stringify(result)).toContain(`like ${meant} `);
  });

  it('is another one where it is unlike', () => {
    for (const name of OTHERS) expect(readRecord({ ...row, [name]: '1' }, rules).ok).toBe(true);
  });
});
