import type { Command } from '../command.ts';
import { acknowledge, listAlerts } from '../../oversight/index.ts';
import { listEvents, resend } from '../../people/index.ts';
import { readLimit } from '../arguments.ts';
import { iso, table } from '../output.ts';

export function addCommands(event: Command): void {
  event
    .command('list')
    .description('the latest events')
    .option('--type <type>')
    .option('--limit <n>', 'how many', '50')
    .inApp(async ({ app, out, actor }, own: { type?: string; limit: string }) => {
      const filter = { ...own, limit: readLimit(own.limit) };
      const events = await listEvents(app, actor, filter);
      out.result('event list', { events }, () =>
        table(
          ['event', 'type', 'at', 'filing', 'notices', 'sent'],
          events.map((e) => [e.id, e.type, iso(e.at), e.filing ?? '', e.notices, e.sent]),
        ),
      );
    });

  event
    .command('resend <event>')
    .description('send an event to its webhooks again, under the same id')
    .option('--webhook <id>', 'only to this webhook')
    .inApp(async ({ app, out, actor }, id: string, own: { webhook?: string }) => {
      const count = await resend(app, actor, id, own.webhook);
      out.result('event resend', { event: id, count }, () => `Queued ${count} again.`);
    });
}

export function addAlertCommands(alert: Command): void {
  alert
    .command('list')
    .description(
      'alerts not yet acknowledged, most severe first; docket alerts only for dockets that you may see',
    )
    .option('--all', 'include acknowledged alerts')
    .option('--limit <n>', 'how many', '50')
    .inApp(async ({ app, out, actor }, own: { all?: boolean; limit: string }) => {
      const filter = { all: own.all === true, limit: readLimit(own.limit) };
      const alerts = await listAlerts(app, actor, filter);
      out.result('alert list', { alerts }, () =>
        table(
          ['alert', 'severity', 'about', 'since', 'raised', 'told', 'text'],
          alerts.map((a) => [
            a.id,
            a.severity,
            a.subject,
            iso(a.raisedAt),
            a.raised,
            a.told,
            a.text,
          ]),
        ),
      );
    });

  alert
    .command('ack <id>')
    .description('acknowledge an alert; no more reminders are sent')
    .inApp(async ({ app, out, actor }, id: string) => {
      await acknowledge(app, actor, id);
      out.result('alert ack', { alert: id }, () => `Alert ${id} is acknowledged.`);
    });
}
