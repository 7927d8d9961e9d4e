/** Endpoints of a firm that can be told how to behave; what they took is counted by message id. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Taken {
  readonly target: string;
  readonly id: string;
  readonly digest: string;
  readonly contentType: string;
  readonly body: Buffer;
  readonly at: number;
}

export type Mode =
  | { readonly kind: 'well' }
  | { readonly kind: 'status'; readonly status: number }
  /** Takes the message and never answers. */
  | { readonly kind: 'stall' }
  /** Ends the connection after it has taken the message. */
  | { readonly kind: 'cut' };

export interface PrimaryRow {
  readonly message_id: string;
  readonly payload_sha256: string;
}

/** One origin for each target, so that `/health` and the records are its own. */
export class Endpoint {
  readonly name: string;
  readonly taken: Taken[] = [];
  mode: Mode = { kind: 'well' };
  health = 200;
  healthAsked: number[] = [];
  sample: { readonly status: number; readonly body: string } = { status: 404, body: '' };
  /** Undefined: what was taken, each once. `null`: there is no such database. */
  records: readonly PrimaryRow[] | null | undefined;
  synthetic: Mode = { kind: 'well' };
  readonly synthetics: Taken[] = [];
  readonly #server: Server;

  constructor(name: string) {
    this.name = name;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/dockets/in`;
  }

  /** Effects after deduplication by message id, and how often each came. */
  counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { id } of this.taken) counts.set(id, (counts.get(id) ?? 0) + 1);
    return counts;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://firm');
    if (request.method === 'GET') {
      this.#look(url, response);
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const contentType = String(request.headers['content-type']);
    const isSynthetic = contentType.includes('synthetic');
    const mode = isSynthetic ? this.synthetic : this.mode;
    if (mode.kind === 'status') {
      response.writeHead(mode.status).end();
      return;
    }
    const id = String(request.headers['filewright-message-id']);
    (isSynthetic ? this.synthetics : this.taken).push({
      target: this.name,
      id,
      digest: String(request.headers['content-digest']),
      contentType,
      body: Buffer.concat(chunks),
      at: performance.now(),
    });
    if (mode.kind === 'stall') return;
    if (mode.kind === 'cut') {
      response.destroy();
      return;
    }
    // The same receipt for the same message: that is what deduplication means for a receiver.
    const receipt = `${this.name}:${id}`.slice(0, 200);
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ receipt }));
  }

  #look(url: URL, response: ServerResponse): void {
    if (url.pathname === '/health') {
      this.healthAsked.push(performance.now());
      response.writeHead(this.health).end();
    } else if (url.pathname === '/sample') {
      response.writeHead(this.sample.status).end(this.sample.body);
    } else if (url.pathname === '/dockets' && this.records !== null) {
      const asked = new Set((url.searchParams.get('message_ids') ?? '').split(','));
      const rows =
        this.records ??
        [...new Map(this.taken.map((one) => [one.id, one])).values()].map(({ id, digest }) => ({
          message_id: id,
          payload_sha256: Buffer.from(digest.slice(9, -1), 'base64').toString('hex'),
        }));
      const dockets = rows.filter(({ message_id }) => asked.has(message_id));
      response.writeHead(200).end(JSON.stringify({ dockets }));
    } else response.writeHead(404).end();
  }
}
