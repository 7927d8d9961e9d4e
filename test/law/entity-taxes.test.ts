/** Taxes of entities beside Delaware's: every golden case, and the edges that the cases leave out. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FilewrightError } from '../../src/core/errors.ts';
import { answerEntityTax, TAX_KINDS } from '../../src/entities/rules/law/taxes/answer-tax.ts';
import { readTaxLaw } from '../../src/entities/rules/law/taxes/tax-law.ts';
import { shippedLaw } from '../../src/system/law-files.ts';

interface TaxCase {
  readonly id: string;
  readonly kind: string;
  readonly why: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly expected: unknown;
  readonly verified: string;
  readonly confidence: string;
}

const { tax_cases: cases } = JSON.parse(
  readFileSync(new URL('../golden/entity-2.golden.json', import.meta.url), 'utf8'),
) as { readonly tax_cases: readonly TaxCase[] };
const text = readFileSync(new URL('../../law/rules/entity-taxes.json', import.meta.url), 'utf8');
const law = readTaxLaw({ file: 'entity-taxes.json', text });
const deps = { law, businessDays: shippedLaw().calendar(law.calendar) };

const ask = (kind: string, input: unknown) => answerEntityTax({ kind, input }, deps);

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof FilewrightError) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('an answer was given');
}

describe('the golden taxes', () => {
  it('are all there, and cover every kind but that of dates', () => {
    expect(cases).toHaveLength(49);
    const asked = new Set(cases.map(({ kind }) => kind));
    expect(TAX_KINDS.filter((kind) => !asked.has(kind))).toEqual(['tax.due']);
  });

  it.each(cases.map((one) => [one.id, one.kind, one] as const))('%s %s', (_id, kind, one) => {
    const answer = ask(kind, one.input);
    expect(answer.result).toEqual(one.expected);
    expect([answer.confidence, answer.verified]).toEqual([one.confidence, one.verified]);
    expect(answer.decides).toBe(true);
    expect(answer.steps.some((step) => step.citation !== undefined)).toBe(true);
    expect(answer.rule_version).toBe(law.version);
  });
});

describe('a tax', () => {
  it.each([
    [
      'the month of filing is month 1, over the end of a year',
      'ca.llc.first_annual_tax',
      { filed: '2026-09-30' },
      { due: '2026-12-15', amount: '800.00' },
    ],
    [
      'a free first year',
      'ca.llc.first_annual_tax',
      { filed: '2022-05-05' },
      { due: '2022-08-15', amount: '0.00' },
    ],
    ['the day before AB 85', 'ca.llc.first_year_exempt', { filed: '2020-12-31' }, false],
    ['a cent below a tier', 'ca.llc.fee', { totalIncome: '499999.99' }, '900.00'],
    ['at a tier', 'ca.llc.fee', { totalIncome: 1_000_000 }, '6000.00'],
    [
      'a fiscal year',
      'ca.llc.fee_due',
      { taxableYearBegins: '2026-10-01' },
      { nominal: '2027-03-15', rolled: '2027-03-15' },
    ],
    [
      'Texas before 2024, below',
      'tx.no_tax_due',
      { reportYear: 2023, annualizedRevenue: 1_230_000 },
      { taxReport: false, informationReport: true, noTaxDueReport: true },
    ],
    [
      'Texas before 2024, above',
      'tx.no_tax_due',
      { reportYear: 2008, annualizedRevenue: '300000.01' },
      { taxReport: true, informationReport: true, noTaxDueReport: false },
    ],
    ['a bank', 'tx.information_report', { entity: 'Financial_Institution' }, 'PIR'],
    ['a trust', 'tx.information_report', { entity: 'business trust' }, 'OIR'],
    [
      'North Carolina, C, over the cap',
      'nc.franchise',
      { taxClass: 'c', base: '333400', taxableYearBegins: '2025-01-01' },
      '500.00',
    ],
    [
      'North Carolina, C, before the cap',
      'nc.franchise',
      { taxClass: 'c', base: 1_000_000, taxableYearBegins: '2024-12-31' },
      '1500.00',
    ],
    [
      'North Carolina, S, small',
      'nc.franchise',
      { taxClass: 's', base: 0, taxableYearBegins: '2026-01-01' },
      '200.00',
    ],
    [
      'North Carolina, S, a cent',
      'nc.franchise',
      { taxClass: 's', base: 1_000_010, taxableYearBegins: '2026-01-01' },
      '200.02',
    ],
    ['Illinois in 2020', 'il.franchise_payable', { liability: '25.00', year: 2020 }, '0.00'],
    ['Illinois in 2023', 'il.franchise_payable', { liability: '1000.01', year: 2023 }, '0.01'],
    ['Delaware in 2014', 'de.llc_tax', { taxYear: 2014 }, { amount: '300.00', due: '2015-06-01' }],
    [
      'Nevada, a large one',
      'nv.commerce',
      { grossRevenue: '10000000.50', ratePercent: '0.331' },
      { return: true, tax: '19860.00' },
    ],
    ['Wyoming, half a cent up', 'wy.license_tax', { assetsInState: 300_025 }, '60.01'],
  ])('%s', (_what, kind, input, expected) => {
    expect(ask(kind, input).result).toEqual(expected);
  });

  it.each([
    [
      'a year without a threshold',
      'tx.no_tax_due',
      { reportYear: 2028, annualizedRevenue: 1 },
      /^RULE_UNKNOWN: Not on file: the threshold of report year 2028/,
    ],
    ['a year before the table', 'de.llc_tax', { taxYear: 2013 }, /^RULE_UNKNOWN/],
    [
      'the old base of Tennessee',
      'tn.franchise',
      { taxYearEnd: '2023-12-31', netWorth: 100 },
      /^RULE_UNKNOWN: .*property/,
    ],
    [
      'S corporations before 2019',
      'nc.franchise',
      { taxClass: 's', base: 1, taxableYearBegins: '2018-12-31' },
      /^RULE_UNKNOWN/,
    ],
    [
      'a year end of another day',
      'nv.commerce_due',
      { yearEnd: '2027-12-31' },
      /^CASE_INVALID: yearEnd: expected a June 30/,
    ],
    [
      'a misspelled form',
      'tx.information_report',
      { entity: 'corporatoin' },
      /^CASE_INVALID: entity: .*did you mean corporation/,
    ],
    [
      'an unknown field',
      'wy.license_tax',
      { assetsInState: 1, assets: 2 },
      /^CASE_INVALID: assets: unknown field/,
    ],
    ['a missing figure', 'sc.license_fee', {}, /^CASE_INVALID: capitalAndPaidInSurplus/],
    [
      'a negative figure',
      'sc.license_fee',
      { capitalAndPaidInSurplus: -1 },
      /^CASE_INVALID: capital/,
    ],
    ['an unknown kind', 'ny.fee', {}, /^RULE_UNKNOWN: kind: expected one of/],
  ])('%s is refused', (_what, kind, input, expected) => {
    expect(refusal(() => ask(kind, input))).toMatch(expected);
  });

  it('says what rests on a pattern, a proportion or memory', () => {
    expect(ask('tx.no_tax_due', { reportYear: 2027, annualizedRevenue: 1 })).toMatchObject({
      confidence: 'medium',
      decides: false,
    });
    expect(ask('sc.license_fee', { capitalAndPaidInSurplus: 50_500 })).toMatchObject({
      result: '65.50',
      decides: false,
    });
    expect(ask('nv.commerce', { grossRevenue: 5_000_000, ratePercent: '3.31' }).task).toMatch(
      /^Check the rate/,
    );
    expect(ask('tax.due', { tax: 'US-TN.franchise_excise', yearEnd: '2026-12-31' })).toMatchObject({
      result: { nominal: '2027-04-15' },
      verified: 'none',
      confidence: 'low',
      decides: false,
    });
  });

  it.each([
    [
      { tax: 'US-CA.llc.annual_tax', taxableYearBegins: '2028-01-01' },
      { nominal: '2028-04-15', rolled: '2028-04-17' },
    ],
    [
      { tax: 'US-TX.franchise', year: 2027 },
      { nominal: '2027-05-15', rolled: '2027-05-17' },
    ],
    [{ tax: 'US-NC.franchise', yearEnd: '2026-12-31', taxClass: 's' }, { nominal: '2027-03-15' }],
    [
      { tax: 'US-NC.franchise', yearEnd: '2026-12-31' },
      { nominal: '2027-04-15', conservative: '2027-03-15' },
    ],
    [{ tax: 'US-AR.franchise', year: 2027 }, { nominal: '2027-05-01' }],
    [{ tax: 'US-DE.llc_lp_gp', year: 2026 }, { nominal: '2027-06-01' }],
  ])('is due: %j', (input, expected) => {
    expect(ask('tax.due', input).result).toEqual(expected);
  });
});

describe('the file of taxes', () => {
  it.each([
    ['a figure that is no money', '"minimum": "100.00"', '"minimum": "100"'],
    ['an unknown source', '"TN950"\n      ]', '"HEARSAY"\n      ]'],
    ['an unknown key', '"title":', '"heading":'],
    ['a missing tax', '"id": "US-WY.license_tax"', '"id": "US-WY.license"'],
  ])('with %s is refused', (_what, pattern, replacement) => {
    const loose = text.includes(pattern) ? pattern : pattern.replace('\n      ]', ']');
    expect(text).toContain(loose);
    const broken = text.replace(loose, replacement.replace('\n      ]', ']'));
    expect(refusal(() => readTaxLaw({ file: 'taxes.json', text: broken }))).toMatch(
      /^RULE_FILE_INVALID: taxes\.json, line \d+/,
    );
  });
});
