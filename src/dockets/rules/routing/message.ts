/** What is handed over. The payload itself is not here: its bytes go out as they came in, and are named by their hash. */
import {
  type DocketId,
  type PartyId,
  type Sha256Hex,
  sha256Of,
  type TargetId,
} from '../../../core/index.ts';
import { inherit, type Labels } from '../access/labels.ts';
import type { Docket } from '../docket/docket.ts';
import type { DocketDates } from '../docket/dates.ts';
import type { Hop } from './state.ts';
import type { Tier } from './tiers.ts';

export interface HandoffMessage {
  /** One per docket, the same in every attempt and tier: receivers deduplicate by it. */
  readonly id: string;
  /** One per docket, tier, target and reader: acknowledgement links and transport logs hang on it. */
  readonly handoff: string;
  readonly docket: DocketId;
  readonly tier: Tier;
  readonly target: TargetId;
  readonly party: PartyId;
  readonly standsInFor: readonly PartyId[];
  readonly labels: Labels;
  readonly payloadSha256: Sha256Hex;
  /** Computed for this very handing over. */
  readonly dates: DocketDates;
  readonly matrixVersion: Sha256Hex;
}

export function messageFor(
  docket: Docket,
  hop: Hop,
  at: { readonly dates: DocketDates; readonly matrixVersion: Sha256Hex },
): HandoffMessage {
  return {
    id: docket.messageId,
    handoff: handoffIdOf(docket.messageId, hop),
    docket: docket.id,
    tier: hop.tier,
    target: hop.target,
    party: hop.party,
    standsInFor: hop.standsInFor,
    labels: inherit(docket.labels),
    payloadSha256: docket.payloadSha256,
    dates: at.dates,
    matrixVersion: at.matrixVersion,
  };
}

/** With the reader: a link acknowledges in one name, and a target may be given to somebody else by the next matrix. */
function handoffIdOf(messageId: string, hop: Pick<Hop, 'tier' | 'target' | 'party'>): string {
  const digest = sha256Of(JSON.stringify([messageId, hop.tier, hop.target, hop.party]));
  return `fwh1-${digest.slice(0, 32)}`;
}
