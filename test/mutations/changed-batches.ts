/** Batches that people changed before anything was sent: corrected, asked about, approved in part, withdrawn, stopped. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  approveCancel,
  cancelBatch,
  refuseBatch,
  withdrawFromBatch,
} from '../../src/filings/acts/batch-changes.ts';
import { answerAboutBatch, askAboutBatch } from '../../src/filings/acts/batch-questions.ts';
import { approve, importFile, proposeAgain } from '../../src/filings/acts/batches.ts';
import type { BatchId } from '../../src/core/ids.ts';
import { listFilings } from '../../src/filings/store/filings.ts';
import type { ReviewWorld } from '../review/world.ts';

const REASON = 'the fee was typed from last year';
const COLUMNS =
  'jurisdiction,registry_number,entity_name,filing_kind,period,due,entity_id,fee,signatory';

/** On the lane of people, where nothing is sent by itself. */
export async function changedBatches(world: ReviewWorld): Promise<void> {
  const { app, paula, arthur } = world;
  const [batch, [first = '', second = '']] = await imported(world, 20);
  await askAboutBatch(app, arthur, { batch, question: 'is the fee of all of them right?' });
  await answerAboutBatch(app, paula, { batch, n: 1, answer: 'of all but the first one' });
  await refuseBatch(app, arthur, { batch, reason: REASON });
  await proposeAgain(app, paula, batch, 'it is right as it stands');
  const { changed } = await withdrawFromBatch(app, paula, { filings: [first], reason: REASON });
  if (changed?.state !== 'frozen') throw new Error('expected it to be frozen again');
  const without = { filings: [second], reason: REASON };
  await approve(app, arthur, batch, { sha256: changed.sha256 }, 30, without);
  const [stopped] = await imported(world, 30);
  await approve(app, arthur, stopped);
  const held = await cancelBatch(app, paula, { batch: stopped, reason: REASON });
  if (held.kind !== 'stopped') throw new Error('expected it to be stopped');
  await approveCancel(app, arthur, { batch: stopped, expectHash: held.sha256 });
  const [undone] = await imported(world, 40);
  await cancelBatch(app, paula, { batch: undone, reason: REASON });
}

async function imported(
  { app, paula, folder }: ReviewWorld,
  from: number,
): Promise<readonly [BatchId, readonly string[]]> {
  const year = new Date().getUTCFullYear() + 2;
  const rows = [from, from + 1, from + 2].map(
    (n) => `US-NV,N${n},Entity ${n},annual_list,${year},${year}-03-01,C-${n},225.00,Paula Signer`,
  );
  const path = join(folder, `changed-${from}.csv`);
  await writeFile(path, `${[COLUMNS, ...rows].join('\n')}\n`);
  const { batch } = await importFile(app, paula, { path, dryRun: false });
  if (batch === undefined) throw new Error('expected a batch');
  const filings = await listFilings(app.session, app.tenant, { batch, limit: 3 });
  return [batch, filings.map(({ id }) => id)];
}
