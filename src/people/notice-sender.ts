/**
 * Sends what is due to one target: claim (attempt written) → send → record. A crash between send and record leaves a
 * claim that runs out, and the notice goes out again under the same id; the receiver knows it by that.
 */
import { FilewrightError, isDatabaseAway, newFact } from '../core/index.ts';
import type { Duty } from '../work/index.ts';
import { eventBody } from './notify/event-body.ts';
import { retryMs, type SendOutcome } from './notify/outcome.ts';
import { mailHost, sendMail } from './notify/mail.ts';
import { sendWebhook } from './notify/webhook.ts';
import {
  changeSubscription,
  findMail,
  findSubscription,
  subscriptionSecrets,
} from './store/subscriptions.ts';
import {
  type ClaimedNotice,
  claimNotices,
  MAIL_TARGET,
  type NoticeTarget,
  recordNotice,
} from './store/notices.ts';
import { allowedPrivate, readReference } from '../wire/index.ts';
import { raiseAlert } from './alerts.ts';
import type { JobDeps } from './job-deps.ts';

/** In flight to one receiver: enough to hide the way there, few enough not to be a burden. */
const AT_ONCE = 4;
/** Longer than any send takes (connect, answer and total bounds of notify), so that a live claim is never taken over. */
const CLAIM_MS = 120_000;

export function noticeDuties(deps: JobDeps): readonly Duty[] {
  return [
    { kind: 'webhook', work: (target) => sendDue(deps, { kind: 'webhook', target }) },
    { kind: 'mail', work: () => sendDue(deps, { kind: 'mail', target: MAIL_TARGET }) },
  ];
}

/** Sends a group, or the one; returns how many notices were tried. */
export async function sendDue(deps: JobDeps, to: NoticeTarget, only?: string): Promise<number> {
  const { session, tenant } = deps;
  const wish = { ...to, tenant, limit: AT_ONCE, claimMs: CLAIM_MS, only };
  const notices = await claimNotices(session, wish);
  await Promise.all(notices.map((notice) => sendOne(deps, notice)));
  return notices.length;
}

async function sendOne(deps: JobDeps, notice: ClaimedNotice): Promise<void> {
  const { session, tenant, log } = deps;
  const outcome = await send(deps, notice);
  const { verdict, code } = outcome;
  // Whoever tests looks at the answer now; a test that comes through in the night helps nobody.
  const waitMs = notice.origin === 'test' ? undefined : retryMs(notice.id, notice.attempt, outcome);
  const became = await recordNotice(session, tenant, notice, { verdict, code, retryMs: waitMs });
  const isFailed = became === 'failed';
  log.write({
    level: verdict === 'sent' ? 'info' : 'warn',
    event: isFailed ? 'notice.failed' : verdict === 'sent' ? 'notice.sent' : 'notice.again',
    trace_id: notice.id,
    attempt: notice.attempt,
    verdict,
    ...(verdict === 'sent' ? {} : { error: code }),
  });
  if (verdict === 'gone' && notice.message.channel === 'webhook') {
    await disableGone(deps, notice.message.subscription);
  }
  // An alert about an alert would go the same way and fail the same way.
  if (isFailed && notice.origin !== 'alert' && notice.origin !== 'test') {
    await raiseAlert(deps, failureAlert(notice, verdict, code));
  }
}

async function send(deps: JobDeps, notice: ClaimedNotice): Promise<SendOutcome> {
  try {
    return notice.message.channel === 'webhook'
      ? await sendToSubscription(deps, notice.message)
      : await sendByMail(deps, notice, notice.message);
  } catch (error) {
    // A setting that cannot be used is for a person to correct, while the notice waits; anything else is a broken
    // assumption, and the claim runs out.
    if (isDatabaseAway(error) || !(error instanceof FilewrightError)) throw error;
    return { verdict: 'transient', code: error.code };
  }
}

async function sendToSubscription(
  deps: JobDeps,
  message: Extract<ClaimedNotice['message'], { channel: 'webhook' }>,
): Promise<SendOutcome> {
  const { session, tenant, instance, vault, clock, network, publicUrl, environment } = deps;
  const subscription = await findSubscription(session, tenant, message.subscription);
  if (subscription === undefined) return { verdict: 'permanent', code: 'SUBSCRIPTION_REMOVED' };
  const sealed = await subscriptionSecrets(session, tenant, subscription.id);
  const source = { instance, tenant, ...(publicUrl === undefined ? {} : { publicUrl }) };
  return sendWebhook(
    {
      url: subscription.url,
      id: message.event.id,
      body: eventBody(message.event, source),
      secrets: sealed.map((secret) => Buffer.from(vault.open(secret)).toString('utf8')),
      allowPrivateAddresses: allowedPrivate(subscription.allowPrivateAddresses, environment),
    },
    {
      clock,
      ...network,
      ...(network?.webhookMs === undefined ? {} : { timeoutMs: network.webhookMs }),
    },
  );
}

async function sendByMail(
  deps: JobDeps,
  notice: ClaimedNotice,
  message: Extract<ClaimedNotice['message'], { channel: 'mail' }>,
): Promise<SendOutcome> {
  const { session, tenant, instance, environment, network } = deps;
  const setting = await findMail(session, tenant);
  if (setting === undefined) return { verdict: 'transient', code: 'MAIL_NOT_SET' };
  return sendMail(
    {
      messageId: `<${notice.id}@${instance}>`,
      from: setting.sender,
      to: message.recipient,
      subject: message.subject,
      text: message.body,
      date: notice.createdAt,
    },
    {
      url: await readReference(setting.smtp, environment, mailHost),
      allowPrivateAddresses: allowedPrivate(setting.allowPrivateAddresses, environment),
    },
    {
      ...network,
      ...(network?.mailAnswerMs === undefined ? {} : { answerMs: network.mailAnswerMs }),
    },
  );
}

/** The receiver answered 410: it is told nothing more until a person enables it again. */
async function disableGone(deps: JobDeps, subscription: string): Promise<void> {
  const { session, tenant, ids } = deps;
  const actor = { kind: 'service', id: 'jobs' } as const;
  const fact = newFact(ids, 'subscription.disabled', actor, { reason: 'GONE' });
  const change = { kind: 'disable', reason: 'GONE' } as const;
  await changeSubscription(session, { tenant, id: subscription }, change, fact);
}

function failureAlert(
  notice: ClaimedNotice,
  verdict: string,
  code: string,
): Parameters<typeof raiseAlert>[1] {
  const { message } = notice;
  const target =
    message.channel === 'webhook'
      ? `webhook ${message.subscription}`
      : `mail to ${message.recipient}`;
  const remedy =
    message.channel === 'webhook'
      ? `See webhook log ${message.subscription}. When the receiver works again, use webhook enable and event resend.`
      : 'See mail log. Correct the recipient or the mail server.';
  return {
    kind: verdict === 'gone' ? 'webhook_gone' : 'notice_failed',
    subject: target,
    severity: 'warning',
    text: `A notice could not be delivered (${code}, ${notice.attempt} attempts). ${remedy}`,
    // One for each receiver: a dead one fails thousands of notices.
    dedup: `notice_failed/${target}`,
  };
}
