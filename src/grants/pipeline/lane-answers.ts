/** What an exchange over a lane means to a boundary: a body, or a failure in the words of its rules. */
import type { Exchange, FailureCode } from '../../core/index.ts';
import type { BoundaryFailure } from '../rules/intake/failures.ts';

/** As the connection's own codes, which the failure rules know. */
const NETWORK_CODES: Readonly<Partial<Record<FailureCode, string>>> = {
  dns: 'ENOTFOUND',
  connect: 'ECONNREFUSED',
  tls_slow: 'ERR_TLS_HANDSHAKE_TIMEOUT',
  timeout: 'ETIMEDOUT',
  cut: 'ECONNRESET',
  // Nothing was written; the next attempt has a lease of its own.
  lease_lost: 'ECONNRESET',
};

/** Undefined for a whole answer with 200. */
export function failureOf(exchange: Exchange): BoundaryFailure | undefined {
  if (exchange.kind === 'failure') {
    return { kind: 'network', code: NETWORK_CODES[exchange.code] ?? exchange.code };
  }
  if (exchange.status !== 200) return { kind: 'http', status: exchange.status };
  switch (exchange.bodyEnd) {
    case 'whole':
      return undefined;
    // Half an answer is none: the rest may come the next time.
    case 'cut':
      return { kind: 'network', code: 'ECONNRESET' };
    case 'beyond_limit':
      return { kind: 'schema', codes: ['TOO_LARGE'] };
  }
}

/** Whatever came of a body, also of one that was cut. */
export function bodyOf(exchange: Exchange): Uint8Array {
  return exchange.kind === 'answer' ? exchange.body : new Uint8Array();
}
