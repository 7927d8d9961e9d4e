/**
 * Who a filing is (design § 1). The idempotency key is made once per revision from what the law says is one
 * obligation; never from the clock, never from a row's place in a file.
 */
import { idempotencyKey, type IdempotencyKey } from './ids.ts';
import { sha256Of } from './sha256.ts';

export type Obligation =
  | {
      readonly pack: 'entity';
      readonly tenant: string;
      readonly jurisdiction: string;
      readonly registryNumber: string;
      readonly filingKind: string;
      readonly period: string;
    }
  | {
      readonly pack: 'patent';
      readonly tenant: string;
      readonly office: string;
      readonly applicationNumber: string;
      readonly eventCode: string;
      readonly eventDate: string;
    }
  | {
      readonly pack: 'grants';
      readonly tenant: string;
      readonly sourceDocument: string;
      readonly lineOrdinal: number;
      readonly contentSha256: string;
    };

/** One open or accepted filing may exist for it. */
export function obligationKey(obligation: Obligation): string {
  return `fwo1-${digest(['obligation', ...partsOf(obligation)])}`;
}

/** The key that the portal sees. The same for every attempt of a revision; another revision has another one. */
export function keyOf(obligation: Obligation, revision: number): IdempotencyKey {
  return idempotencyKey(`fw1-${digest(['key', ...partsOf(obligation), String(revision)])}`);
}

function partsOf(obligation: Obligation): readonly string[] {
  switch (obligation.pack) {
    case 'entity':
      return [
        obligation.pack,
        obligation.tenant,
        obligation.jurisdiction,
        obligation.registryNumber,
        obligation.filingKind,
        obligation.period,
      ];
    case 'patent':
      return [
        obligation.pack,
        obligation.tenant,
        obligation.office,
        obligation.applicationNumber,
        obligation.eventCode,
        obligation.eventDate,
      ];
    case 'grants':
      return [
        obligation.pack,
        obligation.tenant,
        obligation.sourceDocument,
        String(obligation.lineOrdinal),
        obligation.contentSha256,
      ];
  }
}

/** JSON keeps the parts apart ("ab","c" differs from "a","bc"). Half of SHA-256 is enough for a name, and fits a header. */
function digest(parts: readonly string[]): string {
  return sha256Of(JSON.stringify(parts)).slice(0, 32);
}
