/** Thresholds that a year's money crosses: on which day, by which expected payment, and what is owed from then on. */
import { type Day, formatDay, sameNumberDay } from '../../calendar/index.ts';
import type { JsonValue } from '../../core/index.ts';
import type { CharityState } from './charity-law.ts';
import { charityState, holds, standingFact } from './charity.ts';
import { singleAuditDate } from './federal.ts';
import type { GrantsLaw } from './law.ts';
import { type Evaluation, Reasoning } from './reasoning.ts';

/** Money that counts towards a measure, on the day on which it counts. */
export interface MeasuredAmount {
  readonly id: string;
  readonly on: Day;
  readonly cents: bigint;
}

export interface Crossing {
  /** `charity.registration` with its state, or `singleAudit`. */
  readonly kind: string;
  readonly jurisdiction: string;
  readonly measure: string;
  readonly thresholdDollars: number;
  /** The day and the amount with which the threshold was crossed. */
  readonly on: string;
  readonly by: string;
  readonly totalCents: string;
  /** What follows, in words, and its date where the law gives one. */
  readonly obligation: string;
  readonly due: string | undefined;
  readonly evaluation: Evaluation;
}

interface FirstAbove {
  readonly amount: MeasuredAmount;
  readonly totalCents: bigint;
}

/** How far back from the first day of a fiscal year money may count: no exemption looks at more months than these. */
export const MONTHS_BEFORE_YEAR = 12;

/**
 * The first amount with which the running total meets `reached`; equal days in order of id. Amounts before `from` cross
 * nothing; they count only where any `months` do, which end with the amount in question.
 */
function firstAbove(
  amounts: readonly MeasuredAmount[],
  reached: (totalCents: bigint) => boolean,
  { from, months }: { readonly from?: Day | undefined; readonly months?: number | undefined } = {},
): FirstAbove | undefined {
  const sorted = amounts.toSorted(
    (one, other) => one.on - other.on || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0),
  );
  let totalCents = 0n;
  let oldest = 0;
  for (const amount of sorted) {
    const isInYear = from === undefined || amount.on >= from;
    if (!isInYear && months === undefined) continue;
    totalCents += amount.cents;
    if (months !== undefined) {
      const before = sameNumberDay(amount.on, -months);
      for (let old = sorted[oldest]; old !== undefined && old.on <= before; old = sorted[oldest]) {
        totalCents -= old.cents;
        oldest += 1;
      }
    }
    if (isInYear && reached(totalCents)) return { amount, totalCents };
  }
  return undefined;
}

/**
 * Undefined where the state registers nobody by size, or the total stays within the exemption. Amounts may reach
 * `MONTHS_BEFORE_YEAR` back before `from`, the first day of the fiscal year.
 */
export function registrationCrossing(
  code: string,
  amountsOf: Readonly<Record<string, readonly MeasuredAmount[]>>,
  law: GrantsLaw,
  from?: Day,
): Crossing | undefined {
  const state = charityState(code, law, 'states');
  if (state.generalRegistration !== 'yes') return undefined;
  const { exemption } = state;
  const measure = exemption?.measure ?? 'contributions';
  const months = exemption?.anyMonths;
  const reached = (cents: bigint): boolean => isAbove(state, cents);
  const first = firstAbove(amountsOf[measure] ?? [], reached, { from, months });
  if (first === undefined) return undefined;
  const { amount, totalCents } = first;
  const threshold = exemption?.amount ?? 0;
  const within = exemption?.registerWithinDays;
  const reasoning = new Reasoning(law.charity.version)
    .rely(standingFact(state, 'registration'), `the registration rule of ${state.name}`)
    .start(
      amount.on,
      `${state.name}: with ${amount.id} ${measure}${months === undefined ? '' : ` of ${months} months`} come to ${totalCents} cents; the exemption covers only ${exemption === undefined ? 'nothing' : `${exemption.op} ${threshold} dollars`}.`,
    );
  if (within !== undefined) {
    const text = `Registration within ${within} calendar days of exceeding it; this date does not roll.`;
    reasoning.addDays(within, text, state.source);
  }
  const due = within === undefined ? undefined : formatDay(reasoning.day);
  const evaluation = reasoning
    .task(`Attach the registration check of ${state.name}`)
    .end({ state: code, measure, on: formatDay(amount.on) } satisfies JsonValue);
  return {
    kind: 'charity.registration',
    jurisdiction: code,
    measure,
    thresholdDollars: threshold,
    on: formatDay(amount.on),
    by: amount.id,
    totalCents: String(totalCents),
    obligation: `Register with the charity regulator of ${state.name} before further solicitation`,
    due,
    evaluation,
  };
}

