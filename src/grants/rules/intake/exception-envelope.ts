/** What a person gets when automation has ended: the payload as it was, why, and everything that was tried. Never changed. */
import {
  type AwardId,
  canonicalBytes,
  FilewrightError,
  type Instant,
  type JsonValue,
  type Sha256Hex,
  sha256Of,
  toRfc3339,
} from '../../../core/index.ts';
import type { Violation } from './award-record.ts';
import { appendMetadata, type ComplianceMetadata } from './metadata.ts';

/** A try that failed. */
type TriedOnce = {
  readonly attempt_count: number;
  readonly last_error_code: string;
  readonly retry_deadline: string;
  readonly payload_hash: string;
  readonly at: string;
};

/** A type and no interface, here and below it: only so is it known to be JSON. */
export type ExceptionEnvelope = {
  readonly original_payload: JsonValue;
  readonly compliance_metadata: ComplianceMetadata & {
    readonly escalation_code: string;
    readonly audit_trail: readonly TriedOnce[];
  };
  readonly violation_codes: readonly string[];
  readonly violations: readonly Violation[];
  readonly payload_hash: Sha256Hex;
  /** The award that stands, and that this one would replace or end. */
  readonly amends?: AwardId;
  readonly routing_target: 'compliance_exception_dlq';
  readonly immutable: true;
  readonly escalated_at: string;
  /** Of everything above in canonical JSON. */
  readonly envelope_hash: Sha256Hex;
};

export function exceptionEnvelope(exception: {
  readonly originalPayload: JsonValue;
  readonly metadata: ComplianceMetadata;
  /** `RETRY_EXHAUSTED_PERMANENT_FAILURE`, or the exact cause. */
  readonly escalationCode: string;
  readonly auditTrail: readonly TriedOnce[];
  readonly violations: readonly Violation[];
  readonly amends?: AwardId | undefined;
  readonly at: Instant;
}): ExceptionEnvelope {
  const { metadata, auditTrail, violations, amends } = exception;
  const attempts = Math.max(metadata.attempt_count, ...auditTrail.map((one) => one.attempt_count));
  const last = appendMetadata(metadata, {
    boundary: 'fallback',
    compliance_state: 'manual_review_required',
    attempt_count: attempts,
  });
  const content = {
    original_payload: exception.originalPayload,
    compliance_metadata: {
      ...last,
      escalation_code: exception.escalationCode,
      audit_trail: auditTrail.map((one) => ({ ...one })),
    },
    violation_codes: [...new Set(violations.map(({ code }) => code))].sort(),
    violations: violations.map((one) => ({ ...one })),
    payload_hash: metadata.payload_hash,
    ...(amends !== undefined && { amends }),
    routing_target: 'compliance_exception_dlq',
    immutable: true,
    escalated_at: toRfc3339(exception.at),
  } as const satisfies JsonValue;
  return deepFrozen({ ...content, envelope_hash: hashOf(content) });
}

/** Throws where anything was changed since the envelope was made. */
export function checkEnvelope(envelope: ExceptionEnvelope): void {
  const { envelope_hash: said, ...content } = envelope;
  const found = hashOf(content);
  if (found === said) return;
  throw new FilewrightError(
    'HASH_DIFFERS',
    `exception ${envelope.compliance_metadata.idempotency_key}: expected the hash ${said}, found ${found}`,
    { details: { key: envelope.compliance_metadata.idempotency_key } },
  );
}

function hashOf(content: JsonValue): Sha256Hex {
  return sha256Of(canonicalBytes(content, { numbers: 'any' }));
}

function deepFrozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) deepFrozen(member);
    Object.freeze(value);
  }
  return value;
}
