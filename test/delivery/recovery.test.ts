/** A portal on its way back, with real processes and people: who is told, who may say what, and what survives. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { approveLane, hurryLane } from '../../src/filings/acts/lane-recovery.ts';
import { type Server, startServer } from './server.ts';
import { quickProfile, Stage } from './stage.ts';
import { until } from './waiting.ts';

const DE = 'US-DE';
const REASON = 'the portal answers again';

let server: Server;
let stage: Stage;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => server?.close());
afterEach(async () => stage?.close());

const runState = async () => (await stage.lane(DE)).recovery?.run.state;
const submissions = (): number => stage.simulator.truth(DE).requests.submit;

/** Keys are honoured, and nobody can be asked: nothing shows that it is well again. */
async function mute(): Promise<void> {
  const { status: _status, ...profile } = quickProfile(DE, { ceiling: 2 });
  stage = await Stage.set(server, [profile], { [DE]: { faults: { http_423: 1 } } });
}

/** The types of the lane's facts, in order. */
async function facts(): Promise<string[]> {
  const rows = await stage.evidence.read(
    `select type from (select seq, convert_from(bytes, 'UTF8')::jsonb as entry from ledger_entry where tenant = $1) e,
       lateral (select entry->>'type' as type) t
     where type like 'recovery.%' order by seq`,
    [stage.app.tenant],
  );
  return rows.map(({ type }) => String(type));
}

describe('a portal that cannot show that it is well', () => {
  it('waits for an approval that people are asked for at once; no one resets it blindly, and the person who hurries it does not approve it', async () => {
    await mute();
    await stage.feed(DE, 12);
    const first = await stage.worker();
    await until(async () => (await stage.lane(DE)).breaker.state === 'open');
    await expect(stage.change(DE, { kind: 'resumed_by_person' })).rejects.toThrow(
      /resumes after its checks/,
    );
    await hurryLane(stage.app, stage.person, DE);
    stage.simulator.behave(DE, { faults: {} });
    await until(async () => (await runState()) === 'awaiting_approval');
    const alerts = await stage.evidence.read(
      `select subject, severity from alert where tenant = $1 and kind = 'recovery_waits'`,
      [stage.app.tenant],
    );
    expect(alerts).toEqual([{ subject: DE, severity: 'critical' }]);
    // A restart changes nothing: it still waits, and nothing is sent.
    const sent = submissions();
    await first.stop();
    await stage.worker();
    const approval = { lane: DE, reason: REASON };
    await expect(approveLane(stage.app, stage.person, approval)).rejects.toThrow(
      /a second person must approve/,
    );
    expect([await runState(), submissions()]).toEqual(['awaiting_approval', sent]);
    // Nor by SQL past the act, whatever of it is written.
    const { tenant, session } = stage.app;
    for (const state of [
      `state - 'recovery'`,
      `jsonb_set(state, '{recovery,hurriedBy}', '[]')`,
      `jsonb_set(state, '{recovery,run}', '{"state":"checking","step":"drain","since":0,"nextAt":0}')`,
    ]) {
      const text = `update lane set state = ${state} where tenant = $1 and code = $2`;
      await expect(session.run({ name: '', text }, [tenant, DE])).rejects.toMatchObject({
        constraint: 'recovery_agreed',
      });
    }
    await approveLane(stage.app, stage.approver, approval);
    await stage.untilDone();
    expect((await stage.lane(DE)).recovery).toBeUndefined();
    expect((await stage.reckon()).ends).toEqual({ accepted: 12 });
    const agreed = await stage.evidence.read(
      `select state, proposed_by, decided_by from proposal where tenant = $1 and kind = 'recovery'`,
      [tenant],
    );
    const [by, second] = [stage.person.id, stage.approver.id];
    expect(agreed).toEqual([{ state: 'approved', proposed_by: by, decided_by: second }]);
    const said = await facts();
    expect([said[0], said.at(-1)]).toEqual(['recovery.started', 'recovery.closed']);
    // Two probes, the hurry and the approval at least.
    expect(said.filter((type) => type === 'recovery.step').length).toBeGreaterThanOrEqual(4);
  });

  it('takes no approval before it waits for one', async () => {
    await mute();
    stage.simulator.behave(DE, { faults: { http_423: 1 }, health: 'bad' });
    await stage.feed(DE, 6);
    await stage.worker();
    await until(async () => (await runState()) === 'probing');
    const approval = approveLane(stage.app, stage.approver, { lane: DE, reason: REASON });
    await expect(approval).rejects.toThrow(/needs no approval/);
  });
});

describe('two workers', () => {
  it('recover one portal together: one synthetic filing, taken over from a worker that dies', async () => {
    const synthetic = { payload: { registry_number: 'TEST', synthetic: true } };
    stage = await Stage.set(server, [quickProfile(DE, { ceiling: 2, synthetic })], {
      [DE]: { faults: { http_423: 1 } },
    });
    await stage.feed(DE, 8);
    const workers = [await stage.worker(), await stage.worker()];
    await until(async () => (await runState()) === 'probing');
    stage.simulator.behave(DE, { faults: {} });
    await workers[0]?.stop();
    await stage.untilDone();
    const { log } = stage.simulator.truth(DE);
    const tests = [...log.entries()].filter(
      ({ endpoint, key }) => endpoint === 'submit' && key.startsWith('recovery-'),
    );
    expect(tests).toHaveLength(1);
    expect(await stage.count('accepted')).toBe(8);
  });
});
