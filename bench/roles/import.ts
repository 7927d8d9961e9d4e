/** Imports one file in a process of its own and tells its peak memory. */
import { importFile, personOf } from '../../src/acts/index.ts';
import { createFilewright } from '../../src/app.ts';
import { watchMemory } from '../memory.ts';

const [dataDirectory = '', tenant = '', path = '', key = ''] = process.argv.slice(2);
const memory = watchMemory();
const app = await createFilewright({ dataDirectory, tenant });
const person = await personOf(app, key);
const startedMs = performance.now();
const report = await importFile(app, { path, person, dryRun: false });
const elapsedMs = performance.now() - startedMs;
await app.close();
process.send?.({ elapsedMs, batch: report.batch, refused: report.refused, ...memory.stop() }, () =>
  process.exit(0),
);
