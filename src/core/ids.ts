declare const idBrand: unique symbol;
type Id<Name extends string> = string & { readonly [idBrand]: Name };

export type FilingId = Id<'filing'>;
export type BatchId = Id<'batch'>;
export type AttemptId = Id<'attempt'>;
export type EntryId = Id<'entry'>;
export type PersonId = Id<'person'>;
/** A lane's name, for instance `US-DE`; unique within a tenant. */
export type LaneCode = Id<'lane'>;
/** One incarnation of a worker process. It is also the fencing number: a later incarnation has a larger one. */
export type WorkerId = Id<'worker'>;
/** A docket, unique within a tenant. */
export type DocketId = Id<'docket'>;
/** A target of the routing matrix. */
export type TargetId = Id<'target'>;
/** A person or a team of the people file; not a person with a key. */
export type PartyId = Id<'party'>;
/** An award as one record states it; an amended award has another. */
export type AwardId = Id<'award'>;
/** A closed period of an account. */
export type PeriodId = Id<'period'>;
/** An entity of the register. */
export type EntityId = Id<'entity'>;
/** An obligation, by the key that is made of what is owed. */
export type ObligationId = Id<'obligation'>;
export type IdempotencyKey = Id<'key'>;
export type Sha256Hex = Id<'sha256'>;

// Brands exist only for the compiler; each function below is the one place where a text becomes that id.
export const filingId = (text: string): FilingId => text as FilingId;
export const batchId = (text: string): BatchId => text as BatchId;
export const attemptId = (text: string): AttemptId => text as AttemptId;
export const entryId = (text: string): EntryId => text as EntryId;
export const personId = (text: string): PersonId => text as PersonId;
export const laneCode = (text: string): LaneCode => text as LaneCode;
export const workerId = (text: string): WorkerId => text as WorkerId;
export const docketId = (text: string): DocketId => text as DocketId;
export const targetId = (text: string): TargetId => text as TargetId;
export const partyId = (text: string): PartyId => text as PartyId;
export const awardId = (text: string): AwardId => text as AwardId;
export const periodId = (text: string): PeriodId => text as PeriodId;
export const entityId = (text: string): EntityId => text as EntityId;
export const obligationId = (text: string): ObligationId => text as ObligationId;
export const idempotencyKey = (text: string): IdempotencyKey => text as IdempotencyKey;
export const sha256Hex = (text: string): Sha256Hex => text as Sha256Hex;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/**
 * RFC 9562 UUID version 7: 48 bits of milliseconds, then random bits. Pure: the clock and the dice are arguments,
 * so that a simulation gives the same ids for the same seed.
 */
export function uuidV7(epochMs: number, random: Uint8Array): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(epochMs, 0, 6);
  bytes.set(random.subarray(0, 10), 6);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
