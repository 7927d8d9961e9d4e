/** Federal rules beyond the golden cases: other years, month ends, missing fields, boundaries. */
import { describe, expect, it } from 'vitest';
import { answer, refusal, resultOf } from './grants-cases.ts';

describe('Form 990: which form', () => {
  it.each([
    // gross receipts, total assets, flags, form
    [0, 0, {}, '990-N'],
    [50_000, 600_000, {}, '990-N'],
    [50_000.01, 1, {}, '990-EZ'],
    [199_999, 500_000, {}, '990'],
    [200_000, 0, {}, '990'],
    [50_000, 10, { supporting509a3: true }, '990-EZ'],
    [50_000, 500_000, { supporting509a3: true }, '990'],
    [50_001, 10, { dafSponsor: true }, '990'],
    [60_000, 10, { controlling512b13: true }, '990'],
    [40_000, 10, { dafSponsor: true, supporting509a3: true }, '990'],
    [10, 10, { church: true, privateFoundation: true }, 'none'],
    [10, 10, { church: false, privateFoundation: null }, '990-N'],
  ])('%d receipts, %d assets, %o: %s', (grossReceipts, totalAssets, flags, form) => {
    expect(resultOf('form990.select', { grossReceipts, totalAssets, ...flags })).toBe(form);
  });

  it('an amount is needed only where it decides', () => {
    expect(resultOf('form990.select', { church: true })).toBe('none');
    expect(resultOf('form990.select', { grossReceipts: 50_000 })).toBe('990-N');
    expect(refusal('form990.select', { grossReceipts: 60_000 })).toMatch(
      /^CASE_INVALID input\.totalAssets: .*nothing was found/,
    );
  });

  it('a small sponsor of donor advised funds is a case for a person', () => {
    const given = answer('form990.select', { grossReceipts: 40_000, dafSponsor: true });
    expect(given).toMatchObject({ result: '990-N', decides: false, confidence: 'medium' });
  });

  it.each([
    [0, 75_000, true],
    [1, 75_001, false],
    [1.01, 60_000, true],
    [2.99, 60_001, false],
    [3, 50_000, true],
    [3, 50_000.5, false],
    [40, 0, true],
  ])('normally 50,000: %d years, average %d: %s', (years, average, normally) => {
    const input = { yearsInExistence: years, averageGrossReceipts: average };
    expect(resultOf('form990.normally50k', input)).toBe(normally);
  });
});

describe('Form 990: when', () => {
  it.each([
    ['2023-02-28', false, '990', '2023-07-17'], // 15 July is a Saturday.
    ['2025-07-31', false, '990-EZ', '2025-12-15'],
    ['2024-04-30', false, '990-PF', '2024-09-16'], // 15 September is a Sunday.
    ['2026-11-30', false, '990', '2027-04-15'],
    ['2025-08-31', true, '990', '2026-07-15'],
    ['2026-02-28', true, '990', '2027-01-15'],
    ['2025-03-31', true, '990-PF', '2026-02-17'], // Sunday, then Washington's Birthday.
    ['2021-05-31', true, '990', '2022-04-18'], // Emancipation Day, observed on Friday 15 April.
    ['2024-12-31', true, '990-N', '2025-05-15'],
  ])('year end %s, extended %s, %s: %s', (fiscalYearEnd, extended8868, form, due) => {
    expect(resultOf('form990.due', { fiscalYearEnd, extended8868, form })).toBe(due);
  });

  it('the form is needed only to extend, and absent means not extended', () => {
    expect(resultOf('form990.due', { fiscalYearEnd: '2025-12-31' })).toBe('2026-05-15');
    const nulls = { fiscalYearEnd: '2025-12-31', extended8868: null, form: null };
    expect(resultOf('form990.due', nulls)).toBe('2026-05-15');
    expect(refusal('form990.due', { ...nulls, extended8868: true })).toMatch(
      /^CASE_INVALID input\.form: expected one of 990-N, 990-EZ/,
    );
  });

  it('a year that ends inside a month is shown to a person', () => {
    const given = answer('form990.due', { fiscalYearEnd: '2025-12-28', form: '990' });
    expect(given).toMatchObject({ result: '2026-05-15', decides: false });
    expect(given.task).toContain('52 or 53 weeks');
  });

  it('an extension of the 990-N is reported to be without effect', () => {
    const given = answer('form990.due', {
      fiscalYearEnd: '2025-12-31',
      extended8868: true,
      form: '990-N',
    });
    expect(given.warnings).toEqual(['extended8868 has no effect on 990-N']);
  });
});

