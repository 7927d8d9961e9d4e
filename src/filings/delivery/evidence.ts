/** What is kept of an exchange, and the sealed envelope of an exception. Canonical JSON, so that both can be hashed. */
import {
  type AttemptRecord,
  canonicalBytes,
  type Exchange,
  type Filing,
  type JsonValue,
  toRfc3339,
} from '../../core/index.ts';
import { violationsOf } from '../../lanes/index.ts';
import type { Dispute } from './receipts-seen.ts';

/** The exact response, or what failed instead. */
export function exchangeJson(exchange: Exchange): JsonValue {
  if (exchange.kind === 'failure') {
    const { code, written, message } = exchange;
    return {
      kind: 'failure',
      code,
      written,
      message: wellFormed(message.slice(0, 500)),
      elapsed_ms: Math.round(exchange.elapsedMs),
      ...(exchange.answer === undefined ? {} : { answer: exchangeJson(exchange.answer) }),
    };
  }
  return {
    kind: 'answer',
    status: exchange.status,
    headers: Object.fromEntries(
      Object.entries(exchange.headers).map(([name, value]) => [name, wellFormed(value)]),
    ),
    body_base64: base64(exchange.body),
    body_sha256: exchange.bodySha256,
    body_end: exchange.bodyEnd,
    elapsed_ms: Math.round(exchange.elapsedMs),
    ...(exchange.tlsHandshakeMs === undefined
      ? {}
      : { tls_handshake_ms: Math.round(exchange.tlsHandshakeMs) }),
  };
}

/** Everything a person needs: payload bytes, hash, trace, the exact last response and every earlier attempt. */
export function exceptionEnvelope(input: {
  readonly filing: Filing;
  /** Undefined when it does not open; then the hash alone says what it was. */
  readonly payload: Uint8Array | undefined;
  readonly reason: string;
  readonly exchange: Exchange | undefined;
  readonly dispute: Dispute | undefined;
  readonly history: readonly AttemptRecord[];
  readonly trace: string;
}): Uint8Array {
  const { filing } = input;
  return canonicalBytes({
    filing: filing.id,
    batch: filing.batch,
    lane: filing.lane,
    jurisdiction: filing.jurisdiction,
    entity_id: filing.entityId,
    filing_kind: filing.filingKind,
    period: filing.period,
    revision: filing.revision,
    key: filing.key,
    due: toRfc3339(filing.due),
    reason: input.reason,
    trace: input.trace,
    payload_base64: input.payload === undefined ? null : base64(input.payload),
    payload_sha256: filing.payloadSha256,
    response: input.exchange === undefined ? null : exchangeJson(input.exchange),
    violations: violations(input.exchange),
    ...(input.dispute === undefined
      ? {}
      : { receipt_of: { receipt: input.dispute.receipt, filing: input.dispute.of ?? null } }),
    attempts: input.history.map((attempt) => ({
      attempt: attempt.attempt,
      action: attempt.action,
      trace: attempt.id,
      intent_at: toRfc3339(attempt.intentAt),
      outcome_at: attempt.outcome === undefined ? null : toRfc3339(attempt.outcome.at),
      verdict: attempt.outcome?.verdict ?? null,
      code: attempt.outcome?.code ?? null,
      // The exact response of an earlier attempt is the sealed body of this ledger entry.
      entry: attempt.outcome?.sealed?.entry ?? null,
    })),
  });
}

/** As the portal names them, beside the bytes in which it does. */
function violations(exchange: Exchange | undefined): JsonValue {
  const body = exchange?.kind === 'answer' ? exchange.body : undefined;
  return violationsOf(body).map((one) =>
    Object.fromEntries(Object.entries(one).map(([name, text]) => [name, wellFormed(text)])),
  );
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** Half of a surrogate pair cannot be written as UTF-8; a header may contain one. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}
