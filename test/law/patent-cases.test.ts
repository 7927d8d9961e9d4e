/** Rules beyond the golden file, what is refused, and what is said beside a date. */
import { describe, expect, it } from 'vitest';
import { formatDay } from '../../src/calendar/day.ts';
import { readReliefFile } from '../../src/calendar/relief.ts';
import { FilewrightError } from '../../src/core/errors.ts';
import {
  byDanger,
  compareCase,
  compareRules,
  type MovedCase,
} from '../../src/dockets/rules/law-diff.ts';
import { computeDeadline, type PatentDeadline } from '../../src/dockets/rules/compute.ts';
import { explanation } from '../../src/dockets/rules/answer.ts';
import type { PatentLaw } from '../../src/dockets/rules/matter.ts';
import { readPatentCase } from '../../src/dockets/rules/case.ts';
import { readPatentRules } from '../../src/dockets/rules/rules-file.ts';
import { readLawFile, shippedLaw } from '../../src/system/law-files.ts';
import { shippedPatentLaw } from './patent-law.ts';

const law = shippedPatentLaw();

function compute(input: object, under: PatentLaw = law): PatentDeadline {
  return computeDeadline(readPatentCase({ ...input }), under, { explain: true });
}

function short(rule: string, trigger_date: string, period?: string, inputs?: object): object {
  const office = rule.startsWith('PCT') ? 'WO' : rule.slice(0, 2);
  return { office, rule, trigger_date, period, inputs };
}

function refusal(input: object): string {
  try {
    compute(input);
  } catch (error) {
    if (error instanceof FilewrightError) return `${error.code} ${error.message}`;
    throw error;
  }
  throw new Error('the case was answered');
}

