// One worker in a process of its own, from a build of this tree, with a lease as short as the test wants it. Plain
// JavaScript, because Node starts it without a compiler.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [build = '', dataDirectory = '', tenant = '', leaseMs = '', databaseUrl = ''] =
  process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(build, path)).href);
const { createFilewright } = await load('src/app.js');
const { profilesByLane } = await load('src/lanes/index.js');

// An orphan of a test that was broken off must not go on.
const exit = () => process.exit(1);
process.on('disconnect', exit);
const app = await createFilewright({
  dataDirectory,
  tenant,
  databaseUrl,
  environment: { FILEWRIGHT_ALLOW_PRIVATE: '127.0.0.0/8' },
});
const settings = { leaseMs: Number(leaseMs), drainMsMax: 1_000 };
const parts = await app.worker(await profilesByLane(app), settings);
process.on('SIGTERM', () => void parts.worker.stop());
await parts.worker.run();
await parts.close();
await app.close();
process.off('disconnect', exit);
process.disconnect();
