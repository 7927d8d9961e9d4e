/** One GET, for the health and the records of a target and for the assignment table. Every outcome is a value. */
import type { Clock } from '../../core/index.ts';
import { type AllowedPrivate, askOnce, type OnceDeps, type PhaseTimes } from '../../wire/index.ts';

export type GetOutcome = { readonly elapsedMs: number; readonly times: PhaseTimes } & (
  | { readonly kind: 'answer'; readonly status: number; readonly body: Uint8Array }
  | { readonly kind: 'failed'; readonly code: string }
);

/** A page of records fits; what is larger is not read. */
const BODY_BYTES_MAX = 1024 * 1024;

interface GetDeps {
  readonly clock: Clock;
  /** For the connection, and for the answer, however slowly it drips. */
  readonly timeoutMs: number;
  readonly handshakeMs: number;
  /** For all of it; what its phases may take unless given. */
  readonly wholeMs?: number;
  readonly transport: Pick<OnceDeps, 'lookup' | 'certificateAuthorities'>;
}

export async function getOnce(
  request: {
    readonly url: URL;
    readonly allowPrivateAddresses: AllowedPrivate;
    readonly headers?: Readonly<Record<string, string>>;
  },
  { clock, timeoutMs, handshakeMs, transport, ...more }: GetDeps,
  signal: AbortSignal,
): Promise<GetOutcome> {
  const { url, allowPrivateAddresses } = request;
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowPrivateAddresses !== false)) {
    return { kind: 'failed', code: 'ADDRESS_INVALID', times: {}, elapsedMs: 0 };
  }
  const { lookup, certificateAuthorities } = transport;
  const end = await askOnce(
    {
      method: 'GET',
      url,
      allowPrivateAddresses,
      headers: {
        // A cached answer says nothing about the health of what is behind it.
        'cache-control': 'no-cache, no-store',
        'accept-encoding': 'identity',
        ...request.headers,
      },
    },
    {
      connectMs: timeoutMs,
      handshakeMs,
      answerMs: timeoutMs,
      wholeMs: more.wholeMs ?? 2 * timeoutMs + handshakeMs,
      keptBytesMax: BODY_BYTES_MAX,
      readBytesMax: BODY_BYTES_MAX,
    },
    { lookup, certificateAuthorities, monotonicMs: () => clock.monotonicMs() },
    { mayWrite: () => true, signal },
  );
  const { responseMs: _, ...times } = end.times;
  const seen = { times, elapsedMs: Math.round(end.elapsedMs) };
  if (end.kind === 'failure') return { kind: 'failed', code: end.code.toUpperCase(), ...seen };
  if (end.bodyEnd !== 'whole') return { kind: 'failed', code: 'CUT', ...seen };
  return { kind: 'answer', status: end.status, body: end.body, ...seen };
}
