import { canonicalText, type JsonValue, sha256Of } from '../../../core/index.ts';

/** What was read of a docket event, by its hash: the ledger has it, and the row is held against it. */
export function readHash(docket: JsonValue): string {
  return sha256Of(canonicalText(docket, { numbers: 'any' }));
}
