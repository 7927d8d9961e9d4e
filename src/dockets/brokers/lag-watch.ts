/** What a consumer knows about how far it is behind. RabbitMQ itself does not say how old the head of a queue is. */
import { type Clock, instant, type Instant } from '../../core/index.ts';

/** Finished messages remembered for the rate; enough for a minute at 10,000 an hour, and a few kilobytes. */
const FINISHED_MAX = 512;
/** A rate of longer ago says nothing about now. */
const RATE_WINDOW_MS = 60_000;

export interface LagReading {
  readonly inHand: number;
  /** Stamp of the oldest message in hand. */
  readonly oldestInHand: Instant | undefined;
  /** When the oldest message in hand was delivered; an unstamped one is at least this old. */
  readonly oldestDelivery: Instant | undefined;
  readonly lastDelivery: { readonly at: Instant; readonly sentAt: Instant | undefined } | undefined;
  /** Messages finished per second in the last minute; undefined when there were fewer than two. */
  readonly finishedPerSecond: number | undefined;
}

export class LagWatch {
  private readonly clock: Pick<Clock, 'now'>;
  // Bounded by the consumer's prefetch.
  private readonly hand = new Set<{ readonly at: Instant; readonly sentAt: Instant | undefined }>();
  private finished: Instant[] = [];
  private last: LagReading['lastDelivery'];

  constructor(clock: Pick<Clock, 'now'>) {
    this.clock = clock;
  }

  /** A message was handed over; the function that comes back is called when it is finished. */
  delivered(sentAt: Instant | undefined): () => void {
    const one = { at: this.clock.now(), sentAt };
    this.hand.add(one);
    this.last = one;
    return () => {
      this.hand.delete(one);
      this.finished.push(this.clock.now());
      if (this.finished.length > FINISHED_MAX) this.finished.shift();
    };
  }

  read(): LagReading {
    const hand = [...this.hand];
    const stamps = hand.flatMap(({ sentAt }) => sentAt ?? []);
    return {
      inHand: hand.length,
      oldestInHand: earliest(stamps),
      oldestDelivery: earliest(hand.map(({ at }) => at)),
      lastDelivery: this.last,
      finishedPerSecond: this.rate(),
    };
  }

  private rate(): number | undefined {
    const from = this.clock.now() - RATE_WINDOW_MS;
    this.finished = this.finished.filter((at) => at >= from);
    const [first] = this.finished;
    const spanMs = first === undefined ? 0 : this.clock.now() - first;
    if (this.finished.length < 2 || spanMs <= 0) return undefined;
    return (this.finished.length * 1_000) / spanMs;
  }
}

function earliest(instants: readonly Instant[]): Instant | undefined {
  return instants.length === 0 ? undefined : instant(Math.min(...instants));
}
