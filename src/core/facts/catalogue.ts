/** Every type of fact that the ledger may hold, with its fields. `docs/reference/facts.md` is generated from it. */
import type { JsonValue } from '../canonical-json.ts';
import { invariant } from '../invariant.ts';
import { DOCKET_FACTS } from './docket-facts.ts';
import { FILING_FACTS } from './filing-facts.ts';
import { GRANT_FACTS } from './grant-facts.ts';
import { HOUSE_FACTS } from './house-facts.ts';
import { type DataOf, type FactShape, faultIn } from './shape.ts';

export const FACTS = { ...FILING_FACTS, ...DOCKET_FACTS, ...GRANT_FACTS, ...HOUSE_FACTS } as const;

export type FactType = keyof typeof FACTS;
export type FactDataOf<Type extends FactType> = DataOf<(typeof FACTS)[Type]['fields']>;

/** A breaker's change, by the state that it comes to. */
export const BREAKER_FACT = {
  open: 'breaker.opened',
  half_open: 'breaker.half_open',
  closed: 'breaker.closed',
} as const;

export function isFactType(type: string): type is FactType {
  return Object.hasOwn(FACTS, type);
}

/**
 * Throws where a field is unknown or of another kind: a moment as a number, or a name in another spelling, would stay in
 * the ledger for ever, and whoever reads it by its right name would find nothing.
 */
export function requireFitting(type: string, data: Readonly<Record<string, JsonValue>>): void {
  if (!isFactType(type)) return;
  const shape: FactShape = FACTS[type];
  const fault = faultIn(data, shape.fields);
  invariant(fault === undefined, `Expected a fact ${type} as facts.md describes it; ${fault}.`);
}

let isStrict = false;

/** For tests and simulations: from now on a fact that does not fit is an error. */
export function refuseMisfits(): void {
  isStrict = true;
}

/**
 * Asked by every store that writes facts. Where filings are at stake nothing is refused: a fact of what has happened, in a
 * form that nobody foresaw, is worth more than none.
 */
export function checkFact(type: string, data: Readonly<Record<string, JsonValue>>): void {
  if (isStrict) requireFitting(type, data);
}
