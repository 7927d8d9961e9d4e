/** What a status code says by itself (RFC 9110 § 15, RFC 6585): one table. What it means to a caller is the caller's data. */

type StatusMeaning =
  /** Taken, says whoever answers. */
  | 'success'
  /** Look elsewhere: nobody has said what became of the request. */
  | 'elsewhere'
  /** Read, and not taken as it is. */
  | 'refused'
  /** Nothing there under this address. */
  | 'missing'
  /** Not for who asks: credentials, payment, law. */
  | 'denied'
  | 'conflict'
  /** Another endpoint than the one that was agreed on. */
  | 'changed'
  /** Not at this moment, says whoever stands in front. */
  | 'not_now'
  | 'throttled'
  /** The network itself asks for a login first. */
  | 'network_login'
  /** The server's own fault; it does not say that nothing was done. */
  | 'broken'
  /** Of the client's faults those that say nothing about what was sent. */
  | 'unclear';

const BY_CODE: ReadonlyMap<number, StatusMeaning> = new Map(
  Object.entries({
    refused: [400, 413, 414, 422, 431],
    denied: [401, 402, 403, 407, 451],
    missing: [404],
    conflict: [409],
    changed: [304, 405, 410, 415, 426, 501, 505],
    not_now: [408, 423, 425],
    throttled: [429],
    network_login: [511],
  } satisfies Partial<Record<StatusMeaning, readonly number[]>>).flatMap(([meaning, codes]) =>
    // The keys are those of the literal above.
    codes.map((code) => [code, meaning as StatusMeaning] as const),
  ),
);

export function statusMeaning(status: number): StatusMeaning {
  const known = BY_CODE.get(status);
  if (known !== undefined) return known;
  if (status >= 500) return 'broken';
  if (status >= 400) return 'unclear';
  return status >= 200 && status < 300 ? 'success' : 'elsewhere';
}

/** What a caller makes of the meanings, and of single codes where it differs. */
export interface StatusRules<T> {
  readonly codes?: Readonly<Record<number, T>>;
  readonly meanings?: Partial<Readonly<Record<StatusMeaning, T>>>;
  readonly otherwise: T;
}

export function byStatus<T>({ codes, meanings, otherwise }: StatusRules<T>, status: number): T {
  return codes?.[status] ?? meanings?.[statusMeaning(status)] ?? otherwise;
}
