/** What an award itself asks for: interim and final reports, liquidation, closeout. Its terms win over 2 CFR 200. */
import {
  addDays,
  civilOf,
  type Day,
  formatDay,
  lastDayOfMonth,
  sameNumberDay,
} from '../../calendar/index.ts';
import {
  type Award,
  type AwardObligation,
  obligationOf,
  type ObligationSubject,
  type ReportingFrequency,
  type TermedReport,
} from './award.ts';
import { reportOffset } from './federal.ts';
import type { GrantsLaw } from './law.ts';
import { Reasoning } from './reasoning.ts';

const MONTHS: Readonly<Record<ReportingFrequency, number>> = {
  quarterly: 3,
  semiannual: 6,
  annual: 12,
};

export function interimReports(award: Award, law: GrantsLaw): AwardObligation[] {
  const { reportingFrequency, performanceFrequency = reportingFrequency } = award;
  const reports = [
    { report: 'sf425', frequency: reportingFrequency },
    { report: 'performance', frequency: performanceFrequency },
  ] as const;
  return reports.flatMap(({ report, frequency }) =>
    interimPeriodEnds(award, frequency).map((periodEnd) =>
      reportObligation(award, law, {
        kind: `${report}.interim`,
        rule: `${report}.${frequency}`,
        periodEnd,
      }),
    ),
  );
}

/** Ends of the reporting periods before the award's own end; the last one is covered by the final report. */
function interimPeriodEnds(award: Award, frequency: ReportingFrequency): Day[] {
  const months = MONTHS[frequency];
  const ends: Day[] = [];
  if (award.terms?.reportingPeriods === 'from-start') {
    for (let n = 1; ; n += 1) {
      const end = addDays(sameNumberDay(award.periodStart, n * months), -1);
      if (end >= award.periodEnd) return ends;
      ends.push(end);
    }
  }
  const { year, month } = civilOf(award.periodStart);
  for (let place = Math.ceil(month / months) * months; ; place += months) {
    const end = lastDayOfMonth(year + Math.floor((place - 1) / 12), ((place - 1) % 12) + 1);
    if (end >= award.periodEnd) return ends;
    ends.push(end);
  }
}

export function closingReports(award: Award, law: GrantsLaw): AwardObligation[] {
  const { periodEnd, role } = award;
  const final = role === 'subrecipient' ? 'subrecipientFinal' : 'final';
  const last = reportObligation(award, law, {
    kind: 'sf425.final',
    rule: `sf425.${final}`,
    periodEnd,
  });
  return [
    last,
    reportObligation(award, law, {
      kind: 'performance.final',
      rule: `performance.${final}`,
      periodEnd,
    }),
    reportObligation(award, law, { kind: 'liquidation', rule: `liquidation.${role}`, periodEnd }),
    closeout(award, last, law),
  ];
}

// 2 CFR 200.344: the agency closes within a year of the final reports; until they arrive, counted from their due day.
function closeout(award: Award, final: AwardObligation, law: GrantsLaw): AwardObligation {
  const rule = law.federal.agencyCloseout;
  const { finalReportsReceived: received } = award;
  const from = received ?? final.due;
  const reasoning = new Reasoning(law.federal.version)
    .rely(rule, 'the closeout period')
    .start(
      from,
      received === undefined
        ? `The final reports are due on ${formatDay(from)}.`
        : `The final reports were received on ${formatDay(from)}.`,
    )
    .addMonths(rule.months, 'same-number', {
      text: `The agency closes the award within ${rule.months} months.`,
      citation: rule.source,
    });
  if (received === undefined) {
    reasoning.task('Count again when the final reports have been received', 'medium');
  }
  return obligationOf(subjectOf(award), {
    kind: 'closeout.agency',
    periodEnd: award.periodEnd,
    reasoning,
  });
}

function reportObligation(
  award: Award,
  law: GrantsLaw,
  report: { readonly kind: TermedReport; readonly rule: string; readonly periodEnd: Day },
): AwardObligation {
  const reasoning = new Reasoning(law.federal.version).start(
    report.periodEnd,
    `The period ends on ${formatDay(report.periodEnd)}.`,
  );
  const termed = award.terms?.offsetDays?.[report.kind];
  if (termed === undefined) {
    const offset = reportOffset(law.federal, report.rule, award.guidanceVersion);
    reasoning
      .rely(offset, `the offset of ${report.rule}`)
      .addDays(offset.days, `${offset.days} calendar days later.`, offset.source);
  } else {
    reasoning.addDays(termed, `${termed} calendar days later.`, `terms of award ${award.awardId}`);
  }
  if (report.kind.endsWith('.interim') && award.terms?.reportingPeriods === undefined) {
    reasoning.task('Confirm in the award that its reporting periods are calendar quarters', 'low');
  }
  if (award.terms?.rollForward === true) {
    const calendar = law.calendarOf(law.federal.singleAudit.calendar);
    reasoning.roll(calendar, `terms of award ${award.awardId}`);
  }
  const { kind, periodEnd } = report;
  return obligationOf(subjectOf(award), { kind, periodEnd, reasoning });
}

function subjectOf(award: Award): ObligationSubject {
  return { scope: 'award', id: award.awardId };
}
