/** State charity registration: until when, counted from a year's end, the registration, the filing with the IRS or a certificate. */
import {
  civilOf,
  clampedDay,
  type Day,
  formatDay,
  lastDayOfMonth,
  monthAfter,
  sameNumberDay,
} from '../../calendar/index.ts';
import { FilewrightError } from '../../core/index.ts';
import type { CaseInput } from './case-input.ts';
import { standingFact, stateOf } from './charity.ts';
import type { CharityState, RenewalRule } from './charity-law.ts';
import type { GrantsLaw } from './law.ts';
import { type Evaluation, Reasoning } from './reasoning.ts';

export function charityRenewalDue(input: CaseInput, law: GrantsLaw): Evaluation {
  const state = stateOf(input, law);
  const { renewal } = state;
  const fact = standingFact(state, 'renewal');
  const reasoning = new Reasoning(law.charity.version);
  if (renewal === undefined) {
    if (state.generalRegistration !== 'no' && state.generalRegistration !== 'repealed') {
      throw new FilewrightError(
        'STATE_RECORD_NEEDED',
        `input.state: the renewal cycle of ${state.name} is not known; ask the state for the date`,
        { details: { state: state.state } },
      );
    }
    return reasoning
      .rely(standingFact(state, 'registration'), `that ${state.name} has no general registration`)
      .say(`${state.name} has no general registration, so there is no renewal.`, state.source)
      .end(null);
  }
  const rule = renewalRuleFor(renewal, input);
  reasoning.rely(fact, `the renewal date of ${state.name}`);
  const from = renewalStart(rule, state, input);
  renewalDate(reasoning, { state, rule, from, asOf: askedFrom(rule, input) }, law);
  const extension = state.extension ?? 'not read; keep the date of the state';
  return reasoning.say(`After an extension by the IRS: ${extension}.`, state.source).endWithDay();
}

function renewalRuleFor(
  renewal: NonNullable<CharityState['renewal']>,
  input: CaseInput,
): RenewalRule {
  if (renewal.kind === 'byRegistrationType') {
    const type = input.choice('registrationType', [...renewal.types.keys()]);
    return renewal.types.get(type) ?? input.refuse('registrationType', 'a known type');
  }
  if (renewal.kind !== 'byForm') return renewal;
  const files = input.flag('filesForm990');
  if (files === undefined) {
    return input.refuse(
      'filesForm990',
      'true for filers of Form 990, 990-EZ or 990-PF, otherwise false',
    );
  }
  return files ? renewal.irsFiler : renewal.others;
}

/** The day from which the rule counts, under the name that the case has for it. */
function renewalStart(rule: RenewalRule, state: CharityState, input: CaseInput): Day {
  switch (rule.kind) {
    case 'anniversaryOfRegistration': {
      const [one, other] = [
        input.optionalDay('registrationDate'),
        input.optionalDay('registeredOn'),
      ];
      if (one !== undefined && other !== undefined && one !== other) {
        input.refuse('registeredOn', 'the same day as registrationDate, or only one of them');
      }
      return (
        one ??
        other ??
        input.refuse(
          'registrationDate',
          `the day on which ${state.name} approved the registration or its last renewal, as YYYY-MM-DD,`,
        )
      );
    }
    case 'businessDaysAfterIrsFiling':
    case 'sameDayAsIrsFiling':
      return (
        input.optionalDay('irsFiledOn') ??
        input.refuse(
          'irsFiledOn',
          'the day on which the return was filed with the IRS, as YYYY-MM-DD',
        )
      );
    case 'expirationOnCertificate':
      return input.optionalDay('expirationDate') ?? certificateNeeded(state);
    case 'fixedDate':
      // A fixed date needs no year's end where the case says from when it looks.
      return input.optionalDay('asOf') ?? input.day('fiscalYearEnd');
    case 'dayOfNthMonthAfterFYE':
    case 'endOfNthMonthAfterFYE':
    case 'daysAfterFYE':
      return input.day('fiscalYearEnd');
  }
}

function certificateNeeded(state: CharityState): never {
  throw new FilewrightError(
    'STATE_RECORD_NEEDED',
    `input.expirationDate: ${state.name} renews by the expiration date on the certificate; enter it`,
    { details: { state: state.state } },
  );
}

/** The first date on or after that day is asked for; rules that count from a year's end have only one. */
function askedFrom(rule: RenewalRule, input: CaseInput): Day | undefined {
  return rule.kind === 'anniversaryOfRegistration' || rule.kind === 'fixedDate'
    ? input.optionalDay('asOf')
    : undefined;
}

