/** An award as ingestion handed it on, for the stages that need all of it. */
import type { AcceptedAward } from '../rules/intake/ingest.ts';
import type { HandedItem } from '../store/awards.ts';

export function handedAward({ payload, mapping, metadata }: HandedItem): AcceptedAward {
  return {
    kind: 'accepted',
    payload,
    // Written by ingestion from an AcceptedAward; the seal has proved that it is unchanged.
    mapping: (mapping as AcceptedAward['mapping'] | null) ?? undefined,
    metadata: metadata as AcceptedAward['metadata'],
  };
}
