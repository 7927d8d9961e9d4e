import type { Connection } from 'rabbitmq-client';
import type { Clock, Instant } from '../core/index.ts';
import type { LagWatch } from './lag-watch.ts';
import { openRabbit, type RabbitAddress } from './rabbit-connection.ts';
import { rabbitLag, type Saturation, type SaturationGauge } from './saturation.ts';
import { brokerCodeOf, textOf } from './settle-message.ts';

export interface RabbitGaugeOptions extends RabbitAddress {
  readonly queue: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Of the consumer of this queue in this process, if there is one. */
  readonly watch?: LagWatch;
}

/** Measures a queue by a passive declaration, which changes nothing, and by what this process's consumer sees. */
export function rabbitGauge(options: RabbitGaugeOptions): SaturationGauge {
  return new RabbitGauge(options);
}

class RabbitGauge implements SaturationGauge {
  private readonly options: RabbitGaugeOptions;
  private connection: Connection | undefined;
  private untouchedSince: Instant | undefined;
  private lastReady: number | undefined;
  private lastDeliveryAt: Instant | undefined;

  constructor(options: RabbitGaugeOptions) {
    this.options = options;
  }

  async measure(): Promise<Saturation> {
    const { queue, clock, watch } = this.options;
    let counts: { readonly messageCount: number; readonly consumerCount: number };
    try {
      counts = await this.declarePassively();
    } catch (error) {
      // Whatever the reason, the queue was not seen, so nothing is known about how long it has been untouched.
      this.untouchedSince = undefined;
      this.lastReady = undefined;
      return { kind: 'unmeasured', code: brokerCodeOf(error), message: textOf(error) };
    }
    const now = clock.now();
    const { messageCount: ready, consumerCount: consumers } = counts;
    const reading = watch?.read();
    this.noteUntouched({ ready, consumers, lastDeliveryAt: reading?.lastDelivery?.at }, now);
    const { untouchedSince } = this;
    const { lagMs, basis } = rabbitLag({ ready, consumers, untouchedSince }, reading, now);
    const inHand = reading?.inHand ?? 0;
    const evidence = { broker: 'rabbitmq', queue, ready, inHand, consumers, lagBasis: basis };
    return { kind: 'measured', backlog: ready + inHand, lagMs, evidence };
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
