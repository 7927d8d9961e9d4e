export type { Alarm, AlarmCode } from './alarm.ts';
export {
  answerInstallments,
  answerLate,
  answerTax,
  type InstallmentsAnswer,
  type LateAnswer,
  type TaxAnswer,
} from './delaware-answer.ts';
export { type DelawareRates, readDelawareRates } from './delaware-rates.ts';
export { DATE_CHOICES, type EntityCase, readEntityCase, TAX_CLASSES } from './entity-case.ts';
export type { FilingRule } from './filing-rule.ts';
export { answerObligation, type ObligationAnswer } from './obligation-answer.ts';
export { computeObligation, type EntityLaw, type Obligation } from './obligation.ts';
export { type EntityRules, readEntityRules } from './read-entity-rules.ts';
export { cadenceWords, dueWords, windowWords } from './rule-words.ts';
