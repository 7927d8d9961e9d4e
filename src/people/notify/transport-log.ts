/** Verbose transport logging for diagnosis: it ends by itself, and shows neither secrets nor payloads. */
import {
  addMs,
  type Clock,
  type Instant,
  type JsonValue,
  misuse,
  sha256Of,
} from '../../core/index.ts';

const MINUTE_MS = 60_000;
export const VERBOSE_MS_DEFAULT = 15 * MINUTE_MS;
/** Nobody looks at it for longer, and whoever does says so again. */
export const VERBOSE_MS_MAX = 60 * MINUTE_MS;

/** Since when and until when a target is logged verbosely; stored, so that every process sees it. */
export interface VerboseWindow {
  readonly target: string;
  readonly since: Instant;
  readonly until: Instant;
  readonly by: string;
}

export interface VerboseStore {
  read(target: string): Promise<VerboseWindow | undefined>;
  write(window: VerboseWindow): Promise<void>;
}

/** Pure. A window has an end from the moment it exists. */
export function openWindow(
  request: { readonly target: string; readonly by: string; readonly forMs?: number },
  now: Instant,
): VerboseWindow {
  const { target, by, forMs = VERBOSE_MS_DEFAULT } = request;
  if (!Number.isInteger(forMs) || forMs <= 0 || forMs > VERBOSE_MS_MAX) {
    throw misuse(
      `Expected verbose logging to last from 1 ms to ${VERBOSE_MS_MAX} ms, found ${forMs}`,
    );
  }
  return { target, by, since: now, until: addMs(now, forMs) };
}

/** A clock that was put back ends it too: otherwise an hour could become a year. */
export function isVerbose(window: VerboseWindow | undefined, now: Instant): boolean {
  if (window === undefined) return false;
  const isBounded = window.until - window.since <= VERBOSE_MS_MAX;
  return isBounded && now >= window.since && now < window.until;
}

/** One exchange with a target, as it happened. Never kept: only what `redact` leaves of it is. */
export interface TransportRecord {
  readonly target: string;
  readonly at: Instant;
  readonly direction: 'out' | 'in';
  readonly url?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Numbers and codes of the exchange, such as the times of its phases. */
  readonly evidence?: object;
  readonly error?: string;
}

/** Headers whose values hold neither a secret nor a name; every other one is shown by its length alone. */
const OPEN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'cache-control',
  'connection',
  'content-digest',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'filewright-handoff-id',
  'filewright-message-id',
  'idempotency-key',
  'retry-after',
  'server',
  'transfer-encoding',
  'user-agent',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
]);
const TEXT_CHARS_MAX = 300;
/** A part of a path that is longer is more likely a token than a word. */
const SEGMENT_CHARS_MAX = 24;

/** Pure. What may be kept of a record. */
export function redact(record: TransportRecord): Readonly<Record<string, JsonValue>> {
  const { url, status, headers, body, evidence, error } = record;
  return {
    target: record.target,
    at: record.at,
    direction: record.direction,
    ...(url === undefined ? {} : { url: redactUrl(url) }),
    ...(status === undefined ? {} : { status }),
    ...(headers === undefined ? {} : { headers: redactHeaders(headers) }),
    ...(body === undefined ? {} : { body: { bytes: body.length, sha256: sha256Of(body) } }),
    ...(evidence === undefined ? {} : { evidence: plainValues(evidence) }),
    ...(error === undefined ? {} : { error: redactText(error) }),
  };
}

export function redactUrl(text: string): string {
  if (!URL.canParse(text)) return hidden(text);
  const url = new URL(text);
  const path = url.pathname
    .split('/')
    .map((part) => (part.length > SEGMENT_CHARS_MAX ? hidden(part) : part))
    .join('/');
  const names = [...url.searchParams.keys()].map((name) => `${name.slice(0, 40)}=…`).join('&');
  // Without user and password, whatever they are.
  return `${url.protocol}//${url.host}${path}${names === '' ? '' : `?${names}`}`;
}

function redactHeaders(headers: Readonly<Record<string, string>>): Record<string, JsonValue> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const isOpen = OPEN_HEADERS.has(name.toLowerCase());
      return [name.toLowerCase(), isOpen ? value.slice(0, TEXT_CHARS_MAX) : hidden(value)];
    }),
  );
}

/** Messages of libraries quote addresses, and addresses hold passwords. */
function redactText(text: string): string {
  return text
    .slice(0, TEXT_CHARS_MAX)
    .replaceAll(/(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/[^\s'"<>]+/gi, (address) => redactUrl(address))
    .replaceAll(/\b(bearer|basic|token|password|secret|key)([=: ]+)\S+/gi, '$1$2…');
}

function plainValues(evidence: object): Record<string, JsonValue> {
  const shown: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(evidence) as [string, unknown][]) {
    if (typeof value === 'number' || typeof value === 'boolean') shown[name] = value;
    else if (typeof value === 'string') shown[name] = redactText(value);
  }
  return shown;
}

function hidden(value: string): string {
  return `[${value.length} characters]`;
}

/**
 * Writes what a target's exchanges looked like while its window is open. The window is read with every record, because
 * it is another process that opens it; the store answers from memory where that is too dear.
 */
export async function logTransport(
  record: TransportRecord,
  deps: {
    readonly clock: Pick<Clock, 'now'>;
    readonly windows: Pick<VerboseStore, 'read'>;
    readonly write: (line: Readonly<Record<string, JsonValue>>) => Promise<void>;
  },
): Promise<void> {
  const window = await deps.windows.read(record.target);
  if (isVerbose(window, deps.clock.now())) await deps.write(redact(record));
}
