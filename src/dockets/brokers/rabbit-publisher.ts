/** Messages out to RabbitMQ. One counts as handed over when the broker has confirmed it, and not before. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Channel, Connection, ReturnedMessage } from 'rabbitmq-client';
import {
  type Clock,
  contentTypeFault,
  FilewrightError,
  type WriteGuard,
} from '../../core/index.ts';
import { openRabbit, type RabbitAddress } from './rabbit-connection.ts';
import { brokerCodeOf } from './settle-message.ts';

/** Publications that wait for their confirmation; a broker that is further behind gets no more. */
const WAITING_MAX = 1_000;
const TIMEOUT_MS = 3_000;

interface QueueMessage {
  readonly queue: string;
  /** The same at every attempt; receivers deduplicate by it. */
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

export type PublishOutcome =
  /** The broker has it, on disk where the queue is durable. */
  | { readonly kind: 'confirmed'; readonly code: 'CONFIRMED'; readonly elapsedMs: number }
  /** It was not taken: no such queue, or the broker said no. */
  | { readonly kind: 'refused'; readonly code: string; readonly elapsedMs: number }
  /** Nothing was written. */
  | { readonly kind: 'not_sent'; readonly code: string; readonly elapsedMs: number }
  /** Nothing was written, because this process was too late or had no room. */
  | { readonly kind: 'not_made'; readonly code: string; readonly elapsedMs: number }
  /** Nothing was written, because AMQP cannot carry this message. */
  | { readonly kind: 'unsendable'; readonly code: string; readonly elapsedMs: number }
  /** It was written and no confirmation came: the broker may have it. */
  | { readonly kind: 'unknown'; readonly code: string; readonly elapsedMs: number };

export interface PublisherOptions extends RabbitAddress {
  readonly clock: Pick<Clock, 'now' | 'monotonicMs' | 'sleep'>;
  /** For the connection, and again for the confirmation. */
  readonly timeoutMs?: number;
}

interface RabbitPublisher {
  publish(message: QueueMessage, guard: WriteGuard): Promise<PublishOutcome>;
  close(): Promise<void>;
}

/** Connects with the first message and reconnects by itself. Nothing is retried here. */
export function rabbitPublisher(options: PublisherOptions): RabbitPublisher {
  return new Publisher(options);
}

class Publisher implements RabbitPublisher {
  private readonly options: PublisherOptions;
  private readonly timeoutMs: number;
  private connection: Connection | undefined;
  private channel: Promise<Channel> | undefined;
  private active: Channel | undefined;
  /** By queue and id: whether the broker gave it back. Bounded by WAITING_MAX. */
  private readonly waiting = new Map<string, { isReturned: boolean }>();

  constructor(options: PublisherOptions) {
    this.options = options;
    this.timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  }

  async publish(message: QueueMessage, guard: WriteGuard): Promise<PublishOutcome> {
    const { clock } = this.options;
    const startedAt = clock.monotonicMs();
    const end = (kind: PublishOutcome['kind'], code: string) =>
      // Only a confirmation has the code CONFIRMED, below.
      ({ kind, code, elapsedMs: clock.monotonicMs() - startedAt }) as PublishOutcome;
    const key = `${message.queue}\n${message.id}`;
    // The library would tear the channel down over it, with everybody's messages.
    if (!isSendable(message)) return end('unsendable', 'CONTENT_TYPE_UNSENDABLE');
    // Twice at once, a return could not be told to belong to the one or the other.
    if (this.waiting.has(key)) return end('not_made', 'ALREADY_UNDER_WAY');
    if (this.waiting.size >= WAITING_MAX) return end('not_made', 'TOO_MANY_WAITING');
    const fate = { isReturned: false };
    this.waiting.set(key, fate);
    try {
      const opened = await this.inTime(this.open(), 'CONNECT_TIMEOUT');
      if (opened.kind === 'failed') return end('not_sent', opened.code);
      if (guard.signal.aborted || !guard.mayWrite()) return end('not_made', 'LEASE_LOST');
      const confirmed = await this.inTime(this.write(opened.value, message), 'CONFIRM_TIMEOUT');
      if (confirmed.kind === 'failed') {
        const isRefused = confirmed.code === 'NACK' || confirmed.code === 'NOT_FOUND';
        return end(isRefused ? 'refused' : 'unknown', confirmed.code);
      }
      // The broker gives an unroutable message back before it confirms it, but the library tells of the return in the
      // next turn of the event loop and of the confirmation at once.
      await nextTurn();
      if (fate.isReturned) return end('refused', 'UNROUTABLE');
      return end('confirmed', 'CONFIRMED');
    } finally {
      this.waiting.delete(key);
    }
  }

  async close(): Promise<void> {
    const { connection, active } = this;
    this.connection = undefined;
    this.channel = undefined;
    this.active = undefined;
    if (connection === undefined) return;
    const closing = (async () => {
      await active?.close();
      await connection.close();
    })();
    await this.inTime(closing, 'CLOSE_TIMEOUT');
    connection.unsafeDestroy();
  }

  private write(channel: Channel, message: QueueMessage): Promise<void> {
    const { clock } = this.options;
    const { bytes } = message;
    return channel.basicPublish(
      {
        // The default exchange leads to the queue of that name.
        routingKey: message.queue,
        mandatory: true,
        durable: true,
        messageId: message.id,
        contentType: message.contentType,
        timestamp: Math.floor(clock.now() / 1_000),
      },
      // Anything but a Buffer would be written as JSON.
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    );
  }

  private async open(): Promise<Channel> {
    if (this.active !== undefined && !this.active.active) this.channel = undefined;
    this.channel ??= this.openChannel();
    try {
      this.active = await this.channel;
      return this.active;
    } catch (error) {
      this.channel = undefined;
      throw error;
    }
  }

  private async openChannel(): Promise<Channel> {
    if (this.connection === undefined) {
      this.connection = openRabbit(this.options);
      // Every publication says by itself what became of it.
      this.connection.on('error', () => undefined);
    }
    const channel = await this.connection.acquire();
    channel.on('basic.return', (returned: ReturnedMessage) => {
      const fate = this.waiting.get(`${returned.routingKey}\n${returned.messageId ?? ''}`);
      if (fate !== undefined) fate.isReturned = true;
    });
    await channel.confirmSelect();
    return channel;
  }

  private async inTime<Value>(
    promise: Promise<Value>,
    code: string,
  ): Promise<{ kind: 'done'; value: Value } | { kind: 'failed'; code: string }> {
    const controller = new AbortController();
    const work = promise.then(
      (value) => ({ kind: 'done' as const, value }),
      (error: unknown) => ({ kind: 'failed' as const, code: failureCodeOf(error) }),
    );
    const late = this.options.clock
      .sleep(this.timeoutMs, controller.signal)
      .then(() => ({ kind: 'failed' as const, code }));
    try {
      return await Promise.race([work, late]);
    } finally {
      controller.abort();
    }
  }
}

function isSendable({ contentType }: QueueMessage): boolean {
  return contentTypeFault(contentType) === undefined;
}

function failureCodeOf(error: unknown): string {
  return error instanceof FilewrightError && error.code === 'REFUSED_BY_RULE'
    ? 'ADDRESS_REFUSED'
    : brokerCodeOf(error);
}
