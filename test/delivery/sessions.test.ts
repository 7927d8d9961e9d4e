/** Lanes behind a login: sessions of one account that end each other, and a login that breaks. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isSynthetic } from '../../sim/invariants/book.ts';
import { quickPages } from '../../sim/chaos/pages.ts';
import type { Profile } from '../../src/core/profile.ts';
import { watchSessions } from '../../src/filings/watch/session-watch.ts';
import { type Server, startServer } from './server.ts';
import { quickProfile, Stage } from './stage.ts';
import { until } from './waiting.ts';

const NY = 'US-NY';

let server: Server;
let stage: Stage;

beforeAll(async () => {
  server = await startServer();
});
afterEach(() => stage.close());
afterAll(() => server.close());

function pages(changes: Partial<Profile> = {}): Profile {
  return quickPages(NY, quickProfile(NY), changes);
}

const posts = (): number =>
  [...stage.simulator.truth(NY).log.entries()].filter(
    ({ method, path }) => method === 'POST' && path.startsWith('/login'),
  ).length;

/** Each filing accepted, by our record and by the portal's, and none twice. */
async function once(count: number): Promise<void> {
  expect((await stage.reckon()).ends).toEqual({ accepted: count });
  expect(await stage.count('accepted')).toBe(count);
  const truth = stage.simulator.truth(NY);
  expect([...truth.accepted()].filter(({ key }) => !isSynthetic(key))).toHaveLength(count);
  expect(truth.summary()).toMatchObject({
    keysAcceptedTwice: 0,
    arrivedOverCeiling: 0,
  });
}

describe('sessions of one account that end each other', () => {
  it.each([1, 2])(
    'are recognised, and %i workers go on with one',
    async (workers) => {
      stage = await Stage.set(server, [pages({ ceiling: 4 })], {
        '*': { login: 'ends_former', latencyMs: { mean: 10, spread: 5 } },
      });
      await stage.feed(NY, 24);
      for (let n = 0; n < workers; n += 1) await stage.worker();
      await stage.untilDone(40_000);
      const lane = await stage.lane(NY);
      expect(lane.pause.kind).not.toBe('held');
      expect(lane.ceiling).toBe(1);
      await once(24);
      const [told] = await stage.evidence.read(
        `select data from (select convert_from(bytes, 'UTF8')::jsonb as entry from ledger_entry where tenant = $1) e,
         lateral (select entry->'data' as data) d where entry->>'type' = 'lane.ceiling'`,
        [stage.app.tenant],
      );
      expect(told?.['data']).toMatchObject({ from: 4, to: 1, reason: 'sessions' });
      expect(posts()).toBeLessThan(20);
      // Told once, also when somebody has acknowledged it.
      const { session, tenant, ids } = stage.app;
      const alerts = () =>
        stage.evidence.count(`alert where tenant = $1 and kind = 'one_session'`, [tenant]);
      await watchSessions({ session, tenant, ids });
      expect(await alerts()).toBe(1);
      await stage.evidence.read(
        'update alert set acknowledged_at = now(), acknowledged_by = $2 where tenant = $1',
        [tenant, stage.person.id],
      );
      await watchSessions({ session, tenant, ids });
      expect(await alerts()).toBe(1);
      // A person's ceiling ends it.
      await stage.change(NY, { kind: 'ceiling', ceiling: 3 });
      expect(await stage.lane(NY)).toMatchObject({ ceiling: 3 });
      expect((await stage.lane(NY)).oneSessionSince).toBeUndefined();
    },
    90_000,
  );
});

describe('a login that answers 500', () => {
  it('is tried a few times with growing pauses, and the lane goes on when it works', async () => {
    stage = await Stage.set(server, [pages({ ceiling: 4 })], {
      '*': { login: 'error_500', latencyMs: { mean: 5, spread: 0 } },
    });
    await stage.feed(NY, 12);
    await stage.worker();
    await until(async () => (await stage.lane(NY)).throttles >= 2);
    const paused = await stage.lane(NY);
    expect(paused.pause).toMatchObject({ kind: 'until', reason: 'throttled' });
    expect(posts()).toBeLessThanOrEqual(3);
    expect(await stage.count('fallout')).toBe(0);
    stage.simulator.behave(NY, { login: 'checked' });
    await stage.untilDone(30_000);
    await once(12);
    expect(posts()).toBeLessThanOrEqual(8);
  });
});

describe('a login that hangs', () => {
  const requests = (): number =>
    [...stage.simulator.truth(NY).log.entries()].filter(({ path }) => path.startsWith('/login'))
      .length;

  it.each([
    ['before its page', 'hangs'],
    ['after the password', 'hangs_after_post'],
  ] as const)(
    '%s pauses the lane, is tried a few times, and the lane goes on when it works',
    async (_, login) => {
      // Filings that give up after three failures in a row: what is no fault of theirs must not use them up.
      const retry = { ...quickProfile(NY).retry, inARowMax: 3 };
      stage = await Stage.set(server, [pages({ ceiling: 4, retry })], {
        '*': { login, latencyMs: { mean: 5, spread: 0 } },
      });
      await stage.feed(NY, 12);
      await stage.worker();
      await until(async () => (await stage.lane(NY)).throttles >= 2);
      expect((await stage.lane(NY)).pause).toMatchObject({ kind: 'until', reason: 'throttled' });
      expect(posts()).toBeLessThanOrEqual(3);
      expect(requests()).toBeLessThanOrEqual(10);
      expect(await stage.count('fallout')).toBe(0);
      stage.simulator.behave(NY, { login: 'checked' });
      await stage.untilDone(40_000);
      await once(12);
      expect(posts()).toBeLessThanOrEqual(8);
    },
    90_000,
  );
});
