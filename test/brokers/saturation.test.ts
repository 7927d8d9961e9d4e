/** Measured on the real brokers, on both sides of the thresholds: 1,000 / 1,001 messages, 59 s / 61 s behind. */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { consumeRabbit } from '../../src/dockets/brokers/rabbit-intake.ts';
import { LagWatch } from '../../src/dockets/brokers/lag-watch.ts';
import { ownQueueGauge, rabbitLag, type Saturation } from '../../src/dockets/brokers/saturation.ts';
import { rabbitGauge } from '../../src/dockets/brokers/rabbit-saturation.ts';
import { redisGauge } from '../../src/dockets/brokers/redis-saturation.ts';
import { instant } from '../../src/core/time.ts';
import { rabbitManagement } from '../../src/dockets/routing/rabbit-management.ts';
import { triggersOf } from '../../src/dockets/rules/routing/triggers.ts';
import { systemClock } from '../../src/system/clock.ts';
import { until } from '../delivery/waiting.ts';
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
} from './brokers.ts';
import { during, memorySink } from './sinks.ts';
import { ANY_PRIVATE } from '../../src/wire/private-networks.ts';

const rabbit = await rabbitPresence();
const redis = await redisPresence();
const management = await managementPresence();

/** The triggers that follow with the default thresholds. */
function codesOf(saturation: Saturation): readonly string[] {
  if (saturation.kind === 'unmeasured') throw new Error(`${saturation.code} ${saturation.message}`);
  const { backlog, lagMs } = saturation;
  return triggersOf({ kind: 'queue', queue: 'q', backlog, lagMs }).map(({ code }) => code);
}

describe.skipIf(rabbit.isMissing)(`a RabbitMQ queue${rabbit.note}`, () => {
  const bench = rabbitBench();
  const gauge = (options: Omit<Parameters<typeof rabbitGauge>[0], 'url'>) => {
    const one = rabbitGauge({ url: RABBIT_URL, ...options });
    onTestFinished(() => one.close());
    return one;
  };

  it('of 1,000 messages is no backlog, of 1,001 it is', async () => {
    const queue = await bench.queue('backlog');
    const one = gauge({ queue, clock: { now: () => instant(0) } });
    expect(await one.measure()).toMatchObject({ backlog: 0, lagMs: 0 });
    await bench.put(
      queue,
      Array.from({ length: 1_000 }, () => 'x'),
    );
    await until(async () => (await bench.ready(queue)) === 1_000);
    expect(codesOf(await one.measure())).toEqual([]);
    await bench.put(queue, ['x']);
    await until(async () => (await bench.ready(queue)) === 1_001);
    const full = await one.measure();
    expect(codesOf(full)).toEqual(['QUEUE_BACKLOG']);
    expect(full).toMatchObject({ backlog: 1_001, evidence: { ready: 1_001, consumers: 0 } });
  });

  it('counts what its consumer holds, and is 59 s or 61 s behind by the stamps of it', async () => {
    const queue = await bench.queue('lag');
    const sentS = 1_900_000_000;
    let nowMs = sentS * 1_000;
    const clock = { ...systemClock, now: () => instant(nowMs) };
    const watch = new LagWatch(clock);
    const one = gauge({ queue, clock, watch });
    await bench.put(queue, ['a', 'b', 'c'], { timestamp: sentS });
    const sink = memorySink();
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    sink.before = () => held;
    const place = { url: RABBIT_URL, queue, prefetch: 2, clock, watch };
    await during(
      (signal) => consumeRabbit(place, sink, signal),
      async () => {
        await until(() => sink.calls() === 2);
        nowMs = (sentS + 59) * 1_000;
        const before = await one.measure();
        expect(codesOf(before)).toEqual([]);
        expect(before).toMatchObject({ backlog: 3, lagMs: 59_000, evidence: { inHand: 2 } });
        nowMs = (sentS + 61) * 1_000;
        const after = await one.measure();
        expect(codesOf(after)).toEqual(['QUEUE_LAG']);
        expect(after).toMatchObject({ lagMs: 61_000, evidence: { lagBasis: 'stamp' } });
        release?.();
        await until(() => sink.effects.size === 3);
        await until(
          async () => (await one.measure()).kind === 'measured' && watch.read().inHand === 0,
          10_000,
        );
        expect(await one.measure()).toMatchObject({ backlog: 0, lagMs: 0 });
      },
    );
  });

  it('that no one consumes is behind by the time since that was first seen', async () => {
    const queue = await bench.queue('stalled');
    let nowMs = 1_900_000_000_000;
    const one = gauge({ queue, clock: { now: () => instant(nowMs) } });
    await bench.put(queue, ['a']);
    await until(async () => (await bench.ready(queue)) === 1);
    expect(await one.measure()).toMatchObject({ backlog: 1, lagMs: 0 });
    nowMs += 59_000;
    expect(codesOf(await one.measure())).toEqual([]);
    nowMs += 2_000;
    const late = await one.measure();
    expect(codesOf(late)).toEqual(['QUEUE_LAG']);
    expect(late).toMatchObject({ lagMs: 61_000, evidence: { lagBasis: 'stalled' } });
  });

  it('is not touched by being measured', async () => {
    const queue = await bench.queue('untouched');
    await bench.put(queue, ['a']);
    await until(async () => (await bench.ready(queue)) === 1);
    const one = gauge({ queue, clock: systemClock });
    for (let n = 0; n < 25; n += 1) await one.measure();
    expect(await bench.take(queue)).toMatchObject({ redelivered: false });
  });

  it('that does not exist, or has no broker, is not measured and says why', async () => {
    const one = gauge({ queue: freshName('missing'), clock: systemClock });
    expect(await one.measure()).toMatchObject({ kind: 'unmeasured', code: 'NOT_FOUND' });
    // And the gauge is not spoilt by it.
    expect(await one.measure()).toMatchObject({ kind: 'unmeasured', code: 'NOT_FOUND' });
  });
});

