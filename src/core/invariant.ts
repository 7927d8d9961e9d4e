import { FilewrightError } from './errors.ts';

/** Says that a property holds, and stops before anything is written when it does not. */
export function invariant(
  holds: boolean,
  message: string,
  details: Readonly<Record<string, string | number>> = {},
): asserts holds {
  if (!holds) throw new FilewrightError('BROKEN_INVARIANT', message, { details });
}
