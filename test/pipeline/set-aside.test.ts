/** With the database's roles in force: long parts of a fact are sealed, and an impossible one is set aside and told. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { setAsideFacts } from '../../src/ledger/store/kept-facts.ts';
import { StageStore } from '../../src/grants/store/stage.ts';
import { verifyLogs } from '../fixtures/verify-logs.ts';
import { ACTOR, type GrantsWorld, grantsWorld, INSTANCE } from './world.ts';

let world: GrantsWorld;
beforeAll(async () => {
  world = await grantsWorld();
});
afterAll(() => world?.close());

it('seals what is too long for an entry, and reads it back', async () => {
  const desk = new StageStore('reconciliation', { ...world.parts, now: () => world.now() });
  const awards = Array.from({ length: 1_200 }, (_, n) => `${n}`.padStart(64, 'a'));
  const subject = { kind: 'grant_line', id: 'feed/1', ver: 1 };
  const ct = await desk.transaction((at) =>
    desk.record(at, {
      type: 'line.resolved',
      actor: ACTOR,
      subject,
      data: { awards, fee_cents: 1 },
    }),
  );
  const logs = await verifyLogs(world.session, world.tenant, INSTANCE);
  expect(logs).toMatchObject({ faults: [], waiting: 0 });
  expect(await setAsideFacts(world.session, world.tenant)).toEqual([]);
  const entry = logs.entries.find(({ type }) => type === 'line.resolved');
  expect(entry).toMatchObject({
    data: { awards: { bytes: 1_200 * 67 + 1 }, fee_cents: 1 },
    body: { ct },
  });
  const body = await desk.transaction((at) => desk.openBody(at, ct ?? ''));
  expect(JSON.parse(Buffer.from(body).toString())).toEqual({ awards });
});

it('sets an impossible fact aside as the sequencer of its log, and tells as itself', async () => {
  await world.rows(
    `insert into ledger_intake
       (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data)
     values ($1, 'reconciliation', $2, now(), 'line.resolved', 'grant_line', 'feed/2', 1, 'system', 'test', 'test', $3)`,
    [world.tenant, world.ids.next(), JSON.stringify({ reason: 'r'.repeat(90_000) })],
  );
  expect(await verifyLogs(world.session, world.tenant, INSTANCE, world.parts)).toMatchObject({
    faults: [],
    waiting: 0,
  });
  expect(await setAsideFacts(world.session, world.tenant)).toHaveLength(1);
  expect(await world.count('alert', `kind = 'ledger_set_aside' and severity = 'critical'`)).toBe(1);
  // Another part of the work can neither read it nor write there.
  await expect(world.attempt('ingestion', 'select * from ledger_set_aside')).rejects.toThrow(
    /permission denied/,
  );
});
