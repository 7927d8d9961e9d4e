/** Filings that people carry: one is filed, one was given back, one somebody looked for, one is in a person's hands. */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { approve, importFile } from '../../src/filings/acts/batches.ts';
import { takeFiling } from '../../src/filings/acts/hand.ts';
import {
  approveHandCorrection,
  proposeHandCorrection,
} from '../../src/filings/acts/hand-corrections.ts';
import { type HandSaying, sayInHand } from '../../src/filings/acts/hand-say.ts';
import { listFilings } from '../../src/filings/store/filings.ts';
import { addPortal } from '../../src/lanes/acts/lanes.ts';
import { readProfile } from '../../src/lanes/profile/read-profile.ts';
import { ROOT } from '../fixtures/built-tree.ts';
import type { ReviewWorld } from '../review/world.ts';

const REASON = 'as the clerk of the office said by telephone';
const SHIPPED = join(ROOT, 'profiles/by-hand/us-nv.json');

export async function byHand(world: ReviewWorld): Promise<void> {
  const { app, paula, arthur } = world;
  const [filed, givenBack, unsure, taken] = await batch(world);
  const say = async (id: string, saying: HandSaying): Promise<void> => {
    await takeFiling(app, paula, { name: id });
    await sayInHand(app, paula, id, saying);
  };
  await say(filed, {
    kind: 'filed',
    receipt: 'NV-1',
    filedAt: app.clock.now(),
    feeCents: 22_500,
    evidence: { kind: 'file', name: 'office.pdf', bytes: Buffer.from('%PDF-1.7\nNV-1\n%%EOF\n') },
  });
  await say(givenBack, { kind: 'not_filed', reason: REASON });
  await say(unsure, { kind: 'unsure', reason: REASON });
  const lookedAt = app.clock.now();
  const place = 'the entity search of the office';
  await sayInHand(app, arthur, unsure, { kind: 'absent', place, lookedAt });
  await takeFiling(app, paula, { name: taken });
  const slip = { filing: filed, filedAt: undefined, feeCents: undefined, reason: REASON };
  const { sha256 } = await proposeHandCorrection(app, paula, { ...slip, receipt: 'NV-2' });
  await approveHandCorrection(app, arthur, { filing: filed, expectHash: sha256 });
  await proposeHandCorrection(app, paula, { ...slip, receipt: 'NV-3' });
}

async function batch({
  app,
  paula,
  arthur,
  folder,
}: ReviewWorld): Promise<readonly [string, string, string, string]> {
  const stated = JSON.parse(readFileSync(SHIPPED, 'utf8')) as { byHand: object };
  // A search that shows a filing at once: a look need not wait.
  const profile = { ...stated, byHand: { ...stated.byHand, visibleAfterMs: 0 } };
  await addPortal(app, paula, readProfile(JSON.stringify(profile), SHIPPED));
  const year = new Date().getUTCFullYear() + 2;
  const rows = [1, 2, 3, 4].map(
    (n) => `US-NV,N${n},Entity ${n},annual_list,${year},${year}-03-01,H-${n},225.00,Paula Signer`,
  );
  const path = join(folder, 'by-hand.csv');
  const columns =
    'jurisdiction,registry_number,entity_name,filing_kind,period,due,entity_id,fee,signatory';
  await writeFile(path, `${[columns, ...rows].join('\n')}\n`);
  const report = await importFile(app, paula, { path, dryRun: false });
  if (report.batch === undefined) throw new Error(JSON.stringify(report.errors));
  await approve(app, arthur, report.batch);
  const filter = { batch: report.batch, limit: rows.length };
  const [a, b, c, d] = (await listFilings(app.session, app.tenant, filter)).map(({ id }) => id);
  if (a === undefined || b === undefined || c === undefined || d === undefined) {
    throw new Error('expected four filings');
  }
  return [a, b, c, d];
}
