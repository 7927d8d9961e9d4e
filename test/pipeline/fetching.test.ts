/** Award documents over real HTTP and TLS: what each failure leads to, and that nothing of it is taken twice or half. */
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FilewrightError } from '../../src/core/errors.ts';
import type { DocumentLane } from '../../src/grants/pipeline/contracts.ts';
import { laneDocuments } from '../../src/grants/pipeline/lane-documents.ts';
import { openPipeline } from '../../src/grants/pipeline/open-pipeline.ts';
import { createPortal, type LanePortal } from '../../src/lanes/portals/portal.ts';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';
import { TLS } from '../notify/mail-server.ts';
import { Cut, cutAt } from './cutter.ts';
import { ACTOR, awardJson, type GrantsWorld, grantsWorld } from './world.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';

interface Reply {
  readonly status?: number;
  readonly body?: string;
  /** Says a longer length than it sends, and hangs up. */
  readonly cutAfter?: number;
}

let world: GrantsWorld;
let server: Server;
let portal: LanePortal;
let lane: DocumentLane;
const replies: Reply[] = [];
const asked: string[] = [];
const guard = { mayWrite: () => true, signal: new AbortController().signal };

beforeAll(async () => {
  world = await grantsWorld();
  server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers['authorization'] ?? ''}`.trim());
    const { status = 200, body = '', cutAfter } = replies.shift() ?? { status: 500 };
    response.writeHead(status, { 'content-length': Buffer.byteLength(body) });
    if (cutAfter === undefined) response.end(body);
    else response.write(body.slice(0, cutAfter), () => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  portal = createPortal({ environment: { ...OWN_MACHINE, GRANTS_TOKEN: 'secret-word' } });
  lane = laneAt(`http://127.0.0.1:${portOf(server)}/documents`);
});
afterAll(async () => {
  await portal.close();
  await new Promise((resolve) => server.close(resolve));
  await world.close();
});

function portOf(one: { address(): unknown }): number {
  // A server that listens on a port has an address of this kind.
  return (one.address() as AddressInfo).port;
}

function laneAt(
  baseUrl: string,
  changes: Parameters<typeof sampleProfile>[0] = {},
  over: LanePortal = portal,
): DocumentLane {
  const profile = sampleProfile({ baseUrl, ...changes });
  const read = (path: string) => over.read(profile, path, guard);
  return laneDocuments(profile.code, { mayRead: true, read });
}

let awards = 0;
function document(): string {
  awards += 1;
  const reference = `REF-${1000 + awards}`;
  const award = { id: `F-${awards}`, cents: 500, reference, expected: '2026-01-12' };
  return JSON.stringify([awardJson(award)]);
}

let paths = 0;
function freshPath(): string {
  paths += 1;
  return `/awards-${paths}.json`;
}

const wanted = (path: string) => ({ path, format: 'json' }) as const;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function snapshots(path: string): Promise<readonly Record<string, unknown>[]> {
  return world.rows(
    `select s.kind, s.n as attempt_count, s.last_error_code, s.payload_hash = encode(f.request_sha256, 'hex') as same,
       extract(epoch from s.retry_deadline - f.started_at)::int as seconds
     from question_try s join question f on f.tenant = s.tenant and f.id = s.question
     where f.purpose = 'fetch' and f.subject = $1 order by s.n, s.kind`,
    [path],
  );
}

