/** Consumers, background work as it runs, and the whole way from an accepted filing to its receivers. */
import { setTimeout as pass } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { approvedMail, approvedRecipient, approvedWebhook } from '../fixtures/approved.ts';
import { verifyLedger } from '../../src/oversight/acts/audit.ts';
import type { EventConsumer } from '../../src/people/consumers.ts';
import { startBackgroundWork } from '../../src/oversight/jobs.ts';
import { listAlerts } from '../../src/people/store/alerts.ts';
import { ensureEmbedded } from '../../src/postgres/embedded/ensure.ts';
import { stopEmbedded } from '../../src/postgres/embedded/stop.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { quickProfile, Stage } from '../delivery/stage.ts';
import { until } from '../delivery/waiting.ts';
import { startMailServer, TLS } from '../notify/mail-server.ts';
import { type Receiver, startReceiver, status } from '../notify/receiver.ts';
import { HOUR_MS, House } from './house.ts';
import { OPERATOR } from '../operator.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';

let server: Server;
let house: House;
let receiver: Receiver;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  house = await House.open(server);
  receiver = await startReceiver();
});
afterEach(async () => {
  await receiver.close();
  await house.close();
});

/** Writes each event it hears into a table of its own, and fails as told. */
function recorder(name: string, fails: (data: unknown) => boolean = () => false) {
  const heard: string[][] = [];
  const consumer: EventConsumer = {
    name,
    types: ['HEARD'],
    async consume(events, run) {
      heard.push(events.map(({ id }) => id));
      for (const { id, data } of events) {
        await run({ name: '', text: 'insert into heard (event) values ($1)' }, [id]);
        if (fails(data)) throw new Error('planned');
      }
    },
  };
  return { consumer, heard };
}

const written = () => house.app.session.run({ name: '', text: 'select event from heard' });

describe('a consumer', () => {
  beforeEach(async () => {
    await house.app.session.run({
      name: '',
      text: 'create table if not exists heard (event uuid not null)',
    });
    await house.app.session.run({ name: '', text: 'truncate heard' });
  });

  it('hears each event of its types once', async () => {
    const { consumer } = recorder('once');
    await house.once({ consumers: [consumer] });
    const first = await house.publish('HEARD');
    await house.publish('IGNORED');
    await house.once({ consumers: [consumer] });
    await house.once({ consumers: [consumer] });
    expect((await written()).map((row) => row['event'])).toEqual([first]);
  });

  it('that fails in the middle leaves nothing behind, and hears the event again', async () => {
    let isBroken = true;
    const { consumer } = recorder('flaky', () => isBroken);
    await house.once({ consumers: [consumer] });
    await house.publish('HEARD');
    await house.once({ consumers: [consumer] });
    expect(await written()).toEqual([]);
    isBroken = false;
    await house.later(HOUR_MS);
    await house.once({ consumers: [consumer] });
    expect(await written()).toHaveLength(1);
  });

  it('that cannot handle one event handles the others, gives that one up in the end, and says so', async () => {
    const { consumer } = recorder('choosy', (data) => (data as { bad?: true }).bad === true);
    await house.once({ consumers: [consumer] });
    for (let n = 0; n < 5; n += 1) await house.publish('HEARD', n === 2 ? { bad: true } : {});
    for (let n = 0; n < 16; n += 1) {
      await house.once({ consumers: [consumer] });
      await house.later(2 * HOUR_MS);
    }
    expect(await written()).toHaveLength(4);
    const rows = await house.rows(
      `select state, tries, code from work where tenant = $1 and kind = 'consume' and target = 'choosy' and state <> 'done'`,
    );
    expect(rows).toEqual([{ state: 'failed', tries: 15, code: 'CONSUMER_FAILED' }]);
    const run = house.app.session.run.bind(house.app.session);
    const alerts = await listAlerts(run, house.app.tenant, { all: false, limit: 10 });
    expect(alerts).toMatchObject([{ kind: 'consumer_failed', severity: 'critical' }]);
  });

  it('of another process gets its events also when this one takes them', async () => {
    const { consumer } = recorder('elsewhere');
    await house.once({ consumers: [consumer] });
    const event = await house.publish('HEARD');
    await house.once();
    expect(await written()).toEqual([]);
    await house.once({ consumers: [consumer] });
    expect((await written()).map((row) => row['event'])).toEqual([event]);
  });
});

