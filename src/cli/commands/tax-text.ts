/** A tax of an entity in words: the result, its steps, and what it rests on. */
import type { EntityTaxAnswer } from '../../entities/index.ts';

export function showEntityTax(id: string, answer: EntityTaxAnswer): string {
  const { result } = answer;
  return [
    `${id}  ${answer.tax}  ${typeof result === 'object' ? JSON.stringify(result) : String(result)}`,
    ...answer.steps.map(
      ({ n, text, citation }) =>
        `    ${n}. ${text}${citation === undefined ? '' : ` [${citation}${answer.citation_basis === 'memory' ? ', from memory' : ''}]`}`,
    ),
    ...(answer.task === undefined ? [] : [`    first: ${answer.task}`]),
    ...(answer.warnings ?? []).map((warning) => `    note: ${warning}`),
    ...(answer.note === undefined ? [] : [`    note: ${answer.note}`]),
    `    confidence ${answer.confidence} (basis: ${answer.verified}), rules ${answer.rule_version}`,
  ].join('\n');
}
