/** Whoever reads what is to be typed, or looks at a confirmation again, leaves an entry of it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { takeFiling } from '../../src/filings/acts/hand.ts';
import { openEvidence } from '../../src/filings/acts/hand-evidence.ts';
import { handSheet } from '../../src/filings/acts/hand-sheet.ts';
import { HandWorld, PDF } from './world.ts';

let world: HandWorld;
beforeAll(async () => {
  world = await HandWorld.make();
  await world.lane();
}, 60_000);
afterAll(() => world?.close());

/** What was opened of the filing, by which act and whom. */
async function looks(filing: string): Promise<readonly unknown[]> {
  await world.app.sequencer.sequence();
  const rows = await world.sql(
    `select e->'data'->>'act' as act, e->'actor'->>'id' as by from (
       select convert_from(bytes, 'UTF8')::jsonb as e, seq from ledger_entry where boundary = 'access') entries
     where e->>'type' = 'access.opened' and e->'data'->>'subject' = $1 order by seq`,
    [filing],
  );
  return rows.map(({ act, by }) => [act, by]);
}

it('the sheet and the confirmation are opened with an entry each', async () => {
  const filing = await world.one();
  await takeFiling(world.app, world.paula, { name: filing.id });
  const sheet = await handSheet(world.app, world.paula, filing.id);
  expect(JSON.stringify(sheet)).toContain('Paula Signer');
  expect(await looks(filing.id)).toEqual([['hand.sheet', world.paula.id]]);

  await world.say(world.paula, filing, world.filed(filing));
  const { bytes } = await openEvidence(world.app, world.arthur, filing.id);
  expect(Buffer.from(bytes)).toEqual(Buffer.from(PDF(filing.id)));
  expect(await looks(filing.id)).toEqual([
    ['hand.sheet', world.paula.id],
    ['hand.evidence', world.arthur.id],
  ]);
});
