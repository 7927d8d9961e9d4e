/** The daily digest: where everything stands, and every alert that nobody has acknowledged. Sent also when all is well. */
import {
  addMailNotice,
  type Alert,
  type DigestFigures,
  digestFigures,
  listAlerts,
  recipientsOf,
} from '../store/index.ts';
import {
  type SlackFigures,
  slackFigures,
  slackLines,
  type SlackWatchParts,
} from './slack-watch.ts';

/** More than a person reads in one mail; the count above the list is always whole. */
const ALERTS_MAX = 50;

/** Queues today's digest for every recipient; a second call on the same day adds nothing. Returns how many recipients. */
export async function queueDigest(parts: SlackWatchParts): Promise<number> {
  const { session, tenant, ids } = parts;
  const slack = await slackFigures(parts);
  return session.transaction(async (run) => {
    const recipients = await recipientsOf(run, tenant, 'digest');
    if (recipients.length === 0) return 0;
    const figures = await digestFigures(run, tenant);
    const alerts = await listAlerts(run, tenant, { all: false, limit: ALERTS_MAX });
    for (const recipient of recipients) {
      await addMailNotice(run, tenant, {
        id: ids.next(),
        origin: 'digest',
        recipient,
        subject: digestSubject(tenant, figures),
        body: digestText(figures, slack, alerts),
        dedup: `digest/${figures.day}/${recipient}`,
      });
    }
    return recipients.length;
  });
}

function digestSubject(tenant: string, figures: DigestFigures): string {
  const troubles = [
    figures.late > 0 ? `${figures.late} late` : '',
    figures.alerts > 0 ? `${figures.alerts} alerts` : '',
    figures.exceptions > 0 ? `${figures.exceptions} exceptions` : '',
  ].filter((text) => text !== '');
  return `Filewright ${tenant} ${figures.day}: ${troubles.length === 0 ? 'nothing to do' : troubles.join(', ')}`;
}

export function digestText(
  figures: DigestFigures,
  slack: SlackFigures,
  alerts: readonly Alert[],
): string {
  const rows: readonly (readonly [string, number])[] = [
    ['accepted in the last 24 hours', figures.acceptedSinceYesterday],
    ['open', figures.open],
    ['open, last safe moment within 7 days', figures.openWithinWeek],
    ...slackLines(slack),
    ['not accepted and past their last safe moment', figures.late],
    ['exceptions waiting for a person', figures.exceptions],
    ['alerts that nobody has acknowledged', figures.alerts],
    ['notices that failed in the last 24 hours', figures.noticesFailedSinceYesterday],
  ];
  const list = alerts.map(
    (alert) => `  [${alert.severity}] ${alert.subject}: ${alert.text}\n    alert ack ${alert.id}`,
  );
  return [
    `Filings on ${figures.day} (UTC)`,
    '',
    ...rows.map(([name, count]) => `${String(count).padStart(7)}  ${name}`),
    ...(list.length === 0 ? [] : ['', 'Open alerts:', ...list]),
    ...(figures.alerts > list.length ? [`  and ${figures.alerts - list.length} more`] : []),
    '',
  ].join('\n');
}
