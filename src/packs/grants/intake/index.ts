export {
  AWARD_FORMATS,
  type AwardFormat,
  type AwardRecord,
  isNonDeterministic,
  type Violation,
  type ViolationCode,
  VIOLATIONS,
} from './award-record.ts';
export { AWARD_FIELDS, type AwardPayload, FUNDER_TYPES, validateAward } from './award-schema.ts';
export {
  checkEnvelope,
  type ExceptionEnvelope,
  exceptionEnvelope,
  type TriedOnce,
} from './exception-envelope.ts';
export { type BoundaryFailure, classifyFailure, type FailureVerdict } from './failures.ts';
export {
  type AcceptedAward,
  contradicts,
  ingestAward,
  type Ingested,
  type IngestionContext,
  type RefusedAward,
} from './ingest.ts';
export { mapAward, type Mapped, type Mapping990 } from './mapping990.ts';
export {
  appendMetadata,
  type Boundary,
  brokenAt,
  type ComplianceMetadata,
  type ComplianceState,
  metadataHash,
  type Stamp,
  stampMetadata,
} from './metadata.ts';
export { readAwards } from './read-awards.ts';
export { type SeenDocument, seenAgain } from './same-document.ts';