describe.skipIf(rabbit.isMissing || management.isMissing)(
  `a RabbitMQ queue and its management API${rabbit.note}${management.note}`,
  () => {
    const bench = rabbitBench();
    const counter = (changes: Partial<Parameters<typeof rabbitManagement>[0]> = {}) =>
      rabbitManagement({
        url: RABBIT_MANAGEMENT_URL,
        brokerUrl: RABBIT_URL,
        allowPrivateAddresses: ANY_PRIVATE,
        clock: systemClock,
        ...changes,
      });
    let nowMs = 1_900_000_000_000;
    const gauge = (queue: string, count: ReturnType<typeof counter> | 'none' = counter()) => {
      const one = rabbitGauge({
        url: RABBIT_URL,
        queue,
        clock: { now: () => instant(nowMs) },
        ...(count === 'none' ? {} : { count }),
      });
      onTestFinished(() => one.close());
      return one;
    };
    /** The broker counts every five seconds. */
    const counted = (queue: string, wanted: { ready: number; unacknowledged: number }) =>
      until(async () => {
        const seen = await counter()(queue);
        return (
          seen.kind === 'counted' &&
          seen.ready === wanted.ready &&
          seen.unacknowledged === wanted.unacknowledged
        );
      });

    it('whose consumer takes everything and acknowledges nothing is behind by the time since that was first seen', async () => {
      const queue = await bench.queue('held');
      const consumer = await bench.hold(queue);
      await bench.put(queue, ['a', 'b']);
      await until(() => consumer.held() === 2);
      await counted(queue, { ready: 0, unacknowledged: 2 });
      const [one, blind] = [gauge(queue), gauge(queue, 'none')];
      expect(await one.measure()).toMatchObject({ backlog: 2, lagMs: 0 });
      await blind.measure();
      // A minute, and the five seconds by which the counts may be old.
      nowMs += 64_000;
      expect(codesOf(await one.measure())).toEqual([]);
      // More that comes, and is taken likewise, is no sign of life.
      await bench.put(queue, ['c']);
      await counted(queue, { ready: 0, unacknowledged: 3 });
      nowMs += 2_000;
      const late = await one.measure();
      expect(codesOf(late)).toEqual(['QUEUE_LAG']);
      expect(late).toMatchObject({
        backlog: 3,
        lagMs: 61_000,
        evidence: { lagBasis: 'stalled', ready: 0, unacknowledged: 3 },
      });
      // What AMQP alone shows of the same queue.
      expect(await blind.measure()).toMatchObject({
        backlog: 0,
        lagMs: 0,
        evidence: { lagBasis: 'empty' },
      });
      consumer.recover();
      await counted(queue, { ready: 0, unacknowledged: 0 });
      expect(await one.measure()).toMatchObject({ backlog: 0, lagMs: 0 });
      await consumer.close();
    });

    it('flows while one message is acknowledged for each that comes, however many its consumer holds', async () => {
      const queue = await bench.queue('flowing');
      const consumer = await bench.hold(queue);
      await bench.put(queue, ['a', 'b', 'c']);
      await counted(queue, { ready: 0, unacknowledged: 3 });
      const one = gauge(queue);
      await one.measure();
      nowMs += 60_000;
      const finished = async () => {
        const seen = await counter()(queue);
        return seen.kind === 'counted' ? seen.finished : undefined;
      };
      const before = await finished();
      consumer.acknowledgeOne();
      await bench.put(queue, ['d']);
      await until(async () => (await finished()) !== before);
      await counted(queue, { ready: 0, unacknowledged: 3 });
      expect(await one.measure()).toMatchObject({ backlog: 3, lagMs: 0 });
      nowMs += 60_000;
      expect(codesOf(await one.measure())).toEqual([]);
      await consumer.close();
    });

    it.each([
      ['a wrong password', 'HTTP_401', { url: 'http://guest:wrong@127.0.0.1:15672' }],
      ['nobody who listens', 'CONNECT', { url: 'http://guest:guest@127.0.0.1:1' }],
      ['an address that is not allowed', 'ADDRESS_REFUSED', { isPublicOnly: true }],
    ] as const)(
      'is still measured over AMQP with %s, and says what it cannot see',
      async (_title, code, how) => {
        const queue = await bench.queue('unseen');
        await bench.put(queue, ['a']);
        await until(async () => (await bench.ready(queue)) === 1);
        const changes =
          'url' in how
            ? { url: how.url }
            : ({
                url: 'https://guest:guest@127.0.0.1:15672',
                allowPrivateAddresses: false,
              } as const);
        const seen = await gauge(queue, counter(changes)).measure();
        expect(seen).toMatchObject({ kind: 'measured', backlog: 1, unseen: code });
        expect(JSON.stringify(seen)).not.toMatch(/wrong|guest/);
      },
    );

    it.each([
      ['never answers', () => undefined],
      [
        'answers one byte at a time',
        (socket: Socket) => {
          socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
          const timer = setInterval(() => socket.write(' '), 50);
          socket.once('close', () => clearInterval(timer));
        },
      ],
      [
        'answers without an end',
        (socket: Socket) => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
          const more = (): void => {
            while (!socket.destroyed && socket.write(Buffer.alloc(65_536, ' ')));
          };
          socket.on('drain', more);
          more();
        },
      ],
      [
        'answers something else',
        (socket: Socket) => {
          socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
        },
      ],
    ])('with a management API that %s is measured without it, in time', async (_title, answer) => {
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => answer(socket));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void server.close());
      const queue = await bench.queue('slow');
      // A listening TCP server has an address object.
      const { port } = server.address() as AddressInfo;
      const url = `http://guest:guest@127.0.0.1:${port}`;
      const startedMs = performance.now();
      const seen = await gauge(queue, counter({ url, timeoutMs: 400 })).measure();
      expect(seen).toMatchObject({ kind: 'measured', backlog: 0, unseen: expect.any(String) });
      expect(performance.now() - startedMs).toBeLessThan(3_000);
    });
  },
);