describe('rules beyond the golden file', () => {
  it.each([
    // Art. 108 EPC, both from notification, old and new regime.
    ['EP-APPEAL-NOTICE', '2023-10-31', undefined, '2024-01-10', '2024-01-10'],
    ['EP-APPEAL-GROUNDS', '2023-11-01', undefined, '2024-03-01', '2024-03-01'],
    ['EP-FURTHER-PROCESSING', '2023-02-03', undefined, '2023-04-13', '2023-04-13'],
    ['EP-OFFICE-PERIOD', '2024-01-31', 'P4M', '2024-05-31', '2024-05-31'],
    // 14 months from filing, the earlier of the two readings.
    ['US-RESTORATION-14', '2023-11-25', undefined, '2025-01-25', '2025-01-27'],
    ['US-MISSING-PARTS', '2024-03-01', 'P2M', '2024-05-01', '2024-05-01'],
    // MPEP 711.04(a): the day after the rolled last day, itself not rolled.
    ['US-ABANDONMENT', '2019-05-15', 'P3M', '2019-08-15', '2019-08-16'],
    ['US-ABANDONMENT', '2024-02-23', 'P3M', '2024-05-23', '2024-05-24'],
    ['US-ABANDONMENT', '2024-04-05', 'P2M', '2024-06-05', '2024-06-06'],
    ['US-ABANDONMENT', '2024-03-07', 'P3M', '2024-06-07', '2024-06-08'],
    ['JP-APPEAL-DOMESTIC', '2024-08-30', undefined, '2024-11-30', '2024-12-02'],
    ['JP-TRANSLATION-2', '2024-02-29', undefined, '2024-04-30', '2024-04-30'],
    // PCT Rule 80.2 gives 28 August, Art. 3 gives 31 August: the earlier.
    ['JP-NATIONAL-30', '2023-02-28', undefined, '2025-08-28', '2025-08-28'],
    ['JP-NATIONAL-30', '2022-11-15', undefined, '2025-05-15', '2025-05-15'],
    ['JP-EXAM-REQUEST', '2022-05-03', 'P3Y', '2025-05-03', '2025-05-07'],
    ['PCT-MONTHS', '2018-11-30', 'P3M', '2019-02-28', '2019-02-28'],
    // 30 days and five months would reach behind six months: 35 U.S.C. 133 is the earlier.
    ['US-REPLY-EXT', '2025-02-03', 'P30D+P5M', '2025-08-03', '2025-08-04'],
    ['EP-RENEWAL-EARLIEST', '2015-10-05', 'third year', '2017-07-31', '2017-07-31'],
    ['EP-RENEWAL-EARLIEST', '2016-09-05', 'third year', '2018-06-30', '2018-06-30'],
    ['EP-RENEWAL-DUE', '2020-02-29', 'twentieth year', '2039-02-28', '2039-02-28'],
  ])('%s from %s, %s', (rule, trigger, period, raw, due) => {
    const found = compute(short(rule, trigger, period));
    expect([formatDay(found.raw), formatDay(found.due)]).toEqual([raw, due]);
  });

  it('counts Treaty periods by the Treaty at every office, on that office’s calendar', () => {
    const at = (office: string): string =>
      formatDay(
        compute({ office, rule: 'PCT-MONTHS', trigger_date: '2025-02-28', period: 'P3M' }).raw,
      );
    expect([at('JP'), at('EP'), at('US')]).toEqual(['2025-05-28', '2025-05-28', '2025-05-28']);
  });

  it('takes a real later delivery under the ten-day rule, and the excess under the new one', () => {
    const old = compute(
      short('EP-NOTIFICATION', '2023-03-01', 'P4M', { delivered_date: '2023-03-15' }),
    );
    expect(formatDay(old.raw)).toBe('2023-07-15');
    const early = compute(
      short('EP-NOTIFICATION', '2023-03-01', 'P4M', { delivered_date: '2023-03-03' }),
    );
    expect(formatDay(early.raw)).toBe('2023-07-11');
    const now = compute(
      short('EP-NOTIFICATION', '2024-02-05', 'P4M', { delivered_date: '2024-02-13' }),
    );
    expect(formatDay(now.raw)).toBe('2024-06-06');
  });

  it('takes the earlier order of safeguard and roll when the unextended date is closed, and says so', () => {
    // 12 May 2024 is a Sunday; one day more is Monday, rolled first it would be Tuesday.
    const found = compute(
      short('EP-LATE-DELIVERY', '2024-01-12', 'P4M', { delivered_date: '2024-01-20' }),
    );
    expect([formatDay(found.raw), formatDay(found.due)]).toEqual(['2024-05-13', '2024-05-13']);
    expect(found.confidence).toBe('low');
    expect(found.reasons.join(' ')).toContain('order');
  });
});

describe('the day on which the right is lost', () => {
  it.each([
    ['US-REPLY-SSP', '2024-01-31', 'P3M', '2024-07-31'],
    ['US-REPLY-SSP', '2024-01-31', 'P2M', '2024-07-31'],
    ['US-REPLY-SSP', '2024-02-05', 'P30D', '2024-08-05'],
    ['US-REPLY-MAX', '2021-08-19', 'P6M', '2022-02-22'],
    ['US-MISSING-PARTS', '2024-03-01', 'P2M', '2024-10-01'],
    ['US-MF-DUE', '2021-08-31', 'P3Y6M', '2025-09-02'],
    ['US-MF-DUE', '2018-01-16', 'P7Y6M', '2026-01-16'],
    ['EP-RENEWAL-DUE', '2021-12-10', 'third year', '2024-07-01'],
    ['EP-RENEWAL-LAST-DAY', '2021-12-10', 'third year', '2024-07-01'],
    ['EP-RENEWAL-GRACE-END', '2021-12-10', 'third year', '2024-07-01'],
  ])('%s from %s, %s', (rule, trigger, period, final) => {
    const found = compute(short(rule, trigger, period));
    expect(found.final === undefined ? undefined : formatDay(found.final.day)).toBe(final);
  });

  it('is the due day where the action excludes extensions, and unknown where the law gives none', () => {
    const fixed = compute(short('US-REPLY-SSP', '2024-01-31', 'P3M', { extendable: false }));
    expect(fixed.final?.day).toBe(fixed.due);
    expect(compute(short('EP-OPPOSITION-9', '2023-05-31', 'P9M')).final).toBeUndefined();
  });
});

