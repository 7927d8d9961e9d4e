/** A router with the wires of this installation. */
import type { Filewright } from '../../app.ts';
import { rabbitGauge, redisGauge, type SaturationGauge } from '../../brokers/index.ts';
import type { Clock } from '../../core/index.ts';
import { createHandoffs, type Handoffs } from '../../notify/index.ts';
import type { RoutingPolicy } from '../../packs/patent/routing/index.ts';
import {
  type ActiveRouting,
  activeRouting,
  openTransport,
  type RunningRouter,
  type Transport,
  type WatchedQueue,
} from '../../routing/index.ts';
import { addressIn, type Environment, RABBITMQ_URL, REDIS_URL, trustIn } from './broker-address.ts';
import { linksOf } from './links.ts';
import { shippedPatentLaw } from './parts.ts';
import { VerboseFiles, watched } from './verbose.ts';

/** Targets on this machine or in a private network are refused unless this is 1. */
export const PRIVATE_TARGETS = 'FILEWRIGHT_ROUTING_PRIVATE';

export interface RouterSettings {
  /** Where the acknowledgement page is reached; without it, letters have no link. */
  readonly publicUrl?: string;
  /** Queues before our own intake, whose backlog and lag are watched too. */
  readonly watch?: {
    readonly rabbit: readonly string[];
    readonly redis: readonly { readonly stream: string; readonly group: string }[];
  };
}

/** How long the times of an old matrix may still be used after a new one was imported. */
const POLICY_MS = 1_000;
/** Left for the commit of the outcome, before the clock calls the attempt unknown. */
const COMMIT_MS = 1_000;

export async function startDocketRouter(
  app: Filewright,
  settings: RouterSettings,
  environment: Environment,
): Promise<RunningRouter> {
  const { session, tenant, instance, clock } = app;
  const wires = await openTransport({ session, tenant, instance, clock, environment });
  const trust = await trustIn(environment);
  const law = shippedPatentLaw();
  const { publicUrl } = settings;
  const router = await app.router({
    law: () => law,
    transport: wires.transport,
    secretOf: wires.secretOf,
    handoffs: verboseHandoffs(app, wires.transport),
    queues: intakeQueues(settings.watch, app.clock, { environment, trust }),
    targetGauge: targetGauge(app.clock, { environment, trust }),
    ...(publicUrl === undefined ? {} : { links: { links: linksOf(app), publicUrl } }),
  });
  return {
    stop: async () => {
      await router.stop();
      await wires.close();
    },
  };
}

/** Until `signal` aborts; then what is under way ends first. */
export async function runRouter(
  app: Filewright,
  settings: RouterSettings,
  environment: Environment,
  signal: AbortSignal,
): Promise<void> {
  const router = await startDocketRouter(app, settings, environment);
  app.log.write({ level: 'info', event: 'router.started' });
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await router.stop();
  app.log.write({ level: 'info', event: 'router.stopped' });
}

interface Brokers {
  readonly environment: Environment;
  readonly trust: Awaited<ReturnType<typeof trustIn>>;
}

/** Measures the queues that lead to targets, where a broker is set. */
function targetGauge(
  clock: Clock,
  { environment, trust }: Brokers,
): (queue: string) => SaturationGauge | undefined {
  const url = environment[RABBITMQ_URL];
  return (queue) =>
    url === undefined || url === '' ? undefined : rabbitGauge({ url, queue, clock, ...trust });
}

/** Named with their broker: a queue and a stream of one name are two. */
function intakeQueues(
  watch: RouterSettings['watch'],
  clock: Clock,
  { environment, trust }: Brokers,
): WatchedQueue[] {
  const rabbit = watch?.rabbit ?? [];
  const redis = watch?.redis ?? [];
  return [
    ...rabbit.map((queue) => {
      const url = addressIn(environment, RABBITMQ_URL);
      return { queue: `rabbitmq ${queue}`, gauge: rabbitGauge({ url, queue, clock, ...trust }) };
    }),
    ...redis.map(({ stream, group }) => {
      const url = addressIn(environment, REDIS_URL);
      const queue = `redis ${stream} ${group}`;
      return { queue, gauge: redisGauge({ url, stream, group, ...trust }) };
    }),
  ];
}

/**
 * The wires with verbose logging while a window is open. Their times are those of the matrix that holds: asked again
 * every second, because an import must not need a restart.
 */
function verboseHandoffs(app: Filewright, transport: Transport['transport']): Handoffs {
  const files = new VerboseFiles(app.dataDirectory);
  let known: ActiveRouting | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let made: { readonly key: string; readonly handoffs: Handoffs } | undefined;
  return {
    deliver: async (target, load, guard) => {
      if (app.clock.monotonicMs() - askedAt >= POLICY_MS) {
        askedAt = app.clock.monotonicMs();
        // With the database away the last times are as good as any; the docket in hand must not wait for it.
        known = await activeRouting(app, app.session, known).catch(() => known);
      }
      const policy = known?.matrix.policy;
      if (policy === undefined) throw new Error('a docket is handed over without a matrix');
      const { tlsHandshakeMsMax } = policy.thresholds;
      const key = `${policy.timeoutMs} ${tlsHandshakeMsMax} ${policy.outcomeMsMax}`;
      if (made?.key !== key) made = { key, handoffs: handoffsFor(policy) };
      return made.handoffs.deliver(target, load, guard);
    },
  };

  function handoffsFor({ timeoutMs, outcomeMsMax, thresholds }: RoutingPolicy): Handoffs {
    const totalMs = Math.max(timeoutMs, outcomeMsMax - COMMIT_MS);
    const { clock } = app;
    const times = { timeoutMs, handshakeMs: thresholds.tlsHandshakeMsMax, totalMs };
    return watched(createHandoffs({ ...transport, clock, ...times }), { clock, files });
  }
}
