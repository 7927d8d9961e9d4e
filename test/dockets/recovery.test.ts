/** The way back of a real endpoint, step by step, each with its failure. */
import { foundUser } from '../../src/oversight/acts/users.ts';
import { OPERATOR } from '../operator.ts';
import { asActor } from '../../src/access/acting.ts';
import { partyOfNew } from '../../src/access/party.ts';
import { docketId, type PersonId, targetId } from '../../src/core/index.ts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SaturationGauge } from '../../src/dockets/brokers/saturation.ts';
import { FilewrightError } from '../../src/core/errors.ts';
import { NO_GLIMPSE } from '../../src/dockets/rules/docket/docket.ts';
import { readDocketRow } from '../../src/dockets/rules/docket/read-row.ts';
import {
  approveRun,
  listBreakers,
  moveRecovery,
  recoveriesSeenBy,
} from '../../src/dockets/routing/recovery-acts.ts';
import { importDockets } from '../../src/dockets/routing/intake.ts';
import { reviewDocketDifferences } from '../../src/dockets/routing/differences.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { pass, until } from '../delivery/waiting.ts';
import { REJECTION, Stage } from './stage.ts';
import { ANY_PRIVATE } from '../../src/wire/private-networks.ts';

let server: Server;
let stage: Stage;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => server?.close());
afterEach(async () => stage?.close());

const TEAM = targetId('team');
const ACTOR = { kind: 'user', id: 'hart' } as const;

async function breaker(): Promise<string> {
  const found = (await listBreakers(stage.parts)).find(({ target }) => target === 'team');
  return found?.breaker.state ?? 'closed';
}

async function status() {
  const [run] = await recoveriesSeenBy(stage.parts, await stage.viewer(), { target: TEAM });
  return run;
}

/** The team's endpoint fails until its breaker is open; the dockets go to the lead. */
async function breakPrimary(options: Parameters<Stage['router']>[0] = {}): Promise<void> {
  const { PRIMARY } = stage.endpoints;
  PRIMARY.mode = { kind: 'status', status: 500 };
  PRIMARY.health = 500;
  await stage.feed(3);
  await stage.router(options);
  await until(async () => (await stage.confirmed()) === 3);
  await until(async () => (await breaker()) === 'open');
}

function repair(): void {
  const { PRIMARY } = stage.endpoints;
  PRIMARY.mode = { kind: 'well' };
  PRIMARY.health = 200;
}

/** Waits until the step has been judged so. */
async function judged(step: string, verdict: string): Promise<void> {
  await until(async () => {
    const { evidence = [] } = (await status()) ?? {};
    return evidence.some((one) => one.step === step && one.verdict === verdict);
  });
}

