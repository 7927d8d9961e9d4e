import { beforeAll, describe, expect, it } from 'vitest';
import { consumeRabbit, type RabbitIntake } from '../../src/dockets/brokers/rabbit-intake.ts';
import type { MessageSink } from '../../src/dockets/brokers/message.ts';
import { FilewrightError } from '../../src/core/errors.ts';
import { instant } from '../../src/core/time.ts';
import { systemClock } from '../../src/system/clock.ts';
import { pass, until } from '../delivery/waiting.ts';
import { freshName, RABBIT_URL, rabbitBench, rabbitPresence } from './brokers.ts';
import { build } from '../fixtures/built-tree.ts';
import { startConsumerProcess } from './consumer-processes.ts';
import { cutter } from './cutter.ts';
import { during, memorySink, troubles } from './sinks.ts';

const { isMissing, note } = await rabbitPresence();

describe.skipIf(isMissing)(`messages from a RabbitMQ queue${note}`, () => {
  const bench = rabbitBench();
  const consume =
    (queue: string, sink: MessageSink, changes: Partial<RabbitIntake> = {}) =>
    (signal: AbortSignal) =>
      consumeRabbit(
        { url: RABBIT_URL, queue, prefetch: 10, clock: systemClock, ...changes },
        sink,
        signal,
      );

  describe('in a process of its own', () => {
    beforeAll(build);

    it('have one effect when the process dies between commit and acknowledgement', async () => {
      const queue = await bench.queue('killed');
      await bench.put(queue, ['one'], { messageId: 'm-1' });
      const broker = { kind: 'rabbit', url: RABBIT_URL, name: queue } as const;
      const doomed = startConsumerProcess(broker, { hangsAfterCommit: true });
      await until(() => doomed.commits().length === 1);
      await doomed.kill();
      await until(async () => (await bench.ready(queue)) === 1);
      const heir = startConsumerProcess(broker, { folder: doomed.folder });
      await until(() => heir.commits().length === 2);
      await heir.end();
      expect(heir.commits()).toEqual(['m-1', 'm-1']);
      expect(heir.effects()).toEqual(['m-1']);
      expect(await bench.ready(queue)).toBe(0);
    });
  });

  it('are acknowledged only after the commit', async () => {
    const queue = await bench.queue('late');
    await bench.put(queue, ['one', 'two']);
    const sink = memorySink();
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    sink.after = () => held;
    const controller = new AbortController();
    const url = await cutter(RABBIT_URL);
    const running = consume(queue, sink, { url: url.url })(controller.signal);
    await until(() => sink.effects.size === 2);
    // The line is cut with both committed and neither acknowledged: the broker has them still.
    url.cut();
    await until(async () => (await bench.ready(queue)) === 2);
    sink.after = () => undefined;
    release?.();
    await until(() => sink.calls() === 4);
    controller.abort();
    await running;
    await url.close();
    expect(await bench.ready(queue)).toBe(0);
    expect(sink.effects.size).toBe(2);
  });

  it('keep their exact bytes, whatever their content type says', async () => {
    const queue = await bench.queue('bytes');
    const duplicateKeys = Buffer.from('{"a":1,"a":12345678901234567890 }');
    const noUtf8 = Buffer.from([0xff, 0x00, 0xfe]);
    await bench.put(queue, [duplicateKeys], { contentType: 'application/json' });
    await bench.put(queue, [noUtf8], { contentType: 'text/plain' });
    await bench.put(queue, [''], {});
    const sink = memorySink();
    await during(consume(queue, sink), () => until(() => sink.effects.size === 3));
    const found = [...sink.effects.values()];
    const json = found.find(({ contentType }) => contentType === 'application/json');
    expect(Buffer.from(json?.bytes ?? []).equals(duplicateKeys)).toBe(true);
    const text = found.find(({ contentType }) => contentType === 'text/plain');
    expect(Buffer.from(text?.bytes ?? []).equals(noUtf8)).toBe(true);
    expect(found.find(({ contentType }) => contentType === undefined)?.bytes.length).toBe(0);
  });

  it('are known by the message id, or by their bytes when they have none', async () => {
    const queue = await bench.queue('ids');
    await bench.put(queue, ['a', 'a']);
    await bench.put(queue, ['b', 'c'], { messageId: 'same', timestamp: 1_700_000_000 });
    await bench.put(queue, ['d'], { messageId: 'not\nan id' });
    const sink = memorySink();
    await during(consume(queue, sink), () => until(() => sink.calls() === 5));
    const ids = [...sink.effects.keys()];
    expect(ids).toHaveLength(3);
    expect(ids).toContain(
      'sha256:ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb',
    );
    expect(sink.effects.get('same')?.sentAt).toBe(instant(1_700_000_000_000));
    expect(ids.every((id) => !id.includes('\n'))).toBe(true);
  });

  it('that no commit can take are set aside after three failures, and the others go on', async () => {
    const queue = await bench.queue('poison');
    await bench.put(queue, ['bad'], { messageId: 'bad' });
    await bench.put(queue, ['good'], { messageId: 'good' });
    const sink = memorySink();
    sink.before = ({ id }) => {
      if (id === 'bad') throw new Error('no such column');
    };
    const trouble = troubles();
    const options = { onTrouble: trouble.onTrouble, prefetch: 1 };
    await during(consume(queue, sink, options), async () => {
      await until(() => sink.effects.has('good') && sink.aside.has('bad'));
    });
    expect(sink.aside.get('bad')).toBe('no such column');
    expect(sink.calls()).toBe(4);
    expect(await bench.ready(queue)).toBe(0);
  });

  it('wait in hand while the database is away, however long, and are never set aside for it', async () => {
    const queue = await bench.queue('away');
    await bench.put(queue, ['one'], { messageId: 'one' });
    const sink = memorySink();
    const quick = { ...systemClock, sleep: () => pass(5) };
    sink.before = (_message, call) => {
      if (call <= 8) throw new FilewrightError('DATABASE_UNREACHABLE', 'away');
    };
    await during(consume(queue, sink, { clock: quick }), async () => {
      await until(() => sink.effects.size === 1);
    });
    expect(sink.calls()).toBe(9);
    expect(sink.aside.size).toBe(0);
  });

  it('go back to the queue when the consumer is ended before their commit', async () => {
    const queue = await bench.queue('ended');
    await bench.put(queue, ['one']);
    const sink = memorySink();
    sink.before = () => {
      throw new FilewrightError('DATABASE_UNREACHABLE', 'away');
    };
    await during(consume(queue, sink), () => until(() => sink.calls() > 0));
    await until(async () => (await bench.ready(queue)) === 1);
    expect(sink.effects.size).toBe(0);
  });

  it('are never more in hand than the prefetch', async () => {
    const queue = await bench.queue('prefetch');
    await bench.put(
      queue,
      Array.from({ length: 60 }, (_, n) => `message ${n}`),
    );
    const sink = memorySink();
    sink.before = () => pass(1);
    await during(consume(queue, sink, { prefetch: 4 }), () =>
      until(() => sink.effects.size === 60),
    );
    expect(sink.atOnce()).toBeLessThanOrEqual(4);
    expect(sink.atOnce()).toBeGreaterThan(1);
  });

  it('come through lost connections, each with one effect', async () => {
    const queue = await bench.queue('cuts');
    const line = await cutter(RABBIT_URL);
    const sink = memorySink();
    sink.before = () => pass(2);
    const trouble = troubles();
    const ids = Array.from({ length: 200 }, (_, n) => `message ${n}`);
    const options = { url: line.url, onTrouble: trouble.onTrouble };
    await during(consume(queue, sink, options), async () => {
      await bench.put(queue, ids);
      for (const share of [0.2, 0.5]) {
        await until(() => sink.effects.size >= ids.length * share);
        line.cut();
      }
      await until(() => sink.effects.size === ids.length);
    });
    await line.close();
    expect(line.cuts()).toBeGreaterThanOrEqual(2);
    expect(trouble.codes()).toContain('connection');
    expect(await bench.ready(queue)).toBe(0);
  });

  it('a queue that does not exist is reported as trouble, not created, and consumed once it is there', async () => {
    const queue = freshName('missing');
    const sink = memorySink();
    const trouble = troubles();
    await during(consume(queue, sink, { onTrouble: trouble.onTrouble }), async () => {
      await until(() => trouble.codes().has('consumer'));
      await expect(bench.ready(queue)).rejects.toThrow('no queue');
      await bench.make(queue);
      await bench.put(queue, ['at last']);
      await until(() => sink.effects.size === 1);
    });
    expect(trouble.told[0]?.message).toContain('no queue');
  });

  it('a message that is too large is set aside unread', async () => {
    const queue = await bench.queue('large');
    await bench.put(queue, [Buffer.alloc(1024 * 1024 + 1)], { messageId: 'large' });
    await bench.put(queue, [Buffer.alloc(1024 * 1024)], { messageId: 'just' });
    const sink = memorySink();
    await during(consume(queue, sink), () =>
      until(() => sink.aside.size === 1 && sink.effects.size === 1),
    );
    expect(sink.aside.get('large')).toContain('1048577 bytes');
    expect(sink.effects.has('just')).toBe(true);
  });
});
