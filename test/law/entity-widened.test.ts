/** Kinds, first filings and days of the second book, beyond the cases that came with it. */
import { describe, expect, it } from 'vitest';
import { registerLaw } from '../../src/entities/acts/law.ts';
import { FilewrightError } from '../../src/core/errors.ts';
import {
  answerObligation,
  type ObligationAnswer,
} from '../../src/entities/rules/law/obligation-answer.ts';

const law = registerLaw();
const ASKED = { as_of: '2026-11-15' };

function of(who: string, more: Record<string, unknown> = {}): ObligationAnswer {
  const [jurisdiction, kind, origin = 'domestic'] = who.split(' ');
  return answerObligation(
    { jurisdiction: `US-${jurisdiction}`, entity_kind: kind, origin, ...ASKED, ...more },
    law,
  );
}

function refusal(who: string, more: Record<string, unknown>): string {
  try {
    of(who, more);
  } catch (error) {
    if (error instanceof FilewrightError) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('an answer was given');
}

const codes = (one: ObligationAnswer): string[] => (one.alarms ?? []).map((alarm) => alarm.code);
const formed = (day: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  formation_date: day,
  ...more,
});

describe('a weekend', () => {
  it.each([
    ['New York', 'NY llc', formed('2024-01-10', { as_of: '2027-06-01' }), '2028-01-31', 'Monday'],
    ['Florida', 'FL llc', formed('2019-01-01'), '2027-05-01', 'Saturday'],
  ])('%s: names the weekday of the date', (_what, who, more, due, weekday) => {
    expect(of(who, more)).toMatchObject({ next_due: due, weekday });
  });

  it('is named with the day to plan for, and says that no roll rule was read', () => {
    const found = of('MD llc', formed('2019-01-01', { as_of: '2028-01-01' }));
    expect(found).toMatchObject({
      due: '2028-04-15',
      schedule_by: '2028-04-14',
      closed_days: [{ date: '2028-04-15', weekday: 'Saturday', reason: 'Saturday' }],
      roll_rule: { rule: 'unknown', read: false, note: 'no roll rule read' },
    });
    expect(found.steps.at(-1)?.text).toBe(
      '2028-04-15 (Saturday) is not a business day; no rule was read that moves it, so the date stands. Plan for Friday 2028-04-14.',
    );
  });

  it('moves in Virginia, by the section that was read, over a holiday too', () => {
    const found = of('VA llc', formed('2019-01-08'));
    expect(found).toMatchObject({
      next_due: '2027-01-31',
      rolled_due: '2027-02-01',
      due: '2027-02-01',
      schedule_by: '2027-01-29',
      roll_rule: { rule: 'next_business_day', read: true, note: 'Va. Code 1-210(E)' },
    });
    expect(found.steps.at(-1)).toMatchObject({ citation: 'Va. Code 1-210(E)', date: '2027-02-01' });
    const labor = of('VA corporation', formed('2019-08-02', { as_of: '2030-07-01' }));
    expect(labor).toMatchObject({ next_due: '2030-08-31', due: '2030-09-03' });
  });

  it('of a state whose law was read to have no roll does not move', () => {
    const found = of('DE nonprofit', formed('2019-01-01', { as_of: '2031-01-01' }));
    expect(found).toMatchObject({ next_due: '2031-03-01', due: '2031-03-01', weekday: 'Saturday' });
    expect(found.roll_rule?.rule).toBe('none');
    expect(found.steps.at(-1)?.text).toMatch(/the date does not move\. Plan for Friday 2031-02-28/);
  });

  it('is silent on a business day, and a first filing never moves', () => {
    expect(of('DE llc', formed('2019-01-01'))).not.toHaveProperty('closed_days');
    const first = of('CA llc', formed('2026-11-15', { filing: 'initial', as_of: '2026-11-16' }));
    expect(first).toMatchObject({ next_due: '2027-02-13', due: '2027-02-13', weekday: 'Saturday' });
    expect(first.roll_rule).toMatchObject({ rule: 'unknown', read: false });
  });
});

