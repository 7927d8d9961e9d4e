/**
 * Dockets as people and machines read them. Only what the asker may see ever gets here. Loaded on demand, because it needs
 * the calendar.
 */
import { formatDay } from '../../calendar/index.ts';
import type { DocketDates, DocketDetail, DocketView, ReportRow } from '../../dockets/index.ts';
import { iso, table } from '../output.ts';
import { trailJson, trailText } from './docket-trail.ts';
import { moment } from '../shown.ts';

export function docketJson(view: DocketView): object {
  const { docket, dates } = view;
  return {
    docket: docket.id,
    messageId: docket.messageId,
    applicationNumber: docket.applicationNumber ?? null,
    client: docket.client ?? null,
    technologyGroup: docket.technologyGroup ?? null,
    matter: docket.event?.matter ?? null,
    title: docket.event?.title ?? null,
    eventCode: docket.eventCode,
    eventDate: docket.event?.eventDate ?? null,
    labels: docket.labels,
    source: view.source,
    receivedAt: iso(view.receivedAt),
    payloadSha256: docket.payloadSha256,
    ...datesJson(dates),
    standing: view.standing,
    owner: view.owner ?? null,
    state: view.state,
    nextAt: view.nextAt === undefined ? null : iso(view.nextAt),
    closed: view.closed === undefined ? null : { at: iso(view.closed.at), by: view.closed.by },
    ...(view.isBlind === true ? { isBlind: true } : {}),
  };
}

function datesJson(dates: DocketDates): object {
  if (dates.kind === 'undated') {
    const { office, code, why } = dates;
    return { office: office ?? null, due: null, final: null, soft: null, unverified: [why], code };
  }
  return {
    office: dates.office ?? null,
    due: formatDay(dates.due),
    final: dates.final === undefined ? null : formatDay(dates.final),
    soft: formatDay(dates.soft),
    rule: dates.rule ?? null,
    unverified: dates.unverified,
    law: dates.law,
  };
}

export function detailJson({
  payload,
  handoffs,
  differences,
  trail,
  isDestroyed,
  ...view
}: DocketDetail): object {
  return {
    ...docketJson(view),
    contentType: view.contentType,
    assignedTo: view.assignedTo ?? null,
    payloadBytes: payload?.length ?? null,
    isDestroyed,
    ...(trail === undefined ? {} : { trail: trailJson(trail) }),
    handoffs: handoffs.map(({ startedAt, ended, hop: _hop, dates: _dates, ...handoff }) => ({
      ...handoff,
      startedAt: iso(startedAt),
      endedAt: iso(ended?.at) || null,
      outcome: ended?.outcome ?? null,
      receipt: ended?.receipt ?? null,
    })),
    differences,
  };
}

export function docketsTable(views: readonly DocketView[]): string {
  return table(
    ['due', 'docket', 'application', 'event', 'client', 'standing', 'owner', 'next'],
    views.map((view) => [
      dueText(view.dates),
      view.docket.id,
      view.docket.applicationNumber ?? '?',
      view.docket.eventCode,
      view.docket.client ?? '',
      view.closed === undefined ? view.standing : 'closed',
      view.owner ?? '',
      moment(view.nextAt),
    ]),
  );
}

/** The asterisk stands at the date itself: nobody reads the one without the other. */
function dueText(dates: DocketDates): string {
  if (dates.kind === 'undated') return 'not known *';
  return `${formatDay(dates.due)}${dates.unverified.length === 0 ? '' : ' *'}`;
}

const DESTROYED =
  "destroyed with its client's data key at the end of its retention period; the ledger proves that it existed";

export function detailText(detail: DocketDetail): string {
  const { docket, dates } = detail;
  const isDated = dates.kind === 'dated';
  const unverified = isDated ? dates.unverified : [dates.why];
  const { isDestroyed } = detail;
  const lines: [string, string][] = [
    ['docket', docket.id],
    ...(isDestroyed ? ([['content', DESTROYED]] as [string, string][]) : []),
    ['application', docket.applicationNumber ?? (isDestroyed ? 'destroyed' : 'not readable')],
    [
      'event',
      [docket.eventCode, docket.event?.eventDate, docket.event?.title].filter(Boolean).join(' '),
    ],
    ['client', [docket.client, docket.event?.matter].filter(Boolean).join(', ')],
    ['labels', [...docket.labels.classification, ...docket.labels.privilege].join(', ') || 'none'],
    ['due', dueText(dates)],
    ...(isDated && dates.final !== undefined
      ? ([['final', formatDay(dates.final)]] as [string, string][])
      : []),
    ...(isDated ? ([['soft', formatDay(dates.soft)]] as [string, string][]) : []),
    ...unverified.map((why): [string, string] => ['not verified', why]),
    ['standing', `${detail.standing}${detail.owner === undefined ? '' : `, with ${detail.owner}`}`],
    ...(detail.assignedTo === undefined
      ? []
      : ([['assigned to', detail.assignedTo]] as [string, string][])),
    ['next', moment(detail.nextAt)],
    ['received', `${moment(detail.receivedAt)} from ${detail.source}`],
    [
      'payload',
      `${detail.isBlind === true ? 'not shown' : (detail.payload?.length ?? '?')} bytes ${detail.contentType}, sha256 ${docket.payloadSha256}`,
    ],
    ...(detail.closed === undefined
      ? []
      : ([['closed', `${moment(detail.closed.at)} by ${detail.closed.by}`]] as [string, string][])),
  ];
  return [
    ...lines.map(([name, value]) => `${name.padEnd(14)}${value}`),
    '',
    ...(detail.trail === undefined ? [] : [...trailText(detail.trail), '']),
    handoffsTable(detail.handoffs),
    ...detail.differences.map(
      (one) => `MANUAL_ESCALATION_REQUIRED  ${one.kind}, to be reviewed by ${moment(one.reviewBy)}`,
    ),
  ].join('\n');
}

function handoffsTable(handoffs: DocketDetail['handoffs']): string {
  if (handoffs.length === 0) return 'Not handed off yet.';
  return table(
    ['n', 'tier', 'target', 'party', 'attempt', 'started', 'outcome', 'why this tier', 'receipt'],
    handoffs.map((one) => [
      one.n,
      one.tier,
      one.target,
      one.party,
      one.attempt,
      moment(one.startedAt),
      one.ended?.outcome ?? 'in progress or interrupted',
      one.reason ?? '',
      one.ended?.receipt ?? '',
    ]),
  );
}

export function reportTable(rows: readonly ReportRow[]): string {
  const mark = (row: ReportRow, day: string | undefined): string =>
    day === undefined ? '' : `${day}${row.unverified.length === 0 ? '' : ' *'}`;
  return table(
    ['due', 'final', 'soft', 'owner', 'mark', 'office', 'application', 'event', 'client', 'docket'],
    rows.map((row) => [
      row.due === undefined ? 'not known *' : mark(row, row.due),
      mark(row, row.final),
      mark(row, row.soft),
      row.owner ?? 'none yet',
      row.mark,
      row.office ?? '?',
      row.applicationNumber ?? '?',
      row.eventCode,
      row.client ?? '',
      row.docket,
    ]),
  );
}
