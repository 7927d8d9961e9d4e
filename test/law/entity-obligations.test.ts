/** What the golden dates do not show: records of the state, fees by tax year, notices, cut-offs, refusals. */
import { describe, expect, it } from 'vitest';
import { registerLaw } from '../../src/entities/acts/law.ts';
import { FilewrightError } from '../../src/core/errors.ts';
import {
  answerObligation,
  type ObligationAnswer,
} from '../../src/entities/rules/law/obligation-answer.ts';

const law = registerLaw();

function answer(
  rule: string,
  formed: string | null,
  asOf: string,
  more: Record<string, unknown> = {},
): ObligationAnswer {
  return answerObligation({ rule_id: rule, formation_date: formed, as_of: asOf, ...more }, law);
}

function refusal(input: Record<string, unknown>): string {
  try {
    answerObligation(input, law);
  } catch (error) {
    if (error instanceof FilewrightError) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('an answer was given');
}

const codes = (one: ObligationAnswer): string[] => (one.alarms ?? []).map((alarm) => alarm.code);

describe('years and months at their edges', () => {
  it.each([
    [
      'a leap-day anniversary in a leap year',
      'US-OR.llc.domestic',
      '2024-02-29',
      '2027-03-01',
      {},
      '2028-02-29',
    ],
    [
      'an anniversary formed today is due in a year',
      'US-OR.llc.domestic',
      '2026-11-15',
      '2026-11-15',
      {},
      '2027-11-15',
    ],
    [
      'an entity that is formed later',
      'US-FL.llc.domestic',
      '2030-06-01',
      '2026-11-15',
      {},
      '2031-05-01',
    ],
    [
      'a biennial state two years from formation',
      'US-NY.llc.domestic',
      '2026-11-20',
      '2026-11-25',
      {},
      '2028-11-30',
    ],
    [
      'an even-year state skips the year of formation',
      'US-IA.corporation.domestic',
      '2026-01-05',
      '2026-01-06',
      {},
      '2028-04-01',
    ],
    [
      'an even-year state in the year after formation',
      'US-IA.corporation.domestic',
      '2025-12-31',
      '2026-01-01',
      {},
      '2026-04-01',
    ],
    [
      'a year end on the day of formation counts',
      'US-TN.llc.domestic',
      '2026-06-30',
      '2026-07-01',
      { fiscal_year_end: '06-30' },
      '2026-10-01',
    ],
    [
      'a year end on the day before does not',
      'US-TN.llc.domestic',
      '2026-07-01',
      '2026-07-01',
      { fiscal_year_end: '06-30' },
      '2027-10-01',
    ],
    [
      'a year end of February 28',
      'US-VT.llc.domestic',
      '2020-01-01',
      '2027-03-01',
      { fiscal_year_end: '02-28' },
      '2027-05-31',
    ],
    [
      'a year end of February 29 in a common year',
      'US-VT.corporation.domestic',
      '2020-01-01',
      '2027-03-01',
      { fiscal_year_end: '02-29' },
      '2027-05-15',
    ],
    [
      'a year end in October, due in the next year',
      'US-NC.corporation.domestic',
      '2020-01-01',
      '2027-01-20',
      { fiscal_year_end: '10-31' },
      '2027-02-15',
    ],
    [
      'a year end whose due date has passed by a day',
      'US-MA.corporation.domestic',
      '2020-01-01',
      '2027-03-16',
      { fiscal_year_end: '12-31' },
      '2028-03-15',
    ],
    [
      'Illinois in January on the last day',
      'US-IL.llc.domestic',
      '2020-01-31',
      '2026-12-31',
      {},
      '2026-12-31',
    ],
    [
      'Illinois in January on the day after',
      'US-IL.llc.domestic',
      '2020-01-31',
      '2027-01-01',
      {},
      '2027-12-31',
    ],
    [
      'Illinois in March of a leap year',
      'US-IL.llc.domestic',
      '2020-03-31',
      '2028-02-01',
      {},
      '2028-02-29',
    ],
    [
      'Michigan formed on October 1',
      'US-MI.llc.domestic',
      '2025-10-01',
      '2026-01-01',
      {},
      '2027-02-15',
    ],
    [
      'Alaska on January 2 itself',
      'US-AK.llc.domestic',
      '2021-04-01',
      '2027-01-02',
      {},
      '2027-01-02',
    ],
    [
      'the District of Columbia on its first date',
      'US-DC.lp.domestic',
      '2026-04-01',
      '2026-04-01',
      {},
      '2027-04-01',
    ],
  ] as const)('%s', (_what, rule, formed, asOf, more, due) => {
    expect(answer(rule, formed, asOf, more).next_due).toBe(due);
  });

  it.each([
    ['90 days', 'US-CA.llc.foreign', '2026-12-03', '2027-03-03'],
    ['90 days over a leap day', 'US-CA.corporation.domestic', '2027-12-31', '2028-03-30'],
    ['six months to a shorter month', 'US-AK.llc.domestic', '2026-08-31', '2027-02-28'],
    ['30 days', 'US-NM.corporation.domestic', '2026-10-20', '2026-11-19'],
  ] as const)(
    'an initial report within %s has no window and no roll',
    (_what, rule, formed, due) => {
      const found = answer(rule, formed, formed, { filing: 'initial' });
      expect(found.next_due).toBe(due);
      expect(found).not.toHaveProperty('window_opens');
      expect(found).not.toHaveProperty('rolled_due');
      expect(found).not.toHaveProperty('last_timely_day');
      // Its fee is from memory: it informs, and nothing is paid from it.
      expect(found.fee_basis).toBe(found.fee === undefined ? undefined : 'memory');
    },
  );

  it('an initial report whose day has passed is shown as late, not forgotten', () => {
    const found = answer('US-CA.llc.domestic', '2026-01-01', '2026-11-15', { filing: 'initial' });
    expect(found.next_due).toBe('2026-04-01');
    expect(codes(found)).toEqual(['INITIAL_REPORT_PAST']);
  });

  it.each([
    ['a Sunday due date', 2022, '2022-05-15', '2022-05-16'],
    ['a Saturday due date', 2021, '2021-05-15', '2021-05-17'],
    ['a Friday due date', 2026, '2026-05-15', '2026-05-15'],
  ])('Texas moves %s', (_what, year, due, rolled) => {
    const found = answer('US-TX.lp.domestic', '2015-01-01', `${year}-01-01`);
    expect([found.next_due, found.rolled_due, found.due]).toEqual([due, rolled, rolled]);
  });

  it.each([
    ['New Year and a weekend', 'US-NY.llc.domestic', '2021-01-05', '2022-12-31', '2023-01-03'],
    ['Labor Day on the first', 'US-NY.llc.domestic', '2023-09-10', '2025-08-31', '2025-09-02'],
  ])('New York opens after %s', (_what, rule, formed, asOf, opens) => {
    const found = answer(rule, formed, asOf);
    expect([found.window_opens, found.not_before]).toEqual([opens, opens]);
  });

  it('the earlier reading is the one to rely on and to plan for', () => {
    const iowa = answer('US-IA.llc.domestic', '2019-05-05', '2026-11-15');
    expect([iowa.next_due, iowa.due, iowa.schedule_by]).toEqual([
      '2027-04-01',
      '2027-03-31',
      '2027-03-31',
    ]);
    const alaska = answer('US-AK.llc.domestic', '2021-04-01', '2026-11-15');
    expect([alaska.next_due, alaska.due, alaska.schedule_by]).toEqual([
      '2027-01-02',
      '2027-01-01',
      '2026-12-31',
    ]);
    const texas = answer('US-TX.llc.domestic', '2020-06-01', '2026-11-15');
    expect([texas.due, texas.schedule_by]).toEqual(['2027-05-17', '2027-05-14']);
  });

  it.each([
    ['US-AK.llc.domestic', '2021-04-01', '2027-01-02', '2027-01-01'],
    ['US-IA.llc.domestic', '2019-05-05', '2027-04-01', '2027-03-31'],
  ])('%s: the day to rely on that has just passed is an alarm', (rule, formed, asOf, passed) => {
    const found = answer(rule, formed, asOf);
    expect([found.next_due, found.due, codes(found)]).toEqual([asOf, passed, ['LAST_DAY_PAST']]);
    expect(found.alarms?.[0]?.message).toContain(passed);
    expect(codes(answer(rule, formed, passed))).toEqual([]);
  });

  it('a business day in a year without a list of holidays says so', () => {
    const found = answer('US-NY.llc.domestic', '2021-06-30', '2150-06-01');
    expect([found.confidence, codes(found)]).toEqual(['low', ['CALENDAR_NOT_COVERED']]);
    expect(found.alarms?.[0]?.message).toContain('window');
    expect(answer('US-NY.llc.domestic', '2021-06-30', '2090-06-01').confidence).toBe('high');
  });

  it('says whether the section that is cited was read', () => {
    expect(answer('US-DE.llc.domestic', '2020-01-01', '2026-11-15').citation_basis).toBe('read');
    expect(answer('US-WA.llc.domestic', '2020-01-01', '2026-11-15').citation_basis).toBe('memory');
    expect(answer('US-AZ.llc.domestic', '2020-01-01', '2026-11-15')).not.toHaveProperty(
      'citation_basis',
    );
  });

  it('an unverified window is shown as such and is no not-before date', () => {
    const found = answer('US-AR.llc.domestic', '2020-01-01', '2026-11-15');
    expect(found.window_opens_unverified).toBe('2027-01-01');
    expect(found).not.toHaveProperty('window_opens');
    expect(found).not.toHaveProperty('not_before');
  });

  it.each([
    ['Florida, third Friday of September', 'US-FL.llc.domestic', '2027-09-17'],
    ['Delaware, a year unpaid', 'US-DE.corporation.domestic', '2028-03-01'],
    ['Oregon, 45 days', 'US-OR.llc.domestic', '2027-07-16'],
    ['Kansas, three months', 'US-KS.llc.domestic', '2028-07-15'],
    ['Pennsylvania, reports due from 2027', 'US-PA.llc.domestic', '2028-03-30'],
  ])('the final day: %s', (_what, rule, final) => {
    expect(answer(rule, '2020-06-01', '2026-11-15').final).toBe(final);
  });

  it('Pennsylvania dissolves no one for a report due in 2026', () => {
    expect(answer('US-PA.llc.domestic', '2020-06-01', '2026-01-01')).not.toHaveProperty('final');
  });
});

describe('fees', () => {
  it.each([
    ['2026-05-31', 2025, '300.00'],
    ['2026-06-02', 2026, '400.00'],
    ['2015-01-01', 2014, '300.00'],
  ])('a Delaware LLC asked on %s pays for tax year %i', (asOf, taxYear, fee) => {
    for (const rule of [
      'US-DE.llc.domestic',
      'US-DE.llc.foreign',
      'US-DE.lp.domestic',
      'US-DE.lp.foreign',
    ]) {
      const found = answer(rule, '2010-02-11', asOf);
      expect([found.tax_year, found.fee]).toEqual([taxYear, fee]);
    }
  });

  it('a tax year whose fee was not read has none', () => {
    const found = answer('US-DE.llc.domestic', '2010-02-11', '2013-07-01');
    expect(found.tax_year).toBe(2013);
    expect(found).not.toHaveProperty('fee');
    expect(codes(found)).toEqual(['FEE_NOT_KNOWN']);
  });

  it('cents survive', () => {
    expect(answer('US-FL.llc.domestic', '2020-01-01', '2026-11-15').fee).toBe('138.75');
  });

  it('Delaware corporations see the payments of the tax year that the next report closes', () => {
    const found = answer('US-DE.corporation.domestic', '2015-05-05', '2026-11-15', {
      preceding_year_tax: '12345.67',
      final_tax: '20000',
    });
    expect(found.estimated_payments).toEqual({
      threshold: '5000.00',
      required: true,
      payments: [
        { due: '2026-06-01', share: '40%', amount: '4938.27' },
        { due: '2026-09-01', share: '20%', amount: '2469.13' },
        { due: '2026-12-01', share: '20%', amount: '2469.13' },
        { due: '2027-03-01', share: 'balance', amount: '10123.47' },
      ],
      next_due: '2026-12-01',
    });
    const small = answer('US-DE.corporation.domestic', '2015-05-05', '2026-11-15', {
      preceding_year_tax: 4999.99,
    });
    expect(small.estimated_payments).toEqual({
      threshold: '5000.00',
      required: false,
      payments: [{ due: '2027-03-01', share: 'balance' }],
      next_due: '2027-03-01',
    });
    const unknown = answer('US-DE.corporation.domestic', '2015-05-05', '2027-03-02');
    expect(unknown.estimated_payments?.payments.map((one) => one.due)).toEqual([
      '2027-06-01',
      '2027-09-01',
      '2027-12-01',
      '2028-03-01',
    ]);
    expect(unknown.estimated_payments).not.toHaveProperty('required');
    const young = answer('US-DE.corporation.domestic', '2026-07-01', '2026-08-01');
    expect([young.next_due, young.tax_year]).toEqual(['2027-03-01', 2026]);
    expect(young, 'there is no tax of a year before the formation').not.toHaveProperty(
      'estimated_payments',
    );
    expect(unknown.estimated_payments?.payments.every((one) => one.amount === undefined)).toBe(
      true,
    );
  });
});

describe('the record of the state', () => {
  it('is not read twice: the other reading of the rule says nothing about it', () => {
    const found = answer('US-IA.llc.domestic', '2019-05-05', '2026-11-15', {
      state_record_due: '2027-06-01',
    });
    expect([found.next_due, found.due, found.schedule_by]).toEqual([
      '2027-06-01',
      '2027-06-01',
      '2027-06-01',
    ]);
    expect(found).not.toHaveProperty('conservative_due');
    const agreed = answer('US-IA.llc.domestic', '2019-05-05', '2026-11-15', {
      state_record_due: '2027-04-01',
    });
    expect(agreed.due).toBe('2027-03-31');
  });

  it('that agrees raises no alarm', () => {
    const found = answer('US-LA.llc.domestic', '2019-04-18', '2026-11-15', {
      state_record_due: '2027-04-18',
    });
    expect([found.next_due, found.confidence, codes(found)]).toEqual(['2027-04-18', 'high', []]);
  });

  it('that differs overrides the rule with an alarm that names both', () => {
    const found = answer('US-CA.corporation.domestic', '2018-09-17', '2026-11-15', {
      state_record_due: '2027-08-31',
    });
    expect([found.next_due, found.window_opens]).toEqual(['2027-08-31', '2027-03-01']);
    expect(codes(found)).toEqual(['STATE_RECORD_DIFFERS']);
    expect(found.alarms?.[0]?.message).toMatch(/2027-09-30.*2027-08-31/);
    expect(found.steps.at(-1)?.date).toBe('2027-08-31');
  });

  it('in the past is an alarm of its own', () => {
    const found = answer('US-FL.llc.domestic', '2018-09-17', '2026-11-15', {
      state_record_due: '2026-05-01',
    });
    expect(codes(found)).toEqual(['STATE_RECORD_DIFFERS', 'STATE_RECORD_PAST']);
  });

  it('answers where the rule is not known', () => {
    expect(
      refusal({ rule_id: 'US-VT.lp.domestic', formation_date: '2020-01-01', as_of: '2026-11-15' }),
    ).toMatch(/^STATE_RECORD_NEEDED: .*US-VT/);
    const found = answer('US-VT.lp.domestic', '2020-01-01', '2026-11-15', {
      state_record_due: '2027-03-31',
    });
    expect([found.next_due, codes(found)]).toEqual(['2027-03-31', ['STATE_RECORD_NOT_COMPARED']]);
  });

  it('shows a date where by the rule nothing is owed', () => {
    const none = answer('US-OH.llc.domestic', '2020-01-01', '2026-11-15');
    expect(none.next_due).toBeNull();
    expect(none).not.toHaveProperty('due');
    expect(none.steps).toHaveLength(1);
    const found = answer('US-OH.llc.domestic', '2020-01-01', '2026-11-15', {
      state_record_due: '2027-03-31',
    });
    expect([found.next_due, codes(found)]).toEqual(['2027-03-31', ['STATE_RECORD_DIFFERS']]);
  });

  it('is asked for where the state assigns the date', () => {
    expect(codes(answer('US-AZ.corporation.domestic', '2020-01-15', '2026-11-15'))).toEqual([
      'STATE_ASSIGNS_DATE',
    ]);
    expect(
      codes(
        answer('US-AZ.corporation.domestic', '2020-01-15', '2026-11-15', {
          state_record_due: '2027-01-15',
        }),
      ),
    ).toEqual([]);
  });
});

describe('both clocks of California', () => {
  it('run: the due date, and sixty days from a notice', () => {
    const found = answer('US-CA.llc.domestic', '2021-03-05', '2027-04-10', {
      delinquency_notice_date: '2027-04-05',
    });
    expect([found.next_due, found.notice_due]).toEqual(['2029-03-31', '2027-06-04']);
    expect(found.reasons?.['notice_due']?.citation).toContain('17713.09');
    expect(codes(found)).toEqual([]);
  });

  it('the second one over is an alarm', () => {
    const found = answer('US-CA.corporation.domestic', '2018-09-17', '2026-12-02', {
      delinquency_notice_date: '2026-10-02',
    });
    expect([found.notice_due, codes(found)]).toEqual(['2026-12-01', ['NOTICE_PERIOD_OVER']]);
  });
});

describe('cut-offs', () => {
  it.each([
    [
      'New York on a Sunday: Friday 19:30',
      'US-NY.llc.domestic',
      '2023-01-25',
      '2026-11-15',
      '2027-01-29T19:30:00-05:00',
    ],
    [
      'New York on a weekday in summer',
      'US-NY.llc.domestic',
      '2023-06-25',
      '2026-11-15',
      '2027-06-30T19:30:00-04:00',
    ],
    [
      'New York on Memorial Day: the Friday before',
      'US-NY.corporation.domestic',
      '2019-05-10',
      '2027-05-01',
      '2027-05-28T19:30:00-04:00',
    ],
    [
      'New York on Memorial Day in a year the profile does not list',
      'US-NY.corporation.domestic',
      '2020-05-10',
      '2032-05-01',
      '2032-05-28T19:30:00-04:00',
    ],
    [
      'New York on a Saturday, October 31, before the clocks go back',
      'US-NY.llc.domestic',
      '2024-10-25',
      '2026-10-01',
      '2026-10-30T19:30:00-04:00',
    ],
    [
      'New York on New Year’s Eve',
      'US-NY.llc.domestic',
      '2024-12-31',
      '2026-11-15',
      '2026-12-31T19:30:00-05:00',
    ],
    [
      'Delaware on a Sunday in winter',
      'US-DE.corporation.domestic',
      '2015-05-05',
      '2026-01-01',
      '2026-03-01T23:45:00-05:00',
    ],
    [
      'Delaware in summer',
      'US-DE.llc.domestic',
      '2015-05-05',
      '2026-05-01',
      '2026-06-01T23:45:00-04:00',
    ],
    [
      'Florida on a Saturday',
      'US-FL.llc.domestic',
      '2015-05-05',
      '2026-11-15',
      '2027-05-01T23:59:00-04:00',
    ],
  ])('%s', (_what, rule, formed, asOf, cutoff) => {
    expect(answer(rule, formed, asOf).cutoff).toBe(cutoff);
  });

  it('before the due day are an alarm', () => {
    expect(codes(answer('US-NY.llc.domestic', '2023-01-25', '2026-11-15'))).toEqual([
      'PORTAL_CLOSED_ON_DUE_DAY',
    ]);
  });

  it('are not guessed where no hours are known', () => {
    expect(answer('US-CA.llc.domestic', '2021-03-05', '2026-11-15')).not.toHaveProperty('cutoff');
    expect(answer('US-TX.llc.domestic', '2021-03-05', '2026-11-15')).not.toHaveProperty('cutoff');
  });
});

describe('what cannot be answered is refused by name', () => {
  const good = {
    jurisdiction: 'US-DE',
    entity_kind: 'llc',
    origin: 'domestic',
    formation_date: '2020-01-01',
    as_of: '2026-11-15',
  };
  it.each([
    ['no jurisdiction', { ...good, jurisdiction: null }, /^JURISDICTION_UNRESOLVED: jurisdiction/],
    [
      'a jurisdiction of another country',
      { ...good, jurisdiction: 'DE' },
      /^JURISDICTION_UNRESOLVED/,
    ],
    ['no kind', { ...good, entity_kind: undefined }, /^CASE_INVALID: entity_kind/],
    ['another kind', { ...good, entity_kind: 'LLC' }, /^CASE_INVALID: entity_kind/],
    ['no origin', { ...good, origin: null }, /^CASE_INVALID: origin/],
    ['no day of asking', { ...good, as_of: null }, /^CASE_INVALID: as_of/],
    [
      'a day that does not exist',
      { ...good, formation_date: '2021-02-29' },
      /^CASE_INVALID: formation_date/,
    ],
    ['no formation', { ...good, formation_date: null }, /^CASE_INVALID: formation_date/],
    ['another filing', { ...good, filing: 'amendment' }, /^CASE_INVALID: filing/],
    ['a rule that is not loaded', { ...good, rule_id: 'US-DE.gmbh.domestic' }, /^RULE_UNKNOWN/],
    [
      'a rule of another state',
      { ...good, rule_id: 'US-CA.llc.domestic' },
      /^CASE_INVALID: rule_id/,
    ],
    [
      'a domestic rule where a foreign one was read',
      { ...good, origin: 'foreign', rule_id: 'US-DE.llc.domestic' },
      /^CASE_INVALID: rule_id/,
    ],
    [
      'a fiscal year end that does not exist',
      { ...good, jurisdiction: 'US-TN', fiscal_year_end: '02-30' },
      /^CASE_INVALID: fiscal_year_end/,
    ],
    [
      'a notice outside California',
      { ...good, delinquency_notice_date: '2026-01-01' },
      /^CASE_INVALID: delinquency_notice_date/,
    ],
    [
      'a foreign entity whose rule was not read',
      { ...good, jurisdiction: 'US-GA', entity_kind: 'lp', origin: 'foreign' },
      /^STATE_RECORD_NEEDED: .*US-GA\.lp\.domestic/,
    ],
    [
      'an initial report that was not read',
      { ...good, filing: 'initial' },
      /^STATE_RECORD_NEEDED: .*initial/,
    ],
    [
      'a Missouri corporation from before July 2003',
      { ...good, jurisdiction: 'US-MO', entity_kind: 'corporation', formation_date: '2003-06-30' },
      /^STATE_RECORD_NEEDED: .*2003-07-01/,
    ],
  ])('%s', (_what, input, expected) => {
    expect(refusal(input)).toMatch(expected);
  });

  it('a foreign entity may use the domestic rule when the case names it, with low confidence and without its fee', () => {
    const found = answerObligation(
      {
        ...good,
        jurisdiction: 'US-ID',
        entity_kind: 'lp',
        origin: 'foreign',
        rule_id: 'US-ID.lp.domestic',
      },
      law,
    );
    expect([found.next_due, found.confidence, codes(found)]).toEqual([
      '2027-01-31',
      'low',
      ['FROM_MEMORY', 'DOMESTIC_RULE_BY_ANALOGY'],
    ]);
    expect(found).not.toHaveProperty('fee');
  });

  it('a cycle whose start is uncertain is answered with low confidence', () => {
    const found = answer('US-NM.corporation.domestic', '2024-05-01', '2026-11-15', {
      fiscal_year_end: '12-31',
    });
    expect([found.next_due, found.confidence, codes(found)]).toEqual([
      '2027-04-15',
      'low',
      ['CYCLE_START_UNCERTAIN'],
    ]);
  });
});
