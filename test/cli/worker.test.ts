/** `worker` and `batch run` as processes: what they log, whom they ping, how they end, and what never leaks. */
import { createServer } from 'node:http';
import { readdir, readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stopEmbedded } from '../../src/postgres/embedded/stop.ts';
import { until } from '../delivery/waiting.ts';
import { CliWorld, type Json, type Portals, textAt, type Variables } from '../fixtures/cli.ts';
import { csv, row } from './rows.ts';

/** Recognisable wherever they turn up. */
const CANARY = { payload: 'CANARY-PAYLOAD-5f1d', credential: 'CANARY-CREDENTIAL-77aa' };
/** What the simulated portal says when it refuses: its exact body is evidence, and only that. */
const PORTAL_WORDS = 'This field is not valid';

let world: CliWorld;
let portals: Portals;
let paula: Variables;
let arthur: Variables;

beforeAll(async () => {
  world = await CliWorld.make();
  paula = await world.person('Paula');
  arthur = await world.person('Arthur', paula);
  portals = await world.portals({
    ceiling: 2,
    credentials: [{ header: 'Authorization', value: 'env:PORTAL_TOKEN' }],
  });
  for (const profile of portals.profiles) await world.data(['lane', 'add', profile], paula);
});

afterAll(() => world.close());

it('a worker logs every outcome as a JSON line, pings its monitor, drains on SIGTERM, and leaks nothing', async () => {
  let pings = 0;
  const monitor = createServer((_request, response) => {
    pings += 1;
    response.end();
  });
  await new Promise<void>((resolve) => monitor.listen(0, '127.0.0.1', resolve));
  // A TCP server's address is never a text.
  const { port } = monitor.address() as AddressInfo;
  const filings = await approved('w.csv', ['1', '2', '3']);
  await portals.behave('US-DE', {
    schedule: [
      { fault: 'rejected_422', key: textAt(filings, 0, 'key') },
      { fault: 'accept_then_500', key: textAt(filings, 1, 'key'), nth: 1 },
    ],
  });
  const worker = world.start(
    ['worker', '--heartbeat-url', `http://127.0.0.1:${port}/up`, '--heartbeat-every', '1'],
    { PORTAL_TOKEN: CANARY.credential },
  );
  await Promise.all(
    [0, 1, 2].map((at) => worker.saw(`"status":"${at === 0 ? 'rejected' : 'accepted'}"`)),
  );
  await settled(3);
  // It sends at once, and pings each second.
  await until(() => pings > 0);
  worker.child.kill('SIGTERM');
  const ended = await worker.ended;
  monitor.close();

  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stdout).toBe('');
  const lines = ended.stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);
  expect(lines.at(-1)).toMatchObject({ level: 'info', event: 'worker.stopped' });
  const refused = lines.filter((line) => line['status'] === 'rejected');
  expect(refused).toEqual([
    {
      level: 'error',
      ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      event: 'filing.outcome',
      trace_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      filing_id: textAt(filings, 0, 'id'),
      entity_id: textAt(filings, 0, 'entity'),
      jurisdiction: 'US-DE',
      lane: 'US-DE',
      status: 'rejected',
      payload_sha256: textAt(filings, 0, 'payloadSha256'),
      verdict: 'rejected',
      attempt: 1,
      error: 'HTTP_422',
    },
  ]);
  expect(lines.filter((line) => line['status'] === 'accepted')).toHaveLength(2);

  const shown = await Promise.all(
    [
      ['filing', 'list'],
      ['review', 'list'],
      ['batch', 'status'],
      ['lane', 'list'],
    ].map((args) => world.run(['--json', ...args])),
  );
  const said = [ended, ...shown].map(({ stdout, stderr }) => stdout + stderr).join('\n');
  for (const secret of secrets()) expect(said).not.toContain(secret);
});

