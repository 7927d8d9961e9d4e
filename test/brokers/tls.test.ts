/** amqps:// and rediss:// to the real brokers, through a TLS listener of this test whose authority is configured. */
import { writeFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { trustIn } from '../../src/dockets/acts/broker-address.ts';
import { consumeRabbit } from '../../src/dockets/brokers/rabbit-intake.ts';
import { consumeRedis } from '../../src/dockets/brokers/redis-intake.ts';
import { rabbitGauge } from '../../src/dockets/brokers/rabbit-saturation.ts';
import { rabbitPublisher } from '../../src/dockets/brokers/rabbit-publisher.ts';
import { redisGauge } from '../../src/dockets/brokers/redis-saturation.ts';
import { systemClock } from '../../src/system/clock.ts';
import { until } from '../delivery/waiting.ts';
import { TLS } from '../notify/mail-server.ts';
import {
  RABBIT_URL,
  rabbitBench,
  rabbitPresence,
  REDIS_URL,
  redisBench,
  redisPresence,
} from './brokers.ts';
import { during, memorySink, troubles } from './sinks.ts';
import { tlsFront } from './tls-front.ts';

const rabbit = await rabbitPresence();
const redis = await redisPresence();
const FREE = { mayWrite: () => true, signal: new AbortController().signal };
const trusted = { certificateAuthorities: [TLS.cert] };

/** The address of a broker with another scheme and place, and the same log-in. */
function behind(url: string, scheme: string, host: string, port: number): string {
  const { username, password } = new URL(url);
  const login = username === '' ? '' : `${username}:${password}@`;
  return `${scheme}://${login}${host}:${port}`;
}

function publisherTo(url: string, trust: { certificateAuthorities?: readonly string[] }) {
  const publisher = rabbitPublisher({ url, clock: systemClock, ...trust });
  onTestFinished(() => publisher.close());
  return publisher;
}

describe.skipIf(rabbit.isMissing)(`RabbitMQ behind TLS${rabbit.note}`, () => {
  const bench = rabbitBench();
  const message = (queue: string) => ({
    queue,
    id: 'm-1',
    bytes: Buffer.from('{"a":1}'),
    contentType: 'application/x-docket',
  });
  const front = async (host = '127.0.0.1') =>
    behind(RABBIT_URL, 'amqps', host, await tlsFront(RABBIT_URL, 5672));

  it('takes, gives and is measured, where its authority is configured', async () => {
    const [queue, url] = [await bench.queue('tls'), await front()];
    const sent = await publisherTo(url, trusted).publish(message(queue), FREE);
    expect(sent).toMatchObject({ kind: 'confirmed' });
    const gauge = rabbitGauge({ url, queue, clock: systemClock, ...trusted });
    onTestFinished(() => gauge.close());
    expect(await gauge.measure()).toMatchObject({ kind: 'measured', backlog: 1 });
    const sink = memorySink();
    const intake = { url, queue, prefetch: 5, clock: systemClock, ...trusted };
    await during(
      (signal) => consumeRabbit(intake, sink, signal),
      () => until(() => sink.effects.size === 1),
    );
  });

  it.each([
    ['an authority that is not configured', '127.0.0.1', {}, /SELF_SIGNED|UNABLE_TO/],
    ['another name', '127.0.0.2', trusted, /ALTNAME/],
  ])(
    'with a certificate of %s gets nothing, and says so at once',
    async (_whose, host, trust, why) => {
      const [queue, url] = [await bench.queue('tls'), await front(host)];
      const startedAt = performance.now();
      expect(await publisherTo(url, trust).publish(message(queue), FREE)).toMatchObject({
        kind: 'not_sent',
        code: 'BROKER_CERTIFICATE',
      });
      expect(performance.now() - startedAt).toBeLessThan(2_000);
      expect(await bench.ready(queue)).toBe(0);
      const gauge = rabbitGauge({ url, queue, clock: systemClock, ...trust });
      onTestFinished(() => gauge.close());
      const seen = await gauge.measure();
      expect(seen).toMatchObject({ kind: 'unmeasured', code: 'BROKER_CERTIFICATE' });
      expect(JSON.stringify(seen)).toMatch(why);
      expect(JSON.stringify(seen)).not.toContain('guest:guest');
    },
  );
});

describe.skipIf(redis.isMissing)(`Redis behind TLS${redis.note}`, () => {
  const bench = redisBench();
  const front = async (host = '127.0.0.1') =>
    behind(REDIS_URL, 'rediss', host, await tlsFront(REDIS_URL, 6379));
  const intake = (url: string, stream: string) => ({
    url,
    stream,
    group: 'dockets',
    consumer: 'one',
    prefetch: 5,
    create: true,
    clock: systemClock,
  });

  it('gives and is measured, where its authority is configured', async () => {
    const [stream, url] = [bench.stream('tls'), await front()];
    await bench.redis().xadd(stream, '*', 'payload', 'one', 'message_id', 'm-1');
    const sink = memorySink();
    await during(
      (signal) => consumeRedis({ ...intake(url, stream), ...trusted }, sink, signal),
      () => until(() => sink.effects.size === 1),
    );
    const gauge = redisGauge({ url, stream, group: 'dockets', ...trusted });
    onTestFinished(() => gauge.close());
    expect(await gauge.measure()).toMatchObject({ kind: 'measured', backlog: 0 });
  });

  it.each([
    ['an authority that is not configured', '127.0.0.1', {}],
    ['another name', '127.0.0.2', trusted],
  ])(
    'with a certificate of %s gives nothing, and the reason is told',
    async (_whose, host, trust) => {
      const [stream, url] = [bench.stream('tls'), await front(host)];
      await bench.redis().xadd(stream, '*', 'payload', 'one', 'message_id', 'm-1');
      const sink = memorySink();
      const told = troubles();
      await during(
        (signal) =>
          consumeRedis(
            { ...intake(url, stream), ...trust, onTrouble: told.onTrouble },
            sink,
            signal,
          ),
        () =>
          until(
            () => told.told.some(({ message }) => message.includes('a certificate of a trusted')),
            10_000,
          ),
      );
      expect(sink.effects.size).toBe(0);
      const gauge = redisGauge({ url, stream, group: 'dockets', ...trust });
      onTestFinished(() => gauge.close());
      expect(await gauge.measure()).toMatchObject({ code: 'BROKER_CERTIFICATE' });
    },
  );
});

describe('who may certify brokers', () => {
  it('is read from the PEM file that FILEWRIGHT_BROKER_CA names, and a file that holds none is refused', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fw-ca-'));
    const [good, bad] = [join(folder, 'ca.pem'), join(folder, 'none.pem')];
    await writeFile(good, TLS.cert);
    await writeFile(bad, 'hello');
    expect(await trustIn({ FILEWRIGHT_BROKER_CA: good })).toEqual(trusted);
    expect(await trustIn({})).toEqual({});
    await expect(trustIn({ FILEWRIGHT_BROKER_CA: bad })).rejects.toMatchObject({
      code: 'CREDENTIAL_UNREADABLE',
    });
  });
});
