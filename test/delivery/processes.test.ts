import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Reckoning } from '../../sim/chaos/reckoning.ts';
import { systemProcesses } from '../../src/lanes/live/processes.ts';
import { isMarked } from '../../src/lanes/live/worker-mark.ts';
import { build } from '../fixtures/built-tree.ts';
import { type Child, spawnCommand, spawnWorker } from './children.ts';
import { gateway } from './gateway.ts';
import { type Server, startServer } from './server.ts';
import { LEASE_MS, NO_KEYS, quickProfile, Stage } from './stage.ts';
import { pass, until } from './waiting.ts';

const DE = 'US-DE';
const NY = 'US-NY';
const STEADY = { '*': { latencyMs: { mean: 40, spread: 10 } } };
let server: Server;
let stage: Stage;
const children: Child[] = [];

beforeAll(async () => {
  build();
  server = await startServer();
});
afterEach(async () => {
  for (const child of children.splice(0)) await child.kill();
  await stage.close();
});
afterAll(async () => {
  await server.close();
});

function start(leaseMs = LEASE_MS): Child {
  const child = spawnWorker({ server, stage, leaseMs });
  children.push(child);
  return child;
}

/** The reckoning is of a stage at rest: a worker that still runs may have a fact under way to the ledger. */
async function reckonAtRest(): Promise<Reckoning> {
  for (const child of children) child.signal('SIGTERM');
  await Promise.all(children.map((child) => child.exit));
  return stage.reckon();
}

/** Live slots by process. */
async function slotsOf(child: { readonly pid: number }): Promise<number> {
  return stage.evidence.count(
    `lane_slot s join worker w on w.tenant = s.tenant and w.id = s.holder
     where s.tenant = $1 and w.pid = $2 and w.ended_at is null and s.expires_at > clock_timestamp()`,
    [stage.app.tenant, child.pid],
  );
}

describe('processes that share lanes', () => {
  it('keep the ceilings, let a third one in, and use the slots of a killed one within 10 s', async () => {
    stage = await Stage.set(
      server,
      [quickProfile(NY, { ceiling: 6 }), quickProfile(DE, { ceiling: 3, ...NO_KEYS })],
      STEADY,
    );
    await stage.feed(NY, 1_000);
    await stage.feed(DE, 300);
    const [first, second] = [start(), start()];
    await until(async () => (await slotsOf(first)) > 3 && (await slotsOf(second)) > 3);
    const third = start();
    await until(async () => (await slotsOf(third)) >= 3);
    await second.kill();
    const killedMs = performance.now();
    await until(async () => (await slotsOf(first)) + (await slotsOf(third)) === 9);
    expect(performance.now() - killedMs).toBeLessThan(10_000);
    expect(await stage.count('pending')).toBeGreaterThan(0);
    await stage.untilDone();
    expect((await reckonAtRest()).ends).toEqual({ accepted: 1_300 });
  });
});

describe('a worker killed while a portal slower than its lease is at work', () => {
  it('leaves a slot that rests until the portal is done, and one acceptance', async () => {
    const leaseMs = 1_200;
    const slow = { timeoutMs: 5_000, longestServiceMs: 4_000, ceiling: 1, ...NO_KEYS };
    stage = await Stage.set(server, [quickProfile(DE, slow)], {
      [DE]: { latencyMs: { mean: 3 * leaseMs, spread: 0 } },
    });
    const truth = stage.simulator.truth(DE);
    await stage.feed(DE, 1);
    const doomed = start(leaseMs);
    await until(() => truth.inFlight === 1);
    await stage.worker({ settings: { leaseMs }, processes: systemProcesses() });
    await doomed.kill();
    await stage.untilDone();
    // The question about it took the slot too, and only after the rest: the ceiling is one request of any kind.
    expect((await reckonAtRest()).ends).toEqual({ accepted: 1 });
    expect(truth.requests.submit).toBe(1);
    expect(truth.requests.status).toBeGreaterThan(0);
  });
});