describe('what is refused', () => {
  it.each([
    [{ rule: 'US-ROLL', trigger_date: '2024-01-31', period: 'P3M' }, 'JURISDICTION_UNRESOLVED'],
    [
      { filing_country: 'XX', rule: 'EP-ROLL', trigger_date: '2024-01-31', period: 'P3M' },
      'JURISDICTION_UNRESOLVED',
    ],
    [
      { office: 'XX', rule: 'EP-ROLL', trigger_date: '2024-01-31', period: 'P3M' },
      'JURISDICTION_UNRESOLVED',
    ],
    [
      { event_code: 'ZZZ', rule: 'EP-ROLL', trigger_date: '2024-01-31', period: 'P3M' },
      'JURISDICTION_UNRESOLVED',
    ],
    [
      { office: 'EP', rule: 'US-ROLL', trigger_date: '2024-01-31', period: 'P3M' },
      'CASE_INVALID office',
    ],
    [
      { office: 'EP', event_code: 'CTNF', trigger_date: '2024-01-31', period: 'P3M' },
      'CASE_INVALID event_code',
    ],
    [{ office: 'US', event_code: 'CTNF', trigger_date: '2024-01-31' }, 'usually P3M'],
    [
      { office: 'US', rule: 'US-NO-SUCH', trigger_date: '2024-01-31', period: 'P3M' },
      'RULE_UNKNOWN',
    ],
    [{ office: 'US', trigger_date: '2024-01-31', period: 'P3M' }, 'CASE_INVALID rule'],
    [short('US-ROLL', '2024-02-30', 'P3M'), 'CASE_INVALID trigger_date'],
    [short('US-ROLL', '2024-02-28T00:00:00Z', 'P3M'), 'CASE_INVALID trigger_date'],
    [short('US-RECEIPT-ET', '2024-02-28', 'receipt'), 'CASE_INVALID trigger_date'],
    [{ office: 'US', rule: 'US-ROLL', period: 'P3M' }, 'CASE_INVALID trigger_date'],
    [short('US-ROLL', '2024-01-31', 'three months'), 'CASE_INVALID period'],
    [short('EP-RENEWAL-DUE', '2024-01-31', 'second year'), 'CASE_INVALID period'],
    [short('EP-RENEWAL-DUE', '2024-01-31', 'P3Y'), 'CASE_INVALID period'],
    [short('US-REPLY-EXT', '2024-01-31', 'P3M+P4M'), '35 U.S.C. 133'],
    [short('US-REPLY-EXT', '2024-01-31', 'P30D+P6M'), 'at most 5 months'],
    [short('US-REPLY-SSP', '2024-01-31', 'P7M'), 'at most 6 months'],
    [short('US-MISSING-PARTS-MAX', '2024-01-31', 'P2M+P6M'), 'at most 5 months'],
    [short('JP-OA-DOMESTIC-EXT', '2024-01-31', 'P60D+P3M'), 'at most 2 months'],
    [short('US-ISSUE-FEE', '2024-01-31', 'P3M+P1M'), 'sets P3M'],
    [short('US-NATIONAL-30', '2024-01-31', 'P31M'), '35 U.S.C. 371'],
    [short('US-PRIORITY-12', '2024-01-31', 'P14M'), 'sets P12M'],
    [short('EP-REGIONAL-31', '2024-01-31', 'P960D'), 'sets P31M'],
    [short('EP-RENEWAL-GRACE-DEFERRED', '2024-01-31', 'P31M then P7M'), 'sets P31M then P6M'],
    [short('EP-OPPOSITION-9', '2024-01-31', 'P9M then P2M'), 'sets P9M'],
    [short('US-MF-DUE', '2022-03-08', 'P4Y'), 'P3Y6M, P7Y6M or P11Y6M'],
    [short('US-MF-GRACE-END', '2022-03-08', 'P3Y6M'), 'P4Y, P8Y or P12Y'],
    [short('US-MF-WINDOW-OPEN', '2022-03-08', 'P3Y+P4Y6M'), '37 CFR 1.362(d)'],
    [short('US-MF-EXPIRY-IF-UNPAID', '2022-03-08', 'P16Y'), 'P4Y, P8Y or P12Y'],
    [short('EP-LATE-DELIVERY', '2024-01-31', 'P4M'), 'CASE_INVALID inputs.delivered_date'],
    [
      short('EP-LATE-DELIVERY', '2024-01-31', 'P4M', { delivered_date: '2024-01-30' }),
      'is before the date of the document',
    ],
    [
      short('EP-LATE-DELIVERY', '2023-10-31', 'P4M', { delivered_date: '2023-11-20' }),
      'EP-NOTIFICATION',
    ],
    [short('US-TERM-TD', '2005-03-15', 'P20Y', { pta_days: -1 }), 'CASE_INVALID inputs.pta_days'],
    [
      short('US-TERM-TD', '2005-03-15', 'P20Y', { pta_days: '412' }),
      'CASE_INVALID inputs.pta_days',
    ],
    [short('US-ROLL', '2024-01-31', 'P3M', []), 'CASE_INVALID inputs'],
    [
      { office: 7, rule: 'US-ROLL', trigger_date: '2024-01-31', period: 'P3M' },
      'CASE_INVALID office',
    ],
  ])('%j', (input, reason) => {
    expect(refusal(input)).toContain(reason);
  });
});

