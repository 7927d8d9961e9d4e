import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type PublisherOptions,
  rabbitPublisher,
} from '../../src/dockets/brokers/rabbit-publisher.ts';
import { isSpecialAddress } from '../../src/wire/address-guard.ts';
import { portOf } from '../fixtures/loopback.ts';
import { systemClock } from '../../src/system/clock.ts';
import { freshName, RABBIT_URL, rabbitBench, rabbitPresence } from './brokers.ts';
import { cutter } from './cutter.ts';

const { isMissing, note } = await rabbitPresence();
const FREE = { mayWrite: () => true, signal: new AbortController().signal };

function publisherTo(url: string, changes: Partial<PublisherOptions> = {}) {
  const publisher = rabbitPublisher({ url, clock: systemClock, ...changes });
  onTestFinished(() => publisher.close());
  return publisher;
}

const message = (queue: string, id = 'm-1', bytes: Uint8Array = Buffer.from('{"a":1,"a":2}')) => ({
  queue,
  id,
  bytes,
  contentType: 'application/json',
});

describe.skipIf(isMissing)(`messages to a RabbitMQ queue${note}`, () => {
  const bench = rabbitBench();

  it('count when the broker has confirmed them, with their id and exact bytes', async () => {
    const queue = await bench.queue('out');
    // A view into a larger buffer: the bytes around it must stay at home.
    const bytes = Buffer.from('xx{"a":1,"a":2}xx').subarray(2, 15);
    // A content type that the bench's own connection does not parse.
    const contentType = 'application/x-docket';
    const outcome = await publisherTo(RABBIT_URL).publish(
      { ...message(queue, 'm-1', bytes), contentType },
      FREE,
    );
    expect(outcome).toMatchObject({ kind: 'confirmed', code: 'CONFIRMED' });
    const taken = await bench.take(queue);
    expect(taken).toMatchObject({ messageId: 'm-1', contentType, durable: true });
    expect(String(taken?.body)).toBe('{"a":1,"a":2}');
  });

  it('to a queue that does not exist are refused, every one of many at once, and no other', async () => {
    const there = await bench.queue('there');
    const gone = freshName('gone');
    const publisher = publisherTo(RABBIT_URL);
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        const queue = n % 2 === 0 ? there : gone;
        return { queue, outcome: await publisher.publish(message(queue, `m-${n}`), FREE) };
      }),
    );
    for (const { queue, outcome } of outcomes) {
      expect(outcome.kind).toBe(queue === there ? 'confirmed' : 'refused');
      if (queue === gone) expect(outcome.code).toBe('UNROUTABLE');
    }
    expect(await bench.ready(there)).toBe(50);
  });

  it('are not written once the lease is lost', async () => {
    const queue = await bench.queue('lease');
    const publisher = publisherTo(RABBIT_URL);
    const lost = { mayWrite: () => false, signal: FREE.signal };
    expect(await publisher.publish(message(queue), lost)).toMatchObject({
      kind: 'not_made',
      code: 'LEASE_LOST',
    });
    expect(await bench.ready(queue)).toBe(0);
  });

  it('go on after a lost connection', async () => {
    const queue = await bench.queue('cut');
    const line = await cutter(RABBIT_URL);
    onTestFinished(() => line.close());
    const publisher = publisherTo(line.url);
    expect((await publisher.publish(message(queue, 'a'), FREE)).kind).toBe('confirmed');
    line.cut();
    let outcome = await publisher.publish(message(queue, 'b'), FREE);
    for (let n = 0; n < 5 && outcome.kind !== 'confirmed'; n += 1) {
      expect(['not_sent', 'unknown']).toContain(outcome.kind);
      outcome = await publisher.publish(message(queue, 'b'), FREE);
    }
    expect(outcome.kind).toBe('confirmed');
  });

  it('to a private address are refused where that is not allowed, by number and by name', async () => {
    const guarded = { isRefusedAddress: isSpecialAddress };
    const byNumber = publisherTo('amqp://guest:guest@127.0.0.1:5672', guarded);
    expect(await byNumber.publish(message('q'), FREE)).toMatchObject({
      kind: 'not_sent',
      code: 'ADDRESS_REFUSED',
    });
    const byName = publisherTo('amqp://guest:guest@localhost:5672', { ...guarded, timeoutMs: 500 });
    expect((await byName.publish(message('q'), FREE)).kind).toBe('not_sent');
  });
});

describe('a broker that', () => {
  it('no one listens at: nothing was sent, within the time-out', async () => {
    const publisher = publisherTo('amqp://guest:guest@127.0.0.1:1', { timeoutMs: 300 });
    const outcome = await publisher.publish(message('q'), FREE);
    expect(outcome).toMatchObject({ kind: 'not_sent', code: 'CONNECT_TIMEOUT' });
    expect(outcome.elapsedMs).toBeGreaterThanOrEqual(299);
  });

  it('takes the connection and says nothing: the same', async () => {
    const server = createServer((socket) => void socket.on('error', () => undefined));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `amqp://guest:guest@127.0.0.1:${portOf(server)}`;
    const outcome = await publisherTo(url, { timeoutMs: 300 }).publish(message('q'), FREE);
    expect(outcome).toMatchObject({ kind: 'not_sent', code: 'CONNECT_TIMEOUT' });
  });

  it('is not the address of a broker is reported without its password', () => {
    const url = 'http://user:hush@127.0.0.1';
    const publisher = rabbitPublisher({ url, clock: systemClock });
    return publisher.publish(message('q'), FREE).then((outcome) => {
      expect(outcome).toMatchObject({ kind: 'not_sent', code: 'CREDENTIAL_UNREADABLE' });
      expect(JSON.stringify(outcome)).not.toContain('hush');
    });
  });
});
