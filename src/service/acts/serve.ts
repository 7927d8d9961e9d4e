/** The service: the API, the stream of events, the page behind the links in notices, health and figures. */
import { type Actor, allow, type OperatorActor } from '../../access/index.ts';
import { cannotListen, FilewrightError, misuse } from '../../core/index.ts';
import { acknowledgementPages } from '../../dockets/index.ts';
import type { Filewright } from '../../filewright.ts';
import { limitPerAddress, type WebServer } from '../../server/index.ts';
import { addStream } from '../http/stream.ts';
import { Attempts } from '../http/attempts.ts';
import { type HttpSettings, httpServer } from '../http/server.ts';
import { metricsOf } from '../metrics.ts';
import { Pool } from '../pool.ts';
import { forgetAnswers } from '../store/answers.ts';

export interface ServiceSettings extends HttpSettings {
  /** Loopback unless said otherwise. */
  readonly host: string;
  readonly port: number;
  /** Connections that one address may have open; more behind a proxy, which is one address for everyone. */
  readonly perAddress: number;
  /** As people use it. */
  readonly publicUrl?: string;
}

const LOOPBACK = /^(localhost|127(?:\.\d{1,3}){3}|::1)$/i;
const TIDY_MS = 3_600_000;

export async function serveService(
  app: Filewright,
  actor: Actor,
  settings: ServiceSettings,
): Promise<WebServer> {
  allow(actor, 'service.serve');
  const { host, port, perAddress, tls, proxies = [] } = settings;
  const isLoopback = LOOPBACK.test(host);
  if (!isLoopback && tls === undefined && proxies.length === 0) {
    throw misuse(
      `--host: beyond this machine, keys and cookies must not go in clear over the network. Give --tls-cert and --tls-key, or --behind-proxy with the network of the proxy that has them; found ${host} without either`,
    );
  }
  const publicUrl = publicUrlOf(settings.publicUrl);
  const isSecure = tls !== undefined || publicUrl?.startsWith('https:') === true;
  const pool = new Pool(app);
  const { clock, ids, log } = app;
  const figures: { answered?: ReturnType<typeof metricsOf>['answered'] } = {};
  const deps = {
    pool,
    attempts: new Attempts(clock),
    own: { isLoopback, publicUrl },
    isSecure,
    clock,
    ids,
    log,
    onAnswer: (answer: Parameters<ReturnType<typeof metricsOf>['answered']>[0]) =>
      figures.answered?.(answer),
  };
  const server = await httpServer(deps, settings);
  const stream = addStream(server, deps);
  const operator: OperatorActor = { kind: 'operator', name: 'the service' };
  const metrics = metricsOf(pool, operator, stream.clients);
  figures.answered = metrics.answered;
  const hidden = { schema: { hide: true } };
  server.get('/healthz', hidden, (_request, reply) => reply.send({ ok: true }));
  server.get('/readyz', hidden, async (_request, reply) => {
    await pool.use((one) => one.session.run({ name: '', text: 'select 1' }));
    return reply.send({ ok: true });
  });
  server.get('/metrics', hidden, async (request, reply) => {
    // For the machine itself: a proxy that passes everything on passes nothing of this.
    const isNear = LOOPBACK.test(request.socket.remoteAddress?.replace('::ffff:', '') ?? '');
    if (!isNear || request.headers['x-forwarded-for'] !== undefined) {
      throw new FilewrightError('NOT_FOUND', 'There is nothing at this address');
    }
    return reply.type(metrics.contentType).send(await metrics.text());
  });
  await server.register(acknowledgementPages(app, actor), { prefix: '/acknowledge' });
  limitPerAddress(server.server, {
    connections: perAddress,
    onRefused: () => log.write({ level: 'warn', event: 'web.too_many_connections' }),
    clock,
  });
  const stopping = new AbortController();
  const tidying = tidy(app, pool, stopping.signal);
  const close = async (): Promise<void> => {
    stopping.abort();
    await stream.stop();
    await Promise.all([server.close(), tidying]);
    await pool.close();
  };
  try {
    return { url: await server.listen({ host, port }), close };
  } catch (error) {
    await close();
    throw cannotListen(host, port, error);
  }
}

/** Answers that were kept for a day. */
async function tidy(app: Filewright, pool: Pool, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await pool.use((one) => forgetAnswers(one.session, one.tenant));
    } catch {
      // The database is away; the next hour is early enough.
    }
    await app.clock.sleep(TIDY_MS, signal);
  }
}

function publicUrlOf(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text).origin;
  throw misuse('FILEWRIGHT_PUBLIC_URL: expected an address like https://filings.example');
}
