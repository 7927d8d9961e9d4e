import type { Step } from './filing.ts';

const NUMBERS: Readonly<Record<Step['action'], readonly string[]>> = {
  send: [],
  resend: ['firstSentAt', 'lastSentAt'],
  ask: ['firstSentAt', 'lastSentAt', 'unclear'],
  poll: ['firstSentAt', 'lastSentAt', 'until', 'unclear'],
};
const CAUSES: ReadonlySet<unknown> = new Set(['unknown', 'conflict', 'throttled']);

/**
 * A step as it was stored. Undefined when it is none: somebody else than the product has written it, and one such row must
 * not end every worker that claims it.
 */
export function readStep(value: unknown): Step | undefined {
  if (typeof value !== 'object' || value === null || !('action' in value)) return undefined;
  const { action } = value;
  if (typeof action !== 'string' || !isAction(action)) return undefined;
  // Narrowed above; each field is looked at before it is believed.
  const fields = value as Readonly<Record<string, unknown>>;
  if (!NUMBERS[action].every((name) => Number.isFinite(fields[name]))) return undefined;
  if (action === 'ask' && !CAUSES.has(fields['cause'])) return undefined;
  if (!isAbsentOr('number', fields['notFoundAt'])) return undefined;
  if (!isAbsentOr('string', fields['submissionId'])) return undefined;
  // All that a Step of this action has was found.
  return value as Step;
}

function isAction(text: string): text is Step['action'] {
  return Object.hasOwn(NUMBERS, text);
}

function isAbsentOr(type: 'number' | 'string', value: unknown): boolean {
  return value === undefined || typeof value === type;
}
