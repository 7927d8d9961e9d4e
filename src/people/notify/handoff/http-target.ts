/** A handoff to an HTTP endpoint: the payload's bytes in, a receipt out. */
import {
  byStatus,
  decodeJson,
  FilewrightError,
  type Instant,
  retryAfterMs,
  sha256Hex,
  type StatusRules,
  textAt,
  VERSION,
  type WriteGuard,
} from '../../../core/index.ts';
import { type AllowedPrivate, askOnce, type OnceEnd } from '../../../wire/index.ts';
import type {
  HandoffEvidence,
  HandoffLoad,
  HandoffOutcome,
  HandoffSign,
  HandoffTarget,
} from './handoff.ts';
import type { HandoffDeps } from './deps.ts';

/** Where the receipt stands in a 2xx, and what one may look like: it ends up in the ledger. */
const RECEIPT_AT = '/receipt';
const RECEIPT = /^[\x20-\x7e]{1,200}$/;
const KINDS: StatusRules<'taken' | 'denied' | 'failed' | 'unknown' | 'refused'> = {
  meanings: {
    success: 'taken',
    denied: 'denied',
    // Asked to come again, or never got to it: nothing was taken.
    throttled: 'failed',
    not_now: 'failed',
    missing: 'failed',
    // Not followed: the address was given by a person, and the next one would be given by anybody.
    elsewhere: 'failed',
    // RFC 9110 § 15.6: an error of the server does not say that it did nothing.
    broken: 'unknown',
    network_login: 'unknown',
  },
  codes: {
    304: 'failed',
    402: 'refused',
    405: 'failed',
    408: 'unknown',
    410: 'failed',
    451: 'refused',
    501: 'unknown',
    505: 'unknown',
  },
  otherwise: 'refused',
};
/** A receipt fits easily; what goes beyond is only hashed, and in the end not even that. */
const BODY_LIMITS = { keptBytesMax: 64 * 1024, readBytesMax: 1024 * 1024 };
/** A target that asks for more than this is asked again all the same; its tier's clock runs on. */
const RETRY_AFTER_MS_MAX = 24 * 3_600_000;

export async function handOverByHttp(
  target: HandoffTarget,
  load: HandoffLoad,
  guard: WriteGuard,
  deps: HandoffDeps,
): Promise<HandoffOutcome> {
  const { clock, timeoutMs, handshakeMs = timeoutMs } = deps;
  const allowPrivateAddresses = deps.allowPrivateAddresses(target);
  const url = usableUrl(target.address, allowPrivateAddresses);
  const secrets = await readSecrets(target, deps);
  if (url === undefined || secrets === undefined) {
    const code = url === undefined ? 'ADDRESS_INVALID' : 'CREDENTIAL_UNREADABLE';
    return { kind: 'failed', evidence: { code, elapsedMs: 0 }, signs: [] };
  }
  const headers = { ...secrets, ...headersOf(load) };
  const end = await askOnce(
    { method: 'POST', url, headers, body: load.payload, allowPrivateAddresses },
    // The three phases have a time-out each, and all together one that lets the outcome be told in time.
    {
      connectMs: timeoutMs,
      handshakeMs,
      answerMs: timeoutMs,
      wholeMs: deps.totalMs,
      ...BODY_LIMITS,
    },
    { ...deps, monotonicMs: () => clock.monotonicMs() },
    guard,
  );
  return judge(target.id, end, clock.now());
}

function judge(target: string, end: OnceEnd, now: Instant): HandoffOutcome {
  const { times, elapsedMs } = end;
  const evidence = (code: string, more: Partial<HandoffEvidence> = {}): HandoffEvidence => ({
    code,
    elapsedMs,
    ...times,
    ...more,
  });
  const handshakes = tlsSigns(target, times.tlsHandshakeMs);
  if (end.kind === 'failure') return { ...failureOf(end, evidence), signs: handshakes };
  const { status } = end;
  const signs: readonly HandoffSign[] = [...handshakes, { kind: 'http', target, status }];
  const askedMs = retryAfterMs(end.headers, now);
  const more = {
    status,
    answerSha256: sha256Hex(end.bodySha256),
    ...(askedMs === undefined ? {} : { retryAfterMs: Math.min(askedMs, RETRY_AFTER_MS_MAX) }),
  };
  const shown = (code = `HTTP_${status}`) => ({ evidence: evidence(code, more), signs });
  const kind = byStatus(KINDS, status);
  if (kind === 'taken') {
    const receipt = end.bodyEnd === 'whole' ? receiptIn(end.body) : undefined;
    // A page that says 200 is not somebody who has the docket.
    if (receipt === undefined) return { kind: 'unknown', ...shown('RECEIPT_MISSING') };
    return { kind: 'confirmed', receipt, ...shown() };
  }
  return { kind, ...shown() };
}

function failureOf(
  { code, message, written, times }: OnceEnd & { kind: 'failure' },
  evidence: (code: string, more?: Partial<HandoffEvidence>) => HandoffEvidence,
): Pick<HandoffOutcome, 'evidence'> & { kind: 'unknown' | 'failed' | 'unsendable' | 'not_made' } {
  // An answer that is no HTTP; before the write it is the request that HTTP does not allow.
  if (code === 'protocol') {
    return written
      ? { kind: 'unknown', evidence: evidence('ANSWER_UNREADABLE') }
      : { kind: 'unsendable', evidence: evidence('REQUEST_INVALID') };
  }
  if (times.responseMs === undefined) {
    // A lease that is lost while the connection is being opened ends it as its time-out does.
    const shown = code === 'lease_lost' ? 'TIMEOUT' : code.toUpperCase();
    return { kind: 'failed', evidence: evidence(shown, { message }) };
  }
  const kind = written ? 'unknown' : code === 'lease_lost' ? 'not_made' : 'failed';
  return { kind, evidence: evidence(code.toUpperCase()) };
}

/** `http` is readable on its way, so it is for private networks alone. */
function usableUrl(address: string, allowPrivateAddresses: AllowedPrivate): URL | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isReadable = url?.protocol === 'http:' && allowPrivateAddresses !== false;
  if (url === undefined || !(isReadable || url.protocol === 'https:')) return undefined;
  return url.username === '' && url.password === '' ? url : undefined;
}

async function readSecrets(
  target: HandoffTarget,
  deps: HandoffDeps,
): Promise<Readonly<Record<string, string>> | undefined> {
  try {
    return (await deps.credentials?.(target)) ?? {};
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

function receiptIn(body: Uint8Array): string | undefined {
  const receipt = textAt(decodeJson(body), RECEIPT_AT);
  return receipt !== undefined && RECEIPT.test(receipt) ? receipt : undefined;
}
