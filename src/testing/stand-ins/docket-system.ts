/** The firm's own docket system for the demo: takes events, answers for its health, and knows what it holds. It can die. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from './mail-house.ts';

export interface DocketSystem {
  readonly url: string;
  /** How many events it holds, and how many it was given twice. */
  held(): { readonly events: number; readonly twice: number };
  die(): void;
  comeBack(): void;
  close(): Promise<void>;
}

const BODY_BYTES_MAX = 1024 * 1024;

export async function startDocketSystem(): Promise<DocketSystem> {
  const held = new Map<string, { readonly sha256: string; times: number }>();
  let isDead = false;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://demo');
    if (isDead) return answer(response, 503, { error: 'down' });
    if (request.method === 'POST')
      return answer(response, 200, take(request, await bodyOf(request)));
    if (url.pathname === '/health') return answer(response, 200, { status: 'ok' });
    if (url.pathname === '/dockets') {
      const asked = (url.searchParams.get('message_ids') ?? '').split(',');
      const dockets = asked.flatMap((id) => {
        const known = held.get(id);
        return known === undefined ? [] : [{ message_id: id, payload_sha256: known.sha256 }];
      });
      return answer(response, 200, { dockets });
    }
    return answer(response, 404, {});
  };
  const take = (request: IncomingMessage, body: Buffer): object => {
    const id = String(request.headers['filewright-message-id']);
    const isTest = String(request.headers['content-type']).includes('synthetic');
    const known = held.get(id);
    if (known !== undefined) known.times += 1;
    else if (!isTest) held.set(id, { sha256: digestOf(request, body), times: 1 });
    return { receipt: `FIRM-${id.slice(-8)}` };
  };
  const server = createServer((request, response) => {
    // A client that hangs up has nobody to tell.
    serve(request, response).catch(() => response.destroy());
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/events`,
    held: () => ({
      events: held.size,
      twice: [...held.values()].filter(({ times }) => times > 1).length,
    }),
    die: () => {
      isDead = true;
    },
    comeBack: () => {
      isDead = false;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** The sender says the hash of what it sent (RFC 9530); the demo believes it. */
function digestOf(request: IncomingMessage, body: Buffer): string {
  const [, base64 = ''] =
    /^sha-256=:([^:]+):$/.exec(String(request.headers['content-digest'])) ?? [];
  return base64 === '' ? String(body.length) : Buffer.from(base64, 'base64').toString('hex');
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    // Streams of requests give bytes.
    const bytes = part as Buffer;
    size += bytes.length;
    if (size > BODY_BYTES_MAX) throw new Error('too large');
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify(body));
}
