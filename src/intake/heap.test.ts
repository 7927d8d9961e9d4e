import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { sha256Hex } from '../core/ids.ts';
import type { IntakeStore } from '../core/ports.ts';
import { importRows } from './import.ts';
import { CHUNK_ROWS } from './limits.ts';
import { importOptions } from '../../test/fixtures/memory-intake.ts';

const ROWS = 200_000;
// What is alive after a collection, above the start. Measured: 2 MB; an import that kept only the key of each row
// came to 33 MB.
const ALIVE_BYTES_MAX = 12 * 1024 * 1024;
// A collection takes milliseconds; 400 of them would make the test slow.
const CHUNKS_BETWEEN_LOOKS = 40;

function aliveBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('Expected a way to collect garbage.');
  collect();
  return process.memoryUsage().heapUsed;
}

async function* manyRows(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('jurisdiction,registry_number,entity_name,filing_kind,period,due,office\n');
  for (let from = 0; from < ROWS; from += 400) {
    const lines = Array.from({ length: 400 }, (_, at) => {
      const n = from + at;
      return `US-DE,${n},"Größe ${n}, Inc.",annual_report,2027,2028-03-01,"${n} Main Street\nDover"\n`;
    });
    yield Buffer.from(lines.join(''));
  }
}

it('two hundred thousand rows pass through a bounded heap', async () => {
  let admitted = 0;
  let largest = 0;
  let aliveMost = 0;
  let chunks = 0;
  // Says "created" and forgets, so that only what the import itself holds is measured.
  const store: IntakeStore = {
    openBatch: async () => {},
    admit: async (filings) => {
      admitted += filings.length;
      largest = Math.max(largest, filings.length);
      chunks += 1;
      if (chunks % CHUNKS_BETWEEN_LOOKS === 0) aliveMost = Math.max(aliveMost, aliveBytes());
      return filings.map(() => ({ kind: 'created' }));
    },
    preview: async () => [],
    closeBatch: async () => ({ count: admitted, sha256: sha256Hex('') }),
    dataKeys: async (subjects, _, make) => new Map(subjects.map((subject) => [subject, make()])),
  };
  const before = aliveBytes();
  const report = await importRows({ ...importOptions('', store), source: manyRows() });
  expect([report.created, report.refused, largest]).toEqual([ROWS, 0, CHUNK_ROWS]);
  expect(aliveMost - before).toBeLessThan(ALIVE_BYTES_MAX);
});
