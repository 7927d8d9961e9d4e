import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import {
  cannotListen,
  type Clock,
  type FilewrightError,
  invariant,
  misuse,
  notFound,
  type Profile,
} from '../../core/index.ts';
import { answerAdmin, isAdminPath, type Portals, sendJson } from './admin-routes.ts';
import type { BehaviourChange } from './behaviour.ts';
import { performPlan } from './perform-plan.ts';
import type { AnswerPlan, Plan, PortalRequest } from './plan.ts';
import { PortalModel } from './portal-model.ts';
import { BODY_BYTES_MAX, readBody } from './request-body.ts';
import type { Truth } from './truth.ts';

export interface SimulatorOptions {
  readonly profiles: readonly Profile[];
  /** 0 takes any free one. */
  readonly port: number;
  readonly host?: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Per lane; `*` holds for all, and a lane's own entry goes over it. */
  readonly behaviour?: Readonly<Record<string, BehaviourChange>>;
  /** How many requests each portal's log keeps. Default: REQUEST_LOG_MAX. */
  readonly requestLogMax?: number;
  /** Bends answers on their way out, for portals that are wrong in a way no fault describes. */
  readonly twist?: Twist;
}

export type Twist = (answer: AnswerPlan, plan: Plan, request: PortalRequest) => AnswerPlan;

export interface Simulator {
  readonly port: number;
  /** The portal's base address: `http://127.0.0.1:<port>/<lane>`. */
  url(lane: string): string;
  /** The profile to hand to a worker: as given, but leading here. */
  profile(lane: string): Profile;
  truth(lane: string): Truth;
  behave(lane: string, change: BehaviourChange): void;
  /** Forgets everything and starts again with the behaviour given at the start. */
  reset(): void;
  /** Cuts all connections. Requests under way are finished inside the portals, but nobody hears of it. */
  close(): Promise<void>;
}

// Longer than any client keeps a connection: closing an idle one just as the next request is written on it would be a
// fault that nobody asked for.
const KEEP_ALIVE_MS = 10 * 60_000;
// Far above the sum of all ceilings; a client that leaks connections is told so by refusals.
const CONNECTIONS_MAX = 4_096;

/** Plays the portals of the given profiles on one local port, each below `/<lane>/`. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const host = options.host ?? '127.0.0.1';
  const portals = new PortalSet(options);
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) =>
    serve(portals, options, request, response),
  );
  server.maxConnections = CONNECTIONS_MAX;
  const port = await listen(server, options.port, host);
  const url = (lane: string): string => {
    portals.get(lane);
    return `http://${host}:${port}/${encodeURIComponent(lane)}`;
  };
  return {
    port,
    url,
    profile: (lane) => ({
      ...portals.profile(lane),
      baseUrl: url(lane),
      allowPrivateAddresses: true,
    }),
    truth: (lane) => portals.get(lane).truth,
    behave: (lane, change) => portals.get(lane).behave(change),
    reset: () => portals.reset(),
    close: () => close(server),
  };
}

class PortalSet implements Portals {
  private readonly options: SimulatorOptions;
  private models: ReadonlyMap<string, PortalModel>;

  constructor(options: SimulatorOptions) {
    this.options = options;
    this.models = this.build();
  }

  find(lane: string): PortalModel | undefined {
    return this.models.get(lane);
  }

  get(lane: string): PortalModel {
    const model = this.models.get(lane);
    if (model !== undefined) return model;
    const known = [...this.models.keys()].join(', ');
    throw notFound(
      `Expected one of the lanes ${known}, found "${lane}". Start the simulator with its profile.`,
      { details: { lane } },
    );
  }

  profile(lane: string): Profile {
    const profile = this.options.profiles.find(({ code }) => code === lane);
    invariant(profile !== undefined, 'Every portal is played from a profile.', { lane });
    return profile;
  }

  /** Requests under way belong to the old portals and end there, unseen. */
  reset(): void {
    this.models = this.build();
  }

  private build(): ReadonlyMap<string, PortalModel> {
    const { profiles, behaviour = {}, requestLogMax } = this.options;
    const models = new Map<string, PortalModel>();
    for (const profile of profiles) {
      if (models.has(profile.code)) throw twice(profile.code);
      const general = behaviour['*'] ?? {};
      const own = behaviour[profile.code] ?? {};
      const merged = { ...general, ...own, timings: { ...general.timings, ...own.timings } };
      models.set(
        profile.code,
        new PortalModel({
          profile,
          behaviour: merged,
          ...(requestLogMax === undefined ? {} : { requestLogMax }),
        }),
      );
    }
    return models;
  }
}

function serve(
  portals: PortalSet,
  options: Pick<SimulatorOptions, 'clock' | 'twist'>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  // A client that goes away is an everyday thing here; without a listener its error would end the process.
  response.on('error', () => undefined);
  readBody(request, (body) => {
    switch (body.kind) {
      case 'incomplete':
        return;
      case 'too_large':
        response.setHeader('connection', 'close');
        sendJson(response, 413, { error: `A body may have ${BODY_BYTES_MAX} bytes.` });
        return;
      case 'whole':
        answer(portals, options, { request, response, body: body.bytes });
    }
  });
}

function answer(
  portals: PortalSet,
  { clock, twist }: Pick<SimulatorOptions, 'clock' | 'twist'>,
  exchange: {
    readonly request: IncomingMessage;
    readonly response: ServerResponse;
    readonly body: Uint8Array;
  },
): void {
  const { request, response, body } = exchange;
  const { method = 'GET', url = '/', headers } = request;
  if (isAdminPath(url)) {
    answerAdmin(portals, { method, path: url, body }, response);
    return;
  }
  const slash = url.indexOf('/', 1);
  const portal = portals.find(decodeLane(slash < 0 ? url.slice(1) : url.slice(1, slash)));
  if (portal === undefined) {
    sendJson(response, 404, { error: `There is no portal at ${url}.` });
    return;
  }
  const path = slash < 0 ? '/' : url.slice(slash);
  const arrived = { method, path, headers: single(headers), body };
  const plan = portal.arrive(arrived, clock.now());
  const bent = twist === undefined ? plan : { ...plan, answer: twist(plan.answer, plan, arrived) };
  performPlan(bent, response, () => portal.finish(plan.request));
}

/** Node gives lists only for Set-Cookie, which is no request header, so every value is a text. */
function single(headers: IncomingHttpHeaders): Readonly<Record<string, string | undefined>> {
  return headers as Readonly<Record<string, string | undefined>>;
}

function decodeLane(text: string): string {
  // Lane codes are almost always plain; decoding each time would cost more than the look-up.
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    // A broken escape names no lane.
    return text;
  }
}

function twice(code: string): FilewrightError {
  return misuse(`Expected each lane once, found ${code} twice. Leave one of its profiles out.`, {
    details: { lane: code },
  });
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(host, port, error)));
    server.listen(port, host, () => {
      const address = server.address();
      invariant(typeof address === 'object' && address !== null, 'A TCP server has an address.');
      resolve(address.port);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}
