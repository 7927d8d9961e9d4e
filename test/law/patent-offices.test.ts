/** What the second book needs of offices: their limits, their weekends, and what each answer must say of itself. */
import { describe, expect, it } from 'vitest';
import { formatDay } from '../../src/calendar/day.ts';
import { deadlineAnswer, explanation } from '../../src/dockets/rules/answer.ts';
import { computeDeadline, type PatentDeadline } from '../../src/dockets/rules/compute.ts';
import { readPatentCase } from '../../src/dockets/rules/case.ts';
import { shippedPatentLaw } from './patent-law.ts';

const law = shippedPatentLaw();
const compute = (input: Readonly<Record<string, unknown>>): PatentDeadline =>
  computeDeadline(readPatentCase(input), law, { explain: true });

describe('the national limits of the PCT', () => {
  // PCT Art. 22, 39; WIPO table of time limits.
  it.each([
    ['AU', '2026-05-01', 'can-only-be-later', 'read'],
    ['BR', '2026-04-01', 'can-only-be-later', 'read'],
    ['BA', '2026-08-01', 'can-only-be-later', 'read'],
    ['MX', '2026-04-01', 'medium', 'memory'],
    ['LU', '2025-06-01', 'medium', 'memory'],
    ['US', '2026-04-01', 'medium', 'memory'],
    // 1 May 2026 is a closing of the German list, which is that of a library.
    ['DE', '2026-05-04', 'medium', 'read'],
  ])('%s: %s, %s', (office, due, confidence, standing) => {
    const found = compute({ office, rule: 'PCT-NATIONAL', trigger_date: '2023-10-01' });
    const answer = deadlineAnswer(found, law.rules.version);
    expect(answer).toMatchObject({ due, confidence, standing, office });
    const byCountry = { filing_country: office, rule: 'PCT-NATIONAL', trigger_date: '2023-10-01' };
    expect(formatDay(compute(byCountry).due)).toBe(due);
  });

  it('of an office whose weekend is not known are never moved by one', () => {
    // 30 months from 30 November 2023 end on Saturday 30 May 2026; in Egypt the weekend is another.
    const found = compute({ office: 'EG', rule: 'PCT-NATIONAL', trigger_date: '2023-11-30' });
    expect(formatDay(found.due)).toBe('2026-05-30');
  });
});

describe('an answer', () => {
  it('for a closing of a library names the day without it', () => {
    const found = compute({
      office: 'GB',
      rule: 'GB-EXAM-REPLY',
      trigger_date: '2026-04-30',
      period: 'P4M',
    });
    expect(found.confidence).toBe('medium');
    expect(found.reasons.join(' ')).toContain('Without it the date would be Monday 31 August 2026');
    expect(deadlineAnswer(found, 'v').closed_days).toEqual([
      expect.not.objectContaining({ standing: expect.anything() }),
      expect.objectContaining({ date: '2026-08-31', standing: 'secondary' }),
    ]);
  });

  it('for a closing that needs confirming is low, and nothing projected moves it', () => {
    const at = (trigger_date: string) =>
      compute({ office: 'KR', rule: 'KR-OA-REPLY', trigger_date, period: 'P2M' });
    expect(at('2026-05-17').confidence).toBe('low');
    const asked = at('2027-05-19');
    expect([formatDay(asked.due), asked.projectedDue === undefined]).toEqual(['2027-07-19', false]);
  });

  it('on a declared working Saturday stays there, and on another rolls', () => {
    const at = (trigger_date: string): string =>
      formatDay(compute({ office: 'CN', rule: 'CN-MONTHS', trigger_date, period: 'P4M' }).due);
    expect([at('2025-10-14'), at('2025-11-07')]).toEqual(['2026-02-14', '2026-03-09']);
  });

  it('without an input of "the later of" is the safe date, and is refused for "the earlier of"', () => {
    const demand = { office: 'EP', rule: 'PCT-DEMAND', trigger_date: '2023-03-15' };
    const early = compute(demand);
    expect(early.confidence).toBe('can-only-be-later');
    const late = compute({ ...demand, inputs: { search_report_date: '2025-01-10' } });
    expect(late.due).toBeGreaterThan(early.due);
    expect(() =>
      compute({ office: 'EP', rule: 'EP-REESTABLISH', trigger_date: '2023-11-20' }),
    ).toThrow(/inputs\.missed_period_end: EP-REESTABLISH cannot be computed without it/);
  });

  it('says in JSON all that its text says', () => {
    const input = { office: 'GB', rule: 'GB-RENEWAL-LAST-DAY', trigger_date: '2022-08-09' };
    const found = compute({ ...input, period: 'fifth year' });
    const text = explanation(found, law.rules.version);
    const answer = deadlineAnswer(found, law.rules.version);
    const said = [
      answer.title,
      answer.office_title,
      answer.final_condition,
      answer.cutoff,
      answer.cutoff_zone,
      answer.cutoff_rule,
      answer.cutoff_citation,
      answer.note,
      answer.citation,
      answer.rule_version,
      answer.calendar_version,
      ...(answer.confidence_reasons ?? []),
    ];
    for (const one of said) expect(text).toContain(one);
    expect(answer).toMatchObject({ final: '2027-03-01', cutoff: '2026-09-01T23:00:00.000Z' });
  });

  it('names a rescue only for acts that the rule allows', () => {
    const rescueOf = (rule: string, rest: object = {}) =>
      deadlineAnswer(
        compute({ office: rule.slice(0, 2), rule, trigger_date: '2026-03-03', ...rest }),
        'v',
      ).rescue;
    expect(rescueOf('US-APPEAL-BRIEF')).toMatch(/37 CFR 1\.8/);
    expect(rescueOf('US-DESIGN-PRIORITY-6')).toMatch(/^Only Priority Mail Express/);
    for (const rule of ['US-COURT-63', 'US-PGR-9M', 'US-IPR-1Y-BAR', 'US-PTE-60', 'EP-R71-3']) {
      expect(rescueOf(rule), rule).toBeUndefined();
    }
    expect(rescueOf('PCT-NATIONAL', { office: 'US' })).toBeUndefined();
    expect(rescueOf('US-ROLL', { period: 'P3M' })).toBeUndefined();
  });

  it('tells a country that no table knows, and a day that the rule never looks at', () => {
    const reply = {
      office: 'US',
      rule: 'US-FINAL-REPLY',
      trigger_date: '2026-03-03',
      period: 'P3M',
    };
    const found = compute({ ...reply, filing_country: 'ZZ', inputs: { grant_date: '2026-01-06' } });
    expect(found.warnings.join(' ')).toMatch(/ZZ is not in the table.*grant_date was not used/);
    expect(compute({ ...reply, period: 'P20D+P1M' }).confidence).toBe('low');
  });
});

