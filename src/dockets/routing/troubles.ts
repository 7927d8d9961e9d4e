/** What is wrong with targets for everybody, as the watch over queues last saw it. */
import type { Instant } from '../../core/index.ts';
import type { Trigger } from '../rules/routing/triggers.ts';
import { queueReadings } from '../store/queues.ts';
import type { Session } from '../../postgres/index.ts';

/** A reading older than this says nothing about the queue as it is. */
const READING_FRESH_MS = 45_000;

export async function troublesOf(
  run: Session['run'],
  tenant: string,
  now: Instant,
): Promise<ReadonlyMap<string, Trigger>> {
  const readings = await queueReadings({ run }, tenant);
  return new Map(
    readings.flatMap(({ target, at, triggers: [trigger] }) =>
      target === undefined || trigger === undefined || now - at > READING_FRESH_MS
        ? []
        : [[target, trigger] as const],
    ),
  );
}
