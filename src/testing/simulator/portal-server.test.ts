import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import type { Simulator } from './portal-server.ts';
import { BODY_BYTES_MAX } from './request-body.ts';
import { sampleProfile } from './sample-profile.ts';
import { closeAll, start, submit, until } from '../../../test/fixtures/portal-server-bench.ts';

afterEach(closeAll);

interface RawAnswer {
  readonly text: string;
  /** How many pieces came, and whether the connection ended by itself. */
  readonly pieces: number;
  readonly ended: boolean;
}

/** Sends a submission on a bare socket and collects what comes until the connection ends or rests. */
function raw(simulator: Simulator, restMs = 300): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const socket = writeSubmission(simulator);
    let text = '';
    let pieces = 0;
    const finish = (ended: boolean): void => {
      socket.destroy();
      resolve({ text, pieces, ended });
    };
    socket.setTimeout(restMs, () => finish(false));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      pieces += 1;
    });
    socket.on('error', () => finish(true));
    socket.on('end', () => finish(true));
  });
}

function writeSubmission(simulator: Simulator): Socket {
  const socket = connect(simulator.port, '127.0.0.1');
  socket.write(
    'POST /US-DE/submit HTTP/1.1\r\nHost: portal\r\nX-Idempotency-Key: k1\r\nContent-Length: 2\r\n\r\n{}',
  );
  return socket;
}

