/** One POST on a connection that is open already. Every outcome is a value. */
import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import type { WriteGuard } from '../../core/index.ts';
import { sha256Hex, type Sha256Hex } from '../../core/index.ts';

/** A receipt fits easily; what goes beyond is only hashed, and beyond READ_BYTES_MAX not even that. */
const KEPT_BYTES_MAX = 64 * 1024;
const READ_BYTES_MAX = 1024 * 1024;
const HEADER_BYTES_MAX = 16 * 1024;

/** The process was too late to write; nothing is known about the target. */
export const LEASE_LOST = 'LEASE_LOST';
/** The request cannot be written at all: a header that HTTP does not allow. */
export const REQUEST_INVALID = 'REQUEST_INVALID';

export interface PostRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export type PostEnd =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Readonly<Record<string, string | string[] | undefined>>;
      /** Undefined when the answer was cut or is larger than a receipt can be. */
      readonly body: Buffer | undefined;
      readonly sha256: Sha256Hex;
    }
  /** `written: false` is proof that nothing was sent. */
  | { readonly kind: 'failure'; readonly written: boolean; readonly code: string };

/** Ends with the answer, or when `signal` aborts. The socket is closed afterwards. */
export function postOnce(
  socket: Socket,
  request: PostRequest,
  guard: WriteGuard,
  signal: AbortSignal,
): Promise<PostEnd> {
  const { url, body } = request;
  const client = new Client(url.origin, {
    // Never in the same call: undici would wait for ever for a connection that it has already.
    connect: (_target, callback) => queueMicrotask(() => callback(null, socket)),
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: HEADER_BYTES_MAX,
  });
  return new Promise((resolve) => {
    const post = new Post(guard, (end) => {
      signal.removeEventListener('abort', stop);
      socket.destroy();
      // Resolves when the socket is closed, and rejects never; nobody has to wait for it.
      void client.destroy();
      resolve(end);
    });
    const stop = (): void => post.fail(guard.signal.aborted ? LEASE_LOST : 'TIMEOUT');
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    else {
      client.dispatch(
        {
          method: 'POST',
          path: url.pathname + url.search,
          headers: request.headers,
          body: Buffer.from(body.buffer, body.byteOffset, body.byteLength),
        },
        post,
      );
    }
  });
}

/** undici's handler. `isWritten` is set in the same synchronous call that writes the request, and nowhere else. */
class Post implements Dispatcher.DispatchHandler {
  private readonly guard: WriteGuard;
  private readonly finish: (end: PostEnd) => void;
  private isOver = false;
  private isWritten = false;
  private status = 0;
  private headers: Readonly<Record<string, string | string[] | undefined>> = {};
  private readonly kept: Buffer[] = [];
  private readonly digest = createHash('sha256');
  private bytes = 0;

  constructor(guard: WriteGuard, finish: (end: PostEnd) => void) {
    this.guard = guard;
    this.finish = finish;
  }

  fail(code: string): void {
    this.end({ kind: 'failure', written: this.isWritten, code });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.isOver || this.isWritten) {
      controller.abort(new Error('The exchange is over.'));
    } else if (!this.guard.mayWrite() || this.guard.signal.aborted) {
      this.fail(LEASE_LOST);
      controller.abort(new Error('The lease was lost.'));
    } else this.isWritten = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // Interim answers say nothing.
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.isOver) return;
    this.bytes += chunk.length;
    this.digest.update(chunk);
    if (this.bytes <= KEPT_BYTES_MAX) this.kept.push(chunk);
    if (this.bytes > READ_BYTES_MAX) this.endAnswer(false);
  }

  onResponseEnd(): void {
    this.endAnswer(this.bytes <= KEPT_BYTES_MAX);
  }

  onResponseError(_controller: unknown, error: Error): void {
    // With the status line here the target has spoken; what is missing is the rest of the body.
    if (this.status !== 0) this.endAnswer(false);
    else this.fail(codeOf(error));
  }

  private endAnswer(isWhole: boolean): void {
    if (this.isOver) return;
    this.end({
      kind: 'answer',
      status: this.status,
      headers: this.headers,
      body: isWhole ? Buffer.concat(this.kept) : undefined,
      sha256: sha256Hex(this.digest.digest('hex')),
    });
  }

  private end(end: PostEnd): void {
    if (this.isOver) return;
    this.isOver = true;
    this.finish(end);
  }
}

function codeOf(error: Error): string {
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'UND_ERR_INVALID_ARG') return REQUEST_INVALID;
  return code.startsWith('HPE_') || code.startsWith('UND_ERR_HEADERS')
    ? 'ANSWER_UNREADABLE'
    : 'CUT';
}
