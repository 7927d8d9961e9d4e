/** State charity renewals that fall due for the fiscal years of an award. */
import { type Day, sameNumberDay } from '../../calendar/index.ts';
import {
  type Award,
  type AwardObligation,
  type CharityRegistration,
  obligationOf,
  type UndatedObligation,
} from './award.ts';
import { renewalDate } from './charity-renewal.ts';
import { standingFact } from './charity.ts';
import type { CharityState, RenewalRule } from './charity-law.ts';
import type { GrantsLaw } from './law.ts';
import { Reasoning } from './reasoning.ts';

type Owed =
  | { readonly kind: 'dated'; readonly state: CharityState; readonly rule: RenewalRule }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'undated'; readonly reason: string };

export function charityRenewals(
  award: Award,
  yearEnds: readonly Day[],
  law: GrantsLaw,
): {
  readonly obligations: readonly AwardObligation[];
  readonly undated: readonly UndatedObligation[];
} {
  const obligations: AwardObligation[] = [];
  const undated: UndatedObligation[] = [];
  for (const registration of award.charityStates ?? []) {
    const owed = owedTo(registration, law);
    if (owed.kind === 'undated') {
      const kind = 'charity.renewal';
      const jurisdiction = registration.state;
      const key = ['organization', award.organization, jurisdiction, kind].join('/');
      undated.push({ key, kind, jurisdiction, reason: owed.reason });
    }
    if (owed.kind !== 'dated') continue;
    const { state, rule } = owed;
    for (const from of startsOf(rule, registration, yearEnds)) {
      obligations.push(renewal(award, { kind: 'charity.renewal', state, rule, from }, law));
    }
    const expires = state.registrationExpires;
    if (expires === undefined) continue;
    for (const from of yearEnds) {
      const kind = 'charity.registrationExpires';
      obligations.push(renewal(award, { kind, state, rule: expires, from }, law));
    }
  }
  return { obligations, undated };
}

/** What the registration owes; a date that cannot be known is told, never left out. */
function owedTo(registration: CharityRegistration, law: GrantsLaw): Owed {
  const state = law.charity.states.get(registration.state);
  if (state === undefined) return undatedFor('the registration table has no such state');
  const { renewal, name } = state;
  if (renewal === undefined) {
    return state.generalRegistration === 'no' || state.generalRegistration === 'repealed'
      ? { kind: 'nothing' }
      : undatedFor(`the renewal cycle of ${name} is not known; ask the state`);
  }
  if (renewal.kind === 'byRegistrationType') {
    const rule = renewal.types.get(registration.registrationType ?? '');
    return rule === undefined
      ? undatedFor(
          `${name} renews by registrationType: one of ${[...renewal.types.keys()].join(', ')}`,
        )
      : { kind: 'dated', state, rule };
  }
  if (renewal.kind === 'byForm' || needsFiling(renewal)) {
    return undatedFor(
      `${name} counts from the filing with the IRS or from its certificate: ask grants evaluate (charity.renewalDue) once that day is known`,
    );
  }
  if (renewal.kind === 'anniversaryOfRegistration' && registration.registrationDate === undefined) {
    return undatedFor(`${name} counts from the registration: registrationDate is required`);
  }
  return { kind: 'dated', state, rule: renewal };
}

/** Dates that no year's end gives: the award's calendar cannot know them ahead. */
function needsFiling({ kind }: RenewalRule): boolean {
  return (
    kind === 'businessDaysAfterIrsFiling' ||
    kind === 'sameDayAsIrsFiling' ||
    kind === 'expirationOnCertificate'
  );
}

function undatedFor(reason: string): Owed {
  return { kind: 'undated', reason };
}

/** The days from which the rule counts: each year's end, or the registration and its anniversaries until the last year's end. */
function startsOf(
  rule: RenewalRule,
  registration: CharityRegistration,
  yearEnds: readonly Day[],
): readonly Day[] {
  if (rule.kind !== 'anniversaryOfRegistration') return yearEnds;
  const { registrationDate } = registration;
  const last = yearEnds.at(-1);
  if (registrationDate === undefined || last === undefined) return [];
  const starts: Day[] = [];
  for (let months = 0; ; months += rule.months) {
    const from = sameNumberDay(registrationDate, months);
    if (from > last) return starts;
    starts.push(from);
  }
}

function renewal(
  award: Award,
  owed: {
    readonly kind: string;
    readonly state: CharityState;
    readonly rule: RenewalRule;
    readonly from: Day;
  },
  law: GrantsLaw,
): AwardObligation {
  const { kind, state, rule, from } = owed;
  const reasoning = new Reasoning(law.charity.version).rely(
    standingFact(state, 'renewal'),
    `the renewal date of ${state.name}`,
  );
  renewalDate(reasoning, { state, rule, from }, law);
  const subject = { scope: 'organization', id: award.organization } as const;
  return obligationOf(subject, { kind, periodEnd: from, reasoning, jurisdiction: state.state });
}
