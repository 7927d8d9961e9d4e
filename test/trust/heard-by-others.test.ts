/** The adversary: one administrator who would rather that the others did not hear what changed about people and keys. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { nowActs } from '../../src/access/acting.ts';
import { ROLES } from '../../src/access/role.ts';
import { addProfile } from '../../src/filings/acts/lane-profiles.ts';
import { acknowledge, listAlerts } from '../../src/oversight/acts/alerts.ts';
import { addOwnKey } from '../../src/oversight/acts/user-keys.ts';
import { approveUser } from '../../src/oversight/acts/user-proposals.ts';
import { addUser, changeRoles } from '../../src/oversight/acts/users.ts';
import {
  addWebhook,
  approveWebhook,
  changeWebhook,
  rotateWebhook,
} from '../../src/people/acts/events.ts';
import { approveMail, changeRecipientOf } from '../../src/people/acts/mail.ts';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';
import { OPERATOR } from '../operator.ts';
import { Firm, founders, twinOf, vouchedFor } from '../people/firm.ts';

let firm: Firm;

beforeEach(async () => {
  firm = await Firm.make();
});
afterEach(() => firm.close());

async function heard(app: Awaited<ReturnType<Firm['tenant']>>) {
  const alerts = await listAlerts(app, OPERATOR, { all: false, limit: 50 });
  return alerts.map(({ id, kind, text }) => ({ id, kind, text })).toSorted(byKind);
}

const byKind = (a: { kind: string }, b: { kind: string }): number => a.kind.localeCompare(b.kind);

it('a person, a key and a role are alerts that name who did it, and that only another party acknowledges', async () => {
  const app = await firm.tenant();
  const [ann, ben] = await founders(app, 'Ann', 'Ben');
  if (ann === undefined || ben === undefined) throw new Error('nobody was founded');
  await vouchedFor(app, [ann, ben], 'Cid', ['auditor']);
  await addOwnKey(app, ann, { name: 'laptop' });
  const asked = await changeRoles(app, ann, { name: 'Cid', act: 'give', roles: ['preparer'] });
  if (asked.state !== 'waiting') throw new Error('one was enough');
  await approveUser(app, ben, { id: asked.proposal, sha256: asked.sha256 });
  const alerts = await heard(app);
  expect(alerts.map(({ kind, text }) => `${kind}: ${text.split('.')[0]}`).toSorted()).toEqual([
    'key_changed: Ann added a key of their own, "laptop"',
    'key_changed: Cid made the key that two people had agreed to',
    'person_changed: Ben approved that Cid is added',
    'role_changed: Ben gave Cid the role preparer',
  ]);
  const role = alerts.find(({ kind }) => kind === 'role_changed')?.id ?? '';
  await expect(acknowledge(app, ben, role)).rejects.toMatchObject({ code: 'REFUSED_BY_RULE' });
  // The database asks again.
  nowActs(ben);
  const text = 'update alert set acknowledged_at = now(), acknowledged_by = $1 where id = $2';
  await expect(app.session.run({ name: '', text }, [ben.id, role])).rejects.toThrow(
    'about what this party did',
  );
  await acknowledge(app, ann, role);
  expect(await heard(app)).toHaveLength(3);
});

it('a refused act is no alert', async () => {
  const app = await firm.tenant();
  const [ann, ben] = await founders(app, 'Ann', 'Ben');
  if (ann === undefined || ben === undefined) throw new Error('nobody was founded');
  const asked = await addUser(app, ann, { name: 'Cid', roles: ROLES });
  if (asked.state !== 'waiting') throw new Error('one was enough');
  const approval = { id: asked.proposal, sha256: 'f'.repeat(64) };
  await expect(approveUser(app, ben, approval)).rejects.toMatchObject({ code: 'HASH_DIFFERS' });
  expect(await heard(app)).toEqual([]);
});

it('where nobody else is there, it is told all the same and can be acknowledged', async () => {
  const app = await firm.tenant();
  const [ann] = await founders(app, 'Ann');
  if (ann === undefined) throw new Error('nobody was founded');
  await twinOf(app, ann, 'Ann Two');
  const [alert] = await heard(app);
  expect(alert?.text).toContain('Ann added Ann Two alone');
  await acknowledge(app, ann, alert?.id ?? '');
  expect(await heard(app)).toEqual([]);
});

const WEBHOOK = {
  url: 'https://example.org/',
  types: [],
  allowPrivateAddresses: false,
  environment: {},
};
const ALERTS = { role: 'alert', entityId: undefined, address: 'alerts@example.org' };

it('a lane, a webhook, a recipient and their silence are alerts to the others', async () => {
  const app = await firm.tenant();
  const [ann, ben] = await founders(app, 'Ann', 'Ben');
  if (ann === undefined || ben === undefined) throw new Error('nobody was founded');
  await addProfile(app, ann, sampleProfile());
  const { id, sha256 } = await addWebhook(app, ann, WEBHOOK);
  await approveWebhook(app, ben, { id, expectHash: sha256 });
  const { proposal } = await changeRecipientOf(app, ann, ALERTS, 'add');
  const { subject = '', sha256: expectHash = '' } = proposal ?? {};
  await approveMail(app, ben, { subject, expectHash });
  await rotateWebhook(app, ann, id, { environment: {} });
  await changeWebhook(app, ann, id, 'disable');
  await changeWebhook(app, ann, id, 'remove');
  await changeRecipientOf(app, ann, ALERTS, 'remove');
  const alerts = await heard(app);
  expect(alerts.map(({ kind, text }) => `${kind}: ${text.split('. ')[0]}`).toSorted()).toEqual([
    `profile_changed: Ann added lane US-DE, which leads to ${new URL(sampleProfile().baseUrl).origin}`,
    'recipient_changed: Ann removed alerts@example.org as a recipient for alert',
    'recipient_changed: Ben approved alerts@example.org as a recipient for alert',
    `webhook_changed: Ann disabled webhook ${id}`,
    `webhook_changed: Ann gave another secret to webhook ${id}`,
    `webhook_changed: Ann removed webhook ${id}`,
    'webhook_changed: Ben approved a webhook to example.org',
  ]);
});

it('a lane whose alert cannot be raised is not added', async () => {
  const app = await firm.tenant();
  const [ann] = await founders(app, 'Ann', 'Ben');
  if (ann === undefined) throw new Error('nobody was founded');
  const sql = (text: string) => app.session.run({ name: '', text });
  await sql(`alter table alert add constraint no_room check (kind <> 'profile_changed')`);
  await expect(addProfile(app, ann, sampleProfile())).rejects.toThrow('no_room');
  expect(await sql(`select code from lane where tenant = '${app.tenant}'`)).toEqual([]);
  await sql('alter table alert drop constraint no_room');
});
