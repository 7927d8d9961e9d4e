import type { Command } from '../command.ts';
import { acknowledge, listAlerts } from '../../oversight/index.ts';
import { countEvents, listEvents, resend } from '../../people/index.ts';
import { checkUuid, readLimit } from '../arguments.ts';
import { pageOf, pageWords } from '../page.ts';
import { table } from '../output.ts';
import { moment } from '../shown.ts';

export function addCommands(event: Command): void {
  event
    .command('list')
    .description('the latest events')
    .option('--type <type>')
    .option('--after <event>', 'start after this event')
    .option('--limit <n>', 'how many', '50')
    .inApp(async ({ app, out, actor }, own: { type?: string; after?: string; limit: string }) => {
      checkUuid('--after', own.after);
      const filter = { ...own, limit: readLimit(own.limit) };
      const events = await listEvents(app, actor, filter);
      const total = await countEvents(app, actor, filter);
      const page = pageOf(
        events.map(({ id }) => id),
        { limit: filter.limit, total },
      );
      out.result('event list', { events, ...page }, () =>
        [
          table(
            ['type', 'at', 'notices', 'sent', 'filing', 'event'],
            events.map((e) => [e.type, moment(e.at), e.notices, e.sent, e.filing ?? '', e.id]),
          ),
          ...pageWords(events.length, page, 'events'),
        ].join('\n'),
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
          ['severity', 'about', 'since', 'raised', 'sent', 'text', 'alert'],
          alerts.map((a) => [
            a.severity,
            a.subject,
            moment(a.raisedAt),
            a.raised,
            a.told,
            a.text,
            a.id,
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
