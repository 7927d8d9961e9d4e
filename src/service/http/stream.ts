/**
 * Events as they happen (server-sent events). A client that comes back names the last one it heard of, and misses nothing: events
 * are counted up in the order of their commits. One look at the database serves all clients of this process.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { allow, allowThrough, asActor, may, type PersonActor } from '../../access/index.ts';
import { type Clock, FilewrightError, misuse, toRfc3339 } from '../../core/index.ts';
import { eventsAfter, noteRefused } from '../../people/index.ts';
import { type ApiDeps, BASE, requireSignedIn } from './api.ts';

/** Heard within a second. */
const LOOK_MS = 500;
/** Proxies cut what is silent for longer, and a session that has ended is noticed then. */
const BEAT_MS = 15_000;
const CLIENTS_MAX = 1_000;
const EVENTS_PER_LOOK = 200;
/** A client that reads slower than this is cut off; it comes back with the last one that it has. */
const UNREAD_BYTES_MAX = 256 * 1024;

interface Client {
  readonly response: FastifyReply['raw'];
  readonly actor: PersonActor;
  /** Asked again and again: whoever is signed out hears no more. */
  readonly isStillIn: () => Promise<boolean>;
  last: number;
  beatAt: number;
}

const QUERY = Type.Object(
  { after: Type.Optional(Type.Integer({ minimum: 0 })) },
  { additionalProperties: false },
);

interface EventStream {
  readonly clients: () => number;
  stop(): Promise<void>;
}

export function addStream(
  server: FastifyInstance,
  deps: ApiDeps & { readonly clock: Clock },
): EventStream {
  const clients = new Set<Client>();
  const stopping = new AbortController();
  server.get<{ Querystring: Type.Static<typeof QUERY> }>(
    `${BASE}/stream`,
    {
      schema: {
        operationId: 'stream',
        summary: 'Events as they happen, as server-sent events; goes on after Last-Event-ID',
        tags: ['house'],
        querystring: QUERY,
        produces: ['text/event-stream'],
      },
    },
    async (request, reply) => {
      const { actor, entrance } = await requireSignedIn(deps, request);
      const after = lastOf(request.headers['last-event-id'], request.query.after);
      const { last } = await deps.pool.use((app) =>
        asActor(actor, async () => {
          try {
            allow(actor, 'event.list');
            allowThrough(entrance, actor, 'event.list', app.clock.now());
            return after === undefined
              ? await eventsAfter(app, actor, { after, limit: 1 })
              : { last: after };
          } catch (error) {
            await noteRefused(app, actor, error);
            throw error;
          }
        }),
      );
      if (clients.size >= CLIENTS_MAX) {
        throw new FilewrightError('TOO_MANY_REQUESTS', 'Too many clients listen here');
      }
      reply.hijack();
      const response = reply.raw;
      response.writeHead(200, {
        ...reply.getHeaders(),
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
      } as Record<string, string>);
      response.write(': connected\n\n');
      const isStillIn = (): Promise<boolean> =>
        requireSignedIn(deps, request).then(
          (entered) => may(entered.actor, 'event.list').allowed,
          (error: unknown) =>
            !(error instanceof FilewrightError && error.code === 'BAD_CREDENTIAL'),
        );
      const client: Client = { response, actor, isStillIn, last, beatAt: deps.clock.monotonicMs() };
      clients.add(client);
      response.once('close', () => clients.delete(client));
    },
  );
  const looking = lookForever(deps, clients, stopping.signal);
  return {
    clients: () => clients.size,
    stop: async () => {
      stopping.abort();
      await looking;
      for (const { response } of clients) response.end();
    },
  };
}

function lastOf(header: string | string[] | undefined, query: number | undefined) {
  if (header === undefined) return query;
  if (typeof header !== 'string' || !/^\d{1,15}$/.test(header)) {
    throw misuse('Last-Event-ID: expected the id of an event of this stream');
  }
  return Number(header);
}

async function lookForever(
  deps: ApiDeps & { readonly clock: Clock },
  clients: Set<Client>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await deps.clock.sleep(LOOK_MS, signal);
    if (clients.size === 0) continue;
    try {
      await look(deps, clients);
    } catch {
      // The database is away for the moment: the clients stay, and hear of all of it at a later look.
    }
  }
}

async function look(
  deps: ApiDeps & { readonly clock: Clock },
  clients: ReadonlySet<Client>,
): Promise<void> {
  // Those who have heard the same are served by one look.
  const byLast = new Map<number, Client[]>();
  for (const client of clients) {
    const together = byLast.get(client.last) ?? [];
    together.push(client);
    byLast.set(client.last, together);
  }
  for (const [after, together] of byLast) {
    const [first] = together;
    if (first === undefined) continue;
    const { events, last } = await deps.pool.use((app) =>
      asActor(first.actor, () => eventsAfter(app, first.actor, { after, limit: EVENTS_PER_LOOK })),
    );
    const text = events
      .map(({ n, id, type, at, filing, data }) =>
        [
          `id: ${n}`,
          `event: ${type}`,
          `data: ${JSON.stringify({ id, type, time: toRfc3339(at), filing, data })}`,
          '',
          '',
        ].join('\n'),
      )
      .join('');
    for (const client of together) {
      client.last = last;
      if (text !== '') client.response.write(text);
    }
  }
  await keepAlive(deps, clients);
}

async function keepAlive(
  { clock }: { readonly clock: Clock },
  clients: ReadonlySet<Client>,
): Promise<void> {
  for (const client of clients) {
    const { response } = client;
    if (response.writableLength > UNREAD_BYTES_MAX) {
      response.destroy();
      continue;
    }
    if (clock.monotonicMs() - client.beatAt < BEAT_MS) continue;
    client.beatAt = clock.monotonicMs();
    if (await client.isStillIn()) response.write(': still here\n\n');
    else response.end();
  }
}
