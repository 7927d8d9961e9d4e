/** Imports one file in a process of its own and tells its peak memory. */
import { importFile } from '../../src/filings/acts/batches.ts';
import { personOf } from '../../src/people/acts/people.ts';
import { createFilewright } from '../../src/app.ts';
import type { SheetChoices } from '../../src/intake/sheet/open-sheet.ts';
import { watchMemory } from '../memory.ts';

const [dataDirectory = '', tenant = '', path = '', key = '', errorFile, choices = '{}'] =
  process.argv.slice(2);
const memory = watchMemory();
const app = await createFilewright({ dataDirectory, tenant });
const person = await personOf(app, key);
const startedMs = performance.now();
const report = await importFile(app, person, {
  path,
  dryRun: false,
  // Written by the bench that started this process.
  choices: JSON.parse(choices) as SheetChoices,
  ...(errorFile === undefined ? {} : { errorFile }),
});
const elapsedMs = performance.now() - startedMs;
await app.close();
const { batch, rows, created, refused, changed, unchanged } = report;
const skipped = report.sheet?.skipped().count ?? 0;
const counts = { rows, created, refused, changed, unchanged, skipped };
process.send?.({ elapsedMs, batch, ...counts, ...memory.stop() }, () => process.exit(0));