/**
 * The adversary writes rows and has no other right: a row that names an innocent process, with its true start time and with
 * whatever can be read of other rows, must not have it killed.
 */
describe('a forged row of a worker', () => {
  async function forge(pid: number, startedAt: string): Promise<void> {
    const { host } = systemProcesses();
    await stage.evidence.read(
      `insert into worker (tenant, id, host, pid, pid_started_at, expires_at)
       values ($1, nextval('worker_fence'), $2, $3, $4, clock_timestamp() - interval '1 hour')
       returning id`,
      [stage.app.tenant, host, pid, startedAt],
    );
  }

  it.each([
    ['another program', ['sleep', '60']],
    ['the same program', [process.execPath, '-e', 'setInterval(() => {}, 1000)']],
  ] as const)('does not end %s of the same user', async (_name, [program, ...args]) => {
    stage = await Stage.set(server, [quickProfile(DE, { ceiling: 2 })], STEADY);
    const innocent = spawn(program, args, { stdio: 'ignore' });
    const { pid = 0 } = innocent;
    await until(() => existsSync(`/proc/${pid}/stat`));
    const start = (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? '').split(' ')[19];
    const [, mark = ''] = systemProcesses().self.startedAt.split('+');
    expect(mark).toMatch(/^[0-9a-f]{32}$/);
    await forge(pid, String(start));
    await forge(pid, `${start}+${mark}`);
    const seen: string[] = [];
    const log = { write: ({ event }: { readonly event: string }) => void seen.push(event) };
    await stage.worker({ processes: systemProcesses(), log });
    await until(() => seen.filter((event) => event === 'worker.not_ended').length === 2);
    await pass(LEASE_MS);
    expect(innocent.exitCode ?? innocent.signalCode).toBeNull();
    innocent.kill('SIGKILL');
  });

  it('does not end a worker of another mark', async () => {
    stage = await Stage.set(server, [quickProfile(DE, { ceiling: 2 })], STEADY);
    const child = start();
    await until(async () => (await slotsOf(child)) > 0);
    const [row] = await stage.evidence.read('select pid_started_at from worker where pid = $1', [
      child.pid,
    ]);
    const [startTime] = String(row?.['pid_started_at']).split('+');
    expect(isMarked(child.pid, String(row?.['pid_started_at']).split('+')[1] ?? '')).toBe(true);
    expect(isMarked(child.pid, '0'.repeat(32))).toBe(false);
    expect(await systemProcesses().end(child.pid, `${startTime}+${'0'.repeat(32)}`)).toBe(false);
    expect(systemProcesses().isRunning(child.pid, String(startTime))).toBe(true);
  });
});

describe('a stopped process (SIGSTOP)', () => {
  it('is ended before its slots are used again on the same host', async () => {
    stage = await Stage.set(server, [quickProfile(DE, { ceiling: 4, ...NO_KEYS })], STEADY);
    await stage.feed(DE, 400);
    const zombie = start();
    await until(async () => (await slotsOf(zombie)) === 4);
    await stage.worker({ processes: systemProcesses() });
    await until(async () => (await slotsOf(process)) === 2);
    zombie.signal('SIGSTOP');
    expect(await zombie.exit).toBe('SIGKILL');
    await until(async () => (await slotsOf(process)) === 4);
    expect(await stage.count('pending')).toBeGreaterThan(0);
    await stage.untilDone();
    expect((await reckonAtRest()).ends).toEqual({ accepted: 400 });
  });

  it('that wakes after its lease sends nothing under it, and works on under a new one', async () => {
    // Its answers are read when it wakes, and what was claimed ahead would be sent next.
    const patient = { ceiling: 4, timeoutMs: 20_000, ...NO_KEYS };
    stage = await Stage.set(server, [quickProfile(DE, patient)], STEADY);
    await stage.feed(DE, 700);
    const zombie = start();
    await until(async () => (await slotsOf(zombie)) === 4);
    // On another host nobody can end it: only its own deadline and the longer rest of its slots protect the portal.
    await stage.worker();
    await until(async () => (await slotsOf(zombie)) === 2);
    zombie.signal('SIGSTOP');
    // Until the other one has settled and sent what the zombie held.
    await pass(LEASE_MS * 2.5);
    zombie.signal('SIGCONT');
    await until(async () => (await slotsOf(zombie)) > 0);
    await stage.untilDone();
    expect((await reckonAtRest()).ends).toEqual({ accepted: 700 });
  });
});

