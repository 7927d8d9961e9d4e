/** Memory against rows: importing and running many must not need more than importing and running few. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { approve, readBatchId } from '../src/filings/acts/batches.ts';
import { personOf } from '../src/people/acts/people.ts';
import type { PeakMemory } from './memory.ts';
import { recorded } from './makespan.ts';
import { benchLanes } from './shape.ts';
import { addLanes, newStage, nextMessage, startRole, writeRows } from './stage.ts';

export interface GrowthRow {
  readonly rows: number;
  readonly importSeconds: number;
  readonly runSeconds: number;
  readonly importHeapMb: number;
  readonly importRssMb: number;
  readonly workerHeapMb: number;
  readonly workerRssMb: number;
}

export async function growth(
  counts: readonly number[],
  say: (text: string) => void,
): Promise<readonly GrowthRow[]> {
  const portal = await startRole('portal', ['1', '0']);
  const stage = newStage();
  const results: GrowthRow[] = [];
  try {
    for (const rows of counts) {
      const lanes = benchLanes(rows);
      const tenant = `rows-${rows}`;
      const { app, keys } = await addLanes(stage, tenant, lanes, portal.port, 1_000);
      const file = join(stage.dataDirectory, `${tenant}.csv`);
      await writeRows(file, lanes);
      const importer = await startRole(
        'import',
        [stage.dataDirectory, tenant, file, keys[0]],
        'silent',
      );
      const imported = await nextMessage<
        PeakMemory & { elapsedMs: number; batch: string; refused: number }
      >(importer.child);
      if (imported.refused > 0) throw new Error('The bench rows were refused');
      rmSync(file);
      await approve(app, await personOf(app, keys[1]), readBatchId(imported.batch));
      const worker = await startRole('worker', [stage.dataDirectory, tenant, '3']);
      const startedMs = performance.now();
      worker.child.send({ go: true });
      await recorded(app, 500);
      const runSeconds = (performance.now() - startedMs) / 1000;
      worker.child.send({ stop: true });
      const worked = await nextMessage<PeakMemory>(worker.child);
      await app.close();
      const row = {
        rows,
        importSeconds: imported.elapsedMs / 1000,
        runSeconds,
        importHeapMb: imported.heapBytesMax / 1e6,
        importRssMb: imported.rssBytesMax / 1e6,
        workerHeapMb: worked.heapBytesMax / 1e6,
        workerRssMb: worked.rssBytesMax / 1e6,
      };
      results.push(row);
      say(
        `  ${rows} rows: import ${row.importSeconds.toFixed(1)} s, heap ${row.importHeapMb.toFixed(1)} MB; run ${runSeconds.toFixed(1)} s, heap ${row.workerHeapMb.toFixed(1)} MB`,
      );
    }
  } finally {
    portal.child.disconnect();
    await stage.close();
  }
  return results;
}
