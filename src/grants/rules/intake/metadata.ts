/** Compliance metadata: stamped once, never changed. Whatever happens later is a further record that names the one before. */
import {
  canonicalBytes,
  type Instant,
  invariant,
  type JsonValue,
  keyOf,
  type Sha256Hex,
  sha256Of,
  toRfc3339,
} from '../../../core/index.ts';

type Boundary = 'ingestion' | 'reconciliation' | 'rules' | 'reporting' | 'fallback';

export type ComplianceState =
  | 'validated_transient_retry_eligible'
  | 'quarantined_non_deterministic'
  | 'permanently_refused'
  | 'reconciling'
  | 'reconciled'
  | 'manual_review_required';

export type ComplianceMetadata = {
  readonly idempotency_key: string;
  readonly payload_hash: Sha256Hex;
  readonly ingestion_timestamp: string;
  readonly boundary: Boundary;
  readonly compliance_state: ComplianceState;
  readonly attempt_count: number;
  /** Of the frozen mapping to the return; null where federal alignment does not apply. */
  readonly mapping_hash: Sha256Hex | null;
  /** Of the record before this one; null for the first. */
  readonly previous_hash: Sha256Hex | null;
  /** Where a person sent a corrected document: the key of the award that it replaces. */
  readonly replaces: string | null;
};

interface Stamp {
  readonly tenant: string;
  readonly sourceDocument: string;
  /** Line of the award in its document, from 1: equal awards on two lines are two awards. */
  readonly ordinal: number;
  readonly payloadHash: Sha256Hex;
  readonly mappingHash: Sha256Hex | null;
  readonly state: ComplianceState;
  readonly at: Instant;
  readonly replaces?: string;
}

/** The key hangs on document, line and content, never on the clock: a retry repeats it. */
export function stampMetadata(stamp: Stamp): ComplianceMetadata {
  return Object.freeze({
    idempotency_key: keyOf(
      {
        pack: 'grants',
        tenant: stamp.tenant,
        sourceDocument: stamp.sourceDocument,
        lineOrdinal: stamp.ordinal,
        contentSha256: stamp.payloadHash,
      },
      1,
    ),
    payload_hash: stamp.payloadHash,
    ingestion_timestamp: toRfc3339(stamp.at),
    boundary: 'ingestion',
    compliance_state: stamp.state,
    attempt_count: 0,
    mapping_hash: stamp.mappingHash,
    previous_hash: null,
    replaces: stamp.replaces ?? null,
  });
}

export function metadataHash(metadata: ComplianceMetadata): Sha256Hex {
  const fields: { readonly [name: string]: JsonValue } = { ...metadata };
  return sha256Of(canonicalBytes(fields));
}

/** What a later boundary adds; key, payload and mapping stay what they were. */
export function appendMetadata(
  before: ComplianceMetadata,
  update: Pick<ComplianceMetadata, 'boundary' | 'compliance_state' | 'attempt_count'>,
): ComplianceMetadata {
  invariant(
    update.attempt_count >= before.attempt_count,
    `attempts never become fewer: ${before.attempt_count}, then ${update.attempt_count}`,
  );
  const { boundary, compliance_state, attempt_count } = update;
  const previous_hash = metadataHash(before);
  return Object.freeze({ ...before, boundary, compliance_state, attempt_count, previous_hash });
}

/** The place of the first record that does not follow from the one before it; undefined when the chain holds. */
export function brokenAt(chain: readonly ComplianceMetadata[]): number | undefined {
  let before: ComplianceMetadata | undefined;
  for (const [index, metadata] of chain.entries()) {
    const expected = before === undefined ? null : metadataHash(before);
    const isSameAward =
      before === undefined ||
      (metadata.idempotency_key === before.idempotency_key &&
        metadata.payload_hash === before.payload_hash &&
        metadata.mapping_hash === before.mapping_hash &&
        metadata.ingestion_timestamp === before.ingestion_timestamp &&
        metadata.attempt_count >= before.attempt_count);
    if (metadata.previous_hash !== expected || !isSameAward) return index;
    before = metadata;
  }
  return undefined;
}
