/** How full a queue is and how far its consumers are behind. Whether that is too much is decided elsewhere. */
import { addMs, type Clock, type Instant } from '../../core/index.ts';
import type { LagReading } from './lag-watch.ts';

export type Saturation =
  | {
      readonly kind: 'measured';
      readonly backlog: number;
      readonly lagMs: number;
      /** What the two numbers were made of. */
      readonly evidence: Readonly<Record<string, string | number>>;
      /** Why a part of it could not be seen: what consumers hold, where the management API does not answer. */
      readonly unseen?: string;
    }
  /** The broker did not answer or has no such queue; that is no saturation, and no proof of the contrary. */
  | { readonly kind: 'unmeasured'; readonly code: string; readonly message: string };

export interface SaturationGauge {
  measure(): Promise<Saturation>;
  close(): Promise<void>;
}

/** How a lag was found; the evidence names it, because they are not equally good. */
type LagBasis =
  | 'empty'
  /** Age of the oldest message in hand, by its sender's stamp. */
  | 'stamp'
  /** Time since a message in hand without a stamp was delivered: at least so long. */
  | 'in_hand'
  /** Nobody takes what lies there, or acknowledges what was taken, since so long at least. */
  | 'stalled'
  /** Messages ahead of a new one, by the pace at which this consumer finishes them. */
  | 'rate'
  /** Nothing to tell it by. */
  | 'unknown';

/** A broker counts every five seconds: so late may a sign of life show, and for so long nothing is held against a queue. */
const COUNT_AGE_MS = 5_000;

interface RabbitCounts {
  /** Messages that lie ready; what consumers hold is not among them. */
  readonly ready: number;
  readonly consumers: number;
  /** Since when, as far as was seen, messages lie ready and none is taken: no consumer, or none that takes any. */
  readonly untouchedSince: Instant | undefined;
  /** Since when, as far as the management API shows it, no message is finished; undefined also where it is not asked. */
  readonly unfinishedSince?: Instant | undefined;
}

/**
 * The lag of a RabbitMQ queue. The broker does not tell the age of a message that lies in a queue, and taking one out to
 * look and putting it back counts as a delivery: a quorum queue drops a message after twenty. So it is the largest of
 * what can be known without touching anything.
 */
export function rabbitLag(
  { ready, consumers, untouchedSince, unfinishedSince }: RabbitCounts,
  reading: LagReading | undefined,
  now: Instant,
): { readonly lagMs: number; readonly basis: LagBasis } {
  const inHand = reading?.inHand ?? 0;
  if (ready === 0 && inHand === 0 && unfinishedSince === undefined) {
    return { lagMs: 0, basis: 'empty' };
  }
  const found: { readonly lagMs: number; readonly basis: LagBasis }[] = [];
  const note = (basis: LagBasis, since: Instant | undefined): void => {
    // A sender's clock may be ahead of ours.
    if (since !== undefined) found.push({ basis, lagMs: Math.max(0, now - since) });
  };
  note('stamp', reading?.oldestInHand);
  note('in_hand', reading?.oldestDelivery);
  note('stalled', untouchedSince);
  if (unfinishedSince !== undefined) note('stalled', addMs(unfinishedSince, COUNT_AGE_MS));
  const last = reading?.lastDelivery;
  if (ready > 0 && last?.sentAt !== undefined) {
    // What lies ready came after it, and waits about as long as it did.
    found.push({ basis: 'stamp', lagMs: Math.max(0, last.at - last.sentAt) });
  }
  const pace = (reading?.finishedPerSecond ?? 0) * Math.max(consumers, 1);
  if (ready > 0 && last?.sentAt === undefined && pace > 0) {
    found.push({ basis: 'rate', lagMs: Math.round((ready * 1_000) / pace) });
  }
  const first = found[0] ?? { lagMs: 0, basis: 'unknown' as const };
  return found.reduce((worst, one) => (one.lagMs > worst.lagMs ? one : worst), first);
}

/** Our own queue, read by the store: its length and when its oldest open work became due. */
export function ownQueueGauge(
  read: () => Promise<{ readonly backlog: number; readonly oldestDueAt: Instant | undefined }>,
  clock: Pick<Clock, 'now'>,
): SaturationGauge {
  return {
    measure: async () => {
      const { backlog, oldestDueAt } = await read();
      const lagMs = oldestDueAt === undefined ? 0 : Math.max(0, clock.now() - oldestDueAt);
      const oldest = oldestDueAt === undefined ? {} : { oldestDueAt };
      return { kind: 'measured', backlog, lagMs, evidence: { queue: 'own', ...oldest } };
    },
    close: async () => undefined,
  };
}
