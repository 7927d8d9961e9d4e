/** Just enough of PostgreSQL's protocol (version 3) to see one prepared statement pass and its answer come back. */

export interface WireMessage {
  /** One letter; empty for the first message of a connection, which has none. */
  readonly type: string;
  readonly bytes: Buffer;
}

const LENGTH_BYTES = 4;

/** Cuts a stream of bytes into messages. */
export class WireMessages {
  #rest: Buffer = Buffer.alloc(0);
  #untyped: boolean;

  /** A client's first message has no type; a server's has. */
  constructor(side: 'client' | 'server') {
    this.#untyped = side === 'client';
  }

  *push(bytes: Buffer): Generator<WireMessage> {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    for (;;) {
      const typeBytes = this.#untyped ? 0 : 1;
      if (this.#rest.length < typeBytes + LENGTH_BYTES) return;
      const end = typeBytes + this.#rest.readInt32BE(typeBytes);
      if (this.#rest.length < end) return;
      const message = this.#rest.subarray(0, end);
      this.#rest = this.#rest.subarray(end);
      const type = this.#untyped ? '' : message.toString('latin1', 0, 1);
      this.#untyped = false;
      yield { type, bytes: message };
    }
  }
}

/** The statement and the parameters (as text) of a Bind message. */
export function readBind(message: WireMessage): {
  readonly statement: string;
  readonly parameters: readonly (string | undefined)[];
} {
  const { bytes } = message;
  const portalEnd = bytes.indexOf(0, 1 + LENGTH_BYTES);
  const nameEnd = bytes.indexOf(0, portalEnd + 1);
  const statement = bytes.toString('utf8', portalEnd + 1, nameEnd);
  let at = nameEnd + 1;
  at += 2 + 2 * bytes.readInt16BE(at);
  const count = bytes.readInt16BE(at);
  at += 2;
  const parameters: (string | undefined)[] = [];
  for (let n = 0; n < count; n += 1) {
    const length = bytes.readInt32BE(at);
    at += LENGTH_BYTES;
    parameters.push(length < 0 ? undefined : bytes.toString('utf8', at, at + Math.max(length, 0)));
    at += Math.max(length, 0);
  }
  return { statement, parameters };
}
