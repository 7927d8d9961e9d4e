/** Duties beside the returns, beyond the golden cases: edges, contradictions, and what rests on memory. */
import { describe, expect, it } from 'vitest';
import { FilewrightError } from '../../src/core/errors.ts';
import { readDutiesLaw } from '../../src/grants/rules/duties-law.ts';
import { readFileSync } from 'node:fs';
import { answer, refusal, resultOf } from './grants-cases.ts';

describe('duties of an award', () => {
  it.each([
    ['over a February 29', { submitted: '2027-03-01' }, '2028-02-29'],
    ['from a February 29', { submitted: '2028-02-29' }, '2029-02-28'],
    ['the shown date alone', { expirationDate: '2027-06-06' }, '2027-06-06'],
  ])('SAM.gov: %s', (_what, input, expected) => {
    expect(resultOf('sam.renewalDue', input)).toBe(expected);
  });

  it('SAM.gov: a count waits for the date that is shown, which decides', () => {
    const counted = answer('sam.renewalDue', { submitted: '2026-03-10' });
    expect(counted).toMatchObject({ decides: false, confidence: 'medium', start_by: '2027-01-09' });
    const shown = answer('sam.renewalDue', {
      submitted: '2026-03-10',
      expirationDate: '2027-03-01',
    });
    expect(shown).toMatchObject({ decides: true, confidence: 'high' });
    expect(shown.warnings?.join()).toContain('the count gives 2027-03-10');
  });

  it.each([
    ['at the end of a month', { issued: '2026-01-31', amount: 30_000 }, '2026-02-28'],
    ['over a year’s end', { issued: '2026-12-01', amount: 30_000 }, '2027-01-31'],
    ['a cent below', { issued: '2026-06-01', amount: 29_999.99 }, 'none'],
    [
      'below, and still after the change',
      { issued: '2026-06-01', amount: 1, modified: '2026-07-01', modifiedTotal: 29_999 },
      'none',
    ],
    [
      'reached at the issue, changed later',
      { issued: '2026-06-01', amount: 30_000, modified: '2026-09-01', modifiedTotal: 90_000 },
      '2026-07-31',
    ],
    ['to a person', { issued: '2026-06-01', amount: 90_000, toIndividual: true }, 'none'],
    [
      'of a small recipient',
      { issued: '2026-06-01', amount: 90_000, recipientGrossIncome: 299_999 },
      'none',
    ],
  ])('subawards: %s', (_what, input, expected) => {
    expect(resultOf('ffata.subawardDue', input)).toBe(expected);
  });

  it('subawards: the exemption by income is from memory', () => {
    const input = { issued: '2026-06-01', amount: 90_000, recipientGrossIncome: 1 };
    expect(answer('ffata.subawardDue', input)).toMatchObject({ decides: false, confidence: 'low' });
  });

  it('indirect costs: nothing newer below an award that has not adopted the text', () => {
    const input = { awardIssued: '2026-01-01', awardAboveAdopted2024: false };
    expect(resultOf('deMinimis.max', input)).toBe(10);
    expect(
      resultOf('deMinimis.max', { awardIssued: '2026-01-01', awardAboveAdopted2024: true }),
    ).toBe(15);
  });

  it.each([
    [
      'a modification before the issue',
      'ffata.subawardDue',
      { issued: '2026-06-01', amount: 1, modified: '2026-05-01', modifiedTotal: 2 },
      /input\.modified/,
    ],
    [
      'a modification without its total',
      'ffata.subawardDue',
      { issued: '2026-06-01', amount: 1, modified: '2026-07-01' },
      /input\.modifiedTotal/,
    ],
    [
      'a total without its day',
      'ffata.subawardDue',
      { issued: '2026-06-01', amount: 1, modifiedTotal: 40_000 },
      /input\.modified:/,
    ],
    ['neither day', 'sam.renewalDue', {}, /input\.submitted/],
    [
      'a shown date before the submission',
      'sam.renewalDue',
      { submitted: '2026-03-10', expirationDate: '2026-03-09' },
      /input\.expirationDate/,
    ],
    [
      'a filer that is none',
      'form990T.due',
      { fiscalYearEnd: '2026-12-31', filerType: 'llc' },
      /input\.filerType/,
    ],
    [
      'a 990-T without its filer',
      'form8868.act',
      { form: '990-T', fiscalYearEnd: '2026-12-31' },
      /input\.filerType/,
    ],
    [
      'a way that is not said where it decides',
      'info1099.due',
      { form: '1099-MISC', paymentYear: 2026, copy: 'irs' },
      /input\.channel/,
    ],
    [
      'a misspelled field',
      'info1099.required',
      { paymentYaer: 2026, amount: 1 },
      /did you mean paymentYear/,
    ],
  ])('%s is refused', (_what, kind, input, expected) => {
    expect(refusal(kind, input)).toMatch(expected);
  });
});

