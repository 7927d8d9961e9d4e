/**
 * The brokers of this machine, or of the environment. Where one does not answer, its tests are skipped and their titles
 * say so; with FILEWRIGHT_REQUIRE_BROKERS=1 they run all the same, and fail.
 */
import { randomUUID } from 'node:crypto';
import { afterAll } from 'vitest';
import { Redis } from 'ioredis';
import { Connection } from 'rabbitmq-client';
import { answers, type Presence } from '../../bench/own-brokers.ts';

export const RABBIT_URL =
  process.env['FILEWRIGHT_TEST_RABBITMQ_URL'] ?? 'amqp://guest:guest@127.0.0.1:5672';
/** The management API of the same broker. */
export const RABBIT_MANAGEMENT_URL =
  process.env['FILEWRIGHT_TEST_RABBITMQ_MANAGEMENT_URL'] ?? 'http://guest:guest@127.0.0.1:15672';
export const REDIS_URL = process.env['FILEWRIGHT_TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379';
const isRequired = process.env['FILEWRIGHT_REQUIRE_BROKERS'] === '1';

export const rabbitPresence = (): Promise<Presence> => presence('RabbitMQ', RABBIT_URL, 5672);
export const managementPresence = (): Promise<Presence> =>
  presence('RabbitMQ management', RABBIT_MANAGEMENT_URL, 15_672);
export const redisPresence = (): Promise<Presence> => presence('Redis', REDIS_URL, 6379);

async function presence(name: string, url: string, defaultPort: number): Promise<Presence> {
  const { hostname, port } = new URL(url);
  const isThere = await answers(hostname, port === '' ? defaultPort : Number(port));
  const isMissing = !isThere && !isRequired;
  return { isMissing, note: isMissing ? ` (skipped: no ${name} at ${hostname})` : '' };
}

/** A name that no other run uses. */
export const freshName = (kind: string): string => `filewright-test-${kind}-${randomUUID()}`;

/** A connection for what the tests themselves put in and look at; its queues are removed at the end. */
export function rabbitBench(url = RABBIT_URL) {
  let connection: Connection | undefined;
  const queues = new Set<string>();
  const open = (): Connection => {
    if (connection === undefined) {
      connection = new Connection({ url, retryLow: 100, retryHigh: 500 });
      connection.on('error', () => undefined);
    }
    return connection;
  };
  const bench = {
    async queue(kind: string): Promise<string> {
      const queue = freshName(kind);
      await bench.make(queue);
      return queue;
    },
    async make(queue: string): Promise<void> {
      queues.add(queue);
      await open().queueDeclare({ queue, durable: true });
    },
    async put(
      queue: string,
      bodies: readonly (Uint8Array | string)[],
      properties: Readonly<Record<string, unknown>> = {},
    ): Promise<void> {
      const publisher = open().createPublisher({ confirm: true });
      await Promise.all(
        bodies.map((body) =>
          publisher.send(
            { routingKey: queue, durable: true, ...properties },
            Buffer.from(body as Uint8Array), // Either kind makes a Buffer.
          ),
        ),
      );
      await publisher.close();
    },
    async ready(queue: string): Promise<number> {
      return (await open().queueDeclare({ queue, passive: true })).messageCount;
    },
    async take(queue: string) {
      return open().basicGet({ queue, noAck: true });
    },
    /** A consumer that takes so many, or all that comes, and acknowledges none until it is told to. */
    async hold(queue: string, prefetch = 0) {
      const channel = await open().acquire();
      await channel.basicQos({ prefetchCount: prefetch });
      const held: number[] = [];
      let isWell = false;
      await channel.basicConsume({ queue, noAck: false }, ({ deliveryTag }) => {
        if (isWell) channel.basicAck({ deliveryTag });
        else held.push(deliveryTag);
      });
      return {
        held: () => held.length,
        /** Acknowledges the oldest that it holds, and no other. */
        acknowledgeOne(): void {
          const deliveryTag = held.shift();
          if (deliveryTag !== undefined) channel.basicAck({ deliveryTag });
        },
        /** From now on it acknowledges what it has and what comes. */
        recover(): void {
          isWell = true;
          for (const deliveryTag of held.splice(0)) channel.basicAck({ deliveryTag });
        },
        close: () => channel.close(),
      };
    },
    async close(): Promise<void> {
      for (const queue of queues) await open().queueDelete(queue);
      await connection?.close();
      connection = undefined;
    },
  };
  afterAll(() => bench.close());
  return bench;
}

export function redisBench(url = REDIS_URL) {
  let redis: Redis | undefined;
  const keys = new Set<string>();
  const open = (): Redis => {
    if (redis === undefined) {
      redis = new Redis(url, { maxRetriesPerRequest: 5 });
      redis.on('error', () => undefined);
    }
    return redis;
  };
  afterAll(async () => {
    if (redis === undefined) return;
    if (keys.size > 0) await redis.del(...keys);
    redis.disconnect();
  });
  return {
    redis: open,
    stream(kind: string): string {
      const key = freshName(kind);
      keys.add(key);
      return key;
    },
  };
}
