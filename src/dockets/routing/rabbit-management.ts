/** What lies in a queue and what its consumers hold, as RabbitMQ's management API counts it. AMQP shows only the first. */
import type { QueueCount, QueueCounter } from '../brokers/standstill.ts';
import { readRabbitUrl } from '../brokers/rabbit-url.ts';
import { type Clock, decodeJson, FilewrightError, trimEndOf } from '../../core/index.ts';
import { type AllowedPrivate, UNGUARDED } from '../../wire/index.ts';
import { getOnce } from './get-once.ts';

export const RABBITMQ_MANAGEMENT_URL = 'FILEWRIGHT_RABBITMQ_MANAGEMENT_URL';

interface ManagementOptions {
  /** `https://user:password@host:15671`; `http` only where private addresses are allowed. In no message and no log. */
  readonly url: string;
  /** Of the broker itself, which names the virtual host. */
  readonly brokerUrl: string;
  readonly allowPrivateAddresses: AllowedPrivate;
  readonly clock: Clock;
  /** PEM texts that replace the well-known authorities. */
  readonly certificateAuthorities?: readonly string[];
  /** For the connection, and for the whole answer. */
  readonly timeoutMs?: number;
}

/** As for a handoff: routers look every 15 s, and one that hangs must not delay the next look. */
const TIMEOUT_MS = 3_000;

/** Finished is what was acknowledged, and what was handed out without asking for it. */
const FINISHED = ['ack', 'deliver_no_ack', 'get_no_ack'] as const;
/** Only these, since an answer otherwise lists every consumer. */
const COLUMNS = [
  'messages_ready',
  'messages_unacknowledged',
  ...FINISHED.map((name) => `message_stats.${name}`),
].join(',');

/** Throws where the address cannot be used at all; what goes wrong later is an outcome. */
export function rabbitManagement(options: ManagementOptions): QueueCounter {
  const { brokerUrl, allowPrivateAddresses, clock, timeoutMs = TIMEOUT_MS } = options;
  const { base, authorization } = readAddress(options);
  const virtualHost = virtualHostOf(brokerUrl);
  const { certificateAuthorities } = options;
  const transport = certificateAuthorities === undefined ? {} : { certificateAuthorities };
  const deps = { clock, timeoutMs, handshakeMs: timeoutMs, wholeMs: timeoutMs, transport };
  return async (queue) => {
    const path = `api/queues/${encodeURIComponent(virtualHost)}/${encodeURIComponent(queue)}`;
    const url = new URL(`${path}?columns=${COLUMNS}`, base);
    const request = { url, allowPrivateAddresses, headers: { authorization } };
    const answer = await getOnce(request, deps, UNGUARDED.signal);
    if (answer.kind === 'failed') return uncounted(answer.code);
    return answer.status === 200 ? countIn(answer.body) : uncounted(`HTTP_${answer.status}`);
  };
}

function readAddress({ url: text, allowPrivateAddresses }: ManagementOptions) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isAllowed =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && allowPrivateAddresses !== false);
  const login = url === undefined ? undefined : loginIn(url);
  if (url === undefined || login === undefined || !isAllowed) {
    throw new FilewrightError(
      'CREDENTIAL_UNREADABLE',
      `Expected ${RABBITMQ_MANAGEMENT_URL} to hold an address like https://user:password@host:15671, or http:// where FILEWRIGHT_ROUTING_PRIVATE is 1 and FILEWRIGHT_ALLOW_PRIVATE names its network`,
    );
  }
  const authorization = `Basic ${Buffer.from(login).toString('base64')}`;
  // A broker may lie under a path of its own.
  const base = new URL(`${trimEndOf(url.pathname, '/')}/`, url.origin);
  return { base, authorization };
}

function loginIn({ username, password }: URL): string | undefined {
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    // A stray percent sign; whose message would quote the password is told of the variable instead.
    return undefined;
  }
}

/** As the AMQP client reads it: nothing after the host is the host `/`. */
function virtualHostOf(brokerUrl: string): string {
  const [, first = ''] = readRabbitUrl(brokerUrl).pathname.split('/');
  return first === '' ? '/' : decodeURIComponent(first);
}

/** The numbers of a queue come some seconds after the queue, and not at all where statistics are off. */
function countIn(body: Uint8Array): QueueCount {
  const value: unknown = decodeJson(body);
  const [ready, unacknowledged] = [
    wholeIn(value, 'messages_ready'),
    wholeIn(value, 'messages_unacknowledged'),
  ];
  if (ready === undefined || unacknowledged === undefined) return uncounted('NOT_COUNTED');
  return { kind: 'counted', ready, unacknowledged, finished: finishedIn(value) };
}

function finishedIn(value: unknown): number | undefined {
  if (typeof value !== 'object' || value === null || !('message_stats' in value)) return undefined;
  const { message_stats: counts } = value;
  // An empty list in place of an object: nothing has happened yet.
  return FINISHED.reduce((sum, name) => sum + (wholeIn(counts, name) ?? 0), 0);
}

function wholeIn(value: unknown, name: string): number | undefined {
  if (typeof value !== 'object' || value === null || !(name in value)) return undefined;
  // Just found to be there.
  const found = (value as Readonly<Record<string, unknown>>)[name];
  return typeof found === 'number' && Number.isSafeInteger(found) && found >= 0 ? found : undefined;
}

function uncounted(code: string): QueueCount {
  return { kind: 'uncounted', code };
}