describe('what is from memory', () => {
  it('informs and decides nothing, also where nothing is owed', () => {
    const florida = of('FL nonprofit', formed('2019-01-01'));
    expect(florida).toMatchObject({ confidence: 'medium', verified: 'none', decides: false });
    expect(codes(florida)).toEqual(['FROM_MEMORY']);
    const none = of('GA llp', formed('2019-01-01'));
    expect(none).toMatchObject({ next_due: null, decides: false });
    expect(codes(none)).toEqual(['FROM_MEMORY']);
    expect(of('FL llc', formed('2019-01-01'))).toMatchObject({ decides: true });
  });

  it('gives way to the record of the state', () => {
    const found = of('FL nonprofit', formed('2019-01-01', { state_record_due: '2027-05-01' }));
    expect(found).toMatchObject({ confidence: 'high', decides: true });
  });

  it('of a fee is said', () => {
    expect(of('AK llc foreign', formed('2019-03-14'))).toMatchObject({
      fee_basis: 'memory',
    });
    expect(of('AK corporation foreign', formed('2019-03-14'))).toMatchObject({
      fee: '200.00',
      fee_basis: 'read',
      fee_as_of: 'statute read, AS 10.06.845',
    });
  });
});

describe('professional forms', () => {
  it('follow the ordinary form, and say so', () => {
    const found = of('FL pllc', formed('2019-01-01'));
    expect(found).toMatchObject({
      rule_id: 'US-FL.llc.domestic',
      next_due: '2027-05-01',
      confidence: 'medium',
    });
    expect(codes(found)).toEqual(['PROFESSIONAL_RULE_BY_DEFAULT']);
  });

  it('have their own rule where one was read', () => {
    const kansas = of('KS pc', formed('2019-01-01', { fiscal_year_end: '12-31' }));
    expect(kansas).toMatchObject({ rule_id: 'US-KS.pc.domestic', next_due: '2027-04-15' });
    expect(codes(kansas)).toEqual(['FROM_MEMORY']);
    expect(
      refusal('KS pc', formed('2019-01-01', { rule_id: 'US-KS.corporation.domestic' })),
    ).toMatch(/^CASE_INVALID: rule_id/);
  });

  it('owe the first filing of the ordinary form', () => {
    const more = formed('2026-10-01', { filing: 'initial' });
    expect(of('CA pc', more)).toMatchObject({ next_due: '2026-12-30', fee: '25.00' });
    expect(codes(of('CA pc', more))).toContain('PROFESSIONAL_RULE_BY_DEFAULT');
  });
});

