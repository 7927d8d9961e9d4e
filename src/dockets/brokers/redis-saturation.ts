import type { Redis } from 'ioredis';
import { FilewrightError } from '../../core/index.ts';
import { openRedis, type RedisAddress } from './redis-connection.ts';
import { entryMs } from './redis-entry.ts';
import { fieldsOf } from './redis-trimmed.ts';
import type { Saturation, SaturationGauge } from './saturation.ts';
import { brokerCodeOf, textOf } from './settle-message.ts';

/** Undelivered entries are counted by hand up to here when Redis itself has lost count. */
const COUNT_MAX = 10_000;

interface RedisGaugeOptions extends RedisAddress {
  readonly stream: string;
  readonly group: string;
}

/**
 * Backlog: entries that the group has not been given, and those it has not acknowledged. Lag: the age of the oldest of
 * them, by its id and by Redis's own clock, which made the id.
 */
export function redisGauge(options: RedisGaugeOptions): SaturationGauge {
  // Each measurement says by itself what is wrong; of a refused certificate only the connection knows.
  let refused: Error | undefined;
  const redis = openRedis(options, (error) => {
    if (error instanceof FilewrightError) refused = error;
  });
  redis.on('ready', () => {
    refused = undefined;
  });
  return {
    measure: async () => {
      try {
        return await measure(redis, options);
      } catch (error) {
        const why = refused ?? error;
        return { kind: 'unmeasured', code: brokerCodeOf(why), message: textOf(why) };
      }
    },
    close: async () => redis.disconnect(),
  };
}

async function measure(redis: Redis, { stream, group }: RedisGaugeOptions): Promise<Saturation> {
  const groups = (await redis.xinfo('GROUPS', stream)) as readonly (readonly unknown[])[];
  const found = groups.map(fieldsOf).find(({ name }) => name === group);
  if (found === undefined) {
    return { kind: 'unmeasured', code: 'NOGROUP', message: `The stream has no group ${group}.` };
  }
  const delivered = String(found['last-delivered-id']);
  const pending = Number(found['pending']);
  const [undelivered, oldestPending, counted, time] = await Promise.all([
    redis.xrange(stream, `(${delivered}`, '+', 'COUNT', 1),
    redis.xpending(stream, group, '-', '+', 1),
    // Redis does not know the lag after entries were deleted from the middle.
    typeof found['lag'] === 'number'
      ? undefined
      : redis.xrange(stream, `(${delivered}`, '+', 'COUNT', COUNT_MAX),
    redis.time(),
  ]);
  const waiting = counted === undefined ? Number(found['lag']) : counted.length;
  const ids = [undelivered[0]?.[0], firstIdOf(oldestPending)].filter((id) => id !== undefined);
  const now = Number(time[0]) * 1_000 + Math.floor(Number(time[1]) / 1_000);
  const oldest = ids.length === 0 ? undefined : Math.min(...ids.map(entryMs));
  return {
    kind: 'measured',
    backlog: waiting + pending,
    lagMs: oldest === undefined ? 0 : Math.max(0, now - oldest),
    evidence: {
      broker: 'redis',
      stream,
      group,
      undelivered: waiting,
      pending,
      consumers: Number(found['consumers']),
      countedBy: counted === undefined ? 'redis' : `reading at most ${COUNT_MAX}`,
      lagBasis: oldest === undefined ? 'empty' : 'entry_id',
      ...(oldest === undefined ? {} : { oldestEntryMs: oldest, measuredMs: now }),
    },
  };
}

function firstIdOf(pending: unknown): string | undefined {
  const first: unknown = Array.isArray(pending) ? pending[0] : undefined;
  const id: unknown = Array.isArray(first) ? first[0] : undefined;
  return typeof id === 'string' ? id : undefined;
}
