/** Docket events from real brokers, and to them; queues that are too full. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  consumeRabbit,
  consumeRedis,
  rabbitGauge,
  rabbitPublisher,
} from '../../src/brokers/index.ts';
import { docketMessageDesk } from '../../src/routing/index.ts';
import { systemClock } from '../../src/system/index.ts';
import {
  freshName,
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
}, 60_000);
afterAll(async () => server?.close());
afterEach(async () => stage?.close());

const dockets = () => stage.count('docket where tenant = $1');

describe.skipIf(rabbit.isMissing)(`docket events and RabbitMQ${rabbit.note}`, () => {
  const bench = rabbitBench();

  it('are committed before they are acknowledged, once each, and what cannot be read is a docket too', async () => {
    stage = await Stage.set(server);
    const queue = await bench.queue('dockets');
    const event = JSON.stringify(REJECTION);
    const { filing_date, ...rest } = REJECTION;
    const drift = JSON.stringify({ ...rest, application_number: '18/5', date_filed: filing_date });
    await bench.put(queue, [event], { messageId: 'm-1', contentType: 'application/json' });
    await bench.put(queue, [event], { messageId: 'm-2', contentType: 'application/json' });
    await bench.put(queue, [drift], { messageId: 'm-3', contentType: 'application/json' });
    await bench.put(queue, ['no json at all'], { messageId: 'm-4' });
    const ending = new AbortController();
    const intake = { url: RABBIT_URL, queue, prefetch: 20, clock: systemClock };
    const running = consumeRabbit(intake, docketMessageDesk(stage.parts), ending.signal);
    await until(async () => (await stage.count('docket_message where tenant = $1')) === 4, 15_000);
    await until(async () => (await bench.ready(queue)) === 0, 10_000);
    ending.abort();
    await running;
    expect(await dockets()).toBe(3);
    const rows = await stage.read(
      `select docket->>'eventCode' as code, activation->'trigger'->>'code' as trigger from docket
       where tenant = $1 order by 1, 2 nulls last`,
    );
    expect(rows).toEqual([
      { code: 'CTNF', trigger: null },
      { code: 'SCHEMA_DRIFT', trigger: 'SCHEMA_DRIFT' },
      { code: 'SCHEMA_DRIFT', trigger: null },
    ]);
    // Drift leaves the primary tier at once, with its evidence; who cannot be told from its labels is not shown it.
    await stage.router();
    await until(
      async () => (await stage.count(`docket where tenant = $1 and phase = 'manual'`)) === 1,
      10_000,
    );
    await until(async () => (await stage.confirmed()) === 2, 10_000);
    const triggered = (await stage.facts()).find(
      ({ type, data }) => type === 'docket.transition' && data['reason'] === 'TRIGGERED',
    );
    expect(triggered?.data).toMatchObject({ evidence: { measured: ['filing_date renamed'] } });
  });

  it('a queue of more than 1,000 before a target sends its dockets to the next tier; 1,000 does nothing', async () => {
    stage = await Stage.set(server);
    const queue = await bench.queue('full');
    const { matrix } = stage.documents() as { matrix: { targets: Record<string, object> } };
    await stage.activate({
      targets: { ...matrix.targets, team: { kind: 'rabbitmq', address: queue, party: 'team' } },
    });
    const publisher = rabbitPublisher({ url: RABBIT_URL, clock: systemClock });
    const gauge = rabbitGauge({ url: RABBIT_URL, queue, clock: systemClock });
    await bench.put(
      queue,
      Array.from({ length: 999 }, () => 'x'),
    );
    await until(async () => (await bench.ready(queue)) === 999, 10_000);
    await stage.router({
      transport: {
        allowPrivateAddresses: () => true,
        publish: (message, guard) => publisher.publish(message, guard),
      },
      queues: [{ queue, target: 'team', gauge }],
      queueEveryMs: 50,
    });
    const readings = () =>
      stage.count('queue_reading where tenant = $1 and queue = $2 and backlog >= $3', [queue, 0]);
    await until(async () => (await readings()) === 1, 10_000);
    await stage.feed(1);
    await until(async () => (await stage.confirmed()) === 1, 10_000);
    expect(stage.endpoints.SECONDARY.taken).toEqual([]);
    await until(async () => (await bench.ready(queue)) === 1_000, 10_000);
    await bench.put(queue, ['one more']);
    await until(
      async () =>
        (await stage.count(
          `queue_reading where tenant = $1 and jsonb_array_length(triggers) = 1`,
        )) === 1,
      10_000,
    );
    await stage.feed(1, { application_number: '18/2' });
    await until(async () => (await stage.confirmed()) === 2, 10_000);
    expect(stage.endpoints.SECONDARY.taken).toHaveLength(1);
    expect(await bench.ready(queue)).toBe(1_001);
    const transition = (await stage.facts()).find(({ type }) => type === 'docket.transition');
    expect(transition?.data).toMatchObject({
      reason: 'TRIGGERED',
      evidence: { measure: 'backlog', measured: 1_001, threshold: 'more than 1000' },
    });
    await stage.stopRouters();
    await publisher.close();
  });
});

describe.skipIf(redis.isMissing)(`docket events from a Redis stream${redis.note}`, () => {
  const bench = redisBench();

  it('that a trimmed stream lost raise an alert for whoever runs the place', async () => {
    stage = await Stage.set(server);
    const desk = docketMessageDesk(stage.parts);
    await desk.noteLoss('dockets');
    await desk.noteLoss('dockets');
    const rows = await stage.read(
      `select severity, raised, text from alert where tenant = $1 and kind = 'message_lost'`,
    );
    expect(rows).toEqual([
      { severity: 'critical', raised: 2, text: expect.stringContaining('dockets was trimmed') },
    ]);
  });

  it('are committed before they are acknowledged, once each', async () => {
    stage = await Stage.set(server);
    const stream = bench.stream('dockets');
    const event = JSON.stringify(REJECTION);
    const send = () => bench.redis().xadd(stream, '*', 'id', 'm-1', 'body', event);
    await send();
    await send();
    const ending = new AbortController();
    const intake = {
      url: REDIS_URL,
      stream,
      group: 'filewright',
      consumer: freshName('consumer'),
      prefetch: 10,
      clock: systemClock,
    };
    const running = consumeRedis(intake, docketMessageDesk(stage.parts), ending.signal);
    await until(async () => (await dockets()) >= 1, 15_000);
    await until(async () => {
      const pending = (await bench.redis().xpending(stream, 'filewright')) as [number];
      const groups = (await bench.redis().xinfo('GROUPS', stream)) as unknown[][];
      const lag = groups[0]?.[(groups[0]?.indexOf('lag') ?? 0) + 1];
      return pending[0] === 0 && lag === 0;
    }, 15_000);
    ending.abort();
    await running;
    expect(await dockets()).toBe(1);
  });
});