interface RenewalSubject {
  readonly state: CharityState;
  readonly rule: RenewalRule;
  readonly from: Day;
  /** The first occurrence on or after this day; without it the first after `from`. */
  readonly asOf?: Day | undefined;
}

const STARTS: Partial<Record<RenewalRule['kind'], string>> = {
  anniversaryOfRegistration: 'Registered or renewed',
  businessDaysAfterIrsFiling: 'Filed with the IRS',
  sameDayAsIrsFiling: 'Filed with the IRS',
  expirationOnCertificate: 'The certificate expires',
};

/** Adds the steps from the year's end (or the registration, or the filing) to the day on which the renewal is due. */
export function renewalDate(
  reasoning: Reasoning,
  subject: RenewalSubject,
  law: GrantsLaw,
): Reasoning {
  const { state, rule, from, asOf } = subject;
  const isFromDay = rule.kind === 'fixedDate' && asOf !== undefined;
  const said = isFromDay ? 'Asked on' : (STARTS[rule.kind] ?? 'Year ended');
  reasoning.start(
    from,
    isFromDay ? `${said} ${formatDay(from)}.` : `${said} on ${formatDay(from)}.`,
  );
  applyRenewal(reasoning, { rule, from, asOf, source: state.source }, law);
  if (rule.kind === 'endOfNthMonthAfterFYE' && rule.submitDaysBefore !== undefined) {
    const before = (reasoning.day - rule.submitDaysBefore) as Day; // Whole days before a day are a day.
    reasoning.beside('submit_by', before);
  }
  if (state.renewalRoll !== undefined) {
    reasoning.roll(law.calendarOf(state.renewalRoll.calendar), state.renewalRoll.source);
  }
  return reasoning;
}

function applyRenewal(
  reasoning: Reasoning,
  subject: Pick<RenewalSubject, 'rule' | 'from' | 'asOf'> & { readonly source: string },
  law: GrantsLaw,
): void {
  const { rule, from, asOf, source } = subject;
  const { year, month } = civilOf(from);
  switch (rule.kind) {
    case 'dayOfNthMonthAfterFYE': {
      const target = monthAfter(year, month, rule.n);
      const day = clampedDay(target.year, target.month, rule.day);
      reasoning.set(day, `Day ${rule.day} of month ${rule.n} after the year's end.`, source);
      return;
    }
    case 'endOfNthMonthAfterFYE': {
      const target = monthAfter(year, month, rule.n);
      const day = lastDayOfMonth(target.year, target.month);
      reasoning.set(day, `Last day of month ${rule.n} after the year's end.`, source);
      return;
    }
    case 'daysAfterFYE':
      reasoning.addDays(rule.n, `${rule.n} calendar days after the year's end.`, source);
      return;
    case 'fixedDate': {
      const thisYear = clampedDay(year, rule.month, rule.day);
      const isIn = asOf === undefined ? thisYear > from : thisYear >= asOf;
      const day = isIn ? thisYear : clampedDay(year + 1, rule.month, rule.day);
      const which = asOf === undefined ? "after the year's end" : 'on or after that day';
      reasoning.set(day, `The same date every year; the first one ${which}.`, source);
      return;
    }
    case 'anniversaryOfRegistration': {
      const months = monthsUntil(from, rule.months, asOf);
      const text = `${months} months after the approval${months === rule.months ? '' : `, ${rule.months} at a time`}.`;
      reasoning.addMonths(months, 'same-number', { text, citation: source });
      return;
    }
    case 'businessDaysAfterIrsFiling': {
      const calendar = law.calendarOf(law.federal.singleAudit.calendar);
      const text = `${rule.n} business days after the filing; weekends and federal holidays do not count, and the state's own holidays would only give more time.`;
      reasoning.businessDays(rule.n, calendar, { text, citation: source });
      return;
    }
    case 'sameDayAsIrsFiling':
      reasoning.set(from, 'Due at the same time as the filing with the IRS.', source);
      return;
    case 'expirationOnCertificate':
      reasoning.set(from, 'On or before the expiration date on the certificate.', source);
  }
}

/** Whole cycles from the registration to the first end of one on or after the day that is asked for. */
function monthsUntil(from: Day, cycle: number, asOf: Day | undefined): number {
  if (asOf === undefined) return cycle;
  let months = cycle;
  while (sameNumberDay(from, months) < asOf) months += cycle;
  return months;
}
