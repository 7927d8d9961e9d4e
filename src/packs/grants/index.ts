export type {
  Award,
  AwardCalendar,
  AwardObligation,
  AwardTerms,
  CharityRegistration,
  ReportingFrequency,
  UndatedObligation,
} from './award.ts';
export { awardCalendar, fiscalYearEnds } from './award-calendar.ts';
export { interimPeriodEnds } from './award-reports.ts';
export { answerOf, evaluateGrantsCase, GRANTS_KINDS, type GrantsAnswer } from './evaluate.ts';
export { type GrantsLaw, grantsLawFrom, type LawLibrary } from './law.ts';
export type { Evaluation, Reason, Statement } from './reasoning.ts';
