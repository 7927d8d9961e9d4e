/** The rows that lie beside the logs of an export, against what the entries say of them. */
import { createReadStream } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type JsonValue } from '../../core/index.ts';
import { parseEntry } from '../entry-chain.ts';
import { differenceText, RowComparison } from '../rows/row-comparison.ts';
import { rankOf, rowOf, ROWS_FOLDER, UNSIGNED_FILE } from '../rows/rows-file.ts';
import type { Told } from '../rows/saying.ts';
import { bundles, exists, Failure, namesIn } from './audit-offline-files.ts';

/** Longer than any row: a file of one endless line must not fill the memory. */
const LINE_CHARACTERS_MAX = 4 * 1024 * 1024;

/** Call it when the logs have been found to hold: what they say is believed here. Gives how many facts are unsigned. */
export async function checkRows(top: string, logs: readonly string[]): Promise<number> {
  const comparison = new RowComparison();
  let unsigned = 0;
  try {
    for (const folder of [...logs].sort((a, b) => rankOf(basename(a)) - rankOf(basename(b)))) {
      const boundary = basename(folder);
      for await (const bundle of bundles(folder)) {
        for (const bytes of bundle) await comparison.tell({ ...parseEntry(bytes), boundary });
      }
    }
    if (await exists(join(top, UNSIGNED_FILE))) {
      for await (const fact of lines(join(top, UNSIGNED_FILE))) {
        unsigned += 1;
        // Whoever can write this file can write the rows: it is believed as far as they are.
        await comparison.tell(fact as unknown as Told);
      }
    }
    for (const name of (await namesIn(join(top, ROWS_FOLDER))).sort()) {
      for await (const value of lines(join(top, ROWS_FOLDER, name))) {
        const row = rowOf(value);
        if (row === undefined) throw new Failure('MALFORMED_ROWS', `${name}: a line is no row`);
        await comparison.find(row);
      }
    }
    for await (const one of comparison.differences()) {
      throw new Failure(one.reason, differenceText(one));
    }
    return unsigned;
  } finally {
    await comparison.close();
  }
}

export async function* lines(path: string): AsyncGenerator<JsonValue> {
  const input = createReadStream(path, { encoding: 'utf8' });
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    let value: JsonValue;
    try {
      if (line.length > LINE_CHARACTERS_MAX) throw new SyntaxError('too long');
      value = JSON.parse(line) as JsonValue;
    } catch {
      // The only thing it throws for is what is told here.
      throw new Failure('MALFORMED_ROWS', `${path}: a line is not JSON`);
    }
    yield value;
  }
}
