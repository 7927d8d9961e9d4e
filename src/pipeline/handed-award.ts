/** An award as ingestion handed it on, for the stages that need all of it. */
import type { AcceptedAward } from '../packs/grants/index.ts';
import type { HandedItem } from '../store/index.ts';

export function handedAward({ payload, mapping, metadata }: HandedItem): AcceptedAward {
  return {
    kind: 'accepted',
    payload,
    // Written by ingestion from an AcceptedAward; the seal has proved that it is unchanged.
    mapping: (mapping as AcceptedAward['mapping'] | null) ?? undefined,
    metadata: metadata as AcceptedAward['metadata'],
  };
}