describe('an award document over HTTP', () => {
  it('is imported exactly like a file: the same key, the same hash, once', async () => {
    const path = freshPath();
    const body = document();
    replies.push({ body });
    const report = await world.pipeline.fetchAwards(wanted(path), lane, ACTOR);
    expect(report).toMatchObject({ state: 'ingested', attempts: 1, ingestion: { accepted: 1 } });
    expect(report.ingestion?.document).toBe(sha256(body));
    const file = {
      name: 'same.json',
      format: 'json',
      async *open() {
        yield Buffer.from(body);
      },
    } as const;
    expect(await world.pipeline.ingestAwards(file, ACTOR)).toMatchObject({
      isRepeatedDocument: true,
    });
    expect(await snapshots(path)).toMatchObject([{ kind: 'attempt', attempt_count: 1 }]);
  });

  it('is asked for with credentials that the profile names and nothing records', async () => {
    const path = freshPath();
    const credentials = [{ header: 'authorization', value: 'env:GRANTS_TOKEN' }];
    replies.push({ body: document() });
    const own = laneAt(`http://127.0.0.1:${portOf(server)}`, { credentials });
    expect(await world.pipeline.fetchAwards(wanted(path), own, ACTOR)).toMatchObject({
      state: 'ingested',
    });
    expect(asked.at(-1)).toBe(`${path} secret-word`);
    const [row] = await world.rows(
      `select count(*)::int as n from question f where f::text like '%secret-word%'`,
    );
    expect(row?.['n']).toBe(0);
  });

  it.each([429, 502, 503])(
    'that answers %i waits 2 to 30 seconds and is read again',
    async (status) => {
      const path = freshPath();
      replies.push({ status }, { body: document() });
      const first = await world.pipeline.fetchAwards(wanted(path), lane, ACTOR);
      expect(first).toMatchObject({ state: 'waiting', lastErrorCode: `HTTP_${status}` });
      const waitMs = Date.parse(first.nextAt ?? '') - world.now();
      expect(waitMs).toBeGreaterThanOrEqual(2_000);
      expect(waitMs).toBeLessThanOrEqual(30_000);
      const before = asked.length;
      expect(await world.pipeline.runFetchQueue(lane)).toEqual([]);
      expect(await world.pipeline.fetchAwards(wanted(path), lane, ACTOR)).toMatchObject({
        state: 'waiting',
        attempts: 1,
      });
      expect(asked).toHaveLength(before);
      world.advance(30_000);
      expect(await world.pipeline.runFetchQueue(lane)).toMatchObject([
        { state: 'ingested', attempts: 2, ingestion: { accepted: 1 } },
      ]);
      const common = { same: true, seconds: 900 };
      expect(await snapshots(path)).toEqual([
        { kind: 'attempt', attempt_count: 1, last_error_code: 'NONE', ...common },
        { kind: 'failure', attempt_count: 1, last_error_code: `HTTP_${status}`, ...common },
        { kind: 'attempt', attempt_count: 2, last_error_code: `HTTP_${status}`, ...common },
      ]);
    },
  );

  it.each([400, 401, 403, 404, 500, 302])(
    'that answers %i goes to a person and is never read again',
    async (status) => {
      const path = freshPath();
      replies.push({ status });
      const report = await world.pipeline.fetchAwards(wanted(path), lane, ACTOR);
      expect(report).toMatchObject({
        state: 'fallback',
        attempts: 1,
        lastErrorCode: `HTTP_${status}`,
      });
      const shown = await world.pipeline.exceptions.show(report.exception ?? '');
      expect(shown).toMatchObject({ from: 'ingestion', escalationCode: `HTTP_${status}` });
      expect(shown.envelope.original_payload).toEqual({ lane: lane.code, path, format: 'json' });
      const before = asked.length;
      world.advance(3_600_000);
      expect(await world.pipeline.runFetchQueue(lane)).toEqual([]);
      expect(asked).toHaveLength(before);
    },
  );

  it('that fails three times in a row goes to a person, with the whole history', async () => {
    const path = freshPath();
    replies.push({ status: 429 }, { status: 502 }, { status: 503 });
    await world.pipeline.fetchAwards(wanted(path), lane, ACTOR);
    world.advance(30_000);
    await world.pipeline.runFetchQueue(lane);
    world.advance(30_000);
    const [report] = await world.pipeline.runFetchQueue(lane);
    expect(report).toMatchObject({ state: 'fallback', attempts: 3 });
    const shown = await world.pipeline.exceptions.show(report?.exception ?? '');
    expect(shown.escalationCode).toBe('RETRY_EXHAUSTED_PERMANENT_FAILURE');
    expect(shown.envelope.compliance_metadata).toMatchObject({
      attempt_count: 3,
      audit_trail: [
        { last_error_code: 'HTTP_429' },
        { last_error_code: 'HTTP_502' },
        { last_error_code: 'HTTP_503' },
      ],
    });
  });

  it.each(['<awards><award></awards>', '<awards>\u0000</awards>'])(
    'that breaks off in the middle of its format goes to a person with its bytes',
    async (body) => {
      const path = freshPath();
      replies.push({ body });
      const report = await world.pipeline.fetchAwards({ path, format: 'xml' }, lane, ACTOR);
      expect(report).toMatchObject({ state: 'fallback', attempts: 1 });
      const shown = await world.pipeline.exceptions.show(report.exception ?? '');
      expect(shown.escalationCode).toBe('SCHEMA_VIOLATION');
      expect(shown.envelope.violation_codes).toEqual(['MALFORMED']);
      expect(shown.envelope.original_payload).toMatchObject({ document: body });
      expect(await world.count('grant_document', `id = '${sha256(body)}'`)).toBe(0);
    },
  );

  it('with an award that is refused is imported as a file would be: one exception for that award', async () => {
    const path = freshPath();
    const [good] = JSON.parse(document()) as object[];
    replies.push({ body: JSON.stringify([good, { ...good, award_id: 'EUR', currency: 'EUR' }]) });
    expect(await world.pipeline.fetchAwards(wanted(path), lane, ACTOR)).toMatchObject({
      state: 'ingested',
      ingestion: { accepted: 1, refused: 1 },
    });
  });

  it('that is too large goes to a person', async () => {
    const path = freshPath();
    replies.push({ body: ' '.repeat(8 * 1024 * 1024 + 1) });
    expect(await world.pipeline.fetchAwards(wanted(path), lane, ACTOR)).toMatchObject({
      state: 'fallback',
      lastErrorCode: 'SCHEMA_VIOLATION',
    });
  });

  it('that is cut off is read again, and the rest must fit what was read', async () => {
    const path = freshPath();
    const body = document();
    replies.push({ body, cutAfter: 40 }, { body });
    expect(await world.pipeline.fetchAwards(wanted(path), lane, ACTOR)).toMatchObject({
      state: 'waiting',
      lastErrorCode: 'CONNECTION_FAILED',
    });
    world.advance(30_000);
    expect(await world.pipeline.runFetchQueue(lane)).toMatchObject([{ state: 'ingested' }]);
  });

  it('that differs when it is read again is quarantined, and nothing of it is imported', async () => {
    const path = freshPath();
    const body = document();
    const other = body.replace('"award_amount":500', '"award_amount":900');
    replies.push({ body, cutAfter: body.length - 3 }, { body: other });
    await world.pipeline.fetchAwards(wanted(path), lane, ACTOR);
    world.advance(30_000);
    const [report] = await world.pipeline.runFetchQueue(lane);
    expect(report).toMatchObject({ state: 'fallback', attempts: 2 });
    const shown = await world.pipeline.exceptions.show(report?.exception ?? '');
    expect(shown.escalationCode).toBe('NON_DETERMINISTIC_PAYLOAD');
    expect(shown.envelope.original_payload).toMatchObject({ document: other });
    expect(await world.count('grant_document', `id = '${sha256(other)}'`)).toBe(0);
  });
});

