/** `docket consume` as a process, on real brokers: killed in the middle, and still every event once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  RABBIT_URL,
  rabbitBench,
  rabbitPresence,
  REDIS_URL,
  redisBench,
  redisPresence,
} from '../brokers/brokers.ts';
import { CliWorld, type Running } from '../fixtures/cli.ts';
import { DeskLine, type Person } from './desk-line.ts';

const rabbit = await rabbitPresence();
const redis = await redisPresence();
const ADDRESSES = { FILEWRIGHT_RABBITMQ_URL: RABBIT_URL, FILEWRIGHT_REDIS_URL: REDIS_URL };
const WAIT_MS_MAX = 90_000;
const COUNT = 200;

let world: CliWorld;
let desk: DeskLine;
let hart: Person;

beforeAll(async () => {
  world = await CliWorld.make();
  desk = await DeskLine.beside(world.folder);
});
afterAll(() => world.close());

/** A firm of its own for each broker, so that totals can be compared. */
async function openFirm(tenant: string): Promise<void> {
  hart = await desk.person('Judith Hart', undefined, tenant);
  const samples = ['matrix', 'people'].map((name) => `samples/patent-${name}.json`);
  await desk.route([...samples], hart);
}

const event = (n: number): string =>
  JSON.stringify({
    application_number: `18/${500_000 + n}`,
    filing_date: '2024-03-11',
    event_code: 'CTNF',
    event_date: '2026-11-02',
    period: 'P3M',
    client: 'Northwind',
  });

/** Each once, one of them again, one whose schema drifted, one that is no JSON. */
const MESSAGES = [
  ...Array.from({ length: COUNT }, (_, n) => event(n)),
  event(7),
  event(COUNT).replace('filing_date', 'filingDate'),
  'not json at all',
];
const EXPECTED = COUNT + 2;

async function total(): Promise<number> {
  return Number((await desk.data(['docket', 'list', '--limit', '1'], hart))['total']);
}

async function until(what: string, is: () => Promise<boolean>): Promise<void> {
  const endAt = Date.now() + WAIT_MS_MAX;
  while (!(await is())) if (Date.now() > endAt) throw new Error(`waited in vain for ${what}`);
}

async function killedInTheMiddle(
  start: () => Running,
  isEmpty: () => Promise<boolean>,
): Promise<void> {
  const doomed = start();
  await until('the first events', async () => (await total()) > 0);
  doomed.child.kill('SIGKILL');
  await doomed.ended;
  const heir = start();
  await until('all events', async () => (await total()) === EXPECTED && (await isEmpty()));
  heir.child.kill('SIGTERM');
  const { code, stderr } = await heir.ended;
  expect(code, stderr).toBe(0);
  expect(await total()).toBe(EXPECTED);
  const drifted = await desk.run(['docket', 'list', '--limit', '1000'], hart);
  expect(drifted.stdout.match(/SCHEMA_DRIFT/g)).toHaveLength(2);
  expect((await desk.run(['audit', 'verify', '--bodies'], hart)).code).toBe(0);
}

describe.skipIf(rabbit.isMissing)(`docket consume --rabbit${rabbit.note}`, () => {
  const bench = rabbitBench();

  it('killed in the middle: every event once, the queue empty, drift and rubbish routed too', async () => {
    await openFirm('rabbit');
    const queue = await bench.queue('consume');
    await bench.put(queue, MESSAGES);
    const words = ['--tenant', 'rabbit', 'docket', 'consume', '--rabbit', queue];
    await killedInTheMiddle(
      () => world.start(words, ADDRESSES),
      async () => (await bench.ready(queue)) === 0,
    );
    // Nothing comes back: all of it was acknowledged, after its commit.
    expect(await bench.ready(queue)).toBe(0);
  });

  it('says which address it misses', async () => {
    const ended = await desk.run(['docket', 'consume', '--rabbit', 'q'], hart);
    expect(ended.stderr).toContain('FILEWRIGHT_RABBITMQ_URL');
    expect(ended.code).not.toBe(0);
  });
});

describe.skipIf(redis.isMissing)(`docket consume --redis${redis.note}`, () => {
  const bench = redisBench();

  it('every event once, each acknowledged after its commit', async () => {
    await openFirm('redis');
    const stream = bench.stream('consume');
    for (const message of MESSAGES) await bench.redis().xadd(stream, '*', 'payload', message);
    const words = ['--tenant', 'redis', 'docket', 'consume', '--redis', stream, '--group', 'firm'];
    const running = world.start(words, ADDRESSES);
    const pending = async (): Promise<number> =>
      Number((await bench.redis().xpending(stream, 'firm'))[0]);
    await until('all events', async () => (await total()) === EXPECTED && (await pending()) === 0);
    running.child.kill('SIGTERM');
    const { code, stderr } = await running.ended;
    expect(code, stderr).toBe(0);
    expect(await bench.redis().xlen(stream)).toBe(MESSAGES.length);
  });
});

describe.skipIf(rabbit.isMissing || redis.isMissing)(
  `route run --watch-rabbit --watch-redis${rabbit.note}${redis.note}`,
  () => {
    const queues = rabbitBench();
    const streams = redisBench();

    it('1,001 messages before the intake are a saturated queue, 1,000 are not', async () => {
      await openFirm('watched');
      const full = await queues.queue('full');
      await queues.put(
        full,
        Array.from({ length: 1_001 }, (_, n) => `${n}`),
      );
      const [fitting, over] = [streams.stream('fitting'), streams.stream('over')];
      for (const [stream, count] of [
        [fitting, 1_000],
        [over, 1_001],
      ] as const) {
        await streams.redis().xgroup('CREATE', stream, 'firm', '$', 'MKSTREAM');
        const batch = streams.redis().pipeline();
        for (let n = 0; n < count; n += 1) batch.xadd(stream, '*', 'payload', String(n));
        await batch.exec();
      }
      const words = ['--watch-rabbit', full, '--watch-redis', fitting, over, '--group', 'firm'];
      const router = world.start(['--tenant', 'watched', 'route', 'run', ...words], ADDRESSES);
      const alerts = async (): Promise<string> => (await desk.run(['alert', 'list'], hart)).stdout;
      await until('both alerts', async () => {
        const told = await alerts();
        // With their brokers: a queue and a stream may have one name.
        return told.includes(`rabbitmq ${full}`) && told.includes(`redis ${over} firm`);
      });
      router.child.kill('SIGTERM');
      expect((await router.ended).code).toBe(0);
      // Looked at between the other two, and found to be within its bound.
      expect(await alerts()).not.toContain(fitting);
    });
  },
);