describe('the address of a management API', () => {
  const read = (url: string, isPrivate: boolean) => () =>
    rabbitManagement({
      url,
      brokerUrl: 'amqp://a:b@broker.example/firm',
      allowPrivateAddresses: isPrivate && ANY_PRIVATE,
      clock: systemClock,
    });

  it.each([
    ['broker.example:15672', true],
    ['amqp://guest:hush@broker.example', true],
    ['https://guest:hush%@broker.example', true],
    ['http://guest:hush@broker.example:15672', false],
  ])('%s (private: %s) is refused, without its password in the message', (url, isPrivate) => {
    expect(read(url, isPrivate)).toThrow(/FILEWRIGHT_RABBITMQ_MANAGEMENT_URL/);
    expect(read(url, isPrivate)).not.toThrow(/hush/);
  });

  it('is https, or http where private addresses are allowed', () => {
    expect(read('https://guest:hush@broker.example', false)).not.toThrow();
    expect(read('http://guest:hush@broker.example:15672/prefix/', true)).not.toThrow();
  });
});

describe('the lag of a RabbitMQ queue', () => {
  const now = instant(1_000_000);
  const nothing = {
    inHand: 0,
    oldestInHand: undefined,
    oldestDelivery: undefined,
    lastDelivery: undefined,
    finishedPerSecond: undefined,
  };
  const counts = { ready: 10, consumers: 1, untouchedSince: undefined };

  it('is by the pace of the consumers where messages have no stamp', () => {
    const reading = {
      ...nothing,
      finishedPerSecond: 0.5,
      lastDelivery: { at: now, sentAt: undefined },
    };
    expect(rabbitLag({ ...counts, ready: 30 }, reading, now)).toEqual({
      lagMs: 60_000,
      basis: 'rate',
    });
    expect(rabbitLag({ ...counts, ready: 30, consumers: 2 }, reading, now).lagMs).toBe(30_000);
  });

  it('is nothing for a message of a sender whose clock is ahead, and unknown without any sign', () => {
    const ahead = { ...nothing, inHand: 1, oldestInHand: instant(2_000_000) };
    expect(rabbitLag({ ...counts, ready: 0 }, ahead, now).lagMs).toBe(0);
    expect(rabbitLag(counts, undefined, now)).toEqual({ lagMs: 0, basis: 'unknown' });
  });

  it('of an unstamped message in hand is at least the time since its delivery', () => {
    const held = { ...nothing, inHand: 1, oldestDelivery: instant(900_000) };
    expect(rabbitLag(counts, held, now)).toEqual({ lagMs: 100_000, basis: 'in_hand' });
  });
});