describe('SIGTERM', () => {
  it('drains: answers recorded, unsent intents given back, slots released, exit code 0', async () => {
    // Patient, so that on a busy machine an answer that comes late is still an answer.
    const patient = { ceiling: 2, timeoutMs: 10_000 };
    stage = await Stage.set(server, [quickProfile(DE, patient)], {
      [DE]: { latencyMs: { mean: 300, spread: 0 } },
    });
    const { app, evidence, simulator } = stage;
    const truth = simulator.truth(DE);
    await stage.feed(DE, 40);
    const worker = spawnCommand({ server, stage });
    children.push(worker);
    await until(() => truth.summary().accepted > 4 && truth.inFlight === 2);
    worker.signal('SIGTERM');
    expect(await worker.exit).toBe(0);

    expect(truth.inFlight).toBe(0);
    expect(await stage.count('submitted')).toBe(0);
    expect(await stage.count('accepted')).toBe(truth.summary().accepted);
    expect(await stage.count('pending')).toBe(40 - truth.summary().accepted);
    const { tenant } = app;
    expect(await evidence.count('filing where tenant = $1 and holder is not null', [tenant])).toBe(
      0,
    );
    expect(
      await evidence.count('lane_slot where tenant = $1 and holder is not null', [tenant]),
    ).toBe(0);
    expect(await evidence.count('worker where tenant = $1 and ended_at is null', [tenant])).toBe(0);
    const unsent = await evidence.count(`outcome where tenant = $1 and verdict = 'unsent'`, [
      tenant,
    ]);
    expect(unsent).toBeGreaterThan(0);
  });

  it('does not wait for a slot at rest', async () => {
    const slow = { ceiling: 2, longestServiceMs: 60_000 };
    stage = await Stage.set(server, [quickProfile(DE, slow)], {
      [DE]: { schedule: [{ fault: 'accept_then_cut', request: 1 }] },
    });
    await stage.feed(DE, 20);
    const worker = spawnCommand({ server, stage });
    children.push(worker);
    await until(async () => (await stage.count('accepted')) > 15);
    worker.signal('SIGTERM');
    expect(await Promise.race([worker.exit, pass(5_000)])).toBe(0);
    // The portal may still be at work for the one that was cut off.
    const { tenant } = stage.app;
    const resting = await stage.evidence.count(
      'lane_slot where tenant = $1 and holder is not null',
      [tenant],
    );
    expect(resting).toBe(1);
  });

  it.each(['rejected_422', 'error_503'])(
    'ends a worker whose database is away with %s to record',
    async (fault) => {
      stage = await Stage.set(server, [quickProfile(DE, { ceiling: 2 })], {
        [DE]: { latencyMs: { mean: 200, spread: 0 }, faults: { [fault]: 1 } },
      });
      await stage.feed(DE, 40);
      const gate = await gateway(server.target);
      const databaseUrl = `postgres://${gate.target.user}@127.0.0.1:${gate.target.port}/postgres`;
      const worker = spawnWorker({ server, stage, leaseMs: LEASE_MS, databaseUrl });
      children.push(worker);
      await until(() => stage.simulator.truth(DE).inFlight === 2);
      gate.shut();
      worker.signal('SIGTERM');
      expect(await Promise.race([worker.exit, pass(8_000)])).toBe(0);
      await gate.close();
    },
  );
});