describe('SF-425', () => {
  it.each([
    ['2024-01-31', 'quarterly', '2024-03-01'],
    ['2023-11-30', 'annual', '2024-02-28'],
    ['2023-12-31', 'annual', '2024-03-30'],
    ['2024-12-31', 'final', '2025-04-30'],
    ['2024-02-29', 'semiannual', '2024-03-30'],
  ])('%s %s: %s', (periodEnd, frequency, due) => {
    expect(resultOf('sf425.due', { periodEnd, frequency })).toBe(due);
  });

  it('a closed day stands, and the open day before it is the one to aim for', () => {
    const given = answer('sf425.due', { periodEnd: '2027-12-31', frequency: 'quarterly' });
    expect(given).toMatchObject({ result: '2028-01-30', aim_for: '2028-01-28' });
    const open = answer('sf425.due', { periodEnd: '2026-03-31', frequency: 'quarterly' });
    expect(open).not.toHaveProperty('aim_for');
  });

  it('the final report of an older award follows its own guidance', () => {
    const input = { periodEnd: '2020-06-30', frequency: 'final' };
    expect(resultOf('sf425.due', { ...input, guidanceVersion: '2014' })).toBe('2020-09-28');
    expect(resultOf('sf425.due', { ...input, guidanceVersion: '2020' })).toBe('2020-10-28');
    expect(refusal('sf425.due', { ...input, guidanceVersion: '1999' })).toMatch(
      /input\.guidanceVersion/,
    );
  });
});

describe('single audit', () => {
  it.each([
    ['2025-06-30', undefined, '2026-03-31'], // Month end to month end, not 30 March.
    ['2025-02-28', undefined, '2025-12-01'], // 30 November is a Sunday.
    ['2024-02-28', undefined, '2024-11-29'], // Not a month end in a leap year; the 28th is Thanksgiving.
    ['2024-05-31', undefined, '2025-02-28'],
    ['2024-03-31', undefined, '2024-12-31'],
    ['2025-09-15', undefined, '2026-06-15'],
    ['2025-12-31', '2026-08-31', '2026-09-30'], // Both fall on the same day.
    ['2025-12-31', '2026-09-20', '2026-09-30'], // The report came late: nine months stand.
    ['2025-12-31', null, '2026-09-30'],
    ['2025-12-31', '2026-06-03', '2026-07-06'], // 3 July, Independence Day observed, then the weekend.
  ])('year end %s, report %s: %s', (fiscalYearEnd, auditReportReceived, due) => {
    expect(resultOf('singleAudit.due', { fiscalYearEnd, auditReportReceived })).toBe(due);
  });

  it('a report before the year has ended is a mistake', () => {
    const input = { fiscalYearEnd: '2025-12-31', auditReportReceived: '2025-12-31' };
    expect(refusal('singleAudit.due', input)).toMatch(/^CASE_INVALID input\.auditReportReceived/);
  });

  it.each([
    ['2024-09-30', 749_999, false],
    ['2024-09-30', 750_000, true],
    ['2024-10-01', 750_000, false],
    ['2024-10-01', 1_000_000, true],
    ['2030-01-01', 1_000_001, true],
  ])('year from %s, %d spent: %s', (fiscalYearStart, federalExpenditures, required) => {
    const input = { fiscalYearStart, federalExpenditures };
    expect(resultOf('singleAudit.required', input)).toBe(required);
  });

  it('the exact threshold and the years before the table are distinguished', () => {
    const spend = (fiscalYearStart: string, federalExpenditures: number) =>
      answer('singleAudit.required', { fiscalYearStart, federalExpenditures });
    expect(spend('2025-01-01', 1_000_000)).toMatchObject({ result: true, decides: false });
    expect(spend('2025-01-01', 1_000_001)).toMatchObject({ result: true, decides: true });
    expect(spend('2013-01-01', 800_000)).toMatchObject({ decides: false, confidence: 'low' });
  });
});

describe('retention', () => {
  it.each([
    ['2024-02-29', 7, '2027-02-28', '2031-02-28', '2031-02-28'],
    ['2024-02-29', 4, '2027-02-28', '2028-02-29', '2028-02-29'],
    ['2026-10-20', 2, '2029-10-20', '2028-10-20', '2029-10-20'],
    ['2026-10-20', 3, '2029-10-20', '2029-10-20', '2029-10-20'],
    ['2026-10-20', 0, '2029-10-20', '2026-10-20', '2029-10-20'],
  ])('%s, policy of %d years', (submitted, policyYears, federalMinimum, policy, effective) => {
    const input = { finalFinancialReportSubmitted: submitted, policyYears };
    expect(resultOf('retention.until', input)).toEqual({ federalMinimum, policy, effective });
  });

  it('a policy is never assumed', () => {
    const input = { finalFinancialReportSubmitted: '2026-10-20' };
    expect(refusal('retention.until', input)).toMatch(/^CASE_INVALID input\.policyYears/);
    expect(refusal('retention.until', { ...input, policyYears: 2.5 })).toMatch(/policyYears/);
  });
});

