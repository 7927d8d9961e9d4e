/** A handoff to an HTTP endpoint: the payload's bytes in, a receipt out. */
import {
  decodeJson,
  FilewrightError,
  type Instant,
  instant,
  textAt,
  type WriteGuard,
} from '../../core/index.ts';
import { VERSION } from '../../portals/index.ts';
import { startDeadline } from './deadline.ts';
import type {
  HandoffEvidence,
  HandoffLoad,
  HandoffOutcome,
  HandoffSign,
  HandoffTarget,
} from './handoff.ts';
import type { HandoffParts } from './parts.ts';
import { LEASE_LOST, type PostEnd, postOnce, REQUEST_INVALID } from './post-once.ts';
import { openTimed } from './timed-connection.ts';

/** Where the receipt stands in a 2xx, and what one may look like: it ends up in the ledger. */
const RECEIPT_AT = '/receipt';
const RECEIPT = /^[\x20-\x7e]{1,200}$/;
/** A target that asks for more than this is asked again all the same; its tier's clock runs on. */
const RETRY_AFTER_MS_MAX = 24 * 3_600_000;

export async function handOverByHttp(
  target: HandoffTarget,
  load: HandoffLoad,
  guard: WriteGuard,
  parts: HandoffParts,
): Promise<HandoffOutcome> {
  const { clock, timeoutMs } = parts;
  const startedAt = clock.monotonicMs();
  const allowPrivateAddresses = parts.allowPrivateAddresses(target);
  const url = usableUrl(target.address, allowPrivateAddresses);
  const secrets = await readSecrets(target, parts);
  if (url === undefined || secrets === undefined) {
    const code = url === undefined ? 'ADDRESS_INVALID' : 'CREDENTIAL_UNREADABLE';
    return { kind: 'failed', evidence: { code, elapsedMs: 0 }, signs: [] };
  }
  const limits = { connectMs: timeoutMs, handshakeMs: parts.handshakeMs ?? timeoutMs };
  // The three phases have a time-out each, and all together one that lets the outcome be told in time.
  const whole = startDeadline(clock, parts.totalMs, guard.signal);
  try {
    const opened = await openTimed({ url, allowPrivateAddresses }, limits, parts, whole.signal);
    const signs = tlsSigns(target.id, opened.times.tlsHandshakeMs);
    const evidence = (code: string, more: Partial<HandoffEvidence> = {}): HandoffEvidence => ({
      code,
      elapsedMs: clock.monotonicMs() - startedAt,
      ...opened.times,
      ...more,
    });
    if (opened.kind === 'failed') {
      const { code, message } = opened;
      return { kind: 'failed', evidence: evidence(code.toUpperCase(), { message }), signs };
    }
    const answering = startDeadline(clock, timeoutMs, whole.signal);
    const askedAt = clock.monotonicMs();
    const request = { url, headers: { ...secrets, ...headersOf(load) }, body: load.payload };
    const end = await postOnce(opened.socket, request, guard, answering.signal);
    answering.cancel();
    const responseMs = clock.monotonicMs() - askedAt;
    return judge(target.id, end, { evidence, signs, responseMs, now: clock.now() });
  } finally {
    whole.cancel();
  }
}

function judge(
  target: string,
  end: PostEnd,
  seen: {
    readonly evidence: (code: string, more?: Partial<HandoffEvidence>) => HandoffEvidence;
    readonly signs: readonly HandoffSign[];
    readonly responseMs: number;
    readonly now: Instant;
  },
): HandoffOutcome {
  const { evidence, responseMs } = seen;
  if (end.kind === 'failure') {
    return {
      kind: failureKind(end),
      evidence: evidence(end.code, { responseMs }),
      signs: seen.signs,
    };
  }
  const { status } = end;
  const signs: readonly HandoffSign[] = [...seen.signs, { kind: 'http', target, status }];
  const retryAfterMs = retryAfterOf(end.headers['retry-after'], seen.now);
  const more = {
    responseMs,
    status,
    answerSha256: end.sha256,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
  const shown = (code = `HTTP_${status}`) => ({ evidence: evidence(code, more), signs });
  if (status >= 200 && status < 300) {
    const receipt = receiptIn(end.body);
    // A page that says 200 is not somebody who has the docket.
    if (receipt === undefined) return { kind: 'unknown', ...shown('RECEIPT_MISSING') };
    return { kind: 'confirmed', receipt, ...shown() };
  }
  if (status === 401 || status === 403 || status === 407) return { kind: 'denied', ...shown() };
  // Asked to come again, or never got to it: nothing was taken.
  if (status === 429 || status === 423 || status === 425) return { kind: 'failed', ...shown() };
  // Redirects are not followed: the address was given by a person, and the next one would be given by anybody.
  if (status < 400) return { kind: 'failed', ...shown() };
  if (status === 404 || status === 410 || status === 405) return { kind: 'failed', ...shown() };
  // RFC 9110 § 15.6: an error of the server does not say that it did nothing.
  if (status >= 500 || status === 408) return { kind: 'unknown', ...shown() };
  return { kind: 'refused', ...shown() };
}

function failureKind({
  written,
  code,
}: PostEnd & { kind: 'failure' }): 'unknown' | 'failed' | 'unsendable' | 'not_made' {
  if (written) return 'unknown';
  if (code === REQUEST_INVALID) return 'unsendable';
  return code === LEASE_LOST ? 'not_made' : 'failed';
}

/** `http` is readable on its way, so it is for private networks alone. */
function usableUrl(address: string, allowPrivateAddresses: boolean): URL | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isReadable = url?.protocol === 'http:' && allowPrivateAddresses;
  if (url === undefined || !(isReadable || url.protocol === 'https:')) return undefined;
  return url.username === '' && url.password === '' ? url : undefined;
}

async function readSecrets(
  target: HandoffTarget,
  parts: HandoffParts,
): Promise<Readonly<Record<string, string>> | undefined> {
  try {
    return (await parts.credentials?.(target)) ?? {};
  } catch (error) {
    // A variable that is not set is a fault of this target, and the next tier may have none.
    if (error instanceof FilewrightError && error.code === 'CREDENTIAL_UNREADABLE')
      return undefined;
    throw error;
  }
}

function headersOf(load: HandoffLoad): Readonly<Record<string, string>> {
  const digest = Buffer.from(load.payloadSha256, 'hex').toString('base64');
  return {
    'content-type': load.contentType,
    // RFC 9530: the receiver can see that nothing was changed on the way.
    'content-digest': `sha-256=:${digest}:`,
    'user-agent': `filewright/${VERSION}`,
    'accept-encoding': 'identity',
    'idempotency-key': load.id,
    'filewright-message-id': load.id,
    'filewright-handoff-id': load.handoff,
  };
}

function tlsSigns(target: string, handshakeMs: number | undefined): readonly HandoffSign[] {
  return handshakeMs === undefined ? [] : [{ kind: 'tls', target, handshakeMs }];
}

function receiptIn(body: Buffer | undefined): string | undefined {
  const receipt = body === undefined ? undefined : textAt(decodeJson(body), RECEIPT_AT);
  return receipt !== undefined && RECEIPT.test(receipt) ? receipt : undefined;
}

/** RFC 9110 § 10.2.3: seconds, or a date. */
function retryAfterOf(value: string | string[] | undefined, now: Instant): number | undefined {
  if (typeof value !== 'string') return undefined;
  const at = /^\d{1,9}$/.test(value) ? now + Number(value) * 1_000 : Date.parse(value);
  if (Number.isNaN(at)) return undefined;
  return Math.min(RETRY_AFTER_MS_MAX, Math.max(0, instant(at) - now));
}