describe('a period that the law sets', () => {
  it.each([
    ['US-PRIORITY-12', 'P1Y'],
    ['EP-REGIONAL-31', 'P2Y7M'],
    ['JP-EXAM-REQUEST', 'P36M'],
    ['US-MF-DUE', 'P42M'],
    ['US-MF-GRACE-END', 'P48M'],
  ])('%s may be written as %s', (rule, period) => {
    const found = compute(short(rule, '2022-03-08', period));
    expect(found.warnings).toEqual([]);
  });

  it('may be shorter in the case, as for designs, and is used with a warning', () => {
    const found = compute(short('US-PRIORITY-12', '2023-01-03', 'P6M'));
    expect(formatDay(found.due)).toBe('2023-07-03');
    expect(found.warnings.join(' ')).toContain('sets P12M');
  });

  it('may be longer where it can be extended, with a warning', () => {
    const found = compute(short('JP-OA-OVERSEAS', '2024-01-31', 'P5M'));
    expect(formatDay(found.due)).toBe('2024-07-01');
    expect(found.warnings.join(' ')).toContain('sets P3M');
  });
});

describe('the jurisdiction', () => {
  it.each([
    [{ filing_country: 'US', rule: 'US-ROLL' }, 'US'],
    [{ filing_country: 'IB', rule: 'PCT-MONTHS-IB' }, 'WO'],
    [{ event_code: 'CTRS' }, 'US'],
    [{ event_code: 'PCT/IB/301', rule: 'PCT-MONTHS-IB' }, 'WO'],
    [{ event_code: 'A131', rule: 'JP-OA-OVERSEAS' }, 'JP'],
    [{ office: null, filing_country: 'EP', rule: 'EP-MONTHS', inputs: null }, 'EP'],
  ])('of %j follows from the table', (given, office) => {
    const found = compute({ ...given, trigger_date: '2024-01-31', period: 'P2M' });
    expect(found.matter.office.code).toBe(office);
  });
});

