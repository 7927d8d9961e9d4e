/** Events through the queue to real receivers, with real PostgreSQL. */
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeWebhook, resend, rotateWebhook, testWebhook } from '../../src/people/acts/events.ts';
import { verifyLedger } from '../../src/oversight/acts/audit.ts';
import { listAlerts } from '../../src/people/store/alerts.ts';
import { claimNotices, listNotices, recordNotice } from '../../src/people/store/notices.ts';
import { takeEvents } from '../../src/people/store/events.ts';
import { Session } from '../../src/postgres/session.ts';
import { listSubscriptions } from '../../src/people/store/subscriptions.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { plainHeaders, type Receiver, startReceiver, status } from '../notify/receiver.ts';
import { HOUR_MS, House } from './house.ts';
import { OPERATOR } from '../operator.ts';

let server: Server;
let receiver: Receiver;
let house: House;

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

const ids = (): unknown[] => receiver.taken.map(({ headers }) => headers['webhook-id']);
const notices = (target?: string) =>
  listNotices(house.app.session, house.app.tenant, {
    limit: 100,
    ...(target === undefined ? {} : { target }),
  });

describe('an event', () => {
  it('reaches every subscription that wants its type, signed, and no one else', async () => {
    const all = await house.webhook(receiver.url);
    const one = await house.webhook(`${receiver.url}&only`, ['WANTED']);
    const wanted = await house.publish('WANTED', { n: 1 });
    const other = await house.publish('OTHER', { n: 2 });
    expect(await house.once()).toMatchObject({ events: 2 });
    const got = receiver.taken.map(
      ({ path, headers }) => `${path} ${String(headers['webhook-id'])}`,
    );
    expect(got.sort()).toEqual(
      [`/hook?a=1 ${wanted}`, `/hook?a=1 ${other}`, `/hook?a=1&only ${wanted}`].sort(),
    );
    for (const { path, body, headers } of receiver.taken) {
      const { secret } = path.endsWith('only') ? one : all;
      const event = new Webhook(secret).verify(body, plainHeaders(headers)) as { id: string };
      expect(event.id).toBe(headers['webhook-id']);
    }
    expect(await house.count("work where kind = 'event'")).toBe(0);
  });

  it('is sent once, however often the jobs run', async () => {
    await house.webhook(receiver.url);
    await house.publish();
    await house.once();
    await house.later(100 * HOUR_MS);
    expect(await house.once()).toEqual({ events: 0, jobs: 0 });
    expect(receiver.taken).toHaveLength(1);
  });

  it('is taken by one of several processes, whole or not at all', async () => {
    await house.webhook(receiver.url);
    for (let n = 0; n < 40; n += 1) await house.publish();
    const sessions = Array.from(
      { length: 4 },
      () => new Session({ target: server.target, schema: 'filewright', name: 'test' }),
    );
    const takes = sessions.flatMap((session) =>
      [1, 2, 3].map(() => takeEvents(session, house.app.tenant, 7)),
    );
    const taken = await Promise.all(takes);
    await Promise.all(sessions.map((session) => session.close()));
    expect(taken.reduce((a, b) => a + b, 0)).toBe(40);
    expect(await house.count('event where true')).toBe(40);
    expect(await house.count("work where kind = 'webhook'")).toBe(40);
  });

  it('of one tenant is not sent by another tenant’s process', async () => {
    await house.webhook(receiver.url);
    await house.publish();
    const stranger = await House.open(server);
    await stranger.once();
    expect(receiver.taken).toHaveLength(0);
    await stranger.close();
    await house.once();
    expect(receiver.taken).toHaveLength(1);
  });
});

