/** A grantor's ledger behind an HTTP lane: one read, its outcome as a value. Whether to try again is decided elsewhere. */
import {
  type Exchange,
  type FailureCode,
  FilewrightError,
  parseStrictJson,
  type Profile,
} from '../core/index.ts';
import type { LanePortal } from '../portals/index.ts';
import type { GrantorAnswer, GrantorLedger } from './contracts.ts';

/** As the connection's own codes, which the failure rules know. */
const NETWORK_CODES: Readonly<Partial<Record<FailureCode, string>>> = {
  dns: 'ENOTFOUND',
  connect: 'ECONNREFUSED',
  tls_slow: 'ERR_TLS_HANDSHAKE_TIMEOUT',
  timeout: 'ETIMEDOUT',
  cut: 'ECONNRESET',
};

/** `pathOf` gives the place of a grantor's ledger below the lane's base address. */
export function laneLedger(lane: {
  readonly portal: Pick<LanePortal, 'read'>;
  readonly profile: Profile;
  readonly pathOf: (grantor: string) => string;
}): GrantorLedger {
  return {
    read: async (grantor) => {
      const guard = { mayWrite: () => true, signal: new AbortController().signal };
      return answerOf(await lane.portal.read(lane.profile, lane.pathOf(grantor), guard));
    },
  };
}

function answerOf(exchange: Exchange): GrantorAnswer {
  if (exchange.kind === 'failure') {
    const code = NETWORK_CODES[exchange.code] ?? exchange.code;
    return { kind: 'failed', failure: { kind: 'network', code } };
  }
  if (exchange.status !== 200) {
    return { kind: 'failed', failure: { kind: 'http', status: exchange.status } };
  }
  // Half an answer is none: the rest may come the next time.
  if (exchange.bodyEnd === 'cut') {
    return { kind: 'failed', failure: { kind: 'network', code: 'ECONNRESET' } };
  }
  try {
    return { kind: 'read', document: parseStrictJson(exchange.body) };
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    return { kind: 'failed', failure: { kind: 'schema', codes: [error.code] } };
  }
}
