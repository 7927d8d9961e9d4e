/** Messages that no wire can carry: their own fault, found when they come in, and never a failure of a target. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { consumeRabbit } from '../../src/dockets/brokers/rabbit-intake.ts';
import { consumeRedis } from '../../src/dockets/brokers/redis-intake.ts';
import type { MessageSink } from '../../src/dockets/brokers/message.ts';
import { docketMessageSink, importDockets } from '../../src/dockets/routing/intake.ts';
import { listBreakers } from '../../src/dockets/routing/recovery-acts.ts';
import { systemClock } from '../../src/system/clock.ts';
import {
  RABBIT_URL,
  rabbitBench,
  rabbitPresence,
  REDIS_URL,
  redisBench,
  redisPresence,
} from '../brokers/brokers.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { until } from '../delivery/waiting.ts';
import { REJECTION, Stage } from './stage.ts';

const rabbit = await rabbitPresence();
const redis = await redisPresence();

let server: Server;
let stage: Stage;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => server?.close());
afterEach(async () => stage?.close());

const UNSENDABLE = {
  'a header in a header': 'application/json\r\nx-injected: 1',
  'a line break': 'text/plain\n',
  'a bell': 'application/\u0007json',
  'a letter that HTTP has no byte for': 'application/jsön; note=\u4e16',
};

/** Every record of its own, so that each is a docket. */
const records = (types: readonly string[]) =>
  types.map((type, n) => ({
    type,
    text: JSON.stringify({ ...REJECTION, application_number: `18/77000${n}` }),
  }));

async function expectHealthyTargets(count: number): Promise<void> {
  await stage.router();
  await until(
    async () => (await stage.count(`docket where tenant = $1 and phase = 'manual'`)) === count,
    20_000,
  );
  // With a person, told why and what to do, byte for byte.
  await until(() => stage.endpoints.MANUAL.counts().size === count);
  expect(stage.endpoints.PRIMARY.taken).toEqual([]);
  for (const { breaker } of await listBreakers(stage.parts)) {
    expect(breaker).toEqual({ state: 'closed', failures: 0 });
  }
  const [alert] = await stage.read(
    `select text from alert where tenant = $1 and kind = 'message_set_aside'`,
  );
  expect(String(alert?.['text'])).toContain('content type cannot be sent');
  expect(String(alert?.['text'])).toMatch(/at character|characters/);
  expect(String(alert?.['text'])).toContain('Ask the sender to use one like');
  // A healthy endpoint goes on taking what is sound.
  await stage.feed(1);
  await until(() => stage.endpoints.PRIMARY.taken.length === 1);
  expect(await stage.isLedgerSound()).toBe(true);
}

async function consumed(
  consume: (desk: MessageSink, signal: AbortSignal) => Promise<void>,
  count: number,
): Promise<void> {
  const ending = new AbortController();
  const running = consume(docketMessageSink(stage.parts), ending.signal);
  await until(
    async () => (await stage.count('docket_message where tenant = $1')) === count,
    15_000,
  );
  ending.abort();
  await running;
}

describe.skipIf(rabbit.isMissing)(`an unsendable message of RabbitMQ${rabbit.note}`, () => {
  const bench = rabbitBench();

  it('is kept and goes to people, and no target pays for it', async () => {
    stage = await Stage.set(server);
    const queue = await bench.queue('unsendable');
    const all = records(Object.values(UNSENDABLE));
    for (const { type, text } of all) await bench.put(queue, [text], { contentType: type });
    await consumed(
      (desk, signal) =>
        consumeRabbit({ url: RABBIT_URL, queue, prefetch: 20, clock: systemClock }, desk, signal),
      all.length,
    );
    expect(await bench.ready(queue)).toBe(0);
    await expectHealthyTargets(all.length);
  });
});

describe.skipIf(redis.isMissing)(`an unsendable message of Redis${redis.note}`, () => {
  const bench = redisBench();

  it('is kept and goes to people, also where its type is longer than AMQP can write', async () => {
    stage = await Stage.set(server);
    const stream = bench.stream('unsendable');
    const all = records([...Object.values(UNSENDABLE), `text/plain; x=${'y'.repeat(300)}`]);
    for (const { type, text } of all) {
      await bench.redis().xadd(stream, '*', 'payload', text, 'content_type', type);
    }
    await consumed(
      (desk, signal) =>
        consumeRedis(
          {
            url: REDIS_URL,
            stream,
            group: 'g',
            consumer: 'c',
            prefetch: 20,
            clock: systemClock,
          },
          desk,
          signal,
        ),
      all.length,
    );
    await expectHealthyTargets(all.length);
  });
});

describe('an unsendable event of a program', () => {
  it.each(Object.entries(UNSENDABLE))(
    'with %s is refused with its place and a remedy',
    async (_name, contentType) => {
      stage = await Stage.set(server);
      const refused = importDockets(stage.parts, [{ ...stage.incoming({}), contentType }]);
      await expect(refused).rejects.toMatchObject({ code: 'MESSAGE_UNSENDABLE' });
      await expect(refused).rejects.toThrow(
        /test\.ndjson: .* at character \d+\. Ask the sender to use one like/,
      );
      expect(await stage.count('docket where tenant = $1')).toBe(0);
    },
  );
});
