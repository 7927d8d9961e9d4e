/** The answer to a question about grants in words: the result, every step, the days beside it, and what is left to do. */
import type { JsonValue } from '../../core/index.ts';
import type { GrantsAnswer } from '../../grants/index.ts';
import { dollars } from './grants-arguments.ts';

/** Days that belong to the answer without being it. */
const BESIDES = ['projected_due', 'aim_for', 'submit_by', 'start_by'] as const;
const CENTS_KEYS = /^cents$|Cents$/;

export function evaluatedWords(id: string, answer: GrantsAnswer): string {
  return [
    `${id}: ${resultWords(answer.result)} (confidence ${answer.confidence}, rules ${answer.rule_version}${answer.calendar_version === null ? '' : `, calendar ${answer.calendar_version}`})`,
    ...answer.steps.map(
      ({ n, text, citation }) => `  ${n}. ${text}${citation === undefined ? '' : ` [${citation}]`}`,
    ),
    ...BESIDES.flatMap((name) => {
      const day = answer[name];
      return typeof day === 'string' ? [`  ${name}: ${day}`] : [];
    }),
    ...(answer.warnings ?? []).map((warning) => `  note: ${warning}`),
    ...(answer.task === undefined ? [] : [`  first: ${answer.task}`]),
  ].join('\n');
}

/** Money is written as money; JSON keeps whole cents. */
function resultWords(result: JsonValue): string {
  if (typeof result === 'string') return result;
  return JSON.stringify(result, (name, value: unknown) =>
    CENTS_KEYS.test(name) && typeof value === 'number' ? `$${dollars(value)}` : value,
  );
}
