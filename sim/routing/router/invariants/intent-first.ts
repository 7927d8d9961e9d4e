/** Nothing leaves without a committed intent that nobody has ended. */
import type { Violation } from '../../evidence.ts';
import type { RouterWorld } from '../world.ts';

export function intentFirst({ book, startMs }: RouterWorld): Violation[] {
  return book.departures
    .filter(({ dockets, intents }) => intents.length < dockets.length)
    .map(({ at, by, target, dockets }) => ({
      invariant: 'intent_first',
      text: `${by} sent ${dockets.join()} to ${target} at ${at - startMs} without an intent`,
    }));
}
