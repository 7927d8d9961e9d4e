import type { Connection } from 'rabbitmq-client';
import type { Clock, Instant } from '../../core/index.ts';
import type { LagWatch } from './lag-watch.ts';
import { openRabbit, type RabbitAddress } from './rabbit-connection.ts';
import { rabbitLag, type Saturation, type SaturationGauge } from './saturation.ts';
import { brokerCodeOf, textOf } from './settle-message.ts';
import { lengthOf, type QueueCount, type QueueCounter, Standstill } from './standstill.ts';

interface RabbitGaugeOptions extends RabbitAddress {
  readonly queue: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Of the consumer of this queue in this process, if there is one. */
  readonly watch?: LagWatch;
  /** Asks the management API; without it, what other consumers hold cannot be seen. */
  readonly count?: QueueCounter;
}

/**
 * Measures a queue by a passive declaration, which changes nothing, by what this process's consumer sees and, where it is
 * set, by the management API.
 */
export function rabbitGauge(options: RabbitGaugeOptions): SaturationGauge {
  return new RabbitGauge(options);
}

class RabbitGauge implements SaturationGauge {
  private readonly options: RabbitGaugeOptions;
  private connection: Connection | undefined;
  private readonly standstill = new Standstill();
  private untouchedSince: Instant | undefined;
  private lastReady: number | undefined;
  private lastDeliveryAt: Instant | undefined;

  constructor(options: RabbitGaugeOptions) {
    this.options = options;
  }

  async measure(): Promise<Saturation> {
    const { queue, clock, watch, count } = this.options;
    let counts: { readonly messageCount: number; readonly consumerCount: number };
    try {
      counts = await this.declarePassively();
    } catch (error) {
      // Whatever the reason, the queue was not seen, so nothing is known about how long it has been untouched.
      this.untouchedSince = undefined;
      this.lastReady = undefined;
      this.standstill.forget();
      return { kind: 'unmeasured', code: brokerCodeOf(error), message: textOf(error) };
    }
    const counted = await count?.(queue);
    const now = clock.now();
    if (counted !== undefined) this.standstill.note(counted, now);
    const { messageCount: ready, consumerCount: consumers } = counts;
    const reading = watch?.read();
    this.noteUntouched({ ready, consumers, lastDeliveryAt: reading?.lastDelivery?.at }, now);
    const { untouchedSince } = this;
    const { since: unfinishedSince } = this.standstill;
    const seen = { ready, consumers, untouchedSince, unfinishedSince };
    const { lagMs, basis } = rabbitLag(seen, reading, now);
    const inHand = reading?.inHand ?? 0;
    const { length, shown, unseen } = heldIn(counted);
    const evidence = { broker: 'rabbitmq', queue, ready, inHand, consumers, lagBasis: basis };
    return {
      kind: 'measured',
      // The broker counts every few seconds; what is ready now is newer.
      backlog: Math.max(ready + inHand, length),
      lagMs,
      evidence: { ...evidence, ...shown },
      ...(unseen === undefined ? {} : { unseen }),
    };
  }

  async close(): Promise<void> {
    const { connection } = this;
    this.connection = undefined;
    await connection?.close();
  }

  private async declarePassively() {
    this.connection ??= this.open();
    const channel = await this.connection.acquire();
    try {
      return await channel.queueDeclare({ queue: this.options.queue, passive: true });
    } finally {
      await channel.close();
    }
  }

  private open(): Connection {
    const connection = openRabbit(this.options);
    // Each measurement says by itself what is wrong.
    connection.on('error', () => undefined);
    return connection;
  }

  /**
   * With other consumers about, a queue that is never empty may still flow: then what lies ready falls between two looks
   * now and then. Where it never does, those consumers take nothing, or less than comes in.
   */
  private noteUntouched(
    seen: {
      readonly ready: number;
      readonly consumers: number;
      readonly lastDeliveryAt: Instant | undefined;
    },
    now: Instant,
  ): void {
    const hasMoved = seen.lastDeliveryAt !== this.lastDeliveryAt;
    this.lastDeliveryAt = seen.lastDeliveryAt;
    const hasFallen = this.lastReady === undefined || seen.ready < this.lastReady;
    this.lastReady = seen.ready;
    const mayFlow = seen.consumers > (this.options.watch === undefined ? 0 : 1);
    if (seen.ready === 0 || hasMoved) this.untouchedSince = undefined;
    else if (mayFlow && hasFallen) this.untouchedSince = now;
    else this.untouchedSince ??= now;
  }
}

function heldIn(count: QueueCount | undefined): {
  readonly length: number;
  readonly shown: Readonly<Record<string, string | number>>;
  readonly unseen?: string;
} {
  if (count === undefined) return { length: 0, shown: {} };
  if (count.kind === 'counted') {
    return { length: lengthOf(count), shown: { unacknowledged: count.unacknowledged } };
  }
  const { code } = count;
  return { length: 0, shown: { management: code }, unseen: code };
}
