/** The API over the table of routes: who asks, may they, does it fit, do it once, answer. */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { allow, allowThrough, asActor } from '../../access/index.ts';
import { FilewrightError, misuse } from '../../core/index.ts';
import type { Filewright } from '../../filewright.ts';
import { enter, noteRefused } from '../../people/index.ts';
import { once } from '../once.ts';
import type { Page } from '../paging.ts';
import type { Pool } from '../pool.ts';
import { type Asked, type Route, UPLOADS } from '../route.ts';
import { ROUTES } from '../routes/table.ts';
import { shaped } from '../shape.ts';
import type { Attempts } from './attempts.ts';
import { type Entered, enteredAs, secretOf } from './entrance.ts';
import { answerSchema, problemSchema } from './openapi.ts';
import { type OwnAddress, requireOwnOrigin } from './origin.ts';
import { receive } from './upload.ts';

export const BASE = '/api/v1';
const KEY = /^[\x21-\x7e]{1,200}$/;

export interface ApiDeps {
  readonly pool: Pick<Pool, 'use'>;
  readonly attempts: Attempts;
  readonly own: OwnAddress;
  readonly isSecure: boolean;
}

/** Of one request, between its hooks. */
interface Under {
  entered?: Entered;
  /** Over the bytes of a JSON body. */
  bodySha256?: string;
}

const under = new WeakMap<FastifyRequest, Under>();

function stateOf(request: FastifyRequest): Under {
  const known = under.get(request);
  if (known !== undefined) return known;
  const fresh: Under = {};
  under.set(request, fresh);
  return fresh;
}

/** For the reader of JSON bodies, which sees the bytes. */
export function noteBody(request: FastifyRequest, body: string): void {
  stateOf(request).bodySha256 = createHash('sha256').update(body).digest('hex');
}

export function addRoutes(server: FastifyInstance, deps: ApiDeps): void {
  for (const route of ROUTES) {
    server.route({
      method: route.method,
      url: `${BASE}${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      schema: {
        operationId: `${route.method.toLowerCase()}${route.path.replaceAll(/[^a-z]+/gi, '_')}`,
        summary: route.summary,
        tags: [route.noun],
        ...(route.act === undefined ? {} : { 'x-act': route.act }),
        params: route.params,
        querystring: route.query,
        ...(route.body === undefined ? {} : { body: route.body }),
        response: { 200: answerSchema(route.isList), default: problemSchema },
      },
      onRequest: (request) => requireEntry(deps, route, request),
      preValidation: async (request) => {
        // Nothing to say is an empty object.
        if (route.body !== undefined) request.body ??= {};
      },
      handler: (request, reply) => answer(deps, route, request, reply),
    });
  }
}

/** Before a byte of the body is read. */
async function requireEntry(deps: ApiDeps, route: Route, request: FastifyRequest): Promise<void> {
  const entered = await requireSignedIn(deps, request);
  const { act } = route;
  if (act === undefined) return;
  await deps.pool.use((app) => requireMay(app, entered, act));
}

/** Who asks, from where they may ask. */
export async function requireSignedIn(
  { pool, attempts, own, isSecure }: ApiDeps,
  request: FastifyRequest,
): Promise<Entered> {
  const found = secretOf(request, isSecure);
  requireOwnOrigin({ ...askingOf(request), hasCookie: found?.isCookie === true }, own);
  if (found === undefined) {
    throw new FilewrightError('NO_CREDENTIAL', 'Expected a session or a token, found none');
  }
  attempts.require(request.ip);
  const entered = await pool.use(async (app) => {
    try {
      return enteredAs(await enter(app, found.secret));
    } catch (error) {
      if (error instanceof FilewrightError && error.code === 'BAD_CREDENTIAL') {
        attempts.failed(request.ip);
        await noteRefused(app, undefined, error);
      }
      throw error;
    }
  });
  stateOf(request).entered = entered;
  return entered;
}

export function askingOf(request: FastifyRequest) {
  const { host, origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  return { method: request.method, host, origin, fetchSite: Array.isArray(site) ? site[0] : site };
}

/** The act asks again, and knows what it is about; here nothing has been read yet. */
async function requireMay(
  app: Filewright,
  { actor, entrance }: Entered,
  act: NonNullable<Route['act']>,
): Promise<void> {
  try {
    asActor(actor, () => {
      allow(actor, act);
      allowThrough(entrance, actor, act, app.clock.now());
    });
  } catch (error) {
    await noteRefused(app, actor, error);
    throw error;
  }
}

async function answer(
  { pool }: ApiDeps,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { entered } = stateOf(request);
  if (entered === undefined) throw new Error('answered before asking who asks');
  const upload = route.takesFile ? await received(request) : { path: '', sha256: '' };
  const { actor } = entered;
  const asked = { actor, params: request.params, query: request.query, body: request.body, upload };
  try {
    return await pool.use((app) =>
      asActor(actor, async () => {
        try {
          if (route.method === 'GET') return await look(route, { ...asked, app }, request, reply);
          return await change(route, { ...asked, app }, { request, reply, entered });
        } catch (error) {
          await noteRefused(app, actor, error);
          throw error;
        }
      }),
    );
  } finally {
    if ('remove' in upload) await upload.remove();
  }
}

async function look(
  route: Route,
  asked: Asked,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const found = shaped(await route.run(asked));
  if (route.isList && wantsLines(request)) {
    // Made by the routes of lists, from what `paging.ts` gives.
    const { items, next } = found as Page;
    if (next !== undefined) void reply.header('x-next-cursor', next);
    return reply
      .type('application/x-ndjson; charset=utf-8')
      .send(items.map((item) => `${JSON.stringify(item)}\n`).join(''));
  }
  const body = JSON.stringify(found ?? null);
  const tag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  void reply.header('etag', tag);
  if (request.headers['if-none-match'] === tag) return reply.code(304).send();
  return reply.type('application/json; charset=utf-8').send(body);
}

function wantsLines(request: FastifyRequest): boolean {
  return (request.headers.accept ?? '').includes('application/x-ndjson');
}

async function change(
  route: Route,
  asked: Asked,
  at: {
    readonly request: FastifyRequest;
    readonly reply: FastifyReply;
    readonly entered: Entered;
  },
): Promise<FastifyReply> {
  const { request, reply, entered } = at;
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw misuse('Idempotency-Key: expected 1 to 200 visible ASCII characters');
  }
  const body = asked.upload.sha256 === '' ? stateOf(request).bodySha256 : asked.upload.sha256;
  const kept = await once(
    asked.app,
    {
      ...entered,
      act: route.act,
      key,
      sha256: createHash('sha256')
        .update(`${request.method} ${request.url}\n${body ?? ''}`)
        .digest(),
      address: request.ip,
      requestId: request.id,
    },
    async (app) => {
      const done = shaped(await route.run({ ...asked, app }));
      return { status: 200, body: JSON.stringify(done ?? {}) };
    },
  );
  if (kept.isRepeat) void reply.header('idempotent-replayed', 'true');
  return reply.code(kept.status).type('application/json; charset=utf-8').send(kept.body);
}

async function received(request: FastifyRequest) {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const name = UPLOADS[type];
  if (name === undefined) {
    throw Object.assign(new Error('another media type'), { statusCode: 415 });
  }
  // The server's reader of this type hands on the stream.
  return receive(request.body as Readable, name);
}
