export {
  type EntityDetail,
  type EntityView,
  countEntities,
  viewEntities,
  viewEntity,
} from './acts/entities.ts';
export { type IssuedIcs, issueIcs } from './acts/ics.ts';
export { importRegister, type RegisterReport } from './acts/import.ts';
export { registerLaw, today } from './acts/law.ts';
export type { Move } from './acts/obligation-move.ts';
export { applyPlans, planObligations } from './acts/obligation-plan.ts';
export { listObligations } from './acts/obligations.ts';
export { type Recomputation, recompute } from './acts/recompute.ts';
export { confirmedColumns, rememberColumns } from './acts/sheet-memory.ts';
export { openRecord } from './acts/sealed-record.ts';
export { gateAtSend } from './rules/gates-at-send.ts';
export type { GateChange, LawGates, Payload } from './rules/gates-report.ts';
export { type EntityGates, entityGates } from './rules/gates.ts';
export { lawGates } from './rules/law-gates/law-gates.ts';
export * from './rules/law/delaware-answer.ts';
export { answerEntityTax, TAX_KINDS } from './rules/law/taxes/answer-tax.ts';
export type { EntityTaxAnswer } from './rules/law/taxes/tax-course.ts';
export { readTaxLaw } from './rules/law/taxes/tax-law.ts';
export { type DelawareRates, readDelawareRates } from './rules/law/delaware-rates.ts';
export type { FilingRule } from './rules/law/filing-rule.ts';
export { answerObligation, type ObligationAnswer } from './rules/law/obligation-answer.ts';
export { readEntityRules } from './rules/law/read-entity-rules.ts';
export { cadenceWords, dueWords, windowWords } from './rules/law/rule-words.ts';
export type { EntityRecord } from './rules/register/entity-record.ts';
export {
  type LaterRecord,
  laterRecord,
  laterRecordWords,
} from './rules/register/later-record.ts';
export type { RegisterLaw } from './rules/register/owed.ts';
export { type RailShare, railShare } from './rules/register/payment-rail.ts';
export { entityRowReader } from './rules/row-reader.ts';
export { comparedRegister } from './store/compared-rows.ts';
export { findEntities, lockRegister } from './store/entities.ts';
export {
  entitiesOfFilings,
  obligationsOf,
  type ObligationState,
  type StoredObligation,
  storedObligations,
} from './store/obligations.ts';
export * from './store/unfiled.ts';
