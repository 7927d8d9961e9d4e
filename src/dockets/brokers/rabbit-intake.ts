/** Messages in from a RabbitMQ queue: acknowledged after our commit, and only then. */
import { type AsyncMessage, ConsumerStatus } from 'rabbitmq-client';
import { type Clock, instant, invariant, sha256Of } from '../../core/index.ts';
import type { LagWatch } from './lag-watch.ts';
import {
  type BrokerMessage,
  type BrokerTrouble,
  type MessageSink,
  messageIdOf,
} from './message.ts';
import { contentTypeOf, openRabbit, type RabbitAddress } from './rabbit-connection.ts';
import { settleMessage, textOf } from './settle-message.ts';

/** Commits under way and connections that hang get this long at the end; what is left is redelivered. */
const CLOSE_MS = 10_000;
export const PREFETCH_MAX = 1_000;

export interface RabbitIntake extends RabbitAddress {
  readonly queue: string;
  /** Messages in hand at once; with the broker's own limit on their size this bounds the memory. */
  readonly prefetch: number;
  /**
   * Declares the queue (durable) when it does not exist. Off by default: a mistyped name would make an empty queue that
   * nobody fills, and look healthy.
   */
  readonly create?: boolean;
  readonly clock: Pick<Clock, 'sleep' | 'now'>;
  readonly onTrouble?: (trouble: BrokerTrouble) => void;
  /** Told about each delivery, to know the lag. */
  readonly watch?: LagWatch;
}

/**
 * Consumes until `signal` aborts, through any number of lost connections and broker restarts.
 *
 * A crash before the commit: the broker redelivers. A crash after the commit, before the acknowledgement: the same, and
 * the sink knows the message by its id. Resolves when nothing is in hand any more.
 */
export async function consumeRabbit(
  intake: RabbitIntake,
  sink: MessageSink,
  signal: AbortSignal,
): Promise<void> {
  const { queue, prefetch, create = false, clock, watch } = intake;
  invariant(
    Number.isInteger(prefetch) && prefetch >= 1 && prefetch <= PREFETCH_MAX,
    `Expected a prefetch from 1 to ${PREFETCH_MAX}, found ${prefetch}.`,
  );
  const onTrouble = intake.onTrouble ?? (() => undefined);
  const tell = (code: BrokerTrouble['code']) => (error: unknown) =>
    onTrouble({ code, message: textOf(error) });
  if (signal.aborted) return;
  const connection = openRabbit(intake);
  connection.on('error', tell('connection'));
  const consumer = connection.createConsumer(
    {
      queue,
      queueOptions: create ? { durable: true } : { passive: true },
      qos: { prefetchCount: prefetch },
      concurrency: prefetch,
      requeue: true,
    },
    async (raw) => {
      const message = toMessage(raw, queue);
      const finished = watch?.delivered(message.sentAt);
      try {
        const end = await settleMessage(message, sink, { clock, signal, onTrouble });
        return end === 'done' ? ConsumerStatus.ACK : ConsumerStatus.REQUEUE;
      } finally {
        finished?.();
      }
    },
  );
  consumer.on('error', tell('consumer'));
  await aborted(signal);
  const closed = new AbortController();
  const closing = consumer
    .close()
    .then(() => connection.close())
    .catch(tell('connection'))
    .finally(() => closed.abort());
  await Promise.race([closing, clock.sleep(CLOSE_MS, closed.signal)]);
  // Whatever still hangs; the broker redelivers what was not acknowledged.
  connection.unsafeDestroy();
}

function toMessage(raw: AsyncMessage, queue: string): BrokerMessage {
  // The library types a body as anything; `openRabbit` makes it bytes.
  const bytes: unknown = raw.body;
  invariant(Buffer.isBuffer(bytes), 'Expected the exact bytes of a message.');
  return {
    id: messageIdOf(raw.messageId, bytes),
    bytes,
    sha256: sha256Of(bytes),
    contentType: contentTypeOf(raw.headers),
    sentAt: typeof raw.timestamp === 'number' ? instant(raw.timestamp * 1_000) : undefined,
    isRepeat: raw.redelivered,
    source: queue,
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
