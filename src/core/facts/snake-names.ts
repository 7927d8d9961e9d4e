import type { JsonValue } from '../canonical-json.ts';

/** `penaltyFreeUntil` as the ledger spells it. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The same values under names in snake_case, at every depth; for what a check measured, where each has its own names. */
export function snakeNames(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(snakeNames);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [snakeCase(name), snakeNames(one)]),
  );
}
