/** The shipped law and small shorthands for the grants tests. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  answerOf,
  evaluateGrantsCase,
  type GrantsAnswer,
} from '../../src/grants/rules/evaluate.ts';
import type { Evaluation } from '../../src/grants/rules/reasoning.ts';
import { grantsLawFrom } from '../../src/grants/rules/law.ts';
import { FilewrightError } from '../../src/core/errors.ts';
import { shippedLaw } from '../../src/system/law-files.ts';

export const grantsLaw = grantsLawFrom(shippedLaw());

export interface GoldenCase {
  readonly id: string;
  readonly kind: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly expected: unknown;
  readonly confidence: string;
}

export function goldenCases(book: 'grants' | 'grants-2' = 'grants'): readonly GoldenCase[] {
  const file = join(import.meta.dirname, `../golden/${book}.golden.json`);
  // The file is ours and its form is stated beside it.
  return (JSON.parse(readFileSync(file, 'utf8')) as { cases: GoldenCase[] }).cases;
}

export function evaluation(kind: string, input: unknown): Evaluation {
  return evaluateGrantsCase({ kind, input }, grantsLaw);
}

export function answer(kind: string, input: unknown): GrantsAnswer {
  return answerOf(evaluation(kind, input));
}

export function resultOf(kind: string, input: unknown): unknown {
  return evaluation(kind, input).result;
}

/** Code and message of the refusal; fails the test when there is an answer instead. */
export function refusal(kind: string, input: unknown): string {
  try {
    const { result } = evaluation(kind, input);
    return `answered ${JSON.stringify(result)}`;
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    return `${error.code} ${error.message}`;
  }
}
