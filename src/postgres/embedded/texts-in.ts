import { invariant } from '../../core/index.ts';

/**
 * The named texts of a small JSON object. By hand, because the library that checks whole documents takes longer to load
 * than a reading command may take, and every thread that opens a connection would load it.
 */
export function textsIn<Name extends string>(
  value: unknown,
  names: readonly Name[],
): Record<Name, string> {
  const found = Object.entries(Object(value)).filter(
    (field): field is [Name, string] =>
      names.some((name) => name === field[0]) && typeof field[1] === 'string',
  );
  invariant(found.length === names.length, `Expected the texts ${names.join(', ')}.`);
  // Each name was counted once above.
  return Object.fromEntries(found) as Record<Name, string>;
}
