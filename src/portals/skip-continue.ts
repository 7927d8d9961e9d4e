import type { Socket } from 'node:net';

const CONTINUE = Buffer.from('HTTP/1.1 100', 'latin1');
const HEAD_END = Buffer.from('\r\n\r\n', 'latin1');
// As much as a whole answer's head may have; a "100" with a longer one is handed on and fails as it is.
const HEAD_BYTES_MAX = 16 * 1024;

/**
 * Drops `100 Continue` in front of an answer. RFC 9110 § 15.2: a client must be able to read 1xx answers that it did
 * not ask for. undici 7 destroys the connection on a 100 instead (client-h1.js, onHeadersComplete), which would turn
 * every filing to such a portal into an unknown one. Other 1xx answers pass through undici unharmed.
 *
 * A new answer begins with the first bytes after a write (there is no pipelining), so the text in the middle of a
 * body is never taken for one.
 */
export function skipContinue(socket: Socket): void {
  const read = socket.read.bind(socket);
  let writtenBefore = 0;
  let isAtStart = false;
  let held: Buffer | undefined;

  socket.read = (size?: number) => {
    const chunk: unknown = read(size);
    if (!Buffer.isBuffer(chunk)) return chunk;
    const { bytesWritten } = socket;
    if (bytesWritten !== writtenBefore) {
      writtenBefore = bytesWritten;
      isAtStart = true;
    }
    if (!isAtStart) return chunk;
    if (held === undefined && chunk.length >= CONTINUE.length && chunk[9] !== CONTINUE[9]) {
      // The usual case, without allocating: the status does not begin with a 1.
      isAtStart = false;
      return chunk;
    }
    const rest = afterContinue(held === undefined ? chunk : Buffer.concat([held, chunk]));
    held = rest.isComplete ? undefined : rest.bytes;
    if (!rest.isComplete || rest.bytes.length === 0) return null;
    isAtStart = false;
    return rest.bytes;
  };
}

/** What follows the interim answers; not complete when more bytes are needed to tell. */
function afterContinue(bytes: Buffer): { readonly isComplete: boolean; readonly bytes: Buffer } {
  let rest = bytes;
  for (;;) {
    const length = Math.min(rest.length, CONTINUE.length);
    const isContinue = length === 0 || rest.compare(CONTINUE, 0, length, 0, length) === 0;
    if (!isContinue || length === 0) return { isComplete: true, bytes: rest };
    const end = rest.indexOf(HEAD_END);
    if (end < 0) return { isComplete: rest.length > HEAD_BYTES_MAX, bytes: rest };
    rest = rest.subarray(end + HEAD_END.length);
  }
}
