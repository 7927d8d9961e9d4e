/** Fields of a case as they come from a line of JSON: null means absent, anything unusable is refused by name. */
import { type Day, DAY_EXPECTED, parseDay } from '../../../calendar/index.ts';
import { badCase } from '../../../core/index.ts';

export type CaseInput = Readonly<Record<string, unknown>>;

export function refuseCase(field: string, expected: string, found: unknown): never {
  throw badCase(
    `${field}: expected ${expected}, found ${found === undefined ? 'nothing' : JSON.stringify(found)}`,
    { details: { field } },
  );
}

export function textField(input: CaseInput, field: string): string | undefined {
  const value = input[field] ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  return refuseCase(field, 'a text', value);
}

export function choiceField<Choice extends string>(
  input: CaseInput,
  field: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = input[field] ?? undefined;
  if (value === undefined) return undefined;
  const found = choices.find((choice) => choice === value);
  return found ?? refuseCase(field, `one of ${choices.join(', ')}`, value);
}

export function dayField(input: CaseInput, field: string): Day | undefined {
  const value = input[field] ?? undefined;
  if (value === undefined) return undefined;
  const day = typeof value === 'string' ? parseDay(value) : undefined;
  return day ?? refuseCase(field, DAY_EXPECTED, value);
}

export function neededDay(input: CaseInput, field: string): Day {
  return dayField(input, field) ?? refuseCase(field, DAY_EXPECTED, input[field] ?? undefined);
}

export function flagField(input: CaseInput, field: string): boolean {
  const value = input[field] ?? false;
  return typeof value === 'boolean' ? value : refuseCase(field, 'true or false', value);
}
