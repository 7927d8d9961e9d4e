import type { Command } from '../command.ts';
import { changeRecipientOf, mailSettings, setMailServer, testMail } from '../../people/index.ts';
import { listMails } from '../../oversight/index.ts';
import { readLimit } from '../arguments.ts';
import { environment, warnOfPrivate } from '../context.ts';
import { table } from '../output.ts';
import { noticeRows, notSent } from './notices.ts';

interface SetOptions {
  readonly smtp: string;
  readonly from: string;
  readonly allowPrivate?: boolean;
}

export function addCommands(mail: Command): void {
  addSet(mail);
  addShow(mail);
  addChange(mail, 'add');
  addChange(mail, 'remove');
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
    .option('--allow-private', 'the server is on this machine or in a private network')
    .inApp(async ({ app, out, actor, options }, own: SetOptions) => {
      warnOfPrivate(own.allowPrivate === true, options);
      const setting = {
        smtp: own.smtp,
        sender: own.from,
        allowPrivateAddresses: own.allowPrivate === true,
      };
      await setMailServer(app, actor, setting, environment);
      out.result('mail set', setting, () => `Mail goes out through ${own.smtp} as ${own.from}.`);
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
      out.result(`mail ${kind}`, recipient, () =>
        kind === 'add'
          ? `${address} is a recipient for ${role}.`
          : `${address} is no longer a recipient.`,
      );
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
