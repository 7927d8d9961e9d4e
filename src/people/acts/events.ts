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
  termText,
  toRfc3339,
  userFact,
} from '../../core/index.ts';
import {
  approveChange,
  type ChangeView,
  openChanges,
  proposeChange,
  refuseChange,
} from '../changes.ts';
import { sendDue } from '../notice-sender.ts';
import { checkMailAddress } from '../notify/mail-address.ts';
import { checkWebhookSecret, newWebhookSecret } from '../notify/webhook-secret.ts';
import { checkWebhookUrl } from '../notify/webhook-url.ts';
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
  changeSubscription,
  enableApproved,
  findMail,
  findSubscription,
  type SealedSecret,
  type SubscriptionChange,
} from '../store/subscriptions.ts';
import { placed } from '../placed.ts';
import { raiseTrustAlert } from '../trust-alerts.ts';
import type { Run } from '../../postgres/index.ts';
import { keepEvent } from '../store/events.ts';
import { type Environment, isReference, readReference } from '../../wire/index.ts';

/** As the code writes them. */
const EVENT_TYPE = /^[A-Z][A-Z0-9_]{0,79}$/;
/** Long enough for a receiver that is changed over once a day. */
const ROTATION_OVERLAP_MS = 24 * 3_600_000;
const TEST_EVENT = 'WEBHOOK_TEST';

/**
 * Proposes a webhook and returns its secret, which is shown once and stored sealed. Nothing is sent to it before another person
 * approves the address.
 */
export async function addWebhook(
  app: Installation,
  actor: Actor,
  input: {
    readonly url: string;
    /** Empty: every type. */
    readonly types: readonly string[];
    /** `whsec_…`, read from a file or from standard input, or a reference to it; made when left out. */
    readonly secret?: string;
    readonly reason?: string;
    readonly allowPrivateAddresses: boolean;
    readonly environment: Environment;
  },
): Promise<{ readonly id: string; readonly secret: string; readonly sha256: string }> {
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
  const { host } = new URL(url);
  const types = [...input.types];
  const fact = userFact(app, 'subscription.added', actor, {
    host,
    types,
    allow_private: allowPrivateAddresses,
  });
  const sealed = await sealSecret(app, id, secret);
  const change = {
    kind: 'webhook',
    subject: id,
    terms: { url, types, allow_private: allowPrivateAddresses },
    reason: input.reason ?? `send events to ${host}`,
    shown: { host },
  } as const;
  const added = { id, url, types, allowPrivateAddresses, addedBy: actor.id, secret: sealed };
  const { sha256 } = await proposeChange(app, actor, change, (run) =>
    addSubscription(run, app.tenant, added, fact),
  );
  return { id, secret, sha256 };
}

/** Those that wait for a second person. */
export async function proposedWebhooks(
  app: Installation,
  actor: Actor,
): Promise<readonly ChangeView[]> {
  allow(actor, 'webhook.proposals');
  return openChanges(app, 'webhook');
}

export async function approveWebhook(
  app: Installation,
  actor: Actor,
  input: { readonly id: string; readonly expectHash: string },
): Promise<void> {
  allow(actor, 'webhook.decide');
  const { id, expectHash } = input;
  checkId('webhook', id);
  await approveChange(app, actor, {
    kind: 'webhook',
    subject: id,
    expectHash,
    make: (run) =>
      enableApproved(run, app.tenant, id, userFact(app, 'subscription.enabled', actor, {})),
    event: ({ terms }) => ({
      kind: 'webhook_changed',
      subject: id,
      did: `approved a webhook to ${new URL(termText(terms, 'url')).host}`,
    }),
  });
}

/** Refused, or withdrawn by who proposed it; it is removed with its secret. */
export async function refuseWebhook(
  app: Installation,
  actor: Actor,
  input: { readonly id: string; readonly reason: string },
): Promise<void> {
  allow(actor, 'webhook.decide');
  const { id, reason } = input;
  checkId('webhook', id);
  await refuseChange(app, actor, { kind: 'webhook', subject: id, reason });
  await applyChange(app, id, { kind: 'remove' }, actor, 'subscription.removed');
}

export async function changeWebhook(
  app: Installation,
  actor: Actor,
  id: string,
  kind: 'enable' | 'disable' | 'remove',
): Promise<void> {
  allow(actor, 'webhook.change');
  const change: SubscriptionChange = kind === 'disable' ? { kind, reason: 'BY_PERSON' } : { kind };
  await applyChange(app, id, change, actor, `subscription.${kind}d`, `${kind}d`);
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
  const did = 'gave another secret to';
  await applyChange(app, id, change, actor, 'subscription.rotated', did);
  return { secret };
}

async function applyChange(
  app: Installation,
  id: string,
  change: SubscriptionChange,
  actor: PersonActor,
  type: FactType,
  /** What the others hear; nothing where two people were asked. */
  did?: string,
): Promise<void> {
  checkId('webhook', id);
  const where = { tenant: app.tenant, id };
  const fact = userFact(app, type, actor, {});
  const tellOthers = async (run: Run): Promise<void> => {
    if (did === undefined) return;
    const event = { kind: 'webhook_changed', subject: id, did: `${did} webhook ${id}` } as const;
    await raiseTrustAlert(run, app, actor, event);
  };
  if (!(await changeSubscription(app.session, where, change, fact, tellOthers))) {
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
  if (!subscription.approved) {
    throw ruledOut(`Webhook ${id} waits for approval by another person; see webhook proposals`);
  }
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
