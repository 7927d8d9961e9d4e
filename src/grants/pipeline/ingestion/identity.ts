/** When two documents tell of the same award. */
import { type JsonValue, sha256Of } from '../../../core/index.ts';
import type { AwardPayload } from '../../rules/intake/award-schema.ts';

/** What makes it one award; with the same of these, another content is a contradiction. */
const FIELDS = ['grantor_id', 'award_id', 'fiscal_year', 'expected_on', 'reference'] as const;

/** Hex; undefined without a number of the award, because nothing then says whether two equal ones are one. */
export function identityOf(payload: AwardPayload): string | undefined {
  if (payload['award_id'] === undefined) return undefined;
  const values: JsonValue[] = FIELDS.map((field) => payload[field] ?? null);
  return sha256Of(JSON.stringify(values));
}