describe('a connection that does not come about', () => {
  async function waits(own: DocumentLane, code: string): Promise<void> {
    const path = freshPath();
    expect(await world.pipeline.fetchAwards(wanted(path), own, ACTOR)).toMatchObject({
      state: 'waiting',
      lastErrorCode: code,
    });
    // Out of the way of the tests that run the queue.
    await world.rows(
      `update question set state = 'fallback', exception = id, next_at = null where subject = $1`,
      [path],
    );
  }

  it('because its name is not found waits', () =>
    waits(laneAt('http://grants.invalid'), 'DNS_FAILURE'));

  it('because the port is closed waits', async () => {
    const closed = createTcpServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const port = portOf(closed);
    await new Promise((resolve) => closed.close(resolve));
    await waits(laneAt(`http://127.0.0.1:${port}`), 'CONNECTION_FAILED');
  });

  it('because its TLS handshake stalls waits', async () => {
    const sockets: Socket[] = [];
    const mute = createTcpServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    try {
      const own = laneAt(`https://127.0.0.1:${portOf(mute)}`, { tlsHandshakeMsMax: 200 });
      await waits(own, 'TLS_TIMEOUT');
    } finally {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => mute.close(resolve));
    }
  });

  it('because its certificate is not trusted goes to a person', async () => {
    const body = document();
    const secure = createTlsServer(TLS, (_request, response) => response.end(body));
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
    const trusting = createPortal({ environment: OWN_MACHINE, certificateAuthorities: [TLS.cert] });
    try {
      const baseUrl = `https://localhost:${portOf(secure)}`;
      const path = freshPath();
      expect(await world.pipeline.fetchAwards(wanted(path), laneAt(baseUrl), ACTOR)).toMatchObject({
        state: 'fallback',
        lastErrorCode: 'NETWORK_tls',
      });
      const good = laneAt(baseUrl, {}, trusting);
      expect(await world.pipeline.fetchAwards(wanted(freshPath()), good, ACTOR)).toMatchObject({
        state: 'ingested',
      });
    } finally {
      await trusting.close();
      await new Promise((resolve) => secure.close(resolve));
    }
  });

  it('because it would lead into a private network goes to a person, and nothing is sent', async () => {
    const before = asked.length;
    const own = laneAt(`http://127.0.0.1:${portOf(server)}`, { allowPrivateAddresses: false });
    expect(await world.pipeline.fetchAwards(wanted(freshPath()), own, ACTOR)).toMatchObject({
      state: 'fallback',
      lastErrorCode: 'NETWORK_address_refused',
    });
    expect(asked).toHaveLength(before);
  });
});

