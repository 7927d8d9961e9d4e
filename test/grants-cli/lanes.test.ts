/** Documents and ledgers over a lane, each command a process of its own. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';
import { CliWorld, type Json } from '../fixtures/cli.ts';
import { listAt } from './house.ts';

const MINUTES_2_MS = 120_000;
const AWARD = {
  grantor_id: 'US-ED',
  award_id: 'A-1',
  award_amount: 500,
  currency: 'USD',
  fiscal_year: 2026,
  compliance_tags: {},
  payer: 'Treasury',
  reference: 'REF-0001',
  expected_on: '2026-01-12',
};

let world: CliWorld;
let server: Server;
let nora: { FILEWRIGHT_KEY: string };
let inFlight = 0;
let most = 0;

beforeAll(async () => {
  world = await CliWorld.make();
  server = createServer((request, response) => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    setTimeout(() => {
      inFlight -= 1;
      const [status, body] = answerTo(request.url ?? '');
      response.writeHead(status).end(body);
    }, 300);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  nora = await world.person('Nora');
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;
  const profile = sampleProfile({ code: 'US-ED', baseUrl: `http://127.0.0.1:${port}`, ceiling: 1 });
  const path = await world.file('lane.json', JSON.stringify(profile));
  await world.data(['lane', 'add', path], nora);
}, MINUTES_2_MS);
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await world.close();
});

function answerTo(url: string): [number, string] {
  if (url === '/awards.json') return [200, JSON.stringify([AWARD])];
  if (url === '/busy.json') return [503, ''];
  if (!url.startsWith('/ledgers/')) return [404, ''];
  const {
    award_id: id,
    payer,
    reference: ref,
    award_amount: amount,
    expected_on: expected,
  } = AWARD;
  return [200, JSON.stringify({ ledger: [{ id, payer, ref, amount, expected, currency: 'USD' }] })];
}

it(
  'a document is fetched, waits, or goes to a person, and the exit code says which',
  async () => {
    const fetch = (path: string, code: number): Promise<Json> =>
      world.data(['grants', 'fetch', path, '--lane', 'US-ED'], nora, code);
    expect(await fetch('/awards.json', 0)).toMatchObject({
      state: 'ingested',
      ingestion: { accepted: 1 },
    });
    expect(await fetch('/awards.json', 0)).toMatchObject({
      ingestion: { isRepeatedDocument: true },
    });
    expect(await fetch('/busy.json', 75)).toMatchObject({ lastErrorCode: 'HTTP_503' });
    expect(await fetch('/gone.json', 5)).toMatchObject({ state: 'fallback' });
    const exceptions = await world.data(['grants', 'exceptions', 'list']);
    expect(listAt(exceptions, 'exceptions')).toMatchObject([
      { from: 'ingestion', escalationCode: 'HTTP_404' },
    ]);
    const status = await world.data(['grants', 'status']);
    expect(status).toMatchObject({ documents: 1, waitingRetries: 1, openExceptions: 1 });
    for (const path of ['/../up.json', '/%2e%2e/up.json', 'relative.json', '/a b.json']) {
      const { code } = await world.run(['grants', 'fetch', path, '--lane', 'US-ED'], nora);
      expect(code, path).toBe(2);
    }
  },
  MINUTES_2_MS,
);

it(
  'two processes that read over a lane with one slot go one after the other',
  async () => {
    most = 0;
    const verify = ['grants', 'verify', 'US-ED', '--lane', 'US-ED'];
    const fetch = ['grants', 'fetch', '/awards.json', '--lane', 'US-ED'];
    await Promise.all([verify, fetch, fetch].map((words) => world.data(words, nora)));
    expect(most).toBe(1);
  },
  MINUTES_2_MS,
);
