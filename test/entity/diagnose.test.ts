/** What `diagnose` makes of a batch that met trouble, and what it must never show. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addPortal } from '../../src/lanes/acts/lanes.ts';
import { diagnoseBlocks, diagnoseConflicts } from '../../src/filings/acts/diagnose.ts';
import { diagnosePayload } from '../../src/filings/acts/diagnose-payload.ts';
import { diagnoseSessions } from '../../src/filings/acts/diagnose-sessions.ts';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { until } from '../delivery/waiting.ts';
import { Office, rowsOf } from './office.ts';

let server: Server;
let office: Office;

beforeAll(async () => {
  server = await startServer();
});
afterEach(() => office.close());
afterAll(() => server.close());

const steady = { latencyMs: { mean: 15, spread: 0 } };
const NAME = 'Zyxomma Quillfeather';

async function runToTheEnd(lane: string): Promise<void> {
  const stop = await office.worker();
  await office.untilEnded(lane);
  await stop();
}

describe('blocks', () => {
  it('tells every throttle with its stamp, the CAPTCHA marks, and the pauses with their ends', async () => {
    office = await Office.open(server, ['us-de', 'us-ca'], {
      behaviour: {
        '*': steady,
        'US-DE': {
          ...steady,
          schedule: [
            { fault: 'throttle_403_reset', request: 3 },
            { fault: 'throttle_403_captcha', request: 8 },
          ],
          timings: { throttleMs: 1_000 },
        },
      },
      changes: { 'us-de': { throttle: { pauseMsMax: 1_200 } } },
    });
    const batch = await office.file([...rowsOf('US-DE', 12), ...rowsOf('US-CA', 5)]);
    await runToTheEnd('US-DE');
    const found = await diagnoseBlocks(office.app, office.person, batch);
    expect(found.lanes).toEqual([
      { lane: 'US-CA', throttles: 0, captchaMarks: 0, withoutStamp: 0, pauses: 0 },
      { lane: 'US-DE', throttles: 2, captchaMarks: 1, withoutStamp: 1, pauses: 2 },
    ]);
    const [first, second] = found.throttles;
    expect(first).toMatchObject({ lane: 'US-DE', status: 403, code: 'HTTP_403', captcha: false });
    expect(Number(first?.rateLimitReset) * 1000).toBeGreaterThan(Date.parse(first?.at ?? ''));
    expect(second).toMatchObject({ code: 'CAPTCHA', captcha: true, rateLimitReset: null });
    const pauses = found.events.filter(({ type }) => type === 'lane.paused');
    for (const { at, until, reason } of pauses) {
      expect(reason).toBe('throttled');
      expect(Date.parse(until ?? '')).toBeGreaterThan(Date.parse(at));
    }
  });
});

describe('conflicts', () => {
  it('tells for each 409 which status query followed and what it found', async () => {
    office = await Office.open(server, ['us-ca'], {
      behaviour: { 'US-CA': { ...steady, visibilityLagMs: 0 } },
    });
    const batch = await office.file(rowsOf('US-CA', 10));
    const [taken, unknown] = await office.filings('US-CA');
    office.simulator.behave('US-CA', {
      schedule: [
        { fault: 'conflict_true', key: taken?.key ?? '', nth: 1 },
        { fault: 'conflict_false', key: unknown?.key ?? '', nth: 1 },
      ],
    });
    await runToTheEnd('US-CA');
    const found = await diagnoseConflicts(office.app, office.person, batch);
    expect(found.answers).toEqual({ accepted: 1, not_found: 1 });
    const byFiling = new Map(found.conflicts.map((each) => [each.filing, each]));
    expect(byFiling.get(taken?.id ?? '')).toMatchObject({
      lane: 'US-CA',
      attempt: 1,
      asked: [{ attempt: 2, answer: 'accepted' }],
      before: [],
    });
    expect(byFiling.get(unknown?.id ?? '')?.asked.at(-1)).toMatchObject({ answer: 'not_found' });
    // One filing by its id, and by its key.
    for (const name of [taken?.id ?? '', taken?.key ?? '']) {
      const one = await diagnoseConflicts(office.app, office.person, name);
      expect(one.scope).toMatchObject({ kind: 'filing', id: taken?.id });
      expect(one.answers).toEqual({ accepted: 1 });
    }
  });
});

describe('sessions', () => {
  it('counts the tokens of a serial portal and finds no collision where there is none', async () => {
    office = await Office.open(server, ['us-de'], {
      behaviour: { 'US-DE': { ...steady, sessions: 'tracked' } },
    });
    const batch = await office.file(rowsOf('US-DE', 10));
    await runToTheEnd('US-DE');
    const found = await diagnoseSessions(office.app, office.person, batch);
    const [lane] = found.lanes;
    expect(lane).toMatchObject({ lane: 'US-DE', session: 'slot', exchanges: 10, failures: {} });
    expect(lane?.tokens).toBe(1);
    expect(found.collisions).toEqual([]);
    expect(JSON.stringify(found)).not.toContain('US-DE.1');
  });

  it('a portal that gives one token to everyone is reported as a collision, without the token', async () => {
    office = await Office.open(server, ['us-ny'], {
      behaviour: { 'US-NY': { latencyMs: { mean: 60, spread: 0 }, login: 'shared' } },
    });
    const batch = await office.file(rowsOf('US-NY', 12));
    const stop = await office.worker();
    await until(async () => (await office.lane('US-NY')).pause.kind === 'held');
    await stop();
    const found = await diagnoseSessions(office.app, office.person, batch);
    expect(found.lanes[0]?.failures['SESSION_COLLISION']).toBeGreaterThan(0);
    expect(found.collisions.some(({ kind }) => kind === 'reported')).toBe(true);
    expect(found.events).toMatchObject([
      { type: 'lane.paused', reason: 'collision' },
      { type: 'recovery.started', reason: 'collision' },
    ]);
  });

  it('a token in two lanes is reported by a piece of its hash', async () => {
    const secret = 'opaque-session-secret-0001';
    let receipts = 10_000_000;
    const portal = createServer((request, response) => {
      request.resume();
      receipts += 1;
      response.setHeader('x-session-token', secret);
      response.end(JSON.stringify({ receipt: { number: `DE-${receipts}` } }));
    });
    await new Promise<void>((resolve) => portal.listen(0, '127.0.0.1', resolve));
    const { port } = portal.address() as AddressInfo; // Listening on a port, not on a path.
    office = await Office.open(server, []);
    for (const code of ['US-DE', 'US-CA']) {
      const baseUrl = `http://127.0.0.1:${port}/${code}`;
      await addPortal(
        office.app,
        office.person,
        sampleProfile({ code, jurisdiction: code, baseUrl, ceiling: 1 }),
      );
    }
    const batch = await office.file([...rowsOf('US-DE', 1), ...rowsOf('US-CA', 1)]);
    const stop = await office.worker();
    await until(() => receipts >= 10_000_002);
    await stop();
    portal.close();
    portal.closeAllConnections();
    const found = await diagnoseSessions(office.app, office.person, batch);
    const token = createHash('sha256').update(secret).digest('hex').slice(0, 12);
    expect(found.collisions).toContainEqual(
      expect.objectContaining({ kind: 'two_lanes', token, carrier: 'x-session-token' }),
    );
    expect(JSON.stringify(found)).not.toContain(secret);
  });
});

describe('payload', () => {
  it('compares the bytes with the frozen hash and repeats the codes of the portal, but no name', async () => {
    office = await Office.open(server, ['us-ca'], { behaviour: { 'US-CA': steady } });
    const row = { entity_name: `${NAME} Inc.`, note: 'line one\nline two' };
    const batch = await office.file(rowsOf('US-CA', 4, row));
    const [refused] = await office.filings('US-CA');
    office.simulator.behave('US-CA', {
      schedule: [{ fault: 'rejected_422', key: refused?.key ?? '', nth: 1 }],
    });
    await runToTheEnd('US-CA');
    const found = await diagnosePayload(office.app, office.person, batch);
    expect(found.payloads).toHaveLength(1);
    const [payload] = found.payloads;
    expect(payload).toMatchObject({
      filing: refused?.id,
      status: 'rejected',
      frozenSha256: refused?.payloadSha256,
      sentSha256: refused?.payloadSha256,
      isAsFrozen: true,
    });
    expect(payload?.complaints.length).toBeGreaterThan(0);
    const all = JSON.stringify([
      found,
      await diagnoseBlocks(office.app, office.person, batch),
      await diagnoseSessions(office.app, office.person, batch),
      await diagnoseConflicts(office.app, office.person, batch),
    ]);
    for (const secret of [...NAME.split(' '), 'line one', '4000000']) {
      expect(all, secret).not.toContain(secret);
    }
    const accepted = (await office.filings('US-CA')).find(({ status }) => status === 'accepted');
    const one = await diagnosePayload(office.app, office.person, accepted?.id ?? '');
    expect(one.payloads).toMatchObject([{ status: 'accepted', isAsFrozen: true }]);
  });
});
