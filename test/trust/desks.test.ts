/** The adversary: a preparer who is curious about what others prepare. Payloads are read on one's own desk. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PersonActor } from '../../src/access/actor.ts';
import type { Role } from '../../src/access/role.ts';
import { type BatchId, type FilingId, filingId } from '../../src/core/ids.ts';
import { approvalTerms } from '../../src/filings/acts/approvals.ts';
import { defendFiling } from '../../src/filings/acts/defense.ts';
import { diagnosePayload } from '../../src/filings/acts/diagnose-payload.ts';
import { openPayload, showFiling } from '../../src/filings/acts/filings.ts';
import { addProfile } from '../../src/filings/acts/lane-profiles.ts';
import { vouchedFor } from '../people/firm.ts';
import { TrustWorld } from './world.ts';

let world: TrustWorld;
let paula: PersonActor;
let id: FilingId;
let batch: BatchId;
const people = new Map<string, PersonActor>();

beforeAll(async () => {
  world = await TrustWorld.make();
  const [one, other] = world.people;
  await addProfile(world.app, one, world.profile('authority'));
  const roles: Readonly<Record<string, readonly Role[]>> = {
    Paul: ['preparer'],
    Pete: ['preparer'],
    Amy: ['approver'],
    Tom: ['auditor'],
    Both: ['preparer', 'auditor'],
  };
  for (const [name, has] of Object.entries(roles)) {
    people.set(name, await vouchedFor(world.app, [one, other], name, has));
  }
  paula = named('Paul');
  batch = await world.batch(1, paula);
  const [row] = await world.sql('select id from envelope where batch = $1', [batch]);
  id = filingId(String(row?.['id']));
});
afterAll(() => world.close());

function named(name: string): PersonActor {
  const person = people.get(name);
  if (person === undefined) throw new Error(`nobody is ${name}`);
  return person;
}

const looks = async (): Promise<unknown> => {
  await world.app.sequencer.sequence();
  const [row] = await world.sql(
    `select count(*) as n from ledger_entry where convert_from(bytes, 'UTF8')::jsonb->>'type' = 'access.opened'`,
  );
  return row?.['n'];
};

/** Each way to a payload. */
const WAYS: readonly (readonly [string, (actor: PersonActor) => Promise<unknown>])[] = [
  ['filing show --payload', (actor) => openPayload(world.app, actor, { id })],
  ['the terms of a batch', (actor) => approvalTerms(world.app, actor, batch)],
  ['diagnose payload of the filing', (actor) => diagnosePayload(world.app, actor, id)],
  ['diagnose payload of the batch', (actor) => diagnosePayload(world.app, actor, batch)],
  [
    'a defense pack',
    (actor) =>
      defendFiling(world.app, actor, { filing: id, folder: `${world.folder}/${actor.name}` }),
  ],
];

it.each(WAYS)(
  '%s shows a payload on one’s own desk, and to whoever approves or audits',
  async (_way, look) => {
    const before = await looks();
    await expect(look(named('Pete'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    // Nothing was opened, so nothing says that something was.
    expect(await looks()).toBe(before);
    for (const name of ['Paul', 'Amy', 'Tom', 'Both']) await look(named(name));
  },
);

it('a review that is assigned to somebody is on their desk until it is closed', async () => {
  const pete = named('Pete');
  // What a preparer may see of it without its payload.
  expect((await showFiling(world.app, pete, id)).filing.id).toBe(id);
  await world.sql(
    `insert into exception (tenant, filing, n, status, reason, ct, opened_at, assigned_to)
     values ($1, $2, 1, 'rejected', 'test', sha256('x'), now(), $3)`,
    [world.app.tenant, id, pete.id],
  );
  await openPayload(world.app, pete, { id });
  await world.sql(
    `update exception set closed_at = now(), closed_by = $2, resolution = 'rejected' where filing = $1`,
    [id, pete.id],
  );
  await expect(openPayload(world.app, pete, { id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('an approver reads nothing before it was proposed', async () => {
  const [row] = await world.sql(
    `insert into batch (tenant, id, source, prepared_by) values ($1, gen_random_uuid(), 'open', $2) returning id`,
    [world.app.tenant, paula.id],
  );
  const open = String(row?.['id']) as BatchId;
  await expect(approvalTerms(world.app, named('Amy'), open)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await approvalTerms(world.app, named('Tom'), open);
});