describe('a receiver that fails', () => {
  it('is asked again by the schedule under the same id and with a fresh timestamp, and gives up after ten', async () => {
    const { id } = await house.webhook(receiver.url, ['SOMETHING_HAPPENED']);
    receiver.answer = status(500);
    const event = await house.publish();
    const waits = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
    await house.once();
    for (const [index, seconds] of waits.entries()) {
      // Just before its time nothing is sent, and just after its longest wait it is.
      await house.later(seconds * 1_000 - 1_000);
      if (seconds > 5) await house.once();
      expect(receiver.taken).toHaveLength(index + 1);
      await house.later(seconds * 100 + 2_000);
      await house.once();
      expect(receiver.taken).toHaveLength(index + 2);
    }
    await house.later(1_000 * HOUR_MS);
    await house.once();
    expect(receiver.taken).toHaveLength(10);
    expect(new Set(ids())).toEqual(new Set([event]));
    expect(new Set(receiver.taken.map(({ body }) => body)).size).toBe(1);
    const [notice] = (await notices(id)).filter((n) => n.event === event);
    expect(notice).toMatchObject({ state: 'failed', code: 'HTTP_500' });
    expect(notice?.attempts).toHaveLength(10);
    const run = house.app.session.run.bind(house.app.session);
    const alerts = await listAlerts(run, house.app.tenant, { all: false, limit: 10 });
    expect(alerts).toMatchObject([{ kind: 'notice_failed', subject: `webhook ${id}` }]);
  });

  it('and recovers gets what it missed', async () => {
    await house.webhook(receiver.url);
    receiver.answer = (response, _taken, n) => void response.writeHead(n < 3 ? 503 : 200).end();
    const event = await house.publish();
    await house.once();
    for (let n = 0; n < 3; n += 1) {
      await house.later(HOUR_MS);
      await house.once();
    }
    expect(ids()).toEqual([event, event, event]);
    expect(await notices()).toMatchObject([{ state: 'sent', code: 'HTTP_200' }]);
  });

  it('does not hold up the others', async () => {
    const slow = await startReceiver();
    slow.answer = () => undefined;
    await house.webhook(slow.url);
    await house.webhook(receiver.url);
    for (let n = 0; n < 3; n += 1) await house.publish();
    await house.once({ network: { webhookMs: 300 } });
    expect(receiver.taken).toHaveLength(3);
    expect(slow.taken).toHaveLength(3);
    await slow.close();
  });

  it('with 410 is disabled, gets nothing more, and is sent to again once a person enables it', async () => {
    const { id } = await house.webhook(receiver.url);
    receiver.answer = status(410);
    await house.publish();
    await house.once();
    const [gone] = await listSubscriptions(house.app.session, house.app.tenant);
    expect(gone?.disabled?.reason).toBe('GONE');
    const missed = await house.publish();
    await house.later(100 * HOUR_MS);
    await house.once();
    expect(receiver.taken).toHaveLength(1);

    receiver.answer = status(200);
    await changeWebhook(house.app, house.person, id, 'enable');
    const next = await house.publish();
    await house.once();
    // That a person changed it is an alert to the others, and so an event too.
    const types = receiver.taken.slice(1).map(({ body }) => Reflect.get(JSON.parse(body), 'type'));
    const alerts = ids()
      .slice(1)
      .filter((_id, at) => types[at] === 'ALERT_RAISED');
    expect(
      ids()
        .slice(1)
        .filter((id) => !alerts.includes(id)),
    ).toEqual([next]);
    expect(ids()).not.toContain(missed);
    // Who disabled and enabled it is in the ledger, which verifies.
    const report = await verifyLedger(house.app, OPERATOR, { bodies: true });
    expect(report).toMatchObject({ ok: true });
  });

  it('with 410 drops what else was waiting for it', async () => {
    await house.webhook(receiver.url);
    receiver.answer = (response, _taken, n) => void response.writeHead(n === 1 ? 500 : 410).end();
    await house.publish();
    await house.once();
    await house.publish();
    await house.once();
    const states = (await notices()).map(({ state }) => state).sort();
    expect(states.filter((state) => state === 'pending')).toEqual([]);
    expect(states).toContain('dropped');
  });
});

