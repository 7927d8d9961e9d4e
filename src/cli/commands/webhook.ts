import type { Command } from '../command.ts';
import {
  addWebhook,
  changeWebhook,
  listWebhooks,
  rotateWebhook,
  testWebhook,
  webhookLog,
} from '../../people/index.ts';
import { readLimit } from '../arguments.ts';
import { environment, warnOfPrivate } from '../context.ts';
import { iso, table } from '../output.ts';
import { noticeRows, notSent } from './notices.ts';

interface AddOptions {
  readonly events?: string;
  readonly secret?: string;
  readonly allowPrivate?: boolean;
}

export function addCommands(webhook: Command): void {
  addAdd(webhook);
  addList(webhook);
  addChange(webhook, 'enable', 'enable a webhook; events missed in the meantime need event resend');
  addChange(webhook, 'disable', 'disable a webhook; pending deliveries are dropped');
  addChange(webhook, 'remove', 'delete a webhook and its secrets');
  addRotate(webhook);
  addTest(webhook);
  addLog(webhook);
}

function addAdd(webhook: Command): void {
  webhook
    .command('add <url>')
    .description('send events to this https address; the secret is shown once')
    .option('--events <types>', 'event types, separated by commas (default: all)')
    .option('--secret <secret>', 'whsec_…, or env:NAME, or file:/path (default: generated)')
    .option('--allow-private', 'allow http, loopback and private networks; for your own receiver')
    .inApp(async ({ app, out, actor, options }, url: string, own: AddOptions) => {
      warnOfPrivate(own.allowPrivate === true, options);
      const types = (own.events ?? '').split(',').filter((type) => type !== '');
      const { id, secret } = await addWebhook(app, actor, {
        url,
        types,
        allowPrivateAddresses: own.allowPrivate === true,
        environment,
        ...(own.secret === undefined ? {} : { secret: own.secret }),
      });
      // A secret that was given is known already, and need not be shown on a screen.
      const shown = own.secret === undefined ? { secret } : {};
      out.result('webhook add', { id, url, types, ...shown }, () =>
        own.secret === undefined
          ? `Added webhook ${id}. Its secret, shown once:\n${secret}`
          : `Added webhook ${id}.`,
      );
    });
}

function addList(webhook: Command): void {
  webhook
    .command('list')
    .description('list webhooks with event types and whether they are enabled')
    .inApp(async ({ app, out, actor }) => {
      const webhooks = await listWebhooks(app, actor);
      out.result('webhook list', { webhooks }, () =>
        table(
          ['webhook', 'address', 'events', 'state'],
          webhooks.map((w) => [
            w.id,
            w.url,
            w.types.length === 0 ? 'all' : w.types.join(','),
            w.disabled === undefined
              ? 'enabled'
              : `disabled ${iso(w.disabled.at)}: ${w.disabled.reason}`,
          ]),
        ),
      );
    });
}

function addChange(webhook: Command, kind: 'enable' | 'disable' | 'remove', about: string): void {
  webhook
    .command(`${kind} <id>`)
    .description(about)
    .inApp(async ({ app, out, actor }, id: string) => {
      await changeWebhook(app, actor, id, kind);
      out.result(`webhook ${kind}`, { id }, () => `Webhook ${id} is ${kind}d.`);
    });
}

function addRotate(webhook: Command): void {
  webhook
    .command('rotate <id>')
    .description('create a new secret; the old one also signs for 24 hours')
    .option('--secret <secret>', 'whsec_…, or env:NAME, or file:/path (default: generated)')
    .inApp(async ({ app, out, actor }, id: string, own: { secret?: string }) => {
      const given = own.secret === undefined ? {} : { secret: own.secret };
      const { secret } = await rotateWebhook(app, actor, id, { environment, ...given });
      const shown = own.secret === undefined ? { secret } : {};
      out.result('webhook rotate', { id, ...shown }, () =>
        own.secret === undefined
          ? `The new secret of webhook ${id}, shown once:\n${secret}`
          : `Webhook ${id} has a new secret.`,
      );
    });
}

function addTest(webhook: Command): void {
  webhook
    .command('test <id>')
    .description('send a test event now and show the receiver’s answer')
    .inApp(async ({ app, out, actor }, id: string) => {
      const outcome = await testWebhook(app, actor, id, environment);
      if (outcome.state !== 'sent') throw notSent(outcome.code, `webhook log ${id}`);
      out.result('webhook test', { id, ...outcome }, () => `Sent: ${outcome.code ?? ''}.`);
    });
}

function addLog(webhook: Command): void {
  webhook
    .command('log <id>')
    .description('deliveries to a webhook, with every attempt')
    .option('--limit <n>', 'how many', '20')
    .inApp(async ({ app, out, actor }, id: string, own: { limit: string }) => {
      const limit = readLimit(own.limit);
      const notices = await webhookLog(app, actor, { id, limit });
      out.result('webhook log', { notices }, () =>
        table(
          ['event', 'type', 'state', 'attempts', 'last answer', 'created', 'next'],
          noticeRows(notices, (n) => [n.event ?? '', n.type ?? '']),
        ),
      );
    });
}
