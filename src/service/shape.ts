/** What an act answers, as JSON: times as RFC 3339, maps as objects, bytes as base64. Pure. */
import { instant, toRfc3339 } from '../core/index.ts';

/** Acts have an instant as milliseconds, under one of these names. */
const TIME = /(?:^at|At|^due|^lastSafe|^now|^since|[uU]ntil)$/;
/** Earlier than any time of ours (1973), and larger than any count under such a name. */
const TIME_MS_MIN = 100_000_000_000;

export function shaped(value: unknown, name = ''): unknown {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return null;
    return TIME.test(name) && value >= TIME_MS_MIN ? toRfc3339(instant(value)) : value;
  }
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Map) return shaped(Object.fromEntries(value));
  if (value instanceof Set) return Array.from(value, (one) => shaped(one));
  if (Array.isArray(value)) return value.map((one) => shaped(one, name));
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) =>
      one === undefined || typeof one === 'function' ? [] : [[key, shaped(one, key)]],
    ),
  );
}
