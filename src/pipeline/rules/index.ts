export { evaluateRules, type RulesParts } from './evaluate-rules.ts';