describe('a crash', () => {
  it('between send and record leads to the same id again, once the claim has run out', async () => {
    const { id } = await house.webhook(receiver.url);
    const event = await house.publish();
    await takeEvents(house.app.session, house.app.tenant, 10);
    // What a process leaves behind that dies after its request went out: a claim, and an attempt without an end.
    const where = {
      kind: 'webhook',
      target: id,
      tenant: house.app.tenant,
      limit: 4,
      claimMs: 120_000,
    } as const;
    const [claimed] = await claimNotices(house.app.session, where);
    expect(claimed).toMatchObject({ attempt: 1 });
    await house.once();
    expect(receiver.taken).toHaveLength(0);
    await house.later(121_000);
    await house.once();
    expect(ids()).toEqual([event]);
    const [notice] = await notices(id);
    expect(notice).toMatchObject({ state: 'sent' });
    expect(notice?.attempts.map(({ verdict }) => verdict)).toEqual([null, 'sent']);
  });

  it('is not assumed while the claim holds: no one else gets the notice', async () => {
    const { id } = await house.webhook(receiver.url);
    await house.publish();
    await takeEvents(house.app.session, house.app.tenant, 10);
    const where = {
      kind: 'webhook',
      target: id,
      tenant: house.app.tenant,
      limit: 4,
      claimMs: 60_000,
    } as const;
    expect(await claimNotices(house.app.session, where)).toHaveLength(1);
    await house.later(59_000);
    expect(await claimNotices(house.app.session, where)).toHaveLength(0);
    await house.later(2_000);
    expect(await claimNotices(house.app.session, where)).toHaveLength(1);
  });

  it('a late answer of a former claim decides nothing, except that sent is sent', async () => {
    const { id } = await house.webhook(receiver.url);
    await house.publish();
    await takeEvents(house.app.session, house.app.tenant, 10);
    const { tenant, session } = house.app;
    const where = { kind: 'webhook', target: id, tenant, limit: 4, claimMs: 1_000 } as const;
    const [first] = await claimNotices(session, where);
    await house.later(2_000);
    const [second] = await claimNotices(session, where);
    expect(second?.attempt).toBe(2);
    const of = (attempt: number) => ({ id: first?.id ?? '', attempt });
    const failed = { verdict: 'permanent', code: 'LATE', retryMs: undefined } as const;
    expect(await recordNotice(session, tenant, of(1), failed)).toBeUndefined();
    const sent = { verdict: 'sent', code: 'HTTP_200', retryMs: undefined } as const;
    expect(await recordNotice(session, tenant, of(1), sent)).toBe('sent');
    expect(await recordNotice(session, tenant, of(2), failed)).toBeUndefined();
    expect((await notices(id))[0]).toMatchObject({ state: 'sent', code: 'HTTP_200' });
  });
});