describe.skipIf(redis.isMissing)(`a Redis stream${redis.note}`, () => {
  const bench = redisBench();
  const gauge = (stream: string) => {
    const one = redisGauge({ url: REDIS_URL, stream, group: 'g' });
    onTestFinished(() => one.close());
    return one;
  };
  const redisMs = async (): Promise<number> => {
    const [seconds, micros] = await bench.redis().time();
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  };

  it('of 1,000 entries is no backlog, of 1,001 it is; what is pending counts', async () => {
    const stream = bench.stream('backlog');
    const client = bench.redis();
    await client.xgroup('CREATE', stream, 'g', '0', 'MKSTREAM');
    const one = gauge(stream);
    expect(await one.measure()).toMatchObject({ backlog: 0, lagMs: 0 });
    const pipeline = client.pipeline();
    for (let n = 0; n < 1_000; n += 1) pipeline.xadd(stream, '*', 'payload', 'x');
    await pipeline.exec();
    await client.xreadgroup('GROUP', 'g', 'c', 'COUNT', 400, 'STREAMS', stream, '>');
    const full = await one.measure();
    expect(codesOf(full)).toEqual([]);
    expect(full).toMatchObject({ backlog: 1_000, evidence: { undelivered: 600, pending: 400 } });
    const last = await client.xadd(stream, '*', 'payload', 'x');
    expect(codesOf(await one.measure())).toEqual(['QUEUE_BACKLOG']);
    // Redis loses count when an entry is deleted from the middle; it is then counted by hand.
    await client.xadd(stream, '*', 'payload', 'x');
    await client.xdel(stream, last ?? '');
    expect(await one.measure()).toMatchObject({
      backlog: 1_001,
      evidence: { countedBy: 'reading at most 10000' },
    });
  });

  it.each([
    ['waits to be delivered', 59, false, []],
    ['waits to be delivered', 61, false, ['QUEUE_LAG']],
    ['was delivered and not acknowledged', 59, true, []],
    ['was delivered and not acknowledged', 61, true, ['QUEUE_LAG']],
  ] as const)(
    'whose oldest entry %s for %s s is that far behind',
    async (_title, seconds, isDelivered, codes) => {
      const client = bench.redis();
      let found: Saturation | undefined;
      // On a machine that stands still for a second between the entry and the measurement, 59 s are 60 s: once more.
      await until(async () => {
        const stream = bench.stream('lag');
        await client.xgroup('CREATE', stream, 'g', '0', 'MKSTREAM');
        const one = gauge(stream);
        await one.measure();
        const sentMs = (await redisMs()) - seconds * 1_000;
        await client.xadd(stream, `${sentMs}-0`, 'payload', 'x');
        await client.xadd(stream, '*', 'payload', 'a younger one');
        if (isDelivered) {
          await client.xreadgroup('GROUP', 'g', 'c', 'COUNT', 10, 'STREAMS', stream, '>');
        }
        found = await one.measure();
        return found.kind === 'measured' && found.lagMs < (seconds + 1) * 1_000;
      });
      expect(found).toMatchObject({ backlog: 2, evidence: { lagBasis: 'entry_id' } });
      expect(found === undefined ? [] : codesOf(found)).toEqual(codes);
    },
  );

  it('without the group, or that does not exist, is not measured and says why', async () => {
    const stream = bench.stream('missing');
    expect(await gauge(stream).measure()).toMatchObject({ kind: 'unmeasured' });
    await bench.redis().xadd(stream, '*', 'payload', 'x');
    expect(await gauge(stream).measure()).toMatchObject({ kind: 'unmeasured', code: 'NOGROUP' });
  });
});

describe('our own queue', () => {
  it.each([
    [1_000, 59_000, []],
    [1_001, 59_000, ['QUEUE_BACKLOG']],
    [1_000, 61_000, ['QUEUE_LAG']],
    [0, undefined, []],
  ] as const)('of %s with its oldest %s ms old', async (backlog, ageMs, codes) => {
    const now = instant(1_900_000_000_000);
    const oldestDueAt = ageMs === undefined ? undefined : instant(now - ageMs);
    const gauge = ownQueueGauge(async () => ({ backlog, oldestDueAt }), { now: () => now });
    expect(codesOf(await gauge.measure())).toEqual(codes);
    await gauge.close();
  });
});
