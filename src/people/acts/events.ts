/** Who is told what: webhooks, mail and recipients. Every change names its person in the ledger. */
import { type Actor, allow, type PersonActor } from '../../access/index.ts';
import { dataKeys, type Installation } from '../../ledger/index.ts';
import {
  entryId,
  type FactType,
  isUuid,
  misuse,
  notFound,
  ruledOut,
  toRfc3339,
  userFact,
} from '../../core/index.ts';
import { sendDue } from '../notice-sender.ts';
import { checkMailAddress, parseMailbox } from '../notify/mail-address.ts';
import { checkWebhookSecret, newWebhookSecret } from '../notify/webhook-secret.ts';
import { checkWebhookUrl } from '../notify/webhook-url.ts';
import { mailHost, readMailUrl } from '../notify/mail.ts';
import {
  addMailNotice,
  addWebhookNotice,
  listNotices,
  MAIL_TARGET,
  type NoticeTarget,
  resendEvent,
} from '../store/notices.ts';
import {
  addSubscription,
  changeRecipient,
  changeSubscription,
  findMail,
  findSubscription,
  type MailSetting,
  type Recipient,
  RECIPIENT_ROLES,
  type SealedSecret,
  setMail,
  type SubscriptionChange,
} from '../store/subscriptions.ts';
import { keepEvent } from '../store/events.ts';
import { type Environment, isReference, readReference } from '../../wire/index.ts';

/** As the code writes them. */
const EVENT_TYPE = /^[A-Z][A-Z0-9_]{0,79}$/;
/** Long enough for a receiver that is changed over once a day. */
const ROTATION_OVERLAP_MS = 24 * 3_600_000;
const TEST_EVENT = 'WEBHOOK_TEST';

/** Adds a webhook and returns its secret, which is shown once and stored sealed. */
export async function addWebhook(
  app: Installation,
  actor: Actor,
  input: {
    readonly url: string;
    /** Empty: every type. */
    readonly types: readonly string[];
    /** `whsec_…`, or a reference to it; made when left out. */
    readonly secret?: string;
    readonly allowPrivateAddresses: boolean;
    readonly environment: Environment;
  },
): Promise<{ readonly id: string; readonly secret: string }> {
  allow(actor, 'webhook.add');
  const { allowPrivateAddresses } = input;
  const url = checkWebhookUrl(input.url, { allowPrivateAddresses });
  const wrong = input.types.find((type) => !EVENT_TYPE.test(type));
  if (wrong !== undefined) {
    throw misuse(`Expected an event type like COMPLIANCE_FILING_COMPLETE, found "${wrong}"`);
  }
  const id = app.ids.next();
  const secret = await readSecret(app, input.secret, input.environment);
  // The host alone: a path or a query may be somebody's secret.
  const fact = userFact(app, 'subscription.added', actor, {
    host: new URL(url).host,
    types: [...input.types],
    allow_private: allowPrivateAddresses,
  });
  await addSubscription(
    app.session,
    app.tenant,
    {
      id,
      url,
      types: input.types,
      allowPrivateAddresses,
      addedBy: actor.id,
      secret: await sealSecret(app, id, secret),
    },
    fact,
  );
  await app.sequencer.sequence();
  return { id, secret };
}

export async function changeWebhook(
  app: Installation,
  actor: Actor,
  id: string,
  kind: 'enable' | 'disable' | 'remove',
): Promise<void> {
  allow(actor, 'webhook.change');
  const change: SubscriptionChange = kind === 'disable' ? { kind, reason: 'BY_PERSON' } : { kind };
  await applyChange(app, id, change, actor, `subscription.${kind}d`);
}

/** Gives a webhook another secret; the former one signs beside it for a while. */
export async function rotateWebhook(
  app: Installation,
  actor: Actor,
  id: string,
  input: { readonly secret?: string; readonly environment: Environment },
): Promise<{ readonly secret: string }> {
  allow(actor, 'webhook.rotate');
  checkId('webhook', id);
  const secret = await readSecret(app, input.secret, input.environment);
  const change: SubscriptionChange = {
    kind: 'rotate',
    secret: await sealSecret(app, id, secret),
    overlapMs: ROTATION_OVERLAP_MS,
  };
  await applyChange(app, id, change, actor, 'subscription.rotated');
  return { secret };
}

async function applyChange(
  app: Installation,
  id: string,
  change: SubscriptionChange,
  actor: PersonActor,
  type: FactType,
): Promise<void> {
  checkId('webhook', id);
  const where = { tenant: app.tenant, id };
  const fact = userFact(app, type, actor, {});
  if (!(await changeSubscription(app.session, where, change, fact))) {
    const found = await findSubscription(app.session, app.tenant, id);
    if (found === undefined) throw notFound(`There is no webhook ${id}`);
    throw ruledOut(`Webhook ${id} is already ${change.kind}d`);
  }
  await app.sequencer.sequence();
}

interface TestOutcome {
  readonly notice: string;
  readonly state: string;
  readonly code: string | undefined;
}

/** Sends a test event now, also to a webhook that is disabled, and says what came of it. */
export async function testWebhook(
  app: Installation,
  actor: Actor,
  id: string,
  environment: Environment,
): Promise<TestOutcome> {
  allow(actor, 'webhook.test');
  checkId('webhook', id);
  const subscription = await findSubscription(app.session, app.tenant, id);
  if (subscription === undefined) throw notFound(`There is no webhook ${id}`);
  const event = app.ids.next();
  const notice = app.ids.next();
  await app.session.transaction(async (run) => {
    await keepEvent(run, app.tenant, { id: event, type: TEST_EVENT, data: { test: true } });
    const test = { id: notice, origin: 'test', subscription: id, event } as const;
    await addWebhookNotice(run, app.tenant, test);
  });
  return sendNow(app, { kind: 'webhook', target: id }, notice, environment);
}

