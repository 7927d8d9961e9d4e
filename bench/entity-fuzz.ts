/** A fuzzed file of 100,000 rows through the whole import, in a process of its own: every row accounted for. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { addPortal } from '../src/lanes/acts/lanes.ts';
import { foundUser } from '../src/oversight/acts/users.ts';
import { personOf } from '../src/people/acts/people.ts';
import { createFilewright } from '../src/app.ts';
import { sampleProfile } from '../src/testing/simulator/sample-profile.ts';
import { type Fate, fuzzedFile } from './entity-fuzz-rows.ts';
import type { PeakMemory } from './memory.ts';
import { atMost, type Figure } from './report.ts';
import { newStage, nextMessage, startRole } from './stage.ts';
import { localOperator } from '../src/access/actor.ts';

const SEED = 5;

type Imported = PeakMemory & Readonly<Record<Fate | 'rows' | 'elapsedMs', number>>;

export async function fuzzFigures(
  rows: number,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  const stage = newStage();
  try {
    const app = await createFilewright({ dataDirectory: stage.dataDirectory, tenant: 'fuzz' });
    const { key } = await foundUser(app, localOperator('bench'), 'preparer');
    await addPortal(app, await personOf(app, key), sampleProfile());
    await app.close();
    const path = join(stage.dataDirectory, 'fuzz.csv');
    const { chunks, expected } = fuzzedFile(rows, SEED);
    await pipeline(Readable.from(chunks), createWriteStream(path));
    const args = [stage.dataDirectory, 'fuzz', path, key, `${path}.errors.csv`];
    const { child } = await startRole('import', args, 'silent');
    const seen = await nextMessage<Imported>(child);
    const fates: readonly Fate[] = ['created', 'refused', 'changed', 'unchanged'];
    const isTold = seen.rows === rows && fates.every((fate) => seen[fate] === expected[fate]);
    const heapMb = seen.heapBytesMax / 1e6;
    say(
      `  ${rows} fuzzed rows in ${(seen.elapsedMs / 1000).toFixed(1)} s, heap ${heapMb.toFixed(1)} MB: ${fates.map((fate) => `${fate} ${seen[fate]} of ${expected[fate]}`).join(', ')}`,
    );
    return [
      {
        name: `${rows} fuzzed CSV rows, every one accounted for`,
        measured: isTold ? 'yes' : 'no',
        limit: 'yes',
        met: isTold,
      },
      atMost('peak V8 heap, importing the fuzzed rows', heapMb, 100, 'MB', 1),
    ];
  } finally {
    await stage.close();
  }
}