describe('edges that the golden cases leave open', () => {
  it.each([
    // The years before the change of the law, from memory.
    ['KR-EXAM-REQUEST-3Y', '2017-02-28', undefined, { due: '2022-02-28' }],
    ['KR-EXAM-REQUEST-3Y', '2017-03-02', undefined, { due: '2020-03-02' }],
    ['CA-EXAM-REQUEST-4Y', '2019-10-29', undefined, { due: '2024-10-29', standing: 'memory' }],
    ['CA-EXAM-REQUEST-4Y', '2019-10-30', undefined, { due: '2023-10-30', standing: 'read' }],
    // Surcharge and late entry, by the office's own months.
    ['CN-NATIONAL-30', '2023-08-16', undefined, { due: '2026-02-24', final: '2026-04-16' }],
    ['CA-NATIONAL-30', '2024-03-31', undefined, { due: '2026-10-01', final: '2027-10-01' }],
    ['DE-ANNUITY-DUE', '2023-03-14', 'third year', { due: '2025-03-31', final: '2025-09-30' }],
    ['CN-ANNUITY-DUE', '2021-07-15', 'sixth year', { due: '2026-07-15', final: '2027-01-15' }],
    ['JP-REGISTRATION-30D', '2026-04-03', undefined, { due: '2026-05-07', final: '2026-06-02' }],
    ['KR-APPEAL-3M', '2026-08-31', undefined, { due: '2026-11-30', final: '2026-12-30' }],
    ['GB-EXAM-REPLY', '2026-03-10', 'P4M+P2M', { due: '2026-09-10', final: '2026-09-10' }],
    // Day one of a permission on a Saturday is Monday.
    ['US-PTE-60', '2026-03-07', undefined, { due: '2026-05-07' }],
    ['US-IPR-OPENS', '2026-05-26', undefined, { as_of: '2027-02-26' }],
    ['US-REVIVAL', '2026-05-30', undefined, { as_of: '2028-05-30' }],
    ['EP-DIVISIONAL-PENDING', '2026-05-27', undefined, { as_of: '2026-05-26' }],
  ])('%s from %s, %s', (rule, trigger_date, period, expected) => {
    const found = compute({ office: rule.slice(0, 2), rule, trigger_date, period });
    expect(deadlineAnswer(found, 'v')).toMatchObject(expected);
  });

  it('a British patent granted on the first of a month has the earlier of two months', () => {
    const at = (grant_date: string) =>
      compute({
        office: 'GB',
        rule: 'GB-RENEWAL-FIRST-LATE',
        trigger_date: '2021-01-20',
        period: 'fifth year',
        inputs: { grant_date },
      });
    const first = at('2026-03-01');
    expect([formatDay(first.raw), first.confidence]).toEqual(['2026-05-31', 'low']);
    expect(formatDay(at('2026-03-02').raw)).toBe('2026-06-30');
    // Granted long before the fourth anniversary: the ordinary date is the right one.
    expect(() => at('2023-03-02')).toThrow(/use GB-RENEWAL-LAST-DAY/);
    expect(() => at('2020-03-02')).toThrow(/before it was filed/);
  });

  it('an extension that the case counts into its total is not counted twice', () => {
    const brief = { office: 'US', rule: 'US-APPEAL-BRIEF', trigger_date: '2024-12-30' };
    const whole = compute({ ...brief, period: 'P3M', inputs: { extension_months: 1 } });
    expect(whole.final && formatDay(whole.final.day)).toBe('2025-07-30');
  });
});

describe('every shipped rule', () => {
  it('carries how it is known, and what is from memory is medium at best', () => {
    for (const rule of law.rules.rules.values()) {
      if (rule.standing !== 'read') expect(rule.confidence, rule.rule).not.toBe('high');
      for (const office of rule.offices) {
        const calendar = law.rules.offices.get(office)?.calendar ?? '';
        expect(law.calendars.has(calendar), office).toBe(true);
      }
    }
  });
});