it('neither payloads, keys, credentials nor portal answers lie in plain text in the database’s files', async () => {
  // A running server replaces files while they are read; one that has stopped has written everything. The next command
  // starts it again.
  await stopEmbedded(world.dataDirectory, { mode: 'fast' });
  const folder = join(world.dataDirectory, 'postgres');
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((file) =>
    file.isFile(),
  );
  expect(files.length).toBeGreaterThan(100);
  const found: string[] = [];
  let entity = 0;
  for (const file of files) {
    const bytes = await readFile(join(file.parentPath, file.name));
    for (const secret of secrets())
      if (bytes.includes(secret)) found.push(`${file.name}: ${secret}`);
    // What is not sealed is found this way, so the search itself works.
    if (bytes.includes('US-DE')) entity += 1;
  }
  expect(found).toEqual([]);
  expect(entity).toBeGreaterThan(0);
});

it('a batch run that is asked to stop drains, leaves nothing in flight, and ends with 75', async () => {
  await portals.behave('US-DE', { latencyMs: { mean: 700, spread: 0 }, schedule: [] });
  const numbers = Array.from({ length: 20 }, (_, at) => String(100 + at));
  const filings = await approved('stop.csv', numbers);
  const batch = textAt(await world.data(['batch', 'list']), 'batches', 0, 'id');
  const run = world.start(['--json', 'batch', 'run', batch, '--log'], { PORTAL_TOKEN: 'x' });
  await run.saw('"status":"accepted"');
  run.child.kill('SIGTERM');
  const ended = await run.ended;
  expect(ended.code, ended.stderr).toBe(75);
  const accepted = await world.data(['filing', 'list', '--batch', batch, '--status', 'accepted']);
  const open = await world.data(['filing', 'list', '--batch', batch, '--status', 'pending']);
  expect(filings).toHaveLength(20);
  // Drained: every one is either at its end or untouched, none is left in doubt.
  expect([accepted['filings'], open['filings']].flat(), ended.stderr).toHaveLength(20);
});

it('a worker whose database is away pings no one until it is back', async () => {
  let pings = 0;
  const monitor = createServer((_request, response) => {
    pings += 1;
    response.end();
  });
  await new Promise<void>((resolve) => monitor.listen(0, '127.0.0.1', resolve));
  const { port } = monitor.address() as AddressInfo;
  const worker = world.start(
    ['worker', '--heartbeat-url', `http://127.0.0.1:${port}/up`, '--heartbeat-every', '1'],
    { PORTAL_TOKEN: 'x' },
  );
  await expect.poll(() => pings, { timeout: 20_000 }).toBeGreaterThan(1);
  await world.run(['db', 'stop']);
  await worker.saw('worker.heartbeat_withheld');
  const before = pings;
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(pings).toBe(before);
  await world.run(['db', 'start']);
  await expect.poll(() => pings, { timeout: 20_000 }).toBeGreaterThan(before);
  worker.child.kill('SIGTERM');
  const ended = await worker.ended;
  monitor.close();
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stderr.match(/heartbeat_withheld/g)).toHaveLength(1);
});

it('a heartbeat address with a password in it is refused before anything starts', async () => {
  const url = 'https://monitor:CANARY-PING@127.0.0.1/up';
  const ended = await world.run(['worker', '--heartbeat-url', url]);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain('--heartbeat-url');
  expect(ended.stderr).not.toContain('CANARY-PING');
});

function secrets(): string[] {
  const keys = [paula, arthur].map((person) => person['FILEWRIGHT_KEY'] ?? '');
  return [CANARY.payload, CANARY.credential, PORTAL_WORDS, ...keys];
}

async function approved(name: string, numbers: readonly string[]): Promise<unknown> {
  const rows = numbers.map((number) => row(number, { name: `${CANARY.payload} ${number}` }));
  const file = await world.file(name, csv(...rows));
  const batch = textAt(await world.data(['batch', 'import', file], paula), 'batch');
  await world.data(['batch', 'approve', batch], arthur);
  return (await world.data(['filing', 'list', '--batch', batch]))['filings'];
}

/** Until so many filings are at their end; the log line of an outcome comes just before its commit is visible. */
async function settled(count: number): Promise<void> {
  await until(async () => {
    const { lanes } = await world.data(['batch', 'status']);
    const [lane] = lanes as { accepted: number; rejected: number }[];
    return lane !== undefined && lane.accepted + lane.rejected >= count;
  });
}