describe('dates that run from something else', () => {
  it('a Connecticut nonprofit, from the day of its first report', () => {
    const given = of('CT nonprofit', formed('2020-03-10', { first_report_filed: '2020-05-20' }));
    expect(given).toMatchObject({ next_due: '2027-05-20', confidence: 'medium' });
    expect(given.steps[0]?.text).toBe('The first report was filed on 2020-05-20.');
    const without = of('CT nonprofit', formed('2020-03-10'));
    expect(without.next_due).toBe('2027-03-10');
    expect(codes(without)).toContain('FIRST_REPORT_DAY_NOT_GIVEN');
    expect(refusal('CT llc', formed('2020-03-10', { first_report_filed: '2020-05-20' }))).toMatch(
      /^CASE_INVALID: first_report_filed: the date of US-CT\.llc\.domestic does not depend on it/,
    );
  });

  it('a Texas nonprofit, from the notice and never before it', () => {
    const none = of('TX nonprofit', formed('2004-04-04'));
    expect(none.next_due).toBeNull();
    expect(none.steps[0]?.text).toMatch(/^Nothing is due before the office asks: 30 days/);
    const late = of('TX nonprofit', { office_notice_date: '2026-10-01' });
    expect(late).toMatchObject({ next_due: '2026-10-31', weekday: 'Saturday' });
    expect(codes(late)).toEqual(['NOTICE_PERIOD_OVER']);
    expect(of('TX nonprofit', { state_record_due: '2027-02-01' })).toMatchObject({
      due: '2027-02-01',
    });
    expect(refusal('TX llc', { office_notice_date: '2026-10-01' })).toMatch(
      /^CASE_INVALID: office_/,
    );
  });

  it('a disregarded LLC in Alabama, from the return of its owner', () => {
    const more = formed('2019-01-01', { fiscal_year_end: '12-31' });
    expect(refusal('AL llc', { ...more, tax_class: 'disregarded' })).toMatch(
      /^STATE_RECORD_NEEDED: .*no later than the federal return of its owner/,
    );
    expect(of('AL llc', { ...more, tax_class: 'c' }).next_due).toBe('2027-04-15');
    expect(of('AL llc', { ...more, tax_class: 'partnership' }).next_due).toBe('2027-03-15');
    expect(refusal('AL corporation', { ...more, tax_class: 'partnership' })).toMatch(
      /^CASE_INVALID: tax_class: expected one of c, s under US-AL/,
    );
    expect(of('WY llc', { ...more, tax_class: 'partnership' }).due).toBe('2027-01-01');
  });

  it.each([
    [
      'the last day of February',
      'MA llp',
      formed('2020-01-01', { as_of: '2028-01-01' }),
      '2028-02-29',
    ],
    [
      'a duty that began in 2025',
      'MS nonprofit',
      formed('2010-01-01', { as_of: '2023-01-01' }),
      '2025-05-15',
    ],
    ['every fifth year', 'NY llp', formed('2017-03-10', { as_of: '2027-03-11' }), '2032-03-10'],
    ['first five years after', 'NY llp', formed('2024-03-10'), '2029-03-10'],
    [
      'years that end in 0 or 5',
      'NH nonprofit',
      formed('2025-01-01', { as_of: '2025-02-01' }),
      '2030-12-31',
    ],
  ])('%s', (_what, who, more, due) => {
    expect(of(who, more).next_due).toBe(due);
  });

  it.each([
    ['Connecticut partnerships', 'CT lp foreign'],
    ['Ohio nonprofits', 'OH nonprofit'],
    ['Kansas foreign nonprofits', 'KS nonprofit foreign'],
  ])('%s: only the record of the state can say', (_what, who) => {
    expect(refusal(who, formed('2019-01-01'))).toMatch(/^STATE_RECORD_NEEDED/);
    expect(of(who, formed('2019-01-01', { state_record_due: '2027-01-05' })).due).toBe(
      '2027-01-05',
    );
  });

  it('a chosen other month, an assigned date and a reinstatement are said', () => {
    expect(codes(of('NV llc', formed('2020-02-12')))).toContain('OTHER_MONTH_POSSIBLE');
    expect(codes(of('IL corporation', formed('2020-02-12')))).toContain('OTHER_MONTH_POSSIBLE');
    expect(codes(of('AZ corporation foreign', formed('2020-02-12')))).toContain(
      'STATE_ASSIGNS_DATE',
    );
    expect(codes(of('CO llc', formed('2020-02-12', { reinstated_on: '2026-05-01' })))).toContain(
      'REINSTATED',
    );
    const recorded = formed('2020-02-12', { state_record_due: '2027-02-28' });
    expect(codes(of('NV llc', recorded))).toEqual([]);
  });
});

