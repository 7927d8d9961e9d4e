/** Each portal's quirks from file to receipt; the portals' own truth says that nobody was harmed. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { changeProfile } from '../fixtures/profiles.ts';
import { systemClock } from '../../src/system/clock.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { pass, until } from '../delivery/waiting.ts';
import { ALWAYS, closedNow, month, NO_HARM, Office, rowsOf } from './office.ts';

let server: Server;
let office: Office;

beforeAll(async () => {
  server = await startServer();
});
afterEach(() => office.close());
afterAll(() => server.close());

const steady = { latencyMs: { mean: 15, spread: 0 } };

describe('Delaware', () => {
  it('one session at a time over two workers, and a 403 with a reset stamp is waited out', async () => {
    office = await Office.open(server, ['us-de'], {
      behaviour: {
        'US-DE': {
          ...steady,
          overCeiling: 'blocked',
          sessions: 'tracked',
          schedule: [{ fault: 'throttle_403_reset', request: 9 }],
          timings: { throttleMs: 1_500 },
        },
      },
    });
    await office.file(rowsOf('US-DE', 40));
    await office.worker();
    await office.worker();
    await office.untilEnded('US-DE');
    expect(await office.ends('US-DE')).toEqual({ accepted: 40 });
    expect(office.simulator.truth('US-DE').faults).toEqual({ throttle_403_reset: 1 });
    expect(office.harm('US-DE')).toEqual(NO_HARM);
  });

  it('the third CAPTCHA mark of a filing hands it to a person; the others go on', async () => {
    office = await Office.open(server, ['us-de'], {
      behaviour: { 'US-DE': steady },
      changes: { 'us-de': { throttle: { pauseMsMax: 200 } } },
    });
    await office.file(rowsOf('US-DE', 5));
    const [first] = await office.filings('US-DE');
    office.simulator.behave('US-DE', {
      schedule: [{ fault: 'throttle_403_captcha', key: first?.key ?? '' }],
    });
    await office.worker();
    await office.untilEnded('US-DE');
    expect(await office.ends('US-DE')).toEqual({ accepted: 4, fallout: 1 });
    expect(office.simulator.truth('US-DE').faults).toEqual({ throttle_403_captcha: 3 });
  });
});

describe('California', () => {
  it('a receipt that was lost is found by asking, never by sending again', async () => {
    office = await Office.open(server, ['us-ca'], { behaviour: { 'US-CA': steady } });
    await office.file(rowsOf('US-CA', 30, { entity_name: 'Señal – “Ünï” Inc.' }));
    const [lost, refused] = await office.filings('US-CA');
    office.simulator.behave('US-CA', {
      schedule: [
        { fault: 'accept_then_cut', key: lost?.key ?? '', nth: 1 },
        { fault: 'rejected_422', key: refused?.key ?? '', nth: 1 },
      ],
    });
    await office.worker();
    await office.untilEnded('US-CA');
    expect(await office.ends('US-CA')).toEqual({ accepted: 29, rejected: 1 });
    expect(office.simulator.truth('US-CA').find(lost?.key ?? '')).toMatchObject({ received: 1 });
    expect(office.simulator.truth('US-CA').find(refused?.key ?? '')).toMatchObject({ received: 1 });
    expect(office.harm('US-CA')).toEqual(NO_HARM);
  });

  it('a second statement inside 72 hours waits for the end of the window, and nothing of it is sent', async () => {
    office = await Office.open(server, ['us-ca'], { behaviour: { 'US-CA': steady } });
    await office.file(rowsOf('US-CA', 3));
    const stop = await office.worker();
    await office.untilEnded('US-CA');
    await stop();
    // In another file, so that the gate which compares the rows of one file does not see it.
    await office.file(rowsOf('US-CA', 1, { period: '2027' }));
    await office.worker();
    const held = async () =>
      (await office.filings('US-CA')).find(({ code }) => code === 'DUPLICATE_WINDOW');
    await until(async () => (await held()) !== undefined);
    const inHours = (((await held())?.nextAt ?? 0) - systemClock.now()) / 3_600_000;
    expect(inHours).toBeGreaterThan(71);
    expect(inHours).toBeLessThanOrEqual(72);
    expect(await office.ends('US-CA')).toEqual({ accepted: 3, pending: 1 });
    expect(office.simulator.truth('US-CA').summary()).toMatchObject({ keys: 3, refusals: {} });
  });

  it('one that someone else filed inside 72 hours meets 409, is asked about, and goes to a person', async () => {
    office = await Office.open(server, ['us-ca'], { behaviour: { 'US-CA': steady } });
    const { baseUrl, submit, idempotency } = office.simulator.profile('US-CA');
    const [row] = rowsOf('US-CA', 1);
    const answer = await fetch(`${baseUrl}${submit.path}`, {
      method: submit.method,
      headers: { 'content-type': 'application/json', [idempotency.header]: 'filed-elsewhere' },
      body: JSON.stringify(row),
    });
    expect(answer.status).toBe(200);
    await office.file(rowsOf('US-CA', 1));
    await office.worker();
    await office.untilEnded('US-CA');
    expect(await office.ends('US-CA')).toEqual({ fallout: 1 });
    const truth = office.simulator.truth('US-CA');
    expect(truth.summary()).toMatchObject({ accepted: 1, refusals: { duplicate: 1 } });
    expect(truth.requests.status).toBeGreaterThan(0);
  });

  it('an entity that the live registry does not know goes to a person, and nothing of it is sent', async () => {
    office = await Office.open(server, ['us-ca'], {
      behaviour: { 'US-CA': { ...steady, unknownEntities: ['4000001'] } },
    });
    await office.file(rowsOf('US-CA', 3));
    await office.worker();
    await office.untilEnded('US-CA');
    const refused = (await office.filings('US-CA')).filter(({ status }) => status === 'fallout');
    expect(refused.map(({ code }) => code)).toEqual(['REGISTRY_NOT_FOUND']);
    expect(office.simulator.truth('US-CA').summary()).toMatchObject({ accepted: 2, keys: 2 });
    expect(office.harm('US-CA')).toEqual(NO_HARM);
  });
});

describe('New York', () => {
  it('signs in, fills in the form, keeps the text with its bytes, and files nothing early', async () => {
    office = await Office.open(server, ['us-ny'], { behaviour: { 'US-NY': steady } });
    const text = { business_description: 'Ropes & twine — "coïr"', payment_rail: 'card' };
    await office.file(rowsOf('US-NY', 12, text));
    await office.file(rowsOf('US-NY', 6, { ...text, period: month(2) }));
    await office.worker();
    await until(async () => (await office.ends('US-NY'))['accepted'] === 12);
    await pass(500);
    expect(await office.ends('US-NY')).toEqual({ accepted: 12, pending: 6 });
    const truth = office.simulator.truth('US-NY');
    expect(truth.summary()).toMatchObject({ accepted: 12, keys: 12, refusals: {} });
    expect(office.harm('US-NY')).toEqual(NO_HARM);
  });

  it('nothing is sent while it is closed, and everything once it is open', async () => {
    office = await Office.open(server, ['us-ny', 'us-ca'], {
      behaviour: { '*': steady },
      changes: { 'us-ny': { hours: closedNow() } },
    });
    const batch = await office.file([...rowsOf('US-NY', 8), ...rowsOf('US-CA', 20)]);
    const stop = await office.worker();
    await office.untilEnded('US-CA');
    await pass(500);
    expect(office.simulator.truth('US-NY').requests).toMatchObject({ submit: 0, other: 0 });
    expect(await office.ends('US-NY')).toEqual({ pending: 8 });
    await stop();
    office.simulator.behave('US-NY', { closedHours: 'ignored' });
    const open = { ...office.simulator.profile('US-NY'), hours: ALWAYS };
    await changeProfile(office.app, office.person, open);
    await office.approveAgain(batch);
    await office.worker();
    await office.untilEnded('US-NY');
    expect(await office.ends('US-NY')).toEqual({ accepted: 8 });
    expect(office.harm('US-NY')).toEqual(NO_HARM);
  });

  it('a session that was idle too long is signed in anew before anything is posted', async () => {
    office = await Office.open(server, ['us-ny'], {
      behaviour: { 'US-NY': { ...steady, sessionIdleMs: 300 } },
    });
    await office.file(rowsOf('US-NY', 4));
    await office.worker();
    await office.untilEnded('US-NY');
    await pass(600);
    await office.file(rowsOf('US-NY', 8).slice(4));
    await office.untilEnded('US-NY');
    expect(await office.ends('US-NY')).toEqual({ accepted: 8 });
    expect(office.harm('US-NY')).toEqual(NO_HARM);
  });

  it('a wrong password is posted once by each worker, then the lane waits for a person, also after a restart', async () => {
    office = await Office.open(server, ['us-ny'], {
      behaviour: { 'US-NY': { ...steady, login: 'turned_away' } },
    });
    const { log } = office.simulator.truth('US-NY');
    const posts = () =>
      [...log.entries()].filter(({ method, path }) => method === 'POST' && path === '/login')
        .length;
    await office.file(rowsOf('US-NY', 20));
    const stops = [await office.worker(), await office.worker()];
    await until(async () => (await office.lane('US-NY')).pause.kind === 'held');
    await pass(1_000);
    for (const stop of stops) await stop();
    await office.worker();
    await pass(1_000);
    expect((await office.lane('US-NY')).pause).toMatchObject({ kind: 'held', reason: 'drift' });
    expect(await office.ends('US-NY')).toEqual({ pending: 20 });
    expect(posts()).toBeGreaterThan(0);
    expect(posts()).toBeLessThanOrEqual(2);
    const { recovery } = await office.lane('US-NY');
    expect(recovery).toMatchObject({ code: 'LOGIN_REFUSED', run: { state: 'awaiting_approval' } });
    office.simulator.behave('US-NY', { login: 'checked' });
    await office.approve('US-NY');
    await office.untilEnded('US-NY');
    expect(await office.ends('US-NY')).toEqual({ accepted: 20 });
  });
});

describe('Texas', () => {
  it('is submitted once and polled until it decides', async () => {
    office = await Office.open(server, ['us-tx'], {
      behaviour: { 'US-TX': { ...steady, timings: { processingMs: 700 }, visibilityLagMs: 0 } },
    });
    await office.file(rowsOf('US-TX', 15));
    await office.worker();
    await office.untilEnded('US-TX');
    expect(await office.ends('US-TX')).toEqual({ accepted: 15 });
    const { requests, keysAcceptedTwice } = office.simulator.truth('US-TX').summary();
    expect(requests.submit).toBe(15);
    expect(requests.status).toBeGreaterThanOrEqual(15);
    expect(keysAcceptedTwice).toBe(0);
    expect(office.harm('US-TX')).toEqual(NO_HARM);
  });
});

describe('one jurisdiction', () => {
  it('whose form has changed stands still as drift before it eats a batch; the others finish', async () => {
    office = await Office.open(server, ['us-de', 'us-ca', 'us-ny'], {
      behaviour: { '*': steady, 'US-NY': { ...steady, form: 'changed' } },
    });
    await office.file([...rowsOf('US-DE', 15), ...rowsOf('US-CA', 30), ...rowsOf('US-NY', 20)]);
    await office.worker();
    await until(async () => (await office.lane('US-NY')).pause.kind === 'held');
    expect((await office.lane('US-NY')).pause).toMatchObject({ reason: 'drift' });
    await Promise.all(['US-DE', 'US-CA'].map((lane) => office.untilEnded(lane)));
    expect(await office.ends('US-DE')).toEqual({ accepted: 15 });
    expect(await office.ends('US-CA')).toEqual({ accepted: 30 });
    expect(office.simulator.truth('US-NY').summary()).toMatchObject({ accepted: 0, keys: 0 });
    // Those that met the changed form keep their intents, and wait for the lane like the others.
    const { pending = 0, submitted = 0 } = await office.ends('US-NY');
    expect(pending + submitted).toBe(20);
    office.simulator.behave('US-NY', { form: 'as_profiled' });
    // Its synthetic filing meets the right form again.
    await office.untilEnded('US-NY');
    expect(await office.ends('US-NY')).toEqual({ accepted: 20 });
    for (const lane of ['US-DE', 'US-CA', 'US-NY']) expect(office.harm(lane)).toEqual(NO_HARM);
  });

  it('that fails is probed by HEAD, resumes after two good answers and a synthetic filing, and starts slowly', async () => {
    const stepMs = 700;
    office = await Office.open(server, ['us-ca', 'us-de'], {
      behaviour: {
        '*': { latencyMs: { mean: 40, spread: 0 } },
        // Refused before anything is taken, so that nothing has to be settled first.
        'US-CA': { latencyMs: { mean: 40, spread: 0 }, faults: { http_425: 1 }, health: 'bad' },
      },
      changes: { 'us-ca': { slowStartStepMs: stepMs } },
    });
    await office.file([...rowsOf('US-CA', 120), ...rowsOf('US-DE', 40)]);
    await office.worker();
    await until(async () => (await office.lane('US-CA')).breaker.state === 'open');
    await until(() => office.simulator.truth('US-CA').requests.health >= 2);
    const sent = office.simulator.truth('US-CA').requests.submit;
    await office.untilEnded('US-DE');
    expect(office.simulator.truth('US-CA').requests.submit).toBe(sent);
    const failedProbes = office.simulator.truth('US-CA').requests.health;
    const healedAt = Date.now();
    office.simulator.behave('US-CA', { faults: {}, health: 'good' });
    const truth = office.simulator.truth('US-CA');
    await until(async () => (await office.lane('US-CA')).breaker.state === 'closed');
    const resumedAt = (await office.lane('US-CA')).resumedAt ?? 0;
    expect(truth.requests.health).toBeGreaterThanOrEqual(failedProbes + 2);
    await office.untilEnded('US-CA');
    const probes = [...truth.log.entries()].filter(({ endpoint }) => endpoint === 'health');
    expect(new Set(probes.map(({ method }) => method))).toEqual(new Set(['HEAD']));
    // At 40 ms each, one at a time is at most 18 in a step, two at a time 36; a full start of six would be 105.
    const during = (from: number, to: number) =>
      [...truth.log.entries()].filter(
        ({ endpoint, at }) =>
          endpoint === 'submit' && at >= resumedAt + from && at < resumedAt + to,
      );
    const before = during(healedAt - resumedAt, 0).map(({ key }) => key);
    expect(before).toEqual([expect.stringMatching(/^recovery-/)]);
    expect(during(0, stepMs).length).toBeLessThanOrEqual(stepMs / 40 + 1);
    expect(during(0, stepMs).length).toBeGreaterThan(0);
    expect(during(stepMs, 2 * stepMs).length).toBeLessThanOrEqual((2 * stepMs) / 40 + 2);
    expect(await office.ends('US-CA')).toEqual({ accepted: 120 });
    expect(office.harm('US-CA')).toEqual(NO_HARM);
  });
});
