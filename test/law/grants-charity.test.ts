/** State registration: all 51 jurisdictions, all kinds of renewal; and what holds for every date of the pack. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, type Day, dayOf, formatDay } from '../../src/calendar/day.ts';
import { replaySteps } from '../../src/calendar/replay.ts';
import type { Award } from '../../src/grants/rules/award.ts';
import { awardCalendar } from '../../src/grants/rules/award-calendar.ts';
import { answer, evaluation, grantsLaw, refusal, resultOf } from './grants-cases.ts';

const states = [...grantsLaw.charity.states.values()];

describe('registration', () => {
  it('knows 51 jurisdictions and no other', () => {
    expect(states).toHaveLength(51);
    for (const state of ['PR', 'pa', 'XX', 'toString']) {
      expect(refusal('charity.registration', { state, contributions: 1 })).toMatch(
        /^JURISDICTION_UNRESOLVED input\.state/,
      );
    }
    expect(refusal('charity.registration', { contributions: 1 })).toMatch(
      /^CASE_INVALID input\.state/,
    );
  });

  it.each([
    ['WA', { grossRevenue: 49_999 }, 'exempt'],
    ['WA', { grossRevenue: 50_000 }, 'required'],
    ['MD', { contributions: 24_999, volunteersOnly: false }, 'exempt'],
    ['MI', { contributions: 25_000, volunteersOnly: false }, 'required'],
    ['MI', { volunteersOnly: false }, 'required'],
    ['PA', { contributions: 1, noPaidSolicitor: false }, 'required'],
    ['CA', {}, 'required'],
    ['MO', {}, 'yesExcept501c3'],
    ['TX', { contributions: 1 }, 'limited'],
    ['UT', {}, 'repealed'],
    ['LA', {}, 'onlyWithProfessionalSolicitor'],
    ['DE', { contributions: 9_999_999 }, 'no'],
  ])('%s %o: %s', (state, input, verdict) => {
    expect(resultOf('charity.registration', { state, ...input })).toBe(verdict);
  });

  it('an amount under another measure is not taken for the right one', () => {
    expect(refusal('charity.registration', { state: 'WA', contributions: 10 })).toMatch(
      /^CASE_INVALID input\.grossRevenue/,
    );
  });

  it('decides only where the fact is verified, in every state', () => {
    for (const { state, standing } of states) {
      const input = { state, contributions: 1, grossRevenue: 1 };
      expect([state, answer('charity.registration', input).decides]).toEqual([
        state,
        standing.registration === 'verified',
      ]);
    }
  });
});

describe('financial statements', () => {
  it.each([
    ['PA', { contributions: 750_000 }, 'audit'],
    ['PA', { contributions: 749_999 }, 'review'],
    ['PA', { contributions: 0 }, 'internallyPrepared'],
    ['CT', { grossRevenue: 1_000_000 }, 'reviewOrAudit'],
    ['IL', { contributions: 1, contributionsRaisedByPaidFundraiser: 25_001 }, 'audit'],
    ['WA', { grossRevenueThreeYearAverage: 3_000_000 }, 'professionallyPrepared990OrAudit'],
    ['NH', { grossRevenue: 500_001 }, 'gaapStatements'],
    ['NJ', { grossRevenue: 1_000_001 }, 'audit'],
    ['NJ', { grossRevenue: 1_000_001, contributions: 25_000 }, 'none'],
    ['AK', { contributions: 9_000_000 }, 'none'],
    ['AK', {}, 'none'],
    ['NY', { grossRevenue: 2_000_000 }, 'none'],
  ])('%s %o: %s', (state, input, level) => {
    expect(resultOf('charity.financialStatements', { state, ...input })).toBe(level);
  });

  it('"none" on another measure asks for the right amount, and no amount at all is refused', () => {
    const given = answer('charity.financialStatements', { state: 'CA', contributions: 9_000_000 });
    expect(given).toMatchObject({ result: 'none', decides: false });
    expect(given.task).toContain('grossRevenue');
    expect(refusal('charity.financialStatements', { state: 'CA' })).toMatch(
      /^CASE_INVALID input\.grossRevenue/,
    );
  });
});

describe('renewal', () => {
  it.each([
    ['AL', { fiscalYearEnd: '2023-12-31' }, '2024-03-30'],
    ['AL', { fiscalYearEnd: '2024-12-31' }, '2025-03-31'],
    ['AK', { fiscalYearEnd: '2025-12-31' }, '2026-09-01'],
    ['AK', { fiscalYearEnd: '2025-06-30' }, '2025-09-01'],
    ['CT', { fiscalYearEnd: '2025-03-31' }, '2026-02-28'],
    ['CT', { fiscalYearEnd: '2023-03-31' }, '2024-02-29'],
    ['WI', { fiscalYearEnd: '2023-02-28' }, '2024-02-29'],
    ['MD', { fiscalYearEnd: '2024-02-29' }, '2024-08-31'],
    ['NY', { fiscalYearEnd: '2025-12-31', registrationType: 'eptlOnly' }, '2026-06-30'],
    ['FL', { registrationDate: '2024-02-29' }, '2025-02-28'],
    ['GA', { registrationDate: '2024-02-29' }, '2026-02-28'],
    ['MN', { fiscalYearEnd: '2026-07-31' }, '2027-02-16'], // Monday 15 February is a holiday.
    ['PA', { fiscalYearEnd: '2025-12-31' }, '2026-11-15'], // A Sunday that stands.
    ['DE', { fiscalYearEnd: '2025-12-31' }, null],
    ['UT', { fiscalYearEnd: '2025-12-31' }, null],
  ])('%s %o: %s', (state, input, due) => {
    expect(resultOf('charity.renewalDue', { state, ...input })).toBe(due);
  });

  it('says what is missing instead of guessing', () => {
    const fiscalYearEnd = '2025-12-31';
    expect(refusal('charity.renewalDue', { state: 'NY', fiscalYearEnd })).toMatch(
      /^CASE_INVALID input\.registrationType: expected one of article7A_or_dual, eptlOnly/,
    );
    expect(refusal('charity.renewalDue', { state: 'FL', fiscalYearEnd })).toMatch(
      /^CASE_INVALID input\.registrationDate/,
    );
    expect(refusal('charity.renewalDue', { state: 'MS', fiscalYearEnd })).toMatch(
      /^STATE_RECORD_NEEDED/,
    );
    expect(refusal('charity.renewalDue', { state: 'PA' })).toMatch(
      /^CASE_INVALID input\.fiscalYearEnd/,
    );
  });

  it('Michigan wants the papers 30 days earlier', () => {
    const given = answer('charity.renewalDue', { state: 'MI', fiscalYearEnd: '2025-12-31' });
    expect(given).toMatchObject({ result: '2026-07-31', submit_by: '2026-07-01' });
  });
});

const anyDay = fc
  .integer({ min: dayOf(1990, 1, 1), max: dayOf(2090, 12, 31) })
  // Whole days since 1970 are a day.
  .map((day) => day as Day);

describe('every date of the pack', () => {
  const dated = fc.oneof(
    fc.tuple(
      fc.constant('form990.due'),
      fc.record({
        fiscalYearEnd: anyDay.map(formatDay),
        extended8868: fc.boolean(),
        form: fc.constantFrom('990', '990-EZ', '990-N', '990-PF'),
      }),
    ),
    fc.tuple(fc.constant('singleAudit.due'), fc.record({ fiscalYearEnd: anyDay.map(formatDay) })),
    fc.tuple(
      fc.constant('charity.renewalDue'),
      fc.record({
        state: fc.constantFrom(
          ...states.filter(({ renewal }) => renewal !== undefined).map(({ state }) => state),
        ),
        fiscalYearEnd: anyDay.map(formatDay),
        registrationDate: anyDay.map(formatDay),
        registrationType: fc.constantFrom('article7A_or_dual', 'eptlOnly'),
        filesForm990: fc.boolean(),
        irsFiledOn: anyDay.map(formatDay),
        expirationDate: anyDay.map(formatDay),
      }),
    ),
  );

  it('replays from its steps, and never lies before the day it counts from', () => {
    fc.assert(
      fc.property(dated, ([kind, input]) => {
        const { result, reasons } = evaluation(kind, input);
        const steps = reasons.filter((reason) => 'day' in reason);
        expect(formatDay(replaySteps(steps))).toBe(result);
        // Kentucky and Mississippi name the very day from which they count.
        const isThatDay = 'state' in input && ['KY', 'MS'].includes(input.state);
        expect(steps.at(-1)?.day).toBeGreaterThan((steps[0]?.day ?? 0) - (isThatDay ? 1 : 0));
      }),
      { numRuns: 500 },
    );
  });

  it('where a rule rolls, it ends on an open day at or after the nominal one', () => {
    fc.assert(
      fc.property(anyDay, (day) => {
        for (const [kind, calendar] of [
          ['form990.due', 'irs-dc'],
          ['singleAudit.due', 'us-federal'],
        ] as const) {
          const { reasons } = evaluation(kind, { fiscalYearEnd: formatDay(day) });
          const steps = reasons.filter((reason) => 'day' in reason);
          const due = steps.at(-1)?.day ?? day;
          const nominal = steps.findLast((step) => step.act.kind !== 'roll')?.day ?? day;
          expect(due).toBeGreaterThanOrEqual(nominal);
          expect(grantsLaw.calendarOf(calendar).closedOn(due)).toBeUndefined();
          for (let open = nominal; open < due; open = addDays(open, 1)) {
            expect(grantsLaw.calendarOf(calendar).closedOn(open)).toBeDefined();
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('the calendar of an award', () => {
  const award: Award = {
    awardId: 'A-1',
    organization: 'ABC123DEF456',
    role: 'recipient',
    periodStart: dayOf(2025, 7, 1),
    periodEnd: dayOf(2026, 6, 30),
    reportingFrequency: 'quarterly',
    performanceFrequency: 'annual',
    guidanceVersion: '2024',
    fiscalYearEnd: { month: 12, day: 31 },
    return990: { form: '990', extended: false },
    charityStates: [
      { state: 'PA' },
      { state: 'WI' },
      { state: 'HI' },
      { state: 'DE' },
      { state: 'FL' },
    ],
    terms: { reportingPeriods: 'calendar' },
  };
  const listed = (one: Award): string[] =>
    awardCalendar(one, grantsLaw).obligations.map(
      ({ kind, jurisdiction, due }) => `${formatDay(due)} ${jurisdiction} ${kind}`,
    );

  it('lists every date once, the earliest first', () => {
    expect(listed(award)).toEqual([
      '2025-10-30 US sf425.interim',
      '2026-01-30 US sf425.interim',
      '2026-03-31 US performance.interim',
      '2026-04-30 US sf425.interim',
      '2026-05-15 US form990',
      '2026-07-31 WI charity.registrationExpires',
      '2026-09-30 US singleAudit',
      '2026-10-28 US liquidation',
      '2026-10-28 US performance.final',
      '2026-10-28 US sf425.final',
      '2026-11-15 PA charity.renewal',
      '2026-12-31 WI charity.renewal',
      '2027-05-17 US form990',
      '2027-07-31 WI charity.registrationExpires',
      '2027-09-30 US singleAudit',
      '2027-10-28 US closeout.agency',
      '2027-11-15 PA charity.renewal',
      '2027-12-31 WI charity.renewal',
    ]);
  });

  it('tells what it cannot date', () => {
    const { undated } = awardCalendar(award, grantsLaw);
    expect(undated.map(({ jurisdiction }) => jurisdiction)).toEqual(['HI', 'FL']);
  });

  it('the terms of the award win, and older guidance keeps its 90 days', () => {
    const terms = {
      offsetDays: { 'sf425.interim': 45, 'sf425.final': 90 },
      rollForward: true,
    } as const;
    const termed = listed({ ...award, terms });
    expect(termed[0]).toBe('2025-11-14 US sf425.interim');
    expect(termed).toContain('2026-02-17 US sf425.interim'); // Saturday 14, Sunday, Washington's Birthday.
    expect(termed).toContain('2026-09-28 US sf425.final');
    expect(listed({ ...award, guidanceVersion: '2014' })).toContain('2026-09-28 US sf425.final');
    expect(listed({ ...award, role: 'subrecipient' })).toContain('2026-09-28 US liquidation');
  });

  it('identities are unique and do not move with a date', () => {
    const keys = (one: Award) => awardCalendar(one, grantsLaw).obligations.map(({ key }) => key);
    expect(new Set(keys(award)).size).toBe(keys(award).length);
    const moved = { ...award, terms: { ...award.terms, offsetDays: { 'sf425.final': 10 } } };
    expect(keys(moved).sort()).toEqual(keys(award).sort());
  });

  it('an end before the start, or an unknown guidance, is refused', () => {
    expect(() => listed({ ...award, periodEnd: dayOf(2025, 6, 30) })).toThrow(/periodEnd/);
    expect(() => listed({ ...award, guidanceVersion: '1999' })).toThrow(/guidanceVersion/);
  });
});
