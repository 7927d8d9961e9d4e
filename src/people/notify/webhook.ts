/** One webhook, sent once. Standard Webhooks in its headers, an event in its body; every outcome is a value. */
import { Webhook } from 'standardwebhooks';
import { byStatus, type Clock, retryAfterMs, type StatusRules, VERSION } from '../../core/index.ts';
import {
  type AllowedPrivate,
  askOnce,
  type OnceDeps,
  UNGUARDED,
  type WireAnswer,
} from '../../wire/index.ts';
import { type SendOutcome, wireCode } from './outcome.ts';

/** Receivers answer first and work later; name, connection, handshake, answer and its body together. */
const TIMEOUT_MS = 15_000;
/** The answer's body says nothing to us; it is read this far so that the connection ends cleanly. */
const BODY_LIMITS = { keptBytesMax: 0, readBytesMax: 64 * 1024 };

/** Redirects are not followed: the address was given by a person, and the next one would be given by anybody. */
const VERDICTS: StatusRules<'sent' | 'gone' | 'transient'> = {
  meanings: { success: 'sent' },
  codes: { 410: 'gone' },
  otherwise: 'transient',
};

interface WebhookMessage {
  readonly url: string;
  /** The same at every attempt, so that a receiver knows what it has seen. */
  readonly id: string;
  readonly body: string;
  /** Each of them signs; two while a secret is being replaced. */
  readonly secrets: readonly string[];
  readonly allowPrivateAddresses: AllowedPrivate;
}

interface WebhookOptions extends Pick<OnceDeps, 'lookup' | 'certificateAuthorities'> {
  readonly clock: Pick<Clock, 'now'>;
  readonly timeoutMs?: number;
}

export async function sendWebhook(
  message: WebhookMessage,
  options: WebhookOptions,
): Promise<SendOutcome> {
  const { clock, timeoutMs = TIMEOUT_MS } = options;
  const end = await askOnce(
    {
      method: 'POST',
      url: new URL(message.url),
      headers: signedHeaders(message, clock),
      body: Buffer.from(message.body),
      allowPrivateAddresses: message.allowPrivateAddresses,
    },
    { wholeMs: timeoutMs, ...BODY_LIMITS },
    options,
    // A receiver knows a message by its id: what is sent twice is one.
    UNGUARDED,
  );
  // Once the status has been heard, nothing else of the answer counts.
  if (end.kind === 'answer') return outcomeOf(end.status, end.headers, clock);
  if (end.heard !== undefined) return outcomeOf(end.heard.status, end.heard.headers, clock);
  const code = wireCode(end.code);
  if (end.written) return { verdict: 'unknown', code };
  // An address inside the house stays one: nothing is gained by asking again for three days.
  return { verdict: end.code === 'address_refused' ? 'permanent' : 'transient', code };
}

function signedHeaders(
  { id, body, secrets }: WebhookMessage,
  clock: Pick<Clock, 'now'>,
): Record<string, string> {
  const at = new Date(clock.now());
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': `filewright/${VERSION}`,
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}

function outcomeOf(
  status: number,
  headers: WireAnswer['headers'],
  clock: Pick<Clock, 'now'>,
): SendOutcome {
  const code = `HTTP_${status}`;
  const verdict = byStatus(VERDICTS, status);
  if (verdict !== 'transient') return { verdict, code };
  const waitMs = retryAfterMs(headers, clock.now());
  return { verdict, code, ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) };
}
