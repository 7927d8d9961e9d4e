/** Whether a stream was trimmed over entries that its group was never given. Redis itself says nothing of it. */
import type { Redis } from 'ioredis';

interface Trimmed {
  /** All that was ever taken out of the stream. It only grows, so that the same loss is known again. */
  readonly gone: number;
  /** Of those, how many the group never read; 0 where Redis cannot tell. */
  readonly unread: number;
}

const NOTHING: Trimmed = { gone: 0, unread: 0 };

/**
 * Redis counts what was ever added to a stream and what a group has read of it. More gone than read means that something
 * went unread. The next read jumps over the gap and closes it, so this is asked before each. Before the first read of
 * a group, after deletions in the middle and before Redis 7 there is no count to compare with.
 */
export async function trimmedUnread(redis: Redis, stream: string, group: string): Promise<Trimmed> {
  const answers = await redis.multi().xinfo('STREAM', stream).xinfo('GROUPS', stream).exec();
  const [info, groups] = (answers ?? []).map(([error, value]) => {
    if (error !== null) throw error;
    return value as readonly unknown[];
  });
  const whole = fieldsOf(info ?? []);
  const own = (groups ?? [])
    .map((one) => fieldsOf(one as readonly unknown[]))
    .find(({ name }) => name === group);
  const [added, length, read] = [whole['entries-added'], whole['length'], own?.['entries-read']];
  if (typeof added !== 'number' || typeof length !== 'number' || typeof read !== 'number') {
    return NOTHING;
  }
  const gone = added - length;
  return { gone, unread: Math.max(0, gone - read) };
}

/** Names and values in turn, as RESP 2 gives them. */
export function fieldsOf(list: readonly unknown[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    list.flatMap((name, index) => (index % 2 === 0 ? [[String(name), list[index + 1]]] : [])),
  );
}
