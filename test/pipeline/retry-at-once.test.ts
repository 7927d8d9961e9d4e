/** Several retries at once, with several due: each attempt is counted when it is made, and the ledger verifies. */
import { afterEach, describe, expect, it } from 'vitest';
import { verifyLogs } from '../fixtures/verify-logs.ts';
import { openPipeline } from '../../src/grants/pipeline/open-pipeline.ts';
import type { DocumentLane, GrantorLedger } from '../../src/grants/pipeline/contracts.ts';
import { Session } from '../../src/postgres/session.ts';
import {
  ACTOR,
  awardJson,
  awardsSource,
  type GrantsWorld,
  grantsWorld,
  INSTANCE,
} from './world.ts';

const DUE = 8;
/** Small tables are read so, and the outer side is the larger one. */
const NESTED = {
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_material: 'off',
};

let world: GrantsWorld;
const sessions: Session[] = [];
afterEach(async () => {
  for (const session of sessions.splice(0)) await session.close();
  await world?.close();
});

/** Pipelines of other processes on the same database. */
function others(count: number) {
  return Array.from({ length: count }, () => {
    const { schema, target } = world;
    const session = new Session({ target, schema, name: 'other', settings: NESTED });
    sessions.push(session);
    return openPipeline({ ...world.parts, session });
  });
}

describe('retries at once', () => {
  it.each([2, 5])('%i processes ask each grantor once', async (processes) => {
    world = await grantsWorld();
    const asked: string[] = [];
    const away: GrantorLedger = {
      code: 'US-DE',
      mayRead: () => true,
      read: (grantor) => {
        asked.push(grantor);
        const failure = { kind: 'http', status: 503 } as const;
        return Promise.resolve({ kind: 'failed', failure });
      },
    };
    for (let n = 0; n < DUE; n += 1) {
      const award = { grantor: `g${n}`, cents: 5, reference: `R${n}`, expected: '2026-01-12' };
      await world.pipeline.ingestAwards(awardsSource([awardJson(award)], `${n}.ndjson`), ACTOR);
      await world.pipeline.verifyGrantor(`g${n}`, away);
    }
    expect(asked).toHaveLength(DUE);
    world.advance(60_000);
    await Promise.all(others(processes).map((one) => one.runRetryQueue(away)));
    expect(asked.slice(DUE).toSorted()).toEqual(asked.slice(0, DUE).toSorted());
    const rows = await world.rows('select tries, ver from question');
    expect(rows).toEqual(Array.from({ length: DUE }, () => ({ tries: 2, ver: 5 })));
    expect(await world.count('question_try', `kind = 'attempt'`)).toBe(asked.length);
    const { session, tenant } = world;
    const logs = await verifyLogs(session, tenant, INSTANCE);
    expect(logs).toMatchObject({ faults: [], waiting: 0 });
    const attempted = logs.entries.filter(({ type }) => type === 'verification.attempted');
    expect(attempted).toHaveLength(asked.length);
  });

  it('read each waiting document once', async () => {
    world = await grantsWorld();
    const read: string[] = [];
    const lane: DocumentLane = {
      code: 'US-DE',
      mayRead: () => true,
      read: (path) => {
        read.push(path);
        return Promise.resolve({ failure: { kind: 'http', status: 503 }, body: undefined });
      },
    };
    for (let n = 0; n < DUE; n += 1) {
      await world.pipeline.fetchAwards({ path: `/${n}`, format: 'ndjson' }, lane, ACTOR);
    }
    world.advance(60_000);
    await Promise.all(others(3).map((one) => one.runFetchQueue(lane)));
    expect(read.slice(DUE).toSorted()).toEqual(read.slice(0, DUE).toSorted());
    const { session, tenant } = world;
    expect(await verifyLogs(session, tenant, INSTANCE)).toMatchObject({ faults: [], waiting: 0 });
  });

  it('that begin the same question at once record one beginning', async () => {
    world = await grantsWorld();
    const award = { grantor: 'twice', cents: 5, reference: 'R', expected: '2026-01-12' };
    await world.pipeline.ingestAwards(awardsSource([awardJson(award)]), ACTOR);
    let asked = 0;
    const away: GrantorLedger = {
      code: 'US-DE',
      mayRead: () => true,
      read: () => {
        asked += 1;
        const failure = { kind: 'http', status: 503 } as const;
        return Promise.resolve({ kind: 'failed', failure });
      },
    };
    await Promise.all(others(4).map((one) => one.verifyGrantor('twice', away)));
    expect(asked).toBe(1);
    const { session, tenant } = world;
    const logs = await verifyLogs(session, tenant, INSTANCE);
    expect(logs.faults).toEqual([]);
    const begun = logs.entries.filter(({ type }) => type === 'verification.begun');
    expect(begun).toHaveLength(1);
  });
});