describe('background work', () => {
  it('sends soon after the commit, says nothing on stdout, and stops cleanly', async () => {
    const out = vi.spyOn(process.stdout, 'write');
    const console_ = vi.spyOn(console, 'log');
    await house.webhook(receiver.url);
    const jobs = await startBackgroundWork(house.options());
    await house.publish();
    await until(() => receiver.taken.length === 1);
    await jobs.stop();
    await jobs.stop();
    expect(out).not.toHaveBeenCalled();
    expect(console_).not.toHaveBeenCalled();
    vi.restoreAllMocks();
    await house.publish();
    await pass(300);
    expect(receiver.taken).toHaveLength(1);
  });

  it('beside another one sends everything once', async () => {
    await house.webhook(receiver.url);
    const jobs = [
      await startBackgroundWork(house.options()),
      await startBackgroundWork(house.options()),
    ];
    const sent = new Set<string>();
    for (let n = 0; n < 60; n += 1) sent.add(await house.publish());
    await until(() => receiver.taken.length >= 60);
    await pass(300);
    await Promise.all(jobs.map((one) => one.stop()));
    const got = receiver.taken.map(({ headers }) => String(headers['webhook-id']));
    expect(got).toHaveLength(60);
    expect(new Set(got)).toEqual(sent);
  });

  it('goes on after every one of its connections was cut', async () => {
    await house.webhook(receiver.url);
    const jobs = await startBackgroundWork(house.options());
    await house.publish();
    await until(() => receiver.taken.length === 1);
    // At rest: a send that is cut in the middle keeps its claim, which outlasts a test.
    await until(
      async () => (await house.count("work where kind = 'webhook' and state = 'pending'")) === 0,
    );
    await house.app.session.run({
      name: '',
      text: `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name ~ '^filewright (jobs|consumers) '`,
    });
    await house.publish();
    await until(() => receiver.taken.length === 2);
    await jobs.stop();
  });

  it('lives on when the database is away for seconds, and does then what was due meanwhile', async () => {
    await house.webhook(receiver.url);
    const jobs = await startBackgroundWork(house.options());
    // A turn that is over is put off to a full minute; while it is taken, to the end of its claim.
    const turnsOf = async (name: string): Promise<number> => {
      const [row] = await house.rows(
        `select tries from work where tenant = $1 and kind = 'timetable' and target = $2
           and next_at > now() and next_at = date_trunc('minute', next_at)`,
        name,
      );
      return Number(row?.['tries'] ?? 0);
    };
    await until(async () => (await turnsOf('tell')) > 0 && (await turnsOf('look')) > 0);
    const told = await turnsOf('tell');
    await house.publish();
    await house.rows(
      `update work set next_at = now() + interval '1 second' where tenant = $1 and (kind = 'event' or target = 'tell')`,
    );
    await stopEmbedded(server.dataDirectory);
    await pass(3_000);
    await ensureEmbedded({ dataDirectory: server.dataDirectory });
    await until(() => receiver.taken.length === 1);
    await until(async () => (await turnsOf('tell')) > told);
    expect(house.logged.map(({ event }) => event)).toContain('jobs.poll_failed');
    await jobs.stop();
  });

  it('retries by itself when the wait is over', async () => {
    await house.webhook(receiver.url);
    receiver.answer = (response, _taken, n) => void response.writeHead(n === 1 ? 500 : 200).end();
    const jobs = await startBackgroundWork(house.options());
    await house.publish();
    await until(() => receiver.taken.length === 2);
    const [first, second] = receiver.taken.map(({ headers }) =>
      Number(headers['webhook-timestamp']),
    );
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(4);
    await jobs.stop();
  });
});

describe('a filing that is accepted', () => {
  it('is reported to the webhook and to the registered agent, with ids and no payload', async () => {
    const mail = await startMailServer();
    const stage = await Stage.set(server, [quickProfile('US-DE', { ceiling: 4 })]);
    const { app, person } = stage;
    const environment = { ...OWN_MACHINE, SMTP: `smtp://localhost:${mail.port}` };
    const setting = { smtp: 'env:SMTP', sender: 'f@example.org', allowPrivateAddresses: true };
    await approvedMail(app, person, setting, environment);
    const agent = { role: 'registered_agent', address: 'agent@example.org', entityId: undefined };
    await approvedRecipient(app, person, agent);
    const input = { url: receiver.url, types: [], allowPrivateAddresses: true, environment };
    await approvedWebhook(app, person, input);
    await stage.feed('US-DE', 5);
    const jobs = await startBackgroundWork({
      ...app,
      target: server.target,
      schema: 'filewright',
      environment,
      network: { certificateAuthorities: [TLS.cert] },
      publicUrl: 'https://filewright.example',
      pollMs: 50,
    });
    const worker = await stage.worker();
    await stage.untilDone();
    await until(() => receiver.taken.length === 5 && mail.taken.length === 5);
    await worker.stop();
    await jobs.stop();
    const events = receiver.taken.map(({ body }) => JSON.parse(body) as Record<string, never>);
    expect(new Set(events.map(({ subject }) => subject)).size).toBe(5);
    for (const event of events) {
      expect(event).toMatchObject({
        type: 'COMPLIANCE_FILING_COMPLETE',
        data: {
          status: 'accepted',
          lane: 'US-DE',
          filing_kind: 'annual_report',
          links: { filing: `https://filewright.example/filings/${String(event['subject'])}` },
        },
      });
      // The name of the entity is in the payload alone.
      expect(JSON.stringify(event)).not.toContain('Entity ');
    }
    expect(await verifyLedger(app, OPERATOR, { bodies: true })).toMatchObject({ ok: true });
    await stage.close();
    await mail.close();
  });
});

describe('a notice under way', () => {
  it('is finished before background work stops', async () => {
    await house.webhook(receiver.url);
    let release = (): void => undefined;
    receiver.answer = (response, taken, n) => {
      release = () => status(200)(response, taken, n);
    };
    const jobs = await startBackgroundWork(house.options());
    await house.publish();
    await until(() => receiver.taken.length === 1);
    const stopped = jobs.stop();
    await pass(100);
    release();
    await stopped;
    expect(await house.count("work where kind = 'webhook' and state = 'done'")).toBe(1);
  });
});
