import { Redis } from 'ioredis';
import { FilewrightError } from '../../core/index.ts';
import { certificateTrouble } from './certificates.ts';

const CONNECT_MS = 3_000;
/** Longer than a read may block, so that a dead peer is noticed and nothing else. */
const COMMAND_MS = 10_000;
const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 3_000;

export interface RedisAddress {
  /** `redis://user:password@host:port/db` or `rediss://…`. In no message and no log. */
  readonly url: string;
  /** PEM texts that replace the well-known authorities, for `rediss`. */
  readonly certificateAuthorities?: readonly string[];
}

/**
 * Reconnects by itself; a command that was under way fails at once. Sending it again blindly would be wrong for a read:
 * what the lost answer held already belongs to this consumer, and has to be asked for in another way.
 */
export function openRedis(address: RedisAddress, onError: (error: Error) => void): Redis {
  const { url, certificateAuthorities: ca } = address;
  checkRedisUrl(url);
  const redis = new Redis(url, {
    // Answers are lists, as every Redis from 6.2 on gives them; with RESP 3 some of them become maps.
    protocol: 2,
    connectTimeout: CONNECT_MS,
    commandTimeout: COMMAND_MS,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    ...(url.startsWith('rediss:') && ca !== undefined ? { tls: { ca: [...ca] } } : {}),
    retryStrategy: (times) => Math.min(RETRY_MS_MAX, RETRY_MS_MIN * times),
  });
  redis.on('error', (error: Error) => onError(certificateTrouble(error) ?? error));
  return redis;
}

function checkRedisUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isRedis = url?.protocol === 'redis:' || url?.protocol === 'rediss:';
  if (url !== undefined && isRedis && url.hostname !== '') return;
  throw new FilewrightError(
    'CREDENTIAL_UNREADABLE',
    'Expected the reference to hold a Redis address like redis://user:password@host:6379/0',
  );
}
