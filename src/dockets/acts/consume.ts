/** Docket events from a broker, until told to stop. Each is acknowledged after it is committed here, and only then. */
import { type Actor, allow } from '../../access/index.ts';
import { type Installation, sequenceAll } from '../../ledger/index.ts';
import type { BrokerTrouble, MessageSink } from '../brokers/message.ts';
import type { RabbitIntake } from '../brokers/rabbit-intake.ts';
import type { Clock } from '../../core/index.ts';
import { docketMessageSink } from '../routing/intake.ts';
import { addressIn, type Environment, RABBITMQ_URL, REDIS_URL, trustIn } from './broker-address.ts';
import { mappingNamed } from './mapping.ts';
import { routingDeps } from './deps.ts';

type DocketSource = (
  | { readonly kind: 'rabbit'; readonly queue: string }
  | { readonly kind: 'redis'; readonly stream: string; readonly group: string }
) & {
  /** As for `docket import`: each message is then an office's own document. */
  readonly mapping?: string;
};

/** Enough that a commit always has company, little enough that a redelivery after a crash is short. */
const PREFETCH = 200;
/** Entries become provable soon after they are committed. */
const SEQUENCE_MS = 1_000;

export async function consumeDockets(
  app: Installation,
  actor: Actor,
  source: DocketSource,
  environment: Environment,
  signal: AbortSignal,
): Promise<void> {
  allow(actor, 'docket.consume');
  const { clock, log } = app;
  const { mapping: name } = source;
  const options = name === undefined ? {} : { mapping: await mappingNamed(name) };
  const sink = docketMessageSink(routingDeps(app), options);
  const onTrouble = ({ code, message }: BrokerTrouble): void =>
    log.write({ level: 'warn', event: `docket.consume_${code}`, error: message });
  const common = { prefetch: PREFETCH, clock, onTrouble, ...(await trustIn(environment)) };
  const consume = consumerOf(app, source, environment);
  const stopped = new AbortController();
  const sequencing = sequenceUntil(app, stopped.signal);
  log.write({ level: 'info', event: 'docket.consuming' });
  try {
    await consume(common, sink, signal);
  } finally {
    stopped.abort();
    await sequencing;
    await sequenceAll(app);
    log.write({ level: 'info', event: 'docket.consumed' });
  }
}

type Common = Pick<RabbitIntake, 'prefetch' | 'onTrouble' | 'certificateAuthorities'> & {
  readonly clock: Clock;
};

/** The address is read before anything starts; the broker's client is loaded by whoever needs it. */
function consumerOf(
  app: Installation,
  source: DocketSource,
  environment: Environment,
): (common: Common, sink: MessageSink, signal: AbortSignal) => Promise<void> {
  if (source.kind === 'rabbit') {
    const { queue } = source;
    const url = addressIn(environment, RABBITMQ_URL);
    return async (common, sink, signal) => {
      const { consumeRabbit } = await import('../brokers/rabbit-intake.ts');
      return consumeRabbit({ url, queue, ...common }, sink, signal);
    };
  }
  const { stream, group } = source;
  const url = addressIn(environment, REDIS_URL);
  // A name of its own: what a consumer that died had in hand is taken over after a minute.
  const consumer = `filewright-${app.ids.next()}`;
  return async (common, sink, signal) => {
    const { consumeRedis } = await import('../brokers/redis-intake.ts');
    return consumeRedis({ url, stream, group, consumer, ...common }, sink, signal);
  };
}

async function sequenceUntil(app: Installation, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await app.clock.sleep(SEQUENCE_MS, signal);
    try {
      await app.sequencer.sequence();
    } catch (error) {
      // The database is away; the entries are committed and wait.
      const message = error instanceof Error ? error.message : String(error);
      app.log.write({ level: 'warn', event: 'docket.sequencing_failed', error: message });
    }
  }
}
