import type { Filing, LaneCode, TurnWant } from '../../core/index.ts';

/**
 * How long claims go on from where the last ones were before the queue is looked at from its head again. A filing that
 * comes back earlier in the order waits at most this long for its turn.
 */
const GO_ON_MS = 500;

/** Where each lane's queue was left: claiming on from there costs the same however many were claimed before. */
export class QueuePlaces {
  readonly #places = new Map<LaneCode, { readonly last: Filing; readonly sinceMs: number }>();

  of(lane: LaneCode, nowMs: number): Pick<TurnWant, 'after'> {
    const place = this.#places.get(lane);
    if (place === undefined) return {};
    if (nowMs - place.sinceMs > GO_ON_MS) {
      this.#places.delete(lane);
      return {};
    }
    return { after: { lastSafe: place.last.lastSafe, id: place.last.id } };
  }

  /** `last`: the last one claimed; undefined when the lane had fewer than were wanted. */
  note(lane: LaneCode, last: Filing | undefined, nowMs: number): void {
    if (last === undefined) this.#places.delete(lane);
    else this.#places.set(lane, { last, sinceMs: this.#places.get(lane)?.sinceMs ?? nowMs });
  }
}
