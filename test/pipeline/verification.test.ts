import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPortal, type LanePortal } from '../../src/lanes/portals/portal.ts';
import type { GrantorLedger } from '../../src/grants/pipeline/contracts.ts';
import { laneLedger } from '../../src/grants/pipeline/lane-ledger.ts';
import { openPipeline } from '../../src/grants/pipeline/open-pipeline.ts';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';
import { ACTOR, awardJson, awardsSource, type GrantsWorld, grantsWorld } from './world.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';

type Answer = { readonly status: number; readonly body?: unknown } | 'cut';

let world: GrantsWorld;
let server: Server;
let portal: LanePortal;
let ledger: GrantorLedger;
const answers: Answer[] = [];
let asked = 0;

beforeAll(async () => {
  world = await grantsWorld();
  server = createServer((request, response) => {
    asked += 1;
    const answer = answers.shift() ?? { status: 500 };
    if (answer === 'cut') {
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer.body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;
  portal = createPortal({ environment: OWN_MACHINE });
  const profile = sampleProfile({ baseUrl: `http://127.0.0.1:${port}/grantor` });
  const guard = { mayWrite: () => true, signal: new AbortController().signal };
  const lane = { mayRead: true, read: (path: string) => portal.read(profile, path, guard) };
  ledger = laneLedger(profile.code, lane, (grantor) => `/ledgers/${grantor}`);
});
afterAll(async () => {
  await portal.close();
  await new Promise((resolve) => server.close(resolve));
  await world.close();
});

const RIGHT = {
  ledger: [
    {
      id: 'L1',
      payer: 'Harbor',
      ref: 'REF-1',
      amount: 500,
      currency: 'USD',
      expected: '2026-01-12',
    },
  ],
};

async function grantor(name: string): Promise<string> {
  const award = awardJson({
    id: 'A',
    grantor: name,
    cents: 500,
    reference: 'REF-1',
    expected: '2026-01-12',
  });
  await world.pipeline.ingestAwards(awardsSource([award], `${name}.ndjson`), ACTOR);
  return name;
}

function snapshots(name: string): Promise<readonly Record<string, unknown>[]> {
  return world.rows(
    `select s.kind, s.n as attempt_count, s.last_error_code, s.payload_hash = encode(v.request_sha256, 'hex') as same,
       extract(epoch from s.retry_deadline - v.started_at)::int as seconds
     from question_try s join question v on v.tenant = s.tenant and v.id = s.question
     where v.purpose = 'verification' and v.subject = $1 order by s.n, s.kind`,
    [name],
  );
}

describe('the grantor’s ledger', () => {
  it('that agrees verifies the awards', async () => {
    const name = await grantor('agrees');
    answers.push({ status: 200, body: RIGHT });
    expect(await world.pipeline.verifyGrantor(name, ledger)).toMatchObject({
      state: 'verified',
      attempts: 1,
    });
    expect(await snapshots(name)).toMatchObject([
      { kind: 'attempt', attempt_count: 1, last_error_code: 'NONE' },
    ]);
  });

  it('that is away is asked again after 2 to 30 seconds, with a snapshot before each attempt', async () => {
    const name = await grantor('away');
    answers.push({ status: 503 }, 'cut', { status: 200, body: RIGHT });
    const first = await world.pipeline.verifyGrantor(name, ledger);
    expect(first).toMatchObject({ state: 'waiting', attempts: 1, lastErrorCode: 'HTTP_503' });
    const waitMs = Date.parse(first.nextAt ?? '') - world.now();
    expect(waitMs).toBeGreaterThanOrEqual(2_000);
    expect(waitMs).toBeLessThanOrEqual(30_000);
    // Not due yet: nobody asks.
    const before = asked;
    expect(await world.pipeline.runRetryQueue(ledger)).toEqual([]);
    expect(await world.pipeline.verifyGrantor(name, ledger)).toMatchObject({
      state: 'waiting',
      attempts: 1,
    });
    expect(asked).toBe(before);
    world.advance(30_000);
    expect(await world.pipeline.runRetryQueue(ledger)).toMatchObject([
      { attempts: 2, lastErrorCode: 'CONNECTION_FAILED' },
    ]);
    world.advance(30_000);
    expect(await world.pipeline.runRetryQueue(ledger)).toMatchObject([
      { state: 'verified', attempts: 3 },
    ]);
    const common = { same: true, seconds: 900 };
    expect(await snapshots(name)).toEqual([
      { kind: 'attempt', attempt_count: 1, last_error_code: 'NONE', ...common },
      { kind: 'failure', attempt_count: 1, last_error_code: 'HTTP_503', ...common },
      { kind: 'attempt', attempt_count: 2, last_error_code: 'HTTP_503', ...common },
      { kind: 'failure', attempt_count: 2, last_error_code: 'CONNECTION_FAILED', ...common },
      { kind: 'attempt', attempt_count: 3, last_error_code: 'CONNECTION_FAILED', ...common },
    ]);
  });

  it('that fails three times in a row goes to a person, with the whole history', async () => {
    const name = await grantor('gone');
    answers.push({ status: 429 }, { status: 502 }, { status: 503 });
    await world.pipeline.verifyGrantor(name, ledger);
    for (let n = 0; n < 2; n += 1) {
      world.advance(30_000);
      await world.pipeline.runRetryQueue(ledger);
    }
    world.advance(3_600_000);
    expect(await world.pipeline.runRetryQueue(ledger)).toEqual([]);
    const [row] = await world.rows('select state, exception from question where subject = $1', [
      name,
    ]);
    expect(row?.['state']).toBe('fallback');
    const shown = await world.pipeline.exceptions.show(String(row?.['exception']));
    expect(shown).toMatchObject({
      from: 'reconciliation',
      escalationCode: 'RETRY_EXHAUSTED_PERMANENT_FAILURE',
    });
    expect(shown.envelope.compliance_metadata).toMatchObject({
      attempt_count: 3,
      audit_trail: [
        { attempt_count: 1, last_error_code: 'HTTP_429' },
        { attempt_count: 2, last_error_code: 'HTTP_502' },
        { attempt_count: 3, last_error_code: 'HTTP_503' },
      ],
    });
  });

  it.each([400, 401, 403, 404])('that answers %i is never asked again', async (status) => {
    const name = await grantor(`no-${status}`);
    answers.push({ status });
    const report = await world.pipeline.verifyGrantor(name, ledger);
    expect(report).toMatchObject({
      state: 'fallback',
      attempts: 1,
      lastErrorCode: `HTTP_${status}`,
    });
    const shown = await world.pipeline.exceptions.show(report.exception ?? '');
    expect(shown.escalationCode).toBe(`HTTP_${status}`);
  });

  it('that says otherwise goes to a person, each difference in words', async () => {
    const name = await grantor('differs');
    const ledgerRows = [
      { ...RIGHT.ledger[0], amount: 400 },
      { ...RIGHT.ledger[0], id: 'L2', ref: 'REF-2' },
    ];
    answers.push({ status: 200, body: { ledger: ledgerRows } });
    const report = await world.pipeline.verifyGrantor(name, ledger);
    expect(report.state).toBe('differs');
    expect(report.differences).toHaveLength(2);
  });

  it('that is asked by a process that dies is asked again, and the attempt is on record', async () => {
    const name = await grantor('crash');
    const dying: GrantorLedger = {
      code: ledger.code,
      mayRead: () => true,
      read: () => Promise.reject(new Error('killed')),
    };
    await expect(world.pipeline.verifyGrantor(name, dying)).rejects.toThrow('killed');
    expect(await snapshots(name)).toMatchObject([{ kind: 'attempt', attempt_count: 1 }]);
    // Nobody else takes it while the dead one might still be waiting.
    expect(await world.pipeline.runRetryQueue(ledger)).toEqual([]);
    world.advance(120_000);
    answers.push({ status: 200, body: RIGHT });
    expect(await openPipeline(world.parts).runRetryQueue(ledger)).toMatchObject([
      { state: 'verified', attempts: 2 },
    ]);
  });

  it('is asked about a frozen question that no retry changes', async () => {
    const name = await grantor('frozen');
    answers.push({ status: 503 });
    await world.pipeline.verifyGrantor(name, ledger);
    for (const change of [
      `request_ct = sha256('x')`,
      `request_sha256 = sha256('x')`,
      `tries = 7`,
    ]) {
      const text = `update question set ${change} where subject = 'frozen'`;
      await expect(world.rows(text), change).rejects.toMatchObject({ code: '23001' });
    }
    // An award that comes later is for the next question.
    const later = awardJson({
      id: 'B',
      grantor: name,
      cents: 9,
      reference: 'REF-9',
      expected: '2026-01-12',
    });
    await world.pipeline.ingestAwards(awardsSource([later], 'later.ndjson'), ACTOR);
    world.advance(30_000);
    answers.push({ status: 200, body: RIGHT });
    expect(await world.pipeline.runRetryQueue(ledger)).toMatchObject([{ state: 'verified' }]);
  });

  it('is asked again only over the lane on which it was asked first', async () => {
    const name = await grantor('lanes');
    answers.push({ status: 503 });
    await world.pipeline.verifyGrantor(name, ledger);
    world.advance(30_000);
    const before = asked;
    const other: GrantorLedger = { ...ledger, code: 'US-XX' };
    expect(await world.pipeline.runRetryQueue(other)).toEqual([]);
    expect(asked).toBe(before);
    answers.push({ status: 200, body: RIGHT });
    expect(await world.pipeline.runRetryQueue(ledger)).toMatchObject([
      { grantor: name, state: 'verified', attempts: 2 },
    ]);
  });
});
