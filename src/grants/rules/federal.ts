/** Federal awards under 2 CFR 200: reports, single audit, retention, identifiers. */
import { type Day, formatDay, type MonthArithmetic, sameNumberDay } from '../../calendar/index.ts';
import { FilewrightError, invariant } from '../../core/index.ts';
import type { CaseInput } from './case-input.ts';
import { usd } from './dollars.ts';
import type { FederalLaw, IdentifierShape, ReportOffset } from './federal-law.ts';
import { isMonthEnd } from './form990.ts';
import type { GrantsLaw } from './law.ts';
import { type Evaluation, Reasoning } from './reasoning.ts';

const FREQUENCIES = ['quarterly', 'semiannual', 'annual', 'final', 'subrecipientFinal'] as const;

// 2 CFR 200.328, 200.329 and 200.344: calendar days after the period; no roll was found for these dates.
export function sf425Due(input: CaseInput, law: GrantsLaw): Evaluation {
  const periodEnd = input.day('periodEnd');
  const frequency = input.choice('frequency', FREQUENCIES);
  const guidance = input.has('guidanceVersion')
    ? input.choice('guidanceVersion', law.federal.guidance)
    : law.federal.currentGuidance;
  const offset = reportOffset(law.federal, `sf425.${frequency}`, guidance);
  return new Reasoning(law.federal.version)
    .start(periodEnd, `The period ends on ${formatDay(periodEnd)}.`)
    .rely(offset, `the ${frequency} offset`)
    .addDays(
      offset.days,
      `${offset.days} calendar days later; this date does not roll.`,
      offset.source,
    )
    .aimBefore(law.calendarOf(law.federal.singleAudit.calendar))
    .endWithDay();
}

export function reportOffset(law: FederalLaw, report: string, guidance: string): ReportOffset {
  const offsets = law.reports.get(report);
  if (offsets === undefined) {
    throw new FilewrightError('RULE_UNKNOWN', `${law.title} has no report ${report}`);
  }
  const offset = offsets.find((one) => one.guidance.includes(guidance));
  invariant(offset !== undefined, `${report} has no offset for guidance ${guidance}`);
  return offset;
}

interface AuditedYear {
  readonly fiscalYearEnd: Day;
  readonly reportReceived: Day | undefined;
}

// 2 CFR 200.512(a)(1): the earlier of 30 days after the report and nine months after the year, then the next business day.
export function singleAuditDue(input: CaseInput, law: GrantsLaw): Evaluation {
  const fiscalYearEnd = input.day('fiscalYearEnd');
  const reportReceived = input.optionalDay('auditReportReceived');
  if (reportReceived !== undefined && reportReceived <= fiscalYearEnd) {
    input.refuse('auditReportReceived', `a day after the year's end ${formatDay(fiscalYearEnd)}`);
  }
  return singleAuditDate({ fiscalYearEnd, reportReceived }, law).endWithDay();
}

export function singleAuditDate(year: AuditedYear, law: GrantsLaw): Reasoning {
  const rule = law.federal.singleAudit;
  const { arithmetic, source } = isMonthEnd(year.fiscalYearEnd)
    ? { arithmetic: 'month-end' as MonthArithmetic, source: rule.monthEndSource }
    : { arithmetic: 'same-number' as MonthArithmetic, source: rule.source };
  const reasoning = new Reasoning(law.federal.version)
    .rely(rule, 'the single audit date')
    .start(year.fiscalYearEnd, `The fiscal year ends on ${formatDay(year.fiscalYearEnd)}.`)
    .addMonths(rule.monthsAfterYearEnd, arithmetic, {
      text: `${rule.monthsAfterYearEnd} months after the year's end${arithmetic === 'month-end' ? ', month end to month end' : ''}.`,
      citation: source,
    });
  if (
    arithmetic === 'month-end' &&
    !isMonthEnd(sameNumberDay(year.fiscalYearEnd, rule.monthsAfterYearEnd))
  ) {
    // The reading decides the day here, and it was not read in the text: 30 June gives 31 March, not 30 March.
    reasoning.rely({ standing: 'mixed', source: rule.monthEndSource }, 'month end to month end');
  }
  if (year.reportReceived !== undefined) {
    const other = (year.reportReceived + rule.daysAfterReport) as Day; // Whole days after a day are a day.
    reasoning.earlierOf(
      other,
      `The earlier of that and ${rule.daysAfterReport} days after the report of ${formatDay(year.reportReceived)}, ${formatDay(other)}.`,
      rule.source,
    );
  }
  return reasoning.roll(law.calendarOf(rule.calendar), rule.source);
}

