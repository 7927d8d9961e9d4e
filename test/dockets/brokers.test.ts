/** Docket events from real brokers, and to them; queues that are too full. */
import { targetId } from '../../src/core/index.ts';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { consumeRabbit } from '../../src/dockets/brokers/rabbit-intake.ts';
import { consumeRedis } from '../../src/dockets/brokers/redis-intake.ts';
import { rabbitGauge } from '../../src/dockets/brokers/rabbit-saturation.ts';
import { rabbitPublisher } from '../../src/dockets/brokers/rabbit-publisher.ts';
import { docketMessageSink } from '../../src/dockets/routing/intake.ts';
import { rabbitManagement } from '../../src/dockets/routing/rabbit-management.ts';
import { systemClock } from '../../src/system/clock.ts';
import {
  freshName,
  managementPresence,
  RABBIT_MANAGEMENT_URL,
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
import { ANY_PRIVATE } from '../../src/wire/private-networks.ts';

const rabbit = await rabbitPresence();
const redis = await redisPresence();
const management = await managementPresence();

let server: Server;
let stage: Stage;
beforeAll(async () => {
  server = await startServer();
});
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
    const running = consumeRabbit(intake, docketMessageSink(stage.parts), ending.signal);
    await until(async () => (await stage.count('docket_message where tenant = $1')) === 4);
    await until(async () => (await bench.ready(queue)) === 0);
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
    await until(async () => (await stage.confirmed()) === 2);
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
    await until(async () => (await bench.ready(queue)) === 999);
    await stage.router({
      transport: {
        allowPrivateAddresses: () => ANY_PRIVATE,
        publish: (message, guard) => publisher.publish(message, guard),
      },
      queues: [{ queue, target: targetId('team'), gauge }],
      queueEveryMs: 50,
    });
    const readings = () =>
      stage.count('queue_reading where tenant = $1 and queue = $2 and backlog >= $3', [queue, 0]);
    await until(async () => (await readings()) === 1);
    await stage.feed(1);
    await until(async () => (await stage.confirmed()) === 1);
    expect(stage.endpoints.SECONDARY.taken).toEqual([]);
    await until(async () => (await bench.ready(queue)) === 1_000);
    await bench.put(queue, ['one more']);
    await until(
      async () =>
        (await stage.count(
          `queue_reading where tenant = $1 and jsonb_array_length(triggers) = 1`,
        )) === 1,
      10_000,
    );
    await stage.feed(1, { application_number: '18/2' });
    await until(async () => (await stage.confirmed()) === 2);
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

describe.skipIf(rabbit.isMissing)(`the queue of a target that stands still${rabbit.note}`, () => {
  const bench = rabbitBench();
  const LAG_MS_MAX = 3_000;
  const standing = () =>
    stage.count('queue_reading where tenant = $1 and jsonb_array_length(triggers) > 0');

  /** A firm whose team has a queue, a router that looks at it all the time, and nobody else. */
  async function routerTo(queue: string, managementUrl?: string, changes = {}): Promise<void> {
    stage = await Stage.set(server);
    const { matrix } = stage.documents() as { matrix: { targets: Record<string, object> } };
    await stage.activate({
      targets: {
        ...matrix.targets,
        team: { kind: 'rabbitmq', address: queue, party: 'team', ...changes },
      },
      policy: { lag_ms_max: LAG_MS_MAX },
    });
    const clock = systemClock;
    const publisher = rabbitPublisher({ url: RABBIT_URL, clock });
    onTestFinished(() => publisher.close());
    const place = { brokerUrl: RABBIT_URL, allowPrivateAddresses: ANY_PRIVATE, clock };
    const counting =
      managementUrl === undefined
        ? {}
        : { count: rabbitManagement({ url: managementUrl, ...place }) };
    await stage.router({
      transport: {
        allowPrivateAddresses: () => ANY_PRIVATE,
        publish: (message, guard) => publisher.publish(message, guard),
      },
      targetGauge: (of) => rabbitGauge({ url: RABBIT_URL, queue: of, clock, ...counting }),
      queueEveryMs: 200,
    });
  }

  const handedTo = async (docket: string | undefined): Promise<readonly unknown[]> =>
    (
      await stage.read(
        `select target from docket_handoff where tenant = $1 and docket = $2 and outcome = 'confirmed' order by started_at`,
        [docket],
      )
    ).map(({ target }) => target);

  async function standsStillAndRecovers(
    prefetch: number,
    managementUrl: string | undefined,
  ): Promise<void> {
    const queue = await bench.queue('standing');
    const consumer = await bench.hold(queue, prefetch);
    await bench.put(queue, ["somebody else's"]);
    await until(() => consumer.held() === 1);
    await routerTo(queue, managementUrl);
    const [first] = await stage.feed(1, { application_number: '18/1' });
    // Its broker has confirmed it; nobody has it.
    await until(async () => (await handedTo(first?.docket)).length === 1);
    expect(await handedTo(first?.docket)).toEqual(['team']);
    await until(async () => (await handedTo(first?.docket)).length === 2);
    expect(await handedTo(first?.docket)).toEqual(['team', 'lead']);
    const moved = (await stage.facts()).filter(({ type }) => type === 'docket.transition');
    expect(moved.map(({ data }) => data)).toMatchObject([
      { trigger: { code: 'QUEUE_LAG' }, evidence: { measure: 'lag_ms' } },
    ]);
    const [second] = await stage.feed(1, { application_number: '18/2' });
    await until(async () => (await handedTo(second?.docket)).length === 1);
    expect(await handedTo(second?.docket)).toEqual(['lead']);
    expect(await stage.count(`alert where tenant = $1 and kind = 'queue_saturated'`)).toBe(1);
    consumer.recover();
    await until(async () => (await standing()) === 0);
    const [third] = await stage.feed(1, { application_number: '18/3' });
    await until(async () => (await handedTo(third?.docket)).length === 1);
    expect(await handedTo(third?.docket)).toEqual(['team']);
    expect(stage.endpoints.SECONDARY.counts().size).toBe(2);
    await stage.stopRouters();
    await consumer.close();
  }

  it('because its consumer takes one message and no more is passed, its dockets go on, and it is used again when it falls', async () => {
    await standsStillAndRecovers(1, undefined);
  });

  it('is no matter where a person confirms: the confirm of its broker counts for nothing', async () => {
    const queue = await bench.queue('person');
    const consumer = await bench.hold(queue);
    await routerTo(queue, undefined, { confirmed_by: 'person' });
    await stage.feed(1);
    await until(() => consumer.held() === 1);
    const awaiting = () => stage.count(`docket where tenant = $1 and phase = 'awaiting'`);
    await until(async () => (await awaiting()) === 1);
    expect(await stage.confirmed()).toBe(0);
    await stage.stopRouters();
    await consumer.close();
  });

  it.skipIf(management.isMissing)(
    `because its consumer takes every message and acknowledges none is passed likewise${management.note}`,
    async () => {
      await standsStillAndRecovers(0, RABBIT_MANAGEMENT_URL);
    },
    90_000,
  );

  it.skipIf(management.isMissing)(
    `cannot be told from one that flows while its management API refuses us, and somebody hears that${management.note}`,
    async () => {
      const wrong = new URL(RABBIT_MANAGEMENT_URL);
      wrong.password = 'hush';
      const queue = await bench.queue('refused');
      await routerTo(queue, wrong.href);
      const texts = async () =>
        stage.read(`select text from alert where tenant = $1 and kind = 'queue_unseen'`);
      await until(async () => (await texts()).length === 1);
      expect(await texts()).toEqual([{ text: expect.stringContaining('HTTP_401') }]);
      expect(JSON.stringify(await texts())).not.toContain('hush');
      // What AMQP shows holds all the same: the queue is used.
      const [fed] = await stage.feed(1);
      await until(async () => (await handedTo(fed?.docket)).length === 1);
      expect(await handedTo(fed?.docket)).toEqual(['team']);
    },
    60_000,
  );
});

describe.skipIf(redis.isMissing)(`docket events from a Redis stream${redis.note}`, () => {
  const bench = redisBench();

  it('that a trimmed stream lost raise an alert for the operator', async () => {
    stage = await Stage.set(server);
    const desk = docketMessageSink(stage.parts);
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
    const running = consumeRedis(intake, docketMessageSink(stage.parts), ending.signal);
    await until(async () => (await dockets()) >= 1);
    await until(async () => {
      const pending = (await bench.redis().xpending(stream, 'filewright')) as [number];
      const groups = (await bench.redis().xinfo('GROUPS', stream)) as unknown[][];
      const lag = groups[0]?.[(groups[0]?.indexOf('lag') ?? 0) + 1];
      return pending[0] === 0 && lag === 0;
    });
    ending.abort();
    await running;
    expect(await dockets()).toBe(1);
  });
});
