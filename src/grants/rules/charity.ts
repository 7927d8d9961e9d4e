/** State charity registration: whether, with which statements, until when. */
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
import type { CharityState, Condition, RenewalRule } from './charity-law.ts';
import { usd } from './dollars.ts';
import type { Fact } from './facts.ts';
import type { GrantsLaw } from './law.ts';
import { type Evaluation, Reasoning } from './reasoning.ts';

export function charityRegistration(input: CaseInput, law: GrantsLaw): Evaluation {
  const state = stateOf(input, law);
  const reasoning = new Reasoning(law.charity.version).rely(
    standingFact(state, 'registration'),
    `the registration rule of ${state.name}`,
  );
  if (state.generalRegistration !== 'yes') {
    return reasoning
      .say(`${state.name}: general registration is "${state.generalRegistration}".`, state.source)
      .end(state.generalRegistration);
  }
  const obstacle = obstacleToExemption(state, input);
  if (obstacle !== undefined) {
    return reasoning.say(`${state.name}: not exempt, ${obstacle}.`, state.source).end('required');
  }
  const { exemption } = state;
  const note = exemption?.note === undefined ? '' : ` (${exemption.note})`;
  return reasoning
    .say(
      `${state.name}: exempt at ${exemption?.measure} ${exemption?.op} ${usd(exemption?.amount ?? 0)}${note}; conditions that were not given count as met.`,
      state.source,
    )
    .end('exempt');
}

/** Why the small-organisation exemption does not hold; the amount is asked for only where it decides. */
function obstacleToExemption(state: CharityState, input: CaseInput): string | undefined {
  const { exemption } = state;
  const volunteersOnly = input.flag('volunteersOnly');
  const noPaidSolicitor = input.flag('noPaidSolicitor');
  if (exemption === undefined) return 'the state has no exemption by size';
  if (exemption.volunteersOnly && volunteersOnly === false)
    return 'people other than volunteers solicit';
  if (exemption.noPaidSolicitor && noPaidSolicitor === false) return 'a paid solicitor is used';
  const amount = input.amount(exemption.measure);
  return holds(exemption, amount)
    ? undefined
    : `${exemption.measure} ${usd(amount)} is not ${exemption.op} ${usd(exemption.amount)}`;
}

export function charityFinancialStatements(input: CaseInput, law: GrantsLaw): Evaluation {
  const state = stateOf(input, law);
  const asOf = input.optionalDay('asOf');
  const reasoning = new Reasoning(law.charity.version).rely(
    standingFact(state, 'financial'),
    `the statement tiers of ${state.name}`,
  );
  if (state.financialFrom !== undefined && asOf !== undefined && asOf < state.financialFrom) {
    reasoning.task(
      `Look up the tiers for ${formatDay(asOf)}: these apply from ${formatDay(state.financialFrom)}${state.financialBefore === undefined ? '' : ` (${state.financialBefore})`}`,
      'low',
    );
  }
  const measures = [...new Set(state.tiers.flatMap(({ condition }) => condition?.measure ?? []))];
  const given = measures.filter((measure) => input.optionalAmount(measure) !== undefined);
  const first = measures[0];
  if (first !== undefined && given.length === 0 && !saysAnAmount(input)) {
    input.refuse(first, `an amount under ${measures.join(' or ')}`);
  }
  for (const tier of state.tiers) {
    const { condition, alsoRequires } = tier;
    const amount = condition === undefined ? undefined : input.optionalAmount(condition.measure);
    if (condition === undefined || amount === undefined) continue;
    const also =
      alsoRequires === undefined ? undefined : input.optionalAmount(alsoRequires.measure);
    const alsoHolds = alsoRequires === undefined || also === undefined || holds(alsoRequires, also);
    if (!holds(condition, amount) || !alsoHolds) continue;
    return reasoning
      .say(
        `${state.name}: ${tier.level} at ${condition.measure} ${condition.op} ${usd(condition.amount)}; it is ${usd(amount)}.${excluding(tier.excludes)}`,
        state.source,
      )
      .end(tier.level);
  }
  // "none" says that no tier holds on what was given, which is less than that none applies.
  const missing = measures.filter((measure) => !given.includes(measure));
  if (missing.length > 0) {
    reasoning.task(
      `Give ${missing.join(' and ')}: ${state.name} measures by it, and its tiers were not checked`,
      'medium',
    );
  }
  return reasoning
    .say(`${state.name}: no tier applies to these amounts.`, state.source)
    .end('none');
}

function saysAnAmount(input: CaseInput): boolean {
  return input.keys().some((name) => !['state', 'asOf'].includes(name) && input.has(name));
}

function excluding(parts: readonly string[]): string {
  return parts.length === 0 ? '' : ` Not counted: ${parts.join('; ')}.`;
}

export function holds(condition: Condition, amount: number): boolean {
  switch (condition.op) {
    case '<':
      return amount < condition.amount;
    case '<=':
      return amount <= condition.amount;
    case '>':
      return amount > condition.amount;
    case '>=':
      return amount >= condition.amount;
  }
}

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
    input.refuse('filesForm990', 'true for filers of Form 990, 990-EZ or 990-PF, otherwise false');
  }
  return files === true ? renewal.irsFiler : renewal.others;
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
    default:
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
  let months = cycle;
  while (asOf !== undefined && sameNumberDay(from, months) < asOf) months += cycle;
  return months;
}

function stateOf(input: CaseInput, law: GrantsLaw): CharityState {
  return charityState(input.text('state'), law, 'input.state');
}

/** A code that is not in the table is refused: a misspelled state would be a threshold that nobody watches. */
export function charityState(code: string, law: GrantsLaw, field: string): CharityState {
  const state = law.charity.states.get(code);
  if (state === undefined) {
    throw new FilewrightError(
      'JURISDICTION_UNRESOLVED',
      `${field}: expected a state of the registration table (two capital letters, DC among them), found ${JSON.stringify(code)}`,
      { details: { field } },
    );
  }
  return state;
}

export function standingFact(state: CharityState, part: keyof CharityState['standing']): Fact {
  return { source: state.source, standing: state.standing[part] };
}