describe('a target that failed', () => {
  it('comes back through every step, with its evidence, and takes dockets again', async () => {
    stage = await Stage.set(server);
    await breakPrimary();
    expect(await status()).toMatchObject({ state: { state: 'probing' }, mode: 'automatic' });
    repair();
    await until(async () => (await breaker()) === 'closed');
    const run = await status();
    const good = run?.evidence.filter(({ verdict }) => verdict === 'good').map(({ step }) => step);
    expect(good?.slice(-6)).toEqual([
      'health',
      'health',
      'schema',
      'drain',
      'reconciliation',
      'synthetic',
    ]);
    expect(stage.endpoints.PRIMARY.synthetics).toHaveLength(1);
    // What went by the fallback is listed for review within two hours.
    expect(run?.differences.map(({ kind, flag }) => `${kind} ${flag}`)).toEqual(
      Array.from({ length: 3 }, () => 'missing MANUAL_ESCALATION_REQUIRED'),
    );
    const [difference] = run?.differences ?? [];
    expect((difference?.reviewBy ?? 0) - (difference?.foundAt ?? 0)).toBeGreaterThan(7_190_000);
    await stage.feed(1, { application_number: '18/777777' });
    await until(async () => (await stage.confirmed()) === 4);
    expect(stage.endpoints.PRIMARY.counts().size).toBe(1);
    const types = (await stage.facts()).map(({ type }) => type);
    const breakers = types.filter((type) => type.startsWith('breaker.'));
    expect(breakers.at(0)).toBe('breaker.opened');
    expect(breakers.at(-1)).toBe('breaker.closed');
    expect(types).toContain('recovery.closed');
    expect(await stage.isLedgerSound()).toBe(true);
  });

  it('stays out while its sample does not fit the schema', async () => {
    stage = await Stage.set(server);
    await breakPrimary();
    const { filing_date, ...drifted } = REJECTION;
    stage.endpoints.PRIMARY.sample = {
      status: 200,
      body: JSON.stringify({ ...drifted, date_filed: filing_date }),
    };
    repair();
    await judged('schema', 'bad');
    expect(await breaker()).not.toBe('closed');
    stage.endpoints.PRIMARY.sample = { status: 200, body: JSON.stringify(REJECTION) };
    await until(async () => (await breaker()) === 'closed');
  });

  it('comes back whatever the records looked like that went past it: rows of a table, drifted ones, no JSON at all', async () => {
    stage = await Stage.set(server);
    const { event_code: _gone, ...drifted } = REJECTION;
    const feed = (payload: Uint8Array, reading: ReturnType<typeof readDocketRow>) =>
      importDockets(stage.parts, [
        { payload, contentType: 'text/csv', source: 'test.csv', reading },
      ]);
    for (const application_number of ['18/1', '18/2', '18/3']) {
      const table = `application_number,filing_date,event_code\r\n${application_number},2024-03-11,CTNF\r\n`;
      await feed(Buffer.from(table), readDocketRow({ ...REJECTION, application_number }));
    }
    await feed(Buffer.from(JSON.stringify(drifted)), readDocketRow(drifted));
    await feed(Buffer.from('%PDF-1.7'), { kind: 'refused', errors: [], glimpse: NO_GLIMPSE });
    stage.endpoints.PRIMARY.mode = { kind: 'status', status: 500 };
    stage.endpoints.PRIMARY.health = 500;
    await stage.router();
    await until(async () => (await breaker()) === 'open');
    repair();
    await until(async () => (await breaker()) === 'closed');
    const schema = (await status())?.evidence.filter(({ step }) => step === 'schema');
    expect(schema?.map(({ verdict }) => verdict)).toEqual(['good']);
  });

  it('that gave two receipts for one docket needs a person, and can recover', async () => {
    stage = await Stage.set(server);
    await breakPrimary();
    const [row] = await stage.read('select id from docket where tenant = $1 order by id limit 1');
    // As two routers leave it when the first answer comes long after the second.
    await stage.read(
      `insert into docket_handoff (tenant, docket, n, handoff, tier, target, party, attempt, hop, dates, ended_at, outcome, receipt)
       select tenant, docket, 90 + k, handoff, 'PRIMARY', 'team', 'team', k, hop, dates, now(), 'confirmed', 'R-' || k
       from docket_handoff, generate_series(1, 2) k where tenant = $1 and docket = $2 and n = 1`,
      [row?.['id']],
    );
    repair();
    await until(async () => (await status())?.state.state === 'awaiting_approval');
    const run = await status();
    expect(run?.state).toMatchObject({ reasons: ['1 twice'] });
    expect(run?.evidence.findLast(({ step }) => step === 'drain')?.evidence).toMatchObject({
      duplicates: 1,
    });
    await approveRun(stage.parts, TEAM, ACTOR, { reason: 'one was struck out by hand' });
    await until(async () => (await breaker()) === 'closed');
  });

  it('that more dockets went past than are compared needs a person for the rest', async () => {
    stage = await Stage.set(server);
    await breakPrimary({ recovery: { everyMs: 50, comparedMax: 2 } });
    repair();
    await until(async () => (await status())?.state.state === 'awaiting_approval');
    const run = await status();
    expect(run?.state).toMatchObject({ reasons: ['2 compared, which is the limit'] });
    expect(run?.differences).toHaveLength(2);
  });

  it('waits until a queue has drained to its baseline', async () => {
    stage = await Stage.set(server);
    let backlog = 0;
    const gauge: SaturationGauge = {
      measure: () => Promise.resolve({ kind: 'measured', backlog, lagMs: 0, evidence: {} }),
      close: () => Promise.resolve(),
    };
    await breakPrimary({ queues: [{ queue: 'intake', target: TEAM, gauge }] });
    backlog = 500;
    repair();
    await judged('drain', 'wait');
    expect(await breaker()).toBe('half_open');
    backlog = 3;
    await until(async () => (await breaker()) === 'closed');
  });

  it('is not kept out by the queue of another target', async () => {
    stage = await Stage.set(server);
    let backlog = 0;
    const gauge: SaturationGauge = {
      measure: () => Promise.resolve({ kind: 'measured', backlog, lagMs: 0, evidence: {} }),
      close: () => Promise.resolve(),
    };
    const queues = [
      { queue: 'intake', gauge },
      { queue: 'lead', target: targetId('lead'), gauge },
    ];
    await breakPrimary({ queues });
    backlog = 50_000;
    repair();
    await until(async () => (await breaker()) === 'closed');
  });

  it('that holds other bytes than we sent needs a person, who must say why', async () => {
    stage = await Stage.set(server);
    await breakPrimary();
    const [row] = await stage.read('select id from docket where tenant = $1 order by id limit 1');
    const id = docketId(String(row?.['id']));
    stage.endpoints.PRIMARY.records = [{ message_id: id, payload_sha256: 'ee'.repeat(32) }];
    repair();
    await until(async () => (await status())?.state.state === 'awaiting_approval');
    expect(await breaker()).toBe('half_open');
    expect((await status())?.differences.map(({ kind }) => kind).toSorted()).toEqual([
      'differs',
      'missing',
      'missing',
    ]);
    // Each is told at once, by the name of the target, and not when two hours are over.
    const told = await stage.read(
      `select kind, subject from alert where tenant = $1 and docket is null order by kind`,
    );
    expect(told).toEqual([
      { kind: 'recovery_differences', subject: 'team' },
      { kind: 'recovery_waits', subject: 'team' },
      { kind: 'target_failing', subject: 'team' },
    ]);
    await expect(approveRun(stage.parts, TEAM, ACTOR, { reason: 'ok' })).rejects.toMatchObject({
      code: 'USAGE',
    });
    await approveRun(stage.parts, TEAM, ACTOR, {
      reason: 'compared by hand, a test record',
    });
    await until(async () => (await breaker()) === 'closed');
    // Reviewed by a person, a difference is told no more.
    expect(await reviewDocketDifferences(stage.parts, await stage.viewer(), id)).toBe(1);
    expect(await reviewDocketDifferences(stage.parts, await stage.viewer(), id)).toBe(0);
    await expect(
      approveRun(stage.parts, TEAM, ACTOR, { reason: 'compared by hand again' }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('whose synthetic transaction fails is open again', async () => {
    stage = await Stage.set(server);
    await breakPrimary();
    stage.endpoints.PRIMARY.synthetic = { kind: 'status', status: 500 };
    repair();
    await judged('synthetic', 'bad');
    expect(await breaker()).not.toBe('closed');
    stage.endpoints.PRIMARY.synthetic = { kind: 'well' };
    await until(async () => (await breaker()) === 'closed');
  });

  it('by hand waits for an approval at the end, even when all is well', async () => {
    stage = await Stage.set(server);
    const [hart, moreau] = [
      await foundUser(stage.app, OPERATOR, 'Judith Hart'),
      await foundUser(stage.app, OPERATOR, 'Claire Moreau'),
    ];
    const first = { kind: 'user', id: hart.id } as const;
    const as = <T>({ id }: { readonly id: PersonId }, work: () => Promise<T>): Promise<T> =>
      asActor({ kind: 'person', id, name: '', party: partyOfNew(id, []), roles: [] }, work);
    await breakPrimary();
    await as(hart, () => moveRecovery(stage.parts, TEAM, first));
    repair();
    await until(async () => (await status())?.state.state === 'awaiting_approval');
    const approval = { reason: 'looked at the endpoint' };
    await expect(
      as(hart, () => approveRun(stage.parts, TEAM, first, approval)),
    ).rejects.toMatchObject({ code: 'SELF_APPROVAL' });
    // Nor by SQL past the act.
    for (const change of [
      `mode = 'automatic'`,
      `phase = 'closed'`,
      `state = '{"state":"checking","step":"synthetic"}'`,
    ]) {
      const text = `update recovery_run set ${change} where tenant = $1`;
      await expect(
        stage.parts.session.run({ name: '', text }, [stage.parts.tenant]),
      ).rejects.toMatchObject({ constraint: 'recovery_agreed' });
    }
    const second = { kind: 'user', id: moreau.id } as const;
    await as(moreau, () => approveRun(stage.parts, TEAM, second, approval));
    await until(async () => (await breaker()) === 'closed');
  });

  it('is asked by one process at a time, and by none while a lease holds', async () => {
    stage = await Stage.set(server);
    await breakPrimary();
    await stage.router();
    await stage.router();
    const { PRIMARY } = stage.endpoints;
    const from = PRIMARY.healthAsked.length;
    await until(() => PRIMARY.healthAsked.length >= from + 3);
    await stage.stopRouters();
    // Each question has its evidence: none was asked beside another.
    const asked = await stage.count(`recovery_evidence where tenant = $1 and step = 'health'`);
    expect(PRIMARY.healthAsked.length).toBe(asked);
    const gaps = PRIMARY.healthAsked.slice(1).map((at, n) => at - (PRIMARY.healthAsked[n] ?? 0));
    // After the cool-down at the pace of probes, and never faster.
    expect(Math.min(...gaps)).toBeGreaterThan(120);
    // A holder that died keeps the probe until its lease ends, and no longer.
    await stage.read(
      `update work set tries = tries + 1, next_at = clock_timestamp() + interval '1500 milliseconds'
       where tenant = $1 and kind = 'recovery' and state = 'pending'`,
    );
    const before = PRIMARY.healthAsked.length;
    const leasedAt = performance.now();
    await stage.router();
    await pass(500);
    expect(PRIMARY.healthAsked.length).toBe(before);
    await until(() => PRIMARY.healthAsked.length > before);
    expect(performance.now() - leasedAt).toBeGreaterThan(1_300);
  });

  it('has differences that are reported again when their two hours are over', async () => {
    stage = await Stage.set(server);
    await breakPrimary();
    repair();
    await until(async () => (await breaker()) === 'closed');
    await stage.read(`update recovery_difference set review_by = now() where tenant = $1`);
    await until(
      async () =>
        (await stage.count(
          `alert where tenant = $1 and kind = 'recovery_difference_overdue' and severity = 'critical'`,
        )) === 3,
      10_000,
    );
  });

  it('that cannot even be asked is not recovered, says why, and keeps nothing else from being reported', async () => {
    stage = await Stage.set(server);
    let isReadable = true;
    const credentials = async ({ id }: { readonly id: string }) => {
      if (isReadable || id !== 'team') return {};
      throw new FilewrightError('CREDENTIAL_UNREADABLE', 'Expected it to hold a token on one line');
    };
    await breakPrimary({ transport: { allowPrivateAddresses: () => ANY_PRIVATE, credentials } });
    repair();
    await until(async () => (await breaker()) === 'closed');
    isReadable = false;
    await stage.feed(3, { event_code: 'CTFR' });
    await until(async () => (await breaker()) !== 'closed');
    await judged('health', 'bad');
    expect((await status())?.evidence.at(-1)).toMatchObject({
      step: 'health',
      evidence: { why: 'the check could not run: CREDENTIAL_UNREADABLE' },
    });
    await stage.read(`update recovery_difference set review_by = now() where tenant = $1`);
    const overdue = `alert where tenant = $1 and kind = 'recovery_difference_overdue'`;
    await until(async () => (await stage.count(overdue)) === 3);
    isReadable = true;
    await until(async () => (await breaker()) === 'closed');
  });
});