describe('a secret', () => {
  it('is stored sealed, and is in no log', async () => {
    const { secret } = await house.webhook(receiver.url);
    receiver.answer = status(500);
    await house.publish();
    await house.once();
    const [row] = await house.rows(
      `select string_agg(t::text, ' ') as everything from (
        select to_jsonb(s) as t from subscription s where tenant = $1
        union all select to_jsonb(s) from subscription_secret s where tenant = $1
        union all select to_jsonb(w) from work w where tenant = $1
        union all select to_jsonb(t) from work_try t where tenant = $1
        union all select to_jsonb(i) from ledger_intake i where tenant = $1
        union all select to_jsonb(convert_from(e.bytes, 'UTF8')) from ledger_entry e where tenant = $1) all_rows`,
    );
    const everything = `${String(row?.['everything'])}${JSON.stringify(house.logged)}`;
    const bytes = secret.slice('whsec_'.length);
    expect(everything).toContain('HTTP_500');
    expect(everything).not.toContain(bytes);
    expect(everything).not.toContain(Buffer.from(bytes, 'utf8').toString('hex'));
    expect(everything).not.toContain(Buffer.from(bytes, 'base64').toString('hex'));
  });

  it('that is rotated signs beside the new one for a day, then the new one alone', async () => {
    const { id, secret: first } = await house.webhook(receiver.url);
    const { environment } = house;
    const { secret: second } = await rotateWebhook(house.app, house.person, id, { environment });
    const signedBy = async (secret: string): Promise<boolean> => {
      const { body = '', headers = {} } = receiver.taken.at(-1) ?? {};
      try {
        new Webhook(secret).verify(body, plainHeaders(headers));
        return true;
      } catch {
        return false; // The library throws what this asks.
      }
    };
    await house.publish();
    await house.once();
    expect([await signedBy(first), await signedBy(second)]).toEqual([true, true]);
    await house.later(25 * HOUR_MS);
    await house.publish();
    await house.once();
    expect([await signedBy(first), await signedBy(second)]).toEqual([false, true]);

    const { secret: third } = await rotateWebhook(house.app, house.person, id, { environment });
    const { secret: fourth } = await rotateWebhook(house.app, house.person, id, { environment });
    await house.publish();
    await house.once();
    const signatures = receiver.taken.at(-1)?.headers['webhook-signature'];
    expect(String(signatures).split(' ')).toHaveLength(2);
    expect([await signedBy(second), await signedBy(third), await signedBy(fourth)]).toEqual([
      false,
      true,
      true,
    ]);
  });
});

describe('a person', () => {
  it('tests a webhook and hears the answer; a failed test is not repeated', async () => {
    const { id } = await house.webhook(receiver.url);
    const good = await testWebhook(house.app, house.person, id, house.environment);
    expect(good).toMatchObject({ state: 'sent', code: 'HTTP_200' });
    receiver.answer = status(500);
    const bad = await testWebhook(house.app, house.person, id, house.environment);
    expect(bad).toMatchObject({ state: 'failed', code: 'HTTP_500' });
    await house.later(100 * HOUR_MS);
    await house.once();
    expect(receiver.taken).toHaveLength(2);
  });

  it('sends an event again under the same id', async () => {
    await house.webhook(receiver.url);
    const event = await house.publish();
    await house.once();
    expect(await resend(house.app, house.person, event, undefined)).toBe(1);
    await house.once();
    expect(ids()).toEqual([event, event]);
    // What was sent before stays on record.
    const sent = (await notices()).map(({ state, attempts }) => [state, attempts.length]);
    expect(sent).toEqual([
      ['sent', 1],
      ['sent', 1],
    ]);
    await expect(resend(house.app, house.person, house.app.ids.next(), undefined)).rejects.toThrow(
      'no webhook',
    );
  });

  it('removes a webhook, and what waited for it is dropped', async () => {
    const { id } = await house.webhook(receiver.url);
    receiver.answer = status(500);
    await house.publish();
    await house.once();
    await changeWebhook(house.app, house.person, id, 'remove');
    await house.publish();
    await house.later(HOUR_MS);
    await house.once();
    expect(receiver.taken).toHaveLength(1);
    expect(await listSubscriptions(house.app.session, house.app.tenant)).toEqual([]);
    expect(await house.count('subscription_secret where true')).toBe(0);
    await expect(changeWebhook(house.app, house.person, id, 'enable')).rejects.toThrow(
      'There is no webhook',
    );
  });

  it('cannot send into the house without saying so', async () => {
    await house.rows(
      `with added as (insert into subscription (tenant, id, url, types, allow_private, added_by)
         values ($1, $2, $3, '{}', false, $4) returning tenant, id)
       insert into lane (tenant, code, effect, ceiling, state)
       select tenant, 'webhook/' || id, 'notice', 1, '{"pause":{"kind":"none"}}' from added`,
      house.app.ids.next(),
      receiver.url,
      house.person.id,
    );
    await house.publish();
    await house.once();
    expect(receiver.connections()).toBe(0);
    expect((await notices()).find((n) => n.origin === 'event')).toMatchObject({
      state: 'failed',
      code: 'ADDRESS_REFUSED',
    });
  });
});
