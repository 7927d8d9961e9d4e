import type { Command } from '../command.ts';
import {
  addWebhook,
  approveWebhook,
  changeWebhook,
  listWebhooks,
  proposedWebhooks,
  refuseWebhook,
  rotateWebhook,
  testWebhook,
  webhookLog,
} from '../../people/index.ts';
import { termText } from '../../core/index.ts';
import { readLimit, readSecretFile } from '../arguments.ts';
import { environment, warnOfPrivate } from '../context.ts';
import { table } from '../output.ts';
import { moment } from '../shown.ts';
import { noticeRows, notSent } from './notices.ts';

interface AddOptions {
  readonly events?: string;
  readonly secretFile?: string;
  readonly reason?: string;
  readonly allowPrivate?: boolean;
}

export function addCommands(webhook: Command): void {
  addAdd(webhook);
  addDecisions(webhook);
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
    .option(...SECRET_FILE)
    .option('--reason <text>', 'why events go there (10 to 500 characters)')
    .option('--allow-private', 'allow http, loopback and private networks; for your own receiver')
    .inApp(async ({ app, out, actor, options }, url: string, own: AddOptions) => {
      warnOfPrivate(own.allowPrivate === true, options);
      const types = (own.events ?? '').split(',').filter((type) => type !== '');
      const given = secretIn(own.secretFile);
      const { id, secret, sha256 } = await addWebhook(app, actor, {
        url,
        types,
        allowPrivateAddresses: own.allowPrivate === true,
        environment,
        ...(own.reason === undefined ? {} : { reason: own.reason }),
        ...given,
      });
      // A secret that was given is known already, and need not be shown on a screen.
      const shown = given.secret === undefined ? { secret } : {};
      out.result('webhook add', { id, url, types, sha256, ...shown }, () =>
        [
          `Proposed webhook ${id}; nothing is sent to it until another person approves it.`,
          ...(given.secret === undefined ? [`Its secret, shown once:`, secret] : []),
          `The second person: filewright webhook approve ${id} --expect-hash ${sha256}`,
        ].join('\n'),
      );
    });
}

const SECRET_FILE = [
  '--secret-file <path>',
  'file with the secret (whsec_…), or - for standard input (default: generated)',
] as const;

/** Never an argument: every user of the machine can read those. */
function secretIn(file: string | undefined): { readonly secret?: string } {
  return file === undefined ? {} : { secret: readSecretFile(file) };
}

function addDecisions(webhook: Command): void {
  webhook
    .command('proposals')
    .description('webhooks that wait for a second person, with their addresses')
    .inApp(async ({ app, out, actor }) => {
      const proposals = await proposedWebhooks(app, actor);
      out.result('webhook proposals', { proposals }, () =>
        table(
          ['webhook', 'address', 'proposed by', 'at', 'reason', 'hash'],
          proposals.map((p) => [
            p.subject,
            termText(p.terms, 'url'),
            p.proposedBy,
            moment(p.proposedAt),
            p.reason,
            p.sha256,
          ]),
        ),
      );
    });
  webhook
    .command('approve <id>')
    .description('approve a proposed webhook as the second person; events go to it from now on')
    .requiredOption('--expect-hash <sha256>', 'the hash that webhook proposals shows')
    .inApp(async ({ app, out, actor }, id: string, own: { expectHash: string }) => {
      await approveWebhook(app, actor, { id, expectHash: own.expectHash });
      out.result('webhook approve', { id }, () => `Webhook ${id} is enabled.`);
    });
  webhook
    .command('refuse <id>')
    .description('refuse a proposed webhook, or withdraw your own proposal')
    .requiredOption('--reason <text>', 'why (10 to 500 characters)')
    .inApp(async ({ app, out, actor }, id: string, own: { reason: string }) => {
      await refuseWebhook(app, actor, { id, reason: own.reason });
      out.result('webhook refuse', { id }, () => `Webhook ${id} was refused and removed.`);
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
            !w.approved
              ? 'waits for approval'
              : w.disabled === undefined
                ? 'enabled'
                : `disabled ${moment(w.disabled.at)}: ${w.disabled.reason}`,
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
    .option(...SECRET_FILE)
    .inApp(async ({ app, out, actor }, id: string, own: { secretFile?: string }) => {
      const given = secretIn(own.secretFile);
      const { secret } = await rotateWebhook(app, actor, id, { environment, ...given });
      const shown = given.secret === undefined ? { secret } : {};
      out.result('webhook rotate', { id, ...shown }, () =>
        given.secret === undefined
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
