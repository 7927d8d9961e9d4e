/** The adversary: one person with one key, who wants events and mail to go elsewhere. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { PersonActor } from '../../src/access/actor.ts';
import { acknowledge, listAlerts } from '../../src/oversight/acts/alerts.ts';
import {
  addWebhook,
  approveWebhook,
  changeWebhook,
  refuseWebhook,
  testWebhook,
} from '../../src/people/acts/events.ts';
import {
  approveMail,
  changeRecipientOf,
  proposedMail,
  setMailServer,
} from '../../src/people/acts/mail.ts';
import { TrustWorld } from './world.ts';

let world: TrustWorld;
let arthur: PersonActor;
let mallory: PersonActor;

beforeEach(async () => {
  world = await TrustWorld.make();
  [, arthur, mallory] = world.people;
});
afterEach(() => world.close());

const environment = { SMTP: 'smtp://user:secret@mail.example.org:587' };
const WEBHOOK = {
  url: 'https://example.org/',
  types: [],
  allowPrivateAddresses: false,
  environment,
};

it('a webhook of one person hears nothing: not enabled, not tested, not by the database', async () => {
  const { id, sha256 } = await addWebhook(world.app, mallory, WEBHOOK);
  const refused = { code: 'REFUSED_BY_RULE' };
  await expect(changeWebhook(world.app, mallory, id, 'enable')).rejects.toMatchObject(refused);
  await expect(testWebhook(world.app, mallory, id, environment)).rejects.toMatchObject(refused);
  const own = approveWebhook(world.app, mallory, { id, expectHash: sha256 });
  await expect(own).rejects.toMatchObject({ code: 'SELF_APPROVAL' });
  const direct = world.sql('update subscription set approved_at = now()');
  await expect(direct).rejects.toMatchObject({ constraint: 'subscription_agreed' });
  await approveWebhook(world.app, arthur, { id, expectHash: sha256 });
  const moved = world.sql(`update subscription set url = 'https://thief.example.org/'`);
  await expect(moved).rejects.toMatchObject({ constraint: 'subscription_agreed' });
  // Silence is one person's.
  await changeWebhook(world.app, mallory, id, 'disable');
  await changeWebhook(world.app, mallory, id, 'enable');
  await changeWebhook(world.app, mallory, id, 'remove');
  expect(await world.isSound()).toBe(true);
});

it('a webhook that is refused is gone with its secret', async () => {
  const { id } = await addWebhook(world.app, mallory, WEBHOOK);
  await refuseWebhook(world.app, arthur, { id, reason: 'nobody knows this address' });
  expect(await world.sql('select 1 from subscription_secret')).toEqual([]);
});

it('mail server and recipients of alerts are what two people agree to; removal is one person’s', async () => {
  const setting = { smtp: 'env:SMTP', sender: 'f@example.org', allowPrivateAddresses: false };
  const { sha256 } = await setMailServer(world.app, mallory, setting, environment);
  const to = { role: 'alert', entityId: undefined, address: 'thief@example.org' };
  const { proposal } = await changeRecipientOf(world.app, mallory, to, 'add');
  expect(await world.sql('select 1 from mail_setting')).toEqual([]);
  expect(await world.sql('select 1 from recipient')).toEqual([]);
  expect((await proposedMail(world.app, arthur)).length).toBe(2);
  const own = approveMail(world.app, mallory, { subject: 'mail server', expectHash: sha256 });
  await expect(own).rejects.toMatchObject({ code: 'SELF_APPROVAL' });
  await approveMail(world.app, arthur, { subject: 'mail server', expectHash: sha256 });
  const { subject, sha256: expectHash } = proposal ?? { subject: '', sha256: '' };
  await approveMail(world.app, arthur, { subject, expectHash });
  expect(await world.sql('select smtp from mail_setting')).toEqual([{ smtp: 'env:SMTP' }]);
  await changeRecipientOf(world.app, mallory, to, 'remove');
  expect(await world.sql('select 1 from recipient where removed_at is null')).toEqual([]);
});

it('the others hear who did what, and only they can say that they have seen it', async () => {
  const { id, sha256 } = await addWebhook(world.app, mallory, WEBHOOK);
  await approveWebhook(world.app, arthur, { id, expectHash: sha256 });
  const alerts = await listAlerts(world.app, mallory, { all: false, limit: 10 });
  const alert = alerts.find(({ kind }) => kind === 'webhook_changed');
  expect(alert?.text).toMatch(/^Arthur Approver approved a webhook to example\.org\./);
  const own = acknowledge(world.app, arthur, alert?.id ?? '');
  await expect(own).rejects.toMatchObject({ code: 'REFUSED_BY_RULE' });
  await acknowledge(world.app, mallory, alert?.id ?? '');
});