/** What must be confirmed before "not crossed" may be believed: a rule that nobody has read decides nothing. */
export function registrationTasks(code: string, law: GrantsLaw): readonly string[] {
  const state = charityState(code, law, 'states');
  return new Reasoning(law.charity.version)
    .rely(
      standingFact(state, 'registration'),
      `the registration rule of ${state.name}, by which nothing was crossed`,
    )
    .end(null).tasks;
}

/** Compared in dollars and cents: a total one cent above the amount is above it. */
function isAbove({ exemption }: CharityState, cents: bigint): boolean {
  if (exemption === undefined) return cents > 0n;
  // Exact: totals of a state's threshold are far below the numbers that a double holds.
  return !holds(exemption, Number(cents) / 100);
}

// 2 CFR 200.501 and 200.512: federal expenditures of a fiscal year, by the start of that year.
export function singleAuditCrossing(
  year: { readonly start: Day; readonly end: Day },
  expenditures: readonly MeasuredAmount[],
  law: GrantsLaw,
): Crossing | undefined {
  const { thresholds, atThreshold } = law.federal.singleAudit;
  const threshold = thresholds.find(({ from }) => from === undefined || year.start >= from);
  if (threshold === undefined) return undefined;
  const inYear = expenditures.filter(({ on }) => on >= year.start && on <= year.end);
  const reached = (cents: bigint): boolean => cents >= BigInt(threshold.amount) * 100n;
  const first = firstAbove(inYear, reached);
  // Money that was given back is not spent: the year's own total decides.
  if (first === undefined || !reached(inYear.reduce((sum, { cents }) => sum + cents, 0n))) {
    return undefined;
  }
  const reasoning = singleAuditDate({ fiscalYearEnd: year.end, reportReceived: undefined }, law)
    .rely(threshold, 'the threshold')
    .say(
      `With ${first.amount.id} on ${formatDay(first.amount.on)} federal expenditures come to ${first.totalCents} cents; the threshold is ${threshold.amount} dollars.`,
      threshold.source,
    );
  if (first.totalCents === BigInt(threshold.amount) * 100n) {
    reasoning.rely(atThreshold, 'that the exact amount already requires the audit');
  }
  const evaluation = reasoning.endWithDay();
  return {
    kind: 'singleAudit',
    jurisdiction: 'US',
    measure: 'federalExpenditures',
    thresholdDollars: threshold.amount,
    on: formatDay(first.amount.on),
    by: first.amount.id,
    totalCents: String(first.totalCents),
    obligation: `Single audit of the year that ends on ${formatDay(year.end)}`,
    due: formatDay(reasoning.day),
    evaluation,
  };
}

/** The check that a person attached: that the organisation is registered, or why it need not be. */
interface RegistrationCheck {
  readonly jurisdiction: string;
  readonly checkedOn: Day;
  readonly evidence: string;
}

type Release =
  | { readonly kind: 'pass' }
  | { readonly kind: 'blocked'; readonly reasons: readonly string[] };

/** A state's threshold that was crossed keeps the payload at the boundary until its check is attached. */
export function releaseAfter(
  crossings: readonly Crossing[],
  checks: readonly RegistrationCheck[],
): Release {
  const reasons = crossings
    .filter(({ kind }) => kind === 'charity.registration')
    .filter(
      ({ jurisdiction, on }) =>
        !checks.some(
          (check) =>
            check.jurisdiction === jurisdiction &&
            check.evidence.trim() !== '' &&
            // A check from before the crossing has not seen it.
            formatDay(check.checkedOn) >= on,
        ),
    )
    .map(
      ({ jurisdiction, on, by, measure, thresholdDollars }) =>
        `${jurisdiction}: ${measure} exceeded $${thresholdDollars} on ${on} (${by}); attach the registration check`,
    );
  return reasons.length === 0 ? { kind: 'pass' } : { kind: 'blocked', reasons };
}
