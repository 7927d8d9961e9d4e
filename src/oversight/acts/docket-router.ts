/** A router with the wires of this installation. */
import { type Actor, allow } from '../../access/index.ts';
import type { Filewright } from '../../filewright.ts';
import {
  addressIn,
  type Environment,
  linksOf,
  openTransport,
  type QueueCounter,
  rabbitGauge,
  rabbitManagement,
  RABBITMQ_MANAGEMENT_URL,
  RABBITMQ_URL,
  REDIS_URL,
  redisGauge,
  type RunningRouter,
  type SaturationGauge,
  shippedPatentLaw,
  trustIn,
  VerboseFiles,
  watched,
  type WatchedQueue,
} from '../../dockets/index.ts';
import { type Clock, FilewrightError } from '../../core/index.ts';
import { allowedPrivate } from '../../wire/index.ts';
import type { RunningJobs } from '../../work/index.ts';
import { eventConsumers } from './consumers.ts';

/** Targets on this machine or in a private network are refused unless this is 1 and the operator names their network. */
export const PRIVATE_TARGETS = 'FILEWRIGHT_ROUTING_PRIVATE';

interface RouterSettings {
  /** Where the acknowledgement page is reached; without it, letters have no link. */
  readonly publicUrl?: string;
  /** Queues before our own intake, whose backlog and lag are watched too. */
  readonly watch?: {
    readonly rabbit: readonly string[];
    readonly redis: readonly { readonly stream: string; readonly group: string }[];
  };
}

export async function startDocketRouter(
  app: Filewright,
  actor: Actor,
  settings: RouterSettings,
  given: Environment,
): Promise<RunningRouter> {
  allow(actor, 'route.start');
  // References are judged by where the files of this installation are, however that was said.
  const environment = { ...given, FILEWRIGHT_DATA: app.dataDirectory };
  const { session, tenant, instance, clock } = app;
  const wires = await openTransport({ session, tenant, instance, clock, environment });
  const trust = await trustIn(environment);
  const brokers = { environment, trust, ...counterIn(environment, { clock, trust }) };
  const law = shippedPatentLaw();
  const { publicUrl } = settings;
  const files = new VerboseFiles(app.dataDirectory);
  const router = await app.router({
    law: () => law,
    transport: wires.transport,
    secretOf: wires.secretOf,
    watch: (handoffs) => watched(handoffs, { clock, files }),
    queues: intakeQueues(settings.watch, clock, brokers),
    targetGauge: targetGauge(clock, brokers),
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
  actor: Actor,
  settings: RouterSettings,
  environment: Environment,
  signal: AbortSignal,
): Promise<void> {
  allow(actor, 'route.run');
  const router = await startDocketRouter(app, actor, settings, environment);
  const jobs = await startTelling(app);
  app.log.write({ level: 'info', event: 'router.started' });
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await router.stop();
  await jobs?.stop();
  app.log.write({ level: 'info', event: 'router.stopped' });
}

/** What a router warns of must reach somebody where no worker runs. Without it dockets are handed over all the same. */
async function startTelling(app: Filewright): Promise<RunningJobs | undefined> {
  try {
    return await app.jobs({ consumers: await eventConsumers(app) });
  } catch (error) {
    const code = error instanceof FilewrightError ? error.code : 'UNEXPECTED';
    app.log.write({ level: 'error', event: 'router.alerts_not_sent', error: code });
    return undefined;
  }
}

interface Brokers {
  readonly environment: Environment;
  readonly trust: Awaited<ReturnType<typeof trustIn>>;
  /** Where the management API is set: what consumers hold. */
  readonly count?: QueueCounter;
}

/** Only beside a broker: alone it has nothing to count. */
function counterIn(
  environment: Environment,
  { clock, trust }: Pick<Brokers, 'trust'> & { readonly clock: Clock },
): Pick<Brokers, 'count'> {
  const url = environment[RABBITMQ_MANAGEMENT_URL];
  const brokerUrl = environment[RABBITMQ_URL];
  if (url === undefined || url === '' || brokerUrl === undefined || brokerUrl === '') return {};
  const allowPrivateAddresses = allowedPrivate(environment[PRIVATE_TARGETS] === '1', environment);
  return { count: rabbitManagement({ url, brokerUrl, allowPrivateAddresses, clock, ...trust }) };
}

/** Measures the queues that lead to targets, where a broker is set. */
function targetGauge(
  clock: Clock,
  { environment, ...seen }: Brokers,
): (queue: string) => SaturationGauge | undefined {
  const url = environment[RABBITMQ_URL];
  return (queue) =>
    url === undefined || url === '' ? undefined : gaugeOf(url, queue, clock, seen);
}

function gaugeOf(
  url: string,
  queue: string,
  clock: Clock,
  { trust, count }: Pick<Brokers, 'trust' | 'count'>,
): SaturationGauge {
  return rabbitGauge({ url, queue, clock, ...trust, ...(count === undefined ? {} : { count }) });
}

/** Named with their broker: a queue and a stream of one name are two. */
function intakeQueues(
  watch: RouterSettings['watch'],
  clock: Clock,
  { environment, ...seen }: Brokers,
): WatchedQueue[] {
  const { trust } = seen;
  const rabbit = watch?.rabbit ?? [];
  const redis = watch?.redis ?? [];
  return [
    ...rabbit.map((queue) => {
      const url = addressIn(environment, RABBITMQ_URL);
      return { queue: `rabbitmq ${queue}`, gauge: gaugeOf(url, queue, clock, seen) };
    }),
    ...redis.map(({ stream, group }) => {
      const url = addressIn(environment, REDIS_URL);
      const queue = `redis ${stream} ${group}`;
      return { queue, gauge: redisGauge({ url, stream, group, ...trust }) };
    }),
  ];
}
