/** The HTTP side of the service: limits, heads of answers, errors, logs; and behind it the doors, the routes and the stream. */
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
// Its types: what the server can do once it is registered.
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { TSchema } from 'typebox';
import { type Clock, type Ids, type Log, parseStrictJson } from '../../core/index.ts';
import { UPLOADS } from '../route.ts';
import { addRoutes, type ApiDeps, noteBody } from './api.ts';
import { addDoors } from './doors.ts';
import { documentOf } from './openapi.ts';
import { problemOf } from './problem.ts';
import { validatorOf } from './validator.ts';

/** The largest request that is no file: a correction of a whole payload. */
const BODY_BYTES_MAX = 1024 * 1024;
const HEADER_BYTES_MAX = 16 * 1024;
const HEADERS_MS = 10_000;
/** A file of 256 MB over a slow line; whoever needs longer is cut off. */
const REQUEST_MS = 300_000;
const IDLE_MS = 15_000;
const CHECK_MS = 1_000;
const CONNECTIONS_MAX = 2_000;
/** So that none lives on for ever by asking again and again. */
const REQUESTS_PER_CONNECTION = 10_000;
const NAME_CHARS_MAX = 300;

export interface HttpSettings {
  /** PEM texts; without them it speaks plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Networks whose word about the client's address counts. */
  readonly proxies?: readonly string[];
}

interface HttpDeps extends ApiDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Of each answer, by its route and not its address. */
  readonly onAnswer: (answer: {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly ms: number;
  }) => void;
}

export async function httpServer(
  deps: HttpDeps,
  { tls, proxies = [] }: HttpSettings,
): Promise<FastifyInstance> {
  // Loaded here: no command needs a server but the one that serves.
  const { fastify } = await import('fastify');
  const { default: swagger } = await import('@fastify/swagger');
  const http = {
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: HEADERS_MS,
    connectionsCheckingInterval: CHECK_MS,
  };
  const server = fastify({
    // A line of its own has the address, and an address may hold a secret; ours has the route (`logAnswers`).
    logger: false,
    genReqId: () => deps.ids.next(),
    requestIdHeader: false,
    bodyLimit: BODY_BYTES_MAX,
    routerOptions: { maxParamLength: NAME_CHARS_MAX },
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: IDLE_MS,
    maxRequestsPerSocket: REQUESTS_PER_CONNECTION,
    forceCloseConnections: 'idle',
    return503OnClosing: true,
    exposeHeadRoutes: false,
    trustProxy: proxies.length === 0 ? false : [...proxies],
    ...(tls === undefined ? { http } : { https: { ...tls, ...http } }),
    frameworkErrors: (error, request, reply) => void refuse(deps, error, request, reply),
  });
  server.server.maxConnections = CONNECTIONS_MAX;
  readBodies(server);
  server.setValidatorCompiler<TSchema>(({ schema, httpPart }) =>
    validatorOf(schema, httpPart ?? 'body'),
  );
  // Answers are texts already; what the document says of them is for its readers.
  server.setSerializerCompiler(() => (data) => JSON.stringify(data));
  server.setErrorHandler((error, request, reply) => refuse(deps, error, request, reply));
  server.setNotFoundHandler((request, reply) =>
    refuse(deps, Object.assign(new Error('nothing here'), { statusCode: 404 }), request, reply),
  );
  server.addHook('onRequest', async (request, reply) => {
    void reply.headers(heads(deps.isSecure)).header('x-request-id', request.id);
  });
  logAnswers(server, deps);
  const document: FastifyDynamicSwaggerOptions = documentOf();
  await server.register(swagger, document);
  // In a room of its own, so that the document knows them all.
  await server.register(async (inner) => {
    addDoors(inner, deps);
    addRoutes(inner, deps);
  });
  return server;
}

function readBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = String(body);
    try {
      noteBody(request, text);
      done(null, text.trim() === '' ? undefined : parseStrictJson(text));
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)), undefined);
    }
  });
  for (const type of Object.keys(UPLOADS)) {
    // The stream itself: its reader has a limit of its own. A route that takes no file refuses what is no object.
    server.addContentTypeParser(
      type,
      { bodyLimit: Number.MAX_SAFE_INTEGER },
      (_request, body: Readable, done) => done(null, body),
    );
  }
}

/** Nothing of ours is a page, and nothing of it may be kept by a cache. */
function heads(isSecure: boolean): Record<string, string> {
  return {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    ...(isSecure ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
}

function refuse(
  { log }: Pick<HttpDeps, 'log'>,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { problem, headers, isOurs } = problemOf(error, request.id);
  if (isOurs) {
    const name = error instanceof Error ? error.name : 'unknown';
    const { code } = Object(error) as { readonly code?: unknown };
    log.write({
      level: 'error',
      event: 'http.trouble',
      trace_id: request.id,
      // A code of ours, of the driver or of the system; never the message, which may quote a payload.
      error: typeof code === 'string' ? `${name} ${code}` : name,
    });
  }
  return reply
    .code(problem.status)
    .headers(headers)
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify(problem));
}

function logAnswers(server: FastifyInstance, { log, clock, onAnswer }: HttpDeps): void {
  const began = new WeakMap<FastifyRequest, number>();
  server.addHook('onRequest', async (request) => {
    began.set(request, clock.monotonicMs());
  });
  server.addHook('onResponse', async (request, reply) => {
    const ms = Math.round(clock.monotonicMs() - (began.get(request) ?? clock.monotonicMs()));
    const route = request.routeOptions.url ?? 'none';
    const status = reply.statusCode;
    onAnswer({ method: request.method, route, status, ms });
    log.write({
      level: 'info',
      event: 'http.request',
      trace_id: request.id,
      route: `${request.method} ${route}`,
      http_status: status,
      ms,
    });
  });
}
