/** What went wrong, as RFC 9457 says it, from the catalogue of errors. Pure; never a stack, never a secret. */
import { ERRORS, type ErrorCode, FilewrightError } from '../../core/index.ts';

interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly remedy: string;
  readonly instance: string;
  /** Of a request that does not fit its schema: where, as JSON pointers. */
  readonly errors?: readonly Fault[];
}

interface Fault {
  readonly pointer: string;
  readonly detail: string;
}

const OF_EXIT = {
  done: 500,
  failed: 422,
  usage: 400,
  notFound: 404,
  refused: 403,
  conflict: 409,
  late: 409,
  verification: 500,
  tryLater: 503,
  // Signals end a command; a request never has them.
  interrupted: 503,
  terminated: 503,
} as const;

const OF_CODE: { readonly [Code in ErrorCode]?: number } = {
  BROKEN_INVARIANT: 500,
  NO_CREDENTIAL: 401,
  BAD_CREDENTIAL: 401,
  REFUSED_BY_RULE: 409,
  NOT_APPROVED: 409,
  MAY_BE_FILED: 409,
  PROOF_NEEDED: 409,
  QUARANTINED: 409,
  GATE_REFUSED: 422,
  SHEET_UNCLEAR: 422,
  INPUT_LIMIT: 413,
  TOO_MANY_REQUESTS: 429,
  ROOT_KEY_MISSING: 500,
  DATA_DIRECTORY: 500,
};

/** Seconds; for what passes by itself. */
const RETRY_AFTER = 5;

function statusOf(code: ErrorCode): number {
  return OF_CODE[code] ?? OF_EXIT[ERRORS[code].exit];
}

interface Answered {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;
  /** Our own mistake: for the log, and not for who asked. */
  readonly isOurs: boolean;
}

/** A request that does not fit its schema. */
export class Misfit extends Error {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super('The request does not fit its schema');
    this.faults = faults;
  }
}

export function problemOf(error: unknown, requestId: string): Answered {
  if (error instanceof Misfit)
    return answered('USAGE', error.message, requestId, 400, error.faults);
  if (error instanceof FilewrightError) {
    const status = statusOf(error.code);
    // What broke inside may quote what it broke on.
    const isOurs = status === 500;
    const detail = isOurs ? ERRORS[error.code].meaning : error.message;
    return { ...answered(error.code, detail, requestId, status), isOurs };
  }
  const { statusCode } = Object(error) as { readonly statusCode?: unknown };
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return answered(...ofServer(statusCode), requestId, statusCode);
  }
  const [code, detail] = ['BROKEN_INVARIANT', ERRORS.BROKEN_INVARIANT.meaning] as const;
  return { ...answered(code, detail, requestId, 500), isOurs: true };
}

/** What the server itself refuses, before a route is found. */
function ofServer(status: number): [ErrorCode, string] {
  switch (status) {
    case 404:
      return ['NOT_FOUND', 'There is nothing at this address'];
    case 405:
      return ['USAGE', 'This address does not take that method'];
    case 413:
      return ['INPUT_LIMIT', 'The body is larger than the limit'];
    case 415:
      return ['USAGE', 'Expected another media type; the reference says which this address takes'];
    case 429:
      return ['TOO_MANY_REQUESTS', 'Too many requests came from this address'];
    default:
      return ['USAGE', 'The request cannot be read'];
  }
}

function answered(
  code: ErrorCode,
  detail: string,
  requestId: string,
  status: number,
  errors?: readonly Fault[],
): Answered {
  const { meaning, remedy } = ERRORS[code];
  const problem = {
    type: `/api/v1/errors/${code}`,
    title: meaning,
    status,
    code,
    detail,
    remedy,
    instance: `urn:uuid:${requestId}`,
    ...(errors === undefined ? {} : { errors }),
  };
  const headers: Record<string, string> = {
    ...(status === 401 ? { 'www-authenticate': 'Bearer realm="filewright"' } : {}),
    ...(status === 429 || status === 503 ? { 'retry-after': String(RETRY_AFTER) } : {}),
  };
  return { problem, headers, isOurs: false };
}
