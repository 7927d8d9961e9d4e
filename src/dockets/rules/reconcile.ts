/** Compares what went past a target with what its docket database holds: pure. */
import type { DocketId, Sha256Hex } from '../../core/index.ts';

/** As our side knows it. */
export interface PassedRecord {
  readonly docket: DocketId;
  readonly messageId: string;
  readonly payloadSha256: Sha256Hex;
  readonly isConfirmed: boolean;
  readonly isManual: boolean;
  /** Different receipts that the target gave for it. */
  readonly receipts: number;
}

/** As the target's database answers. */
export interface PrimaryRecord {
  readonly messageId: string;
  readonly payloadSha256: string;
}

export interface Difference {
  readonly docket: DocketId;
  /**
   * `missing`: went by the fallback, the database has never seen it. `differs`: it holds other bytes under that id.
   * `twice`: it holds it, or gave receipts for it, more than once. `unconfirmed`: it holds it and nobody has confirmed
   * it to us. `manual`: it is with the manual tier and still open.
   */
  readonly kind: 'missing' | 'differs' | 'twice' | 'unconfirmed' | 'manual';
  readonly evidence: Readonly<Record<string, string | number>>;
}

/** What no program may settle: closing the breaker over it would go on making it worse. */
const GRAVE: readonly Difference['kind'][] = ['differs', 'twice'];

export function differencesOf(
  passed: Iterable<PassedRecord>,
  primary: Iterable<PrimaryRecord>,
): Difference[] {
  const held = new Map<string, PrimaryRecord[]>();
  for (const record of primary) {
    held.set(record.messageId, [...(held.get(record.messageId) ?? []), record]);
  }
  const found: Difference[] = [];
  for (const ours of passed) {
    const { docket, messageId, payloadSha256 } = ours;
    const theirs = held.get(messageId) ?? [];
    if (theirs.length === 0) found.push({ docket, kind: 'missing', evidence: {} });
    const other = theirs.find((record) => record.payloadSha256 !== payloadSha256);
    if (other !== undefined) {
      const evidence = { expected: payloadSha256, found: other.payloadSha256 };
      found.push({ docket, kind: 'differs', evidence });
    }
    if (theirs.length > 1 || ours.receipts > 1) {
      const evidence = { records: theirs.length, receipts: ours.receipts };
      found.push({ docket, kind: 'twice', evidence });
    }
    if (theirs.length > 0 && !ours.isConfirmed) {
      found.push({ docket, kind: 'unconfirmed', evidence: { records: theirs.length } });
    }
    if (ours.isManual) found.push({ docket, kind: 'manual', evidence: {} });
  }
  return found;
}

/** Why a person must approve; empty where every difference is only to be reviewed. */
export function graveReasons(differences: readonly Difference[]): string[] {
  return GRAVE.flatMap((kind) => {
    const count = differences.filter((one) => one.kind === kind).length;
    return count === 0 ? [] : [`${count} ${kind}`];
  });
}
