/** The HTTP side of a witness: C2SP tlog-witness `add-checkpoint`, and nothing else. What is answered is decided elsewhere. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { cannotListen } from '../core/index.ts';
import type { WebServer } from './acknowledgement-server.ts';

const HEADER_BYTES_MAX = 8 * 1024;
const REQUEST_MS = 10_000;
const IDLE_MS = 30_000;
const CHECK_MS = 1_000;
/** Logs and their few clients. */
const CONNECTIONS_MAX = 100;

interface WitnessReply {
  readonly status: number;
  /** With 200: signature lines. */
  readonly lines?: string;
  readonly size?: number;
  readonly message?: string;
}

interface WitnessDoor {
  add(body: string): Promise<WitnessReply>;
  readonly bodyBytesMax: number;
  /** Told about what went wrong here; the asker hears only that it did. */
  readonly onTrouble: (error: unknown) => void;
}

interface WitnessAddress {
  readonly host: string;
  readonly port: number;
  /** PEM texts; without them it speaks plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

export async function startWitnessServer(
  door: WitnessDoor,
  { host, port, tls }: WitnessAddress,
): Promise<WebServer> {
  const server = await witnessServer(door, tls);
  try {
    const url = await server.listen({ host, port });
    return { url, close: () => server.close() };
  } catch (error) {
    await server.close();
    throw cannotListen(host, port, error);
  }
}

async function witnessServer(
  door: WitnessDoor,
  tls: WitnessAddress['tls'],
): Promise<FastifyInstance> {
  const { fastify } = await import('fastify');
  const http = {
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: REQUEST_MS,
    connectionsCheckingInterval: CHECK_MS,
  };
  const server = fastify({
    logger: false,
    bodyLimit: door.bodyBytesMax,
    requestTimeout: REQUEST_MS,
    connectionTimeout: REQUEST_MS,
    keepAliveTimeout: IDLE_MS,
    forceCloseConnections: true,
    return503OnClosing: true,
    exposeHeadRoutes: false,
    ...(tls === undefined ? { http } : { https: { ...http, ...tls } }),
    frameworkErrors: (_error, _request, reply) => void say(reply, 404, 'Not found.'),
  });
  server.server.maxConnections = CONNECTIONS_MAX;
  server.removeAllContentTypeParsers();
  // The specification names no content type for the request.
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  server.post('/add-checkpoint', async (request, reply) => {
    const body = request.body instanceof Uint8Array ? textOf(request.body) : '';
    if (body === undefined) return say(reply, 400, 'The request is not UTF-8.');
    const answer = await door.add(body);
    if (answer.status === 200) return say(reply, 200, answer.lines ?? '', 'text/plain');
    if (answer.status === 409) return say(reply, 409, `${answer.size}\n`, 'text/x.tlog.size');
    return say(reply, answer.status, `${answer.message ?? ''}\n`);
  });
  server.setNotFoundHandler((_request, reply) => say(reply, 404, 'Not found.\n'));
  server.setErrorHandler((error, _request, reply) => {
    const status = statusOf(error);
    if (status >= 400 && status < 500) return say(reply, status, 'The request cannot be read.\n');
    door.onTrouble(error);
    return say(reply, 503, 'Try again later.\n');
  });
  return server;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(body: Uint8Array): string | undefined {
  try {
    return UTF8.decode(body);
  } catch {
    // The only thing it throws for is what the asker is told.
    return undefined;
  }
}

function say(
  reply: FastifyReply,
  status: number,
  text: string,
  type = 'text/plain; charset=utf-8',
): FastifyReply {
  return reply
    .code(status)
    .headers({ 'content-type': type, 'x-content-type-options': 'nosniff' })
    .send(Buffer.from(text, 'utf8'));
}

function statusOf(error: unknown): number {
  const status: unknown =
    typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : 500;
  return typeof status === 'number' ? status : 500;
}
