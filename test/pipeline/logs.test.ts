import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { logOrigin } from '../../src/ledger/entry.ts';
import { verifyEntries } from '../../src/ledger/verify.ts';
import { ledgerEntries } from '../../src/ledger/store/ledger-entries.ts';
import { PLANNER } from '../../src/postgres/planner.ts';
import { PostgresSequencer } from '../../src/ledger/store/sequencer.ts';
import { Session } from '../../src/postgres/session.ts';
import { STAGES } from '../../src/postgres/grant-walls.ts';
import { CheckpointFiles } from '../../src/system/checkpoint-copies.ts';
import {
  ACCOUNT,
  ACTOR,
  awardJson,
  awardsSource,
  feedSource,
  type GrantsWorld,
  grantsWorld,
  INSTANCE,
  NOWHERE,
  random,
} from './world.ts';

let world: GrantsWorld;
let folder: string;
let session: Session;
beforeAll(async () => {
  world = await grantsWorld();
  folder = await mkdtemp(join(tmpdir(), 'fw-grants-logs-'));
  session = new Session({
    target: world.target,
    schema: world.schema,
    name: 'sequencer',
    settings: PLANNER,
  });
});
afterAll(async () => {
  await session.close();
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

/** Tables of the pipeline that show a text which is sealed elsewhere. */
async function inClear(text: RegExp): Promise<string[]> {
  const tables = await world.rows(
    `select table_name from information_schema.tables where table_schema = $1 and table_name like 'grant\\_%' order by 1`,
    [world.schema],
  );
  const names = tables.map((row) => String(row['table_name']));
  expect(names).toContain('grant_match');
  const found: string[] = [];
  for (const name of names) {
    const rows = await world.rows(`select t::text as whole from ${name} t`);
    if (rows.some((row) => text.test(String(row['whole'])))) found.push(name);
  }
  return found;
}

it('every stage has its own log, which verifies; no entry and no table shows what is sealed', async () => {
  const { pipeline, people } = world;
  const award = awardJson({ id: 'A-1', cents: 500, reference: 'REF-0001', expected: '2026-01-12' });
  const refused = await pipeline.ingestAwards(awardsSource([award, { broken: 'Harbor' }]), ACTOR);
  const line = { on: '2026-01-12', cents: 500, reference: 'REF-0001' };
  const feed = { number: 1, from: '2026-01-01', to: '2026-01-30', openingCents: 0, lines: [line] };
  await pipeline.ingestFeed(feedSource(feed), ACTOR);
  await pipeline.reconcilePeriod({ to: '2026-01-31' }, ACTOR);
  expect(await inClear(/Harbor|REF-0001|food/)).toEqual([]);
  await pipeline.closePeriod(
    { account: ACCOUNT, from: '2026-01-01', to: '2026-01-31' },
    NOWHERE,
    ACTOR,
  );
  expect(await inClear(/Harbor|REF-0001|food/)).toEqual([]);
  const days = { from: '2026-01-01', to: '2026-12-31' };
  await pipeline.evaluateRules({ ...NOWHERE, ...days }, ACTOR);
  await pipeline.reportFigures({ kind: '990', ...days }, ACTOR);
  const id = refused.refusals[0]?.exception ?? '';
  await pipeline.exceptions.propose(id, { kind: 'dismiss', reason: 'only noise' }, people[0]);
  await pipeline.exceptions.approve(id, people[1]);

  const sequencer = new PostgresSequencer({
    session,
    tenant: world.tenant,
    instance: INSTANCE,
    signing: { tenantKey: world.parts.tenantKey, random },
    copies: new CheckpointFiles(folder),
  });
  await sequencer.checkpoint();
  const expected = {
    ingestion: ['awards.accepted', 'document.ingested'],
    reconciliation: [
      'feed.lines',
      'feed.ingested',
      'lines.matched',
      'period.closed',
      'period.released',
    ],
    rules: ['rules.evaluated'],
    reporting: ['report.drawn'],
    fallback: [
      'exception.opened',
      'exception.resolution_proposed',
      'exception.resolution_approved',
    ],
  };
  for (const stage of STAGES) {
    const origin = logOrigin(INSTANCE, world.tenant, stage);
    const verified = await verifyEntries(ledgerEntries(world.session, world.tenant, stage), {
      origin,
      states: true,
    });
    expect(verified, stage).toMatchObject({ ok: true });
    const types: string[] = [];
    for await (const entry of ledgerEntries(world.session, world.tenant, stage)) {
      const text = Buffer.from(entry).toString('utf8');
      expect(text).not.toMatch(/Harbor|REF-0001|food|noise/);
      types.push(String((JSON.parse(text) as { type: unknown }).type));
    }
    expect(types, stage).toEqual(expected[stage]);
  }
  expect(await world.count('ledger_intake')).toBe(0);
});