describe('the simulator over HTTP', () => {
  it('plays several portals, each with its own truth', async () => {
    const simulator = await start();
    const answer = await submit(simulator, 'k1');
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ receipt: { number: 'DE-00000001' } });
    await submit(simulator, 'k2', 'US-CA');
    expect(simulator.truth('US-DE').find('k1')?.acceptances).toHaveLength(1);
    expect(simulator.truth('US-CA').find('k1')).toBeUndefined();
    expect((await fetch(`http://127.0.0.1:${simulator.port}/US-XX/submit`)).status).toBe(404);
    expect(() => simulator.url('US-XX')).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
    expect(simulator.profile('US-CA').baseUrl).toBe(`http://127.0.0.1:${simulator.port}/US-CA`);
  });

  it('answers a status query and a health probe', async () => {
    const simulator = await start({ visibilityLagMs: 0 });
    await submit(simulator, 'a/b c');
    const path = `/status?key=${encodeURIComponent('a/b c')}&submission=`;
    const answer = await fetch(simulator.url('US-DE') + path);
    expect(await answer.json()).toMatchObject({ filing: { state: 'FILED', key: 'a/b c' } });
    const probe = await fetch(`${simulator.url('US-DE')}/health`, { method: 'HEAD' });
    expect(probe.status).toBe(200);
  });

  it('cuts the connection after it has accepted', async () => {
    const simulator = await start({ faults: { accept_then_cut: 1 } });
    expect(await raw(simulator)).toEqual({ text: '', pieces: 0, ended: true });
    expect(simulator.truth('US-DE').summary()).toMatchObject({ accepted: 1, inFlight: 0 });
  });

  it('cuts the connection after the headers', async () => {
    const simulator = await start({ faults: { accept_then_cut_after_headers: 1 } });
    const { text, ended } = await raw(simulator);
    expect(ended).toBe(true);
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*content-length: \d\d[^]*\r\n\r\n$/);
  });

  it('cuts the connection in the middle of the declared body', async () => {
    const simulator = await start({ faults: { truncated_body: 1 } });
    const { text, ended } = await raw(simulator);
    const [head = '', body = ''] = text.split('\r\n\r\n');
    const declared = Number(/content-length: (\d+)/.exec(head)?.[1]);
    expect(ended).toBe(true);
    expect(body.length).toBe(Math.floor(declared / 2));
    await expect(submit(simulator, 'k2').then((answer) => answer.text())).rejects.toThrow();
  });

  it('lets an answer trickle', async () => {
    const timings = { dripEveryMs: 15, dripChunkBytes: 16 };
    const simulator = await start({ faults: { slow_drip: 1 }, timings });
    const { text, pieces } = await raw(simulator);
    expect(pieces).toBeGreaterThan(2);
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      receipt: { number: 'DE-00000001' },
    });
  });

  it('answers twice on one connection', async () => {
    const simulator = await start({ faults: { duplicate_answer: 1 } });
    const { text } = await raw(simulator);
    expect(text.split('HTTP/1.1 200 OK')).toHaveLength(3);
  });

  it('answers twice without a client taking the copy for the answer to its next request', async () => {
    const simulator = await start({ schedule: [{ fault: 'duplicate_answer', request: 1 }] });
    const client = new Client(`http://127.0.0.1:${simulator.port}`);
    const send = async (key: string): Promise<unknown> => {
      const headers = { 'x-idempotency-key': key };
      const path = '/US-DE/submit';
      const { body } = await client.request({ path, method: 'POST', headers, body: key });
      return body.json();
    };
    expect(await send('k1')).toMatchObject({ filing: { key: 'k1' } });
    expect(await send('k2')).toMatchObject({ filing: { key: 'k2' } });
    await client.close();
  });

  it('stays silent until the client gives up, and accepted all the same', async () => {
    const faults = { accept_then_silence: 1 };
    const simulator = await start({ faults, timings: { silenceMs: 150 } });
    const signal = AbortSignal.timeout(50);
    await expect(submit(simulator, 'k1', 'US-DE', { signal })).rejects.toThrow();
    expect(simulator.truth('US-DE').summary()).toMatchObject({ accepted: 1, inFlight: 1 });
    await until(() => simulator.truth('US-DE').inFlight === 0);
  });

  it('counts a request until the portal is done with it, although the client has gone', async () => {
    const simulator = await start({ latencyMs: { mean: 200, spread: 0 } });
    const truth = simulator.truth('US-DE');
    const socket = writeSubmission(simulator);
    await until(() => truth.inFlight === 1);
    socket.destroy();
    const answer = submit(simulator, 'k2');
    await until(() => truth.inFlight === 2);
    expect((await answer).status).toBe(200);
    await until(() => truth.inFlight === 0);
    expect(truth.summary()).toMatchObject({ inFlightMax: 2, accepted: 2 });
  });

  it('takes no notice of a request whose body never came whole', async () => {
    const simulator = await start();
    const socket = connect(simulator.port, '127.0.0.1');
    socket.write('POST /US-DE/submit HTTP/1.1\r\nHost: p\r\nContent-Length: 10\r\n\r\n{}');
    await pause(30);
    socket.destroy();
    expect((await submit(simulator, 'k2')).status).toBe(200);
    expect(simulator.truth('US-DE').summary().requests.submit).toBe(1);
  });

  it('goes on after every kind of fault, over real connections', async () => {
    const timings = { silenceMs: 30, slowMs: 30, dripEveryMs: 1 };
    const simulator = await start({ mixRate: 1, timings, seed: 3 });
    const keys = Array.from({ length: 300 }, (_, index) => `k${index}`);
    // Many of these end in a rejection, which is the point; what counts is what the portal says afterwards.
    await Promise.allSettled(
      keys.map((key) => submit(simulator, key).then((answer) => answer.text())),
    );
    await until(() => simulator.truth('US-DE').inFlight === 0);
    expect(simulator.truth('US-DE').summary().requests.submit).toBeGreaterThanOrEqual(300);
    simulator.behave('US-DE', { mixRate: 0 });
    expect((await submit(simulator, 'last')).status).toBe(200);
  });

  it('refuses a body above the bound with 413', async () => {
    const simulator = await start();
    const body = Buffer.alloc(BODY_BYTES_MAX + 1, 32);
    const client = new Client(`http://127.0.0.1:${simulator.port}`);
    const answer = await client.request({ path: '/US-DE/submit', method: 'POST', body });
    expect(answer.statusCode).toBe(413);
    await answer.body.dump();
    await client.destroy();
    expect(simulator.truth('US-DE').summary().requests.submit).toBe(0);
  });

  it('says so when the port is taken', async () => {
    const { port } = await start();
    await expect(start({}, { port })).rejects.toMatchObject({
      code: 'PORT_IN_USE',
      details: { port, host: '127.0.0.1' },
    });
  });

  it('refuses two profiles with one code', async () => {
    const profiles = [sampleProfile(), sampleProfile()];
    await expect(start({}, { profiles })).rejects.toMatchObject({
      code: 'USAGE',
    });
  });
});
