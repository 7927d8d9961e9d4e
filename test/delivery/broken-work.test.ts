/** Something that nobody foresaw breaks: one filing is set aside for a person, and the lane goes on. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Portal } from '../../src/core/ports.ts';
import { createPortal } from '../../src/lanes/portals/portal.ts';
import type { Vault } from '../../src/core/ports.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';
import { type Server, startServer } from './server.ts';
import { quickProfile, Stage } from './stage.ts';
import { until } from './waiting.ts';

const DE = 'US-DE';
let server: Server;
let stage: Stage;

beforeAll(async () => {
  server = await startServer();
});
afterEach(() => stage.close());
afterAll(() => server.close());

function breaking(): { readonly work: () => Promise<never>; readonly calls: () => number } {
  let calls = 0;
  const work = (): Promise<never> => {
    calls += 1;
    return Promise.reject(new TypeError('nobody thought of this'));
  };
  return { work, calls: () => calls };
}

async function rows(text: string): Promise<readonly Record<string, unknown>[]> {
  const { session, tenant } = stage.app;
  return session.run({ name: '', text: text.replaceAll('$tenant', `'${tenant}'`) });
}

const counts = async (): Promise<Record<string, number>> =>
  Object.fromEntries(
    (
      await rows('select status, count(*)::int as n from filing where tenant = $tenant group by 1')
    ).map(({ status, n }) => [String(status), Number(n)]),
  );
const isDone = async (count: number): Promise<boolean> => {
  const { accepted = 0, fallout = 0, rejected = 0 } = await counts();
  return accepted + fallout + rejected === count;
};

it('a send: its filing goes to a person as possibly sent, with an alert, and the others are filed', async () => {
  stage = await Stage.set(server, [quickProfile(DE)]);
  await stage.feed(DE, 6);
  const real = createPortal({ environment: OWN_MACHINE });
  let calls = 0;
  const send: Portal['send'] = (request, guard) => {
    calls += 1;
    // Every third one, so that none follows another.
    if (calls % 3 === 2) return Promise.reject(new TypeError('nobody thought of this'));
    return real.send(request, guard);
  };
  const worker = await stage.worker({ portal: { send } });
  await until(() => isDone(6));
  await worker.stop();
  await real.close();
  expect(await counts()).toEqual({ accepted: 4, fallout: 2 });
  expect(
    await rows(
      'select reason, unsettled is not null as doubt from exception where tenant = $tenant',
    ),
  ).toEqual([
    { reason: 'CLAIM_BROKEN', doubt: true },
    { reason: 'CLAIM_BROKEN', doubt: true },
  ]);
  const alerts = await rows(
    "select severity, text from alert where tenant = $tenant and kind = 'claim_broken'",
  );
  expect(alerts).toHaveLength(2);
  expect(alerts[0]).toMatchObject({
    severity: 'critical',
    text: expect.stringMatching(/could not be handled \(CLAIM_BROKEN\).*review/),
  });
});

it('every send: the lane stops instead of giving all of its filings to people', async () => {
  stage = await Stage.set(server, [quickProfile(DE)]);
  const { work, calls } = breaking();
  await stage.feed(DE, 30);
  const worker = await stage.worker({ portal: { send: work } });
  await until(async () => {
    const [lane] = await rows("select state->'pause' as pause from lane where tenant = $tenant");
    return calls() >= 3 && JSON.stringify(lane).includes('drift');
  });
  await worker.stop();
  expect((await counts())['fallout']).toBeLessThan(10);
});

it.each([
  '"bogus"',
  '{"action":"bogus"}',
  '{"action":"ask"}',
  '[]',
  '{"action":"resend","firstSentAt":"x"}',
])('a step that is none (%s): the filing goes to a person, and no worker ends', async (step) => {
  stage = await Stage.set(server, [quickProfile(DE)]);
  await stage.feed(DE, 3);
  // Only somebody with rights over the tables can; a constraint that forbids it is out of his way.
  await rows('alter table filing drop constraint if exists filing_step_known');
  await rows(
    `update filing set step = '${step}' where tenant = $tenant and id = (
        select id from filing where tenant = $tenant order by last_safe, id limit 1)`,
  );
  const worker = await stage.worker();
  await until(() => isDone(3));
  await worker.stop();
  expect(await counts()).toEqual({ accepted: 2, fallout: 1 });
  expect(
    await rows(
      'select reason, unsettled is not null as doubt from exception where tenant = $tenant',
    ),
  ).toEqual([{ reason: 'STEP_UNREADABLE', doubt: true }]);
  expect(
    await rows("select text from alert where tenant = $tenant and kind = 'claim_broken'"),
  ).toHaveLength(1);
});

it('a probe: the worker ends, and says what it was', async () => {
  stage = await Stage.set(server, [quickProfile(DE)], { [DE]: { faults: { error_503: 1 } } });
  const { work, calls } = breaking();
  await stage.feed(DE, 30);
  const worker = await stage.worker({ portal: { probe: work } });
  await until(() => calls() > 0);
  await expect(worker.stop()).rejects.toThrow('nobody thought of this');
});

it('a payload that opens into an error of nobody’s: its filing goes to a person', async () => {
  stage = await Stage.set(server, [quickProfile(DE)]);
  await stage.feed(DE, 2);
  const { vault } = stage.app;
  const open: Vault['open'] = vault.open.bind(vault);
  let broken: string | undefined;
  const opening = (sealed: Parameters<Vault['open']>[0]): Uint8Array => {
    broken ??= sealed.entry;
    if (sealed.entry === broken) throw new RangeError('offset is out of bounds');
    return open(sealed);
  };
  vault.open = opening;
  try {
    const worker = await stage.worker();
    await until(() => isDone(2));
    await worker.stop();
  } finally {
    vault.open = open;
  }
  expect(await counts()).toEqual({ accepted: 1, fallout: 1 });
});