describe('a process that dies while it fetches', () => {
  it('leaves at any moment a document that is imported once, or not at all', async () => {
    const path = freshPath();
    const body = document();
    const whole = cutAt(world.session, Number.POSITIVE_INFINITY);
    replies.push({ body: document() });
    await openPipeline({ ...world.parts, session: whole.session }).fetchAwards(
      wanted(freshPath()),
      lane,
      ACTOR,
    );
    for (let moment = 1; moment <= whole.moments(); moment += 1) {
      replies.length = 0;
      replies.push({ body });
      const { session } = cutAt(world.session, moment);
      const dying = openPipeline({ ...world.parts, session });
      await dying.fetchAwards(wanted(path), lane, ACTOR).catch((error: unknown) => {
        if (!(error instanceof Cut)) throw error;
      });
      world.advance(120_000);
    }
    replies.length = 0;
    replies.push({ body });
    await world.pipeline.fetchAwards(wanted(path), lane, ACTOR);
    expect(await world.count('grant_document', `id = '${sha256(body)}'`)).toBe(1);
    const [sum] = await world.rows(
      `select count(*)::int as n from grant_award where document = $1`,
      [sha256(body)],
    );
    expect(sum?.['n']).toBe(1);
    expect(await world.count('question', `subject = '${path}' and state = 'fallback'`)).toBe(0);
  });

  it('after it has read finds out when the document is another one by then', async () => {
    const path = freshPath();
    const first = document();
    // After the read is on record, before anything is taken in.
    for (let moment = 1; ; moment += 1) {
      replies.length = 0;
      replies.push({ body: first });
      const { session } = cutAt(world.session, moment);
      const dying = openPipeline({ ...world.parts, session });
      await dying.fetchAwards(wanted(path), lane, ACTOR).catch((error: unknown) => {
        if (!(error instanceof Cut)) throw error;
      });
      world.advance(120_000);
      const seen = await world.count('question', `subject = '${path}' and seen_whole`);
      if (seen > 0) break;
    }
    expect(await world.count('question', `subject = '${path}' and state = 'waiting'`)).toBe(1);
    replies.length = 0;
    replies.push({ body: document() });
    const report = await world.pipeline.fetchAwards(wanted(path), lane, ACTOR);
    expect(report.state).toBe('fallback');
    const shown = await world.pipeline.exceptions.show(report.exception ?? '');
    expect(shown.escalationCode).toBe('NON_DETERMINISTIC_PAYLOAD');
  });
});

it('a fetch may not change what it asks for, nor forget what it saw', async () => {
  const path = freshPath();
  replies.length = 0;
  replies.push({ body: document(), cutAfter: 30 });
  await world.pipeline.fetchAwards(wanted(path), lane, ACTOR);
  for (const change of [
    `subject = '/other.json'`,
    `request = '{}'`,
    `tries = 0`,
    `seen_bytes = 1`,
  ]) {
    const text = `update question set ${change} where subject = $1`;
    await expect(world.rows(text, [path]), change).rejects.toMatchObject({ code: '23001' });
  }
  await expect(world.pipeline.fetchAwards({ path, format: 'csv' }, lane, ACTOR)).rejects.toThrow(
    FilewrightError,
  );
});
