/** What a failure at a boundary means: again later, or to a person. A permanent failure never reaches the retry queue. */

import { byStatus, type StatusRules } from '../../../core/index.ts';

export type BoundaryFailure =
  | { readonly kind: 'http'; readonly status: number }
  /** Node's or undici's code of a connection that failed. */
  | { readonly kind: 'network'; readonly code: string }
  | { readonly kind: 'schema'; readonly codes: readonly string[] };

export interface FailureVerdict {
  readonly kind: 'transient' | 'permanent';
  readonly code: string;
  readonly route: 'retry_queue' | 'compliance_exception_ledger';
}

const IS_TRANSIENT: StatusRules<boolean> = {
  meanings: { throttled: true },
  codes: { 502: true, 503: true },
  otherwise: false,
};

const NETWORK: ReadonlyMap<string, string> = new Map([
  ['ENOTFOUND', 'DNS_FAILURE'],
  ['EAI_AGAIN', 'DNS_FAILURE'],
  ['ETIMEDOUT', 'TLS_TIMEOUT'],
  ['ERR_TLS_HANDSHAKE_TIMEOUT', 'TLS_TIMEOUT'],
  ['UND_ERR_CONNECT_TIMEOUT', 'TLS_TIMEOUT'],
  ['ECONNREFUSED', 'CONNECTION_FAILED'],
  ['ECONNRESET', 'CONNECTION_FAILED'],
]);

/** Whatever is not known to pass by itself is permanent: a person sees it at once instead of after 15 minutes. */
export function classifyFailure(failure: BoundaryFailure): FailureVerdict {
  switch (failure.kind) {
    case 'http':
      return verdict(byStatus(IS_TRANSIENT, failure.status), `HTTP_${failure.status}`);
    case 'network': {
      const known = NETWORK.get(failure.code);
      return verdict(known !== undefined, known ?? `NETWORK_${failure.code}`);
    }
    case 'schema':
      return verdict(false, 'SCHEMA_VIOLATION');
  }
}

function verdict(isTransient: boolean, code: string): FailureVerdict {
  return isTransient
    ? { kind: 'transient', code, route: 'retry_queue' }
    : { kind: 'permanent', code, route: 'compliance_exception_ledger' };
}
