/** State charity registration: whether, with which statements, until when. */
import {
  civilOf,
  clampedDay,
  type Day,
  formatDay,
  lastDayOfMonth,
  monthAfter,
} from '../../calendar/index.ts';
import { FilewrightError } from '../../core/index.ts';
import type { CaseInput } from './case-input.ts';
import type { CharityState, Condition, RenewalRule } from './charity-law.ts';
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
      `${state.name}: exempt at ${exemption?.measure} ${exemption?.op} ${exemption?.amount}${note}; conditions that were not given count as met.`,
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
    : `${exemption.measure} ${amount} is not ${exemption.op} ${exemption.amount}`;
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
        `${state.name}: ${tier.level} at ${condition.measure} ${condition.op} ${condition.amount}; it is ${amount}.${excluding(tier.excludes)}`,
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
  let rule: RenewalRule;
  if (renewal.kind === 'byRegistrationType') {
    const type = input.choice('registrationType', [...renewal.types.keys()]);
    rule = renewal.types.get(type) ?? input.refuse('registrationType', 'a known type');
  } else rule = renewal;
  reasoning.rely(fact, `the renewal date of ${state.name}`);
  const from = rule.kind === 'anniversaryOfRegistration' ? 'registrationDate' : 'fiscalYearEnd';
  if (from === 'registrationDate' && !input.has(from)) {
    input.refuse(
      from,
      `the day on which ${state.name} approved the registration or its last renewal, as YYYY-MM-DD,`,
    );
  }
  return renewalDate(reasoning, { state, rule, from: input.day(from) }, law).endWithDay();
}

/** Adds the steps from the year's end (or the registration) to the day on which the renewal is due. */
export function renewalDate(
  reasoning: Reasoning,
  subject: { readonly state: CharityState; readonly rule: RenewalRule; readonly from: Day },
  law: GrantsLaw,
): Reasoning {
  const { state, rule, from } = subject;
  const said = rule.kind === 'anniversaryOfRegistration' ? 'Registered or renewed' : 'Year ended';
  reasoning.start(from, `${said} on ${formatDay(from)}.`);
  applyRenewal(reasoning, { rule, from, source: state.source });
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
  { rule, from, source }: { rule: RenewalRule; from: Day; source: string },
): void {
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
      const day = thisYear > from ? thisYear : clampedDay(year + 1, rule.month, rule.day);
      reasoning.set(day, `The same date every year; the first one after the year's end.`, source);
      return;
    }
    case 'anniversaryOfRegistration':
      reasoning.addMonths(rule.months, 'same-number', {
        text: `${rule.months} months after the approval.`,
        citation: source,
      });
  }
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
