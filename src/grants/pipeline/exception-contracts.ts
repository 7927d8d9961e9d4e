/** The compliance exception ledger as its callers see it: opened by machines, resolved by two people. */
import type { AwardId, PersonId } from '../../core/index.ts';
import type { ExceptionEnvelope } from '../rules/intake/exception-envelope.ts';
import type { AwardSource, IngestionReport } from './source-contracts.ts';

export interface ExceptionSummary {
  readonly id: string;
  readonly idempotencyKey: string;
  readonly from: 'ingestion' | 'reconciliation' | 'rules' | 'reporting';
  readonly escalationCode: string;
  readonly violationCodes: readonly string[];
  readonly payloadHash: string;
  readonly openedAt: string;
  readonly state: 'open' | 'proposed' | 'approved' | 'dismissed' | 'cancelled' | 'reingested';
  /** The award that stands, and that this one would replace or end. */
  readonly amends: AwardId | undefined;
}

export interface ExceptionView extends ExceptionSummary {
  readonly envelope: ExceptionEnvelope;
  readonly acts: readonly ExceptionAct[];
  /** The award that came in its place, once it was taken in again. */
  readonly replacedBy: string | undefined;
  /** What can be proposed: nothing that could never be carried out. Empty unless it is open. */
  readonly options: readonly ExceptionOption[];
}

export type ExceptionOption = 'as-it-came' | 'reingest' | 'dismiss';

interface ExceptionAct {
  readonly act: 'proposed' | 'approved' | 'refused' | 'withdrawn';
  readonly resolution: 'reingest' | 'dismiss' | 'cancel';
  /** SHA-256 of the corrected document; undefined without one. */
  readonly document: string | undefined;
  /** The award that is replaced or ended by it. */
  readonly amends: AwardId | undefined;
  readonly by: PersonId;
  readonly at: string;
  readonly reason: string;
}

export type Resolution =
  /** The corrected document, whole: exactly one award. */
  | { readonly kind: 'reingest'; readonly source: AwardSource; readonly reason: string }
  /** The payload of the exception as it came, in place of the award that stands. */
  | { readonly kind: 'as-it-came'; readonly reason: string }
  | { readonly kind: 'dismiss'; readonly reason: string };

export interface Exceptions {
  list(filter?: { readonly isOpen?: boolean }): Promise<readonly ExceptionSummary[]>;
  show(id: string): Promise<ExceptionView>;
  /** The first person says what shall be done. */
  propose(id: string, resolution: Resolution, by: PersonId): Promise<void>;
  /**
   * Another person agrees; nothing of it can be undone. A dismissal ends the exception. With `seen`, the hash of the
   * document that the person looked at, nothing else is agreed to.
   */
  approve(id: string, by: PersonId, seen?: string): Promise<void>;
  withdraw(id: string, by: PersonId, reason: string): Promise<void>;
  /** Takes the approved document in, as a new record that names the old one; without a source what came at first. */
  reingest(id: string, source: AwardSource | undefined, by: PersonId): Promise<IngestionReport>;
}
