/** The walls of the database around dockets, and what processes share through it. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { instant } from '../../src/core/time.ts';
import { changeBreakers } from '../../src/dockets/store/breakers.ts';
import { leaseDueRuns, startRun } from '../../src/dockets/store/recovery.ts';
import { lockDueDockets } from '../../src/dockets/store/steps.ts';
import { Session } from '../../src/postgres/session.ts';
import { takeManualNotices } from '../../src/dockets/store/handoffs.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { Stage } from './stage.ts';

let server: Server;
let stage: Stage;
let other: Session;
beforeAll(async () => {
  server = await startServer();
}, 60_000);
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
  target: 'team',
  state: { state: 'closed', failures: 1 },
  ver: 0,
  logVer: 0,
} as const;

describe('a breaker', () => {
  it('is changed by one of two who read the same version, first and later', async () => {
    await set();
    const { tenant, session } = stage.app;
    for (const ver of [0, 1]) {
      const both = await Promise.all(
        [session, other].map((one) =>
          one.transaction((run) => changeBreakers(run, tenant, [{ ...BREAKER, ver }])),
        ),
      );
      expect(both.filter((done) => done)).toHaveLength(1);
    }
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
      'docket_breaker',
      'routing_setup',
      'recovery_run',
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
          target: 'team',
          mode: 'automatic',
          phase: 'probing',
          nextAt: instant(0),
          baseline: {},
          state: {},
        }),
      );
    expect([await start(), await start()]).toEqual([true, false]);
    const leases = await Promise.all(
      [session, other].map((one) =>
        leaseDueRuns(one, tenant, { holder: ids.next(), leaseMs: 60_000, count: 10 }),
      ),
    );
    expect(leases.map((runs) => runs.length).toSorted((a, b) => a - b)).toEqual([0, 1]);
  });
});

describe('a notice of the manual tier', () => {
  it('whose process died is taken by one other when its lease is over', async () => {
    await set();
    const { tenant, session } = stage.app;
    const [admission] = await stage.feed(1);
    await stage.read(
      `insert into docket_handoff (tenant, docket, n, handoff, tier, target, party, attempt, hop, dates, retry_at)
       values ($1, $2, 1, 'h', 'MANUAL', 'desk', 'hart', 1, '{}', '{}', now() - interval '1 second')`,
      [admission?.docket],
    );
    const limits = { leaseMs: 60_000, count: 10 };
    const taken = await Promise.all(
      [session, other].map((one) => takeManualNotices(one, tenant, limits)),
    );
    expect(taken.flat()).toMatchObject([{ attempt: 2 }]);
  });
});
