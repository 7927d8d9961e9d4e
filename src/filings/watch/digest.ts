/** The daily digest: where everything stands, and every alert that nobody has acknowledged. Sent also when all is well. */
import { type DocketId, shownTime } from '../../core/index.ts';
import { lanes } from '../../lanes/index.ts';
import { batchesToApprove, type BatchToApprove } from '../store/waiting-batches.ts';
import {
  addMailNotice,
  alertPages,
  type DigestFigures,
  digestFigures,
  type DocketReaders,
  recipientsOf,
} from '../../people/index.ts';
import type { Alert } from '../../ledger/index.ts';
import type { UnfiledGroup } from '../../entities/index.ts';
import { type SlackFigures, slackFigures, slackLines, type SlackWatchDeps } from './slack-watch.ts';
import { countByHand, type HandCounts } from '../store/hand.ts';
import { unfiledSoon } from './unfiled-watch.ts';

/** More than a person reads in one mail; the count above the list is always whole. */
const ALERTS_MAX = 50;
const APPROVALS_MAX = 20;

/** Queues today's digest for every recipient; a second call on the same day adds nothing. Returns how many recipients. */
export async function queueDigest(deps: SlackWatchDeps): Promise<number> {
  const { session, tenant, ids } = deps;
  const slack = await slackFigures(deps);
  const unfiled = await unfiledSoon(deps);
  const hand = await countByHand((...args) => session.run(...args), tenant);
  const toApprove = await batchesToApprove((...args) => session.run(...args), tenant);
  const zones = await zonesOf(deps);
  return session.transaction(async (run) => {
    const recipients = await recipientsOf(run, tenant, 'digest');
    if (recipients.length === 0) return 0;
    const figures = await digestFigures(run, tenant);
    const open: Alert[] = [];
    for await (const page of alertPages(run, tenant, { all: false })) open.push(...page);
    for (const recipient of recipients) {
      const alerts = await readableBy(recipient, open, (docket) =>
        deps.docketReaders?.(run, docket, [recipient]),
      );
      await addMailNotice(run, tenant, {
        id: ids.next(),
        origin: 'digest',
        recipient,
        subject: digestSubject(
          tenant,
          figures,
          open.filter(({ docket }) => docket === undefined).length,
        ),
        body: digestText(
          figures,
          { slack, unfiled, hand },
          alerts,
          approvalLines(toApprove, zones),
        ),
        dedup: `digest/${figures.day}/${recipient}`,
      });
    }
    return recipients.length;
  });
}

/** A docket is named to who may see it; in the count of everybody else it does not show either. */
async function readableBy(
  recipient: string,
  alerts: readonly Alert[],
  readersOf: (docket: DocketId) => ReturnType<DocketReaders> | undefined,
): Promise<readonly Alert[]> {
  const readable: Alert[] = [];
  for (const alert of alerts) {
    const { docket } = alert;
    const may = docket === undefined || (await readersOf(docket))?.includes(recipient);
    if (may === true) readable.push(alert);
  }
  return readable;
}

/** Anybody may read subjects in the log of mails, so dockets are in the letter alone. */
function digestSubject(tenant: string, figures: DigestFigures, alerts: number): string {
  const troubles = [
    figures.late > 0 ? `${figures.late} late` : '',
    alerts > 0 ? `${alerts} alerts` : '',
    figures.exceptions > 0 ? `${figures.exceptions} exceptions` : '',
  ].filter((text) => text !== '');
  return `Filewright ${tenant} ${figures.day}: ${troubles.length === 0 ? 'no trouble with filings' : troubles.join(', ')}`;
}

/** By lane: the clock of its office. */
async function zonesOf(deps: SlackWatchDeps): Promise<ReadonlyMap<string, string>> {
  const found = await lanes(deps);
  return new Map(found.map(({ profile }) => [profile.code, profile.hours?.zone ?? 'UTC']));
}

/** Each by its name: a batch that nobody opens is late as surely as one that fails. */
function approvalLines(
  waiting: readonly BatchToApprove[],
  zones: ReadonlyMap<string, string>,
): readonly string[] {
  if (waiting.length === 0) return [];
  const shown = waiting
    .slice(0, APPROVALS_MAX)
    .map(({ batch, source, filings, preparedBy, ...one }) => {
      const due =
        one.due === undefined
          ? ''
          : `, first due ${shownTime(one.due, zones.get(one.lane ?? '') ?? 'UTC')}`;
      return `  ${source}: ${filings === 1 ? '1 filing' : `${filings} filings`}, prepared by ${preparedBy}${due}\n    batch show ${batch}`;
    });
  const more = waiting.length - shown.length;
  return [
    '',
    'Batches that wait for approval:',
    ...shown,
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

/** Nothing about it where nobody files by hand. */
function handLines(hand: HandCounts): readonly (readonly [string, number])[] {
  const { free, taken, look, waiting } = hand;
  if (free + taken + look + waiting === 0) return [];
  return [
    ['to file by hand, free', free],
    ['to file by hand, taken by someone', taken],
    ['taken without an outcome: look first', look],
    ['to file by hand, not approved yet', waiting],
  ];
}

function digestText(
  figures: DigestFigures,
  ahead: {
    readonly slack: SlackFigures;
    readonly unfiled: readonly UnfiledGroup[];
    readonly hand: HandCounts;
  },
  alerts: readonly Alert[],
  approvals: readonly string[],
): string {
  const rows: readonly (readonly [string, number])[] = [
    ['accepted in the last 24 hours', figures.acceptedSinceYesterday],
    ['open', figures.open],
    ['open, last safe moment within 7 days', figures.openWithinWeek],
    ...slackLines(ahead.slack),
    [
      'owed soon or already late, without a filing',
      ahead.unfiled.reduce((sum, { obligations }) => sum + obligations, 0),
    ],
    ['not accepted and past their last safe moment', figures.late],
    ...handLines(ahead.hand),
    ['exceptions waiting for a person', figures.exceptions],
    ['alerts not acknowledged', alerts.length],
    ['notices that failed in the last 24 hours', figures.noticesFailedSinceYesterday],
  ];
  const list = alerts
    .slice(0, ALERTS_MAX)
    .map(
      (alert) => `  [${alert.severity}] ${alert.subject}: ${alert.text}\n    alert ack ${alert.id}`,
    );
  return [
    `Filings on ${figures.day} (UTC)`,
    '',
    ...rows.map(([name, count]) => `${String(count).padStart(7)}  ${name}`),
    ...approvals,
    ...(list.length === 0 ? [] : ['', 'Open alerts:', ...list]),
    ...(alerts.length > list.length ? [`  and ${alerts.length - list.length} more`] : []),
    '',
  ].join('\n');
}
