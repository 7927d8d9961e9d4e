/** State charity registration: whether, and with which statements. */
import { formatDay } from '../../calendar/index.ts';
import { FilewrightError } from '../../core/index.ts';
import type { CaseInput } from './case-input.ts';
import type { CharityState, Condition } from './charity-law.ts';
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

export function stateOf(input: CaseInput, law: GrantsLaw): CharityState {
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
