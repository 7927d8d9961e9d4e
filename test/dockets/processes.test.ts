/** Routers that die, and routers that run beside each other: one effect for each docket, whatever happens. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Server, startServer } from '../delivery/server.ts';
import { until } from '../delivery/waiting.ts';
import { build } from '../fixtures/built-tree.ts';
import { spawnRouter } from './router-processes.ts';
import { Stage } from './stage.ts';

let server: Server;
let stage: Stage;
beforeAll(async () => {
  build();
  server = await startServer();
});
afterAll(async () => {
  await server?.close();
});
afterEach(async () => stage?.close());

const place = () => ({ dataDirectory: server.dataDirectory, tenant: stage.app.tenant });

describe('a router', () => {
  it('killed between its commit and the handoff loses nothing: another one hands over, once', async () => {
    stage = await Stage.set(server);
    const [admission] = await stage.feed(1);
    const dead = spawnRouter(place(), 'before');
    expect(await dead.exit).toBe('SIGKILL');
    expect(stage.endpoints.PRIMARY.taken).toEqual([]);
    expect(await stage.count(`docket where tenant = $1 and phase = 'sending'`)).toBe(1);
    await stage.router();
    await until(async () => (await stage.confirmed()) === 1);
    expect([...stage.endpoints.PRIMARY.counts()]).toEqual([[admission?.docket, 1]]);
    expect(await stage.count('docket_handoff where tenant = $1 and ended_at is null')).toBe(1);
  });

  it('killed between the handoff and its outcome repeats it under the same message id: one effect', async () => {
    stage = await Stage.set(server);
    const [admission] = await stage.feed(1);
    const dead = spawnRouter(place(), 'after');
    expect(await dead.exit).toBe('SIGKILL');
    expect(stage.endpoints.PRIMARY.taken).toHaveLength(1);
    await stage.router();
    await until(async () => (await stage.confirmed()) === 1);
    // Twice on the wire; by its id the receiver knows that it is one.
    expect([...stage.endpoints.PRIMARY.counts()]).toEqual([[admission?.docket, 2]]);
    expect(await stage.count(`docket where tenant = $1`)).toBe(1);
  });

  it('killed before it could tell the manual tier is replaced there, too, and not in two hours', async () => {
    stage = await Stage.set(server);
    await stage.feed(1, { due_date: '2026-01-05' });
    const dead = spawnRouter(place(), 'before');
    expect(await dead.exit).toBe('SIGKILL');
    expect(await stage.count(`docket where tenant = $1 and phase = 'manual'`)).toBe(1);
    // Its lease on the notice, over.
    await stage.read(
      `update work set next_at = now() where tenant = $1 and kind = 'handoff' and state = 'pending'`,
    );
    await stage.router();
    await until(() => stage.endpoints.MANUAL.taken.length === 1);
  });

  it('beside another one sends no docket twice', async () => {
    stage = await Stage.set(server);
    await stage.feed(150);
    const [one, two] = [spawnRouter(place()), spawnRouter(place())];
    await Promise.all([one.ready, two.ready]);
    await stage.feed(150, { client: 'Contoso', event_code: 'CTFR' });
    await until(async () => (await stage.confirmed()) === 300);
    await Promise.all([one.kill(), two.kill()]);
    const counts = stage.endpoints.PRIMARY.counts();
    expect(counts.size).toBe(300);
    expect([...counts.values()].every((count) => count === 1)).toBe(true);
    // Both had a part in it.
    expect(stage.endpoints.SECONDARY.taken).toEqual([]);
  });

  it('is killed again and again, and every docket arrives', async () => {
    stage = await Stage.set(server);
    stage.endpoints.PRIMARY.mode = { kind: 'status', status: 503 };
    await stage.feed(60);
    for (let round = 0; round < 3; round += 1) {
      const router = spawnRouter(place());
      await router.ready;
      const before = await stage.confirmed();
      await until(async () => (await stage.confirmed()) > before);
      await router.kill();
      if ((await stage.confirmed()) === 60) break;
    }
    await stage.router();
    await until(async () => (await stage.confirmed()) === 60);
    // A docket whose attempts were both cut off by kills goes one tier further; it arrives all the same.
    const { SECONDARY, TERTIARY } = stage.endpoints;
    expect(new Set([...SECONDARY.counts().keys(), ...TERTIARY.counts().keys()]).size).toBe(60);
    const receipts = await stage.read(
      `select count(distinct receipt) as n, docket from docket_handoff where tenant = $1 and receipt is not null
       group by docket having count(distinct receipt) > 1`,
    );
    expect(receipts).toEqual([]);
    expect(await stage.isLedgerSound()).toBe(true);
  });
});
