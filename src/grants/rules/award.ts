/** An award and what it brings with it, as values. */
import {
  type Confidence,
  type Day,
  formatDay,
  parseDay,
  sameNumberDay,
} from '../../calendar/index.ts';
import type { YearEnd } from './fiscal-year.ts';
import type { Form } from './form990-law.ts';
import type { Reason, Reasoning } from './reasoning.ts';

export type ReportingFrequency = 'quarterly' | 'semiannual' | 'annual';

/** What the terms of an award may set otherwise than 2 CFR 200. */
export type TermedReport =
  | 'sf425.interim'
  | 'sf425.final'
  | 'performance.interim'
  | 'performance.final'
  | 'liquidation';

/** Longer awards do not exist; a period of centuries is a typing mistake that would fill the calendar. */
export const AWARD_YEARS_MAX = 50;

/** For days as an award document writes them; what is no day is for others to refuse. */
export function isWithinAwardYears(start: string, end: string): boolean {
  const first = parseDay(start);
  const last = parseDay(end);
  return first === undefined || last === undefined || last <= lastAwardDay(first);
}

export function lastAwardDay(start: Day): Day {
  return sameNumberDay(start, AWARD_YEARS_MAX * 12);
}

export interface AwardTerms {
  readonly offsetDays?: Readonly<Partial<Record<TermedReport, number>>>;
  /** `calendar`: quarters end with March, June, September, December; `from-start`: counted from the award's first day. */
  readonly reportingPeriods?: 'calendar' | 'from-start';
  /** Whether report dates move on to the next federal business day. */
  readonly rollForward?: boolean;
}

export interface CharityRegistration {
  readonly state: string;
  readonly registrationType?: string;
  /** Approval or last renewal, for states that count from it. */
  readonly registrationDate?: Day;
}

export interface Award {
  readonly awardId: string;
  /** UEI or EIN: what the organisation owes once must not appear once for each award. */
  readonly organization: string;
  readonly role: 'recipient' | 'subrecipient';
  readonly periodStart: Day;
  readonly periodEnd: Day;
  readonly reportingFrequency: ReportingFrequency;
  /** The same as the financial reports unless told. */
  readonly performanceFrequency?: ReportingFrequency;
  readonly guidanceVersion: string;
  readonly fiscalYearEnd: YearEnd;
  readonly return990?: { readonly form: Form; readonly extended: boolean };
  readonly charityStates?: readonly CharityRegistration[];
  readonly finalReportsReceived?: Day;
  readonly terms?: AwardTerms;
}

export interface AwardObligation {
  /** Identity: subject, kind and period; never the date, which may move. */
  readonly key: string;
  readonly kind: string;
  readonly jurisdiction: string;
  readonly reference: string;
  readonly periodEnd: Day;
  readonly due: Day;
  readonly reasons: readonly Reason[];
  readonly confidence: Confidence;
  readonly tasks: readonly string[];
  readonly ruleVersion: string;
  /** Undefined where no calendar was asked. */
  readonly calendarVersion: string | undefined;
  /** Set where the obligation exists only if something more is true. */
  readonly condition?: string;
}

/** Something is owed, and its date cannot be computed. */
export interface UndatedObligation {
  readonly key: string;
  readonly kind: string;
  readonly jurisdiction: string;
  readonly reason: string;
}

export interface AwardCalendar {
  readonly obligations: readonly AwardObligation[];
  readonly undated: readonly UndatedObligation[];
}

/** Who owes it: what an organisation owes once must not hang on one of its awards. */
export interface ObligationSubject {
  readonly scope: 'award' | 'organization';
  readonly id: string;
}

export function obligationOf(
  subject: ObligationSubject,
  owed: {
    readonly kind: string;
    readonly periodEnd: Day;
    readonly reasoning: Reasoning;
    /** The United States unless told. */
    readonly jurisdiction?: string;
  },
): AwardObligation {
  const { kind, periodEnd, reasoning, jurisdiction = 'US' } = owed;
  const { reasons, confidence, tasks, ruleVersion, calendarVersion } = reasoning.endWithDay();
  return {
    key: [subject.scope, subject.id, jurisdiction, kind, formatDay(periodEnd)].join('/'),
    kind,
    jurisdiction,
    reference: subject.id,
    periodEnd,
    due: reasoning.day,
    reasons,
    confidence,
    tasks,
    ruleVersion,
    calendarVersion,
  };
}
