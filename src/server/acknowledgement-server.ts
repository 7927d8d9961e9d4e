/**
 * The one page that people outside the command line see: a link from a mail, and a button. GET never acknowledges,
 * because mail scanners open every link; POST does, once.
 */
import type { FastifyInstance, FastifyPluginAsync, FastifyReply } from 'fastify';
import { limitPerAddress } from './per-address.ts';
import { cannotListen, type Clock, type Instant } from '../core/index.ts';
import {
  type Acknowledgement,
  closedPage,
  CONFIRM_FIELD,
  CONFIRM_VALUE,
  donePage,
  KEY_FIELD,
  noSuchPage,
  notSignedInPage,
  type OpenMessage,
  openPage,
  refusedPage,
  troublePage,
} from './pages.ts';

/** A form with one field of a dozen characters. */
const BODY_BYTES_MAX = 1024;
const HEADER_BYTES_MAX = 8 * 1024;
const TOKEN_CHARS_MAX = 100;
const REQUEST_MS = 10_000;
const IDLE_MS = 5_000;
/** How often Node looks for requests that are over their time; its own half minute is three times that time. */
const CHECK_MS = 1_000;
/** People who press a button; more at once is an attack, and waits in the queue of the system. */
const CONNECTIONS_MAX = 200;
/** Of one address: an office behind one address has a few readers at once, and nobody needs a tenth of all. */
const CONNECTIONS_PER_ADDRESS = 20;
/** Requests on one connection, so that none lives on for ever by asking again and again. */
const REQUESTS_PER_CONNECTION = 100;

export interface AcknowledgementPage {
  /** Undefined when there is no such message, or when its reader may not, or no longer, see it. */
  look(reference: string): Promise<MessageView | undefined>;
  /** The whole message for the owner of a personal key; undefined where that person may not see it. */
  signIn?(reference: string, key: string): Promise<MessageView | undefined>;
  /** The first call wins, over all processes; every later one gets its result. */
  acknowledge(
    reference: string,
    at: Instant,
  ): Promise<(Acknowledgement & { readonly isFirst: boolean }) | undefined>;
}

export type MessageView =
  | ({ readonly kind: 'open' } & OpenMessage)
  | ({ readonly kind: 'acknowledged' } & Acknowledgement)
  /** Without an acknowledgement: somebody closed the matter, and nothing is left to do. */
  | ({ readonly kind: 'closed' } & Acknowledgement);

export interface PageDeps {
  readonly page: AcknowledgementPage;
  /** What a token was signed for; undefined for any other text. `notify/` has it. */
  readonly readToken: (
    token: string,
  ) => { readonly reference: string; readonly expiresAt: Instant } | undefined;
  readonly clock: Pick<Clock, 'now'>;
  /** Told about what went wrong here; it holds no token. */
  readonly onTrouble?: (error: unknown) => void;
  /** Told, once a minute at most, that an address had too many connections open. */
  readonly onCrowd?: () => void;
}

export interface WebAddress {
  /** Loopback unless said otherwise: TLS and the public name are the business of a proxy before it. */
  readonly host?: string;
  readonly port: number;
  /** Connections that one address may have open; more behind a proxy, which is one address for everyone. Default 20. */
  readonly perAddress?: number | undefined;
}

export interface WebServer {
  readonly url: string;
  close(): Promise<void>;
}

export async function startAcknowledgementServer(
  deps: PageDeps,
  { host = '127.0.0.1', port, perAddress = CONNECTIONS_PER_ADDRESS }: WebAddress,
): Promise<WebServer> {
  const server = await acknowledgementServer(deps);
  const { clock, onCrowd } = deps;
  limitPerAddress(server.server, { connections: perAddress, onRefused: onCrowd, clock });
  try {
    const url = await server.listen({ host, port });
    return { url, close: () => server.close() };
  } catch (error) {
    await server.close();
    throw cannotListen(host, port, error);
  }
}

/** Not in the document of an API: it is a page for people. */
const HIDDEN = { hide: true };

/** Without listening. */
async function acknowledgementServer(deps: PageDeps): Promise<FastifyInstance> {
  // Loaded here: who asks for a docket needs its rules, and no server.
  const { fastify } = await import('fastify');
  const server = fastify({
    // A log line has the path, and the path has the token.
    logger: false,
    bodyLimit: BODY_BYTES_MAX,
    routerOptions: { maxParamLength: TOKEN_CHARS_MAX },
    requestTimeout: REQUEST_MS,
    connectionTimeout: REQUEST_MS,
    keepAliveTimeout: IDLE_MS,
    maxRequestsPerSocket: REQUESTS_PER_CONNECTION,
    forceCloseConnections: true,
    return503OnClosing: true,
    exposeHeadRoutes: false,
    http: {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: REQUEST_MS,
      connectionsCheckingInterval: CHECK_MS,
    },
    // A path that cannot be decoded is a link that leads nowhere, too.
    frameworkErrors: (_error, _request, reply) => void send(reply, 404, noSuchPage()),
  });
  server.server.maxConnections = CONNECTIONS_MAX;
  await server.register(acknowledgementRoutes(deps), { prefix: '/acknowledge' });
  server.setNotFoundHandler((_request, reply) => send(reply, 404, noSuchPage()));
  return server;
}

