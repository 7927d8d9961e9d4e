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
import {
  countEvents as countStored,
  type DomainEvent,
  eventsAfter as storedAfter,
  lastEvent,
  listEvents as storedEvents,
} from '../store/events.ts';
import { listNotices, type NoticeView } from '../store/notices.ts';
import { checkId } from './events.ts';

/** The latest first. */
export async function listEvents(
  app: Installation,
  actor: Actor,
  filter: { readonly type?: string; readonly limit: number; readonly after?: string },
): ReturnType<typeof storedEvents> {
  allow(actor, 'event.list');
  return storedEvents(app.session, app.tenant, filter);
}

/** What happened after an event that is known, in order; with `after` undefined nothing, and the number to go on from. */
export async function eventsAfter(
  app: Installation,
  actor: Actor,
  { after, limit }: { readonly after: number | undefined; readonly limit: number },
): Promise<{
  readonly events: readonly (DomainEvent & { readonly n: number })[];
  readonly last: number;
}> {
  allow(actor, 'event.list');
  if (after === undefined) return { events: [], last: await lastEvent(app.session, app.tenant) };
  const events = await storedAfter(app.session, app.tenant, { after, limit });
  return { events, last: events.at(-1)?.n ?? after };
}

export async function countEvents(
  app: Installation,
  actor: Actor,
  { type }: { readonly type?: string },
): Promise<number> {
  allow(actor, 'event.list');
  return countStored(app.session, app.tenant, type);
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
