/** One worker process of a bench: the product's own worker with its own log, started when told. */
import { openSync } from 'node:fs';
import { destination } from 'pino';
import { profilesByLane } from '../../src/acts/index.ts';
import { createFilewright } from '../../src/app.ts';
import { jsonLog } from '../../src/system/index.ts';

const [dataDirectory = '', tenant = 'main', ahead = '1'] = process.argv.slice(2);
const log = jsonLog(destination({ fd: openSync('/dev/null', 'w'), sync: true }));
const app = await createFilewright({ dataDirectory, tenant, log });
const parts = app.worker(await profilesByLane(app), { ahead: Number(ahead) });
let heapBytesMax = 0;
let rssBytesMax = 0;
const sample = setInterval(() => {
  const { heapUsed, rss } = process.memoryUsage();
  heapBytesMax = Math.max(heapBytesMax, heapUsed);
  rssBytesMax = Math.max(rssBytesMax, rss);
}, 20);

process.on('disconnect', () => process.exit(0));
process.on('message', (message: { go?: true; stop?: true }) => {
  if (message.go === true) void parts.worker.run();
  if (message.stop === true) void stop();
});
process.send?.({ ready: true });

async function stop(): Promise<void> {
  await parts.worker.stop();
  clearInterval(sample);
  await parts.close();
  await app.close();
  const cpu = process.cpuUsage();
  process.send?.({ heapBytesMax, rssBytesMax, cpuMs: (cpu.user + cpu.system) / 1000 }, () =>
    process.exit(0),
  );
}
