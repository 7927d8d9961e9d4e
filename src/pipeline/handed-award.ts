/** An award as ingestion handed it on, for the stages that need all of it. */
import type { JsonValue } from '../core/index.ts';
import type { AcceptedAward } from '../packs/grants/index.ts';

export function handedAward(item: JsonValue): AcceptedAward {
  // Written by ingestion from an AcceptedAward; the seal has proved that it is unchanged.
  const { payload, mapping, metadata } = item as unknown as Omit<AcceptedAward, 'mapping'> & {
    readonly mapping: AcceptedAward['mapping'] | null;
  };
  return { kind: 'accepted', payload, mapping: mapping ?? undefined, metadata };
}
