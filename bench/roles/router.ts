/** One router process of a bench: events in from the bench's own RabbitMQ, handed over by the product's router. */
import { createFilewright } from '../../src/app.ts';
import { consumeRabbit } from '../../src/dockets/brokers/rabbit-intake.ts';
import { patentLaw } from '../../src/cli/patent-law.ts';
import { docketMessageSink } from '../../src/dockets/routing/intake.ts';
import { ANY_PRIVATE } from '../../src/wire/private-networks.ts';

const [dataDirectory = '', tenant = 'main', url = '', queue = ''] = process.argv.slice(2);
const app = await createFilewright({ dataDirectory, tenant });
const law = patentLaw({});
const ending = new AbortController();
// A session of its own: intake must not wait for what the router reads.
const intake = await createFilewright({ dataDirectory, tenant });
const consuming =
  url === ''
    ? Promise.resolve()
    : consumeRabbit(
        { url, queue, prefetch: 100, clock: app.clock },
        docketMessageSink({ ...intake, law: () => law }),
        ending.signal,
      );
const router = await app.router({
  law: () => law,
  transport: { allowPrivateAddresses: () => ANY_PRIVATE },
});

process.on('disconnect', () => process.exit(0));
process.on('message', (message: { stop?: true }) => {
  if (message.stop === true) void stop();
});
process.send?.({ ready: true });

async function stop(): Promise<void> {
  ending.abort();
  await consuming;
  await router.stop();
  await Promise.all([intake.close(), app.close()]);
  process.send?.({ stopped: true }, () => process.exit(0));
}
