import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runBatch } from '../../src/filings/acts/batches.ts';
import { createFilewright } from '../../src/app.ts';
import { batchId } from '../../src/core/ids.ts';
import type { Clock, Processes } from '../../src/core/ports.ts';
import { instant } from '../../src/core/time.ts';
import { systemClock } from '../../src/system/clock.ts';
import { cuttingProxy } from '../fixtures/cutting-proxy.ts';
import { gateway } from './gateway.ts';
import { type Server, startServer } from './server.ts';
import { LEASE_MS, NO_KEYS, quickProfile, Stage } from './stage.ts';
import { pass, until } from './waiting.ts';
import { OPERATOR } from '../operator.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';

const DE = 'US-DE';
/** So that there is work left, and some of it under way, when the database goes. */
const SLOW = { '*': { latencyMs: { mean: 60, spread: 20 } } };
let server: Server;
let stage: Stage | undefined;

beforeAll(async () => {
  server = await startServer();
});
afterEach(async () => {
  await stage?.close();
  stage = undefined;
});
afterAll(async () => {
  await server.close();
});

describe('a connection cut in COMMIT', () => {
  it('loses nothing, sends nothing twice and leaves one intent for each filing', async () => {
    // Not about time-outs: a question after one would be another attempt.
    const timeoutMs = 10_000;
    stage = await Stage.set(server, [quickProfile(DE, { ceiling: 4, timeoutMs, ...NO_KEYS })]);
    const { simulator, evidence, app } = stage;
    await stage.feed(DE, 120);
    const proxy = await cuttingProxy(server.target);
    const worker = await stage.worker({ target: proxy.target, settings: { leaseMs: 5_000 } });
    for (let cuts = 0; cuts < 8; cuts += 1) {
      proxy.loseAnswerOf('tick');
      await until(() => proxy.cuts() > cuts);
    }
    await stage.untilDone();
    await worker.stop();
    await proxy.close();

    const { ends } = await stage.reckon();
    expect(ends).toEqual({ accepted: 120 });
    expect(simulator.truth(DE).requests.submit).toBe(120);
    const attempts = await evidence.count('attempt where tenant = $1', [app.tenant]);
    expect(attempts).toBe(120);
  });
});

describe('a database that is away for longer than the lease', () => {
  it('is waited out: the worker registers anew and finishes', async () => {
    stage = await Stage.set(
      server,
      [quickProfile(DE, { ceiling: 2 }), quickProfile('US-WY', { ceiling: 2, ...NO_KEYS })],
      SLOW,
    );
    const { evidence, app } = stage;
    await stage.feed(DE, 60);
    await stage.feed('US-WY', 60);
    const gate = await gateway(server.target);
    const worker = await stage.worker({ target: gate.target });
    await until(async () => (await stage?.count('accepted')) !== 0);
    gate.shut();
    await pass(LEASE_MS * 1.5);
    gate.open();
    await stage.untilDone();
    await worker.stop();
    await gate.close();

    const { ends } = await stage.reckon();
    expect(ends).toEqual({ accepted: 120 });
    expect(await evidence.count('worker where tenant = $1', [app.tenant])).toBe(2);
  });

  it('is waited out by a batch run too, which then ends by itself', async () => {
    stage = await Stage.set(server, [quickProfile(DE, { ceiling: 2 })], SLOW);
    await stage.feed(DE, 60);
    const { tenant } = stage.app;
    const { dataDirectory } = server;
    const gate = await gateway(server.target);
    const databaseUrl = `postgres://${gate.target.user}@127.0.0.1:${gate.target.port}/postgres`;
    const app = await createFilewright({
      dataDirectory,
      databaseUrl,
      tenant,
      environment: OWN_MACHINE,
    });
    const [batch] = await stage.evidence.read('select id from batch where tenant = $1', [tenant]);
    const run = runBatch(app, OPERATOR, batchId(String(batch?.['id'])), {
      signal: new AbortController().signal,
      settings: { leaseMs: LEASE_MS },
    });
    await until(async () => (await stage?.count('accepted')) !== 0);
    gate.shut();
    await pass(LEASE_MS * 1.5);
    gate.open();
    expect((await run).counts).toMatchObject([{ accepted: 60 }]);
    await app.close();
    await gate.close();
    expect((await stage.reckon()).ends).toEqual({ accepted: 60 });
  });

  it('does not make the workers of a host end each other', async () => {
    stage = await Stage.set(server, [quickProfile(DE, { ceiling: 4 })], SLOW);
    await stage.feed(DE, 100);
    const ended: number[] = [];
    const processOf = (pid: number): Processes => ({
      host: 'shared',
      self: { pid, startedAt: 'test' },
      isRunning: () => true,
      end: (other) => {
        ended.push(other);
        return Promise.resolve(true);
      },
    });
    const gate = await gateway(server.target);
    const { target } = gate;
    const workers = [
      await stage.worker({ target, processes: processOf(1) }),
      await stage.worker({ target, processes: processOf(2) }),
    ];
    await until(async () => (await stage?.count('accepted')) !== 0);
    gate.shut();
    await pass(LEASE_MS * 1.5);
    gate.open();
    await stage.untilDone();
    for (const worker of workers) await worker.stop();
    await gate.close();

    expect(ended).toEqual([]);
    expect((await stage.reckon()).ends).toEqual({ accepted: 100 });
  });
});

describe('a clock that is 5 s off', () => {
  it.each([5_000, -5_000])('by %d ms sends nothing until it is right again', async (offMs) => {
    stage = await Stage.set(server, [quickProfile(DE)]);
    await stage.feed(DE, 10);
    let skewMs = offMs;
    const clock: Clock = { ...systemClock, now: () => instant(Date.now() + skewMs) };
    const worker = await stage.worker({ clock });
    await pass(LEASE_MS);
    expect(stage.simulator.truth(DE).requests.submit).toBe(0);
    expect(await stage.count('pending')).toBe(10);
    skewMs = 0;
    await stage.untilDone();
    await worker.stop();
    expect((await stage.reckon()).ends).toEqual({ accepted: 10 });
  });
});
