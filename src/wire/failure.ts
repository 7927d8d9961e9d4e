import { errors } from 'undici';
import type { FailureCode } from '../core/index.ts';

/** How long each phase of opening a connection took, or had taken when it failed. */
export interface PhaseTimes {
  readonly connectMs?: number;
  readonly tlsHandshakeMs?: number;
}

/** A connection that did not come about. Its message holds no payload, no header and no credential. */
export class ConnectionFailure extends Error {
  readonly failure: FailureCode;
  readonly times: PhaseTimes;

  constructor(failure: FailureCode, message: string, times: PhaseTimes = {}) {
    super(message);
    this.name = 'ConnectionFailure';
    this.failure = failure;
    this.times = times;
  }
}

/**
 * The code for an error that undici reported. It says what went wrong, never whether the request was written: that is
 * known from the handler alone.
 */
export function failureCodeOf(error: Error): FailureCode {
  if (error instanceof ConnectionFailure) return error.failure;
  if (
    error instanceof errors.HTTPParserError ||
    error instanceof errors.HeadersOverflowError ||
    error instanceof errors.InvalidArgumentError ||
    error instanceof errors.NotSupportedError
  ) {
    return 'protocol';
  }
  // undici has one class for a closed socket and for an answer nobody asked for; only the text tells them apart.
  if (error instanceof errors.SocketError)
    return error.message.startsWith('bad ') ? 'protocol' : 'cut';
  return isTlsCode(codeOf(error)) ? 'tls' : 'cut';
}

export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

// With TLS 1.3 the portal may refuse our side of the handshake after we have written.
function isTlsCode(code: string | undefined): boolean {
  return code !== undefined && /^ERR_(?:SSL|TLS)_/.test(code);
}
