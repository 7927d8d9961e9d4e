/** A real HTTP server on loopback that takes webhooks and answers as it is told. */
import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface Taken {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Answer = (response: ServerResponse, taken: Taken, n: number) => void;

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly taken: readonly Taken[];
  /** How many connections were opened, with or without a request. */
  readonly connections: () => number;
  answer: Answer;
  close(): Promise<void>;
}

export function status(code: number, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(code, headers).end('{"thanks":true}');
  };
}

export async function startReceiver(tls?: {
  readonly key: string;
  readonly cert: string;
}): Promise<Receiver> {
  const taken: Taken[] = [];
  let connections = 0;
  const receiver = { answer: status(200) };
  const listener: Parameters<typeof createServer>[1] = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    // A request that is cut off is no request.
    request.on('error', () => undefined);
    request.on('end', () => {
      const one = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      taken.push(one);
      receiver.answer(response, one, taken.length);
    });
  };
  const server: Server =
    tls === undefined ? createServer(listener) : createTlsServer({ ...tls }, listener);
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A listening TCP server has an address object.
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}/hook?a=1`,
    port,
    taken,
    connections: () => connections,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/** Headers as the verifying library wants them. */
export function plainHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