export async function testMail(
  app: Installation,
  actor: Actor,
  address: string,
  environment: Environment,
): Promise<TestOutcome> {
  allow(actor, 'mail.test');
  const recipient = checkMailAddress(address);
  if ((await findMail(app.session, app.tenant)) === undefined) {
    throw ruledOut('No mail server is set; use mail set first');
  }
  const id = app.ids.next();
  await app.session.transaction((run) =>
    addMailNotice(run, app.tenant, {
      id,
      origin: 'test',
      recipient,
      subject: `Filewright ${app.tenant}: test message`,
      body: 'Mail from Filewright reaches this address.\n',
      dedup: `test/${id}`,
    }),
  );
  return sendNow(app, { kind: 'mail', target: MAIL_TARGET }, id, environment);
}

async function sendNow(
  app: Installation,
  to: NoticeTarget,
  notice: string,
  environment: Environment,
): Promise<TestOutcome> {
  await sendDue({ ...app, environment: placed(app, environment) }, to, notice);
  const all = await listNotices(app.session, app.tenant, { target: to.target, limit: 100 });
  const sent = all.find(({ id }) => id === notice);
  return { notice, state: sent?.state ?? 'pending', code: sent?.code };
}

export async function resend(
  app: Installation,
  actor: Actor,
  event: string,
  subscription: string | undefined,
): Promise<number> {
  allow(actor, 'event.resend');
  checkId('event', event);
  if (subscription !== undefined) checkId('webhook', subscription);
  const count = await resendEvent(app.session, app.tenant, event, subscription);
  if (count > 0) return count;
  throw notFound(
    `Event ${event} has no webhook message to send again: none was created for it, it is still being sent, or the webhook is disabled`,
  );
}

/** The reference is read once, so that a wrong one is refused now and not in the night. */
export async function setMailServer(
  app: Installation,
  actor: Actor,
  setting: MailSetting,
  environment: Environment,
): Promise<void> {
  allow(actor, 'mail.set');
  if (!isReference(setting.smtp)) {
    throw misuse(
      '--smtp: expected a reference (env:NAME or file:/path) to an address like smtp://user:password@host:587',
    );
  }
  parseMailbox(setting.sender);
  const { host, port } = readMailUrl(
    await readReference(setting.smtp, placed(app, environment), mailHost),
  );
  const fact = userFact(app, 'mail.set', actor, {
    smtp: setting.smtp,
    server: `${host}:${port}`,
    sender: setting.sender,
    allow_private: setting.allowPrivateAddresses,
  });
  await setMail(app.session, app.tenant, setting, fact);
  await app.sequencer.sequence();
}

export async function changeRecipientOf(
  app: Installation,
  actor: Actor,
  input: { readonly role: string; readonly entityId: string | undefined; readonly address: string },
  kind: 'add' | 'remove',
): Promise<Recipient> {
  allow(actor, 'mail.recipient');
  const role = RECIPIENT_ROLES.find((name) => name === input.role);
  if (role === undefined) {
    const known = RECIPIENT_ROLES.join(', ');
    throw misuse(`Expected a role (${known}), found "${input.role}"`);
  }
  if (input.entityId !== undefined && role !== 'registered_agent') {
    throw misuse(`--entity goes with registered_agent, not with ${role}`);
  }
  const recipient = { role, entityId: input.entityId, address: checkMailAddress(input.address) };
  const fact = userFact(app, `recipient.${kind === 'add' ? 'added' : 'removed'}`, actor, {
    role,
    entity_id: input.entityId ?? null,
  });
  await changeRecipient(app.session, app.tenant, recipient, { kind, fact });
  await app.sequencer.sequence();
  return recipient;
}

/** A reference is judged by where this installation's files are, which an option of the command may have named. */
function placed({ dataDirectory }: Installation, environment: Environment): Environment {
  return { ...environment, FILEWRIGHT_DATA: dataDirectory };
}

async function readSecret(
  app: Installation,
  given: string | undefined,
  environment: Environment,
): Promise<string> {
  if (given === undefined) return newWebhookSecret(app.random);
  return checkWebhookSecret(
    isReference(given) ? await readReference(given, placed(app, environment)) : given,
  );
}

async function sealSecret(
  app: Installation,
  subscription: string,
  secret: string,
): Promise<SealedSecret> {
  const month = toRfc3339(app.clock.now()).slice(0, 7);
  const subject = `subscription/${subscription}`;
  const keys = await dataKeys(app.session, { tenant: app.tenant, month }, [subject], () =>
    app.vault.newKey(month),
  );
  const key = keys.get(subject);
  if (key === undefined) throw new Error(`no data key for ${subject}`);
  const id = app.ids.next();
  const { blob } = app.vault.seal({ key, entry: entryId(id), body: Buffer.from(secret, 'utf8') });
  return { id, key: key.id, sealed: blob };
}

export function checkId(what: string, id: string): void {
  if (isUuid(id)) return;
  throw misuse(`Expected the id of a ${what} (a UUID), found "${id}"`);
}
