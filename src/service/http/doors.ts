/** The addresses that are no act: signing in and out, who one is, and what every client may know. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { isDelegable, may, RIGHTS, type ActName } from '../../access/index.ts';
import { ERRORS, FilewrightError, instant, notFound, toRfc3339 } from '../../core/index.ts';
import { noteRefused, revokeSignIn, signIn } from '../../people/index.ts';
import { asActor } from '../../access/index.ts';
import { type ApiDeps, askingOf, BASE, requireSignedIn } from './api.ts';
import { setCookie } from './entrance.ts';
import { problemSchema } from './openapi.ts';
import { requireOwnOrigin } from './origin.ts';

const SECRET = Type.String({ minLength: 1, maxLength: 200 });
const SHOWN = Type.Union([
  Type.Object({ key: SECRET }, { additionalProperties: false }),
  Type.Object({ link: SECRET }, { additionalProperties: false }),
]);

export function addDoors(server: FastifyInstance, deps: ApiDeps): void {
  const { pool, attempts, own, isSecure } = deps;
  const tags = ['sign-in'];
  server.post<{ Body: Type.Static<typeof SHOWN> }>(
    `${BASE}/sign-in`,
    {
      schema: {
        operationId: 'sign_in',
        summary: 'Sign in with a personal key or a link; sets the cookie of the session',
        tags,
        body: SHOWN,
        response: { 200: Type.Record(Type.String(), Type.Unknown()), default: problemSchema },
        security: [],
      },
      // Also without a cookie: a page elsewhere must not sign its visitor in as somebody else.
      onRequest: async (request) => {
        requireOwnOrigin({ ...askingOf(request), hasCookie: true }, own);
        attempts.require(request.ip);
      },
    },
    async (request, reply) => {
      const session = await pool.use(async (app) => {
        try {
          return await signIn(app, request.body, request.ip);
        } catch (error) {
          attempts.failed(request.ip);
          await noteRefused(app, undefined, error);
          throw error;
        }
      });
      setCookie(reply, session.token, isSecure);
      return reply.send({ id: session.id, expiresAt: toRfc3339(instant(session.expiresAt)) });
    },
  );
  addOwn(server, deps);
  addOpen(server);
}

/** For who is signed in, whatever they may. */
function addOwn(server: FastifyInstance, deps: ApiDeps): void {
  const { pool, isSecure } = deps;
  const tags = ['sign-in'];
  server.post(
    `${BASE}/sign-out`,
    {
      schema: {
        operationId: 'sign_out',
        summary: 'End this session',
        tags,
        response: { default: problemSchema },
      },
    },
    async (request, reply) => {
      const { actor, entrance } = await requireSignedIn(deps, request);
      if (entrance.kind !== 'session') {
        throw new FilewrightError('NOT_PERMITTED', 'A token has no session; revoke it instead');
      }
      await pool.use((app) => asActor(actor, () => revokeSignIn(app, actor, entrance.id)));
      setCookie(reply, '', isSecure);
      return reply.send({ id: entrance.id });
    },
  );
  server.get(
    `${BASE}/me`,
    {
      schema: {
        operationId: 'me',
        summary: 'Who you are, and the acts that you may do',
        tags,
        response: { 200: Type.Record(Type.String(), Type.Unknown()), default: problemSchema },
      },
    },
    async (request, reply) => {
      const { actor, entrance } = await requireSignedIn(deps, request);
      // The keys of an object that is typed by them.
      const acts = (Object.keys(RIGHTS) as ActName[]).filter(
        (act) =>
          may(actor, act).allowed &&
          (entrance.kind === 'session' || (isDelegable(act) && entrance.acts.includes(act))),
      );
      const { id, name, roles } = actor;
      return reply.send({ id, name, roles, way: entrance.kind, acts });
    },
  );
}

/** For everyone: nothing of it is about this installation. */
function addOpen(server: FastifyInstance): void {
  server.get<{ Params: { code: string } }>(
    `${BASE}/errors/:code`,
    { schema: { hide: true } },
    async (request, reply) => {
      const { code } = request.params;
      const found = Object.entries(ERRORS).find(([name]) => name === code)?.[1];
      if (found === undefined) throw notFound('No error has this code');
      return reply.send({ code, meaning: found.meaning, remedy: found.remedy });
    },
  );
  server.get(`${BASE}/openapi.json`, { schema: { hide: true } }, async (_request, reply) =>
    reply.send(server.swagger()),
  );
}