describe('duties to the IRS', () => {
  it.each([
    [
      '990-T',
      'form990T.due',
      { fiscalYearEnd: '2026-12-31', filerType: 'otherTrust' },
      '2027-05-17',
    ],
    ['4720, fiscal year', 'form4720.due', { fiscalYearEnd: '2026-06-30' }, '2026-11-16'],
    [
      'Emancipation Day',
      'form990T.due',
      { fiscalYearEnd: '2027-12-31', filerType: 'employeeTrust' },
      '2028-04-18',
    ],
    [
      '1099-NEC, no way given',
      'info1099.due',
      { form: '1099-NEC', paymentYear: 2026, copy: 'irs' },
      '2027-02-01',
    ],
    ['1099 in 2026', 'info1099.required', { paymentYear: 2026, amount: 1_999.99 }, false],
  ])('%s', (_what, kind, input, expected) => {
    expect(resultOf(kind, input)).toEqual(expected);
  });

  it('an extension runs from the date in the law, also where that rolled', () => {
    expect(resultOf('form8868.act', { form: '990-EZ', fiscalYearEnd: '2026-12-31' })).toEqual({
      fileBy: '2027-05-17',
      extendsTo: '2027-11-15',
    });
    expect(resultOf('form8868.act', { form: '4720', fiscalYearEnd: '2027-12-31' })).toEqual({
      fileBy: '2028-05-15',
      extendsTo: '2028-11-15',
    });
  });

  it('estimates lose no cent, and the earlier ones carry the rest', () => {
    const payments = resultOf('estimates.dates', {
      fiscalYearEnd: '2027-12-31',
      filer: 'privateFoundation',
      expectedTax: 500.03,
    });
    expect(payments).toMatchObject([
      { cents: 12_501 },
      { cents: 12_501 },
      { cents: 12_501 },
      { cents: 12_500 },
    ]);
  });

  it('a threshold that is not published is unknown, and a task', () => {
    const given = answer('info1099.required', { paymentYear: 2028, amount: 1 });
    expect(given).toMatchObject({ result: 'unknown', decides: false, confidence: 'low' });
  });
});

describe('charity renewals', () => {
  it.each([
    [
      'Hawaii over two holidays',
      { state: 'HI', filesForm990: true, irsFiledOn: '2026-12-21' },
      '2027-01-06',
    ],
    [
      'Hawaii from a Friday',
      { state: 'HI', filesForm990: true, irsFiledOn: '2026-08-07' },
      '2026-08-21',
    ],
    ['Mississippi', { state: 'MS', expirationDate: '2027-03-03' }, '2027-03-03'],
    ['Oregon on a weekday', { state: 'OR', fiscalYearEnd: '2025-12-31' }, '2026-05-15'],
    ['Maine on the day itself', { state: 'ME', asOf: '2026-11-30' }, '2026-11-30'],
    ['Maine a day later', { state: 'ME', asOf: '2026-12-01' }, '2027-11-30'],
    ['North Dakota without a day', { state: 'ND', fiscalYearEnd: '2026-09-01' }, '2027-09-01'],
    [
      'West Virginia on the anniversary',
      { state: 'WV', registeredOn: '2024-02-29', asOf: '2027-02-28' },
      '2027-02-28',
    ],
    ['West Virginia, the first', { state: 'WV', registrationDate: '2026-03-18' }, '2027-03-18'],
    [
      'the District of Columbia, a cycle later',
      { state: 'DC', registeredOn: '2025-02-10', asOf: '2027-02-11' },
      '2029-02-10',
    ],
  ])('%s', (_what, input, expected) => {
    expect(resultOf('charity.renewalDue', input)).toBe(expected);
  });

  it.each([
    ['Hawaii, form not said', { state: 'HI', fiscalYearEnd: '2026-12-31' }, /input\.filesForm990/],
    ['Hawaii, not filed yet', { state: 'HI', filesForm990: true }, /input\.irsFiledOn/],
    ['Kentucky, not filed yet', { state: 'KY', fiscalYearEnd: '2026-12-31' }, /input\.irsFiledOn/],
    [
      'Mississippi without the certificate',
      { state: 'MS', fiscalYearEnd: '2026-12-31' },
      /^STATE_RECORD_NEEDED .*certificate/,
    ],
    [
      'two days of registration',
      { state: 'WV', registeredOn: '2024-03-18', registrationDate: '2024-03-19' },
      /input\.registeredOn/,
    ],
  ])('%s is refused', (_what, input, expected) => {
    expect(refusal('charity.renewalDue', input)).toMatch(expected);
  });

  it('say what an extension by the IRS does, and where that was not read', () => {
    const steps = (state: string): string =>
      answer('charity.renewalDue', { state, fiscalYearEnd: '2026-12-31' })
        .steps.map(({ text }) => text)
        .join(' ');
    expect(steps('OR')).toContain('does not follow by itself');
    expect(steps('VA')).toContain('After an extension by the IRS: not read');
    expect(steps('AL')).toContain('not read; keep the date of the state');
  });

  it.each([
    ['MS', { expirationDate: '2027-03-03' }],
    ['NH', { fiscalYearEnd: '2026-12-31' }],
    ['SC', { fiscalYearEnd: '2026-12-31' }],
  ])('%s was read in part only, and decides nothing', (state, more) => {
    const given = answer('charity.renewalDue', { state, ...more });
    expect(given).toMatchObject({ decides: false, confidence: 'medium' });
  });
});

describe('the file of duties', () => {
  const text = readFileSync(new URL('../../law/rules/grants/duties.json', import.meta.url), 'utf8');
  it.each([
    ['an unknown key', '"days": 365', '"daysOfYear": 365'],
    ['a day that is none', '"recipient": "01-31"', '"recipient": "January 31"'],
    ['a form that is none', '"990-N"', '"990-X"'],
    ['an unknown standing', '"confidence": "mixed"', '"confidence": "sure"'],
  ])('with %s is refused by line', (_what, pattern, replacement) => {
    expect(text).toContain(pattern);
    const read = (): unknown =>
      readDutiesLaw({ file: 'duties.json', text: text.replace(pattern, replacement) });
    expect(read).toThrow(FilewrightError);
    expect(read).toThrow(/duties\.json, line \d+/);
  });
});
