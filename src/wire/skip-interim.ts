import type { Socket } from 'node:net';

const INTERIM = Buffer.from('HTTP/1.1 1', 'latin1');
const STATUS_AT = 'HTTP/1.1 '.length;
const STATUS_LENGTH = 3;
// Not an interim answer: what follows is no longer HTTP. undici refuses it, as nobody asked for it.
const SWITCHING = '101';
const HEAD_END = Buffer.from('\r\n\r\n', 'latin1');
// As much as a whole answer's head may have; an interim one with more is handed on and fails as it is.
const HEAD_BYTES_MAX = 16 * 1024;

/**
 * Drops the 1xx answers in front of an answer. RFC 9110 § 15.2: a client must be able to read those that it did not
 * ask for. undici 7 destroys the connection on a 100 instead (client-h1.js, onHeadersComplete), which would turn every
 * filing to such a portal into an unknown one. The others would pass through undici unharmed, but a 100 may follow them.
 *
 * A new answer begins with the first bytes after a write (there is no pipelining), so the text in the middle of a
 * body is never taken for one.
 */
export function skipInterim(socket: Socket): void {
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
    if (
      held === undefined &&
      chunk.length >= INTERIM.length &&
      chunk[STATUS_AT] !== INTERIM[STATUS_AT]
    ) {
      // The usual case, without allocating: the status does not begin with a 1.
      isAtStart = false;
      return chunk;
    }
    const rest = afterInterim(held === undefined ? chunk : Buffer.concat([held, chunk]));
    held = rest.isComplete ? undefined : rest.bytes;
    if (!rest.isComplete || rest.bytes.length === 0) return null;
    isAtStart = false;
    return rest.bytes;
  };
}

/** What follows the interim answers; not complete when more bytes are needed to tell. */
function afterInterim(bytes: Buffer): { readonly isComplete: boolean; readonly bytes: Buffer } {
  let rest = bytes;
  for (;;) {
    const length = Math.min(rest.length, INTERIM.length);
    const isInterim = length === 0 || rest.compare(INTERIM, 0, length, 0, length) === 0;
    if (!isInterim || length === 0) return { isComplete: true, bytes: rest };
    const status = rest.toString('latin1', STATUS_AT, STATUS_AT + STATUS_LENGTH);
    if (status === SWITCHING) return { isComplete: true, bytes: rest };
    const end = rest.indexOf(HEAD_END);
    if (end < 0) return { isComplete: rest.length > HEAD_BYTES_MAX, bytes: rest };
    rest = rest.subarray(end + HEAD_END.length);
  }
}
