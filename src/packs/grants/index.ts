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
export { retainedUntil } from './award-retention.ts';
export { charityState } from './charity.ts';
export {
  type Crossing,
  type Handoff,
  handoffAfter,
  type MeasuredAmount,
  MONTHS_BEFORE_YEAR,
  type RegistrationCheck,
  registrationCrossing,
  registrationTasks,
  singleAuditCrossing,
} from './crossings.ts';
export { answerOf, evaluateGrantsCase, GRANTS_KINDS, type GrantsAnswer } from './evaluate.ts';
export * from './feeds/index.ts';
export { type FiscalYear, fiscalYearsBetween, readYearEnd } from './fiscal-year.ts';
export * from './intake/index.ts';
export { type GrantsLaw, grantsLawFrom, type LawLibrary } from './law.ts';
export * from './matching/index.ts';
export * from './obligations/index.ts';
export type { Evaluation, Reason, Statement } from './reasoning.ts';
export * from './reporting/index.ts';
export {
  checkSubawards,
  type SubawardAnswer,
  type Subaward,
  type SubawardQuestion,
  type SubawardTerms,
} from './subawards.ts';
