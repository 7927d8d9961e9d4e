import { beforeAll, describe, expect, it } from 'vitest';
import { consumeRedis, type RedisIntake } from '../../src/dockets/brokers/redis-intake.ts';
import type { MessageSink } from '../../src/dockets/brokers/message.ts';
import { FilewrightError } from '../../src/core/errors.ts';
import { systemClock } from '../../src/system/clock.ts';
import { pass, until } from '../delivery/waiting.ts';
import { REDIS_URL, redisBench, redisPresence } from './brokers.ts';
import { build } from '../fixtures/built-tree.ts';
import { startConsumerProcess } from './consumer-processes.ts';
import { cutter } from './cutter.ts';
import { during, memorySink, troubles } from './sinks.ts';

const { isMissing, note } = await redisPresence();
const GROUP = 'dockets';

describe.skipIf(isMissing)(`messages from a Redis stream${note}`, () => {
  const bench = redisBench();
  const consume =
    (stream: string, sink: MessageSink, changes: Partial<RedisIntake> = {}) =>
    (signal: AbortSignal) =>
      consumeRedis(
        {
          url: REDIS_URL,
          stream,
          group: GROUP,
          consumer: 'one',
          prefetch: 10,
          create: true,
          clock: systemClock,
          ...changes,
        },
        sink,
        signal,
      );
  const pending = async (stream: string): Promise<number> => {
    const [count] = (await bench.redis().xpending(stream, GROUP)) as [number];
    return count;
  };

  describe('in a process of its own', () => {
    beforeAll(build);

    it('have one effect when the process dies between commit and acknowledgement', async () => {
      const stream = bench.stream('killed');
      await bench.redis().xadd(stream, '*', 'payload', 'one', 'message_id', 'm-1');
      const broker = { kind: 'redis', url: REDIS_URL, name: stream } as const;
      const doomed = startConsumerProcess(broker, { hangsAfterCommit: true });
      await until(() => doomed.commits().length === 1);
      await doomed.kill();
      expect(await pending(stream)).toBe(1);
      // Another name, as another machine would have: it is found by its age, not by its owner.
      const heir = startConsumerProcess(broker, {
        folder: doomed.folder,
        consumer: 'two',
      });
      await until(() => heir.commits().length === 2);
      await heir.end();
      expect(heir.commits()).toEqual(['m-1', 'm-1']);
      expect(heir.effects()).toEqual(['m-1']);
      expect(await pending(stream)).toBe(0);
    });
  });

  it('are acknowledged only after the commit', async () => {
    const stream = bench.stream('late');
    await bench.redis().xadd(stream, '*', 'payload', 'one');
    const sink = memorySink();
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    sink.after = () => held;
    await during(consume(stream, sink), async () => {
      await until(() => sink.effects.size === 1);
      expect(await pending(stream)).toBe(1);
      release?.();
      await until(async () => (await pending(stream)) === 0);
    });
  });

  it('that came before the group was made are read too, and none is trimmed', async () => {
    const stream = bench.stream('early');
    for (const n of [1, 2, 3]) await bench.redis().xadd(stream, '*', 'payload', `early ${n}`);
    const sink = memorySink();
    await during(consume(stream, sink), () => until(() => sink.effects.size === 3));
    expect(await bench.redis().xlen(stream)).toBe(3);
  });

  it('keep their exact bytes; an entry without a payload is the record of its fields', async () => {
    const stream = bench.stream('bytes');
    const noUtf8 = Buffer.from([0xff, 0x00, 0xfe]);
    const redis = bench.redis();
    await redis.xadd(stream, '*', 'payload', noUtf8, 'message_id', 'a', 'content_type', 'x/y');
    await redis.xadd(stream, '*', 'application_number', '17/123', '__proto__', 'p');
    await redis.xadd(stream, '*', 'twice', '1', 'twice', '2');
    const sink = memorySink();
    await during(consume(stream, sink), () => until(() => sink.effects.size === 3));
    expect(Buffer.from(sink.effects.get('a')?.bytes ?? []).equals(noUtf8)).toBe(true);
    expect(sink.effects.get('a')?.contentType).toBe('x/y');
    const texts = [...sink.effects.values()].map(({ bytes }) => Buffer.from(bytes).toString());
    expect(texts).toContain('{"application_number":"17/123","__proto__":"p"}');
    expect(texts).toContain('[["twice","1"],["twice","2"]]');
  });

  it('left by a consumer of the same name are gone on with at once, without waiting for their age', async () => {
    const stream = bench.stream('same');
    const redis = bench.redis();
    await redis.xgroup('CREATE', stream, GROUP, '0', 'MKSTREAM');
    for (let n = 0; n < 25; n += 1) await redis.xadd(stream, '*', 'payload', `message ${n}`);
    await redis.xreadgroup('GROUP', GROUP, 'one', 'COUNT', 25, 'STREAMS', stream, '>');
    const sink = memorySink();
    await during(consume(stream, sink), () => until(() => sink.effects.size === 25));
    expect([...sink.effects.values()].every(({ isRepeat }) => isRepeat)).toBe(true);
    expect(await pending(stream)).toBe(0);
  });

  it('that another living consumer holds are left alone', async () => {
    const stream = bench.stream('other');
    const redis = bench.redis();
    await redis.xgroup('CREATE', stream, GROUP, '0', 'MKSTREAM');
    await redis.xadd(stream, '*', 'payload', 'held', 'message_id', 'held');
    await redis.xreadgroup('GROUP', GROUP, 'two', 'COUNT', 1, 'STREAMS', stream, '>');
    await redis.xadd(stream, '*', 'payload', 'free', 'message_id', 'free');
    const sink = memorySink();
    await during(consume(stream, sink), () => until(() => sink.effects.size === 1));
    expect([...sink.effects.keys()]).toEqual(['free']);
    expect(await pending(stream)).toBe(1);
  });

  it('are not taken a second time by the consumer that still works on them', async () => {
    const stream = bench.stream('slow');
    const redis = bench.redis();
    await redis.xadd(stream, '*', 'payload', 'slow', 'message_id', 'slow');
    const sink = memorySink();
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    sink.before = ({ id }) => (id === 'slow' ? held : undefined);
    await during(consume(stream, sink, { claimIdleMs: 20 }), async () => {
      // Each of these turns the consumer's loop, which looks for old entries by then.
      for (const n of [1, 2, 3, 4]) {
        await pass(50);
        await redis.xadd(stream, '*', 'payload', `quick ${n}`);
        await until(() => sink.effects.size === n);
      }
      release?.();
      await until(() => sink.effects.size === 5);
    });
    expect(sink.calls()).toBe(5);
    expect(await pending(stream)).toBe(0);
  });

  it('that were trimmed while pending are reported as lost', async () => {
    const stream = bench.stream('trimmed');
    const redis = bench.redis();
    await redis.xgroup('CREATE', stream, GROUP, '0', 'MKSTREAM');
    for (const owner of ['one', 'two']) {
      await redis.xadd(stream, '*', 'payload', owner);
      await redis.xreadgroup('GROUP', GROUP, owner, 'COUNT', 1, 'STREAMS', stream, '>');
    }
    await redis.xtrim(stream, 'MAXLEN', 0);
    const sink = memorySink();
    const trouble = troubles();
    const options = { onTrouble: trouble.onTrouble, claimIdleMs: 10 };
    await during(consume(stream, sink, options), async () => {
      await until(() => trouble.told.length >= 2);
      await until(async () => (await pending(stream)) === 0);
    });
    expect(trouble.codes()).toEqual(new Set(['entry_lost']));
    expect(sink.losses).toEqual([stream, stream]);
    expect(sink.calls()).toBe(0);
  });

  it('that were trimmed before they were read are reported as lost, once, and the rest is read', async () => {
    const stream = bench.stream('unread');
    const redis = bench.redis();
    const add = (from: number, to: number) =>
      Promise.all(
        Array.from({ length: to - from + 1 }, (_, n) =>
          redis.xadd(stream, '*', 'payload', `message ${from + n}`),
        ),
      );
    const sink = memorySink();
    await add(1, 3);
    await during(consume(stream, sink), () => until(() => sink.effects.size === 3));
    await add(4, 10);
    await redis.xtrim(stream, 'MAXLEN', 2);
    const trouble = troubles();
    const options = { onTrouble: trouble.onTrouble };
    await during(consume(stream, sink, options), async () => {
      await until(() => sink.effects.size === 5);
      await add(11, 11);
      await until(() => sink.effects.size === 6);
    });
    expect(trouble.told).toEqual([
      {
        code: 'entry_lost',
        message: `${stream}: 5 entries were trimmed from the stream before they were read.`,
      },
    ]);
    expect(sink.losses).toEqual([stream]);
  });

  it('that were read and then trimmed, or trimmed before the group was made, are no loss', async () => {
    const stream = bench.stream('read-first');
    const redis = bench.redis();
    for (const n of [1, 2, 3, 4]) await redis.xadd(stream, '*', 'payload', `old ${n}`);
    await redis.xtrim(stream, 'MAXLEN', 2);
    const sink = memorySink();
    const trouble = troubles();
    await during(consume(stream, sink, { onTrouble: trouble.onTrouble }), async () => {
      await until(() => sink.effects.size === 2);
      await redis.xtrim(stream, 'MAXLEN', 0);
      await redis.xadd(stream, '*', 'payload', 'new');
      await until(() => sink.effects.size === 3);
      const [id = ''] = (await redis.xrange(stream, '-', '+'))[0] ?? [];
      await redis.xdel(stream, id);
      await redis.xadd(stream, '*', 'payload', 'newer');
      await until(() => sink.effects.size === 4);
    });
    expect(trouble.told).toEqual([]);
    expect(sink.losses).toEqual([]);
  });

  it('a loss is kept as soon as the database is there again', async () => {
    const stream = bench.stream('kept');
    const redis = bench.redis();
    await redis.xgroup('CREATE', stream, GROUP, '0', 'MKSTREAM');
    await redis.xadd(stream, '*', 'payload', 'gone');
    await redis.xreadgroup('GROUP', GROUP, 'one', 'COUNT', 1, 'STREAMS', stream, '>');
    await redis.xtrim(stream, 'MAXLEN', 0);
    const kept: string[] = [];
    let tries = 0;
    const sink = {
      ...memorySink(),
      noteLoss: async (source: string) => {
        tries += 1;
        if (tries <= 3) throw new FilewrightError('DATABASE_UNREACHABLE', 'away');
        kept.push(source);
      },
    };
    await during(consume(stream, sink), () => until(() => kept.length > 0));
    expect(new Set(kept)).toEqual(new Set([stream]));
    expect(await pending(stream)).toBe(0);
  });

  it('that no commit can take are set aside; those of an absent database wait and stay pending', async () => {
    const stream = bench.stream('poison');
    await bench.redis().xadd(stream, '*', 'payload', 'bad', 'message_id', 'bad');
    await bench.redis().xadd(stream, '*', 'payload', 'later', 'message_id', 'later');
    const sink = memorySink();
    sink.before = ({ id }) => {
      if (id === 'bad') throw new Error('no such column');
      throw new FilewrightError('DATABASE_UNREACHABLE', 'away');
    };
    await during(consume(stream, sink), () => until(() => sink.aside.size === 1));
    expect([...sink.aside.keys()]).toEqual(['bad']);
    expect(await pending(stream)).toBe(1);
  });

  it('whose delivery got lost on the way are found again among our own, without waiting for their age', async () => {
    const stream = bench.stream('lost');
    const line = await cutter(REDIS_URL);
    line.loseAnswerWith('the lost one');
    const sink = memorySink();
    await during(consume(stream, sink, { url: line.url }), async () => {
      await bench.redis().xadd(stream, '*', 'payload', 'the lost one');
      await until(() => sink.effects.size === 1);
      await until(async () => (await pending(stream)) === 0);
    });
    expect(line.cuts()).toBe(1);
    await line.close();
    expect(sink.calls()).toBe(1);
  });

  it('come through lost connections, each with one effect', async () => {
    const stream = bench.stream('cuts');
    const line = await cutter(REDIS_URL);
    const sink = memorySink();
    sink.before = () => pass(2);
    const trouble = troubles();
    const options = { url: line.url, onTrouble: trouble.onTrouble };
    await during(consume(stream, sink, options), async () => {
      const pipeline = bench.redis().pipeline();
      for (let n = 0; n < 300; n += 1) pipeline.xadd(stream, '*', 'payload', `message ${n}`);
      await pipeline.exec();
      for (const share of [0.2, 0.4, 0.6]) {
        await until(() => sink.effects.size >= 300 * share);
        line.cut();
      }
      await until(() => sink.effects.size === 300);
      await until(async () => (await pending(stream)) === 0);
    });
    await line.close();
    expect(sink.effects.size).toBe(300);
  });

  it('of a stream that does not exist are waited for, and the stream is not made unasked', async () => {
    const stream = bench.stream('missing');
    const sink = memorySink();
    const trouble = troubles();
    const options = { create: false, onTrouble: trouble.onTrouble };
    await during(consume(stream, sink, options), async () => {
      await until(() => trouble.codes().has('consumer'));
      expect(await bench.redis().exists(stream)).toBe(0);
      await bench.redis().xadd(stream, '*', 'payload', 'at last');
      await until(() => sink.effects.size === 1);
    });
  });
});
