import type { IncomingMessage } from 'node:http';

/** Larger bodies get 413: no filing is near this, and a simulator must not be brought down by a test's mistake. */
export const BODY_BYTES_MAX = 16 * 1024 * 1024;

export type ReadBody =
  | { readonly kind: 'whole'; readonly bytes: Uint8Array }
  | { readonly kind: 'too_large' }
  /** The client went away before the last byte: nothing has arrived. */
  | { readonly kind: 'incomplete' };

const EMPTY = new Uint8Array(0);

/** Calls back in the event that brings the last byte, so that a portal without latency answers in the same turn. */
export function readBody(request: IncomingMessage, done: (body: ReadBody) => void): void {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let settled = false;
  const settle = (body: ReadBody): void => {
    if (settled) return;
    settled = true;
    done(body);
  };
  request.on('data', (chunk: Uint8Array) => {
    size += chunk.length;
    if (size <= BODY_BYTES_MAX) chunks.push(chunk);
    else settle({ kind: 'too_large' });
  });
  request.on('end', () => {
    const only = chunks.length === 1 ? chunks[0] : undefined;
    settle({ kind: 'whole', bytes: only ?? (size === 0 ? EMPTY : Buffer.concat(chunks)) });
  });
  // Node reports a client that went away before the end as an error of the request.
  request.on('error', () => settle({ kind: 'incomplete' }));
}