describe('identifiers', () => {
  it.each([
    ['id.uei', 'ABC123DEF456', true],
    ['id.uei', 'abc123def456', true], // Upper and lower case are the same identifier.
    ['id.uei', '0BC123DEF456', false],
    ['id.uei', 'ABCO23DEF456', false],
    ['id.uei', 'ABC123DEF45', false],
    ['id.uei', 'ABC123DEF4567', false],
    ['id.uei', 'A12345678B01', true], // Eight digits in a row.
    ['id.uei', 'AB123456789C', false],
    ['id.uei', '123456789ABC', false],
    ['id.uei', 'ABC123DEF456\n', false],
    ['id.uei', '', false],
    ['id.uei', '\u212ABC123DEF456', false], // The Kelvin sign is no K,
    ['id.uei', 'AB\u017F123DEF456', false], // and the long s no S.
    ['id.aln', '93.778', true],
    ['id.aln', '93.778A', true],
    ['id.aln', '10.RD', true],
    ['id.aln', '10.RD1', true],
    ['id.aln', '10.U01', true],
    ['id.aln', '10.u01', false],
    ['id.aln', '10.U1', false],
    ['id.aln', '1.234', false],
    ['id.aln', '93.7788', false],
    ['id.aln', ' 93.778', false],
  ])('%s %j: %s', (kind, value, valid) => {
    expect(resultOf(kind, { value })).toBe(valid);
  });

  it('a value that is no text is a mistake of the case, not an invalid identifier', () => {
    expect(refusal('id.uei', { value: 123 })).toMatch(/^CASE_INVALID input\.value/);
    expect(refusal('id.aln', {})).toMatch(/^CASE_INVALID input\.value/);
  });
});

describe('cases that cannot be read', () => {
  it.each([
    ['form990.due', { fiscalYearEnd: '2025-02-29' }, 'input.fiscalYearEnd'],
    ['form990.due', { fiscalYearEnd: '31.12.2025' }, 'input.fiscalYearEnd'],
    ['form990.due', { fiscalYearEnd: '2025-12-31', extended8868: 'yes' }, 'input.extended8868'],
    ['form990.due', { fiscalYearEnd: '2025-12-31', form: '990-T' }, 'input.form'],
    ['form990.select', { grossReceipts: '50000', totalAssets: 1 }, 'input.grossReceipts'],
    ['form990.select', { grossReceipts: -1, totalAssets: 1 }, 'input.grossReceipts'],
    ['form990.normally50k', { averageGrossReceipts: 1 }, 'input.yearsInExistence'],
    ['sf425.due', { periodEnd: '2026-03-31', frequency: 'monthly' }, 'input.frequency'],
    ['sf425.due', { frequency: 'annual' }, 'input.periodEnd'],
    ['singleAudit.required', { fiscalYearStart: '2025-01-01' }, 'input.federalExpenditures'],
    ['id.uei', undefined, 'input'],
    ['id.uei', ['ABC123DEF456'], 'input'],
  ])('%s %o names %s', (kind, input, field) => {
    expect(refusal(kind, input)).toMatch(new RegExp(`^CASE_INVALID ${field}:`));
  });

  it('an unknown kind names the kinds there are', () => {
    expect(refusal('form990.fee', {})).toMatch(/^RULE_UNKNOWN .*form990\.select/);
    expect(refusal('constructor', {})).toMatch(/^RULE_UNKNOWN/);
  });

  it.each<readonly [string, string, object, string]>([
    [
      'an optional field',
      'form990.select',
      { grossReceipts: 1, totalAssets: 1, chruch: true },
      'church',
    ],
    [
      'a field that is needed',
      'form990.select',
      { grossReciepts: 1, totalAssets: 1 },
      'grossReceipts',
    ],
    [
      'other case and separators',
      'form990.select',
      { gross_receipts: 1, totalAssets: 1 },
      'grossReceipts',
    ],
    [
      'a field of an inner object',
      'form990.scheduleIRows',
      { subawards: [{ cents: 600_000, recipentEin: '123456789' }] },
      'recipientEin',
    ],
  ])(
    '%s that is misspelled is refused with the one that was probably meant',
    (_what, kind, input, meant) => {
      expect(refusal(kind, input)).toMatch(
        new RegExp(`^CASE_INVALID input\\S*: unknown field; did you mean ${meant}\\?`),
      );
    },
  );

  it('a field that is like none, or like one that is given as well, does not vanish silently', () => {
    const known = { grossReceipts: 1, totalAssets: 1, church: true };
    for (const stranger of ['mascot', 'churches', 'grossReceipt']) {
      const given = answer('form990.select', { ...known, [stranger]: 1 });
      expect(given.warnings).toEqual([`not used by this rule: ${stranger}`]);
    }
  });
});
