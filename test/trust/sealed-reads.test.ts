/** The adversary: one person who reads what is sealed, and would rather that nobody knew. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { PersonActor } from '../../src/access/actor.ts';
import { defendFiling } from '../../src/filings/acts/defense.ts';
import { listFilings, openPayload } from '../../src/filings/acts/filings.ts';
import { addPortal } from '../../src/lanes/acts/lanes.ts';
import { sequenceAll } from '../../src/ledger/acts/sequence.ts';
import { OPERATOR } from '../operator.ts';
import { TrustWorld } from './world.ts';

let world: TrustWorld;
let mallory: PersonActor;

beforeEach(async () => {
  world = await TrustWorld.make();
  [, , mallory] = world.people;
  await addPortal(world.app, world.people[0], world.profile('authority'));
});
afterEach(() => world.close());

it('each look at a payload is an entry that names who looked at what, and nothing of its content', async () => {
  const batch = await world.batch(1);
  const [filing] = await listFilings(world.app, OPERATOR, { batch, limit: 1 });
  if (filing === undefined) throw new Error('no filing');
  await openPayload(world.app, mallory, filing);
  await openPayload(world.app, mallory, filing);
  await defendFiling(world.app, mallory, { filing: filing.id, folder: join(world.folder, 'pack') });
  await sequenceAll(world.app);
  const rows = await world.sql(
    `select convert_from(bytes, 'UTF8')::jsonb as entry from ledger_entry where boundary = 'access' order by seq`,
  );
  const looks = rows
    .map(({ entry }) => entry as { type: string; actor: { id: string }; data: object })
    .filter(({ type }) => type === 'access.opened');
  expect(looks.map(({ actor }) => actor.id)).toEqual([mallory.id, mallory.id, mallory.id]);
  const look = { act: 'filing.open', subject: filing.id };
  expect(looks.map(({ data }) => data)).toEqual([look, look, { ...look, act: 'filing.defend' }]);
  expect(await world.isSound()).toBe(true);
});
