/** Brokers that the test itself started are killed while messages come in. */
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { consumeRabbit } from '../../src/dockets/brokers/rabbit-intake.ts';
import { consumeRedis } from '../../src/dockets/brokers/redis-intake.ts';
import { rabbitPublisher } from '../../src/dockets/brokers/rabbit-publisher.ts';
import { systemClock } from '../../src/system/clock.ts';
import { pass, until } from '../delivery/waiting.ts';
import { rabbitBench } from './brokers.ts';
import { during, memorySink } from './sinks.ts';
import { ownRabbit, ownRedis, startOwnRabbit, startOwnRedis } from '../../bench/own-brokers.ts';

const FREE = { mayWrite: () => true, signal: new AbortController().signal };

describe.skipIf(ownRedis.isMissing)(`a Redis that is killed and restarted${ownRedis.note}`, () => {
  it('loses no message and repeats no effect', async () => {
    const broker = await startOwnRedis();
    const sender = new Redis(broker.url, { maxRetriesPerRequest: null });
    sender.on('error', () => undefined);
    const sink = memorySink();
    const place = { url: broker.url, stream: 's', group: 'g', consumer: 'one', create: true };
    const sent = new Set<string>();
    const send = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n += 1) {
        const id = randomUUID();
        await sender.xadd('s', '*', 'payload', 'text', 'message_id', id);
        sent.add(id);
      }
    };
    try {
      await during(
        (signal) => consumeRedis({ ...place, prefetch: 5, clock: systemClock }, sink, signal),
        async () => {
          for (let round = 0; round < 3; round += 1) {
            await send(40);
            await broker.killAndRestart();
          }
          await send(10);
          await until(() => sink.effects.size >= sent.size);
        },
      );
      expect([...sent].filter((id) => !sink.effects.has(id))).toEqual([]);
      const [pending] = (await sender.xpending('s', 'g')) as [number];
      expect(pending).toBe(0);
    } finally {
      sender.disconnect();
      await broker.close();
    }
  });
});

describe.skipIf(ownRabbit.isMissing)(
  `a RabbitMQ that is killed and restarted${ownRabbit.note}`,
  () => {
    it('loses no confirmed message, and the consumer and the publisher go on by themselves', async () => {
      const broker = await startOwnRabbit();
      const bench = rabbitBench(broker.url);
      const publisher = rabbitPublisher({ url: broker.url, clock: systemClock });
      const sink = memorySink();
      const confirmed = new Set<string>();
      const send = async (queue: string, count: number): Promise<void> => {
        for (let n = 0; n < count; n += 1) {
          const id = randomUUID();
          const message = { queue, id, bytes: Buffer.from(id), contentType: 'text/plain' };
          // As the escalation does with a notice: the same message id until it is confirmed.
          await until(async () => {
            const { kind } = await publisher.publish(message, FREE);
            if (kind !== 'confirmed') await pass(100);
            return kind === 'confirmed';
          });
          confirmed.add(id);
        }
      };
      try {
        const queue = await bench.queue('restart');
        await during(
          (signal) =>
            consumeRabbit(
              { url: broker.url, queue, prefetch: 5, clock: systemClock },
              sink,
              signal,
            ),
          async () => {
            await send(queue, 40);
            const sending = send(queue, 40);
            await broker.killAndRestart();
            await sending;
            await until(() => sink.effects.size >= confirmed.size);
          },
        );
        expect([...confirmed].filter((id) => !sink.effects.has(id))).toEqual([]);
        expect(confirmed.size).toBe(80);
        expect(await bench.ready(queue)).toBe(0);
      } finally {
        await publisher.close();
        await bench.close();
        await broker.close();
      }
    });
  },
);
