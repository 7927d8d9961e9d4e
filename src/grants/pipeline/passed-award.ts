/** An award as ingestion passed it on, for the stages that need all of it. */
import type { AcceptedAward } from '../rules/intake/ingest.ts';
import type { PassedItem } from '../store/awards.ts';

export function passedAward({ payload, mapping, metadata }: PassedItem): AcceptedAward {
  return {
    kind: 'accepted',
    payload,
    // Written by ingestion from an AcceptedAward; the seal has proved that it is unchanged.
    mapping: (mapping as AcceptedAward['mapping'] | null) ?? undefined,
    metadata: metadata as AcceptedAward['metadata'],
  };
}