describe('first filings and publication', () => {
  const first = (day: string, more: Record<string, unknown> = {}): Record<string, unknown> =>
    formed(day, { as_of: day, filing: 'initial', ...more });
  const publication = (day: string, more: Record<string, unknown> = {}): Record<string, unknown> =>
    first(day, { filing: 'publication', ...more });

  it.each([
    ['Alabama, two and a half months', 'AL llc', first('2026-12-31'), '2027-03-15', '2027-03-14'],
    [
      'Alabama, over a short month',
      'AL lp foreign',
      first('2027-01-31'),
      '2027-04-15',
      '2027-04-14',
    ],
    [
      'Connecticut stock corporation',
      'CT corporation',
      first('2026-01-31'),
      '2026-03-02',
      undefined,
    ],
    ['Connecticut nonprofit of 2019', 'CT nonprofit', first('2019-12-31'), '2021-12-31', undefined],
    ['Connecticut nonprofit of 2020', 'CT nonprofit', first('2020-01-01'), '2020-03-31', undefined],
    ['Louisiana', 'LA nonprofit', first('2026-05-05'), '2026-05-05', undefined],
    ['Missouri', 'MO corporation foreign', first('2026-05-05'), '2026-06-04', undefined],
    ['Georgia on October 1', 'GA corporation', first('2026-10-01'), '2026-12-30', undefined],
    ['Georgia on October 2', 'GA corporation', first('2026-10-02'), '2027-04-01', undefined],
    ['Georgia in January', 'GA nonprofit', first('2027-01-01'), '2027-04-01', undefined],
    ['Washington LP', 'WA lp', first('2027-01-01'), '2027-05-01', undefined],
    [
      'South Carolina with authority',
      'SC corporation foreign',
      first('2026-10-30'),
      '2026-10-30',
      undefined,
    ],
    [
      'South Carolina without',
      'SC corporation unqualified',
      first('2026-10-30'),
      '2026-12-29',
      undefined,
    ],
    [
      'Georgia notice, over a weekend',
      'GA corporation',
      publication('2026-11-13'),
      '2026-11-16',
      undefined,
    ],
    [
      'Georgia notice, over a holiday',
      'GA nonprofit',
      publication('2026-11-25'),
      '2026-11-27',
      undefined,
    ],
    ['Arizona', 'AZ llc', publication('2026-12-31'), '2027-03-01', undefined],
    ['New York, foreign', 'NY llc foreign', publication('2026-09-01'), '2026-12-30', undefined],
  ])('%s', (_what, who, more, due, conservative) => {
    const found = of(who, more);
    expect([found.next_due, found.conservative_due]).toEqual([due, conservative]);
    expect(found.steps.some((step) => step.citation !== undefined)).toBe(true);
  });

  it('the six weeks of newspapers in New York begin before', () => {
    expect(of('NY llc', publication('2026-09-01'))).toMatchObject({
      next_due: '2026-12-30',
      start_by: '2026-11-18',
      initial_id: 'US-NY.initial.14',
      rule_id: 'US-NY.llc.domestic',
    });
  });

  it('of an Arizona LLC is the Commission’s where the county is large', () => {
    const large = of('AZ llc', publication('2026-10-20', { agent_county_over_800k: true }));
    expect(large.next_due).toBeNull();
    expect(large.steps[0]?.text).toMatch(/so the Commission publishes/);
    expect(codes(of('AZ llc', publication('2026-10-20')))).toContain('EXEMPTION_POSSIBLE');
    expect(refusal('CA llc', first('2026-10-20', { agent_county_over_800k: true }))).toMatch(
      /^CASE_INVALID: agent_county_over_800k/,
    );
  });

  it.each([
    [
      'a time that was not read',
      'NE llc',
      publication('2026-10-20'),
      /^STATE_RECORD_NEEDED: .*no time was read/,
    ],
    [
      'a state without one',
      'FL llc',
      first('2026-10-20'),
      /^STATE_RECORD_NEEDED: .*no rule for an initial/,
    ],
    [
      'a foreign entity where only domestic ones file',
      'WA llc foreign',
      first('2026-10-20'),
      /^STATE_RECORD/,
    ],
    ['no day', 'CA llc', { filing: 'initial' }, /^CASE_INVALID: formation_date/],
    [
      'another record',
      'CA llc',
      first('2026-10-20', { initial_id: 'US-NY.initial.14' }),
      /^CASE_INVALID: initial_id/,
    ],
    [
      'a record beside a periodic filing',
      'CA llc',
      formed('2026-10-20', { initial_id: 'US-CA.initial.04' }),
      /^CASE_INVALID: initial_id/,
    ],
    [
      'no certificate, and a periodic filing',
      'SC corporation unqualified',
      formed('2026-10-20'),
      /^STATE_RECORD_NEEDED: No rule for an unqualified/,
    ],
  ])('%s is refused', (_what, who, more, expected) => {
    expect(refusal(who, more)).toMatch(expected);
  });

  it('was read for fewer kinds than it names', () => {
    expect(of('GA nonprofit', first('2026-05-05'))).toMatchObject({
      confidence: 'high',
      fee: '30.00',
    });
    expect(of('GA corporation', first('2026-05-05'))).toMatchObject({
      confidence: 'medium',
      verified: 'secondary',
      fee: '50.00',
    });
  });
});

describe('a fiscal year end that was not given', () => {
  it('is December 31, and the answer says so', () => {
    const found = of('MA nonprofit foreign', formed('2014-04-14'));
    expect(found).toMatchObject({ next_due: '2027-03-15', confidence: 'medium' });
    expect(codes(found)).toEqual(['FISCAL_YEAR_END_ASSUMED']);
  });
});
