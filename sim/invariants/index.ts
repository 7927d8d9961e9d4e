/**
 * The promises, as rules over evidence. No rule calls the product: states, formats and bounds are read from the design
 * and written down again here, so that a mistake in the code cannot hide itself.
 */
import type { Evidence, Violation } from '../evidence.ts';
import { Book, type Rule } from './book.ts';
import { END_RULES } from './ends.ts';
import { EXCEPTION_RULES } from './exceptions.ts';
import { FLOW_RULES } from './flow.ts';
import { LANE_RULES } from './lanes.ts';
import { LEDGER_RULES } from './ledger.ts';
import { SENDING_RULES } from './sending.ts';
import { SETTLING_RULES } from './settling.ts';
import { TRUTH_RULES } from './truth.ts';

export const RULES: readonly Rule[] = [
  ...END_RULES,
  ...SENDING_RULES,
  ...SETTLING_RULES,
  ...LANE_RULES,
  ...EXCEPTION_RULES,
  ...LEDGER_RULES,
  ...TRUTH_RULES,
  ...FLOW_RULES,
];

export function checkAll(evidence: Evidence): readonly Violation[] {
  const book = new Book(evidence);
  return RULES.flatMap(({ name, check }) =>
    check(book).map((detail) => ({ invariant: name, detail })),
  );
}
