/** A lane that is only asked: it is never offered to a filing, not even beside the portal of the same state. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sampleProfile } from '../../src/testing/index.ts';
import { CliWorld, envelopeOf, type Variables } from '../fixtures/cli.ts';
import { csv, row } from './rows.ts';

let world: CliWorld;
let paula: Variables;
let rows: string;

beforeAll(async () => {
  world = await CliWorld.make();
  paula = await world.person('Paula');
  rows = await world.file('rows.csv', csv(row('1001')));
  await addLane({ code: 'US-DE-REGISTRY', effect: 'question' });
});

afterAll(() => world.close());

async function addLane(change: Parameters<typeof sampleProfile>[0]): Promise<void> {
  const file = await world.file(`${change?.code}.json`, JSON.stringify(sampleProfile(change)));
  await world.data(['lane', 'add', file], paula);
}

it('takes no filing where it is the only lane of its state', async () => {
  const ended = await world.run(['--json', 'batch', 'import', rows], paula);
  expect(ended.code).toBe(4);
  expect(envelopeOf(ended)).toMatchObject({ error: { code: 'REFUSED_BY_RULE' } });
  expect(ended.stdout).toContain('no lane that takes filings yet');
});

it('leaves the filings of its state to the portal, whichever was added last', async () => {
  await addLane({ code: 'US-DE', jurisdiction: 'US-DE' });
  await addLane({ code: 'US-DE-TABLE', jurisdiction: 'US-DE', effect: 'question' });
  await world.data(['batch', 'import', rows], paula);
  const { filings } = await world.data(['filing', 'list'], paula);
  expect(filings).toMatchObject([{ lane: 'US-DE' }]);
});
