import type { Command } from '../command.ts';
import {
  approveMail,
  changeRecipientOf,
  mailSettings,
  proposedMail,
  refuseMail,
  setMailServer,
  testMail,
} from '../../people/index.ts';
import { termText } from '../../core/index.ts';
import { listMails } from '../../oversight/index.ts';
import { readLimit } from '../arguments.ts';
import { environment, warnOfPrivate } from '../context.ts';
import { table } from '../output.ts';
import { noticeRows, notSent } from './notices.ts';

interface SetOptions {
  readonly smtp: string;
  readonly from: string;
  readonly allowPrivate?: boolean;
  readonly reason?: string;
}

function waitsText(what: string, subject: string, sha256: string): string {
  return `${what} once another person approves it: filewright mail approve '${subject}' --expect-hash ${sha256}`;
}

export function addCommands(mail: Command): void {
  addSet(mail);
  addShow(mail);
  addChange(mail, 'add');
  addChange(mail, 'remove');
  addDecisions(mail);
  addTest(mail);
  addLog(mail);
}

function addSet(mail: Command): void {
  mail
    .command('set')
    .description('set the mail server, by reference, and the sender')
    .requiredOption(
      '--smtp <reference>',
      'env:NAME or file:/path that holds smtp://user:password@host:587',
    )
    .requiredOption('--from <sender>', 'name@example.org or "Name <name@example.org>"')
    .option('--reason <text>', 'why (10 to 500 characters)')
    .option('--allow-private', 'the server is on this machine or in a private network')
    .inApp(async ({ app, out, actor, options }, own: SetOptions) => {
      warnOfPrivate(own.allowPrivate === true, options);
      const setting = {
        smtp: own.smtp,
        sender: own.from,
        allowPrivateAddresses: own.allowPrivate === true,
      };
      const { sha256 } = await setMailServer(app, actor, setting, environment, own.reason);
      out.result('mail set', { ...setting, sha256 }, () =>
        waitsText(`Mail will go out through ${own.smtp} as ${own.from}`, 'mail server', sha256),
      );
    });
}

function addShow(mail: Command): void {
  mail
    .command('show')
    .description('show the mail server and the recipients by role')
    .inApp(async ({ app, out, actor }) => {
      const { setting, recipients } = await mailSettings(app, actor);
      out.result('mail show', { setting: setting ?? null, recipients }, () =>
        [
          setting === undefined ? 'No mail server is set.' : `${setting.smtp} as ${setting.sender}`,
          table(
            ['role', 'entity', 'address'],
            recipients.map((r) => [r.role, r.entityId ?? '', r.address]),
          ),
        ].join('\n\n'),
      );
    });
}

function addChange(mail: Command, kind: 'add' | 'remove'): void {
  mail
    .command(`${kind} <role> <address>`)
    .description(`${kind} a recipient; roles: registered_agent, alert, digest`)
    .option('--entity <id>', 'only for this entity, instead of the tenant’s registered_agent')
    .inApp(async ({ app, out, actor }, role: string, address: string, own: { entity?: string }) => {
      const input = { role, address, entityId: own.entity };
      const recipient = await changeRecipientOf(app, actor, input, kind);
      const { proposal } = recipient;
      out.result(`mail ${kind}`, recipient, () =>
        proposal === undefined
          ? `${address} is no longer a recipient.`
          : waitsText(
              `${address} will be a recipient for ${role}`,
              proposal.subject,
              proposal.sha256,
            ),
      );
    });
}

function addDecisions(mail: Command): void {
  mail
    .command('proposals')
    .description('mail servers and recipients that wait for a second person')
    .inApp(async ({ app, out, actor }) => {
      const proposals = await proposedMail(app, actor);
      out.result('mail proposals', { proposals }, () =>
        table(
          ['subject', 'address', 'proposed by', 'reason', 'hash'],
          proposals.map((p) => [
            p.subject,
            termText(p.terms, 'address') || termText(p.terms, 'server'),
            p.proposedBy,
            p.reason,
            p.sha256,
          ]),
        ),
      );
    });
  mail
    .command('approve <subject>')
    .description('approve a proposed mail server or recipient as the second person')
    .requiredOption('--expect-hash <sha256>', 'the hash that mail proposals shows')
    .inApp(async ({ app, out, actor }, subject: string, own: { expectHash: string }) => {
      await approveMail(app, actor, { subject, expectHash: own.expectHash });
      out.result('mail approve', { subject }, () => `Approved: ${subject}.`);
    });
  mail
    .command('refuse <subject>')
    .description('refuse a proposed mail server or recipient, or withdraw your own proposal')
    .requiredOption('--reason <text>', 'why (10 to 500 characters)')
    .inApp(async ({ app, out, actor }, subject: string, own: { reason: string }) => {
      await refuseMail(app, actor, { subject, reason: own.reason });
      out.result('mail refuse', { subject }, () => `Refused: ${subject}.`);
    });
}

function addTest(mail: Command): void {
  mail
    .command('test <address>')
    .description('send a test email now and show the server’s answer')
    .inApp(async ({ app, out, actor }, address: string) => {
      const outcome = await testMail(app, actor, address, environment);
      if (outcome.state !== 'sent') throw notSent(outcome.code, 'mail log');
      out.result('mail test', { address, ...outcome }, () => `Sent: ${outcome.code ?? ''}.`);
    });
}

function addLog(mail: Command): void {
  mail
    .command('log')
    .description('emails, with every attempt')
    .option('--limit <n>', 'how many', '20')
    .inApp(async ({ app, out, actor }, own: { limit: string }) => {
      const notices = await listMails(app, actor, readLimit(own.limit));
      out.result('mail log', { notices }, () =>
        table(
          ['recipient', 'subject', 'state', 'attempts', 'last answer', 'created', 'next'],
          noticeRows(notices, (n) => [n.recipient ?? '', n.subject ?? '']),
        ),
      );
    });
}