/** For a server of others too: below its own prefix, with its own bodies and errors. */
export function acknowledgementRoutes(deps: PageDeps): FastifyPluginAsync {
  return async (server) => addPages(server, deps);
}

function addPages(server: FastifyInstance, deps: PageDeps): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, String(body)),
  );
  // What any other body says does not matter, but it has the same limit.
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) =>
    done(null, ''),
  );
  const path = '/:token';
  server.route<{ Params: { token: string } }>({
    method: ['GET', 'HEAD'],
    url: path,
    bodyLimit: BODY_BYTES_MAX,
    schema: HIDDEN,
    handler: (request, reply) => show(deps, request.params.token, reply),
  });
  const limits = { bodyLimit: BODY_BYTES_MAX, schema: HIDDEN };
  server.post<{ Params: { token: string } }>(path, limits, (request, reply) =>
    acknowledge(deps, { token: request.params.token, body: request.body }, reply),
  );
  server.setNotFoundHandler((_request, reply) => send(reply, 404, noSuchPage()));
  server.setErrorHandler((error, _request, reply) => {
    const status = statusOf(error);
    if (status >= 400 && status < 500) return send(reply, status, refusedPage());
    deps.onTrouble?.(error);
    return send(reply, 503, troublePage());
  });
}

async function show(deps: PageDeps, token: string, reply: FastifyReply): Promise<FastifyReply> {
  const reference = referenceOf(deps, token);
  const view = reference === undefined ? undefined : await deps.page.look(reference);
  return view === undefined ? send(reply, 404, noSuchPage()) : send(reply, 200, pageOf(view));
}

function pageOf(view: MessageView): string {
  switch (view.kind) {
    case 'open':
      return openPage(view);
    case 'acknowledged':
      return donePage(view, false);
    case 'closed':
      return closedPage(view);
  }
}

async function acknowledge(
  deps: PageDeps,
  request: { readonly token: string; readonly body: unknown },
  reply: FastifyReply,
): Promise<FastifyReply> {
  const reference = referenceOf(deps, request.token);
  if (reference === undefined) return send(reply, 404, noSuchPage());
  const key = fieldOf(request.body, KEY_FIELD);
  if (key !== undefined) return signIn(deps, { reference, key }, reply);
  if (fieldOf(request.body, CONFIRM_FIELD) !== CONFIRM_VALUE) {
    // Looked up all the same: an answer of its own would tell a link that exists from one that does not.
    const view = await deps.page.look(reference);
    return view === undefined ? send(reply, 404, noSuchPage()) : send(reply, 400, refusedPage());
  }
  const done = await deps.page.acknowledge(reference, deps.clock.now());
  if (done !== undefined) return send(reply, 200, donePage(done, done.isFirst));
  const view = await deps.page.look(reference);
  return view?.kind === 'closed' ? send(reply, 200, pageOf(view)) : send(reply, 404, noSuchPage());
}

/** Acknowledges nothing. A link that leads nowhere answers as ever, whatever key came with it. */
async function signIn(
  { page }: PageDeps,
  { reference, key }: { readonly reference: string; readonly key: string },
  reply: FastifyReply,
): Promise<FastifyReply> {
  if ((await page.look(reference)) === undefined) return send(reply, 404, noSuchPage());
  const view = await page.signIn?.(reference, key);
  return view === undefined ? send(reply, 403, notSignedInPage()) : send(reply, 200, pageOf(view));
}

function referenceOf({ readToken, clock }: PageDeps, token: string): string | undefined {
  const ticket = readToken(token);
  return ticket !== undefined && clock.now() < ticket.expiresAt ? ticket.reference : undefined;
}

function fieldOf(body: unknown, name: string): string | undefined {
  return typeof body === 'string' ? (new URLSearchParams(body).get(name) ?? undefined) : undefined;
}

const HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  // Nothing is loaded, nothing frames it, and the form leads only back here.
  'content-security-policy':
    "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  // The token is in the address, and stays there.
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex, nofollow',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

function send(reply: FastifyReply, status: number, html: string): FastifyReply {
  return reply.code(status).headers(HEADERS).send(html);
}

function statusOf(error: unknown): number {
  const status: unknown =
    typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : 500;
  return typeof status === 'number' ? status : 500;
}
