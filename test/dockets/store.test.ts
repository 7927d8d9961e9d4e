/** The walls of the database around dockets, and what processes share through it. */
import { targetId } from '../../src/core/index.ts';
import { setTimeout as pass } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { instant } from '../../src/core/time.ts';
import { changeTargetLanes, readTargetLanes } from '../../src/lanes/store/target-lanes.ts';
import { leaseDueRuns, startRun } from '../../src/dockets/store/recovery.ts';
import { overdueDifferences } from '../../src/dockets/store/differences.ts';
import { lockDueDockets } from '../../src/dockets/store/steps.ts';
import { changedProfiles, storedLanes } from '../../src/lanes/store/lanes.ts';
import { Slots } from '../../src/lanes/store/slots.ts';
import { Session } from '../../src/postgres/session.ts';
import { takeManualNotices } from '../../src/dockets/store/handoffs.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { Stage } from './stage.ts';

let server: Server;
let stage: Stage;
let other: Session;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => server?.close());
afterEach(async () => {
  await other?.close();
  await stage?.close();
});

async function set(): Promise<void> {
  stage = await Stage.set(server);
  const { target, schema } = stage.options();
  other = new Session({ target, schema, name: 'other' });
}

const BREAKER = {
  target: targetId('team'),
  breaker: { state: 'closed', failures: 1 },
  version: 0,
  ver: 0,
} as const;

describe('a breaker', () => {
  it('is changed by one of two who read the same version, first and later', async () => {
    await set();
    const { tenant, session } = stage.app;
    for (const version of [0, 1]) {
      const both = await Promise.all(
        [session, other].map((one) =>
          one.transaction((run) => changeTargetLanes(run, tenant, [{ ...BREAKER, version }])),
        ),
      );
      expect(both.filter((done) => done)).toHaveLength(1);
    }
    const [row] = await session.transaction((run) => readTargetLanes(run, tenant));
    expect(row).toMatchObject({ ...BREAKER, version: 2 });
  });

  it('of a target is not treated as a portal anywhere', async () => {
    await set();
    const { tenant, session } = stage.app;
    await session.transaction((run) => changeTargetLanes(run, tenant, [BREAKER]));
    expect(await storedLanes(session, tenant)).toEqual([]);
    expect(await changedProfiles(session, tenant, new Map())).toEqual([]);
    expect((await new Slots(session, tenant).survey()).lanes).toEqual([]);
  });
});

describe('a docket', () => {
  it('whose step is under way in one process is not seen due by another', async () => {
    await set();
    const { tenant, session } = stage.app;
    await stage.feed(3);
    await session.transaction(async (run) => {
      expect((await lockDueDockets(run, tenant, 2)).dockets).toHaveLength(2);
      const rest = await other.transaction((query) => lockDueDockets(query, tenant, 10));
      expect(rest.dockets).toHaveLength(1);
    });
  });

  it.each([
    [`payload_sha256 = decode(repeat('00', 32), 'hex')`, /received as it is/],
    [`docket = docket || '{"client":"other"}'`, /received as it is/],
    [`ver = 0`, /may only count up/],
    [`phase = 'queued', tier = 'PRIMARY'`, /may not go from manual MANUAL to queued PRIMARY/],
    [`next_at = null`, /docket_open_is_watched/],
  ])('is kept from %s by the database itself', async (change, refusal) => {
    await set();
    await stage.feed(1);
    await stage.read(`update docket set phase = 'manual', tier = 'MANUAL' where tenant = $1`);
    await expect(stage.read(`update docket set ${change} where tenant = $1`)).rejects.toThrow(
      refusal,
    );
    await expect(stage.read('delete from docket where tenant = $1')).rejects.toThrow(
      /never changed or removed/,
    );
  });

  it('of another tenant is not there', async () => {
    await set();
    await stage.feed(1);
    const { target, schema } = stage.options();
    const { prefix } =
      (
        await stage.app.session.run({
          name: '',
          text: 'select role_prefix as prefix from installation',
        })
      )[0] ?? {};
    const stranger = new Session({
      target: {
        ...target,
        settings: { 'fw.tenant': 'stranger', role: `${String(prefix)}_filing` },
      },
      schema,
      name: 'stranger',
    });
    const tables = [
      'docket',
      'docket_handoff',
      'docket_link',
      'lane',
      'routing_setup',
      'recovery_run',
      'work',
    ];
    for (const table of tables) {
      expect(await stranger.run({ name: '', text: `select 1 from ${table}` })).toEqual([]);
    }
    await stranger.close();
  });
});

describe('a recovery run', () => {
  it('is open once for a target, and leased by one process at a time', async () => {
    await set();
    const { tenant, session, ids } = stage.app;
    const start = () =>
      session.transaction((run) =>
        startRun(run, tenant, {
          id: ids.next(),
          target: targetId('team'),
          mode: 'automatic',
          phase: 'probing',
          nextAt: instant(0),
          baseline: {},
          state: {},
        }),
      );
    expect([await start(), await start()]).toEqual([true, false]);
    const leases = await Promise.all(
      [session, other].map((one) => leaseDueRuns(one, tenant, { leaseMs: 60_000, count: 10 })),
    );
    expect(leases.map((runs) => runs.length).toSorted((a, b) => a - b)).toEqual([0, 1]);
  });
});

describe('a difference', () => {
  it('whose clock has run out is reported by one of two processes that look at once', async () => {
    await set();
    const { tenant, session, ids } = stage.app;
    const [admission] = await stage.feed(1);
    const run = ids.next();
    await stage.read(
      `insert into recovery_run (tenant, id, target, mode, baseline, state, phase)
       values ($1, $2, 'team', 'automatic', '{}', '{}', 'closed')`,
      [run],
    );
    await stage.read(
      `insert into recovery_difference (tenant, run, docket, kind, review_by, evidence)
       select $1, $2, $3, kind, now() - interval '1 minute', '{}' from unnest(array['missing', 'twice']) kind`,
      [run, admission?.docket],
    );
    const overdue = (query: Session['run']) =>
      overdueDifferences(query, tenant, { clockMs: 3_600_000, count: 10 });
    const { first, second } = await session.transaction(async (query) => {
      const taken = await overdue(query);
      // It has looked by then, and waits for the end of this transaction.
      const second = other.transaction(overdue).then((found) => found.length);
      await pass(200);
      return { first: taken, second };
    });
    expect([first.length, await second]).toEqual([2, 0]);
  });
});

describe('a notice of the manual tier', () => {
  it('whose process died is taken by one other when its lease is over', async () => {
    await set();
    const { tenant, session } = stage.app;
    const [admission] = await stage.feed(1);
    await stage.read(
      `with notice as (
         insert into docket_handoff (tenant, docket, n, handoff, tier, target, party, attempt, hop, dates)
         values ($1, $2, 1, 'h', 'MANUAL', 'desk', 'hart', 1, '{}', '{}') returning tenant, docket, n)
       insert into work (tenant, id, kind, target, docket, body)
       select tenant, gen_random_uuid(), 'handoff', 'all', docket, jsonb_build_object('n', n) from notice`,
      [admission?.docket],
    );
    const limits = { leaseMs: 60_000, count: 10 };
    const taken = await Promise.all(
      [session, other].map((one) => takeManualNotices(one, tenant, limits)),
    );
    expect(taken.flat()).toMatchObject([{ attempt: 2 }]);
  });
});
