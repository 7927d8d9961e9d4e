/** Tables of people through the whole import, each in a process of its own: every row accounted for, and memory that does not grow. */
import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { localOperator } from '../src/access/actor.ts';
import { createFilewright } from '../src/app.ts';
import { addByHandLanes } from '../src/filings/acts/by-hand-lanes.ts';
import { foundUser } from '../src/oversight/acts/users.ts';
import { personOf } from '../src/people/acts/people.ts';
import { xlsxFile } from '../test/fixtures/xlsx-file.ts';
import type { PeakMemory } from './memory.ts';
import { atMost, type Figure } from './report.ts';
import {
  ENCODINGS,
  fuzzedSheet,
  plainCells,
  plainSheet,
  type SheetFate,
  STATES,
} from './sheet-rows.ts';
import { newStage, nextMessage, startRole } from './stage.ts';

const SEED = 16;
const FATES: readonly SheetFate[] = ['created', 'refused', 'changed', 'unchanged', 'skipped'];

type Imported = PeakMemory & Readonly<Record<SheetFate | 'rows' | 'elapsedMs', number>>;

interface Measured {
  readonly figures: readonly Figure[];
  readonly details: readonly string[];
}

export async function sheetFigures(quick: boolean, say: (text: string) => void): Promise<Measured> {
  const stage = newStage();
  try {
    const imports = new Imports(stage.dataDirectory);
    const rows = quick ? 1_000 : 20_000;
    const told: string[] = [];
    const wrong: string[] = [];
    let fuzzHeapMb = 0;
    for (const [at, as] of ENCODINGS.entries()) {
      const path = join(stage.dataDirectory, `fuzzed-${at}.csv`);
      const { chunks, expected } = fuzzedSheet(rows, SEED + at, as);
      await pipeline(Readable.from(chunks), createWriteStream(path));
      const seen = await imports.run(path);
      const off = FATES.filter((fate) => seen[fate] !== expected[fate]);
      if (off.length > 0 || seen.rows + seen.skipped !== rows) wrong.push(as);
      fuzzHeapMb = Math.max(fuzzHeapMb, seen.heapBytesMax / 1e6);
      const counts = FATES.map((fate) => `${fate} ${seen[fate]} of ${expected[fate]}`).join(', ');
      say(`  ${as}: ${counts}`);
      told.push(`- ${as}: ${counts}`);
    }
    const large = quick ? { csv: 10_000, xlsx: 5_000 } : { csv: 200_000, xlsx: 100_000 };
    const csv = join(stage.dataDirectory, 'large.csv');
    await pipeline(Readable.from(plainSheet(large.csv)), createWriteStream(csv));
    const text = await imports.run(csv);
    const xlsx = join(stage.dataDirectory, 'large.xlsx');
    const sheet = { name: 'Filings', rows: plainCells(large.xlsx) };
    writeFileSync(xlsx, xlsxFile({ sheets: [sheet] }));
    const book = await imports.run(xlsx);
    const heapMb = ({ heapBytesMax }: Imported): number => heapBytesMax / 1e6;
    say(`  CSV ${heapMb(text).toFixed(1)} MB, XLSX ${heapMb(book).toFixed(1)} MB of heap`);
    const isWhole = text.created === large.csv && book.created === large.xlsx;
    return {
      figures: [
        yes(
          `${rows * ENCODINGS.length} fuzzed rows of sheets in five encodings, every one accounted for`,
          wrong.length === 0,
        ),
        atMost('peak V8 heap, importing the fuzzed sheets', fuzzHeapMb, 100, 'MB', 1),
        atMost(`peak V8 heap, a CSV of ${large.csv} rows`, heapMb(text), 100, 'MB', 1),
        atMost(`peak V8 heap, a workbook of ${large.xlsx} rows`, heapMb(book), 250, 'MB', 1),
        yes('every row of the two is a filing', isWhole),
      ],
      details: [
        '',
        ...told,
        '',
        `CSV of ${large.csv} rows: ${seconds(text)} s, RSS ${rssMb(text)} MB. Workbook of ${large.xlsx} rows: ${seconds(book)} s, RSS ${rssMb(book)} MB.`,
      ],
    };
  } finally {
    await stage.close();
  }
}

const seconds = ({ elapsedMs }: Imported): string => (elapsedMs / 1000).toFixed(1);
const rssMb = ({ rssBytesMax }: Imported): string => (rssBytesMax / 1e6).toFixed(0);

function yes(name: string, met: boolean): Figure {
  return { name, measured: met ? 'yes' : 'no', limit: 'yes', met };
}

class Imports {
  readonly #dataDirectory: string;
  #tenants = 0;

  constructor(dataDirectory: string) {
    this.#dataDirectory = dataDirectory;
  }

  /** Each file into a tenant of its own. */
  async run(path: string): Promise<Imported> {
    this.#tenants += 1;
    const tenant = `sheet${this.#tenants}`;
    const app = await createFilewright({ dataDirectory: this.#dataDirectory, tenant });
    const { key } = await foundUser(app, localOperator('bench'), 'preparer');
    await addByHandLanes(app, await personOf(app, key), STATES);
    await app.close();
    const choices = JSON.stringify({ acceptMap: true });
    const args = [this.#dataDirectory, tenant, path, key, `${path}.errors.csv`, choices];
    const { child } = await startRole('import', args, 'silent');
    return nextMessage<Imported>(child);
  }
}