describe('what is said beside the date', () => {
  it('warns when the case repeats something wrongly, and computes all the same', () => {
    const found = compute(
      short('EP-NOTIFICATION', '2023-03-01', 'P4M', { deemed_date: '2023-03-10', colour: 'blue' }),
    );
    expect(formatDay(found.due)).toBe('2023-07-11');
    expect(found.warnings.join(' ')).toMatch(/colour.*deemed_date.*2023-03-11/);
    const extension = compute(
      short('US-REPLY-EXT', '2024-01-31', 'P3M+P1M', { extension_months: 2 }),
    );
    expect(extension.warnings.join(' ')).toContain('extension_months');
    expect(compute(short('US-MF-DUE', '2021-09-01', 'P3Y6M')).warnings.join(' ')).toContain(
      'Tuesday',
    );
    expect(compute(short('US-PRIORITY-12', '2023-01-03')).warnings.join(' ')).toContain('P12M');
  });

  it('shows a projected closing beside the date that it does not move', () => {
    const found = compute(short('EP-ROLL', '2026-03-04', 'P3M'));
    expect(formatDay(found.due)).toBe('2026-06-04');
    expect(found.projectedDue === undefined ? '' : formatDay(found.projectedDue)).toBe(
      '2026-06-05',
    );
    expect(found.confidence).toBe('can-only-be-later');
  });

  it('explains a Christmas at the EPO day by day', () => {
    const text = explanation(compute(short('EP-NOTIFICATION', '2024-08-27', 'P4M')), 'v');
    for (const line of [
      'Deemed delivered on the date that the document bears',
      '- Friday 27 December 2024: Christmas closure (Munich, The Hague, Berlin)',
      '- Saturday 28 December 2024: Saturday',
      '- Wednesday 1 January 2025: Christmas closure',
      'raw:          Friday 27 December 2024  (work target',
      'due:          Thursday 2 January 2025',
      'midnight at the end of Thursday 2 January 2025 in Europe/Berlin',
      '2025-01-02T23:00:00.000Z',
      'confidence:   high',
    ]) {
      expect(text).toContain(line);
    }
  });
});

describe('a firm’s own law', () => {
  const rules = (rule: object): { file: string; text: string } => ({
    file: 'firm.json',
    text: JSON.stringify(
      { kind: 'patent-rules', version: 'firm-1', checked: '2026-01-01', rules: [rule] },
      null,
      1,
    ),
  });
  const own = {
    rule: 'US-ROLL',
    offices: ['US'],
    title: 'Own',
    trigger: 'event',
    formula: 'period',
    roll: false,
    citation: 'house rule',
    confidence: 'medium',
  };

  it('replaces a rule by its name, under a version that names both', () => {
    const firm = { ...law, rules: readPatentRules(rules(own), law.rules) };
    const input = short('US-ROLL', '2022-01-31', 'P3M');
    expect(formatDay(compute(input, firm).due)).toBe('2022-04-30');
    expect(firm.rules.version).toBe(`firm-1+${law.rules.version}`);
    expect(compareRules(law.rules, firm.rules)).toEqual([
      { rule: 'US-ROLL', change: 'changed', fields: expect.arrayContaining(['roll']) },
    ]);
  });

  it.each([
    [{ ...own, offices: ['XX'] }, 9, 'one of US, EP, WO, JP'],
    [{ ...own, formula: 'guess' }, 13, 'one of period'],
    [{ ...own, rol: true }, 17, 'unknown key'],
    [{ ...own, period: 'P3' }, 17, 'a period such as'],
  ])('is refused by line: %j', (rule, line, reason) => {
    expect(() => readPatentRules(rules(rule), law.rules)).toThrow(reason);
    expect(() => readPatentRules(rules(rule), law.rules)).toThrow(`firm.json, line ${line},`);
  });

  it('applies relief after the roll, only later, and to a priority period only by name', () => {
    const overlay = (applies_to: readonly string[]): PatentLaw => ({
      ...law,
      relief: readReliefFile(
        JSON.stringify({
          kind: 'relief',
          version: '1',
          checked: '2026-01-01',
          overlays: [
            {
              office: 'EP',
              from: '2024-06-03',
              to: '2024-06-05',
              new_date: '2024-06-10',
              applies_to,
              source: 'notice',
              approved_by: 'Ada',
              second_person: 'Ben',
            },
          ],
        }),
        'relief.json',
      ).overlays,
    });
    const reply = short('EP-MONTHS', '2024-04-05', 'P2M');
    const priority = short('EP-PRIORITY-12', '2023-06-05', 'P12M');
    const due = (input: object, under: PatentLaw): string => formatDay(compute(input, under).due);
    expect(due(reply, overlay(['*']))).toBe('2024-06-10');
    expect(formatDay(compute(reply, overlay(['*'])).raw)).toBe('2024-06-05');
    expect(due(priority, overlay(['*']))).toBe('2024-06-05');
    expect(due(priority, overlay(['EP-PRIORITY-12']))).toBe('2024-06-10');
    expect(due(short('EP-MONTHS', '2024-04-06', 'P2M'), overlay(['*']))).toBe('2024-06-06');
  });
});