// 2 CFR 200.501: by the start of the fiscal year.
export function singleAuditRequired(input: CaseInput, law: GrantsLaw): Evaluation {
  const start = input.day('fiscalYearStart');
  const spent = input.amount('federalExpenditures');
  const { thresholds, atThreshold } = law.federal.singleAudit;
  const threshold = thresholds.find(({ from }) => from === undefined || start >= from);
  invariant(threshold !== undefined, 'one threshold holds from the beginning');
  const reasoning = new Reasoning(law.federal.version)
    .rely(threshold, 'the threshold')
    .say(
      `For a fiscal year that starts on ${formatDay(start)} the threshold is ${usd(threshold.amount)}; ${usd(spent)} was spent.`,
      threshold.source,
    );
  if (spent === threshold.amount) {
    reasoning.rely(atThreshold, 'that the exact amount already requires the audit');
  }
  if (threshold.readFrom !== undefined && start < threshold.readFrom) {
    reasoning.task(
      `Look up the threshold: it is not on file for fiscal years before ${formatDay(threshold.readFrom)}`,
      'low',
    );
  }
  return reasoning.end(spent >= threshold.amount);
}

// 2 CFR 200.334: three years from the final financial report; a policy may keep longer, never shorter.
export function retentionUntil(input: CaseInput, law: GrantsLaw): Evaluation {
  const submitted = input.day('finalFinancialReportSubmitted');
  const policyYears = input.integer('policyYears', { min: 0, max: 100 });
  const rule = law.federal.retention;
  const federal = sameNumberDay(submitted, rule.years * 12);
  const policy = sameNumberDay(submitted, policyYears * 12);
  const effective = federal > policy ? federal : policy;
  return new Reasoning(law.federal.version)
    .rely(rule, 'the federal period')
    .start(submitted, `The final financial report was submitted on ${formatDay(submitted)}.`)
    .say(`The federal minimum of ${rule.years} years ends on ${formatDay(federal)}.`, rule.source)
    .say(`The policy of ${policyYears} years ends on ${formatDay(policy)}; it is not federal law.`)
    .set(effective, 'The later of the two; a legal hold extends it.', rule.source)
    .end({
      federalMinimum: formatDay(federal),
      policy: formatDay(policy),
      effective: formatDay(effective),
    });
}

/** Letters and digits in their order, and no longer run of digits than is given out. */
export function hasShape(value: string, { pattern, digitRunBelow }: IdentifierShape): boolean {
  return pattern.test(value) && !hasDigitRun(value, digitRunBelow);
}

function hasDigitRun(value: string, digitRunBelow: number | undefined): boolean {
  return digitRunBelow !== undefined && new RegExp(`[0-9]{${digitRunBelow}}`).test(value);
}

/** Shape only: no checksum of a UEI is published, and only the registry knows whether it was given out. */
export function checkIdentifier(input: CaseInput, kind: 'uei' | 'aln', law: GrantsLaw): Evaluation {
  const value = input.text('value');
  const shape = law.federal.identifiers[kind];
  const verdict = !shape.pattern.test(value)
    ? 'does not have the shape'
    : hasDigitRun(value, shape.digitRunBelow)
      ? `has ${shape.digitRunBelow} digits in a row`
      : 'has the shape';
  return new Reasoning(law.federal.version)
    .rely(shape, 'the shape')
    .say(`The value ${verdict} of an identifier of this kind.`, shape.source)
    .end(hasShape(value, shape));
}
