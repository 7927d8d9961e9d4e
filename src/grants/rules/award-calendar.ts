/** Every date that an award brings with it: reports, closeout, audit, return, state renewals. Award terms win. */
import type { Day } from '../../calendar/index.ts';
import { badCase } from '../../core/index.ts';
import {
  type Award,
  AWARD_YEARS_MAX,
  type AwardCalendar,
  type AwardObligation,
  lastAwardDay,
  obligationOf,
} from './award.ts';
import { charityRenewals } from './award-renewals.ts';
import { closingReports, interimReports } from './award-reports.ts';
import { singleAuditDate } from './federal.ts';
import { fiscalYearsBetween } from './fiscal-year.ts';
import { form990Date } from './form990.ts';
import type { GrantsLaw } from './law.ts';

/** All dates of one award, the earliest first; the same award gives the same list. */
export function awardCalendar(award: Award, law: GrantsLaw): AwardCalendar {
  checkAward(award, law);
  const years = fiscalYearEnds(award);
  const renewals = charityRenewals(award, years, law);
  const obligations = [
    ...interimReports(award, law),
    ...closingReports(award, law),
    ...years.flatMap((year) => yearlyObligations(award, year, law)),
    ...renewals.obligations,
  ];
  obligations.sort((one, other) => one.due - other.due || (one.key < other.key ? -1 : 1));
  return { obligations, undated: renewals.undated };
}

function checkAward(award: Award, law: GrantsLaw): void {
  const refuse = (field: string, expected: string): never => {
    throw badCase(`award ${award.awardId}, ${field}: ${expected}`, {
      details: { award: award.awardId, field },
    });
  };
  if (award.periodEnd < award.periodStart) refuse('periodEnd', 'a day not before periodStart');
  if (award.periodEnd > lastAwardDay(award.periodStart)) {
    refuse('periodEnd', `at most ${AWARD_YEARS_MAX} years after periodStart`);
  }
  if (!law.federal.guidance.includes(award.guidanceVersion)) {
    refuse('guidanceVersion', `one of ${law.federal.guidance.join(', ')}`);
  }
  const { month, day } = award.fiscalYearEnd;
  if (month < 1 || month > 12 || day < 1 || day > 31) refuse('fiscalYearEnd', 'a month and a day');
  for (const [report, days] of Object.entries(award.terms?.offsetDays ?? {})) {
    if (!Number.isInteger(days) || days < 0) refuse(`terms.${report}`, 'days, zero or more');
  }
}

/** Ends of all fiscal years of which a day lies in the award's period. */
function fiscalYearEnds(award: Award): Day[] {
  const { fiscalYearEnd, periodStart, periodEnd } = award;
  return fiscalYearsBetween(fiscalYearEnd, periodStart, periodEnd).map(({ end }) => end);
}

function yearlyObligations(award: Award, yearEnd: Day, law: GrantsLaw): AwardObligation[] {
  const subject = { scope: 'organization', id: award.organization } as const;
  const audit = obligationOf(subject, {
    kind: 'singleAudit',
    periodEnd: yearEnd,
    reasoning: singleAuditDate({ fiscalYearEnd: yearEnd, reportReceived: undefined }, law),
  });
  const condition = 'federal expenditures of the year reach the single audit threshold';
  if (award.return990 === undefined) return [{ ...audit, condition }];
  const reasoning = form990Date({ fiscalYearEnd: yearEnd, ...award.return990 }, law);
  return [
    { ...audit, condition },
    obligationOf(subject, { kind: 'form990', periodEnd: yearEnd, reasoning }),
  ];
}