describe('comparing two laws', () => {
  const closing = (standing: string): PatentLaw => ({
    ...law,
    calendars: shippedLaw().calendarsWith([
      {
        file: 'uspto.json',
        text: JSON.stringify({
          kind: 'calendar',
          code: 'uspto',
          extends: 'uspto',
          title: 'USPTO',
          version: 'next',
          checked: '2026-11-15',
          zone: 'America/New_York',
          dates: [
            { date: '2026-12-24', reason: 'Order', standing, source: 'E.O.' },
            { date: '2025-12-24', reason: 'Order', standing: 'open', source: 'E.O.' },
          ],
        }),
      },
    ]),
  });

  it('tells which dates move, which way and why, the earlier ones first', () => {
    const laws = { before: law, after: closing('verified') };
    const later = compareCase('later', { ...short('US-ROLL', '2026-09-24', 'P3M') }, laws);
    const earlier = compareCase('earlier', { ...short('US-ROLL', '2025-09-24', 'P3M') }, laws);
    const same = compareCase('same', { ...short('US-ROLL', '2025-03-24', 'P3M') }, laws);
    expect(later).toMatchObject({
      kind: 'moved',
      earlier: false,
      due: { from: '2026-12-24', to: '2026-12-28' },
      why: expect.arrayContaining([expect.stringContaining('2026-12-24 is closed now: Order')]),
    });
    expect(earlier).toMatchObject({
      kind: 'moved',
      earlier: true,
      due: { from: '2025-12-29', to: '2025-12-24' },
    });
    expect(same).toEqual({ kind: 'unchanged', id: 'same' });
    const moved = [later, earlier].filter((one): one is MovedCase => one.kind === 'moved');
    expect(moved.sort(byDanger).map((one) => one.id)).toEqual(['earlier', 'later']);
  });

  it('does not move a date by a projected closing, and names a case without an answer', () => {
    const laws = { before: law, after: closing('projected') };
    expect(compareCase('a', { ...short('US-ROLL', '2026-09-24', 'P3M') }, laws).kind).toBe(
      'unchanged',
    );
    expect(compareCase('b', { ...short('US-NO', '2026-09-24', 'P3M') }, laws)).toMatchObject({
      kind: 'unanswered',
      message: expect.stringContaining('RULE_UNKNOWN'),
    });
  });
});

it('every shipped rule names offices, a citation and a way that the program knows', () => {
  const fresh = readPatentRules({
    file: 'law/rules/patent.json',
    text: readLawFile('rules/patent.json'),
  });
  expect(fresh.rules.size).toBeGreaterThanOrEqual(50);
  for (const rule of fresh.rules.values()) {
    expect(rule.offices.length, rule.rule).toBeGreaterThan(0);
    expect(rule.citation, rule.rule).not.toBe('');
  }
});
