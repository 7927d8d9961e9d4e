/** The ingestion boundary: a record is accepted with its stamp, kept aside, or refused; always at once, with every reason. */
import {
  canonicalBytes,
  type Instant,
  type JsonValue,
  type Sha256Hex,
  sha256Of,
} from '../../../core/index.ts';
import type { GrantsLaw } from '../law.ts';
import { type AwardRecord, isNonDeterministic, type Violation } from './award-record.ts';
import { type AwardPayload, validateAward } from './award-schema.ts';
import { mapAward, type Mapping990 } from './mapping990.ts';
import { type ComplianceMetadata, stampMetadata } from './metadata.ts';

interface IngestionContext {
  readonly tenant: string;
  /** Who the document is, for ever the same: its number, or the hash of its bytes. */
  readonly sourceDocument: string;
  readonly now: Instant;
  readonly law: GrantsLaw;
  /** The key of the award that this document corrects, where a person sent it. */
  readonly replaces?: string;
}

export interface AcceptedAward {
  readonly kind: 'accepted';
  readonly payload: AwardPayload;
  readonly mapping: Mapping990 | undefined;
  readonly metadata: ComplianceMetadata;
  readonly written?: JsonValue;
}

export interface RefusedAward {
  /** `quarantined`: another reading could give another award. Neither is ever retried. */
  readonly kind: 'quarantined' | 'refused';
  readonly original: JsonValue;
  readonly violations: readonly Violation[];
  readonly metadata: ComplianceMetadata;
}

export type Ingested = (AcceptedAward | RefusedAward) & {
  readonly ordinal: number;
  readonly line: number;
};

export function ingestAward(record: AwardRecord, context: IngestionContext): Ingested {
  const { ordinal, line } = record;
  const { payload, violations: found } = validateAward(record, context.law);
  const mapped = payload['federal_alignment'] === true ? mapAward(payload, context.law) : undefined;
  const violations = mapped?.kind === 'refused' ? [...found, ...mapped.violations] : found;
  const stamp = {
    tenant: context.tenant,
    sourceDocument: context.sourceDocument,
    ordinal,
    at: context.now,
    ...(context.replaces !== undefined && { replaces: context.replaces }),
  };
  if (violations.length > 0) {
    const kind = isNonDeterministic(violations) ? 'quarantined' : 'refused';
    const state = kind === 'quarantined' ? 'quarantined_non_deterministic' : 'permanently_refused';
    const metadata = stampMetadata({
      ...stamp,
      payloadHash: hashOf(record.original),
      mappingHash: null,
      state,
    });
    return { kind, ordinal, line, original: record.original, violations, metadata };
  }
  const mapping = mapped?.kind === 'mapped' ? mapped.mapping : undefined;
  const metadata = stampMetadata({
    ...stamp,
    payloadHash: hashOf(payload),
    mappingHash: mapping?.hash ?? null,
    state: 'validated_transient_retry_eligible',
  });
  const { written } = record;
  return {
    kind: 'accepted',
    ordinal,
    line,
    payload,
    mapping,
    metadata,
    ...(written !== undefined && { written }),
  };
}

/** A refused original may hold fractions; an accepted payload holds whole numbers only. */
function hashOf(value: JsonValue): Sha256Hex {
  return sha256Of(canonicalBytes(value, { numbers: 'any' }));
}
