/** Notices by e-mail, alerts and the digest: real SMTP, real PostgreSQL. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { acknowledge } from '../../src/oversight/acts/alerts.ts';
import { testMail } from '../../src/people/acts/events.ts';
import { approvedMail, approvedRecipient } from '../fixtures/approved.ts';
import { verifyLedger } from '../../src/oversight/acts/audit.ts';
import { type NewAlert, raiseAlert } from '../../src/people/alerts.ts';
import { listAlerts } from '../../src/people/store/alerts.ts';
import { listNotices } from '../../src/people/store/notices.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { header, type MailServerStub, startMailServer } from '../notify/mail-server.ts';
import { type Receiver, startReceiver } from '../notify/receiver.ts';
import { HOUR_MS, House } from './house.ts';
import { OPERATOR } from '../operator.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';

let server: Server;
let mail: MailServerStub;
let house: House;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  house = await House.open(server);
  mail = await startMailServer();
  house.smtp = `smtp://localhost:${mail.port}`;
  const setting = { smtp: 'env:SMTP', sender: 'filings@example.org', allowPrivateAddresses: true };
  await approvedMail(house.app, house.person, setting, house.environment);
});
afterEach(async () => {
  await mail.close();
  await house.close();
});

const recipient = (role: string, address: string, entityId?: string) =>
  approvedRecipient(house.app, house.person, { role, address, entityId });
const alerts = (all = false) =>
  listAlerts(house.app.session.run.bind(house.app.session), house.app.tenant, { all, limit: 50 });
const notices = () =>
  listNotices(house.app.session, house.app.tenant, { target: 'mail', limit: 100 });
const recipients = () => mail.taken.flatMap(({ to }) => to).sort();

const SLACK: NewAlert = {
  kind: 'slack_low',
  subject: 'lane US-DE',
  severity: 'warning',
  text: 'Forty filings have less than a day. Raise the ceiling or start earlier.',
  dedup: 'slack/US-DE',
};

const COMPLETE = 'COMPLIANCE_FILING_COMPLETE';
const filed = (entity: string) => ({
  entity_id: entity,
  jurisdiction: 'US-DE',
  filing_kind: 'annual_report',
  period: '2027',
  status: 'accepted',
  receipt: 'R-1',
});

describe('the registered agent', () => {
  it('is notified of an accepted filing: the entity’s own agent, and only without one the tenant’s', async () => {
    await recipient('registered_agent', 'all@example.org');
    await recipient('registered_agent', 'own@example.org', 'E-1');
    await house.publish(COMPLETE, filed('E-1'));
    await house.publish(COMPLETE, filed('E-2'));
    await house.publish('SOMETHING_ELSE', filed('E-3'));
    await house.once();
    expect(recipients()).toEqual(['all@example.org', 'own@example.org']);
    const own = mail.taken.find(({ to }) => to.includes('own@example.org'));
    expect(own?.raw).toContain('R-1');
    expect(header(own?.raw ?? '', 'subject')).toContain('E-1');
  });

  it('is notified once for an event, also when the event comes to the consumer again', async () => {
    await recipient('registered_agent', 'agent@example.org');
    await house.publish(COMPLETE, filed('E-1'));
    await house.once();
    await house.rows(
      `update work set state = 'pending', next_at = now(), ended_at = null where tenant = $1 and kind = 'consume'`,
    );
    await house.once();
    expect(mail.taken).toHaveLength(1);
  });

  it('is not notified when no one is named', async () => {
    await house.publish(COMPLETE, filed('E-1'));
    await house.once();
    expect(await notices()).toEqual([]);
  });
});

describe('a message', () => {
  it('that is greylisted comes later, under the same id', async () => {
    await recipient('registered_agent', 'agent@example.org');
    mail.recipient = (n) => (n < 3 ? 451 : 250);
    await house.publish(COMPLETE, filed('E-1'));
    await house.once();
    for (let n = 0; n < 3; n += 1) {
      await house.later(HOUR_MS);
      await house.once();
    }
    expect(mail.taken).toHaveLength(1);
    const [notice] = await notices();
    expect(notice).toMatchObject({ state: 'sent' });
    expect(notice?.attempts.map(({ code }) => code)).toEqual(['SMTP_451', 'SMTP_451', 'SMTP_250']);
  });

  it('whose line went dead after the text goes out again with the same Message-ID', async () => {
    await recipient('registered_agent', 'agent@example.org');
    mail.verdict = (n) => (n === 1 ? 'cut' : 250);
    await house.publish(COMPLETE, filed('E-1'));
    await house.once();
    await house.later(HOUR_MS);
    await house.once();
    const found = mail.taken.map(({ raw }) => header(raw, 'message-id'));
    const [notice] = await notices();
    expect(found).toEqual([`<${notice?.id}@filewright.local>`, `<${notice?.id}@filewright.local>`]);
    expect(notice?.attempts.map(({ verdict }) => verdict)).toEqual(['unknown', 'sent']);
  });

  it('that is refused permanently is not repeated, and an alert is raised', async () => {
    await recipient('registered_agent', 'agent@example.org');
    await recipient('alert', 'ops@example.org');
    mail.recipient = (n) => (n === 1 ? 550 : 250);
    await house.publish(COMPLETE, filed('E-1'));
    await house.once();
    await house.later(100 * HOUR_MS);
    await house.once();
    expect(recipients().filter((to) => to === 'agent@example.org')).toEqual([]);
    expect(await alerts()).toMatchObject([
      { kind: 'notice_failed', subject: 'mail to agent@example.org' },
    ]);
    expect(recipients()).toContain('ops@example.org');
  });

  it('waits while the server’s address cannot be read, and goes out once it can', async () => {
    await recipient('registered_agent', 'agent@example.org');
    await house.publish(COMPLETE, filed('E-1'));
    await house.once({ environment: OWN_MACHINE });
    expect(await notices()).toMatchObject([{ state: 'pending', code: 'CREDENTIAL_UNREADABLE' }]);
    await house.later(HOUR_MS);
    await house.once();
    expect(mail.taken).toHaveLength(1);
  });

  it('can be tried by a person', async () => {
    const outcome = await testMail(
      house.app,
      house.person,
      'me@example.org',
      house.environment,
    ).catch(String);
    // Without the test's authority the certificate is not trusted, and nothing is sent.
    expect(outcome).toMatchObject({ state: 'failed' });
    expect(mail.taken).toHaveLength(0);
  });
});

describe('an alert', () => {
  it('is reported by email and as an event, once for each reason', async () => {
    await recipient('alert', 'ops@example.org');
    const receiver: Receiver = await startReceiver();
    await house.webhook(receiver.url, ['ALERT_RAISED']);
    await raiseAlert(house.app, SLACK);
    await raiseAlert(house.app, SLACK);
    await raiseAlert(house.app, { ...SLACK, dedup: 'slack/US-CA', subject: 'lane US-CA' });
    await house.once();
    expect(recipients()).toEqual(['ops@example.org', 'ops@example.org']);
    expect(mail.taken[0]?.raw).toContain('alert ack');
    const told = receiver.taken.map(({ body }) => (JSON.parse(body) as { data: unknown }).data);
    expect(told).toHaveLength(2);
    expect(told[0]).toMatchObject({ kind: 'slack_low', severity: 'warning', turn: 1 });
    expect(JSON.stringify(told)).not.toContain('Forty filings');
    expect(new Set((await alerts()).map(({ raised }) => raised))).toEqual(new Set([1, 2]));
    await receiver.close();
  });

  it('goes to its own recipient when it has one', async () => {
    await recipient('alert', 'ops@example.org');
    await raiseAlert(house.app, { ...SLACK, recipient: 'jane@example.org' });
    await house.once();
    expect(recipients()).toEqual(['jane@example.org']);
  });

  it('is reported again every four hours, six times at most', async () => {
    await recipient('alert', 'ops@example.org');
    await raiseAlert(house.app, SLACK);
    await house.once();
    await house.later(4 * HOUR_MS - 60_000);
    await house.once();
    expect(mail.taken).toHaveLength(1);
    for (let n = 0; n < 10; n += 1) {
      await house.later(4 * HOUR_MS);
      await house.once();
    }
    expect(mail.taken).toHaveLength(6);
    expect(await alerts()).toMatchObject([{ told: 6, tellAt: undefined }]);
  });

  it('that gets worse is reported at once, and one that gets better is not', async () => {
    await recipient('alert', 'ops@example.org');
    await raiseAlert(house.app, SLACK);
    await raiseAlert(house.app, { ...SLACK, severity: 'critical' });
    await raiseAlert(house.app, { ...SLACK, severity: 'info' });
    await house.once();
    expect(mail.taken.map(({ raw }) => String(header(raw, 'subject')).slice(0, 10)).sort()).toEqual(
      ['[critical]', '[warning] '],
    );
    expect(await alerts()).toMatchObject([{ severity: 'critical', told: 2, raised: 3 }]);
  });

  it('that a person acknowledges is quiet; the same reason later is a new alert', async () => {
    await recipient('alert', 'ops@example.org');
    const { id } = await raiseAlert(house.app, SLACK);
    await house.once();
    await acknowledge(house.app, house.person, id);
    await house.later(100 * HOUR_MS);
    await house.once();
    expect(mail.taken).toHaveLength(1);
    expect(await alerts()).toEqual([]);
    await expect(acknowledge(house.app, house.person, id)).rejects.toThrow('no open alert');
    const again = await raiseAlert(house.app, SLACK);
    expect(again.id).not.toBe(id);
    expect(await alerts(true)).toHaveLength(2);
    expect(await verifyLedger(house.app, OPERATOR, { bodies: true })).toMatchObject({ ok: true });
  });

  it('that cannot be reported raises no alert about itself', async () => {
    await recipient('alert', 'ops@example.org');
    mail.recipient = () => 550;
    await raiseAlert(house.app, SLACK);
    await house.once();
    expect(await alerts()).toHaveLength(1);
  });
});

describe('the digest', () => {
  it('names the figures and the open alerts, once a day for each recipient', async () => {
    await recipient('digest', 'a@example.org');
    await recipient('digest', 'b@example.org');
    await raiseAlert(house.app, SLACK);
    await house.publish(COMPLETE, filed('E-1'));
    await house.once();
    await house.once({}, { digest: true });
    await house.once({}, { digest: true });
    expect(recipients()).toEqual(['a@example.org', 'b@example.org']);
    const raw = mail.taken[0]?.raw ?? '';
    expect(header(raw, 'subject')).toContain('1 alerts');
    expect(raw).toMatch(/^ +1 {2}accepted in the last 24 hours/m);
    expect(raw).toContain('lane US-DE');
  });
});
