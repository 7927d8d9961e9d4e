/** A router that starts while work waits: nothing is recorded that was not done, and nobody pays for the time before it. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startDocketRouter } from '../../src/oversight/acts/docket-router.ts';
import type { RunningRouter } from '../../src/dockets/routing/router.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { until } from '../delivery/waiting.ts';
import { Stage } from './stage.ts';
import { OPERATOR } from '../operator.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';

let server: Server;
let stage: Stage;
let router: RunningRouter | undefined;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => server?.close());
afterEach(async () => {
  await router?.stop();
  router = undefined;
  await stage?.close();
});

const start = async (): Promise<void> => {
  router = await startDocketRouter(
    stage.app,
    OPERATOR,
    {},
    { FILEWRIGHT_ROUTING_PRIVATE: '1', ...OWN_MACHINE },
  );
};

describe('a router that starts with work', () => {
  it('makes every attempt that it records, and records every one that it makes', async () => {
    stage = await Stage.set(server);
    await stage.feed(120);
    await start();
    await until(async () => (await stage.confirmed()) === 120);
    // On a busy machine some are made again elsewhere, because their time is over.
    await router?.stop();
    router = undefined;
    const recorded = await stage.count('docket_handoff where tenant = $1');
    const made = Object.values(stage.endpoints).flatMap(({ taken }) => taken).length;
    expect(made).toBe(recorded);
    expect(stage.endpoints.PRIMARY.counts().size).toBe(120);
  });

  it('counts no lag for the time in which no router ran: every docket goes to its own team', async () => {
    stage = await Stage.set(server);
    await stage.feed(198);
    await stage.read(`update docket set next_at = now() - interval '20 minutes' where tenant = $1`);
    // Reads one docket at a time, so that the queue is looked at while nearly all of them still wait.
    await stage.router({ inFlightMax: 4 });
    await until(async () => (await stage.confirmed()) === 198);
    expect(stage.endpoints.PRIMARY.counts().size).toBe(198);
    expect(stage.endpoints.SECONDARY.taken).toEqual([]);
    const [own] = await stage.read(
      `select lag_ms, triggers from queue_reading where tenant = $1 and queue = 'filewright'`,
    );
    expect(Number(own?.['lag_ms'])).toBeLessThan(60_000);
    expect(own?.['triggers']).toEqual([]);
  });
});
