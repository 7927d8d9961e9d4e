/** One worker process of a bench: the product's own worker with its own log, started when told. */
import { openSync } from 'node:fs';
import { destination } from 'pino';
import { createFilewright } from '../../src/app.ts';
import { jsonLog } from '../../src/system/log.ts';
import { watchMemory } from '../memory.ts';
import { profilesByLane } from '../../src/lanes/acts/lanes.ts';

const [dataDirectory = '', tenant = 'main', ahead = '1'] = process.argv.slice(2);
const log = jsonLog(destination({ fd: openSync('/dev/null', 'w'), sync: true }));
const memory = watchMemory();
const app = await createFilewright({
  dataDirectory,
  tenant,
  log,
  environment: { FILEWRIGHT_ALLOW_PRIVATE: '127.0.0.0/8' },
});
const parts = await app.worker(await profilesByLane(app), { ahead: Number(ahead) });
let running: Promise<void> = Promise.resolve();

process.on('disconnect', () => process.exit(0));
process.on('message', (message: { go?: true; stop?: true; memory?: true }) => {
  if (message.go === true) running = parts.worker.run();
  // Asked of a worker that is about to be killed and cannot tell it afterwards.
  if (message.memory === true) process.send?.(memory.stop());
  if (message.stop === true) void stop();
});
process.send?.({ ready: true });

async function stop(): Promise<void> {
  await parts.worker.stop();
  await running;
  await parts.close();
  await app.close();
  process.send?.(memory.stop(), () => process.exit(0));
}
