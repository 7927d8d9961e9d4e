/** Whether the messages of a RabbitMQ queue end somewhere: a consumer that takes all and acknowledges none looks well over AMQP. */
import type { Instant } from '../../core/index.ts';

/** What the broker's management API counts; its numbers are a few seconds old. */
export type QueueCount =
  | {
      readonly kind: 'counted';
      /** Messages that lie ready. */
      readonly ready: number;
      /** Messages that consumers hold and have not acknowledged. */
      readonly unacknowledged: number;
      /** Messages that were finished since the queue was made; undefined where the broker does not keep that count. */
      readonly finished: number | undefined;
    }
  | { readonly kind: 'uncounted'; readonly code: string };

export type QueueCounter = (queue: string) => Promise<QueueCount>;

type Counted = QueueCount & { readonly kind: 'counted' };

/** Since when, as far as was seen, a queue has messages and none of them is finished. */
export class Standstill {
  #last: Counted | undefined;
  #since: Instant | undefined;

  get since(): Instant | undefined {
    return this.#since;
  }

  /**
   * By ready and unacknowledged together: what a dying consumer gives back only changes its place. A queue of which one
   * message is finished for each that comes never falls, so the broker's own count of them is asked as well. A look at
   * which nothing could be counted is no sign of life; the next one is compared with what was seen before it.
   */
  note(count: QueueCount, now: Instant): void {
    if (count.kind === 'uncounted') return;
    const last = this.#last;
    this.#last = count;
    if (lengthOf(count) === 0) this.#since = undefined;
    else if (last === undefined || isMoved(last, count)) this.#since = now;
    else this.#since ??= now;
  }

  forget(): void {
    this.#last = undefined;
    this.#since = undefined;
  }
}

export function lengthOf({ ready, unacknowledged }: Counted): number {
  return ready + unacknowledged;
}

function isMoved(before: Counted, after: Counted): boolean {
  const isCounted = before.finished !== undefined && after.finished !== undefined;
  return lengthOf(after) < lengthOf(before) || (isCounted && after.finished !== before.finished);
}
