/** What happened, who is told of it, and what was sent to them. */
import { type Actor, allow } from '../../access/index.ts';
import type { Installation } from '../../ledger/index.ts';
import {
  findMail,
  listRecipients,
  listSubscriptions,
  type MailSetting,
  type Recipient,
  type Subscription,
} from '../store/subscriptions.ts';
import { listEvents as storedEvents } from '../store/events.ts';
import { listNotices, type NoticeView } from '../store/notices.ts';
import { checkId } from './events.ts';

/** The latest first. */
export async function listEvents(
  app: Installation,
  actor: Actor,
  filter: { readonly type?: string; readonly limit: number },
): ReturnType<typeof storedEvents> {
  allow(actor, 'event.list');
  return storedEvents(app.session, app.tenant, filter);
}

export async function listWebhooks(
  app: Installation,
  actor: Actor,
): Promise<readonly Subscription[]> {
  allow(actor, 'webhook.list');
  return listSubscriptions(app.session, app.tenant);
}

/** What was sent to a webhook, with every attempt. */
export async function webhookLog(
  app: Installation,
  actor: Actor,
  { id, limit }: { readonly id: string; readonly limit: number },
): Promise<readonly NoticeView[]> {
  allow(actor, 'webhook.log');
  checkId('webhook', id);
  return listNotices(app.session, app.tenant, { target: id, limit });
}

export async function mailSettings(
  app: Installation,
  actor: Actor,
): Promise<{
  readonly setting: MailSetting | undefined;
  readonly recipients: readonly Recipient[];
}> {
  allow(actor, 'mail.show');
  const setting = await findMail(app.session, app.tenant);
  return { setting, recipients: await listRecipients(app.session, app.tenant) };
}
